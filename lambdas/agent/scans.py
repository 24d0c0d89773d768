"""What an OCR service read off a scanned document, as a text."""

from __future__ import annotations

from urllib.parse import urlsplit

from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.findings import Text
from lambdas.agent.markdown_blocks import blocks, normalised

NEEDS_OCR = "PDF_NEEDS_OCR"
"""The code of a document whose pages are pictures."""

BY_A_MACHINE = "The text was read off pictures of its pages, so single letters may be wrong"


def text_of_scan(lines: bytes, url: str) -> Text:
    """Lines in reading order, an empty one between two pages; SourceUnreadable without a word."""
    text = normalised(lines.decode())
    if not any(map(str.isalnum, text)):
        host = urlsplit(url).hostname or "the source"
        raise SourceUnreadable(
            f"The scan at {host} holds no text that could be read. Name a sharper copy, or a page "
            "that says the same.",
            code="NO_TEXT",
            dependency=host,
        )
    return Text(title="", text=text, blocks=blocks(text), notes=(BY_A_MACHINE,))
