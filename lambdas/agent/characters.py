"""Which characters the bytes of a page spell: byte order mark, header, the page's word, a guess.

As browsers do it, but for one thing: bytes that are UTF-8 beyond chance are read as UTF-8 whatever
is said of them, because somebody converted the page and forgot its label.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lambdas.agent.euc_jp import decoded_euc_jp
from lambdas.agent.page_labels import Label, labels_of
from lambdas.agent.web_encodings import REPLACEMENT, codec_of, encoding_of

FEWEST_NULS = 4
"""That make UTF-16 of bytes without a mark; every page has its <html>."""

SAMPLE = 16_384
"""Bytes that show how the rest is spelled."""

Guess = Callable[[bytes], str]
"""From bytes that nobody labelled to the name of an encoding; empty where they tell nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Characters:
    """`notes` say what was guessed and which label was wrong, in sentences without its words."""

    text: str
    encoding: str
    notes: tuple[str, ...] = ()


class Undecodable(Exception):
    """No encoding makes text of these bytes."""


def nothing_guessed(_: bytes) -> str:
    return ""


def characters(body: bytes, content_type: str, guess: Guess = nothing_guessed) -> Characters:
    """Undecodable rather than text full of what nobody wrote."""
    found = _marked(body) or _wide(body) or _by_labels(body, content_type, guess)
    if lost := _lost(body, found):
        note = f"{lost:,} of its characters were broken and could not be read."
        return replace(found, notes=(*found.notes, note))
    return found


def _by_labels(body: bytes, content_type: str, guess: Guess) -> Characters:
    said = list(labels_of(body, content_type))
    unknown = tuple(f"The {label.by} names no known encoding." for label in said if label.is_odd)
    known = [label for label in said if label.encoding]
    found = _ascii(body, known) or _surely_utf8(body, known) or _as_labelled(body, known, guess)
    return replace(found, notes=(*unknown, *found.notes))


# What the bytes themselves leave no doubt about


def _marked(body: bytes) -> Characters | None:
    for mark, codec, encoding in _MARKS:
        if body.startswith(mark):
            text = body[len(mark) :].decode(codec, "replace")
            if not _is_mostly_sound(text, 2):
                raise Undecodable(f"its first bytes say {encoding}, and the others are not that")
            return Characters(text=text, encoding=encoding)
    return None


