"""A page that was visited before: the source is asked whether it is as it was, and believed.

What is kept of a visit belongs to the agent, so the next task of the same agent knows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from lambdas.agent.errors import Unexpected
from lambdas.agent.pages import Page, Unchanged, Visit
from lambdas.agent.work import Work

NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A page, in this task's own keeping.

    `is_unchanged` says that the task before this one found the same bytes; it holds at a replay
    too, when the last visit is this task's own.
    """

    page: Page
    ref: str
    sha256: str
    is_unchanged: bool


def visited(work: Work, agent: str, url: str) -> Found:
    """The page at this address, fetched or as it was kept, and the visit remembered."""
    last = work.ports.visits.last(agent, url)
    page = _page(work, url, last)
    # The copy is ours: the one before may reach the end of its retention while this run counts.
    ref, digest = work.write("page", page.body), sha256(page.body).hexdigest()
    before = _before(work, last)
    visit = Visit(
        url=url,
        task_id=work.task_id,
        fetched_at=work.ports.clock.now(),
        ref=ref,
        final_url=page.url,
        content_type=page.content_type,
        sha256=digest,
        before=before,
        validators=page.validators,
    )
    work.ports.visits.remember(agent, visit)
    return Found(page=page, ref=ref, sha256=digest, is_unchanged=digest == before)


def _page(work: Work, url: str, last: Visit | None) -> Page:
    kept = _kept(work, last)
    known = last.validators if last and kept else None
    answer = work.ports.fetcher.get(url, seconds=work.call_seconds(), known=known)
    if isinstance(answer, Page):
        return answer
    if last is None or kept is None:
        raise Unexpected(f"{work.unit} was told of no change in a page that nobody knew")
    return _as_kept(last, kept, answer)


def _as_kept(last: Visit, body: bytes, answer: Unchanged) -> Page:
    return Page(
        url=last.final_url or answer.url,
        status=NOT_MODIFIED,
        content_type=last.content_type,
        body=body,
        validators=answer.validators,
    )


def _kept(work: Work, last: Visit | None) -> bytes | None:
    """The bytes of the last visit; None where it has no validators, or they are not there any more.

    Looked at before the source is asked: told of no change, we could not do without them.
    """
    if last is None or not (last.validators.etag or last.validators.last_modified):
        return None
    try:
        return work.read(last.ref)
    except Unexpected:  # past its retention, or changed by hand
        return None


def _before(work: Work, last: Visit | None) -> str:
    if last is None:
        return ""
    return last.before if last.task_id == work.task_id else last.sha256
