"""The synth: the same template everywhere, without Docker, account, network or command line.

The app is synthesized anew from copies of the project, in processes that know nothing of ours but
Python and Node. pip's part of the bundles is shared, for there is no network to ask.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App

from app import deployment_of
from stacks.bundles import AWS, Bundle, unzipped_size
from tests.infrastructure.assemblies import CONTEXT, PROJECT, Assembly
from tests.infrastructure.templates import Template, functions, references, strings

UNZIPPED = 65_000_000  # of the 250 MB that Lambda takes
TEMPLATE = 200_000  # bytes, of the 1 MB that CloudFormation takes
SAYS_WHAT_IS_DEPLOYED = ("Ratchet.template.json", "Ratchet.assets.json", "manifest.json")

Copy = Callable[[str], Path]


def test_another_folder_home_and_user_and_what_tools_leave_behind_change_nothing(
    aws: Assembly, elsewhere: Assembly
) -> None:
    assert _deployed(elsewhere) == _deployed(aws)


def test_the_assets_hold_the_same_bytes_wherever_they_are_built(
    aws: Assembly, elsewhere: Assembly
) -> None:
    assert len(aws.assets()) == len(Bundle)
    for ours, theirs in zip(aws.assets(), elsewhere.assets(), strict=True):
        assert _contents(theirs) == _contents(ours)


def test_an_edited_file_changes_the_names_of_the_code_and_nothing_else(
    elsewhere: Assembly, copy: Copy, anywhere: Path
) -> None:
    project = copy("edited")
    with (project / "lambdas/adapters/templates/report.md.j2").open("a") as file:
        file.write("edited")

    edited = _synthesize(project, anywhere).template

    before, after = functions(elsewhere.template), functions(edited)
    assert all(before[name]["Code"] != after[name]["Code"] for name in before)
    assert _without_hashes(edited) == _without_hashes(elsewhere.template)


def test_a_synth_needs_no_docker_account_or_network(elsewhere: Assembly, anywhere: Path) -> None:
    """The processes above had none, and the app looked nothing up."""
    environment = _nothing_of_ours(anywhere, Path("any"))

    assert shutil.which("docker", path=environment["PATH"]) is None
    assert not [name for name in environment if name.startswith("AWS_")]
    assert "missing" not in elsewhere.read("manifest.json")
    assert elsewhere.read("manifest.json")["artifacts"]["Ratchet"]["environment"] == (
        "aws://unknown-account/unknown-region"
    )


def test_no_file_of_the_assembly_names_a_place_on_this_machine(
    aws: Assembly, sandbox: Assembly
) -> None:
    for assembly in (aws, sandbox):
        files = list(assembly.folder.glob("*.json"))
        assert len(files) >= 5
        for file in files:
            for place in (PROJECT, Path.home(), Path(sys.prefix), assembly.folder):
                assert str(place) not in file.read_text(), file.name


def test_no_arn_is_written_for_one_partition_region_or_account(either: Template) -> None:
    for text in strings(either["Resources"]):
        assert not re.search(r"arn:aws|\b[a-z]{2}(-gov)?-[a-z]+-\d\b|\b\d{12}\b", text), text


@pytest.mark.parametrize("deployment", ["aws", "sandbox"])
def test_what_is_deployed_stays_far_below_the_limits(
    request: pytest.FixtureRequest, deployment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assembly: Assembly = request.getfixturevalue(deployment)
    sizes = [unzipped_size(asset) for asset in assembly.assets()]
    template = (assembly.folder / "Ratchet.template.json").stat().st_size

    with capsys.disabled():
        megabytes = ", ".join(f"{size / 1e6:.1f} MB" for size in sizes)
        sys.stdout.write(f" {deployment}: assets {megabytes}; template {template / 1e3:.0f} kB ")
    assert len(sizes) == len(Bundle)
    assert max(sizes) < UNZIPPED
    assert template < TEMPLATE


def test_the_pinned_command_line_reads_what_the_pinned_library_writes(
    aws: Assembly, tmp_path: Path
) -> None:
    cdk = PROJECT / "node_modules/.bin/cdk"
    command = [str(cdk), "list", "--app", str(aws.folder), "--no-notices"]
    listed = subprocess.run(  # noqa: S603 ours
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert listed.stdout.split() == ["Ratchet"], listed.stderr


def test_the_library_and_the_command_line_are_pinned_to_one_version_each() -> None:
    pins = (PROJECT / "requirements.txt").read_text()
    package = json.loads((PROJECT / "package.json").read_text())

    assert re.search(r"^aws-cdk-lib==\d+\.\d+\.\d+$", pins, re.MULTILINE)
    assert re.fullmatch(r"\d+\.\d+\.\d+", package["dependencies"]["aws-cdk"])


def test_a_deployment_to_aws_may_read_no_address_of_its_own_machine() -> None:
    app = App(context={**CONTEXT, "loopback_site": "127.0.0.1:8099"})

    with pytest.raises(ValueError, match="only the sandbox may read an address of its own machine"):
        deployment_of(app)


def test_a_deployment_to_aws_may_tell_no_function_to_die() -> None:
    app = App(context={**CONTEXT, "chaos": '{"folder": "any"}'})

    with pytest.raises(ValueError, match="only the sandbox's functions may be told to die"):
        deployment_of(app)


def test_the_outputs_tell_the_command_line_where_everything_is(either: Template) -> None:
    outputs = {name: each["Value"] for name, each in either["Outputs"].items()}

    assert len(outputs) == 11
    kinds = {
        name: either["Resources"][target]["Type"]
        for name, value in outputs.items()
        for target in references(value)
    }
    assert kinds == {
        "StateMachine": "AWS::StepFunctions::StateMachine",
        "LedgerTable": "AWS::DynamoDB::Table",
        "ArtifactBucket": "AWS::S3::Bucket",
        "DecideFunction": "AWS::Lambda::Function",
        "CancelFunction": "AWS::Lambda::Function",
        "HttpUrl": "AWS::ApiGatewayV2::Api",
        "SealKey": "AWS::KMS::Key",
        "ScheduleGroup": "AWS::Scheduler::ScheduleGroup",
        "TickFunction": "AWS::Lambda::Function",
        "NoticeTopic": "AWS::SNS::Topic",
        "TellingMachine": "AWS::StepFunctions::StateMachine",
    }


@pytest.fixture(scope="module")
def elsewhere(copy: Copy, anywhere: Path) -> Assembly:
    """What somebody else gets, who has worked in the project for a while."""
    project = copy("elsewhere")
    for leftover in (
        "lambdas/__pycache__/wiring.cpython-313.pyc",
        "lambdas/steps/.mypy_cache/any.json",
        "lambdas/.pytest_cache/any",
        ".ruff_cache/any",
        "cdk.out/any",
        "tests/test_any.py",
    ):
        (project / leftover).parent.mkdir(parents=True, exist_ok=True)
        (project / leftover).write_text("any")
    return _synthesize(project, anywhere)


@pytest.fixture(scope="module")
def copy(aws: Assembly, tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """Makes a copy of what a synth needs; `aws` has seen to it that pip's part is there."""
    folder = tmp_path_factory.mktemp("copies")
    assert aws.assets()

    def copy(name: str) -> Path:
        project, clean = folder / name, shutil.ignore_patterns("__pycache__", ".*")
        for part in ("stacks", "statemachines", "lambdas"):
            shutil.copytree(PROJECT / part, project / part, ignore=clean)
        for file in ("app.py", "cdk.json"):
            shutil.copy(PROJECT / file, project)
        bundles = project / ".build/bundles"
        bundles.mkdir(parents=True)
        for packages in (PROJECT / ".build/bundles").glob("packages-*"):
            (bundles / packages.name).symlink_to(packages)
        return project

    return copy


