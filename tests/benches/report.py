"""How fast a large report is made, and how large it is: `make bench-report`.

1,000 sources with 5,000 findings, twice: as a run composes it, which says each thing once and the
strongest first, and with every finding a statement of its own, the most that can be rendered.
Each is made by a process of its own, whose peak memory counts.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.table import Table

from lambdas.adapters.jinja_renderer import JinjaRenderer
from lambdas.agent.composing import compose
from lambdas.agent.findings import Finding
from lambdas.agent.report import Answer, Citation, Report, Statement
from lambdas.agent.request import Request
from lambdas.agent.validated import Reading

SOURCES, FINDINGS, QUESTIONS = 1_000, 5_000, 10
DOCUMENTS = ("report.html", "report.md", "report.json")


def main(kind: str = "") -> int:
    if kind:
        sys.stdout.write(json.dumps(measured(KINDS[kind]())))
        return 0
    Console(width=100).print(_table({name: _in_a_process(name) for name in KINDS}))
    return 0


def composed() -> Report:
    readings = tuple(_reading(number) for number in range(SOURCES))
    request = Request(
        agent_id="any-agent",
        workflow_id="any-workflow",
        questions=tuple(f"What is there to say about matter {n}?" for n in range(QUESTIONS)),
        sources=(),
        approval="required",
        coverage=0.5,
    )
    at = "2026-03-01T09:00:00Z"
    return compose(request, readings, task_id="t", made_at=at, revision=1, note="")


def every_finding() -> Report:
    report = composed()
    found = [(r, f) for r in map(_reading, range(SOURCES)) for f in r.findings]
    citations = tuple(
        Citation(number=n, url=r.url, title=r.title, quote=f.quote, start=f.start)
        for n, (r, f) in enumerate(found, start=1)
    )
    said: list[list[Statement]] = [[] for _ in report.answers]
    for n, (_, finding) in enumerate(found, start=1):
        said[finding.question].append(Statement(text=finding.claim, citations=(n,)))
    answers = (
        Answer(question=answer.question, statements=tuple(each))
        for answer, each in zip(report.answers, said, strict=True)
    )
    return replace(report, answers=tuple(answers), citations=citations)


def measured(report: Report) -> Mapping[str, float]:
    """Seconds, megabytes of each document, and megabytes of memory at the most."""
    begun = time.perf_counter()
    documents = JinjaRenderer().render(report)
    took = time.perf_counter() - begun
    sizes = {name: len(body) / 1e6 for name, body in documents.items()}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": took, **sizes, "memory": peak}


KINDS: Mapping[str, Callable[[], Report]] = {
    "as a run composes it": composed,
    "every finding a statement": every_finding,
}


def _reading(source: int) -> Reading:
    url = f"https://site-{source}.example/products/plans-and-prices.html"
    numbers = range(source, FINDINGS, SOURCES)
    return Reading(
        item=f"{source:05}",
        url=url,
        was_read=True,
        title=f"Plans and prices of product {source}",
        findings=tuple(_finding(number) for number in numbers),
        fetched_at="2026-03-01T08:00:00Z",
        sha256="0123456789abcdef" * 4,
        author="Ann Lee",
        published="2026-02-28",
        published_by="json-ld datePublished",
    )


def _finding(number: int) -> Finding:
    claim = f"Since May 2026 plan {number} costs {number} euros a month for each of its seats."
    return Finding(
        question=number % QUESTIONS,
        claim=claim,
        quote=f"{claim[:-1]}, billed once a year.",
        start=number,
        end=number + len(claim),
        score=0.5,
    )


def _in_a_process(kind: str) -> Mapping[str, float]:
    command = [sys.executable, "-m", "tests.benches.report", kind]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603  us
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def _table(rows: Mapping[str, Mapping[str, float]]) -> Table:
    title = f"{SOURCES:,} sources, {FINDINGS:,} findings"
    drawn = Table(box=None, pad_edge=False, title=title, title_justify="left")
    drawn.add_column("")
    for heading in ("seconds", *(f"{name}, MB" for name in DOCUMENTS), "memory, MB"):
        drawn.add_column(heading, justify="right", no_wrap=True)
    for name, row in rows.items():
        sizes = (f"{row[document]:.2f}" for document in DOCUMENTS)
        drawn.add_row(name, f"{row['seconds']:.2f}", *sizes, f"{row['memory']:.0f}")
    return drawn


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
