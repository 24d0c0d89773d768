"""The reader of whatever a source answered: by its kind, with the parser that this kind needs.

Parsers are imported where they are used: most pages need one of them.
"""

from __future__ import annotations

from functools import cached_property
from urllib.parse import urlsplit

from lambdas.adapters.page_characters import characters_of
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.findings import Text
from lambdas.agent.json_text import NotJson, TooMuch, markdown_of_json
from lambdas.agent.page_bytes import Kind, kind_of
from lambdas.agent.pages import Page
from lambdas.agent.plain_text import text_of_markdown
from lambdas.agent.web_ports import Reader

FEWEST_LETTERS = 80
"""Letters and digits of a plain text, some 15 words, below which it says nothing."""


class PageReader:
    """`has_ocr`: scanned PDFs are left to somebody who reads pictures."""

    def __init__(self, *, has_ocr: bool = False) -> None:
        self._has_ocr = has_ocr

    def read(self, page: Page) -> Text:
        if not page.body.strip(b" \t\r\n\0"):
            raise _unreadable(page, "NO_TEXT", "answered with an empty page.")
        match kind_of(page.body, page.content_type):
            case Kind.HTML:
                return self._of_web_pages.read(page)
            case Kind.PDF:
                return self._of_pdfs.read(page)
            case Kind.FEED:
                return self._of_feeds.read(page)
            case Kind.JSON:
                return _json(page)
            case Kind.TEXT:
                return _plain(page)
            case kind:
                raise _unsupported(page, kind)

    @cached_property
    def _of_web_pages(self) -> Reader:
        from lambdas.adapters.trafilatura_reader import TrafilaturaReader

        return TrafilaturaReader()

    @cached_property
    def _of_pdfs(self) -> Reader:
        from lambdas.adapters.pdf_reader import PdfReader

        return PdfReader(has_ocr=self._has_ocr)

    @cached_property
    def _of_feeds(self) -> Reader:
        from lambdas.adapters.feed_reader import FeedReader

        return FeedReader()


def _plain(page: Page) -> Text:
    spelled = characters_of(page)
    text = text_of_markdown(spelled.text, notes=spelled.notes)
    if sum(map(str.isalnum, text.text)) < FEWEST_LETTERS:
        raise _unreadable(page, "NO_TEXT", "answered with a text of hardly a sentence.")
    return text


def _json(page: Page) -> Text:
    spelled = characters_of(page)
    try:
        found = markdown_of_json(spelled.text)
    except NotJson as fault:
        if "json" not in page.content_type.lower():
            return _plain(page)
        raise _unreadable(page, "UNREADABLE", f"answered with broken JSON: {fault}.") from None
    except TooMuch as fault:
        raise _unreadable(page, "TOO_LARGE", f"answered with JSON, but {fault}.") from None
    if found.is_empty:
        raise _unreadable(page, "NO_TEXT", "answered with JSON that holds no value.")
    if found.is_error:
        raise _unreadable(page, "ERROR_PAGE", "answered with an error message in JSON.")
    return text_of_markdown(found.markdown, title=found.title, notes=(*spelled.notes, *found.notes))


def _unsupported(page: Page, kind: Kind) -> SourceUnreadable:
    if kind is Kind.SITEMAP:
        return SourceUnreadable(
            f"{_host(page)} answered with a sitemap, which lists pages and says nothing itself. "
            'Name it with "kind": "sitemap" in the request, or name the pages you want read.',
            code="IS_SITEMAP",
            dependency=_host(page),
        )
    article = "an" if kind[0] in "aeiou" else "a"
    what = f"answered with {article} {kind}: only web pages, PDFs, feeds, JSON and texts are read."
    return _unreadable(page, "UNSUPPORTED_TYPE", what)


def _unreadable(page: Page, code: str, what: str) -> SourceUnreadable:
    return SourceUnreadable(
        f"{_host(page)} {what} Name another address that says the same, or remove the source.",
        code=code,
        dependency=_host(page),
    )


def _host(page: Page) -> str:
    return urlsplit(page.url).hostname or "the source"
