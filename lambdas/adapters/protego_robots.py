"""robots.txt read by Protego, from which some edges are kept away.

Its groups are found by the product token alone, as RFC 9309 has it: Protego would also take a
group for "Rat" for Ratchet's, and copies each rule into every group that it stands under.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from protego import Protego

from lambdas.agent.web_ports import Rules

MOST_BYTES = 500 * 1024
"""RFC 9309 asks for as much; what is behind it is not read."""
LONGEST_DELAY = 60.0
"""Seconds; who asks for longer pauses than this is asked once a minute."""

_OURS, _OTHERS = "ours", "others"
_GROUP = re.compile(r"^([ \t]*user[- ]?agent[ \t]*[: \t])([^#\n]*)", re.IGNORECASE | re.MULTILINE)
_TOKEN = re.compile(r"[a-z_-]+", re.IGNORECASE)
# Lines end in CR, LF or both; Protego would also end one where these stand.
_NO_LINE_ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


class ProtegoRobots:
    def __init__(self, product_token: str) -> None:
        self._product_token = product_token.casefold()

    def rules(self, body: bytes) -> Rules:
        text = _text(body)
        if text.lstrip().startswith("<"):  # a page, sent for every address that is not there
            text = ""
        return _ProtegoRules(_robots=Protego.parse(_GROUP.sub(self._group, text)))

    def _group(self, line: re.Match[str]) -> str:
        """The line, with one name for us and another for everybody else."""
        whose = line[2].strip()
        if whose == "*":
            return f"{line[1]} *"
        token = _TOKEN.match(whose)
        is_ours = token is not None and token[0].casefold() == self._product_token
        return f"{line[1]} {_OURS if is_ours else _OTHERS} "


@dataclass(frozen=True, slots=True, kw_only=True)
class _ProtegoRules:
    _robots: Protego

    def allows(self, url: str) -> bool:
        try:
            return self._robots.can_fetch(url, _OURS)
        except ValueError:  # no address at all: what is wrong with it is told where it is fetched
            return True

    @property
    def crawl_delay(self) -> float:
        return min(self._robots.crawl_delay(_OURS) or 0.0, LONGEST_DELAY)


def _text(body: bytes) -> str:
    """Whole lines within the limit: half of a rule would forbid more than the whole."""
    if len(body) > MOST_BYTES:
        body = body[: MOST_BYTES + 1]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    text = body.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return _NO_LINE_ENDS.sub(" ", text)
