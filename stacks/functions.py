"""One Lambda for each state and each door, from the bundles."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from lambdas.agent.contract import Door, Step, budget
from lambdas.agent.endpoints import written
from lambdas.settings import PREFIX, Settings
from stacks.bundles import Bundle, code
from stacks.deployment import Deployment

_BUNDLES = {
    Step.PLAN: Bundle.LISTS,
    Step.REPORT: Bundle.EDGES,
    Step.RECORD_FAILURE: Bundle.EDGES,  # before PLAN only the request tells which task failed
    Step.FETCH: Bundle.WEB,
    Step.EXTRACT: Bundle.READERS,
    Step.ANALYZE: Bundle.EDGES,  # a model's answer is held to a schema
    Step.TELL: Bundle.HOOKS,
}
_MEMORY = {
    Step.PLAN: 1024,
    Step.EXTRACT: 1024,
    Step.ANALYZE: 1024,
    Step.VALIDATE: 1024,
    Step.REPORT: 1024,
}
_DOOR_BUNDLES = {
    Door.APPROVALS: Bundle.EDGES,
    Door.TICK: Bundle.EDGES,
    Door.API: Bundle.EDGES,
}
_DOOR_SECONDS = {Door.SWEEP: 300}
_DOOR_MEMORY = {Door.APPROVALS: 1024, Door.TICK: 1024, Door.API: 1024}
STARTS_RUNS = (Door.SWEEP, Door.TICK, Door.API)
_QUICK = 20
"""Seconds of a door that somebody waits at; API Gateway waits for 30."""


class Functions(Construct):
    """`steps` and `doors` by name. None may do anything yet: the stack grants."""

    def __init__(
        self, scope: Construct, id_: str, *, deployment: Deployment, settings: Settings
    ) -> None:
        super().__init__(scope, id_)
        self._deployment = deployment
        self._environment = {
            **settings.as_environment(),
            "POWERTOOLS_SERVICE_NAME": "ratchet",
            "POWERTOOLS_LOG_LEVEL": "INFO",
        }
        self.steps = {
            step: self._function(
                step.value,
                step.handler,
                bundle=_BUNDLES.get(step, Bundle.CORE),
                seconds=budget(step).function,
                memory=_MEMORY.get(step, 512),
            )
            for step in Step
        }
        self.doors = {
            door: self._function(
                door.value,
                door.handler,
                bundle=_DOOR_BUNDLES.get(door, Bundle.CORE),
                seconds=_DOOR_SECONDS.get(door, _QUICK),
                memory=_DOOR_MEMORY.get(door, 512),
            )
            for door in Door
        }

    @property
    def everyone(self) -> Mapping[Step | Door, lambda_.IFunction]:
        named: list[tuple[Step | Door, lambda_.IFunction]] = [
            *self.steps.items(),
            *self.doors.items(),
        ]
        return dict(named)

    def tell_of_the_machine(self, state_machine: str) -> None:
        """After the machine is there, which needs the other functions first."""
        for door in STARTS_RUNS:
            self.doors[door].add_environment(f"{PREFIX}STATE_MACHINE", state_machine)

    def tell_who_is_told(self, *, machine: str, topic: str, http_url: str) -> None:
        """Likewise: what NOTICE begins, and TELL writes to. The address of a webhook may hold a
        key, so nobody else is told it.
        """
        notice, tell = self.doors[Door.NOTICE], self.steps[Step.TELL]
        notice.add_environment(f"{PREFIX}TELLING_MACHINE", machine)
        for function in (notice, tell):
            endpoints = written(self._deployment.webhooks)
            function.add_environment(f"{PREFIX}WEBHOOKS", endpoints)
        tell.add_environment(f"{PREFIX}NOTICE_TOPIC", topic)
        tell.add_environment(f"{PREFIX}HTTP_URL", http_url)

    def _function(
        self, name: str, handler: str, *, bundle: Bundle, seconds: int, memory: int
    ) -> lambda_.Function:
        deployment = self._deployment
        log_group = logs.LogGroup(
            self,
            f"{name}-log",
            retention=logs.RetentionDays.THREE_MONTHS,
            removal_policy=RemovalPolicy.DESTROY,
        )
        return lambda_.Function(
            self,
            name,
            description=f"Ratchet: {name}",
            code=code(bundle, deployment.target, extra=deployment.extra_files),
            handler=handler,
            runtime=deployment.runtime,
            architecture=deployment.architecture,
            timeout=Duration.seconds(seconds),
            memory_size=memory,
            environment=self._environment,
            tracing=lambda_.Tracing.ACTIVE,
            role=self._role(name, log_group),
            log_group=log_group,
        )

    def _role(self, name: str, log_group: logs.LogGroup) -> iam.Role:
        """Its own log group and nothing more; AWS's managed policy would name every group."""
        role = iam.Role(
            self, f"{name}-role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com")
        )
        log_group.grant_write(role)
        return role
