"""PLAN: the request becomes a task and a manifest of its sources; or what is left of them.

Reads    the request, as typed or as an artifact; in a continuation, what earlier runs have done.
Writes   the request with its defaults and the manifest, as artifacts; the task's record.
Effects  none outside.
Repeats  safely; a second execution of the task is told how the first stands, and ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lambdas.agent.codec import fields_of, manifest_body, manifest_of, request_body
from lambdas.agent.continuing import Continuation, Plan, divided, item_of, last_plan
from lambdas.agent.contract import Step
from lambdas.agent.errors import IllegalMove
from lambdas.agent.intake import input_id, request_from, task_of
from lambdas.agent.model import WHOLE_TASK, Move, NewTask, Outcome, Source, TaskRecord, Unit
from lambdas.agent.ports import Ports
from lambdas.agent.runtime import Ran
from lambdas.agent.work import Work
from lambdas.entry import step_handler

_NOTHING_REPORTED = {"revision": 0}


def identify(event: Mapping[str, Any], ports: Ports) -> Unit:
    """A task is its agent and workflow, whoever starts it; its input is the whole request."""
    if again := Continuation.of(event["request"]):
        return _continuation(again, event["context"])
    request = request_from(event["request"], ports)
    return Unit(
        task_id=task_of(request),
        step=Step.PLAN,
        args={"input_id": input_id(request)},
        context={
            **event["context"],
            "request": request,
            "agent_id": request.agent_id,
            "workflow_id": request.workflow_id,
        },
    )


def _continuation(again: Continuation, context: Mapping[str, Any]) -> Unit:
    return Unit(
        task_id=again.task_id,
        step=Step.PLAN,
        item=again.item,
        args={"retry_set_aside": again.retry_set_aside},
        context={**context, "run": again.run},
    )


def plan(work: Work) -> Outcome:
    return _everything(work) if work.unit.item == WHOLE_TASK else _what_is_left(work)


def _everything(work: Work) -> Outcome:
    request = work.unit.context["request"]
    ref = work.write("request", request_body(request))
    task = work.ports.ledger.accept(
        NewTask(
            task_id=work.task_id,
            agent_id=request.agent_id,
            workflow_id=request.workflow_id,
            input_id=work.args["input_id"],
            execution=work.unit.context["execution"],
            request=ref,
        )
    )
    manifest = work.write("manifest", manifest_body(request.sources))
    return _planned(
        task,
        sources=len(request.sources),
        left=len(request.sources),
        request=ref,
        manifest=manifest,
        all=manifest,
        validate_as=WHOLE_TASK,
        report=_NOTHING_REPORTED,
    )


def _what_is_left(work: Work) -> Outcome:
    """Where something is left to read, it is validated anew and makes a revision of its own.

    Else VALIDATE and REPORT answer as they did in the run that had read it all.
    """
    ledger, run = work.ports.ledger, work.unit.context["run"]
    task = ledger.continue_run(work.task_id, run=run, execution=work.unit.context["execution"])
    units = list(ledger.units(work.task_id))
    before = last_plan(units, before=run)
    request = task.request or _fact(before, "request")
    if not request:
        raise IllegalMove(f"Task {work.task_id} has no request to go on with: start it anew")
    parts = divided(_sources(work, before, request), units, run=run, **work.args)
    anew = {"validate_as": item_of(run), "report": {"revision": task.revision}}
    return _planned(
        task,
        sources=len(parts.every),
        left=len(parts.left),
        request=request,
        manifest=work.write("manifest", manifest_body(parts.left)),
        all=work.write("manifest", manifest_body(parts.every)),
        **(anew if parts.left else _as(before)),
    )


def _as(before: Plan | None) -> dict[str, Any]:
    return {
        "validate_as": _fact(before, "validate_as") or WHOLE_TASK,
        "report": _fact(before, "report") or _NOTHING_REPORTED,
    }


def _sources(work: Work, before: Plan | None, request: str) -> tuple[Source, ...]:
    """As the run before had them. Where it died planning, as the request names them."""
    if before:
        return manifest_of(work.read(_fact(before, "all") or _fact(before, "manifest")))
    return work.ports.requests.parse(fields_of(work.read(request))).sources


def _fact(before: Plan | None, name: str) -> Any:
    return before.facts.get(name) if before else None


def _planned(task: TaskRecord, *, sources: int, **facts: Any) -> Outcome:
    """The ids of the run, and where its later states find things."""
    return Outcome.done(
        move=Move(to=Step.FETCH, fields={"sources": sources}),
        task_id=task.task_id,
        execution=task.execution,
        agent_id=task.agent_id,
        workflow_id=task.workflow_id,
        run=task.run,
        complete_as=item_of(task.run),
        sources=sources,
        **facts,
    )


def answer(ran: Ran, unit: Unit, ports: Ports) -> dict[str, Any]:
    """`begin` tells the execution that owns the task from any other that names it."""
    facts = ran.outcome.as_event()
    if facts["execution"] == unit.context["execution"]:
        return {**facts, "begin": True}
    task = ports.ledger.task(unit.task_id)
    stands = task.status.value if task else "UNKNOWN"
    return {
        "task_id": unit.task_id,
        "execution": facts["execution"],
        "stands": stands,
        "begin": False,
    }


handler = step_handler(plan, identify=identify, answer=answer)