@pytest.fixture(scope="module")
def anywhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Somebody else's machine: a home, a folder for temporary files, Node, and Lambda's Python
    if this machine has one.
    """
    machine = tmp_path_factory.mktemp("machine")
    for name in ("home", "temporary", "bin"):
        (machine / name).mkdir()
    (machine / "bin/node").symlink_to(str(shutil.which("node")))
    for found in _lambdas_python():
        (machine / f"bin/python{AWS.python}").symlink_to(found)
    return machine


def _synthesize(project: Path, machine: Path) -> Assembly:
    assembly = project / "assembly"
    done = subprocess.run(
        [sys.executable, "app.py"],
        cwd=project,
        env=_nothing_of_ours(machine, assembly),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Assembly(folder=assembly)


def _nothing_of_ours(machine: Path, assembly: Path) -> dict[str, str]:
    nowhere = "http://127.0.0.1:9"  # the port that discards; nobody listens
    return {
        "PATH": str(machine / "bin"),
        "HOME": str(machine / "home"),
        "TMPDIR": str(machine / "temporary"),
        "USER": "somebody-else",
        "HOSTNAME": "another-machine",
        "HTTP_PROXY": nowhere,
        "HTTPS_PROXY": nowhere,
        "CDK_OUTDIR": str(assembly),
        "CDK_CONTEXT_JSON": json.dumps(CONTEXT),
        **_jsii_cache(),
    }


def _jsii_cache() -> dict[str, str]:
    """A new home would be given the unpacked library first: ten seconds, and nothing learnt."""
    cache = Path.home() / ".cache/aws/jsii/package-cache"
    return {"JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(cache)} if cache.is_dir() else {}


def _lambdas_python() -> list[str]:
    """The interpreter itself: what is on the PATH may be a shim that finds it by the PATH."""
    found = shutil.which(f"python{AWS.python}")
    command = [found or sys.executable, "-c", "import sys; print(sys.executable)"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 found
    return answer.stdout.split() if found else []


def _deployed(assembly: Assembly) -> dict[str, Any]:
    files = {name: (assembly.folder / name).read_text() for name in SAYS_WHAT_IS_DEPLOYED}
    return {**files, "assets": [asset.name for asset in assembly.assets()]}


def _contents(asset: Path) -> dict[str, str]:
    return {
        path.relative_to(asset).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in asset.rglob("*")
        if path.is_file()
    }


def _without_hashes(template: Template) -> str:
    return re.sub(r"[0-9a-f]{64}", "HASH", json.dumps(template))
