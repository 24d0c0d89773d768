"""The reader over trafilatura: web pages become Markdown; text and Markdown stay as they are."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from lxml.html import HtmlElement
from trafilatura import bare_extraction, html2txt

from lambdas.adapters.body_markdown import markdown_of
from lambdas.adapters.page_tree import tree_of
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.findings import Text
from lambdas.agent.markdown_blocks import blocks, normalised
from lambdas.agent.model import Page
from lambdas.agent.page_bytes import Kind, decoded, kind_of

FEWEST_LETTERS = 80
"""Letters and digits, some 15 words, below which a page says nothing."""

LONGEST_TITLE = 300

SHORT = 3_000
"""Characters above which the careful extraction is surely what the page is about."""


class TrafilaturaReader:
    def __init__(self) -> None:
        # It warns with words of the page, and page text must not reach the logs.
        logging.getLogger("trafilatura").setLevel(logging.CRITICAL + 1)

    def read(self, page: Page) -> Text:
        host = urlsplit(page.url).hostname or "the source"
        kind = kind_of(page.body, page.content_type)
        if kind not in {Kind.HTML, Kind.TEXT}:
            raise _unsupported(host, kind)
        raw = decoded(page.body, page.content_type)
        text = _text_of_html(raw, page.url, host) if kind is Kind.HTML else _text(raw)
        if sum(map(str.isalnum, text.text)) < FEWEST_LETTERS:
            raise SourceUnreadable(
                f"The page at {host} holds no text worth reading: it may need JavaScript or a "
                "login. Open it in a browser, and name a page that has the text itself.",
                code="NO_TEXT",
                dependency=host,
            )
        return text


def _text_of_html(raw: str, url: str, host: str) -> Text:
    try:
        tree = tree_of(raw, host)
        return _text(_main_text(tree, url), title=_title(tree), language=_language(tree))
    except SourceUnreadable:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a parser does with a stranger's page
        raise SourceUnreadable(
            f"The page at {host} cannot be taken apart ({type(error).__name__}). "
            "Name another address of it, or remove the source.",
            code="UNREADABLE",
            dependency=host,
        ) from None


def _text(markdown: str, *, title: str = "", language: str = "") -> Text:
    text = normalised(markdown)
    title = " ".join(normalised(title).split())[:LONGEST_TITLE]
    return Text(
        title=title or _first_heading(text), text=text, blocks=blocks(text), language=language
    )


def _first_heading(text: str) -> str:
    found = re.search(r"^#{1,6} +(.+)$", text, re.MULTILINE)
    return found[1][:LONGEST_TITLE] if found else ""


def _main_text(tree: HtmlElement, url: str) -> str:
    """The careful extraction, or the generous one where the first found next to nothing."""
    careful = _extracted(tree, url, is_careful=True)
    if len(careful) > SHORT or 5 * len(careful) > len(html2txt(tree)):
        return careful
    generous = _extracted(tree, url, is_careful=False)
    return generous if 2 * len(generous) > 3 * len(careful) else careful


def _extracted(tree: HtmlElement, url: str, *, is_careful: bool) -> str:
    document = bare_extraction(
        tree,
        url=url,
        favor_precision=is_careful,
        include_comments=False,
        include_formatting=False,
        include_images=False,
        include_links=False,
        include_tables=True,
    )
    body = getattr(document, "body", None)
    return markdown_of(body) if body is not None else ""


def _title(tree: HtmlElement) -> str:
    """What the page calls itself when it is shared, else its only main heading, else its title."""
    return next(filter(None, map(str.strip, _titles(tree))), "")


def _titles(tree: HtmlElement) -> Iterator[str]:
    for meta in tree.iterfind(".//meta[@property='og:title']"):
        yield meta.get("content") or ""
    headings = tree.findall(".//h1")
    if len(headings) == 1:
        yield " ".join(headings[0].itertext())
    for title in tree.iterfind(".//title"):
        yield title.text_content()


def _language(tree: HtmlElement) -> str:
    found = re.match(r"[a-z]{2,3}(?![a-z])", (tree.get("lang") or "").strip().lower())
    return found[0] if found else ""


def _unsupported(host: str, kind: Kind) -> SourceUnreadable:
    later = " PDFs come with a later version." if kind is Kind.PDF else ""
    return SourceUnreadable(
        f"{host} answered with {_article(kind)} {kind}: only web pages, plain text and Markdown "
        f"are read.{later} Name a page that says the same.",
        code="UNSUPPORTED_TYPE",
        dependency=host,
    )


def _article(kind: Kind) -> str:
    return "an" if kind[0] in "aeiou" else "a"
