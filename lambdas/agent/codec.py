"""Artifacts as JSON, and back. Every body is canonical: equal content, equal name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from lambdas.agent.findings import Block, Finding, Text
from lambdas.agent.identity import canonical
from lambdas.agent.request import Asked, Request, Source, SourceKind


def request_body(request: Request) -> bytes:
    return canonical(
        {
            **_with_what_is_named(asdict(request)),
            "sources": [_asked(source) for source in request.sources],
        }
    )


def manifest_body(sources: Sequence[Source]) -> bytes:
    """The cursor of the run: the array that the Distributed Map iterates."""
    return canonical([_line(source) for source in sources])


def manifest_of(body: bytes) -> tuple[Source, ...]:
    return tuple(_source(**line) for line in json.loads(body))


_LATER_FIELDS = frozenset({"analyst", "baseline"})


def _with_what_is_named(fields: dict[str, Any]) -> dict[str, Any]:
    """Later fields only where they are named: what a request is known by must not change for the
    others.
    """
    limits = fields.pop("budget") or {}
    named = {name: limit for name, limit in limits.items() if limit is not None}
    told = {name: value for name, value in fields.items() if value or name not in _LATER_FIELDS}
    return {**told, "budget": named} if named else told


def _asked(asked: Asked) -> dict[str, Any]:
    """A page is its address alone: what a request is known by must not change for those."""
    return asdict(asked) if asked.kind.is_list else {"url": asked.url}


def _line(source: Source) -> dict[str, Any]:
    line = {"item": source.item, "url": source.url}
    also = {"also": source.also} if source.also else {}
    return {**line, **also, **({"kind": source.kind} if source.kind.is_list else {})}


def _source(*, also: Sequence[str] = (), kind: str = SourceKind.PAGE, **names: str) -> Source:
    return Source(also=tuple(also), kind=SourceKind(kind), **names)


def text_body(text: Text) -> bytes:
    return canonical(asdict(text))


def text_of(body: bytes) -> Text:
    fields = json.loads(body)
    blocks = tuple(Block(**block) for block in fields.pop("blocks"))
    notes = tuple(fields.pop("notes", ()))
    return Text(blocks=blocks, notes=notes, **fields)


def findings_body(findings: Iterable[Finding]) -> bytes:
    return canonical([asdict(finding) for finding in findings])


def fields_of(body: bytes | None) -> Mapping[str, Any]:
    fields: Mapping[str, Any] = json.loads(body) if body else {}
    return fields