def _wide(body: bytes) -> Characters | None:
    """UTF-16 without a mark: what is ASCII in it has its NUL on one side, always the same."""
    head = body[:SAMPLE]
    even, odd = head[::2].count(0), head[1::2].count(0)
    most, least = max(even, odd), min(even, odd)
    if most < FEWEST_NULS or 20 * most < len(head) or 50 * least > most:
        return None
    encoding = "utf-16le" if odd > even else "utf-16be"
    text = body[: len(body) // 2 * 2].decode(codec_of(encoding), "replace")
    if not _is_mostly_sound(text, 50) or not _is_written(text):
        return None
    return Characters(
        text=text, encoding=encoding, notes=(f"No mark says so, but its bytes are {encoding}.",)
    )


def _ascii(body: bytes, labels: Sequence[Label]) -> Characters | None:
    """Every encoding agrees on these bytes, but for those that switch tables by escapes."""
    if not body.isascii():
        return None
    first = labels[0].encoding if labels else ""
    if first == REPLACEMENT and _SHIFTS.search(body):
        raise _refused()
    if first in {"", "iso-2022-jp"} and _JAPANESE.search(body):
        return _read(body, "iso-2022-jp")
    return Characters(text=body.decode("ascii"), encoding="utf-8")


def _surely_utf8(body: bytes, labels: Sequence[Label]) -> Characters | None:
    found = _read(body, "utf-8")
    bad = _lost(body, found)
    wide = _wide_count(found.text) - bad
    first = labels[0] if labels else None
    if not wide or bad * 20 > wide or (bad and wide < 20):
        return None
    if first and first.encoding in _BY_PAIRS and not bad and wide < _BY_CHANCE:
        return None
    if first is None or first.encoding == "utf-8":
        return found
    note = f"The {first.by} says {first.encoding}, but the bytes are UTF-8."
    return replace(found, notes=(note,))


# What somebody says of them


def _as_labelled(body: bytes, labels: Sequence[Label], guess: Guess) -> Characters:
    wrong: tuple[str, ...] = ()
    for label in labels:
        if label.encoding == REPLACEMENT:
            raise _refused()
        found = _read(body, label.encoding)
        if _fits(body, found):
            return replace(found, notes=wrong)
        wrong = (*wrong, f"The {label.by} says {label.encoding}, and the bytes are not that.")
    found = _guessed(body, guess)
    return replace(found, notes=(*wrong, *found.notes))


# What is left


def _guessed(body: bytes, guess: Guess) -> Characters:
    """Windows-1252 where nothing tells: that is what browsers show most of the world."""
    encoding = encoding_of(guess(_sample(body)))
    found = _read(body, encoding) if encoding else None
    if found is None or not _fits(body, found):
        found = _read(body, "windows-1252")
    if _is_mostly_controls(found.text):
        raise Undecodable("its bytes spell controls in every encoding")
    note = f"Nothing that can be relied on names its encoding: {found.encoding} is a guess."
    return replace(found, notes=(note,))


def _sample(body: bytes) -> bytes:
    """What stands between the tags and is not ASCII, cut where no encoding has half a letter."""
    pieces = [piece for piece in _TAG.split(body[: 8 * SAMPLE]) if not piece.isascii()]
    letters = b" ".join(pieces)
    if len(letters) <= SAMPLE:
        return letters
    end = max(letters.rfind(end, 0, SAMPLE) for end in (b" ", b"\n", b"."))
    return letters[: end if end > 0 else SAMPLE]


def _read(body: bytes, encoding: str) -> Characters:
    if encoding == "euc-jp":
        return Characters(text=decoded_euc_jp(body), encoding=encoding)
    if encoding == "utf-8":
        # A letter cut in half by the end of the body is no fault of the encoding.
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return Characters(text=decoder.decode(body), encoding=encoding)
    if encoding.startswith("utf-16"):
        body = body[: len(body) // 2 * 2]
    return Characters(text=body.decode(codec_of(encoding), "replace"), encoding=encoding)


def _fits(body: bytes, found: Characters) -> bool:
    """A broken letter here and there is the page's; one in ten means that this is not it."""
    if found.encoding.startswith("utf-16"):
        return _is_mostly_sound(found.text, 50) and _is_written(found.text)
    return 10 * _lost(body, found) <= _wide_count(found.text)


def _is_mostly_sound(text: str, one_in: int) -> bool:
    return one_in * text.count("\ufffd") <= len(text)


def _is_written(text: str) -> bool:
    sample = text[:SAMPLE]
    letters = sum(c.isalnum() or c.isspace() for c in sample)
    return 2 * letters > len(sample) and not _is_mostly_controls(sample, 50)


def _is_mostly_controls(text: str, one_in: int = 20) -> bool:
    return one_in * len(_CONTROLS.findall(text)) > len(text)


def _lost(body: bytes, found: Characters) -> int:
    """Letters that we cannot read; those that the page itself gave up are no fault of the label."""
    given_up = body.count(_REPLACED) if found.encoding == "utf-8" else 0
    return found.text.count("\ufffd") - given_up


def _wide_count(text: str) -> int:
    """How many characters are not ASCII."""
    return len(text) - len(text.encode("ascii", "ignore"))


def _refused() -> Undecodable:
    return Undecodable("it is labelled with an encoding that browsers refuse to read for safety")


_MARKS = (
    (codecs.BOM_UTF8, "utf-8", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32le"),  # before UTF-16's, which it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32be"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16be"),
)
_REPLACED = "\ufffd".encode()
_BY_PAIRS = frozenset({"gbk", "gb18030", "big5", "euc-kr", "euc-jp", "shift_jis"})
_BY_CHANCE = 6
"""Characters: so few pairs of bytes of a Chinese word can look like UTF-8."""
_SHIFTS = re.compile(rb"[\x1b\x0e]|~\{")
_JAPANESE = re.compile(rb"\x1b(?:\$[@B]|\$\(D|\([JI])")
_TAG = re.compile(rb"<[^>]*>")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
