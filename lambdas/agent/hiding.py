"""What hides text from people, by the words of a style: an attribute's, or a rule's in a sheet.

Only what a page says of itself, in plain selectors. A rule for some media, and one that another
rule takes back, hides nothing for sure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum, auto

Colour = tuple[int, int, int]

WHITE: Colour = (255, 255, 255)
MOST_CSS = 500_000
"""Characters of style sheets that are looked at."""
ALIKE = 8
"""Steps of 255 between two colours that nobody can tell apart."""


class Hides(StrEnum):
    NOTHING = auto()
    SURELY = auto()
    FADED = auto()
    """By no opacity, which is how things also look before they are faded in."""


def hides(style: str, *, behind: Colour | None) -> Hides:
    """`behind` is the colour of what is under the text, where that is known."""
    flat = _flat(style)
    if _AWAY.search(flat) or (_NO_SIZE.search(flat) and ";overflow:hidden" in flat):
        return Hides.SURELY
    if _is_unseen_colour(flat, behind):
        return Hides.SURELY
    return Hides.FADED if _NO_OPACITY.search(flat) and not _MOVING.search(flat) else Hides.NOTHING


def background(style: str) -> Colour | bool | None:
    """What a style lays under its text: a colour, None for a picture, False for nothing."""
    found = _BEHIND.findall(_flat(style))
    return _rgb(found[-1]) if found else False


def plain(css: str) -> str:
    """Style sheets as the functions below want them."""
    return _COMMENT.sub("", css[:MOST_CSS]).lower().replace(": ", ":")


def hidden_names(css: str, *, paper: Colour | None) -> dict[str, Hides]:
    """The plain selectors whose rules hide: `.note`, `#note`, `p.note`."""
    found: dict[str, Hides] = {}
    for selectors, declarations in _hiding_rules(css):
        hiding = hides(declarations, behind=paper)
        for selector in selectors.split(",") if hiding is not Hides.NOTHING else ():
            if _PLAIN.fullmatch(selector.strip()):
                found[selector.strip()] = hiding
    return found


def is_taken_back(css: str, name: str) -> bool:
    """Whether a rule for the same name, for some media or further down, shows it."""
    rules = re.finditer(re.escape(name) + r"\s*(?:,[^{}]*)?\{([^{}]*)\}", css)
    return any(_SHOWS.search(_flat(rule[1])) for rule in rules)


def _hiding_rules(css: str) -> Iterator[tuple[str, str]]:
    """The rules outside any @media that say something of the kind; found by their declarations."""
    depth = seen = end = 0
    for at in sorted(at for words in _HINTS for at in _places(css, words)):
        begin = css.rfind("{", seen, at)
        if at < end or begin < 0:
            continue
        depth += css.count("{", seen, begin) - css.count("}", seen, begin)
        end = css.find("}", begin)
        end = end if end >= 0 else len(css)
        if depth == 0:
            before = max(css.rfind("}", seen, begin), css.rfind(";", seen, begin), seen - 1)
            yield css[before + 1 : begin], css[begin + 1 : end]
        seen = begin


def _places(text: str, words: str) -> Iterator[int]:
    at = text.find(words)
    while at >= 0:
        yield at
        at = text.find(words, at + 1)


def _flat(style: str) -> str:
    return ";" + "".join(style.split()).lower()


def _is_unseen_colour(flat: str, behind: Colour | None) -> bool:
    colours = _COLOUR.findall(flat)
    if not colours or "clip:text" in flat:
        return False
    if _TRANSPARENT.fullmatch(colours[-1]):
        return True
    own = background(flat)
    under = behind if own is False else own
    ink = _rgb(colours[-1])
    if ink is None or not isinstance(under, tuple):
        return False
    return all(abs(a - b) <= ALIKE for a, b in zip(ink, under, strict=True))


def _rgb(value: str) -> Colour | None:
    if value in {"white", "black"}:
        return WHITE if value == "white" else (0, 0, 0)
    if short := _HEX3.fullmatch(value):
        return (int(short[1] * 2, 16), int(short[2] * 2, 16), int(short[3] * 2, 16))
    if long := _HEX6.fullmatch(value):
        return (int(long[1], 16), int(long[2], 16), int(long[3], 16))
    if numbers := _RGB.fullmatch(value):
        return (int(numbers[1]), int(numbers[2]), int(numbers[3]))
    return None


_ZERO = r"[+-]?(?:0+(?:\.0*)?|\.0+)(?:[a-z%;!]|$)"
_AWAY = re.compile(
    r";(?:display:none|visibility:(?:hidden|collapse)|content-visibility:hidden|font:0/0"
    r"|font-size:" + _ZERO + r"|(?:left|right|top|bottom|text-indent):-\d{3}"
    r"|margin(?:-left|-top)?:-\d{4}"
    r"|clip:rect\((?:[01](?:px)?,?){4}\)|clip-path:(?:inset\((?:50|100)%|circle\(0)"
    r"|transform:(?:scale[xy]?\(0[,)]|translate(?:[xy]|3d)?\(-\d{4}))"
)
_NO_SIZE = re.compile(r";(?:max-)?(?:width|height):" + _ZERO)
_NO_OPACITY = re.compile(r";opacity:" + _ZERO)
_MOVING = re.compile(r"transform|transition|animation|will-change")
_COLOUR = re.compile(r";color:([^;!]+)")
_BEHIND = re.compile(r";background(?:-color)?:([^;!]+)")
_TRANSPARENT = re.compile(
    r"transparent|(?:rgba|hsla)\((?:[^,)]+,){3}0*\.?0*%?\)|#[0-9a-f]{3}0|#[0-9a-f]{6}00"
)
_HEX3 = re.compile(r"#([0-9a-f])([0-9a-f])([0-9a-f])")
_HEX6 = re.compile(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})")
_RGB = re.compile(r"rgba?\((\d{1,3}),(\d{1,3}),(\d{1,3})(?:,1(?:\.0*)?)?\)")

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_PLAIN = re.compile(r"[a-z][a-z0-9]*[.#][\w-]+|[.#][\w-]+")
_HINTS = (
    *("display:none", "visibility:hidden", "visibility:collapse", "opacity:0", "opacity:.0"),
    *("font-size:0", "font-size:.0", "font:0/0", "text-indent:-", "left:-", "right:-", "top:-"),
    *("clip:rect(", "clip-path:", "height:0", "width:0", "scale(0", "translate", "color:"),
)
_SHOWS = re.compile(
    r";(?:display:(?!none)|visibility:visible|opacity:0*\.?0*[1-9]|clip:auto|font-size:[1-9])"
)
