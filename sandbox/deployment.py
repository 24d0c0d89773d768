"""Bootstrap and deploy the app into the account; skip what is there already."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from contextlib import ExitStack

from sandbox import account, cdk
from sandbox.digest import digest
from sandbox.lambda_runtime import base_python, bootstrap, install_runtime, runtime_folder
from sandbox.places import Places, write_json
from sandbox.zips import keep_zips

Outputs = Mapping[str, Mapping[str, str]]
"""What each stack answers, by the names its outputs have."""

# It lies in the account, so that it is saved, lost and restored together with what it speaks of.
_DEPLOYED = "/sandbox/deployed"
_TOOLKIT = "CDKToolkit"


def deploy(
    places: Places, endpoint: str, context: Mapping[str, object], say: Callable[[str], None]
) -> Outputs:
    """See to it that the account runs the app as it is on disk now, told this context."""
    wanted = digest(places.root, context)
    if _deployed(endpoint) != wanted:
        write_json(places.context, context)
        _deploy(places, endpoint, say)
        account.client("ssm", endpoint).put_parameter(
            Name=_DEPLOYED, Value=wanted, Type="String", Overwrite=True
        )
    install_runtime(places.build)  # an account outlives the folder of what was built for it
    return _outputs(endpoint)


def sandbox_context(places: Places, site: str, endpoint: str) -> dict[str, object]:
    """What `app.py` is told, so that it builds for this machine and may read the sample site."""
    return {
        "site": site.removeprefix("http://"),
        "execute_api": f"{endpoint}/_aws/execute-api",
        "bootstrap": bootstrap(runtime_folder(places.build), base_python()),
        "sources_at_once": 4,  # two processes a core are about what a laptop takes
        "seconds_between": 0,  # the one site that it reads is its own
        "approval_window_seconds": 24 * 3600,
    }


def _deploy(places: Places, endpoint: str, say: Callable[[str], None]) -> None:
    """Bootstrapping the account and synthesizing the app know nothing of each other: they run
    side by side, and the deployment takes the finished assembly.
    """
    environment = cdk.environment(account.credentials(endpoint))
    program = places.root / "node_modules/.bin/cdk"
    here = cdk.Cdk(program=program, folder=places.root, environment=environment)
    # Outside of the app's folder, or the CDK would synthesize the app to bootstrap an account.
    outside = cdk.Cdk(program=program, folder=places.home, environment=environment)
    assembly = places.home / "cdk.out"
    shutil.rmtree(assembly, ignore_errors=True)  # it would keep every bundle it ever held

    say("synthesizing the app")
    context = f"sandbox={places.context}"
    synth = ("synth", "--quiet", "--context", context, "--output", str(assembly))
    with ExitStack() as running:
        commands = [running.enter_context(cdk.Command(here, places.log("synth"), *synth))]
        if _TOOLKIT not in _stacks(endpoint):
            say("bootstrapping the account")
            target = f"aws://{account.ACCOUNT_ID}/{account.REGION}"
            log = places.log("bootstrap")
            commands.append(running.enter_context(cdk.Command(outside, log, "bootstrap", target)))
        install_runtime(places.build)
        for command in commands:
            command.finish()

    say("deploying the app")
    keep_zips(assembly, places.build)
    deploy = ("deploy", "--all", "--app", str(assembly), "--require-approval", "never")
    with cdk.Command(here, places.log("deploy"), *deploy, "--method", "direct") as deployment:
        deployment.finish()


def _deployed(endpoint: str) -> str | None:
    ssm = account.client("ssm", endpoint)
    try:
        return str(ssm.get_parameter(Name=_DEPLOYED)["Parameter"]["Value"])
    except ssm.exceptions.ParameterNotFound:
        return None


def _outputs(endpoint: str) -> Outputs:
    stacks = _stacks(endpoint)
    return {name: outputs for name, outputs in stacks.items() if name != _TOOLKIT}


def _stacks(endpoint: str) -> dict[str, dict[str, str]]:
    pages = account.client("cloudformation", endpoint).get_paginator("describe_stacks").paginate()
    return {
        stack["StackName"]: {
            output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])
        }
        for page in pages
        for stack in page["Stacks"]
    }
