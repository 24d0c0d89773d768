"""The webhooks that a deployment names, read from `cdk.json` and refused whole if one is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from lambdas.agent.endpoints import Endpoint
from lambdas.agent.errors import SourceRefused
from lambdas.agent.guard import check_url
from lambdas.agent.notices import Kind
from stacks.declared import declared, listed

_FIELDS = {"name", "url", "secret", "events", "agents"}
_NAME = re.compile(r"[0-9a-z][0-9a-z-]{0,39}")
_SECRET = re.compile(r"[0-9A-Za-z/_+=.@-]{1,512}")
_MAIL = re.compile(r"[^@\s,;<>]{1,64}@[^@\s,;<>]+\.[^@\s,;<>]+")
ROOM = 2_500
"""Characters of them all in a function's environment, which holds 4 KB."""


def webhooks(told: object, *, loopback_site: str = "") -> tuple[Endpoint, ...]:
    """Every endpoint, or an error that names each fault of each."""
    faults_of = partial(_faults, loopback_site=loopback_site)
    found = declared("webhooks", () if told is None else told, faults_of)
    if sum(len(str(one)) for one in found) > ROOM:
        raise ValueError(
            f"The webhooks in cdk.json have more than {ROOM:,} characters together: name fewer"
        )
    return tuple(_endpoint(one) for one in found)


def addresses(told: object) -> tuple[str, ...]:
    """Of mail, for people to be told; or an error that names each that is none."""
    found = [str(each) for each in listed("mail", () if told is None else told)]
    if strange := [each for each in found if not _MAIL.fullmatch(each)]:
        raise ValueError(
            f"mail in cdk.json names {', '.join(map(repr, strange))}: write a list of addresses, "
            'as in ["desk@example.com"]'
        )
    return tuple(dict.fromkeys(found))


def _faults(number: int, one: object, *, loopback_site: str) -> Iterator[str]:
    where = f"webhooks[{number}]"
    if not isinstance(one, Mapping):
        yield f"{where} is no object"
        return
    for unknown in sorted(set(one) - _FIELDS):
        yield f"{where}.{unknown}: there is no such field"
    if not _NAME.fullmatch(str(one.get("name", ""))):
        yield f"{where}.name: write up to 40 small letters, digits and hyphens"
    yield from _faults_of_url(where, str(one.get("url", "")), loopback_site)
    if not _SECRET.fullmatch(str(one.get("secret", ""))):
        yield f"{where}.secret: write the name of a secret in Secrets Manager, not the secret"
    elif str(one["secret"]).startswith("whsec_"):
        yield f"{where}.secret: this is the secret itself: store it, and write its name here"
    kinds, events = [kind.value for kind in Kind], one.get("events", [])
    if not _is_texts(events) or not set(events) <= set(kinds):
        yield f"{where}.events: write a list of {', '.join(kinds)}, or leave it out"
    if not _is_texts(one.get("agents", [])):
        yield f"{where}.agents: write a list of agents' ids, or leave it out"


def _faults_of_url(where: str, url: str, loopback_site: str) -> Iterator[str]:
    """What can be known without resolving its name; who posts there looks again."""
    try:
        target = check_url(url, loopback_site=loopback_site)
    except SourceRefused:
        yield f"{where}.url: write a public address that begins with https://"
        return
    if target.scheme != "https" and target.authority != loopback_site:
        yield f"{where}.url: it must begin with https://, nobody else may read it"


def _is_texts(told: object) -> bool:
    return isinstance(told, list) and all(isinstance(each, str) and each for each in told)


def _endpoint(one: Mapping[str, Any]) -> Endpoint:
    return Endpoint(
        name=one["name"],
        url=one["url"],
        secret=one["secret"],
        events=tuple(one.get("events", ())),
        agents=tuple(one.get("agents", ())),
    )
