"""Where an answer sends its reader, and when to stop following."""

from __future__ import annotations

import html
import re
from urllib.parse import urljoin

from lambdas.adapters.http_head import Head
from lambdas.agent.errors import SourceRefused
from lambdas.agent.guard import Target
from lambdas.agent.pages import Page

REDIRECTS = frozenset({301, 302, 303, 307, 308})
LOOKED_AT = 16_384
"""Bytes of a page in which it may send its reader on: such pages are short."""
LONGEST_DELAY = 5
"""Seconds. A page that sends on sooner is a redirect; with a longer delay it is there to be read,
and mostly renews itself. None is slept: the next address is asked at once, or never.
"""

# What does not count for a browser that runs scripts, as readers have, is passed over whole.
_TAGS = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(script|style|noscript|template|textarea|title|iframe|xmp)\b.*?(?:</\1\b|\Z)"
    r"""|<(meta|base)\b((?:[^<>"']|"[^"]*"|'[^']*')*+)>""",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([^\s"'>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_REFRESH = re.compile(
    r"""\s*(\d{0,4})(?:\.[\d.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))""",
    re.IGNORECASE | re.DOTALL,
)


class Trail:
    """The addresses of one fetch. A second visit is a circle, unless other cookies are brought."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._seen: set[tuple[str, str]] = set()

    def step(self, target: Target, cookies: str) -> None:
        if (target.url, cookies) in self._seen:
            raise astray(target, "REDIRECT_LOOP", "sends its readers in a circle")
        if len(self._seen) > self._most:
            what = f"lies behind more than {self._most} redirects"
            raise astray(target, "TOO_MANY_REDIRECTS", what)
        self._seen.add((target.url, cookies))


def location_of(head: Head, target: Target) -> str:
    """Where a redirect points to. Headers arrive as Latin-1, and browsers read them as UTF-8."""
    raw = head.get("Location").strip()
    if not raw:
        raise astray(target, "BAD_REDIRECT", "is said to have moved, but not where to")
    try:
        return joined(target.url, raw.encode("latin-1").decode())
    except UnicodeDecodeError:
        return joined(target.url, raw)


def joined(base: str, location: str) -> str:
    """An absolute address, as far as there can be one. Blanks are escaped, as browsers do."""
    location = location.strip().replace(" ", "%20")
    try:
        return urljoin(base, location)
    except ValueError:  # it is no address, and the guard says so
        return location


def refresh_of(page: Page) -> str:
    """Where a page sends its reader on by itself; empty where it stays, as nearly all do."""
    start = page.body[:LOOKED_AT]
    if b"refresh" not in start.lower() or not _is_html(page.content_type, start):
        return ""
    base, found = page.url, ""
    for tag in _TAGS.finditer(start.decode(errors="surrogateescape")):
        told = _attributes(tag[3] or "")
        if (tag[2] or "").lower() == "base" and "href" in told:
            base = joined(page.url, told["href"])
        elif told.get("http-equiv", "").strip().lower() == "refresh":
            found = found or _address(told.get("content", ""))
    return joined(base, found) if found else ""


def astray(target: Target, code: str, what: str) -> SourceRefused:
    return SourceRefused(
        f"The page at {target.host} {what}. Name the address at which a browser ends.",
        code=code,
        dependency=target.host,
    )


def _is_html(content_type: str, start: bytes) -> bool:
    return "html" in content_type.lower() or (not content_type and start.lstrip()[:1] == b"<")


def _attributes(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(text):
        found.setdefault(name.lower(), html.unescape("".join(values)))
    return found


def _address(content: str) -> str:
    refresh = _REFRESH.match(content)
    if not refresh or int(refresh[1] or 0) > LONGEST_DELAY:
        return ""
    return (refresh[2] or refresh[3] or refresh[4] or "").strip()
