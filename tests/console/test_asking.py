"""The question at the terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from console import asking
from console.watch import Look, looks
from lambdas.agent.contract import Decision
from lambdas.agent.verdicts import NOTE_LIMIT, Verdict
from tests.console.bench import Bench, until_asked


@pytest.fixture
def look(bench: Bench) -> Look:
    story = until_asked(bench.story())
    return next(looks(bench.account, story.state["task_id"], story.execution))


@pytest.mark.parametrize(
    ("typed", "verdict"),
    [
        ("approve\n", (Decision.APPROVED, "")),
        ("changes\nadd prices\n", (Decision.CHANGES_REQUESTED, "add prices")),
        ("reject\n\n  \nno\n", (Decision.REJECTED, "no")),
        ("what?\napprove\n", (Decision.APPROVED, "")),
    ],
)
def test_takes_the_persons_word(
    bench: Bench, look: Look, keyboard: Keyboard, typed: str, verdict: tuple[Decision, str]
) -> None:
    keyboard.types(typed)

    said = asking.at_the_terminal(a_screen(), bench.account, "ann", bench.out)(look)

    assert said == Verdict(decision=verdict[0], by="ann", note=verdict[1])


@pytest.mark.parametrize("typed", ["later\n", "\n", "", "reject\n"])
def test_no_answer_is_told_how_to_give_one_later(
    bench: Bench, look: Look, keyboard: Keyboard, typed: str
) -> None:
    keyboard.types(typed)
    screen = a_screen()

    assert asking.at_the_terminal(screen, bench.account, "ann", bench.out)(look) is None
    assert f"./ratchet approve {look.task_id}" in screen.export_text()


def test_the_report_can_be_read_before_the_question(
    bench: Bench, look: Look, keyboard: Keyboard
) -> None:
    keyboard.types("later\n")
    screen = a_screen()

    asking.at_the_terminal(screen, bench.account, "ann", bench.out)(look)

    page = bench.out / look.task_id / "report.html"
    assert f"Read it: {page}" in screen.export_text()
    assert page.exists()


def test_a_note_is_cut_to_what_the_record_holds(
    bench: Bench, look: Look, keyboard: Keyboard
) -> None:
    keyboard.types(f"reject\n{'x' * (NOTE_LIMIT + 5)}\n")

    said = asking.at_the_terminal(a_screen(), bench.account, "ann", bench.out)(look)

    assert said
    assert len(said.note) == NOTE_LIMIT


def test_yes_approves_by_name(look: Look) -> None:
    assert asking.yes("ann")(look) == Verdict(decision=Decision.APPROVED, by="ann")


def test_whoever_types_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", "ann")

    assert asking.whoever_types() == "ann"


class Keyboard:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def types(self, text: str) -> None:
        self._monkeypatch.setattr("sys.stdin", io.StringIO(text))


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Keyboard:
    return Keyboard(monkeypatch)


def a_screen() -> Console:
    return Console(file=io.StringIO(), width=200, record=True)
