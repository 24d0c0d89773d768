"""EXTRACT: the readable text of one page, with its structure and title.

Reads    the page.
Writes   the text as Markdown with the offsets of its blocks, as an artifact.
Effects  none; for a scan (PDF_NEEDS_OCR) one job of the OCR service, where the deployment has one.
Repeats  safely; the same page gives the same text under the same name, and one job.
"""

from __future__ import annotations

from lambdas.agent.codec import text_body
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.findings import Text
from lambdas.agent.job_places import CURSOR, Kind
from lambdas.agent.job_state import Phase
from lambdas.agent.jobs import follow, waiting
from lambdas.agent.model import Outcome
from lambdas.agent.model_ports import Jobs
from lambdas.agent.pages import Page
from lambdas.agent.scans import NEEDS_OCR, text_of_scan
from lambdas.agent.work import Work
from lambdas.entry import step_handler


def extract(work: Work) -> Outcome:
    ocr = work.ports.ocr
    if ocr is not None and CURSOR in work.cursor:  # the lap before found a scan
        return _scanned(work, ocr)
    page = Page(
        url=work.args["url"],
        status=200,
        content_type=work.args["content_type"],
        body=work.read(work.args["page"]),
    )
    try:
        return _stored(work, work.ports.reader.read(page))
    except SourceUnreadable as unreadable:
        if ocr is None or unreadable.code != NEEDS_OCR:
            raise
    return _scanned(work, ocr)


def _scanned(work: Work, ocr: Jobs) -> Outcome:
    page = work.args["page"]
    state = follow(work, ocr, {"artifact": page}, kind=Kind.OCR, subject=page)
    if state.phase is Phase.RUNNING:
        return waiting(state)
    return _stored(work, text_of_scan(state.body, work.args["url"]))


def _stored(work: Work, text: Text) -> Outcome:
    return Outcome.done(ref=work.write("text", text_body(text)), characters=len(text.text))


handler = step_handler(extract)
