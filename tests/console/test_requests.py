"""Requests: from a file to what the state machine is told."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from console.begin import begin
from console.errors import BadInput
from console.requests import prepare, read, sample_sites
from lambdas.adapters.s3_inbox import TYPED_LIMIT
from tests.console.bench import Bench, a_request

ANY_TIME = datetime(2026, 11, 30, 19, 45, 1, tzinfo=UTC)
LARGE = [{"url": f"https://acme.test/pages/{number}"} for number in range(200)]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "is not JSON"),
        (b'{"coverage": NaN}', "NaN is no number"),
        (b"\xff\xfe", "is not JSON in UTF-8"),
        (b"[]", "must be a JSON object"),
    ],
)
def test_refuses_a_file_that_holds_no_request(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "request.json"
    file.write_bytes(content)

    with pytest.raises(BadInput, match=said):
        read(file)


def test_says_that_there_is_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"There is no file .*absent\.json"):
        read(tmp_path / "absent.json")


def test_says_why_a_folder_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read: Is a directory"):
        read(tmp_path)


def test_reads_what_a_windows_editor_saved(tmp_path: Path) -> None:
    file = tmp_path / "request.json"
    file.write_bytes(b'\xef\xbb\xbf{"agent_id": "\xc3\xa9"}')

    assert read(file) == {"agent_id": "é"}


def test_lists_every_fault_by_its_field() -> None:
    with pytest.raises(BadInput) as refused:
        prepare({"agent_id": 7, "sources": [{"link": "x"}]}, site="")

    assert "- agent_id: must be a string" in str(refused.value)
    assert "- questions: is missing" in str(refused.value)
    assert "- sources[0].link: is not a field of a request" in str(refused.value)


def test_a_request_without_sources_is_told_so() -> None:
    typed = a_request()
    del typed["sources"]

    with pytest.raises(BadInput, match="sources: is missing"):
        prepare(typed, site="")


def test_puts_the_sample_sites_address_in_its_place() -> None:
    typed = a_request(sources=[{"url": "{site}/acme/"}])

    prepared = prepare(typed, site="http://127.0.0.1:8477")

    assert [source.url for source in prepared.request.sources] == ["http://127.0.0.1:8477/acme/"]
    assert prepared.typed["sources"] == [{"url": "http://127.0.0.1:8477/acme/"}]


def test_replaces_the_site_in_sources_only() -> None:
    typed = a_request(questions=["What is {site} for?"])

    assert prepare(typed, site="http://127.0.0.1:1").request.questions == ("What is {site} for?",)


def test_refuses_the_sample_site_where_there_is_none() -> None:
    with pytest.raises(BadInput, match="no sandbox is running"):
        prepare(a_request(sources=[{"url": "{site}/acme/"}]), site="")


def test_starting_anew_gives_the_workflow_the_time_as_a_suffix() -> None:
    anew = prepare(a_request(), site="", anew_at=ANY_TIME)

    assert anew.typed["workflow_id"] == "acme-1-20261130T194501Z"
    assert anew.task_id != prepare(a_request(), site="").task_id


def test_starting_anew_names_a_workflow_that_had_no_name() -> None:
    typed = a_request()
    del typed["workflow_id"]

    anew = prepare(typed, site="", anew_at=ANY_TIME)

    assert anew.request.workflow_id.startswith("request-")
    assert anew.request.workflow_id.endswith("-20261130T194501Z")


def test_a_long_workflow_id_leaves_room_for_the_suffix() -> None:
    anew = prepare(a_request(workflow_id="w" * 120), site="", anew_at=ANY_TIME)

    assert len(anew.request.workflow_id) == 120
    assert anew.request.workflow_id.endswith("-20261130T194501Z")


def test_each_edition_of_the_site_is_a_task_of_its_own_and_of_the_same_agent() -> None:
    first, second = prepare(a_request(), site=""), prepare(a_request(), site="", edition=2)

    assert second.typed["workflow_id"] == "acme-1-edition-2"
    assert second.task_id != first.task_id
    assert second.request.agent_id == first.request.agent_id
    assert second.request.sources == first.request.sources


def test_the_sample_sites_that_a_request_reads_are_named_by_its_sources() -> None:
    named = [{"url": f"{{site}}/{page}"} for page in ("acme/", "acme/a.html", "more/b.html")]

    assert sample_sites(a_request(sources=[*named, {"url": "https://a.test/c/"}])) == {
        "acme",
        "more",
    }
    assert sample_sites({"agent_id": 7}) == set()


def test_a_small_request_is_the_executions_input(bench: Bench) -> None:
    begun = begin(bench.account, prepare(a_request(), site=""))

    assert told(bench, begun.name) == a_request()


@pytest.mark.promise("R6")
def test_a_large_request_is_stored_and_named_by_its_hash(bench: Bench) -> None:
    prepared = prepare(a_request(sources=LARGE), site="")

    (name, ref), *more = told(bench, begin(bench.account, prepared).name).items()

    body = bench.world.artifacts.get(ref)
    assert (name, more) == ("request_ref", [])
    assert ref == f"requests/{hashlib.sha256(body).hexdigest()}"
    assert json.loads(body) == a_request(sources=LARGE)
    assert len(body) > TYPED_LIMIT


def test_a_stored_request_is_never_written_over(bench: Bench) -> None:
    prepared = prepare(a_request(sources=LARGE), site="")
    ref = told(bench, begin(bench.account, prepared).name)["request_ref"]
    bench.account.s3.put_object(Bucket="artifacts", Key=ref, Body=b"what stands there")

    assert not begin(bench.account, prepared).is_over
    stands = bench.account.s3.get_object(Bucket="artifacts", Key=ref)["Body"].read()
    assert stands == b"what stands there"


def told(bench: Bench, name: str) -> dict[str, Any]:
    """What an execution was started with."""
    machine = bench.account.resources.state_machine.replace(":stateMachine:", ":execution:")
    found = bench.account.stepfunctions.describe_execution(executionArn=f"{machine}:{name}")
    typed: dict[str, Any] = json.loads(found["input"])
    return typed
