"""The deployed state machine: the story, its log and its trace."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import Duration
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from constructs import Construct

from lambdas.agent.contract import Step
from stacks.deployment import Deployment
from stacks.machines import standard_machine
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
        self.machine = standard_machine(self, "Research", story=definition, deployment=deployment)
