"""The whole deployment: composed of its units, then granted, then told."""

from __future__ import annotations

from typing import Any

from aws_cdk import CfnOutput, Stack
from aws_cdk import aws_events as events
from constructs import Construct

from lambdas.agent.contract import Door, Step
from lambdas.settings import Settings
from stacks import grants, reviewed
from stacks.deployment import Deployment
from stacks.functions import STARTS_RUNS, Functions
from stacks.http_api import Http
from stacks.research_machine import ResearchMachine
from stacks.schedule import Schedule
from stacks.schedules import Schedules
from stacks.storage import Storage
from stacks.telling import Telling


class ResearchStack(Stack):
    def __init__(
        self, scope: Construct, id_: str, *, deployment: Deployment, **kwargs: Any
    ) -> None:
        super().__init__(scope, id_, synthesizer=deployment.synthesizer, **kwargs)

        self.deployment = deployment
        self.storage = Storage(self, "Storage", deployment=deployment)
        self.bus = events.EventBus.from_event_bus_name(self, "Bus", "default")
        self.functions = Functions(
            self,
            "Functions",
            deployment=deployment,
            settings=Settings(
                ledger_table=self.storage.ledger.table_name,
                artifact_bucket=self.storage.artifacts.bucket_name,
                event_bus=self.bus.event_bus_name,
                seal_key=self.storage.seal.key_id,
                contact=deployment.contact,
                retention_days=deployment.retention_days,
                seconds_between=deployment.seconds_between,
                source_bucket=deployment.source_bucket,
                loopback_site=deployment.loopback_site,
                chaos=deployment.chaos,
                model_url=deployment.model_url,
                model_name=deployment.model_name,
                model_secret=deployment.model_secret,
                model_api=deployment.model_api,
                bedrock_model=deployment.bedrock_model,
                model_price=deployment.model_price,
                bedrock_price=deployment.bedrock_price,
                ocr=deployment.ocr,
            ),
        )
        self.research = ResearchMachine(
            self,
            "Machine",
            deployment=deployment,
            functions=self.functions.steps,
            artifacts=self.storage.artifacts,
        )
        self.functions.tell_of_the_machine(self.research.machine.state_machine_arn)

        self.http = Http(
            self,
            "Http",
            deployment=deployment,
            approvals=self.functions.doors[Door.APPROVALS],
            tasks=self.functions.doors[Door.API],
        )

        self.telling = Telling(
            self,
            "Telling",
            deployment=deployment,
            functions=self.functions,
            ledger=self.storage.ledger,
        )
        self.functions.tell_who_is_told(
            machine=self.telling.machine.state_machine_arn,
            topic=self.telling.topic.topic_arn,
            http_url=self.http.url,
        )

        sweep = self.functions.doors[Door.SWEEP]
        Schedule(self, "Schedule", deployment=deployment, sweep=sweep)
        self.schedules = Schedules(
            self, "Schedules", deployment=deployment, tick=self.functions.doors[Door.TICK]
        )

        everyone = self.functions.everyone
        grants.grant_ledger(everyone, self.storage.ledger)
        grants.grant_visits(everyone[Step.FETCH], self.storage.ledger)
        grants.grant_artifacts(everyone, self.storage.artifacts)
        grants.grant_events(everyone, self.bus)
        grants.grant_waking(everyone)
        grants.grant_seals(everyone, self.storage.seal)
        grants.grant_inviting(everyone[Step.APPROVE], self.storage.ledger)
        if deployment.source_bucket:
            objects = grants.objects_arn(self, deployment.source_bucket)
            grants.grant_sources(everyone[Step.FETCH], objects)
        if deployment.model_url:
            secret = grants.secret_arn(self, deployment.model_secret)
            grants.grant_model(everyone, self.storage.ledger, secret)
        if deployment.bedrock_model:
            model = deployment.bedrock_model
            grants.grant_bedrock(everyone, self.storage.ledger, model)
        if deployment.ocr:
            grants.grant_ocr(everyone[Step.EXTRACT], self.storage.ledger)
        grants.grant_listing([sweep, everyone[Door.API]], self.storage.ledger)
        grants.grant_telling(
            everyone,
            machine=self.telling.machine,
            topic=self.telling.topic,
            secrets=(grants.secret_arn(self, each.secret) for each in deployment.webhooks),
        )
        starting = [self.functions.doors[door] for door in STARTS_RUNS]
        grants.grant_starting(starting, self.research.machine)
        grants.grant_stopping(everyone[Door.API], self.research.machine)

        reviewed.acknowledge(self)

        CfnOutput(self, "StateMachine", value=self.research.machine.state_machine_arn)
        CfnOutput(self, "LedgerTable", value=self.storage.ledger.table_name)
        CfnOutput(self, "ArtifactBucket", value=self.storage.artifacts.bucket_name)
        CfnOutput(self, "HttpUrl", value=self.http.url)
        CfnOutput(self, "ScheduleGroup", value=self.schedules.group.ref)
        CfnOutput(self, "TickFunction", value=self.functions.doors[Door.TICK].function_name)
        CfnOutput(self, "NoticeTopic", value=self.telling.topic.topic_arn)
        CfnOutput(self, "TellingMachine", value=self.telling.machine.state_machine_arn)
        CfnOutput(self, "SealKey", value=self.storage.seal.key_id)
        CfnOutput(self, "DecideFunction", value=self.functions.doors[Door.DECIDE].function_name)
        CfnOutput(self, "CancelFunction", value=self.functions.doors[Door.CANCEL].function_name)
