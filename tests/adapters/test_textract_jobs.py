"""Textract's adapter: its answers in pages, its refusals by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from lambdas.adapters.textract_jobs import TextractJobs
from lambdas.agent.errors import ServiceUnavailable, SourceUnreadable, Unexpected
from lambdas.agent.job_state import Phase
from tests.contracts.table import REGION

KEY = "e" * 64
PAGE = "tasks/t/page/hash"
START, GET = "start_document_text_detection", "get_document_text_detection"


@pytest.fixture
def client() -> Any:
    return boto3.client("textract", region_name=REGION)


@pytest.fixture
def aws(client: Any) -> Iterator[Stubber]:
    with Stubber(client) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


@pytest.fixture
def jobs(client: Any) -> TextractJobs:
    return TextractJobs(client, "artifacts", clock=lambda: 0.0)


def line(text: str, page: int) -> dict[str, Any]:
    return {"BlockType": "LINE", "Text": text, "Page": page}


def test_a_scan_is_named_by_its_place_and_the_job_by_its_key(
    jobs: TextractJobs, aws: Stubber
) -> None:
    expected = {
        "DocumentLocation": {"S3Object": {"Bucket": "artifacts", "Name": PAGE}},
        "ClientRequestToken": KEY,
    }
    aws.add_response(START, {"JobId": "j"}, expected)

    assert jobs.submit({"artifact": PAGE}, key=KEY, seconds=5) == "j"


def test_an_answer_in_parts_becomes_one_text_with_its_pages_apart(
    jobs: TextractJobs, aws: Stubber
) -> None:
    page = {"BlockType": "PAGE", "Page": 1}
    word = {"BlockType": "WORD", "Text": "Price", "Page": 1}
    first = {"JobStatus": "SUCCEEDED", "Blocks": [page, line("Price list", 1), word]}
    aws.add_response(GET, {**first, "NextToken": "2"}, {"JobId": "j"})
    second = {"JobStatus": "SUCCEEDED", "Blocks": [line("Team: 49 €", 1), line("Terms", 2)]}
    aws.add_response(GET, {**second, "NextToken": "3"}, {"JobId": "j", "NextToken": "2"})
    aws.add_response(GET, {"JobStatus": "SUCCEEDED"}, {"JobId": "j", "NextToken": "3"})

    state = jobs.poll("j", seconds=5)
    assert state.phase is Phase.DONE
    assert state.body.decode() == "Price list\nTeam: 49 €\n\nTerms"


def test_an_answer_with_too_many_parts_ends_with_its_deadline(client: Any, aws: Stubber) -> None:
    now = iter([0.0, 6.0])
    part = {"JobStatus": "SUCCEEDED", "NextToken": "2"}
    aws.add_response(GET, part, {"JobId": "j"})

    with pytest.raises(ServiceUnavailable, match="too many pages"):
        TextractJobs(client, "artifacts", clock=lambda: next(now)).poll("j", seconds=5)


@pytest.mark.promise("R23")
@pytest.mark.parametrize(
    ("status", "phase", "code"),
    [
        ("IN_PROGRESS", Phase.RUNNING, ""),
        ("FAILED", Phase.FAILED, "JOB_FAILED"),
        ("PARTIAL_SUCCESS", Phase.FAILED, "JOB_INCOMPLETE"),
    ],
)
def test_a_status_is_a_state_with_its_code(
    jobs: TextractJobs, aws: Stubber, status: str, phase: Phase, code: str
) -> None:
    aws.add_response(GET, {"JobStatus": status}, {"JobId": "j"})

    state = jobs.poll("j", seconds=5)
    assert (state.phase, state.code) == (phase, code)


def test_a_job_that_textract_forgot_has_vanished(jobs: TextractJobs, aws: Stubber) -> None:
    aws.add_client_error(GET, "InvalidJobIdException")

    assert jobs.poll("j", seconds=5).code == "JOB_VANISHED"


@pytest.mark.promise("R22")
@pytest.mark.parametrize("code", ["LimitExceededException", "ThrottlingException"])
def test_too_many_jobs_at_once_are_a_wait(jobs: TextractJobs, aws: Stubber, code: str) -> None:
    aws.add_client_error(START, code)
    with pytest.raises(ServiceUnavailable) as busy:
        jobs.submit({"artifact": PAGE}, key=KEY, seconds=5)
    aws.add_client_error(GET, code)
    with pytest.raises(ServiceUnavailable) as still:
        jobs.poll("j", seconds=5)

    assert (busy.value.wait_seconds, still.value.wait_seconds) == (0, 0)


def test_a_document_that_textract_cannot_read_is_unreadable(
    jobs: TextractJobs, aws: Stubber
) -> None:
    aws.add_client_error(START, "UnsupportedDocumentException")

    with pytest.raises(SourceUnreadable) as unreadable:
        jobs.submit({"artifact": PAGE}, key=KEY, seconds=5)
    assert unreadable.value.code == "OCR_REFUSED"


def test_a_missing_grant_is_a_fault_of_ours(jobs: TextractJobs, aws: Stubber) -> None:
    aws.add_client_error(START, "AccessDeniedException")

    with pytest.raises(Unexpected) as denied:
        jobs.submit({"artifact": PAGE}, key=KEY, seconds=5)
    assert denied.value.code == "ACCESS_DENIED"
