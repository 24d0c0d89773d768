"""Artifacts as JSON, and back. Every body is canonical: equal content, equal name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from lambdas.agent.findings import Block, Finding, Text
from lambdas.agent.identity import canonical
from lambdas.agent.model import Request, Source


def request_body(request: Request) -> bytes:
    return canonical(
        {
            **asdict(request),
            "sources": [{"url": source.url} for source in request.sources],
        }
    )


def manifest_body(sources: Sequence[Source]) -> bytes:
    """The cursor of the run: the array that the Distributed Map iterates."""
    return canonical([asdict(source) for source in sources])


def manifest_of(body: bytes) -> tuple[Source, ...]:
    return tuple(Source(**line) for line in json.loads(body))


def text_body(text: Text) -> bytes:
    return canonical(asdict(text))


def text_of(body: bytes) -> Text:
    fields = json.loads(body)
    blocks = tuple(Block(**block) for block in fields.pop("blocks"))
    return Text(blocks=blocks, **fields)


def findings_body(findings: Iterable[Finding]) -> bytes:
    return canonical([asdict(finding) for finding in findings])


def findings_of(body: bytes | None) -> tuple[Finding, ...]:
    return tuple(Finding(**fields) for fields in json.loads(body)) if body else ()


def fields_of(body: bytes | None) -> Mapping[str, Any]:
    fields: Mapping[str, Any] = json.loads(body) if body else {}
    return fields
