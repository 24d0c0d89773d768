"""What comes of asking a raw site for a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lambdas.adapters.http_fetcher import HttpFetcher, Limits
from lambdas.agent.errors import SourceRefused, SourceUnavailable, StepError
from lambdas.agent.pages import Page, Unchanged, Validators
from tests.fakes.raw_site import LONG, Site, public_web

INPUTS = Path(__file__).parents[2] / ".." / "shared" / "cases" / "inputs"


def asked(
    server: Site,
    path: str = "/",
    *,
    seconds: float = LONG,
    known: Validators | None = None,
    **limits: Any,
) -> Page | Unchanged:
    fetcher = public_web(server).fetcher(limits=Limits(**limits))
    return fetcher.get(f"http://public.test{path}", seconds=seconds, known=known)


def fetched(server: Site, path: str = "/", **options: Any) -> Page:
    answer = asked(server, path, **options)
    assert isinstance(answer, Page)
    return answer


def page_of(fetcher: HttpFetcher, url: str) -> Page:
    answer = fetcher.get(url, seconds=LONG)
    assert isinstance(answer, Page)
    return answer


def refused(server: Site, path: str = "/", **options: Any) -> SourceRefused:
    with pytest.raises(SourceRefused) as caught:
        asked(server, path, **options)
    return caught.value


def unavailable(server: Site, path: str = "/", **options: Any) -> SourceUnavailable:
    with pytest.raises(SourceUnavailable) as caught:
        asked(server, path, **options)
    return caught.value


def outcome(fetcher: HttpFetcher, url: str, *, seconds: float = LONG) -> str:
    try:
        fetcher.get(url, seconds=seconds)
    except StepError as error:
        return error.code
    return "ok"


def field_case(name: str) -> bytes:
    path = INPUTS / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this repository: the tests beside this one cover it")
    return path.read_bytes()
