"""How well the main text of real pages is found: `make bench-extraction`.

Precision, recall and F1 over 4-word shingles as the corpus's own scorer has them, and CPU
milliseconds a page, of our reader and of two others in the same call. Nothing is tuned on a
single page; F1 over each half of the pages tells how much of it hangs on which pages they are.
"""

from __future__ import annotations

import gzip
import json
import runpy
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import trafilatura
from lxml.html import document_fromstring
from readability import Document
from rich.console import Console
from rich.table import Table

from lambdas.adapters.trafilatura_reader import TrafilaturaReader
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.pages import Page

CORPUS = Path(__file__).resolve().parents[3] / "shared/corpus/articles"
FASTEST_OF = 2
"""Each page is read so often, and its best time counts: the machine has other things to do."""

Extract = Callable[[Page], str]
Scores = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A reader over the corpus: the text it finds by page, and the milliseconds it takes."""

    texts: Mapping[str, str]
    milliseconds: Sequence[float]


def ours(page: Page) -> str:
    try:
        return _READER.read(page).text
    except SourceUnreadable:
        return ""


def trafilatura_defaults(page: Page) -> str:
    """Without comments, which the corpus counts as none of the article."""
    return str(trafilatura.extract(page.body, include_comments=False) or "")


def readability(page: Page) -> str:
    summary = Document(page.body.decode("utf-8", "replace")).summary()
    return str(document_fromstring(summary).text_content())


_READER = TrafilaturaReader()
READERS: Mapping[str, Extract] = {
    "ratchet": ours,
    f"trafilatura {trafilatura.__version__}, defaults": trafilatura_defaults,
    "readability-lxml": readability,
}


def main() -> int:
    if not CORPUS.is_dir():
        _say(f"The corpus is not at {CORPUS}: put its folder there, with score.py in it.")
        return 2
    truth, pages = corpus()
    measured = {name: measure(extract, pages) for name, extract in READERS.items()}
    Console(width=100).print(_table(measured, truth))
    return 0


def corpus() -> tuple[Mapping[str, Any], Mapping[str, Page]]:
    truth = json.loads((CORPUS / "ground-truth.json").read_text("utf-8"))
    return truth, {name: _page(name, truth[name]["url"]) for name in sorted(truth)}


def measure(extract: Extract, pages: Mapping[str, Page]) -> Measured:
    extract(next(iter(pages.values())))  # what is imported and compiled at the first page
    texts, milliseconds = {}, []
    for name, page in pages.items():
        texts[name], took = _timed(extract, page)
        milliseconds.append(took)
    return Measured(texts=texts, milliseconds=milliseconds)


def score(texts: Mapping[str, str], truth: Mapping[str, Any]) -> Scores:
    scorer = runpy.run_path(str(CORPUS / "score.py"))["score"]
    found = {name: {"articleBody": texts[name]} for name in truth}
    scores: Scores = scorer(truth, found)
    return scores


def _page(name: str, url: str) -> Page:
    body = gzip.decompress((CORPUS / f"html/{name}.html.gz").read_bytes())
    return Page(url=url, status=200, content_type="text/html", body=body)


def _timed(extract: Extract, page: Page) -> tuple[str, float]:
    text, best = "", float("inf")
    for _ in range(FASTEST_OF):
        begun = time.process_time()
        text = extract(page)
        best = min(best, time.process_time() - begun)
    return text, best * 1000


def _table(measured: Mapping[str, Measured], truth: Mapping[str, Any]) -> Table:
    drawn = Table(box=None, pad_edge=False, title=f"{len(truth)} pages", title_justify="left")
    drawn.add_column("")
    for heading in ("precision", "recall", "F1", "halves", "mean ms", "median", "slowest"):
        drawn.add_column(heading, justify="right", no_wrap=True)
    for name, each in measured.items():
        scores = score(each.texts, truth)
        quality = [f"{scores[key]:.4f}" for key in ("precision", "recall", "f1")]
        times = [f"{of(each.milliseconds):.1f}" for of in (mean, median, max)]
        drawn.add_row(name, *quality, _halves(each.texts, truth), *times)
    return drawn


def _halves(texts: Mapping[str, str], truth: Mapping[str, Any]) -> str:
    names = sorted(truth)
    halves = ({name: truth[name] for name in names[begin::2]} for begin in (0, 1))
    return " ".join(f"{score(texts, half)['f1']:.3f}" for half in halves)


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
