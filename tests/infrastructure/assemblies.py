"""What a synth leaves behind: the template and the files beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks

from app import deployment_of
from stacks.research_stack import ResearchStack
from tests.infrastructure.templates import Template

PROJECT: Final = Path(__file__).resolve().parents[2]
SHIPPED: Final[Mapping[str, Any]] = json.loads((PROJECT / "cdk.json").read_text())["context"]
CONTEXT: Final[Mapping[str, Any]] = {**SHIPPED, "bedrock_model": ""}
"""Without a model, so that each test says itself what its deployment has."""
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """A folder that `cdk deploy` takes."""

    folder: Path

    @property
    def template(self) -> Template:
        return self.read("Ratchet.template.json")

    def read(self, name: str) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.folder / name).read_text())
        return content

    def assets(self) -> list[Path]:
        return sorted(self.folder.glob("asset.*"))


def synthesize(
    folder: Path,
    context: Mapping[str, Any] = _NOTHING,
    *,
    change: Callable[[ResearchStack], None] = lambda _: None,
) -> Assembly:
    """As `app.py` does it, in this process; `change` is what somebody adds to the stack."""
    app = App(outdir=str(folder), context={**CONTEXT, **context})
    change(ResearchStack(app, "Ratchet", deployment=deployment_of(app)))
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    app.synth()
    return Assembly(folder=folder)
