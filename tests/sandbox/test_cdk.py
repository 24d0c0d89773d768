from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from sandbox import account, cdk
from sandbox.errors import DeploymentFailed
from tests.sandbox.conftest import wait_for_the_end_of


def a_cdk(tmp_path: Path, script: str) -> cdk.Cdk:
    program = tmp_path / "cdk"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    environment = cdk.environment(account.credentials("any"), os.environ)
    return cdk.Cdk(program=program, folder=tmp_path, environment=environment)


def test_a_command_that_succeeds_says_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log"

    with cdk.Command(a_cdk(tmp_path, 'echo "$@"'), log, "deploy", "--all") as command:
        command.finish()

    assert log.read_text() == "deploy --all --no-notices --no-version-reporting\n"


def test_a_command_that_fails_shows_the_end_of_its_log(tmp_path: Path) -> None:
    failing = a_cdk(tmp_path, "echo one; echo 'AccessDenied: no' >&2; exit 3")

    with (
        pytest.raises(DeploymentFailed, match=r"`cdk deploy` failed .* 3(.|\n)*AccessDenied: no"),
        cdk.Command(failing, tmp_path / "log", "deploy") as command,
    ):
        command.finish()


def test_leaving_the_block_ends_the_command_and_all_it_started(tmp_path: Path) -> None:
    log = tmp_path / "log"
    endless = a_cdk(tmp_path, "sleep 600 & echo $!; wait")

    with cdk.Command(endless, log, "synth"):
        while not log.read_text():
            time.sleep(0.01)

    wait_for_the_end_of(int(log.read_text()))


def test_a_checkout_without_the_cdk_says_what_to_do(tmp_path: Path) -> None:
    missing = cdk.Cdk(program=tmp_path / "cdk", folder=tmp_path, environment={})

    with pytest.raises(DeploymentFailed, match="`make` installs it"):
        cdk.Command(missing, tmp_path / "log", "synth")


def test_nothing_of_the_users_account_reaches_the_cdk() -> None:
    users = {
        "AWS_PROFILE": "production",
        "AWS_ACCESS_KEY_ID": "AKIAUSERS",
        "CDK_DEFAULT_ACCOUNT": "123456789012",
        "HOME": "/home/any",
        "PATH": "/usr/bin",
    }

    given = cdk.environment(account.credentials("http://127.0.0.1:1"), users)

    assert "production" not in given.values()
    assert "AKIAUSERS" not in given.values()
    assert "CDK_DEFAULT_ACCOUNT" not in given
    assert given["AWS_ENDPOINT_URL"] == "http://127.0.0.1:1"
    assert given["HOME"] == "/home/any"
    assert given["PATH"] == f"{sys.prefix}/bin:/usr/bin"
