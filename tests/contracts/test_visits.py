"""One contract for the visits in memory and on DynamoDB."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pytest
from moto import mock_aws

from lambdas.adapters.dynamodb_visits import FIRSTS, LONGEST_VALUE, VISITS, DynamoDbVisits
from lambdas.agent.contract import SCHEMA_VERSION
from lambdas.agent.errors import Unexpected
from lambdas.agent.pages import Validators, Visit
from lambdas.agent.web_ports import Visits
from tests.contracts.table import a_table
from tests.fakes.clock import FakeClock
from tests.fakes.visits import MemoryVisits

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

DAYS = 30
DAY = 86_400
URL = "https://acme.test/prices?plan=team"
SEEN = Visit(
    url=URL,
    task_id="competitor-monitor-acme-1-b66342da6ec7",
    fetched_at=1_780_000_000.125,
    ref="tasks/competitor-monitor-acme-1-b66342da6ec7/page/1",
    final_url=URL,
    content_type="text/html; charset=utf-8",
    sha256="a" * 64,
    before="b" * 64,
    validators=Validators(etag='W/"é-1"', last_modified="Wed, 29 Jul 2026 10:00:30 GMT", url=URL),
)


@pytest.fixture
def table() -> Iterator[DynamoDBClient]:
    with mock_aws():
        yield a_table()


@pytest.fixture(params=["memory", "dynamodb"])
def visits(request: pytest.FixtureRequest, clock: FakeClock) -> Visits:
    if request.param == "memory":
        return MemoryVisits(clock, retention=DAYS)
    return on_dynamodb(request.getfixturevalue("table"), clock)


@pytest.fixture
def stored(table: DynamoDBClient, clock: FakeClock) -> DynamoDbVisits:
    return on_dynamodb(table, clock)


def on_dynamodb(table: DynamoDBClient, clock: FakeClock) -> DynamoDbVisits:
    return DynamoDbVisits(table, "ledger", clock, retention=DAYS)


def items_of(table: DynamoDBClient) -> list[dict[str, Any]]:
    return [dict(item) for item in table.scan(TableName="ledger")["Items"]]


def test_a_visit_comes_back_as_it_was(visits: Visits) -> None:
    assert visits.remember("agent", SEEN) == SEEN
    assert visits.last("agent", URL) == SEEN


def test_a_visit_that_found_nothing_comes_back_too(visits: Visits) -> None:
    nothing = Visit(url=URL, task_id="t", fetched_at=1_780_000_000.0)

    visits.remember("t", nothing)

    assert visits.last("t", URL) == nothing


def test_an_address_where_nobody_was_has_no_visit(visits: Visits) -> None:
    visits.remember("agent", SEEN)

    assert visits.last("agent", f"{URL}&page=2") is None
    assert visits.last("another-agent", URL) is None


def test_scope_and_address_are_kept_apart(visits: Visits) -> None:
    visits.remember("a", replace(SEEN, url="b/c"))

    assert visits.last("a/b", "c") is None
    assert visits.last("ab", "/c") is None


@pytest.mark.promise("R10", "R15")
def test_a_later_visit_takes_the_place_and_an_earlier_one_does_not(visits: Visits) -> None:
    later = replace(SEEN, fetched_at=SEEN.fetched_at + 1, sha256="c" * 64, before=SEEN.sha256)
    visits.remember("agent", SEEN)

    assert visits.remember("agent", later) == later
    assert visits.remember("agent", SEEN) == later
    assert visits.last("agent", URL) == later


def test_of_two_visits_at_one_moment_the_one_that_is_told_last_is_kept(visits: Visits) -> None:
    other = replace(SEEN, sha256="c" * 64)
    visits.remember("agent", SEEN)

    assert visits.remember("agent", other) == other
    assert visits.last("agent", URL) == other


@pytest.mark.promise("R10")
def test_the_same_visit_again_changes_nothing(visits: Visits) -> None:
    told = [visits.remember("agent", SEEN) for _ in range(3)]

    assert told == [SEEN] * 3
    assert visits.last("agent", URL) == SEEN


def test_new_validators_take_the_place_of_the_old_though_the_page_is_the_same(
    visits: Visits,
) -> None:
    """Case C20: without them every later request would be unconditional."""
    new = replace(SEEN, fetched_at=SEEN.fetched_at + 60, validators=Validators(etag='"B"'))
    visits.remember("agent", SEEN)
    visits.remember("agent", new)

    found = visits.last("agent", URL)
    assert found is not None
    assert found.validators == Validators(etag='"B"')


def test_a_time_is_kept_to_the_millisecond(visits: Visits) -> None:
    told = visits.remember("agent", replace(SEEN, fetched_at=1_780_000_000.12345))

    assert told.fetched_at == 1_780_000_000.123
    assert visits.last("agent", URL) == told


@pytest.mark.promise("R34")
def test_a_visit_whose_retention_is_over_is_none_though_it_is_still_there(
    visits: Visits, clock: FakeClock
) -> None:
    """DynamoDB deletes days late."""
    visits.remember("agent", replace(SEEN, fetched_at=clock.now() + 10))
    clock.pass_seconds(DAYS * DAY - 1)
    assert visits.last("agent", URL) is not None

    clock.pass_seconds(1)
    assert visits.last("agent", URL) is None
    assert visits.remember("agent", SEEN) == SEEN
    assert visits.last("agent", URL) == SEEN


def test_whoever_brings_bytes_first_stays_the_first(visits: Visits) -> None:
    """Case C17."""
    told = [visits.first("t", "a" * 64, item) for item in ("s1", "s2", "s1", "s3")]

    assert told == ["s1"] * 4


def test_other_bytes_and_other_scopes_have_firsts_of_their_own(visits: Visits) -> None:
    visits.first("t", "a" * 64, "s1")

    assert visits.first("t", "b" * 64, "s2") == "s2"
    assert visits.first("u", "a" * 64, "s3") == "s3"


@pytest.mark.promise("R34")
def test_a_first_whose_retention_is_over_is_none(visits: Visits, clock: FakeClock) -> None:
    visits.first("t", "a" * 64, "s1")
    clock.pass_seconds(DAYS * DAY)

    assert visits.first("t", "a" * 64, "s2") == "s2"
    assert visits.first("t", "a" * 64, "s1") == "s2"


@pytest.mark.promise("R8")
def test_of_ten_that_bring_the_same_bytes_at_once_one_is_the_first(
    table: DynamoDBClient, clock: FakeClock
) -> None:
    for n in range(5):
        told = at_once(
            *(
                partial(on_dynamodb(table, clock).first, "t", f"{n}" * 64, f"s{i}")
                for i in range(10)
            )
        )

        assert len(set(told)) == 1
        assert told[0] == on_dynamodb(table, clock).first("t", f"{n}" * 64, "any")


@pytest.mark.promise("R8")
def test_of_ten_visits_at_once_the_latest_is_kept(table: DynamoDBClient, clock: FakeClock) -> None:
    for n in range(5):
        url = f"https://acme.test/{n}"
        seen = Visit(url=url, task_id="t", fetched_at=SEEN.fetched_at)
        visits = [replace(seen, fetched_at=SEEN.fetched_at + i) for i in range(10)]
        store = on_dynamodb(table, clock)

        told = at_once(*(partial(store.remember, "agent", each) for each in visits))

        assert store.last("agent", url) == visits[-1]
        assert told[-1] == visits[-1]
        assert all(
            kept.fetched_at >= own.fetched_at for kept, own in zip(told, visits, strict=True)
        )


@pytest.mark.promise("R35")
def test_each_call_is_one_request(table: DynamoDBClient, stored: DynamoDbVisits) -> None:
    asked: list[str] = []
    table.meta.events.register(
        "before-send.dynamodb.*",
        lambda event_name, **_: asked.append(event_name.rpartition(".")[2]),
    )

    for _ in range(2):
        stored.remember("agent", SEEN)
        stored.last("agent", URL)
        stored.first("t", "a" * 64, "s1")

    assert asked == ["PutItem", "GetItem", "PutItem"] * 2


def test_a_visit_is_read_strongly_consistently(
    table: DynamoDBClient, stored: DynamoDbVisits
) -> None:
    asked: list[dict[str, Any]] = []
    table.meta.events.register(
        "before-call.dynamodb.GetItem",
        lambda params, **_: asked.append(json.loads(params["body"])),
    )

    stored.last("agent", URL)

    assert [each["ConsistentRead"] for each in asked] == [True]


@pytest.mark.promise("R5", "R34")
def test_each_record_has_a_partition_a_version_and_an_end_of_its_own(
    table: DynamoDBClient, stored: DynamoDbVisits, clock: FakeClock
) -> None:
    for n in range(20):
        stored.remember("agent", replace(SEEN, url=f"{URL}{n}"))
        stored.first("agent", f"{n:064}", "s1")

    items = items_of(table)
    assert len({item["pk"]["S"] for item in items}) == len(items) == 40
    assert {item["pk"]["S"][:6] for item in items} == {VISITS, FIRSTS}
    assert {item["schema_version"]["N"] for item in items} == {str(SCHEMA_VERSION)}
    assert {int(item["delete_after"]["N"]) for item in items} == {int(clock.now()) + DAYS * DAY}


@pytest.mark.promise("R5")
def test_a_record_of_a_newer_version_is_refused_with_what_to_do(
    table: DynamoDBClient, stored: DynamoDbVisits
) -> None:
    stored.remember("agent", SEEN)
    stored.first("t", "a" * 64, "s1")
    for item in items_of(table):
        newer = {**item, "schema_version": {"N": str(SCHEMA_VERSION + 1)}}
        table.put_item(TableName="ledger", Item=newer)

    for read in (
        partial(stored.last, "agent", URL),
        partial(stored.first, "t", "a" * 64, "s2"),
        partial(stored.remember, "agent", replace(SEEN, fetched_at=0.0)),
    ):
        with pytest.raises(Unexpected, match="deploy the newer version"):
            read()


@pytest.mark.promise("R3", "R33")
@pytest.mark.parametrize(
    ("asked", "ended"),
    [
        ("https://a.test/p?token=SECRET", "https://a.test/p?token=SECRET"),
        ("http://a.test/p?token=SECRET", "https://www.a.test/q/?token=SECRET"),
        ("https://a.test/p", "https://a.test/q"),
        ("https://a.test/p?token=SECRET", "https://a.test/q"),
        ("https://a.test/p?", "https://a.test/p"),
        ("https://a.test/p", ""),
    ],
)
def test_no_query_is_kept_and_addresses_come_back_whole(
    table: DynamoDBClient, stored: DynamoDbVisits, asked: str, ended: str
) -> None:
    validators = Validators(etag='"A"', url=ended)

    told = stored.remember(
        "agent", replace(SEEN, url=asked, final_url=ended, validators=validators)
    )

    assert (told.url, told.final_url, told.validators) == (asked, ended, validators)
    assert stored.last("agent", asked) == told
    assert "SECRET" not in json.dumps(items_of(table))


@pytest.mark.promise("R3", "R33")
def test_an_address_with_a_query_of_its_own_is_left_out_whole(
    table: DynamoDBClient, stored: DynamoDbVisits
) -> None:
    """A redirect may bring a session or a signature; without its query it is another page."""
    told = stored.remember("agent", replace(SEEN, final_url="https://acme.test/p?session=SECRET"))

    assert told == replace(SEEN, final_url="")
    assert "SECRET" not in json.dumps(items_of(table))


@pytest.mark.promise("R3", "R33")
def test_validators_go_with_the_address_that_they_are_for(
    table: DynamoDBClient, stored: DynamoDbVisits
) -> None:
    """They are told to no other, so without it they are of no use."""
    theirs = replace(SEEN.validators, url="https://acme.test/p?session=SECRET")

    told = stored.remember("agent", replace(SEEN, validators=theirs))

    assert told == replace(SEEN, validators=Validators())
    assert "SECRET" not in json.dumps(items_of(table))


@pytest.mark.parametrize(
    "value", ["x" * (LONGEST_VALUE + 1), "a\r\nInjected: b", "\ud800", "tab\there", "\x00"]
)
def test_what_is_too_long_or_cannot_be_sent_again_is_left_out_whole(
    stored: DynamoDbVisits, value: str
) -> None:
    odd = replace(
        SEEN,
        content_type=value,
        final_url=f"https://acme.test/{value}",
        validators=Validators(etag=value, last_modified=value, url=URL),
    )

    told = stored.remember("agent", odd)

    nothing = Validators(url=URL)
    assert told == replace(SEEN, content_type="", final_url="", validators=nothing)
    assert stored.last("agent", URL) == told


def test_a_record_stays_small(table: DynamoDBClient, stored: DynamoDbVisits) -> None:
    long = "ä" * LONGEST_VALUE
    stored.remember(
        "agent",
        replace(
            SEEN,
            url=f"https://acme.test/?{long}",
            final_url=f"https://acme.test/{long}"[:LONGEST_VALUE],
            content_type=long,
            validators=Validators(etag=long, last_modified=long),
        ),
    )

    (item,) = items_of(table)
    assert sum(len(f"{name}{value}".encode()) for name, value in item.items()) < 20_000


@pytest.mark.parametrize("url", ["https://[::1/", "", "x" * 10_000])
def test_what_is_no_address_is_remembered_like_any(visits: Visits, url: str) -> None:
    odd = Visit(url=url, task_id="t", fetched_at=1.0)

    visits.remember("t", odd)

    assert visits.last("t", url) == odd


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    barrier = Barrier(len(calls))
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads that change places at every chance they get

    def run(call: Callable[[], Any]) -> Any:
        barrier.wait()
        return call()

    try:
        with ThreadPoolExecutor(len(calls)) as threads:
            return list(threads.map(run, calls))
    finally:
        sys.setswitchinterval(before)
