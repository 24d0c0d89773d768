"""One notice by one channel, told in order: TELL until it is taken, or given up.

Beside the research run and not in it: what nobody takes undoes nothing of a run, and what waits a
day for a receiver keeps no run waiting.
"""

from __future__ import annotations

from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from lambdas.agent.contract import Step
from statemachines.grammar import Functions, Grammar, fail_as

# Every field is the notice's name: the same notice is the same unit of work.
_NAMES = {name: f"$.{name}" for name in ("task_id", "kind", "occasion", "channel")}
_TELL = {
    "task_id": "$.task_id",
    "args": _NAMES,
    "context": {"execution": "$$.Execution.Name"},
}


def story(scope: Construct, *, functions: Functions) -> sfn.IChainable:
    run = Grammar(scope=scope, functions=functions, otherwise=fail_as(scope, "NOT_TOLD"))
    parked = sfn.Fail(scope, "PARKED", error="PARKED", cause_path="$.telling.cause")
    ended = run.by_answer(
        "TAKEN?", "$.telling.told", {"PARKED": parked}, otherwise=sfn.Succeed(scope, "TOLD")
    )
    return run.until_done(Step.TELL, _TELL, keep="$.telling", then=ended)
