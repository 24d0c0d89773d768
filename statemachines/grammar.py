"""The verbs the story is told with. Catch is said once, here, and retry in `retries`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aws_cdk import Duration
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

from lambdas.agent.contract import Progress, Status, Step, budget
from statemachines.retries import KILLED, retry_what_may_pass

Functions = Mapping[Step, lambda_.IFunction]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """One grammar tells one graph: a Map's inner states need a grammar of their own, because
    no state in a Map may lead to a state outside it.
    """

    scope: Construct
    functions: Functions
    otherwise: sfn.IChainable
    """Where a state goes whose failure no retry has healed."""
    failure: str = "$.failure"
    """The path where what was caught stays, beside the input that it was caught with."""

    def do(
        self,
        step: Step,
        told: Mapping[str, Any],
        *,
        keep: str = sfn.JsonPath.DISCARD,
        refused: Mapping[str, sfn.IChainable] | None = None,
    ) -> tasks.LambdaInvoke:
        """Run a step; retry what may pass, hand the rest to `otherwise`.

        The answer is discarded unless a later state needs it: `keep` is the path where it
        stays. `refused` names errors that have an end of their own.
        """
        task = tasks.LambdaInvoke(
            self.scope,
            step.value,
            lambda_function=self.functions[step],
            payload=_event(step, told),
            payload_response_only=True,
            retry_on_service_exceptions=False,
            result_path=keep,
            task_timeout=sfn.Timeout.duration(Duration.seconds(budget(step).state)),
        )
        return self._guarded(task, step, killed=KILLED, refused=refused or {})

    def until_done(
        self,
        step: Step,
        told: Mapping[str, Any],
        *,
        keep: str,
        then: sfn.IChainable,
        refused: Mapping[str, sfn.IChainable] | None = None,
    ) -> sfn.Chain:
        """Run a step again while it answers CONTINUE; wait first while it answers PENDING.

        Where its answer is all that is kept, it says itself what it is told the next time.
        """
        task = self.do(step, told, keep=keep, refused=refused)
        wait = sfn.Wait(
            self.scope, f"{step}_WAIT", time=sfn.WaitTime.seconds_path(f"{keep}.wait_seconds")
        )
        choice = (
            sfn.Choice(self.scope, f"{step}_DONE?")
            .when(_is(f"{keep}.progress", Progress.CONTINUE), task)
            .when(_is(f"{keep}.progress", Progress.PENDING), wait.next(task))
            .otherwise(then)
        )
        return task.next(choice)

    def ask(
        self,
        step: Step,
        told: Mapping[str, Any],
        *,
        keep: str,
        within: Duration,
        expired: sfn.IChainable,
    ) -> tasks.LambdaInvoke:
        """Hand out a task token and sleep until somebody answers. Their timeout is no fault."""
        task = tasks.LambdaInvoke(
            self.scope,
            step.value,
            lambda_function=self.functions[step],
            integration_pattern=sfn.IntegrationPattern.WAIT_FOR_TASK_TOKEN,
            payload=_event(step, told),
            retry_on_service_exceptions=False,
            result_path=keep,
            task_timeout=sfn.Timeout.duration(within),
        )
        killed = tuple(name for name in KILLED if name != "States.Timeout")
        return self._guarded(task, step, killed=killed, refused={"States.Timeout": expired})

    def for_each(
        self,
        name: str,
        one: sfn.IChainable,
        *,
        manifest: tuple[s3.IBucket, str],
        results: tuple[s3.IBucket, str],
        item: Mapping[str, str],
        at_once: int,
    ) -> sfn.DistributedMap:
        """Run a story for each entry of a JSON array in S3, each in an execution of its own."""
        loop = sfn.DistributedMap(
            self.scope,
            name,
            map_execution_type=sfn.StateMachineType.STANDARD,
            item_reader=sfn.S3JsonItemReader(bucket=manifest[0], key=_paths(manifest[1])),
            item_selector=_paths(item),
            result_writer_v2=sfn.ResultWriterV2(bucket=results[0], prefix=results[1]),
            result_path=sfn.JsonPath.DISCARD,
            max_concurrency=at_once,
        )
        loop.item_processor(one)
        # What is done answers from the ledger: a Map that is begun again repeats nothing.
        loop.add_retry(
            errors=["States.ItemReaderFailed", "States.ResultWriterFailed"],
            interval=Duration.seconds(5),
            backoff_rate=2,
            max_attempts=3,
            jitter_strategy=sfn.JitterType.FULL,
        )
        loop.add_catch(self.otherwise, errors=["States.ALL"], result_path=self.failure)
        return loop

    def by_answer(
        self,
        name: str,
        answer: str,
        ways: Mapping[str, sfn.IChainable],
        *,
        otherwise: sfn.IChainable,
    ) -> sfn.Choice:
        """Somebody may answer a token by hand: what does not say one of the ways is none."""
        choice = sfn.Choice(self.scope, name)
        for said, way in ways.items():
            present = sfn.Condition.is_present(answer)
            choice.when(sfn.Condition.and_(present, _is(answer, said)), way)
        return choice.otherwise(otherwise)

    def wrap(self, name: str, path: str) -> sfn.Pass:
        """Put the input, whatever it is, under a name: beside it a caught error finds a place."""
        return sfn.Pass(self.scope, name, parameters={path.removeprefix("$."): _paths("$")})

    def if_true(self, name: str, flag: str, then: sfn.IChainable, *, otherwise: str) -> sfn.Choice:
        yes = sfn.Condition.boolean_equals(flag, value=True)
        no = sfn.Succeed(self.scope, otherwise)
        return sfn.Choice(self.scope, name).when(yes, then).otherwise(no)

    def if_present(
        self, name: str, path: str, then: sfn.IChainable, otherwise: sfn.IChainable
    ) -> sfn.Choice:
        """Ask whether an answer says something at all."""
        return (
            sfn.Choice(self.scope, name)
            .when(sfn.Condition.is_present(path), then)
            .otherwise(otherwise)
        )

    def if_any(
        self, name: str, number: str, then: sfn.IChainable, *, otherwise: sfn.IChainable
    ) -> sfn.Choice:
        some = sfn.Condition.number_greater_than(number, 0)
        return sfn.Choice(self.scope, name).when(some, then).otherwise(otherwise)

    def end_as(self, status: Status) -> sfn.Pass:
        """An end of its own, which is no failure: COMPLETE writes it into the record."""
        result = sfn.Result.from_object({"status": status.value})
        return sfn.Pass(self.scope, status.value, result=result, result_path="$.end")

    def _guarded(
        self,
        task: tasks.LambdaInvoke,
        step: Step,
        *,
        killed: Sequence[str],
        refused: Mapping[str, sfn.IChainable],
    ) -> tasks.LambdaInvoke:
        retry_what_may_pass(task, step, killed=killed)
        for error, end in refused.items():
            task.add_catch(end, errors=[error], result_path=self.failure)
        task.add_catch(self.otherwise, errors=["States.ALL"], result_path=self.failure)
        return task


def fail_as(scope: Construct, name: str) -> sfn.Fail:
    """The execution fails with the error that was caught first."""
    return sfn.Fail(scope, name, error_path="$.failure.Error", cause_path="$.failure.Cause")


def _event(step: Step, told: Mapping[str, Any]) -> sfn.TaskInput:
    return sfn.TaskInput.from_object({"step": step.value, **_paths(told)})


def _paths(told: Any) -> Any:
    """Strings that begin with '$' become paths, at any depth."""
    if isinstance(told, Mapping):
        return {name: _paths(value) for name, value in told.items()}
    return sfn.JsonPath.string_at(told) if str(told).startswith("$") else told


def _is(variable: str, value: str) -> sfn.Condition:
    return sfn.Condition.string_equals(variable, value)
