"""The composition root: the one place that knows which adapter serves which port.

What a function does not use is neither built nor imported.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any, cast

from lambdas.adapters.system_clock import SystemClock
from lambdas.agent.approval_ports import ApprovalPages, Callbacks, Chance, Invitations, Quota, Seals
from lambdas.agent.channels import Directory
from lambdas.agent.costs import Price
from lambdas.agent.endpoints import read
from lambdas.agent.ledger_ports import Ledger
from lambdas.agent.manners import PRODUCT_TOKEN
from lambdas.agent.model_ports import Analyst, Answers, Jobs, Memos, Prompts
from lambdas.agent.notice_ports import Announcer, Subscribers, Webhooks
from lambdas.agent.ports import (
    Artifacts,
    Clock,
    Executions,
    Inbox,
    Links,
    Ports,
    Renderer,
    Requests,
    Schedules,
    Shelf,
)
from lambdas.agent.web_ports import Fetcher, Listings, Reader, Robots, Turns, Visits
from lambdas.settings import Settings

FAULTS_IN_A_STATE = 14
"""What a request's refusal spells out there: it travels through a state of 4 KiB."""


class Deployed:
    """The ports of a deployed function, each built at its first use."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @cached_property
    def clock(self) -> Clock:
        return SystemClock()

    @cached_property
    def ledger(self) -> Ledger:
        from lambdas.adapters.dynamodb_ledger import DynamoDbLedger

        table, days = self._settings.ledger_table, self._settings.retention_days
        return DynamoDbLedger(_client("dynamodb"), table, self.clock, retention=days)

    @cached_property
    def artifacts(self) -> Artifacts:
        from lambdas.adapters.s3_artifacts import S3Artifacts

        return S3Artifacts(_client("s3"), self._settings.artifact_bucket)

    @cached_property
    def requests(self) -> Requests:
        from lambdas.adapters.request_schema import PydanticRequests

        return PydanticRequests(listed=FAULTS_IN_A_STATE)

    @cached_property
    def fetcher(self) -> Fetcher:
        from lambdas.adapters.http_fetcher import HttpFetcher
        from lambdas.adapters.http_user_agent import user_agent
        from lambdas.adapters.s3_sources import S3Sources
        from lambdas.adapters.source_fetcher import SourceFetcher

        return SourceFetcher(
            web=HttpFetcher(
                user_agent=user_agent(self._settings.contact),
                loopback_site=self._settings.loopback_site,
            ),
            objects=S3Sources(_client("s3"), self._settings.source_bucket),
        )

    @cached_property
    def robots(self) -> Robots:
        from lambdas.adapters.protego_robots import ProtegoRobots

        return ProtegoRobots(PRODUCT_TOKEN)

    @cached_property
    def turns(self) -> Turns:
        from lambdas.adapters.dynamodb_turns import DynamoDbTurns

        settings = self._settings
        return DynamoDbTurns(
            _client("dynamodb"),
            settings.ledger_table,
            self.clock,
            seconds_between=settings.seconds_between,
            retention=settings.retention_days,
        )

    @cached_property
    def visits(self) -> Visits:
        from lambdas.adapters.dynamodb_visits import DynamoDbVisits

        table, days = self._settings.ledger_table, self._settings.retention_days
        return DynamoDbVisits(_client("dynamodb"), table, self.clock, retention=days)

    @cached_property
    def memos(self) -> Memos:
        from lambdas.adapters.dynamodb_memos import DynamoDbMemos

        table, days = self._settings.ledger_table, self._settings.retention_days
        return DynamoDbMemos(_client("dynamodb"), table, self.clock, retention=days)

    @cached_property
    def reader(self) -> Reader:
        from lambdas.adapters.page_reader import PageReader

        return PageReader(has_ocr=self._settings.ocr)

    @cached_property
    def feeds(self) -> Listings:
        from lambdas.adapters.feed_reader import FeedReader

        return FeedReader()

    @cached_property
    def sitemaps(self) -> Listings:
        from lambdas.adapters.sitemap_reader import SitemapReader

        return SitemapReader()

    @cached_property
    def ocr(self) -> Jobs | None:
        if not self._settings.ocr:
            return None
        from lambdas.adapters.textract_jobs import TextractJobs

        return TextractJobs(_client("textract"), self._settings.artifact_bucket)

    @cached_property
    def model(self) -> Jobs | None:
        settings = self._settings
        if not settings.model_url:
            return None
        from lambdas.adapters.http_json import JsonService
        from lambdas.adapters.openai_chat import OpenAiChat
        from lambdas.adapters.openai_jobs import OpenAiJobs
        from lambdas.adapters.secrets_manager import SecretsManagerSecrets

        api = OpenAiChat if settings.model_api == "chat" else OpenAiJobs
        return api(
            JsonService(settings.model_url),
            model=settings.model_name,
            secrets=SecretsManagerSecrets(_client("secretsmanager")),
            secret=settings.model_secret,
            price=Price.of(settings.model_price),
        )

    @cached_property
    def bedrock(self) -> Jobs | None:
        if not self._settings.bedrock_model:
            return None
        from lambdas.adapters.bedrock_jobs import BedrockJobs

        return BedrockJobs(
            lambda seconds: _single_attempts(max(1, int(seconds))),
            model=self._settings.bedrock_model,
            price=Price.of(self._settings.bedrock_price),
        )

    @cached_property
    def prompts(self) -> Prompts:
        from lambdas.adapters.prompt_files import PromptFiles

        return PromptFiles()

    @cached_property
    def answers(self) -> Answers:
        from lambdas.adapters.answer_schema import PydanticAnswers

        return PydanticAnswers()

    @cached_property
    def analyst(self) -> Analyst:
        from lambdas.adapters.extractive_analyst import ExtractiveAnalyst

        return ExtractiveAnalyst()

    @cached_property
    def renderer(self) -> Renderer:
        from lambdas.adapters.jinja_renderer import JinjaRenderer

        return JinjaRenderer()

    @cached_property
    def shelf(self) -> Shelf:
        from lambdas.adapters.s3_shelf import S3Shelf

        return S3Shelf(_client("s3"), self._settings.artifact_bucket)

    @cached_property
    def links(self) -> Links:
        import boto3

        from lambdas.adapters.s3_links import SIGNING, S3Links

        # Of its own: it signs, and asks nobody anything.
        return S3Links(boto3.client("s3", config=SIGNING), self._settings.artifact_bucket)

    @cached_property
    def announcer(self) -> Announcer:
        from lambdas.adapters.eventbridge_announcer import EventBridgeAnnouncer

        return EventBridgeAnnouncer(_client("events"), self._settings.event_bus)

    @cached_property
    def subscribers(self) -> Subscribers:
        from lambdas.adapters.sns_subscribers import SnsSubscribers

        return SnsSubscribers(_client("sns"), self._settings.notice_topic)

    @cached_property
    def webhooks(self) -> Webhooks:
        from lambdas.adapters.http_user_agent import user_agent
        from lambdas.adapters.secrets_manager import SecretsManagerSecrets
        from lambdas.adapters.standard_webhooks import StandardWebhooks

        return StandardWebhooks(
            secrets=SecretsManagerSecrets(_client("secretsmanager"), keeps=False),
            user_agent=user_agent(self._settings.contact),
            loopback_site=self._settings.loopback_site,
        )

    @cached_property
    def directory(self) -> Directory:
        settings = self._settings
        return Directory(endpoints=read(settings.webhooks), http_url=settings.http_url)

    @cached_property
    def callbacks(self) -> Callbacks:
        from lambdas.adapters.stepfunctions_callbacks import StepFunctionsCallbacks

        return StepFunctionsCallbacks(_client("stepfunctions"))

    @cached_property
    def chance(self) -> Chance:
        from lambdas.adapters.system_chance import SystemChance

        return SystemChance()

    @cached_property
    def seals(self) -> Seals:
        from lambdas.adapters.kms_seals import KmsSeals

        return KmsSeals(_client("kms"), self._settings.seal_key)

    @cached_property
    def invitations(self) -> Invitations:
        from lambdas.adapters.dynamodb_invitations import DynamoDbInvitations

        table, days = self._settings.ledger_table, self._settings.retention_days
        return DynamoDbInvitations(_client("dynamodb"), table, self.clock, retention=days)

    @cached_property
    def quota(self) -> Quota:
        from lambdas.adapters.dynamodb_quota import DynamoDbQuota

        return DynamoDbQuota(_client("dynamodb"), self._settings.ledger_table, self.clock)

    @cached_property
    def approval_pages(self) -> ApprovalPages:
        from lambdas.adapters.approval_pages import HtmlApprovalPages

        return HtmlApprovalPages()

    @cached_property
    def schedules(self) -> Schedules:
        from lambdas.adapters.dynamodb_schedules import DynamoDbSchedules

        table, days = self._settings.ledger_table, self._settings.retention_days
        return DynamoDbSchedules(_client("dynamodb"), table, self.clock, retention=days)

    @cached_property
    def inbox(self) -> Inbox:
        from lambdas.adapters.s3_inbox import S3Inbox

        return S3Inbox(_client("s3"), self._settings.artifact_bucket)

    @cached_property
    def executions(self) -> Executions:
        from lambdas.adapters.stepfunctions_executions import StepFunctionsExecutions

        return StepFunctionsExecutions(_client("stepfunctions"), self._settings.state_machine)

    @cached_property
    def tellings(self) -> Executions:
        from lambdas.adapters.stepfunctions_executions import StepFunctionsExecutions

        return StepFunctionsExecutions(_client("stepfunctions"), self._settings.telling_machine)


def ports() -> Ports:
    """Of this invocation: the deployed ones, or in the sandbox the same with deaths among them."""
    settings, deployed = _deployed()
    return _endangered(deployed, settings.chaos) if settings.chaos else deployed


@cache
def _deployed() -> tuple[Settings, Ports]:
    settings = Settings.from_environment()
    return settings, Deployed(settings)


def _endangered(deployed: Ports, chaos: str) -> Ports:
    from lambdas.adapters.chaos import Chaos
    from lambdas.adapters.endangered import Endangered

    return cast("Ports", Endangered(deployed, Chaos.parse(chaos)))


@cache
def _client(service: Any) -> Any:
    import boto3

    from lambdas.adapters.aws_faults import CLIENT

    return boto3.client(service, config=CLIENT)


@cache
def _single_attempts(seconds: int) -> Any:
    """One client for each length of a call: almost always the same, the budget's."""
    import boto3

    from lambdas.adapters.aws_faults import single_attempt

    return boto3.client("bedrock-runtime", config=single_attempt(seconds))
