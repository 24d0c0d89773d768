"""Pages of ten megabytes made to fill the memory, read one after the other, each by a child.

`python -m tests.adapters.nasty_pages` tells of each the outcome and the largest size, in megabytes.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable, Mapping

from lambdas.adapters.trafilatura_reader import TrafilaturaReader
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.pages import Page

SIZE = 9_990_000
TEXT = 2_900_000
NAMES = " ".join(f"a{number}" for number in range(990))
VALUES = " ".join(f"a{number}=x" for number in range(490))

PAGES: Mapping[str, Callable[[], str]] = {
    "elements": lambda: _filled("<p>x", TEXT * 3 // 5),
    "attributes": lambda: _filled(f"<p {NAMES}>x</p>", SIZE),
    "values": lambda: _filled(f"<p {VALUES}>x</p>", SIZE // 2),
    "text": lambda: "<p>\U0001f600" + _filled("word and more. ", TEXT),
    "paragraphs": lambda: _filled("<p>\U0001f600 some words of a sentence.</p>", TEXT // 2),
    "references": lambda: "<p>" + _filled("&#1;&#120;&lt;", SIZE),
    "rows": lambda: f"<table>{_filled('<tr><td>one<td>two</tr>', 400_000)}</table>",
    "code": lambda: "<pre>" + _filled("words and ``` marks\n", TEXT),
    "script": lambda: f"<script>{_filled('words = 1;', SIZE)}</script>",
    "rules": lambda: f"<style>{_filled('.a{display:none}', SIZE)}</style>",
}


def _filled(piece: str, size: int) -> str:
    return piece * (size // len(piece.encode()))


def main() -> None:
    for name, page in PAGES.items():
        child = os.fork()
        if not child:
            _tell(name, page())
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            sys.exit(f"{name} took its process with it: {status}")


def _tell(name: str, page: str) -> None:
    outcome = _outcome(page)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(f"{name} {outcome} {megabytes}\n")
    sys.stdout.flush()


def _outcome(page: str) -> str:
    body = f"<html><body>{page}</body></html>".encode()
    url = "https://any.example/x"
    try:
        TrafilaturaReader().read(Page(url=url, status=200, content_type="text/html", body=body))
    except SourceUnreadable as error:
        return error.code
    return "READ"


if __name__ == "__main__":
    main()
