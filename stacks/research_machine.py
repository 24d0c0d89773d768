"""The deployed state machine: the story, its log and its trace."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from lambdas.agent.contract import Step
from stacks.deployment import Deployment
from statemachines.research import story


class ResearchMachine(Construct):
    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        deployment: Deployment,
        functions: Mapping[Step, lambda_.IFunction],
        artifacts: s3.IBucket,
    ) -> None:
        super().__init__(scope, id_)
        definition = story(
            self,
            functions=functions,
            artifacts=artifacts,
            approval_window=Duration.seconds(deployment.approval_window_seconds),
            sources_at_once=deployment.sources_at_once,
        )
        log_group = logs.LogGroup(
            self,
            "Log",
            retention=logs.RetentionDays.THREE_MONTHS,
            removal_policy=RemovalPolicy.DESTROY,
        )
        self.machine = sfn.StateMachine(
            self,
            "Research",
            definition_body=sfn.DefinitionBody.from_chainable(definition),
            timeout=Duration.days(deployment.execution_days),
            state_machine_type=sfn.StateMachineType.STANDARD,
            # Inputs and outputs stay out of the log: a request may hold what only its owner knows.
            logs=sfn.LogOptions(
                destination=log_group, level=sfn.LogLevel.ALL, include_execution_data=False
            ),
            tracing_enabled=True,
        )
