"""PLAN: the request becomes a task and a manifest of its sources; or what is left of them.

Reads    the request, as typed or as an artifact; the feeds and sitemaps it names; in a
         continuation, what earlier runs have done. Where the run is compared with the report
         before: that one's readings, and the pages that may be as they were.
Writes   the request with its defaults and the manifest, as artifacts; the task's record; for a list
         that could not be read, or not wholly, why; of pages that are as they were the units that
         the Map would have done.
Effects  none outside that a site could notice twice: a GET.
Repeats  safely; many lists take many laps, and the cursor knows where they are. A second execution
         of the task is told how the first stands, and ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lambdas.agent.baseline import Baseline, chosen
from lambdas.agent.codec import fields_of, manifest_body, manifest_of, request_body
from lambdas.agent.continuing import Continuation, Division, item_of
from lambdas.agent.contract import Progress, Step
from lambdas.agent.earlier_plans import (
    NOTHING_REPORTED,
    as_before,
    fact,
    last_plan,
    manifest_before,
    revisions_begun,
)
from lambdas.agent.errors import IllegalMove
from lambdas.agent.intake import input_id, request_from, task_of
from lambdas.agent.model import WHOLE_TASK, Outcome, Unit
from lambdas.agent.ports import Ports
from lambdas.agent.request import PREVIOUS, Allowance, Request, Source
from lambdas.agent.revisiting import Carrying
from lambdas.agent.runtime import Ran
from lambdas.agent.sources_of_run import as_divided, as_named
from lambdas.agent.spending import ends_at, in_words
from lambdas.agent.tasks import Move, NewTask, TaskRecord
from lambdas.agent.work import Work
from lambdas.entry import step_handler


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
        context={**context, "run": again.run, "again": again.as_input()},
    )


def plan(work: Work) -> Outcome:
    return _everything(work) if work.unit.item == WHOLE_TASK else _what_is_left(work)


def _everything(work: Work) -> Outcome:
    request = work.unit.context["request"]
    ref = work.cursor.get("request") or work.write("request", request_body(request))
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
    takes_long = request.baseline or any(asked.kind.is_list for asked in request.sources)
    if takes_long and task.execution != work.unit.context["execution"]:
        return _left_to_its_owner(work, task)
    baseline = _before(work, task, request)
    told = {"execution": task.execution, "request": ref}
    told |= {"baseline": baseline} if baseline else {}
    parts = as_named(work, request, told=told)
    if isinstance(parts, Outcome):
        return parts
    left = _without_unchanged(work, request, parts.left, told)
    if isinstance(left, Outcome):
        return left
    begun = {"validate_as": WHOLE_TASK, "report": NOTHING_REPORTED}
    facts = {"request": ref, "baseline": baseline, **begun}
    return _planned(work, task, replace(parts, left=left), request.budget, **facts)


def _before(work: Work, task: TaskRecord, request: Request) -> str:
    """The artifact that names the report before; empty where the request asks for no comparison."""
    if request.baseline != PREVIOUS:
        return ""
    known = work.cursor.get("baseline")
    return known or work.write("baseline", chosen(work, task, request_body(request)).body())


def _without_unchanged(
    work: Work, request: Request, left: tuple[Source, ...], told: Mapping[str, Any]
) -> Outcome | tuple[Source, ...]:
    """A continuation leaves them all to the Map: what it finds done shifts from lap to lap."""
    if "baseline" not in told:
        return left
    baseline = Baseline.of(work.read(told["baseline"]))
    carrying = Carrying(work=work, baseline=baseline, request=request, request_ref=told["request"])
    return carrying.over(left, told)


def _left_to_its_owner(work: Work, task: TaskRecord) -> Outcome:
    """Another execution has the task, and asks its sites: this one changes nothing."""
    cursor = {**work.cursor, "execution": task.execution}
    return Outcome.go_on(cursor, result=work.result_so_far())


def _what_is_left(work: Work) -> Outcome:
    """Where something is left to read, it is validated anew and makes a revision of its own.

    Else VALIDATE and REPORT answer as they did in the run that had read it all.
    """
    ledger, run = work.ports.ledger, work.unit.context["run"]
    task = ledger.continue_run(work.task_id, run=run, execution=work.unit.context["execution"])
    units = list(ledger.units(work.task_id))
    before = last_plan(units, before=run)
    ref = task.request or fact(before, "request")
    if not ref:
        raise IllegalMove(f"Task {work.task_id} has no request to go on with: start it anew")
    request = work.ports.requests.parse(fields_of(work.read(ref)))
    sources = manifest_of(work.read(manifest_before(before))) if before else None
    parts = as_divided(work, task, request, sources, units)
    if isinstance(parts, Outcome):
        return parts
    anew = {"validate_as": item_of(run), "report": {"revision": revisions_begun(units)}}
    is_new = parts.left or parts.every != sources
    baseline = fact(before, "baseline") if before else _before(work, task, request)
    facts = {"request": ref, "baseline": baseline or ""}
    stands = anew if is_new else as_before(before)
    return _planned(work, task, parts, request.budget, **facts, **stands)


def _planned(
    work: Work, task: TaskRecord, parts: Division, budget: Allowance | None, **facts: Any
) -> Outcome:
    """The ids of the run, and where its later states find things."""
    to_read = [replace(source, also=()) for source in parts.left]  # each is a state of its own
    return Outcome.done(
        move=Move(to=Step.FETCH, fields={"sources": len(parts.every), **_limits(budget)}),
        task_id=task.task_id,
        execution=task.execution,
        agent_id=task.agent_id,
        workflow_id=task.workflow_id,
        run=task.run,
        complete_as=item_of(task.run),
        sources=len(parts.every),
        left=len(parts.left),
        until=ends_at(budget, task.updated_at),  # when this run took the task on
        manifest=work.write("manifest", manifest_body(to_read)),
        all=work.write("manifest", manifest_body(parts.every)),
        **facts,
    )


def _limits(budget: Allowance | None) -> dict[str, str]:
    return {"budget": in_words(budget)} if budget else {}


def answer(ran: Ran, unit: Unit, ports: Ports) -> dict[str, Any]:
    """`begin` tells the execution that owns the task from any other that names it."""
    outcome = ran.outcome
    owner = outcome.facts.get("execution") or outcome.cursor["execution"]
    if owner != unit.context["execution"]:
        return _known_already(unit, owner, ports)
    if outcome.progress is Progress.DONE:
        return {**outcome.as_event(), "begin": True}
    return {**outcome.as_event(), "task_id": unit.task_id, "request": _again(unit, outcome)}


def _known_already(unit: Unit, owner: str, ports: Ports) -> dict[str, Any]:
    task = ports.ledger.task(unit.task_id)
    return {
        "progress": Progress.DONE.value,
        "task_id": unit.task_id,
        "execution": owner,
        "stands": task.status.value if task else "UNKNOWN",
        "begin": False,
    }


def _again(unit: Unit, outcome: Outcome) -> Any:
    """What the next lap is told: it replaces the state, so that the state stays small."""
    return unit.context.get("again") or {"request_ref": outcome.cursor["request"]}


handler = step_handler(plan, identify=identify, answer=answer)
