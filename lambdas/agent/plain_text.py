"""A text that is Markdown already, or reads as such."""

from __future__ import annotations

import re

from lambdas.agent.findings import Text
from lambdas.agent.markdown_blocks import blocks, normalised

LONGEST_TITLE = 300

_HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)


def text_of_markdown(markdown: str, *, title: str = "", notes: tuple[str, ...] = ()) -> Text:
    """Its title is the one that is given, or its first heading."""
    text = normalised(markdown)
    heading = _HEADING.search(text)
    named = " ".join(normalised(title).split()) or (heading[1] if heading else "")
    return Text(title=named[:LONGEST_TITLE], text=text, blocks=blocks(text), notes=notes)
