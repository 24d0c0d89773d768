"""Which models a deployed function has, by its settings."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from lambdas.adapters.bedrock_jobs import BedrockJobs
from lambdas.adapters.openai_chat import OpenAiChat
from lambdas.adapters.openai_jobs import OpenAiJobs
from lambdas.agent.costs import Price
from lambdas.settings import Settings
from lambdas.wiring import Deployed, _single_attempts

NEITHER = Settings(
    ledger_table="any",
    artifact_bucket="any",
    event_bus="any",
    seal_key="any",
    contact="any",
    retention_days=90,
    seconds_between=1.0,
    source_bucket="",
    loopback_site="",
    chaos="",
    model_url="",
    model_name="",
    model_secret="",
    model_api="responses",
    bedrock_model="",
    ocr=False,
)
OPENAI = replace(NEITHER, model_url="https://model.example", model_name="small-1")


def test_a_deployment_that_names_no_model_has_none() -> None:
    assert Deployed(NEITHER).model is None
    assert Deployed(NEITHER).bedrock is None


@pytest.mark.parametrize(("api", "kind"), [("responses", OpenAiJobs), ("chat", OpenAiChat)])
def test_the_setting_says_how_a_model_is_asked(api: str, kind: type) -> None:
    assert type(Deployed(replace(OPENAI, model_api=api)).model) is kind


def test_bedrock_is_there_where_a_model_is_named() -> None:
    assert isinstance(Deployed(replace(NEITHER, bedrock_model="any.model")).bedrock, BedrockJobs)


def test_a_model_knows_its_price_where_the_settings_say_one() -> None:
    priced = Deployed(replace(OPENAI, model_price="0.8/4", bedrock_model="m", bedrock_price="1/2"))
    free = Deployed(replace(OPENAI, bedrock_model="m"))

    assert priced.model is not None
    assert priced.model.price == Price(input=Decimal("0.8"), output=Decimal(4))
    assert priced.bedrock is not None
    assert priced.bedrock.price == Price(input=Decimal(1), output=Decimal(2))
    assert [free.model and free.model.price, free.bedrock and free.bedrock.price] == [None, None]


@pytest.mark.promise("R18")
def test_a_client_of_bedrock_tries_once_and_ends_in_time() -> None:
    client = _single_attempts(30)

    assert client.meta.config.retries["total_max_attempts"] == 1
    assert client.meta.config.connect_timeout + client.meta.config.read_timeout == 30
    assert _single_attempts(30) is client
