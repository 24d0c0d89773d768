"""JSON and JSON Lines as Markdown: a line for each value, with the path of keys that leads to it.

Values stand as the document spells them: numbers keep every digit, strings every character.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

MOST_CHARACTERS = 2_000_000
"""Of one JSON document: as objects in memory it is up to fifty times as large."""

MOST_VALUES = 20_000
"""Lines of the text; what is behind them is left out, and told."""

MOST_DEPTH = 60

LONGEST_ROW = 120
"""Characters of the values of a list that stand together in one line."""

LONGEST_ERROR = 1_000

_PLAIN_KEY = re.compile(r"[^\W\d][\w-]*")
_NAMES = ("title", "name", "headline", "label", "id")
_ERRORS = frozenset({"error", "errors", "fault"})


class NotJson(Exception):
    """The text is no JSON; the message says why, and where."""


class TooMuch(Exception):
    """The document is too large or too deep to be read whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonText:
    markdown: str
    title: str = ""
    notes: tuple[str, ...] = ()
    is_error: bool = False
    is_empty: bool = False


@dataclass(frozen=True, slots=True)
class _Object:
    """The pairs of an object, a key that comes twice among them."""

    pairs: Sequence[tuple[str, Any]]


def markdown_of_json(raw: str) -> JsonText:
    value, notes = _parsed(raw.strip())
    lines = list(islice(_document(value), MOST_VALUES + 1))
    if len(lines) > MOST_VALUES:
        lines.pop()
        notes = (*notes, f"Only the first {MOST_VALUES:,} of its values are read.")
    return JsonText(
        markdown="\n".join(lines),
        title=_name(value),
        notes=notes,
        is_error=len(raw) < LONGEST_ERROR and _is_error(value),
        is_empty=not _says(value),
    )


def _parsed(raw: str) -> tuple[Any, tuple[str, ...]]:
    """The one document, or the list of those that stand in a line each."""
    if len(raw) > MOST_CHARACTERS:
        found = _by_lines(raw[: raw.rfind("\n", 0, MOST_CHARACTERS) + 1])
        if found is None:
            raise TooMuch(f"it is longer than {MOST_CHARACTERS:,} characters")
        values, notes = found
        return values, (*notes, f"Only its first {MOST_CHARACTERS:,} characters are read.")
    try:
        return _loads(raw), ()
    except NotJson:
        found = _by_lines(raw)
        if found is None:
            raise
        return found


def _by_lines(raw: str) -> tuple[Any, tuple[str, ...]] | None:
    """JSON Lines, where at least half of several lines are that; a cut or broken one is told."""
    values, broken = [], 0
    lines = [line for line in map(_stripped, raw.split("\n")) if line]
    for line in lines[: MOST_VALUES + 1]:
        try:
            values.append(_loads(line))
        except NotJson:
            broken += 1
            if broken > len(values) + 2:
                return None
    if len(lines) < 2 or broken > len(values):
        return None
    return values, (f"{broken:,} of its lines are no JSON, and left out.",) if broken else ()


def _stripped(line: str) -> str:
    return line.strip(" \t\r\x1e")


def _loads(raw: str) -> Any:
    try:
        return json.loads(
            raw,
            strict=False,
            parse_int=str,
            parse_float=str,
            parse_constant=_no_constant,
            object_pairs_hook=_Object,
        )
    except json.JSONDecodeError as error:
        raise NotJson(f"{error.msg}, line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise TooMuch(f"it is nested more than {MOST_DEPTH} levels deep") from None


def _no_constant(_: str) -> Any:
    raise NotJson("it holds a number that JSON does not know")


# As lines


def _document(value: Any) -> Iterator[str]:
    if isinstance(value, (_Object, list)):
        yield from _members(value, "", 0)
    else:
        yield _shown(value)


def _members(value: _Object | list[Any], path: str, depth: int) -> Iterator[str]:
    """First what an object says itself, then a heading for each of those in it."""
    if depth > MOST_DEPTH:
        raise TooMuch(f"it is nested more than {MOST_DEPTH} levels deep")
    children = list(islice(_children(value, path), MOST_VALUES + 1))
    for where, child in children:
        if not _is_large(child):
            yield f"- {where}: {_shown(child)}"
    for where, child in children:
        if _is_large(child):
            if depth < 2:
                yield f"\n{'#' * (depth + 2)} {_heading(where, child)}\n"
            yield from _members(child, where, depth + 1)


def _children(value: _Object | list[Any], path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, _Object):
        for key, child in value.pairs:
            yield _under(path, key), child
    else:
        for at, child in enumerate(value):
            yield f"{path}[{at}]", child


def _under(path: str, key: str) -> str:
    if not _PLAIN_KEY.fullmatch(key):
        return f"{path}[{json.dumps(key, ensure_ascii=False)}]"
    return f"{path}.{key}" if path else key


def _is_large(value: Any) -> bool:
    """Whether it needs lines of its own."""
    if isinstance(value, _Object):
        return bool(value.pairs)
    return isinstance(value, list) and bool(value) and not _row(value)


def _row(values: list[Any]) -> str:
    """A short list of plain values in one line; empty where they need more."""
    if any(isinstance(value, (_Object, list)) for value in values[:LONGEST_ROW]):
        return ""
    row = ", ".join(map(_shown, values[:LONGEST_ROW]))
    return row if len(row) <= LONGEST_ROW >= len(values) and "\n" not in row else ""


def _shown(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return "\n  ".join(value.split("\n")) if value else '""'
        case list():
            return _row(value) or "[]"
    return "{}"


def _heading(where: str, value: Any) -> str:
    name = _name(value)
    return f"{where} {name}" if name and "\n" not in name else where


def _name(value: Any) -> str:
    """What an object calls itself."""
    if not isinstance(value, _Object):
        return ""
    said = {key.lower(): child for key, child in value.pairs if isinstance(child, str)}
    found = next((said[name] for name in _NAMES if said.get(name)), "")
    return found if len(found) <= LONGEST_ROW else ""


def _says(value: Any) -> bool:
    """Whether there is any value in it."""
    if isinstance(value, (_Object, list)):
        return any(_says(child) for _, child in _children(value, ""))
    return value not in (None, "")


def _is_error(value: Any) -> bool:
    """Whether a document this short says that something went wrong."""
    pairs = value.pairs if isinstance(value, _Object) else ()
    return any(key.lower() in _ERRORS and child not in (None, False, []) for key, child in pairs)
