"""Jobs at Amazon Textract: the text of a scanned document that lies in our bucket.

The key of the effect is sent as ClientRequestToken, which takes exactly the 64 characters of a
SHA-256 in hex; the same token again is answered with the same job.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from botocore.exceptions import ClientError

from lambdas.adapters.aws_faults import code_of, translated
from lambdas.adapters.http_wire import Deadline
from lambdas.agent.errors import ServiceUnavailable, SourceUnreadable
from lambdas.agent.intents import Ability
from lambdas.agent.job_state import JobState

TEXTRACT = "Textract"
_BUSY = {"LimitExceededException", "ProvisionedThroughputExceededException", "ThrottlingException"}
_UNREADABLE = {
    "BadDocumentException",
    "DocumentTooLargeException",
    "InvalidS3ObjectException",
    "UnsupportedDocumentException",
}
_ENDS = {
    "FAILED": ("JOB_FAILED", "Textract says that it failed"),
    "PARTIAL_SUCCESS": ("JOB_INCOMPLETE", "Textract read some of the pages only"),
}


class TextractJobs:
    ability = Ability.TOKEN
    name = "textract"
    longest_answer = 0
    price = None

    def __init__(
        self, client: Any, bucket: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client = client
        self._bucket = bucket
        self._clock = clock

    def submit(self, payload: Mapping[str, Any], *, key: str, seconds: float) -> str:
        place = {"S3Object": {"Bucket": self._bucket, "Name": payload["artifact"]}}
        with translated(TEXTRACT, "reading a scan"):
            try:
                answer = self._client.start_document_text_detection(
                    DocumentLocation=place, ClientRequestToken=key
                )
            except ClientError as error:
                if code_of(error) in _BUSY:
                    raise _busy(error) from None
                if code_of(error) in _UNREADABLE:
                    raise _unreadable(error) from None
                raise
        return str(answer["JobId"])

    def find(self, key: str, *, seconds: float) -> str | None:
        """Never asked: its token finds the job."""
        return None

    def poll(self, job_id: str, *, seconds: float) -> JobState:
        deadline = Deadline(seconds, self._clock)
        with translated(TEXTRACT, "asking after a scan"):
            try:
                first = self._client.get_document_text_detection(JobId=job_id)
                if first["JobStatus"] == "SUCCEEDED":
                    return JobState.done(self._text(job_id, first, deadline).encode())
            except ClientError as error:
                if code_of(error) in _BUSY:
                    raise _busy(error) from None
                if code_of(error) == "InvalidJobIdException":
                    return JobState.failed("JOB_VANISHED", "Textract does not know it any more")
                raise
        if first["JobStatus"] in _ENDS:
            return JobState.failed(*_ENDS[first["JobStatus"]])
        return JobState.running()

    def _text(self, job_id: str, first: Mapping[str, Any], deadline: Deadline) -> str:
        """Lines in Textract's order, an empty one between two pages of the document."""
        pages: dict[int, list[str]] = {}
        for answer in self._answers(job_id, first, deadline):
            for block in answer.get("Blocks", ()):
                if block["BlockType"] == "LINE":
                    pages.setdefault(block.get("Page", 1), []).append(block["Text"])
        return "\n\n".join("\n".join(pages[number]) for number in sorted(pages))

    def _answers(
        self, job_id: str, answer: Mapping[str, Any], deadline: Deadline
    ) -> Iterator[Mapping[str, Any]]:
        yield answer
        while token := answer.get("NextToken"):
            _within(deadline)
            answer = self._client.get_document_text_detection(JobId=job_id, NextToken=token)
            yield answer


def _within(deadline: Deadline) -> None:
    try:
        deadline.left()
    except TimeoutError:
        raise ServiceUnavailable(
            "Textract's answer has too many pages for one call: it is asked again",
            code="DEADLINE",
            dependency=TEXTRACT,
        ) from None


def _busy(error: ClientError) -> ServiceUnavailable:
    return ServiceUnavailable(
        f"Textract is busy ({code_of(error)}): it is asked again",
        code="THROTTLED",
        dependency=TEXTRACT,
        wait_seconds=0,
    )


def _unreadable(error: ClientError) -> SourceUnreadable:
    return SourceUnreadable(
        f"Textract cannot read this document ({code_of(error)}): name another copy of it, or a "
        "page that says the same",
        code="OCR_REFUSED",
        dependency=TEXTRACT,
    )
