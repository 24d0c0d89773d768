"""The large report of the bench keeps within its sizes, whatever it is made of."""

from __future__ import annotations

import pytest

from lambdas.adapters.jinja_renderer import JinjaRenderer
from tests.benches.report import FINDINGS, KINDS, SOURCES

MEGABYTES_OF_HTML = 3


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_over_a_thousand_sources_stays_small_enough_to_be_opened(kind: str) -> None:
    report = KINDS[kind]()
    documents = JinjaRenderer().render(report)

    assert len(report.sources) == SOURCES
    assert sum(source.findings for source in report.sources) == FINDINGS
    assert len(documents["report.html"]) < MEGABYTES_OF_HTML * 1e6
