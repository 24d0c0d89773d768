"""A page's tree made fit for the extractor: without what is no text, and without its traps."""

from __future__ import annotations

from lxml.etree import XPath, strip_elements, strip_tags
from lxml.html import HtmlElement

from lambdas.adapters.page_tables import mend_tables
from lambdas.adapters.page_tree import INLINE

UNSHOWN = ("script", "style", "noscript", "template")
_PICTURES = ("svg", "canvas", "iframe", "object", "embed", "audio", "video", "map")
_NO_TEXT = ("head", "link", "meta", "input", "button", "select", "wbr")

_HOLDERS = (
    *("div", "section", "aside", "form", "figure", "picture", "ul", "li", "p", "a", "span", "i"),
    *("label", "img", "source"),
)
_EMPTY = XPath(
    f"//body//*[{' or '.join(f'self::{tag}' for tag in _HOLDERS)}]"
    "[not(descendant::text()[normalize-space()])]"
)
_NOTHING = "ratchet-nothing"


def fit(tree: HtmlElement) -> None:
    """In place."""
    strip_elements(tree, *_PICTURES, *_NO_TEXT, with_tail=False)
    _drop_empty(tree)
    strip_tags(tree, *INLINE)
    _join(tree)
    mend_tables(tree)


def _drop_empty(tree: HtmlElement) -> None:
    """A fifth of a page's elements hold no text: the extractor walks over them a dozen times."""
    for element in _EMPTY(tree):
        element.tag = _NOTHING
    strip_elements(tree, _NOTHING, with_tail=False)


def _join(tree: HtmlElement) -> None:
    """The pieces of text that lie side by side become one: searches through many crawl."""
    for element in tree.iter():
        if text := element.text:
            element.text = text
        if tail := element.tail:
            element.tail = tail
