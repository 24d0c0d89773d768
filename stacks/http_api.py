"""What answers over HTTP: the pages of approvals, open to whoever has their link, and the API."""

from __future__ import annotations

import json
from typing import cast

from aws_cdk import RemovalPolicy
from aws_cdk import aws_apigatewayv2 as apigatewayv2
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from stacks.deployment import Deployment

REQUESTS_A_SECOND, AT_ONCE = 20, 40
"""Of everybody together; each visitor of an approval's page has a quota of their own."""

TASKS = {
    "/tasks": ("GET", "POST", "ANY"),
    "/tasks/{task_id}": ("GET",),
    "/tasks/{task_id}/report": ("GET",),
    "/tasks/{task_id}/cancel": ("POST",),
    "/tasks/{task_id}/resume": ("POST",),
    "/tasks/{proxy+}": ("ANY",),
}
"""ANY is told by the API itself that there is nothing, or no such method."""

# The route and not the path: an approval's path is what its visitor is let in by.
_LOGGED = {
    "request_id": "$context.requestId",
    "route": "$context.routeKey",
    "status": "$context.status",
    "latency_ms": "$context.responseLatency",
    "at": "$context.requestTime",
}


class Http(Construct):
    """`url` is the address below which the routes lie, without a slash at its end."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        deployment: Deployment,
        approvals: lambda_.IFunction,
        tasks: lambda_.IFunction,
    ) -> None:
        super().__init__(scope, id_)
        self.api = apigatewayv2.HttpApi(
            self, "Api", description="Ratchet: approvals and tasks", create_default_stage=False
        )
        log_group = logs.LogGroup(
            self,
            "Log",
            retention=logs.RetentionDays.THREE_MONTHS,
            removal_policy=RemovalPolicy.DESTROY,
        )
        self.stage = apigatewayv2.HttpStage(
            self,
            "Stage",
            http_api=self.api,
            stage_name="$default",
            auto_deploy=True,
            throttle=apigatewayv2.ThrottleSettings(
                rate_limit=REQUESTS_A_SECOND, burst_limit=AT_ONCE
            ),
        )
        _log(self.stage, log_group)
        self.url = _url(self.api, deployment)
        page = integrations.HttpLambdaIntegration("Approvals", approvals)
        looking = [apigatewayv2.HttpMethod.GET, apigatewayv2.HttpMethod.HEAD]
        self.approvals = [
            *self.api.add_routes(
                path="/approvals/{id}",
                methods=[*looking, apigatewayv2.HttpMethod.POST],
                integration=page,
            ),
            *self.api.add_routes(
                path="/approvals/{id}/report",
                methods=[apigatewayv2.HttpMethod.GET],
                integration=page,
            ),
        ]
        self._add_tasks(tasks)

    def _add_tasks(self, tasks: lambda_.IFunction) -> None:
        """For whoever IAM lets in, call by call."""
        answering = integrations.HttpLambdaIntegration("Tasks", tasks)
        for path, methods in TASKS.items():
            self.api.add_routes(
                path=path,
                methods=[apigatewayv2.HttpMethod[method] for method in methods],
                integration=answering,
                authorizer=authorizers.HttpIamAuthorizer(),
            )


def _log(stage: apigatewayv2.HttpStage, log_group: logs.ILogGroup) -> None:
    resource = cast("apigatewayv2.CfnStage", stage.node.default_child)
    resource.access_log_settings = apigatewayv2.CfnStage.AccessLogSettingsProperty(
        destination_arn=log_group.log_group_arn, format=json.dumps(_LOGGED)
    )


def _url(api: apigatewayv2.HttpApi, deployment: Deployment) -> str:
    if deployment.execute_api:
        return f"{deployment.execute_api}/{api.api_id}/$default"
    return api.api_endpoint
