"""`docs/story.md`, drawn from the synthesized definition: `python -m stacks.diagram [--check]`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from aws_cdk import App, Stack
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from constructs import Construct

from lambdas.agent.contract import Step
from stacks.deployment import Deployment
from stacks.research_machine import ResearchMachine
from stacks.telling import machine_of
from statemachines.definition import TELLING, Definition, definition_in
from statemachines.diagram import page

_PROJECT: Final = Path(__file__).resolve().parent.parent
STORY: Final = _PROJECT / "docs/story.md"
_STALE: Final = (
    "docs/story.md does not show the state machine as it is: run `make diagram` and commit it.\n"
)


def main(arguments: Sequence[str], *, story: Path = STORY) -> int:
    drawn = page(*synthesized())
    if "--check" not in arguments:
        story.write_text(drawn)
    elif not story.exists() or story.read_text() != drawn:
        sys.stderr.write(_STALE)
        return 1
    return 0


def synthesized() -> tuple[Definition, Definition]:
    """Both machines alone, over functions that are only named: no bundle has to be built."""
    context = json.loads((_PROJECT / "cdk.json").read_text())["context"]
    with TemporaryDirectory() as assembly:
        app = App(context=context, outdir=assembly)
        _compose(Stack(app, "Story"))
        template = app.synth().get_stack_by_name("Story").template
        return definition_in(template), definition_in(template, TELLING)


def _compose(stack: Stack) -> None:
    arn = "arn:aws:lambda:eu-west-1:111122223333:function"
    functions: dict[Step, lambda_.IFunction] = {
        step: lambda_.Function.from_function_arn(stack, step.value, f"{arn}:{step}")
        for step in Step
    }
    machine_of(Construct(stack, "Telling"), deployment=Deployment(), functions=functions)
    ResearchMachine(
        stack,
        "Machine",
        deployment=Deployment(),
        functions=functions,
        artifacts=s3.Bucket.from_bucket_name(stack, "Artifacts", "artifacts"),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
