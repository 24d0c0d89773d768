"""Texts made of Markdown, as EXTRACT would store them."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

from lambdas.agent.findings import Text
from lambdas.agent.markdown_blocks import blocks, normalised

unhurried = settings(deadline=None)
"""How long an example takes says nothing on a busy machine."""

WORDS = (
    "The plan costs $29 a month.",
    "Dr. Smith of Acme Inc. said so\u2026",
    "price",
    "launched",
    "not",
    "never",
    "3.14",
    "1\u202f250",
    "\u201cquoted\u201d",
    "na\u00efve",
    "non-refundable",
    "it\u2019s",
    "\u65e5\u672c\u8a9e\u306e\u4fa1\u683c\u306f5\u4e07\u5186\u3067\u3059\u3002",
    "**bold**",
    "`code`",
    "[our plans](https://acme.example/a_(b))",
    "!?",
    "\u2014",
    "15",
    "seats",
    "feature",
    "soft\u00adware",
    "zero\u200bwidth",
    "a|b",
)
STARTS = (
    "",
    "# Pricing",
    "## What is new?",
    "- item",
    "  - nested",
    "1. first",
    "> said",
    "```",
    "| Plan | Price |",
    "|---|---|",
    "| Pro | $29 |",
    "Such as:",
)


def a_text(markdown: str, title: str = "", language: str = "en") -> Text:
    text = normalised(markdown)
    return Text(title=title, text=text, blocks=blocks(text), language=language)


def markdowns() -> st.SearchStrategy[str]:
    """Pages of every kind of block, well formed or not."""
    words = st.lists(st.sampled_from(WORDS), max_size=12)
    lines = st.builds(lambda start, rest: " ".join((start, *rest)), st.sampled_from(STARTS), words)
    return st.lists(lines, max_size=20).map("\n".join)
