"""A reader for pages that are plain text: a title, an empty line, then paragraphs. Each PDF is a
scan to it.
"""

from __future__ import annotations

from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.findings import Block, Text
from lambdas.agent.pages import Page
from lambdas.agent.scans import NEEDS_OCR


class PlainReader:
    def read(self, page: Page) -> Text:
        if page.body.startswith(b"%PDF"):
            raise SourceUnreadable(f"{page.url} is a scan", code=NEEDS_OCR)
        title, _, text = page.body.decode().partition("\n\n")
        if not text.strip():
            raise SourceUnreadable(f"{page.url} holds no text", code="NO_TEXT")
        return Text(title=title, text=text, blocks=_paragraphs(text))


def _paragraphs(text: str) -> tuple[Block, ...]:
    blocks, start = [], 0
    for paragraph in text.split("\n\n"):
        end = start + len(paragraph)
        blocks.append(Block(kind="paragraph", start=start, end=end))
        start = end + 2
    return tuple(blocks)
