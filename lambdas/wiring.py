"""The composition root: the one place that knows which adapter serves which port.

What a function does not use is neither built nor imported.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

from lambdas.adapters.system_clock import SystemClock
from lambdas.agent.ports import (
    Analyst,
    Announcer,
    Artifacts,
    Callbacks,
    Clock,
    Fetcher,
    Ledger,
    Ports,
    Reader,
    Renderer,
    Requests,
    Shelf,
)
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

        return HttpFetcher(
            user_agent=f"Ratchet/0.1 (+{self._settings.contact})",
            loopback_site=self._settings.loopback_site,
        )

    @cached_property
    def reader(self) -> Reader:
        from lambdas.adapters.trafilatura_reader import TrafilaturaReader

        return TrafilaturaReader()

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
    def announcer(self) -> Announcer:
        from lambdas.adapters.eventbridge_announcer import EventBridgeAnnouncer

        return EventBridgeAnnouncer(_client("events"), self._settings.event_bus)

    @cached_property
    def callbacks(self) -> Callbacks:
        from lambdas.adapters.stepfunctions_callbacks import StepFunctionsCallbacks

        return StepFunctionsCallbacks(_client("stepfunctions"))


@cache
def ports() -> Ports:
    return Deployed(Settings.from_environment())


@cache
def _client(service: Any) -> Any:
    import boto3

    from lambdas.adapters.aws_faults import CLIENT

    return boto3.client(service, config=CLIENT)
