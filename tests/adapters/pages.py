"""Web pages for tests of the reader, and what it makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lambdas.adapters.trafilatura_reader import TrafilaturaReader
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.findings import Text
from lambdas.agent.pages import Page

INPUTS = Path(__file__).parents[2] / ".." / "shared" / "cases" / "inputs"

HTML = "text/html"
ANY_PARAGRAPHS = (
    "<p>The city council approved the new heat plan on Monday after a long debate about costs.</p>"
    "<p>Engineers will begin work on the northern network in spring, when the ground is soft.</p>"
    "<p>Residents can ask for advice at the town hall, where the staff explain the grants.</p>"
)


def read(body: str | bytes, content_type: str = HTML) -> Text:
    body = body.encode() if isinstance(body, str) else body
    page = Page(url="https://any.example/x", status=200, content_type=content_type, body=body)
    return TrafilaturaReader().read(page)


def article(inside: str, *, head: str = "<title>Any title</title>") -> str:
    return f"<html lang='en'><head>{head}</head><body><article>{inside}</article></body></html>"


def unreadable(body: str | bytes, content_type: str = HTML) -> SourceUnreadable:
    with pytest.raises(SourceUnreadable) as caught:
        read(body, content_type)
    assert caught.value.dependency == "any.example"
    return caught.value


def parts(text: Text) -> list[tuple[str, str]]:
    return [(block.kind, text.text[block.start : block.end]) for block in text.blocks]


def field_case(name: str) -> bytes:
    path = INPUTS / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this repository: the tests beside this one cover it")
    return path.read_bytes()
