"""What happens by the clock: the sweeper looks for what nobody works on any more."""

from __future__ import annotations

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from stacks.deployment import Deployment

SWEEP_EVERY = Duration.minutes(5)


class Schedule(Construct):
    def __init__(
        self, scope: Construct, id_: str, *, deployment: Deployment, sweep: lambda_.IFunction
    ) -> None:
        super().__init__(scope, id_)
        policy = events.RuleTargetInput.from_object({"abandoned": deployment.abandoned})
        # A sweep that fails is not tried again: the next one is due in minutes.
        target = targets.LambdaFunction(sweep, event=policy, retry_attempts=0)
        events.Rule(
            self,
            "Sweep",
            description="Ratchet: find runs that nobody works on any more",
            schedule=events.Schedule.rate(SWEEP_EVERY),
            targets=[target],
        )
