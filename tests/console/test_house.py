"""`sandbox serve` and `sandbox status`, while nothing is up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from console.account import ROOT
from console.app import app
from console.requests import read


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "saved pages"
    folder.mkdir()
    (folder / "one.html").write_text("<p>one")
    (folder / "two.html.gz").write_bytes(b"")
    return folder


def test_serve_writes_a_request_for_every_page_with_the_site_left_open(
    tmp_path: Path, pages: Path
) -> None:
    file = tmp_path / "out" / "request.json"

    result = ratchet(
        tmp_path,
        "sandbox",
        "serve",
        str(pages),
        "--request",
        str(file),
        "--question",
        "What is it?",
    )

    assert result.exit_code == 0
    assert read(file)["questions"] == ["What is it?"]
    assert read(file)["sources"] == [
        {"url": "{site}/saved-pages/one.html"},
        {"url": "{site}/saved-pages/two.html"},
    ]
    assert "asks about 2 pages" in result.stdout


def test_serve_remembers_the_folder_under_its_name(tmp_path: Path, pages: Path) -> None:
    ratchet(tmp_path, "sandbox", "serve", str(pages), "--as", "mine")

    told = json.loads(ratchet(tmp_path, "sandbox", "status", "--json").stdout)
    assert told["mounts"]["mine"] == str(pages)
    assert told["is_running"] is False


def test_serve_refuses_a_folder_that_is_not_there(tmp_path: Path) -> None:
    result = ratchet(tmp_path, "sandbox", "serve", str(tmp_path / "absent"))

    assert result.exit_code == 1
    assert "is not a folder" in result.stderr


@pytest.mark.parametrize("half", [("--request", "r.json"), ("--question", "What is it?")])
def test_serve_wants_a_request_and_its_questions_together(
    tmp_path: Path, pages: Path, half: tuple[str, str]
) -> None:
    result = ratchet(tmp_path, "sandbox", "serve", str(pages), *half)

    assert result.exit_code == 2
    assert "give --request and --question together" in result.stderr


def test_serve_writes_no_request_that_would_be_refused(tmp_path: Path, pages: Path) -> None:
    file = tmp_path / "request.json"

    result = ratchet(
        tmp_path, "sandbox", "serve", str(pages), "--request", str(file), "--question", "?"
    )

    assert result.exit_code == 2
    assert "questions[0]" in result.stderr
    assert not file.exists()


def test_status_says_how_to_start_it_and_answers_a_script(tmp_path: Path) -> None:
    result = ratchet(tmp_path, "sandbox", "status")

    assert result.exit_code == 1
    assert "`make sandbox` starts it" in result.stdout


def test_down_has_nothing_to_stop(tmp_path: Path) -> None:
    result = ratchet(tmp_path, "sandbox", "down")

    assert result.exit_code == 0
    assert "it was not running" in result.stderr


def test_demo_tells_the_faults_before_it_starts_anything(tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text('{"agent_id": 7}')

    result = ratchet(tmp_path, "demo", str(file))

    assert result.exit_code == 2
    assert "- agent_id: must be a string" in result.stderr
    assert "Sandbox:" not in result.stderr


def test_demo_refuses_an_edition_that_is_not_there_and_names_those_that_are(
    tmp_path: Path,
) -> None:
    result = ratchet(tmp_path, "demo", str(ROOT / "examples/acme/request.json"), "--edition", "9")

    assert result.exit_code == 2
    assert "has no edition 9: name one of those there are, 1, 2." in result.stderr
    assert "Sandbox:" not in result.stderr


def test_demo_knows_one_edition_of_what_is_no_sample_site(tmp_path: Path, pages: Path) -> None:
    file = tmp_path / "request.json"
    asking = ("--request", str(file), "--question", "What is it?")
    ratchet(tmp_path, "sandbox", "serve", str(pages), *asking)

    result = ratchet(tmp_path, "demo", str(file), "--edition", "2")

    assert result.exit_code == 2
    assert "name one of those there are, 1." in result.stderr


def ratchet(home: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["--sandbox-home", str(home / "home"), *arguments])
