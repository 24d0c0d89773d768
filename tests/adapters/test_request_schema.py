"""A request is taken whole with its defaults, or refused whole with every fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lambdas.adapters.request_schema import FAULT_LIMIT, PydanticRequests
from lambdas.adapters.transition_log import FAULTS_LIMIT
from lambdas.agent.codec import fields_of, request_body
from lambdas.agent.contract import STATE_LIMIT
from lambdas.agent.errors import InvalidRequest
from lambdas.agent.intake import input_id
from lambdas.agent.request import Allowance, Asked, SourceKind
from lambdas.wiring import FAULTS_IN_A_STATE

ROOT = Path(__file__).resolve().parents[2]
SMALLEST: dict[str, Any] = {
    "agent_id": "a",
    "questions": ["What is new?"],
    "sources": [{"url": "https://a.test/"}],
}


def refusal(raw: dict[str, Any]) -> str:
    with pytest.raises(InvalidRequest) as refused:
        PydanticRequests().parse(raw)
    return str(refused.value)


def test_three_fields_are_enough() -> None:
    request = PydanticRequests().parse(SMALLEST)

    assert (request.approval, request.coverage) == ("required", 0.5)
    assert request.workflow_id.startswith("request-")


@pytest.mark.promise("R28")
def test_the_same_request_is_the_same_workflow_whatever_the_order_of_its_keys() -> None:
    turned = dict(reversed(list(SMALLEST.items())))
    other = {**SMALLEST, "questions": ["What is old?"]}

    first, again, third = map(PydanticRequests().parse, (SMALLEST, turned, other))

    assert first == again
    assert first.workflow_id != third.workflow_id


def test_a_request_with_its_defaults_is_a_request() -> None:
    request = PydanticRequests().parse(SMALLEST)

    assert PydanticRequests().parse(fields_of(request_body(request))) == request


@pytest.mark.parametrize("name", ["request.json", "from-the-feed.json"])
def test_the_example_is_a_request(name: str) -> None:
    typed = (ROOT / "examples/acme" / name).read_text(encoding="utf-8")

    request = PydanticRequests().parse(json.loads(typed.replace("{site}", "http://127.0.0.1:8477")))
    assert len(request.sources) > 1


@pytest.mark.promise("R21")
def test_every_fault_is_listed_by_its_field() -> None:
    faulty = json.loads((ROOT / "examples/requests/faulty.json").read_text(encoding="utf-8"))

    said = refusal(faulty)

    for field in (
        "agent_id: must be a string",
        "workflow_id:",
        "questions: is missing",
        "sources[0].url: The source's URL does not begin with http:// or https://",
        "sources[1].url:",
        "sources[2].url: is missing",
        "sources[2].link: is not a field",
        "sources[3]: must be an object",
        "approval:",
        "coverage:",
        "priority: is not a field",
    ):
        assert field in said
    assert "42" not in said.replace("sources", "")


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {**SMALLEST, "sources": []},
        {**SMALLEST, "questions": []},
        {**SMALLEST, "questions": ["x"]},
        {**SMALLEST, "agent_id": "  "},
        {**SMALLEST, "coverage": True},
        {**SMALLEST, "coverage": "1"},
        {**SMALLEST, "sources": {"url": "https://a.test/"}},
        {**SMALLEST, "sources": [{"url": "https://a.test/", "kind": "pdf"}]},
        {**SMALLEST, "sources": [{"url": "https://a.test/", "limit": 3}]},
        {**SMALLEST, "baseline": "last week"},
    ],
)
def test_what_this_version_does_not_do_is_refused_and_not_ignored(raw: dict[str, Any]) -> None:
    assert "nothing was started" in refusal(raw)


def test_a_feed_and_a_sitemap_have_options_with_defaults() -> None:
    url = "https://a.test/feed.xml"
    typed = [
        {"url": url, "kind": "feed"},
        {"url": url, "kind": "sitemap"},
        {"url": url, "kind": "sitemap", "limit": 7, "include": "/docs/*", "exclude": ["*.pdf"]},
        {"url": url},
    ]

    sources = PydanticRequests().parse({**SMALLEST, "sources": [*typed, typed[0]]}).sources

    assert sources == (
        Asked(url=url, kind=SourceKind.FEED, limit=20),
        Asked(url=url, kind=SourceKind.SITEMAP, limit=200),
        Asked(
            url=url,
            kind=SourceKind.SITEMAP,
            limit=7,
            include=("/docs/*",),
            exclude=("*.pdf",),
        ),
        Asked(url=url),
    )


@pytest.mark.parametrize(
    "source",
    [
        {"kind": "feed"},
        {"kind": "sitemap", "limit": 7, "include": "/docs/*", "exclude": ["*.pdf", "/x"]},
    ],
)
def test_a_request_with_lists_is_the_same_after_it_was_stored(source: dict[str, Any]) -> None:
    typed = {**SMALLEST, "sources": [{"url": "https://a.test/", **source}, *SMALLEST["sources"]]}
    request = PydanticRequests().parse(typed)

    again = PydanticRequests().parse(fields_of(request_body(request)))

    assert again == request
    assert input_id(again) == input_id(request)


def test_one_glob_and_a_list_of_one_are_the_same_request() -> None:
    one, other = (
        PydanticRequests().parse(
            {
                **SMALLEST,
                "sources": [{"url": "https://a.test/", "kind": "feed", "include": include}],
            }
        )
        for include in ("/docs/*", ["/docs/*"])
    )

    assert one == other


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ({"limit": 3}, "sources[0].limit: is for a feed or a sitemap: say so in its `kind`"),
        ({"include": "/x"}, "sources[0].include: is for a feed or a sitemap"),
        ({"kind": "page", "exclude": "/x"}, "sources[0].exclude: is for a feed or a sitemap"),
        ({"kind": "pdf"}, 'sources[0]: its `kind` must be "page", "feed" or "sitemap"'),
        ({"kind": ["feed"]}, 'sources[0]: its `kind` must be "page", "feed" or "sitemap"'),
        ({"kind": "feed", "limit": 0}, "sources[0].limit:"),
        ({"kind": "feed", "limit": 1001}, "sources[0].limit:"),
        ({"kind": "feed", "limit": True}, "sources[0].limit: must be a whole number"),
        ({"kind": "sitemap", "limit": 2.0}, "sources[0].limit: must be a whole number"),
        ({"kind": "sitemap", "include": 7}, "must be a string or a list of strings"),
        ({"kind": "sitemap", "include": ["docs/*"]}, "sources[0].include[0]: is held against path"),
        ({"kind": "sitemap", "exclude": "x" * 201}, "sources[0].exclude[0]:"),
        ({"kind": "feed", "url": "s3://bucket/feed.xml"}, "begins with http:// or https://"),
        ({"kind": "feed", "url": "https://ann:x@a.test/"}, "sources[0].url: The source's URL"),
        ({"kind": "feed", "title": "any"}, "sources[0].title: is not a field of a request"),
    ],
)
def test_an_option_that_does_not_belong_to_the_kind_is_a_fault(
    source: dict[str, Any], fault: str
) -> None:
    said = refusal({**SMALLEST, "sources": [{"url": "https://a.test/", **source}]})

    assert fault in said
    assert "1 fault," in said


def test_all_faults_of_a_list_are_told_together() -> None:
    source = {"kind": "sitemap", "limit": "3", "include": "x", "baseline": "any"}

    assert "4 faults" in refusal({**SMALLEST, "sources": [{"url": "ftp://a.test", **source}]})


GOLDEN = [
    (
        ["https://a.test/"],
        "request-1cdf077a68d5",
        "d7383ecabf4cc1fd82d512f3f2e04a15518ce1140275344f1ab2199c3bf169d6",
    ),
    (
        [
            "https://A.test",
            "https://a.test/#top",
            "https://a.test/b?utm_source=x",
            "https://a.test/b",
        ],
        "request-ab538c5c5429",
        "0686e96611822c3a168a6a5022de5821140a23342e901db08066098ab6c2bfc4",
    ),
]


@pytest.mark.promise("R5", "R28")
@pytest.mark.parametrize(("urls", "workflow", "known_by"), GOLDEN)
def test_a_request_that_names_pages_is_known_by_what_it_was_before_there_were_lists(
    urls: list[str], workflow: str, known_by: str
) -> None:
    request = PydanticRequests().parse({**SMALLEST, "sources": [{"url": url} for url in urls]})

    assert request.workflow_id == workflow
    assert input_id(request) == known_by


def test_a_thousand_faults_still_fit_through_a_state() -> None:
    raw = {**SMALLEST, "sources": [{"url": f"ftp://a.test/{n}"} for n in range(1000)]}

    with pytest.raises(InvalidRequest) as refused:
        PydanticRequests(listed=FAULTS_IN_A_STATE).parse(raw)

    assert f"and {1000 - FAULTS_IN_A_STATE} more" in str(refused.value)
    assert FAULT_LIMIT * FAULTS_IN_A_STATE + 100 < FAULTS_LIMIT < STATE_LIMIT


def test_where_there_is_room_every_fault_of_a_thousand_is_spelt_out() -> None:
    raw = {**SMALLEST, "sources": [{"url": f"ftp://a.test/{n}"} for n in range(1000)]}

    assert "sources[999].url" in refusal(raw)


def test_a_fault_never_repeats_what_was_typed() -> None:
    assert "hunter2" not in refusal(
        {**SMALLEST, "sources": [{"url": "https://ann:hunter2@a.test/"}], "hunter": "hunter2"}
    )


def test_a_budget_limits_any_of_three() -> None:
    told = {"tokens": 200_000, "usd": 2, "minutes": 0.5}

    assert parsed(budget=told) == Allowance(tokens=200_000, usd=2.0, minutes=0.5)
    assert parsed(budget={"usd": 0.01}) == Allowance(usd=0.01)
    assert parsed() is None
    assert parsed(budget=None) is None


@pytest.mark.promise("R21")
@pytest.mark.parametrize(
    ("budget", "fault"),
    [
        ({"tokens": 0}, "budget.tokens: must be more than 0"),
        ({"tokens": 1.5}, "budget.tokens: must be a whole number"),
        ({"tokens": True}, "budget.tokens: must be a whole number"),
        ({"usd": -1}, "budget.usd: must be more than 0"),
        ({"usd": "2"}, "budget.usd: must be a number"),
        ({"usd": float("inf")}, "budget.usd: must be a number"),
        ({"minutes": 0}, "budget.minutes: must be more than 0"),
        ({"minutes": 50_000}, "budget.minutes: must be at most 43200"),
        ({"dollars": 2}, "budget.dollars: is not a field of a request"),
        ({}, "budget: must be an object with `tokens`, `usd` or `minutes`"),
        (5, "budget: must be an object with `tokens`, `usd` or `minutes`"),
        ([], "budget: must be an object with `tokens`, `usd` or `minutes`"),
    ],
)
def test_a_budget_that_limits_nothing_is_refused(budget: Any, fault: str) -> None:
    assert fault in refusal({**SMALLEST, "budget": budget})


def test_every_fault_of_a_budget_is_listed_with_the_others() -> None:
    said = refusal({**SMALLEST, "coverage": 2, "budget": {"tokens": 0, "usd": 0, "any": 1}})

    assert "4 faults" in said


def parsed(**more: Any) -> Allowance | None:
    return PydanticRequests().parse({**SMALLEST, **more}).budget
