"""One name for each page: what differs only in spelling is equal, and nothing else is.

The canonical form is a key. What is fetched is always the address that was given.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from lambdas.agent.errors import SourceRefused
from lambdas.agent.guard import DEFAULT_PORTS, KEPT, UNPRINTABLE, ascii_host

TRACKING = frozenset(
    {
        # Advertisements: the click that led here, one for each reader.
        *("gclid", "gclsrc", "dclid", "gbraid", "wbraid", "gad_source", "gad_campaignid"),
        *("fbclid", "igsh", "igshid", "msclkid", "twclid", "ttclid", "li_fat_id", "yclid"),
        *("ysclid", "epik", "irclickid", "rb_clickid", "srsltid", "_openstat"),
        # Newsletters: the mail, and who received it.
        *("mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "__hstc", "__hssc", "__hsfp"),
        *("hsctatracking", "oly_anon_id", "oly_enc_id", "vero_conv", "vero_id", "_kx"),
        # Visits that are counted across two sites.
        *("_ga", "_gl"),
    }
)
"""Parameters that tools put behind links, to know where a reader came from. A site shows the same
page without them. Names that sites also use for themselves (ref, source, id, si) are not here.
"""
TRACKING_PREFIXES = ("utm_", "mtm_", "pk_")

_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
# A "%" that is no escape waits for digits: without theirs "%%34%31" would become "%41".
_DIGIT_BEHIND_STRAY = re.compile(r"(?:(?<=%)|(?<=%[0-9A-Fa-f]))%(?:3\d|[46][1-6])")


def canonical_url(url: str) -> str:
    """The same for addresses that ask a server for the same thing; never raises.

    Everything behind a "#" goes, behind "#!" too: it is never sent, so we are answered with the
    same bytes. What is no address of the web (s3://, a mistake) stays as it is.
    """
    try:
        return _canonical(url.strip(" "))
    except (SourceRefused, ValueError):
        return url


def path_and_query(canonical: str) -> str:
    """What globs are matched against, of a canonical address."""
    parts = urlsplit(canonical)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def _canonical(url: str) -> str:
    parts = urlsplit(url)
    scheme = parts.scheme
    if scheme not in DEFAULT_PORTS or "@" in parts.netloc or UNPRINTABLE.search(url):
        return url
    host, _ = ascii_host(parts.hostname or "", bracketed="[" in parts.netloc)
    host = f"[{host}]" if ":" in host else host
    port = "" if parts.port in {None, DEFAULT_PORTS[scheme]} else f":{parts.port}"
    path = without_dots(_spelt(parts.path)) or "/"
    query = _without_tracking(_spelt(parts.query))
    return f"{scheme}://{host}{port}{path}{f'?{query}' if query else ''}"


def _spelt(part: str) -> str:
    """Characters that need no escape without one, all others with one, in capitals."""
    return _ESCAPE.sub(_one_spelt, quote(part, safe=KEPT))


def _one_spelt(found: re.Match[str]) -> str:
    character = chr(int(found[1], 16))
    is_plain = _UNRESERVED.match(character)
    if is_plain and not _DIGIT_BEHIND_STRAY.match(found.string, found.start()):
        return character
    return found[0].upper()


def without_dots(path: str) -> str:
    """RFC 3986, 5.2.4, for a path that begins with a slash."""
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            kept = kept[:-1]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in {".", ".."}:
        kept.append("")
    return "/" + "/".join(kept)


def _without_tracking(query: str) -> str:
    pairs = query.split("&")
    kept = [pair for pair in pairs if not _is_tracking(pair.partition("=")[0].lower())]
    return query if len(kept) == len(pairs) else "&".join(kept)


def _is_tracking(name: str) -> bool:
    return name in TRACKING or name.startswith(TRACKING_PREFIXES)
