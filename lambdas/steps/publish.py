"""PUBLISH: the effects of a run, each exactly once.

Reads    the report's list of files, the decision on it, the task's record.
Writes   the receipts.
Effects  the published files, the pointers to the agent's latest. Others are told by TELL, once the
         record is closed: what they do not take undoes nothing here.
Repeats  safely; each effect has a record before it happens and a key that never changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lambdas.agent import approval
from lambdas.agent.codec import fields_of
from lambdas.agent.contract import Decision, Step
from lambdas.agent.errors import IllegalMove, ReportNotApproved
from lambdas.agent.identity import digest
from lambdas.agent.instants import iso
from lambdas.agent.intents import Effect
from lambdas.agent.model import Outcome
from lambdas.agent.published import series_of, shelf_of
from lambdas.agent.request import PREVIOUS
from lambdas.agent.tasks import Move, TaskRecord
from lambdas.agent.work import Work
from lambdas.entry import step_handler


def publish(work: Work) -> Outcome:
    _check_approved(work)
    task = work.ports.ledger.task(work.task_id)
    if task is None:
        raise ReportNotApproved(f"Task {work.task_id} has no record: nothing was published")
    if task.status.is_final:  # called off since it was approved: the commit would come too late
        raise IllegalMove(f"Task {work.task_id} has ended as {task.status}: nothing was published")
    refs = fields_of(work.read(work.args["report"]))
    folder = f"{shelf_of(task.agent_id)}/{work.task_id}/{digest(refs)[:16]}"
    place = work.ports.shelf.address(folder)
    return Outcome.done(
        move=Move(to=Step.COMPLETE, fields={"result_uri": place}),
        effects=(_placed(work, folder, refs), *_pointed(work, task, place)),
        result_uri=place,
        status="SUCCEEDED",
    )


def _check_approved(work: Work) -> None:
    revision = int(work.unit.item.removeprefix("r"))
    facts = approval.on_record(work, revision, Decision.APPROVED)
    if (facts.get("decision"), facts.get("report")) != (Decision.APPROVED, work.args["report"]):
        raise ReportNotApproved(
            f"Revision {revision} of task {work.task_id} was not approved as it stands: "
            "start a new run and decide on its report"
        )


def _placed(work: Work, folder: str, refs: Mapping[str, str]) -> Effect:
    files = {name: work.read(ref) for name, ref in sorted(refs.items())}
    shelf = work.ports.shelf

    def place(_: str) -> str:
        shelf.place(folder, files)
        return shelf.address(folder)

    return Effect(kind="files", subject=folder, act=place, ability=shelf.ability)


def _pointed(work: Work, task: TaskRecord, place: str) -> Iterator[Effect]:
    """The agent's last report; and, where runs are compared, its last over the same sources."""
    yield _pointer(work, task, place, kind="latest", name=shelf_of(task.agent_id))
    request = work.read(task.request) if task.request else b"{}"
    if fields_of(request).get("baseline") == PREVIOUS:
        name = series_of(task.agent_id, request)
        yield _pointer(work, task, place, kind="latest of these sources", name=name)


def _pointer(work: Work, task: TaskRecord, place: str, *, kind: str, name: str) -> Effect:
    to = {
        "task_id": work.task_id,
        "workflow_id": task.workflow_id,
        "result_uri": place,
        "accepted_at": iso(task.created_at),
    }
    order = f"{iso(task.created_at)} {work.task_id}"
    shelf = work.ports.shelf

    def point(_: str) -> str:
        return "latest" if shelf.point(name, to, order=order) else "a later one stands"

    return Effect(kind=kind, subject=place, act=point, ability=shelf.ability)


handler = step_handler(publish)
