"""What `cdk synth` and `cdk deploy` read. The sandbox names itself by the context `sandbox`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks

from stacks.bundles import HERE
from stacks.deployment import Deployment
from stacks.research_stack import ResearchStack


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
            **_jobs(app.node.try_get_context),
        )
    told = json.loads(Path(sandbox).read_text())
    return Deployment(
        keeps_data=False,
        contact=contact,
        target=HERE,
        bootstrap=told["bootstrap"],
        loopback_site=told["site"],
        chaos=told.get("chaos", ""),
        **_jobs(told.get),
        sources_at_once=told["sources_at_once"],
        approval_window_seconds=told["approval_window_seconds"],
    )


def _jobs(setting: Callable[[str], Any]) -> dict[str, Any]:
    names = ("model_url", "model_name", "model_secret")
    model = {name: str(setting(name) or "") for name in names}
    return {**model, "ocr": str(setting("ocr")).lower() == "true"}


def main() -> None:
    app = App()
    ResearchStack(app, "Ratchet", deployment=deployment_of(app))
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    app.synth()


if __name__ == "__main__":
    main()
