"""Tab: what is completed, by a real bash, and that whatever fails completes nothing."""

from __future__ import annotations

import os
import shlex
import subprocess
from types import SimpleNamespace
from typing import Any, cast

import pytest
import typer
from typer.testing import CliRunner

from console.account import ROOT, Account
from console.app import app
from console.completing import Shell, schedule_names, script, task_ids
from console.errors import Refused
from lambdas.agent.errors import ServiceUnavailable
from tests.console.bench import Bench
from tests.console.test_schedules import a_schedule


def tab(*words: str) -> list[str]:
    """What bash offers for the last word."""
    typed = " ".join(map(shlex.quote, words))
    lines = (
        f'eval "$({shlex.quote(str(ROOT / "ratchet"))} completion bash)"',
        f"COMP_WORDS=({typed}) COMP_CWORD={len(words) - 1}",
        "_ratchet_completion ./ratchet",
        'printf "%s\\n" "${COMPREPLY[@]}"',
        "complete -p ratchet >&2",
    )
    ran = subprocess.run(  # noqa: S603  # our own lines
        ["/bin/bash", "-c", "\n".join(lines)],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
        env={**os.environ, "RATCHET_SANDBOX": "/nowhere-at-all"},
    )
    assert "-F _ratchet_completion ratchet" in ran.stderr
    return ran.stdout.split()


def context_of(find: Any) -> typer.Context:
    root = SimpleNamespace(obj=SimpleNamespace(find=find), params={})
    return cast("typer.Context", SimpleNamespace(find_root=lambda: root))


def test_bash_completes_commands_from_any_folder() -> None:
    assert tab("./ratchet", "sta") == ["start", "status"]


def test_bash_completes_subcommands_and_options() -> None:
    assert tab("./ratchet", "schedule", "p") == ["pause"]
    assert "--retry-set-aside" in tab("./ratchet", "resume", "--re")


@pytest.mark.parametrize("shell", Shell)
def test_each_shell_is_given_a_script_that_calls_this_checkout(shell: Shell) -> None:
    result = CliRunner().invoke(app, ["completion", shell.value])

    assert result.exit_code == 0
    assert result.stdout == f"{script(shell)}\n"
    assert str(ROOT / "ratchet") in result.stdout


def test_a_shell_that_is_none_of_them_is_refused() -> None:
    result = CliRunner().invoke(app, ["completion", "csh"])

    assert result.exit_code == 2


def test_tasks_are_completed_by_their_ids(bench: Bench) -> None:
    story = bench.story()
    story.plan()
    task_id = str(story.state["task_id"])
    context = context_of(lambda: bench.account)

    assert task_ids(context, task_id[:4]) == [task_id]
    assert task_ids(context, "none-of-them") == []


@pytest.mark.parametrize(
    ("command", "parameter"),
    [("list", "before"), ("status", "task"), ("cancel", "task"), ("resume", "task")],
)
def test_wherever_a_task_is_named_its_id_is_completed(
    bench: Bench, command: str, parameter: str
) -> None:
    task_id = str(bench.story().plan()["task_id"])
    typed = cast("Any", typer.main.get_command(app)).commands[command]
    desk = SimpleNamespace(find=lambda: bench.account)
    (named,) = (each for each in typed.params if each.name == parameter)

    offered = named.shell_complete(typer.Context(typed, obj=desk), task_id[:4])

    assert [each.value for each in offered] == [task_id]


def test_schedules_are_completed_by_their_names(bench: Bench) -> None:
    a_schedule(bench, "daily")

    assert schedule_names(context_of(lambda: bench.account), "da") == ["daily"]


@pytest.mark.parametrize(
    "error", [Refused("There is no account"), ServiceUnavailable("DynamoDB does not answer")]
)
def test_whatever_fails_completes_nothing(error: Exception) -> None:
    def find() -> Account:
        raise error

    assert task_ids(context_of(find), "") == []
    assert schedule_names(context_of(find), "") == []
