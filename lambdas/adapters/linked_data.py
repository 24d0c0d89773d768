"""What a page's JSON-LD says of the article it holds. Broken or endless data says nothing."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

MOST_SCRIPTS = 20
LONGEST = 500_000
"""Characters of one script."""
MOST_NODES = 2_000

_ARTICLE = re.compile(r"(?:Article|Posting|Report|WebPage)$")
_HOLDERS = ("@graph", "mainEntity", "mainEntityOfPage")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    published: str = ""
    author: str = ""


def statements(scripts: Iterable[str]) -> Iterator[Statement]:
    """Of each article or page that is described, articles first."""
    found = [node for script in list(scripts)[:MOST_SCRIPTS] for node in _nodes(_parsed(script))]
    found.sort(key=lambda node: _type(node).endswith("WebPage"))
    for node in found:
        yield Statement(
            published=_words(node.get("datePublished")), author=_names(node.get("author"))
        )


def _parsed(script: str) -> Any:
    if len(script) > LONGEST:
        return None
    try:
        return json.loads(script, strict=False)
    except (ValueError, RecursionError):
        return None


def _nodes(parsed: Any) -> Iterator[dict[str, Any]]:
    waiting, seen = deque([parsed]), 0
    while waiting and seen < MOST_NODES:
        node, seen = waiting.popleft(), seen + 1
        if isinstance(node, list):
            waiting.extend(node)
        elif isinstance(node, dict):
            waiting.extend(node[name] for name in _HOLDERS if name in node)
            if _ARTICLE.search(_type(node)):
                yield node


def _type(node: dict[str, Any]) -> str:
    kind = node.get("@type")
    return _words(kind[0] if isinstance(kind, list) and kind else kind)


def _names(author: Any) -> str:
    """Up to three, as a byline has them."""
    people = author if isinstance(author, list) else [author]
    names = [_words(each.get("name") if isinstance(each, dict) else each) for each in people[:3]]
    return ", ".join(filter(None, names))


def _words(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
