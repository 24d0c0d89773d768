"""HTML, Markdown and JSON of one report tell the same facts, and keep them where they are put."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus, unquote_plus

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from moto import mock_aws

from lambdas.adapters.jinja_renderer import JinjaRenderer
from lambdas.adapters.s3_shelf import S3Shelf
from lambdas.agent.identity import task_id
from lambdas.agent.left_out import Reason, sentence
from lambdas.agent.report import Answer, Report, Statement
from tests.adapters.test_jinja_renderer import any_changes, any_citation, any_report, any_source
from tests.contracts.table import a_bucket

CASES = Path(__file__).parents[2] / "../shared/cases/inputs"
NAMES = [
    *("this im + age blah.txt", "Überblick (1).html", "a%2Fb", "../x", "..", ".", "", "日本語"),
    *("nähe", "na\u0308he", "trailing ", "trailing", "a//b", "a?b#c", "100% sure", "C:\\x", "a\nb"),
    "x" * 1100,
]
SAFE_KEY = re.compile(r"[A-Za-z0-9!_.*'()/-]+")

WORDS = st.text("abc ÄäжZ09.,%&<>[]*_-éح価", min_size=1, max_size=40).map(
    lambda text: " ".join(f"w {text} w".split())
)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """Sources that were read and that were not, statements with one or more proofs each."""
    sources = draw(st.lists(st.builds(_a_source, WORDS, st.booleans()), min_size=1, max_size=4))
    quotes = draw(st.lists(WORDS, min_size=1, max_size=5))
    citations = tuple(
        any_citation(number=number, quote=quote, title=f"Page {number}")
        for number, quote in enumerate(quotes, start=1)
    )
    texts = draw(st.lists(WORDS, min_size=1, max_size=3))
    sentences = draw(st.lists(WORDS, max_size=3))
    named = st.sampled_from([reason.value for reason in Reason])
    reasons = st.dictionaries(named, st.integers(1, 9))
    cited = tuple(citation.number for citation in citations)
    return any_report(
        answers=(
            Answer(
                question=draw(WORDS),
                statements=tuple(Statement(text=text, citations=cited) for text in texts),
                written=tuple(Statement(text=text, citations=cited) for text in sentences),
                left_out=draw(reasons),
                note="" if sentences else draw(WORDS),
            ),
        ),
        citations=citations,
        sources=tuple(sources),
        dropped=draw(reasons),
        changes=draw(st.none() | st.builds(any_changes, WORDS)),
    )


def _a_source(words: str, was_read: bool) -> Any:
    failure = {} if was_read else {"error_code": "HTTP_404", "reason": words}
    return any_source(title=words, author=words, notes=(words,), was_read=was_read, **failure)


@given(reports())
def test_html_and_markdown_say_whatever_the_json_says(report: Report) -> None:
    documents = JinjaRenderer().render(report)
    facts = json.loads(documents["report.json"])
    page = " ".join(lxml.html.document_fromstring(documents["report.html"]).itertext())
    markdown = _words_of(documents["report.md"].decode())

    for shown in (_flat(page), _flat(markdown)):
        assert [fact for fact in _told(facts) if _flat(fact) not in shown] == []


def _told(facts: dict[str, Any]) -> list[str]:
    coverage = facts["coverage"]
    told = [facts["agent_id"], facts["workflow_id"], facts["task_id"], sentence(facts["dropped"])]
    told.append(f"{coverage['read']} of {coverage['sources']} sources read")
    for answer in facts["answers"]:
        told += [answer["question"], *(each["text"] for each in answer["statements"])]
        told += [each["text"] for each in answer["written"]]
        told += [answer["note"], sentence(answer["left_out"], "sentence")]
    for citation in facts["citations"]:
        told += [citation["quote"], citation["title"], str(citation["number"])]
    for source in facts["sources"]:
        told += [source["title"], source["author"], source["error_code"], source["reason"]]
        told += [source["published"], source["published_by"], source["sha256"][:12]]
        told += [*source["notes"], *source["also"][:5]]
    return [*told, *_told_of(facts["changes"])]


def _told_of(changes: dict[str, Any] | None) -> list[str]:
    if not changes:
        return []
    told = ["Since the report of 2026-02-22 07:30 UTC: 1 new, 1 changed, 1 gone"]
    for each in changes["sources"]:
        told += [each["kind"].lower(), each["title"], each["reason"], "2026-02-22 08:00 UTC"]
        told += [side for passage in each["passages"] for side in passage.values()]
        told += [f"and {each['more']} more passages"] * bool(each["more"])
    for each in changes["gone"]:
        told += [each["question"], each["text"], each["url"]]
    return told


def _words_of(markdown: str) -> str:
    tokens = MarkdownIt("commonmark").parse(markdown)
    return " ".join(
        "".join(" " if "break" in child.type else child.content for child in token.children)
        for token in tokens
        if token.children
    )


def _flat(text: str) -> str:
    return " ".join(text.split())


def test_whatever_a_task_is_called_its_keys_are_safe_and_its_own() -> None:
    """Case F07."""
    _assert_keys_are_safe(NAMES)


def test_keys_of_the_fields_names_are_safe_and_their_own() -> None:
    path = CASES / "F07_keys.json"
    if not path.exists():
        pytest.skip(f"the cases from the field are not beside this checkout: {path}")
    _assert_keys_are_safe(json.loads(path.read_text(encoding="utf-8"))["names"])


def _assert_keys_are_safe(names: list[str]) -> None:
    documents = JinjaRenderer().render(any_report())
    with mock_aws():
        bucket = a_bucket()
        for name in names:
            S3Shelf(bucket, "artifacts").place(task_id(name, name), documents)
        keys = [each["Key"] for each in bucket.list_objects_v2(Bucket="artifacts")["Contents"]]

    assert len(keys) == len(set(names)) * len(documents)
    for key in keys:
        assert SAFE_KEY.fullmatch(key)
        assert ".." not in key
        assert len(key) < 512
        assert unquote_plus(quote_plus(key)) == key


def test_a_report_comes_back_from_s3_with_its_characters_and_says_which_they_are() -> None:
    """Case F10."""
    text = "Überblick 価格表 🦝 حول"
    documents = JinjaRenderer().render(any_report(workflow_id=text))
    with mock_aws():
        bucket = a_bucket()
        S3Shelf(bucket, "artifacts").place("agent/1", documents)
        found = {
            name: bucket.get_object(Bucket="artifacts", Key=f"published/agent/1/{name}")
            for name in documents
        }
        bodies = {name: answer["Body"].read() for name, answer in found.items()}

    assert bodies == dict(documents)
    assert b'<meta charset="utf-8">' in bodies["report.html"][:1024]
    assert all(text in body.decode() for body in bodies.values())
    assert {answer["ContentType"].partition("; ")[2] for answer in found.values()} == {
        "charset=utf-8"
    }
