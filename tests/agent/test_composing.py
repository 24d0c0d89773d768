"""From readings to a report."""

from __future__ import annotations

from dataclasses import replace

from lambdas.agent.composing import FROM_ONE_SOURCE, STATEMENTS_EACH, compose
from lambdas.agent.findings import Finding
from lambdas.agent.report import Report
from lambdas.agent.request import Request
from lambdas.agent.validated import Reading

REQUEST = Request(
    agent_id="agent",
    workflow_id="flow",
    questions=("What does it cost?", "What is new?"),
    sources=(),
    approval="required",
    coverage=0.5,
)


def said(claim: str, *, question: int = 0, score: float = 0.5, start: int = 0) -> Finding:
    return Finding(
        question=question,
        claim=claim,
        quote=claim,
        start=start,
        end=start + len(claim),
        score=score,
    )


def reading(name: str, *findings: Finding) -> Reading:
    return Reading(
        item=name, url=f"https://{name}.test/", was_read=True, title=name, findings=findings
    )


def composed(*readings: Reading) -> Report:
    return compose(
        REQUEST, readings, task_id="t", made_at="2026-11-30T00:00:00Z", revision=1, note=""
    )


def test_the_strongest_statement_comes_first_and_cites_its_source() -> None:
    report = composed(reading("a", said("weak", score=0.2)), reading("b", said("strong")))

    (first, second) = report.answers[0].statements
    assert [first.text, second.text] == ["strong", "weak"]
    assert [report.citations[n - 1].url for n in first.citations] == ["https://b.test/"]


def test_what_two_sources_say_is_said_once_and_cited_twice() -> None:
    report = composed(reading("a", said("It costs 5.")), reading("b", said("It  costs 5.")))

    (statement,) = report.answers[0].statements
    assert statement.citations == (1, 2)
    assert {citation.url for citation in report.citations} == {"https://a.test/", "https://b.test/"}


def test_one_sentence_that_answers_two_questions_is_one_citation() -> None:
    both = said("New: it costs 5.")
    report = composed(reading("a", both, said("New: it costs 5.", question=1)))

    assert [answer.statements[0].citations for answer in report.answers] == [(1,), (1,)]
    assert len(report.citations) == 1


def test_no_source_and_no_question_says_more_than_a_reader_takes_in() -> None:
    readings = [
        reading(f"s{s}", *(said(f"s{s} says {n}", start=n * 50) for n in range(9)))
        for s in range(5)
    ]

    statements = composed(*readings).answers[0].statements

    assert len(statements) == STATEMENTS_EACH
    for s in range(5):
        assert sum(each.text.startswith(f"s{s} ") for each in statements) <= FROM_ONE_SOURCE


def test_a_question_without_findings_is_answered_by_nothing() -> None:
    report = composed(reading("a", said("It costs 5.")))

    assert report.answers[1].statements == ()


def test_sources_keep_their_order_and_say_what_became_of_them() -> None:
    aside = Reading(
        item="b", url="https://b.test/", was_read=False, error_code="HTTP_404", reason="gone"
    )
    report = composed(aside, reading("a", said("It costs 5.")))

    assert [(s.url, s.was_read, s.findings, s.error_code) for s in report.sources] == [
        ("https://b.test/", False, 0, "HTTP_404"),
        ("https://a.test/", True, 1, ""),
    ]
    assert report.read == 1


def test_what_has_the_bytes_of_another_source_is_a_name_of_it() -> None:
    """Case C17: two addresses, one document, one line in the table and one citation."""
    read = replace(reading("a", said("It costs 5.")), also=("https://a.test/#top",))
    twin = Reading(
        item="b", url="https://b.test/", was_read=True, same_as="a", also=("https://b.test/?x",)
    )

    report = composed(twin, read, reading("c"))

    assert [source.url for source in report.sources] == ["https://a.test/", "https://c.test/"]
    assert report.sources[0].also == (
        "https://a.test/#top",
        "https://b.test/",
        "https://b.test/?x",
    )
    assert len(report.citations) == 1
    assert report.read == 2


def test_a_twin_finds_the_source_that_was_tried_again() -> None:
    twin = Reading(item="b", url="https://b.test/", was_read=True, same_as="a")
    report = composed(replace(reading("a"), item="a.2"), twin)

    assert [source.also for source in report.sources] == [("https://b.test/",)]


def test_a_twin_without_the_other_stands_for_itself() -> None:
    report = composed(Reading(item="b", url="https://b.test/", was_read=True, same_as="gone"))

    assert [source.url for source in report.sources] == ["https://b.test/"]


def test_the_same_readings_give_the_same_report() -> None:
    readings = [reading(f"s{n}", said(f"claim {n}", score=0.5)) for n in range(6)]

    assert composed(*readings) == composed(*readings)


def test_a_source_line_bears_author_date_with_its_evidence_and_notes() -> None:
    told = replace(
        reading("a", said("It costs 5.")),
        author="Ann Lee",
        published="2026-02-28",
        published_by="meta date",
        notes=("One page holds no text.",),
    )

    (line,) = composed(told).sources
    assert (line.author, line.published) == ("Ann Lee", "2026-02-28")
    assert line.published_by == "meta date"
    assert line.notes == ("One page holds no text.",)
