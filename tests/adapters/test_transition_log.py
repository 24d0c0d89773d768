"""One structured line for a transition: every id, and nothing that a log must not hold."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from aws_lambda_powertools import Logger

from lambdas.adapters.transition_log import MESSAGE_LIMIT, TransitionLog
from lambdas.agent.contract import Step
from lambdas.agent.errors import (
    IllegalMove,
    LeaseLost,
    SourceRefused,
    StepError,
    StillClaimed,
    Unexpected,
)
from lambdas.agent.job_state import Usage
from lambdas.agent.model import Outcome, Unit, UnitRecord
from lambdas.agent.runtime import Ran

SECRET = "page text, a token, a secret"
UNIT = Unit(
    task_id="task-1",
    step=Step.FETCH,
    item="s1",
    args={"url": "https://a.test/"},
    context={
        "agent_id": "agent",
        "workflow_id": "flow",
        "execution": "task-1-r1",
        "run": 1,
        "task_token": SECRET,
    },
)
RECORD = UnitRecord(step=Step.FETCH, item="s1", fingerprint="f", version=3, attempt=2)


@dataclass(frozen=True, slots=True)
class Context:
    aws_request_id: str = "request-1"

    def get_remaining_time_in_millis(self) -> int:
        return 4200


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def log(stream: io.StringIO) -> TransitionLog:
    told = TransitionLog(Context(), Logger(service=f"test-{id(stream)}", stream=stream))
    told.concerns(UNIT)
    return told


def line(stream: io.StringIO) -> dict[str, Any]:
    (text,) = stream.getvalue().splitlines()
    said: dict[str, Any] = json.loads(text)
    return said


@pytest.mark.promise("R30")
def test_a_transition_is_one_line_with_every_id(log: TransitionLog, stream: io.StringIO) -> None:
    outcome = Outcome.done(ref="tasks/task-1/page/abc", result=SECRET.encode(), text=SECRET)

    log.moved(Ran(outcome=outcome, record=RECORD, is_replay=False))

    said = line(stream)
    assert {name: said[name] for name in ("agent_id", "workflow_id", "execution", "run")} == {
        "agent_id": "agent",
        "workflow_id": "flow",
        "execution": "task-1-r1",
        "run": 1,
    }
    assert (said["task_id"], said["step"], said["item"]) == ("task-1", "FETCH", "s1")
    assert (said["attempt"], said["state_version"], said["outcome"]) == (2, 4, "DONE")
    assert (said["remaining_ms"], said["result_uri"]) == (4200, "tasks/task-1/page/abc")
    assert said["latency_ms"] >= 0


@pytest.mark.promise("R33")
def test_neither_results_nor_tokens_are_logged(log: TransitionLog, stream: io.StringIO) -> None:
    outcome = Outcome.done(result=SECRET.encode(), callback=SECRET, quote=SECRET)

    log.moved(Ran(outcome=outcome, record=RECORD, is_replay=True))

    assert SECRET not in stream.getvalue()
    assert line(stream)["message"] == "replayed"


@pytest.mark.promise("R23", "R31")
def test_a_failure_names_its_code_and_its_dependency(
    log: TransitionLog, stream: io.StringIO
) -> None:
    refused = SourceRefused("a.test said 404", code="HTTP_404", dependency="a.test")

    raised = log.failed(refused)

    said = line(stream)
    assert (said["error_code"], said["dependency"], said["outcome"]) == (
        "HTTP_404",
        "a.test",
        "FAILED",
    )
    assert (type(raised), str(raised)) == (SourceRefused, "a.test said 404")
    assert raised.code == "HTTP_404"


@pytest.mark.parametrize(
    ("error", "level"), [(StillClaimed("wait"), "WARNING"), (Unexpected("ours"), "ERROR")]
)
def test_what_is_tried_again_is_a_warning(
    log: TransitionLog, stream: io.StringIO, error: StepError, level: str
) -> None:
    log.failed(error)

    assert line(stream)["level"] == level


@pytest.mark.promise("R33")
def test_a_foreign_error_is_told_by_its_type_and_place_alone(
    log: TransitionLog, stream: io.StringIO
) -> None:
    def breaks() -> None:
        raise KeyError(SECRET)

    try:
        breaks()
    except KeyError as error:
        raised = log.failed(error)

    assert isinstance(raised, Unexpected)
    assert SECRET not in stream.getvalue() + str(raised)
    assert "KeyError at breaks:" in line(stream)["cause"]


@pytest.mark.promise("R31", "R32")
@pytest.mark.parametrize(
    ("happens", "name"),
    [
        (lambda log: log.failed(IllegalMove("no")), "IllegalMove"),
        (lambda log: log.failed(LeaseLost("late")), "LeaseLost"),
        (
            lambda log: log.moved(Ran(outcome=Outcome.done(), record=RECORD, is_replay=True)),
            "Replayed",
        ),
        (lambda log: log.noted("found", {"sign": "ABANDONED"}), "ABANDONED"),
    ],
)
def test_what_must_be_tracked_is_counted_by_its_name_and_step(
    log: TransitionLog,
    capsys: pytest.CaptureFixture[str],
    happens: Callable[[TransitionLog], object],
    name: str,
) -> None:
    happens(log)

    metric = json.loads(capsys.readouterr().out)
    (counted,) = metric["_aws"]["CloudWatchMetrics"]
    assert (counted["Namespace"], counted["Metrics"][0]["Name"]) == ("Ratchet", name)
    assert (metric[name], metric["step"]) == ([1.0], "FETCH")


def test_an_ordinary_transition_counts_nothing_beside_its_line(
    log: TransitionLog, capsys: pytest.CaptureFixture[str]
) -> None:
    log.moved(Ran(outcome=Outcome.done(), record=RECORD, is_replay=False))

    assert capsys.readouterr().out == ""


def test_an_error_leaves_short_and_without_its_frames(log: TransitionLog) -> None:
    def refuses() -> None:
        raise SourceRefused("x" * 10_000)

    try:
        refuses()
    except SourceRefused as error:
        raised = log.failed(error)

    assert len(str(raised)) == MESSAGE_LIMIT
    assert raised.__traceback__ is None


@pytest.mark.promise("R32")
def test_what_a_door_found_is_a_line_to_count(log: TransitionLog, stream: io.StringIO) -> None:
    log.noted("found", {"sign": "ABANDONED", "done": "resumed"})

    said = line(stream)
    assert (said["message"], said["sign"], said["done"]) == ("found", "ABANDONED", "resumed")


@pytest.mark.promise("R30", "R31")
def test_what_models_took_is_told_in_counts(log: TransitionLog, stream: io.StringIO) -> None:
    used = Usage(calls=2, input_tokens=700, output_tokens=30)
    log.moved(Ran(outcome=Outcome.done(), record=RECORD, is_replay=False, usage=used))

    counts = {name: line(stream)[name] for name in ("model_calls", "input_tokens", "output_tokens")}
    assert counts == {"model_calls": 2, "input_tokens": 700, "output_tokens": 30}


def test_what_they_cost_is_told_where_it_is_known(log: TransitionLog, stream: io.StringIO) -> None:
    used = Usage(input_tokens=700, output_tokens=30, micro_usd=41)
    log.moved(Ran(outcome=Outcome.done(), record=RECORD, is_replay=False, usage=used))

    assert line(stream)["micro_usd"] == 41


@pytest.mark.promise("R14", "R30")
def test_answers_that_were_had_before_are_counted(log: TransitionLog, stream: io.StringIO) -> None:
    log.moved(Ran(outcome=Outcome.done(), record=RECORD, is_replay=False, reused=3))

    assert line(stream)["answers_reused"] == 3


@pytest.mark.promise("R30", "R31")
def test_what_models_took_before_a_failure_is_told_too(
    log: TransitionLog, stream: io.StringIO
) -> None:
    error = SourceRefused("any", code="MODEL_REFUSED")
    error.usage = Usage(input_tokens=700, output_tokens=30)
    log.failed(error)

    assert line(stream)["input_tokens"] == 700
