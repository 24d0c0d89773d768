"""The API as docs/openapi.json has it, called at random: no fault of ours, and no other answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy, one_of
from requests import PreparedRequest
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from console.openapi import PAGE
from tests.e2e.account import Account, task_of
from tests.e2e.signed import Signer, signer_of

pytestmark = pytest.mark.e2e

Make = Callable[..., dict[str, Any]]
EXAMPLES = 25
GOES_WELL = {
    "GET /tasks",
    "POST /tasks",
    "GET /tasks/{task_id}",
    "GET /tasks/{task_id}/report",
    "POST /tasks/{task_id}/cancel",
}
"""With some of what is sent there."""
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


def operations() -> dict[str, Any]:
    """By method and path. Every call is signed here: whether one must be is tested elsewhere."""
    document = json.loads(PAGE.read_text(encoding="utf-8"))
    for path in document["paths"].values():
        for operation in path.values():
            operation["security"] = []
    told: Any = schemathesis.openapi.from_dict(document)
    found = [each.ok() for each in told.get_all_operations()]
    return {each.label: each for each in found}


OPERATIONS = operations()


@pytest.fixture
def api(account: Account) -> Signer:
    return signer_of(account)


@pytest.fixture
def known(account: Account, a_request: Make, api: Signer) -> dict[str, Any]:
    """The request of a task that waits for a person, until somebody calls it off."""
    request = a_request()
    api.asks("POST", "/tasks", request)
    account.asked(task_of(request))
    return request


@pytest.mark.parametrize("label", sorted(OPERATIONS))
def test_whatever_is_sent_the_answer_is_one_that_is_written_down(
    label: str, api: Signer, known: dict[str, Any]
) -> None:
    session = requests.Session()
    session.auth = Signature(api)
    session.mount("http://", OwnAddress())
    statuses = set[int]()

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases_of(label, known))
    def call(case: Any) -> None:
        answer = case.call(base_url=api.url, session=session)
        statuses.add(answer.status_code)
        case.validate_response(answer, checks=CHECKS)

    call()
    assert statuses
    assert HTTPStatus.FORBIDDEN not in statuses
    assert label not in GOES_WELL or {HTTPStatus.OK, HTTPStatus.ACCEPTED} & statuses


def cases_of(label: str, known: dict[str, Any]) -> SearchStrategy[Any]:
    """Good and bad ones, half of them about a task that there is."""
    operation = OPERATIONS[label]
    modes = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    told = [operation.as_strategy(mode) for mode in modes]
    if "{task_id}" in label:
        there = {"task_id": task_of(known)}
        told += [operation.as_strategy(mode, path_parameters=there) for mode in modes]
    if label == "POST /tasks":
        told.append(operation.as_strategy(GenerationMode.POSITIVE, body=known))
    return one_of(told)


class Signature(AuthBase):
    def __init__(self, signer: Signer) -> None:
        self._signer = signer

    def __call__(self, asked: PreparedRequest) -> PreparedRequest:
        body = asked.body.encode() if isinstance(asked.body, str) else asked.body
        assert body is None or isinstance(body, bytes)
        method, url = str(asked.method), str(asked.url)
        headers = {name: str(value) for name, value in asked.headers.items()}
        asked.headers.update(self._signer.signed(method, url, headers, body))
        return asked


class OwnAddress(HTTPAdapter):
    """Of another visitor than the other tests' are: pages of approvals count how often one asks."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs, source_address=("127.0.0.23", 0))
