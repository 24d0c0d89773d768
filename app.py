"""What `cdk synth` and `cdk deploy` read. The sandbox names itself by the context `sandbox`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks

from lambdas.adapters.request_schema import PydanticRequests
from lambdas.agent.errors import InvalidRequest
from stacks.bundles import HERE
from stacks.deployment import Deployment
from stacks.endpoints import addresses, webhooks
from stacks.research_stack import ResearchStack
from stacks.timetable import Scheduled, timetable


def deployment_of(app: App) -> Deployment:
    contact = str(app.node.try_get_context("contact") or "")
    sandbox = app.node.try_get_context("sandbox")
    loopback_site = str(app.node.try_get_context("loopback_site") or "")
    chaos = str(app.node.try_get_context("chaos") or "")
    if not sandbox:
        return Deployment(
            contact=contact,
            loopback_site=loopback_site,
            chaos=chaos,
            source_bucket=str(app.node.try_get_context("source_bucket") or ""),
            schedules=_schedules(app.node.try_get_context("schedules")),
            webhooks=webhooks(app.node.try_get_context("webhooks")),
            mail=addresses(app.node.try_get_context("mail")),
            **_pace(app.node.try_get_context),
            **_jobs(app.node.try_get_context),
        )
    told = json.loads(Path(sandbox).read_text())
    return Deployment(
        keeps_data=False,
        contact=contact,
        target=HERE,
        bootstrap=told["bootstrap"],
        loopback_site=told["site"],
        execute_api=told.get("execute_api", ""),
        chaos=told.get("chaos", ""),
        source_bucket=told.get("source_bucket", ""),
        schedules=_schedules(told.get("schedules")),
        webhooks=webhooks(_at(told["site"], told.get("webhooks")), loopback_site=told["site"]),
        **_pace(told.get),
        **_jobs(told.get),
        sources_at_once=told["sources_at_once"],
        approval_window_seconds=told["approval_window_seconds"],
    )


def _at(site: str, told: Any) -> Any:
    """In the sandbox a webhook may lead to its sample site, whose address is known at its start."""
    return json.loads(json.dumps(told).replace("{site}", f"http://{site}"))


def _schedules(told: Any) -> tuple[Scheduled, ...]:
    """Each with its request, which may be the path of a file; a wrong one fails the synth."""
    listed = [_with_request(one) for one in told or ()]
    found = timetable(listed)
    for one in found:
        try:
            PydanticRequests().parse(one.request)
        except InvalidRequest as faults:
            raise ValueError(f"The request of schedule {one.name} has faults: {faults}") from None
    return found


def _with_request(one: Any) -> Any:
    if not isinstance(one, dict) or not isinstance(one.get("request"), str):
        return one
    file = Path(__file__).parent / one["request"]
    try:
        return {**one, "request": json.loads(file.read_text(encoding="utf-8"))}
    except (OSError, ValueError) as error:
        raise ValueError(f"The request {file} of a schedule cannot be read: {error}") from None


def _pace(setting: Callable[[str], Any]) -> dict[str, Any]:
    told = setting("seconds_between")
    if told is None:
        return {}
    try:
        return {"seconds_between": float(told)}
    except (TypeError, ValueError):
        raise ValueError(
            f"seconds_between is {told!r}: write a number of seconds, from 0 to 60"
        ) from None


def _jobs(setting: Callable[[str], Any]) -> dict[str, Any]:
    names = (
        "model_url",
        "model_name",
        "model_secret",
        "model_price",
        "bedrock_model",
        "bedrock_price",
    )
    model = {name: str(setting(name) or "") for name in names}
    model["model_api"] = str(setting("model_api") or "responses")
    return {**model, "ocr": str(setting("ocr")).lower() == "true"}


def main() -> None:
    app = App()
    if app.node.try_get_context("sandbox"):
        # It is deployed from where the bundles lie: thousands of files need not be copied.
        app.node.set_context("aws:cdk:disable-asset-staging", value=True)
    ResearchStack(app, "Ratchet", deployment=deployment_of(app))
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    app.synth()


if __name__ == "__main__":
    main()
