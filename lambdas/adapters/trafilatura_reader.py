"""The reader of web pages over trafilatura: they become Markdown."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from urllib.parse import urlsplit

from lxml.etree import XPath, strip_elements
from lxml.html import HtmlElement, document_fromstring
from trafilatura import bare_extraction, html2txt

from lambdas.adapters.article_parts import article_beside_heading, join_parts, name_article
from lambdas.adapters.body_markdown import markdown_of
from lambdas.adapters.page_characters import characters_of
from lambdas.adapters.page_facts import facts_of
from lambdas.adapters.page_fitting import UNSHOWN, fit
from lambdas.adapters.page_hidden import leave_out_hidden, sheets_of
from lambdas.adapters.page_signals import check_is_article
from lambdas.adapters.page_tree import check_text, tree_of
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.findings import Text
from lambdas.agent.markdown_blocks import blocks, normalised
from lambdas.agent.pages import Page

FEWEST_LETTERS = 80
"""Letters and digits, some 15 words, below which a page says nothing."""

LONGEST_TITLE = 300

MUCH_HIDDEN = 200
"""Characters of hidden prose from which a reader of the report is told."""

SHORT = 3_000
"""Characters above which the careful extraction is surely what the page is about."""

SMALL_PART = 4
"""A text this part of all that the page holds is surely no fifth of what is not furniture."""

MOST_FOR_A_SECOND_LOOK = 20_000
"""Elements. The generous extraction takes twice the time of the careful one, seconds there."""

_ELEMENTS = XPath("count(//*)")
_LENGTH = XPath("string-length(normalize-space(.))")


class TrafilaturaReader:
    def __init__(self) -> None:
        # It warns with words of the page, and page text must not reach the logs.
        logging.getLogger("trafilatura").setLevel(logging.CRITICAL + 1)

    def read(self, page: Page) -> Text:
        host = urlsplit(page.url).hostname or "the source"
        spelled = characters_of(page)
        text = _text_of_html(spelled.text, page.url, host)
        check_is_article(spelled.text, text, host)
        if sum(map(str.isalnum, text.text)) < FEWEST_LETTERS:
            raise SourceUnreadable(
                f"The page at {host} holds no text worth reading: it may need JavaScript or a "
                "login. Open it in a browser, and name a page that has the text itself.",
                code="NO_TEXT",
                dependency=host,
            )
        return replace(text, notes=(*spelled.notes, *text.notes))


def _text_of_html(raw: str, url: str, host: str) -> Text:
    try:
        return _text(tree_of(raw, host), url, host)
    except SourceUnreadable:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a parser does with a stranger's page
        raise SourceUnreadable(
            f"The page at {host} cannot be taken apart ({type(error).__name__}). "
            "Name another address of it, or remove the source.",
            code="UNREADABLE",
            dependency=host,
        ) from None


def _text(tree: HtmlElement, url: str, host: str) -> Text:
    facts, css = facts_of(tree), sheets_of(tree)
    strip_elements(tree, *UNSHOWN, with_tail=False)
    check_text(tree, host)
    left_out = leave_out_hidden(tree, css)
    fit(tree)
    text = normalised(_main_text(tree, url))
    return Text(
        title=_in_one_line(facts.title) or _first_heading(text),
        text=text,
        blocks=blocks(text),
        language=facts.language,
        author=_in_one_line(facts.author),
        published=facts.published,
        published_by=facts.published_by,
        notes=_notes(left_out),
    )


def _notes(left_out: int) -> tuple[str, ...]:
    if left_out < MUCH_HIDDEN:
        return ()
    return (f"{left_out:,} characters that the page holds and does not show were left out.",)


def _in_one_line(words: str) -> str:
    return " ".join(normalised(words).split())[:LONGEST_TITLE]


def _first_heading(text: str) -> str:
    found = re.search(r"^#{1,6} +(.+)$", text, re.MULTILINE)
    return found[1][:LONGEST_TITLE] if found else ""


def _main_text(tree: HtmlElement, url: str) -> str:
    """The careful extraction, or the generous one where the first found next to nothing."""
    join_parts(tree)
    if (article := article_beside_heading(tree)) is not None:
        return _extracted(_alone(article), url, is_careful=False)
    name_article(tree)
    careful = _extracted(tree, url, is_careful=True)
    if len(careful) > SHORT or SMALL_PART * len(careful) > _LENGTH(tree):
        return careful
    if _ELEMENTS(tree) > MOST_FOR_A_SECOND_LOOK or 5 * len(careful) > len(html2txt(tree)):
        return careful
    generous = _extracted(tree, url, is_careful=False)
    return generous if 2 * len(generous) > 3 * len(careful) else careful


def _alone(article: HtmlElement) -> HtmlElement:
    page = document_fromstring("<html><body></body></html>")
    article.tag, article.tail = "article", None
    page.find("body").append(article)
    return page


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
