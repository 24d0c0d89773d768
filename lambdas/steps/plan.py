"""PLAN: the request becomes a task and a manifest of its sources.

Reads    the request, as typed or as an artifact.
Writes   the request with its defaults and the manifest, as artifacts; the task's record.
Effects  none outside.
Repeats  safely; a second execution of the task is told how the first stands, and ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lambdas.agent.codec import manifest_body, request_body
from lambdas.agent.contract import Step
from lambdas.agent.intake import input_id, request_from, task_of
from lambdas.agent.model import Move, NewTask, Outcome, Unit
from lambdas.agent.ports import Ports
from lambdas.agent.runtime import Ran, Work
from lambdas.entry import step_handler


def identify(event: Mapping[str, Any], ports: Ports) -> Unit:
    """A task is its agent and workflow, whoever starts it; its input is the whole request."""
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


def plan(work: Work) -> Outcome:
    request = work.unit.context["request"]
    task = work.ports.ledger.accept(
        NewTask(
            task_id=work.task_id,
            agent_id=request.agent_id,
            workflow_id=request.workflow_id,
            input_id=work.args["input_id"],
            execution=work.unit.context["execution"],
        )
    )
    return Outcome.done(
        move=Move(to=Step.FETCH, fields={"sources": len(request.sources)}),
        task_id=work.task_id,
        execution=task.execution,
        agent_id=task.agent_id,
        workflow_id=task.workflow_id,
        run=task.run,
        request=work.write("request", request_body(request)),
        manifest=work.write("manifest", manifest_body(request.sources)),
        sources=len(request.sources),
        report={"revision": 0},
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
