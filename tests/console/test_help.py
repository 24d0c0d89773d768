"""What is written about the command line is the command line's own word."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from console.app import app
from console.manual import PAGE, manual


def test_the_page_about_the_command_line_is_up_to_date() -> None:
    """`python -m console.manual` writes it anew."""
    assert PAGE.read_text(encoding="utf-8") == manual()


def test_every_command_and_option_says_what_it_does() -> None:
    blank = [line for line in manual().splitlines() if line.endswith(("| |", "| None |"))]

    assert blank == ["| | |"] * len(blank)


@pytest.mark.parametrize("command", [[], ["start"], ["sandbox", "serve"]])
def test_help_fits_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERMINAL_WIDTH", "60")

    shown = CliRunner().invoke(app, [*command, "--help"])

    assert shown.exit_code == 0
    assert max(len(line) for line in shown.output.splitlines()) <= 60
