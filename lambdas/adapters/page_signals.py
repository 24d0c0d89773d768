"""What a web page shows beside its main text, taken from its tree: by it walls are told apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from lxml.etree import iterwalk
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from lambdas.adapters.page_tree import repaired
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.findings import Text
from lambdas.agent.not_an_article import FEWEST_TEASERS, Signals, Teaser, no_article, words

SURELY_A_TEXT = 400
"""Words of main text above which no wall and no error page was ever seen."""

LONG_PARAGRAPH = 45
"""Words; a text that is made of such paragraphs is no list of teasers."""

LONGEST_TITLE, LONGEST_BUTTON, MOST_BUTTONS = 200, 60, 500

_TAG = r"[^<>]{0,300}>\s{0,99}"
_HEADLINE_LINK = re.compile(rf"<h[1-4]\b{_TAG}(?:<\w+{_TAG}){{0,2}}<a\s|<a\s{_TAG}<h[1-4]\b")
_HEADINGS = frozenset({"h1", "h2", "h3", "h4"})
_FURNITURE = frozenset(
    {"nav", "footer", "aside", "button", "select", "label", "dialog", "textarea"}
)
_UNSHOWN = frozenset({"script", "style", "noscript", "template", "head", "svg", "iframe", "object"})
_BULKY = frozenset({"li", "pre", "table", "dl"})
_BUTTONS = ".//button|.//input[@type='submit' or @type='button']|.//a"
_CHALLENGE = re.compile(
    r"captcha|turnstile|challenge-(?:form|container|platform|running|error)"
    r"|bot-?(?:detection|protection|manager)|human-?(?:challenge|verification)"
)
_HIDDEN = re.compile(r"display:none|visibility:hidden")


def check_is_article(markup: str, text: Text, host: str) -> None:
    """SourceUnreadable where the page is none that says something about its subject."""
    if words(text.text) > SURELY_A_TEXT and (_is_made_of_paragraphs(text) or not _links(markup)):
        return
    found = no_article(signals_of(markup, text.text))
    if found:
        raise SourceUnreadable(
            f"The page at {host} {found.sentence}", code=str(found), dependency=host
        )


def signals_of(markup: str, text: str) -> Signals:
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False)
    tree: HtmlElement = document_fromstring(repaired(markup), parser)
    shown = _Shown()
    shown.look_at(tree)
    return Signals(
        titles=tuple(_titles(tree)),
        text=text,
        own=" ".join(shown.own),
        linked=shown.linked,
        unscripted=" ".join(_text_of(each) for each in tree.iter("noscript")),
        buttons=tuple(_buttons(tree)),
        teasers=tuple(shown.teasers()),
        asks_password=tree.find(".//input[@type='password']") is not None,
        has_challenge=any(
            map(_is_challenge, tree.iter("script", "iframe", "form", "div", "input"))
        ),
        has_empty_root=_has_empty_root(tree),
    )


def _is_made_of_paragraphs(text: Text) -> bool:
    sizes = [words(text.text[block.start : block.end]) for block in text.blocks]
    return 2 * sum(size for size in sizes if size > LONG_PARAGRAPH) > sum(sizes)


def _links(markup: str) -> bool:
    """Whether the page may have as many headlines that are links as an index has."""
    found = _HEADLINE_LINK.finditer(markup.lower())
    return sum(1 for _ in zip(found, range(FEWEST_TEASERS), strict=False)) >= FEWEST_TEASERS


@dataclass(slots=True)
class _Segment:
    headline: str = ""
    pieces: list[str] = field(default_factory=list)
    is_bulky: bool = False


@dataclass(slots=True)
class _Shown:
    """One walk over the tree: whose words are whose, and what stands under which headline."""

    own: list[str] = field(default_factory=list)
    linked: int = 0
    segments: list[_Segment] = field(default_factory=lambda: [_Segment()])

    def look_at(self, tree: HtmlElement) -> None:
        unshown = furniture = links = 0
        for event, element in iterwalk(tree, events=("start", "end")):
            step = 1 if event == "start" else -1
            tag = element.tag
            unshown += step * (tag in _UNSHOWN or _is_hidden(element))
            furniture += step * (tag in _FURNITURE)
            links += step * (tag == "a")
            if event == "start" and not unshown:
                self._enter(element, tag)
            piece = element.text if event == "start" else element.tail
            if piece and not unshown and not piece.isspace():
                self._add(piece, is_own=not furniture and not links, is_link=bool(links))

    def _enter(self, element: HtmlElement, tag: str) -> None:
        if tag in _HEADINGS:
            self.segments.append(_Segment(headline=_leading_elsewhere(element)))
        elif tag in _BULKY and next(element.iter(*_HEADINGS), None) is None:
            self.segments[-1].is_bulky = True

    def _add(self, piece: str, *, is_own: bool, is_link: bool) -> None:
        self.segments[-1].pieces.append(" ".join(piece.split()))
        self.linked += words(piece) if is_link else 0
        if is_own:
            self.own.append(piece)

    def teasers(self) -> Iterator[Teaser]:
        for segment in self.segments:
            if segment.headline and not segment.is_bulky:
                yield Teaser(headline=segment.headline, pieces=segment.pieces)


def _leading_elsewhere(heading: HtmlElement) -> str:
    """The words of a heading that is a link to another page; empty where it is none."""
    headline = _text_of(heading)
    within = next(heading.iterancestors("a"), None)
    if within is not None:
        return headline if _leads(within) else ""
    longest = max((len(_text_of(link)) for link in heading.iter("a") if _leads(link)), default=0)
    return headline if 10 * longest > 8 * len(headline) else ""


def _leads(link: HtmlElement) -> bool:
    return not (link.get("href") or "#").startswith("#")


def _titles(tree: HtmlElement) -> Iterator[str]:
    title = tree.find(".//title")
    if title is not None:
        yield _text_of(title)[:LONGEST_TITLE]
    for heading in tree.iter("h1"):
        yield _text_of(heading)[:LONGEST_TITLE]


def _buttons(tree: HtmlElement) -> Iterator[str]:
    for element in islice(tree.xpath(_BUTTONS), MOST_BUTTONS):
        said = element.get("value", "") if element.tag == "input" else _text_of(element)
        if len(said) <= LONGEST_BUTTON:
            yield said


def _is_challenge(element: HtmlElement) -> bool:
    said = " ".join(element.get(name) or "" for name in ("id", "class", "src", "action", "name"))
    return bool(_CHALLENGE.search(said.lower()))


def _has_empty_root(tree: HtmlElement) -> bool:
    """A script is to fill an element of the body that has a name and nothing inside."""
    body = tree.find("body")
    if body is None or tree.find(".//script") is None:
        return False
    return any(
        child.get("id") and not _text_of(child) and child.find(".//img") is None
        for child in body.iterchildren("div", "main", "section")
    )


def _is_hidden(element: HtmlElement) -> bool:
    style = element.get("style")
    hides = bool(style) and bool(_HIDDEN.search(style.replace(" ", "").lower()))
    return hides or element.get("hidden") is not None


def _text_of(element: HtmlElement) -> str:
    return " ".join(" ".join(element.itertext()).split())
