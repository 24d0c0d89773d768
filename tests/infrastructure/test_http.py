"""What answers over HTTP: which routes there are, who may call them, and what is logged."""

from __future__ import annotations

import json

import pytest

from console.openapi import document
from lambdas.agent.api_routes import ROUTES
from lambdas.agent.contract import Door
from stacks.http_api import AT_ONCE, REQUESTS_A_SECOND
from tests.infrastructure.templates import Template, functions, resources

TWENTY_SECONDS, GATEWAY = 20, 30
"""What a door has, and what API Gateway waits."""


def _routes(template: Template) -> dict[str, str]:
    routes = resources(template, "AWS::ApiGatewayV2::Route").values()
    return {
        each["Properties"]["RouteKey"]: each["Properties"].get("AuthorizationType", "NONE")
        for each in routes
    }


def test_an_approvals_page_is_open_to_whoever_has_its_link(either: Template) -> None:
    open_ones = {route for route, kind in _routes(either).items() if kind == "NONE"}

    assert open_ones == {
        "GET /approvals/{id}",
        "HEAD /approvals/{id}",
        "POST /approvals/{id}",
        "GET /approvals/{id}/report",
    }


@pytest.mark.promise("R34")
def test_the_api_is_for_whoever_iam_lets_in(either: Template) -> None:
    signed = {route for route, kind in _routes(either).items() if kind == "AWS_IAM"}

    assert signed == {
        *(f"{route.method} {route.path}" for route in ROUTES),
        "ANY /tasks",
        "ANY /tasks/{proxy+}",
    }
    assert set(_routes(either).values()) == {"NONE", "AWS_IAM"}


def test_what_is_written_about_the_api_names_every_route_and_no_other(either: Template) -> None:
    written = {
        f"{method.upper()} {path}"
        for path, operations in document()["paths"].items()
        for method in operations
    }

    assert written == {route for route in _routes(either) if not route.startswith("ANY ")}


@pytest.mark.promise("R33")
def test_the_log_names_the_route_and_never_the_address(either: Template) -> None:
    (stage,) = resources(either, "AWS::ApiGatewayV2::Stage").values()
    told = json.loads(stage["Properties"]["AccessLogSettings"]["Format"])

    assert told["route"] == "$context.routeKey"
    assert not [each for each in told.values() if "path" in each.lower() or "query" in each.lower()]


def test_everybody_together_is_throttled(either: Template) -> None:
    (stage,) = resources(either, "AWS::ApiGatewayV2::Stage").values()

    assert stage["Properties"]["DefaultRouteSettings"] == {
        "ThrottlingRateLimit": REQUESTS_A_SECOND,
        "ThrottlingBurstLimit": AT_ONCE,
    }


@pytest.mark.promise("R18")
def test_a_page_ends_before_the_gateway_stops_waiting(template: Template) -> None:
    for door in (Door.APPROVALS, Door.API):
        assert functions(template)[door.handler]["Timeout"] == TWENTY_SECONDS < GATEWAY
