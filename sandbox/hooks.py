"""Webhooks that the sample site receives: `POST /hooks/NAME`, kept under `.sandbox/hooks/`.

Whoever tries a receiver that fails adds `?status=503&times=2`: the first two are answered so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

from sandbox.places import Places, write_json

MOST_BYTES = 100_000
_PATH = re.compile(r"/hooks/([a-z0-9-]{1,40})")
_one_at_a_time = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A delivery: its headers by names in small letters, and how it was answered."""

    headers: Mapping[str, str]
    body: str
    status: int


def name_of(target: str) -> str | None:
    """Which hook a request is for, if it is for one."""
    found = _PATH.fullmatch(urlsplit(target).path)
    return found[1] if found else None


def keep(places: Places, target: str, headers: Mapping[str, str], body: bytes) -> HTTPStatus:
    """Write a delivery down and say how it is answered."""
    folder = places.home / "hooks" / str(name_of(target))
    folder.mkdir(parents=True, exist_ok=True)
    with _one_at_a_time:
        number = len(list(folder.glob("*.json"))) + 1
        status = _answer(target, number)
        told = {name.lower(): value for name, value in headers.items()}
        content = {"headers": told, "body": body.decode(errors="replace"), "status": int(status)}
        write_json(folder / f"{number:04}.json", content)
    return status


def received(places: Places, name: str) -> list[Received]:
    """In the order in which they came."""
    files = sorted((places.home / "hooks" / name).glob("*.json"))
    return [Received(**json.loads(file.read_text(encoding="utf-8"))) for file in files]


def _answer(target: str, number: int) -> HTTPStatus:
    asked: dict[str, Any] = parse_qs(urlsplit(target).query)
    times = int(asked.get("times", ["0"])[0])
    return HTTPStatus(int(asked["status"][0])) if number <= times else HTTPStatus.NO_CONTENT
