"""Keys from Secrets Manager."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from moto import mock_aws

from lambdas.adapters.secrets_manager import SecretsManagerSecrets
from lambdas.agent.errors import Unexpected
from tests.contracts.table import REGION


@pytest.fixture
def client() -> Any:
    with mock_aws():
        yield boto3.client("secretsmanager", region_name=REGION)


def test_a_secret_is_read_once_in_a_process(client: Any) -> None:
    client.create_secret(Name="model", SecretString="sk-1\n")
    secrets = SecretsManagerSecrets(client)

    assert secrets.get("model") == "sk-1"
    client.delete_secret(SecretId="model", ForceDeleteWithoutRecovery=True)
    assert secrets.get("model") == "sk-1"


@pytest.mark.promise("R33")
@pytest.mark.parametrize("value", [" ", "two\nlines", "schlüssel", "split\r\nHeader: x"])
def test_what_cannot_be_a_key_is_refused_without_being_told(client: Any, value: str) -> None:
    client.create_secret(Name="model", SecretString=value)

    with pytest.raises(Unexpected) as refused:
        SecretsManagerSecrets(client).get("model")
    assert refused.value.code == "SECRET_INVALID"
    assert value.strip() == "" or value.strip() not in str(refused.value)


def test_a_secret_that_is_not_there_is_a_fault_of_ours(client: Any) -> None:
    with pytest.raises(Unexpected, match="reading the secret model"):
        SecretsManagerSecrets(client).get("model")
