"""A state machine as every one here is: standard, traced, its events logged without their data."""

from __future__ import annotations

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_logs as logs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from stacks.deployment import Deployment


def standard_machine(
    scope: Construct, id_: str, *, story: sfn.IChainable, deployment: Deployment
) -> sfn.StateMachine:
    log_group = logs.LogGroup(
        scope,
        "Log",
        retention=logs.RetentionDays.THREE_MONTHS,
        removal_policy=RemovalPolicy.DESTROY,
    )
    return sfn.StateMachine(
        scope,
        id_,
        definition_body=sfn.DefinitionBody.from_chainable(story),
        timeout=Duration.days(deployment.execution_days),
        state_machine_type=sfn.StateMachineType.STANDARD,
        # Inputs and outputs stay out of the log: a request may hold what only its owner knows.
        logs=sfn.LogOptions(
            destination=log_group, level=sfn.LogLevel.ALL, include_execution_data=False
        ),
        tracing_enabled=True,
    )
