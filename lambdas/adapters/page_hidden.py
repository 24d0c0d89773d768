"""Text that a page holds and does not show: it is taken out, and counted.

Taken out is what is styled away, in place or by a plain rule of the page's own sheets; sheets and
scripts elsewhere are not asked. A page that shows next to nothing without what it hides is one
that a script would show: that is read. A piece marked `aria-hidden` people do see: an icon's name,
a price said again for the eye. It goes where its parent says something else, and stays where it
is all there is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from lxml.etree import XPath, strip_elements
from lxml.html import HtmlElement

from lambdas.agent.hiding import (
    WHITE,
    Colour,
    Hides,
    background,
    hidden_names,
    hides,
    is_taken_back,
    plain,
)

FEWEST_SHOWN = 200
"""Characters of prose; a page that shows fewer says nothing by itself."""

MOST_RULES = 100
"""Rules that hide something here, of which is asked whether another takes them back."""

_MARK = "ratchet-hidden"
_OPENLY = XPath("//body//*[@style or @hidden or self::dialog[not(@open)]]")
_NAMED = XPath("//body//*[@class or @id]")
_GIVEN_NAMES = XPath("//body//@class|//body//@id", smart_strings=False)
_FOR_THE_EYE = XPath("//body//*[@aria-hidden='true']")
_SHEETS = XPath("//style/text()")
_OTHER_SHEETS = XPath("boolean(//link[contains(@rel, 'stylesheet')])")
_LENGTH = XPath("string-length(normalize-space(.))")

_Groups = Mapping[str, list[HtmlElement]]


def sheets_of(tree: HtmlElement) -> str:
    """The page's own style rules; to be read before its style elements are taken out."""
    return plain("".join(_SHEETS(tree)))


def leave_out_hidden(tree: HtmlElement, css: str) -> int:
    """How many characters of prose that was. The tree's scripts and styles are out already."""
    paper = None if _OTHER_SHEETS(tree) or "background" in css else WHITE
    dropped = _drop(tree, _styled_away(tree, css, paper))
    return dropped + _drop(tree, _repeated(tree))


def _drop(tree: HtmlElement, groups: _Groups) -> int:
    """All elements of a group, or none where they are what the page has to say."""
    whole, dropped = _LENGTH(tree), 0
    for elements in groups.values():
        outer = [element for element in elements if not _is_inside_dropped(element)]
        hidden = sum(map(_prose, outer))
        if 2 * hidden > whole and _prose(tree) - dropped - hidden < FEWEST_SHOWN:
            continue
        dropped += hidden
        for element in outer:
            element.tag = _MARK
    strip_elements(tree, _MARK, with_tail=False)
    return dropped


def _prose(element: HtmlElement) -> int:
    """Characters outside links: a menu that opens at a touch tells nobody anything."""
    links = sum(int(_LENGTH(link)) for link in element.iter("a"))
    return max(0, int(_LENGTH(element)) - links)


def _is_inside_dropped(element: HtmlElement) -> bool:
    return element.tag == _MARK or next(element.iterancestors(_MARK), None) is not None


def _styled_away(tree: HtmlElement, css: str, paper: Colour | None) -> _Groups:
    """What must be hidden alone, or as a group where a script may be to show it as a whole."""
    groups: defaultdict[str, list[HtmlElement]] = defaultdict(list)
    for number, element in enumerate(_OPENLY(tree)):
        hiding = _hiding(element, paper)
        if hiding is not Hides.NOTHING:
            groups["faded" if hiding is Hides.FADED else f"{number}"].append(element)
        elif "hidden" in element.get("style", ""):  # of overflow: the extractor knows no difference
            del element.attrib["style"]
    names = hidden_names(css, paper=paper) if css else {}
    for name, element in _called(tree, names):
        groups[name].append(element)
    for name in [name for name in names if name in groups][:MOST_RULES]:
        if is_taken_back(css, name):
            del groups[name]
    return groups


def _called(tree: HtmlElement, names: Collection[str]) -> Iterator[tuple[str, HtmlElement]]:
    """The elements that bear one of these names, with each they bear."""
    bare = {re.split("[.#]", name)[1] for name in names}
    given = {name for names in set(_GIVEN_NAMES(tree)) for name in names.lower().split()}
    if bare.isdisjoint(given):
        return
    known: dict[tuple[str, str, str], list[str]] = {}
    for element in _NAMED(tree):
        called = element.tag, element.get("class", ""), element.get("id", "")
        if called not in known:
            known[called] = [name for name in _names(*called) if name in names]
        for name in known[called]:
            yield name, element


def _hiding(element: HtmlElement, paper: Colour | None) -> Hides:
    style = element.get("style", "")
    is_closed = element.tag == "dialog" and element.get("open") is None
    if element.get("hidden") is not None or (is_closed and "display" not in style):
        return Hides.SURELY
    behind = _behind(element, paper) if "color" in style.lower() else None
    return hides(style, behind=behind)


def _behind(element: HtmlElement, paper: Colour | None) -> Colour | None:
    for each in (element, *element.iterancestors()):
        style = each.get("style")
        laid = background(style) if style and "background" in style.lower() else False
        if laid is not False:
            return laid if isinstance(laid, tuple) else None
        if each.get("bgcolor"):
            return None
    return paper


def _names(tag: str, classes: str, identity: str) -> Iterator[str]:
    marks = [f".{name}" for name in classes.lower().split()]
    for mark in (*marks, f"#{identity.lower()}"):
        yield mark
        yield f"{tag}{mark}"


def _repeated(tree: HtmlElement) -> _Groups:
    """Pieces for the eye beside which their parent says something; the others are shown to all."""
    by_parent: defaultdict[HtmlElement, list[HtmlElement]] = defaultdict(list)
    for element in _FOR_THE_EYE(tree):
        by_parent[element.getparent()].append(element)
    groups: dict[str, list[HtmlElement]] = {}
    for parent, pieces in by_parent.items():
        if _LENGTH(parent) > sum(_LENGTH(piece) for piece in pieces):
            groups.update({f"{len(groups) + number}": [p] for number, p in enumerate(pieces)})
        else:
            for piece in pieces:
                del piece.attrib["aria-hidden"]
    return groups
