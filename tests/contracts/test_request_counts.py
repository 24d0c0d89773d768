"""What a unit costs at DynamoDB, counted where botocore sends its requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest
from moto import mock_aws

from lambdas.adapters.dynamodb_ledger import DynamoDbLedger
from lambdas.adapters.dynamodb_memos import DynamoDbMemos
from lambdas.agent.codec import text_body
from lambdas.agent.contract import Step, budget
from lambdas.agent.costs import NOTHING, Limits
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.findings import Finding, Text
from lambdas.agent.identity import canonical
from lambdas.agent.intents import Ability, Effect
from lambdas.agent.job_places import Kind
from lambdas.agent.job_state import JobState, Phase
from lambdas.agent.jobs import follow, waiting
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.runtime import run
from lambdas.agent.spending import Spending
from lambdas.agent.tasks import Move, NewTask
from lambdas.agent.validated import Part, Reading
from lambdas.agent.work import Work
from lambdas.steps.analyze import analyze
from lambdas.steps.report import report
from tests.contracts.table import a_table
from tests.fakes.clock import FakeClock
from tests.fakes.jobs import FakeJobs
from tests.fakes.world import World, a_world

UNIT = Unit(task_id="t", step=Step.ANALYZE, item="s", args={"text": "any"})
SENTENCE = JobState.done(b'{"sentences":[{"text":"It is 5.","cites":["f1"]}]}')
TASK = NewTask(task_id="t", agent_id="a", workflow_id="w", input_id="i", execution="t-r1")


@dataclass(slots=True)
class Counted:
    """A world on moto's DynamoDB, and the operations it was asked for."""

    world: World
    asked: list[str]

    def by(self, execute: Callable[[Work], Outcome], unit: Unit = UNIT) -> list[str]:
        """The requests of one invocation of a step."""
        before = len(self.asked)
        run(execute, unit, self.world, owner="any", seconds=budget(unit.step).function)
        return self.asked[before:]


@pytest.fixture
def counted(clock: FakeClock) -> Iterator[Counted]:
    with mock_aws():
        table, world = a_table(), a_world(clock)
        world.ledger = DynamoDbLedger(table, "ledger", clock, retention=30)
        world.memos = DynamoDbMemos(table, "ledger", clock, retention=30)
        asked: list[str] = []
        table.meta.events.register(
            "before-send.dynamodb.*",
            lambda event_name, **_: asked.append(event_name.rpartition(".")[2]),
        )
        world.ledger.accept(TASK)
        asked.clear()
        yield Counted(world, asked)


def effects(number: int) -> Callable[[Work], Outcome]:
    def a_mail(n: int) -> Effect:
        subject = f"reader {n}"
        return Effect(
            kind="mail", subject=subject, act=lambda key: key, ability=Ability.AT_LEAST_ONCE
        )

    return lambda _: Outcome.done(effects=tuple(map(a_mail, range(number))))


def job(work: Work) -> Outcome:
    model = work.ports.model
    assert model is not None
    state = follow(work, model, {}, kind=Kind.FINDINGS, subject="any")
    if state.phase is Phase.RUNNING:
        return waiting(state)
    return Outcome.done(result=state.body)


@pytest.mark.promise("R35")
def test_a_first_run_costs_a_claim_and_a_commit_and_a_replay_a_claim(counted: Counted) -> None:
    assert counted.by(lambda _: Outcome.done()) == ["UpdateItem", "UpdateItem"]
    assert counted.by(lambda _: Outcome.done()) == ["UpdateItem"]


@pytest.mark.promise("R35")
def test_a_commit_that_moves_the_task_is_one_request_too(counted: Counted) -> None:
    moves = Outcome.done(move=Move(to=Step.REPORT))

    assert counted.by(lambda _: moves) == ["UpdateItem", "TransactWriteItems"]
    assert counted.by(lambda _: moves) == ["UpdateItem"]


@pytest.mark.promise("R35")
@pytest.mark.parametrize("number", [1, 3])
def test_an_effect_costs_a_request_for_each_of_its_transitions(
    counted: Counted, number: int
) -> None:
    requests = counted.by(effects(number))

    assert requests == ["UpdateItem", *["PutItem", "UpdateItem"] * number, "UpdateItem"]
    assert counted.by(effects(number)) == ["UpdateItem"]


@pytest.mark.promise("R12", "R35")
def test_a_job_costs_its_three_transitions_and_asking_after_it_none(counted: Counted) -> None:
    counted.world.model = FakeJobs(lag=2)

    assert counted.by(job) == ["UpdateItem", "PutItem", "UpdateItem", "UpdateItem"]
    assert counted.by(job) == ["UpdateItem", "UpdateItem"]
    assert counted.by(job) == ["UpdateItem", "UpdateItem", "UpdateItem"]
    assert counted.by(job) == ["UpdateItem"]


@pytest.mark.promise("R12", "R35")
def test_an_answer_costs_two_requests_more_and_one_that_was_had_before_one_alone(
    counted: Counted,
) -> None:
    world = counted.world
    world.bedrock = FakeJobs(ability=Ability.AT_LEAST_ONCE, at_once=True)
    text = world.artifacts.put("t", "text", text_body(Text(title="", text="any", blocks=())))
    asked = canonical({"agent_id": "a", "questions": ["any"]})
    args = {"text": text, "request": world.artifacts.put("t", "request", asked)}
    units = [Unit(task_id="t", step=Step.ANALYZE, item=item, args=args) for item in ("s1", "s2")]

    first, second = (counted.by(analyze, unit) for unit in units)

    together = "TransactWriteItems"  # the reservation and its price, the receipt and its price
    assert first == ["UpdateItem", "GetItem", together, together, "PutItem", "UpdateItem"]
    assert second == ["UpdateItem", "GetItem", "UpdateItem"]


@pytest.mark.promise("R35")
def test_a_report_costs_a_claim_and_a_commit_and_with_a_model_seven_requests_for_a_question_more(
    counted: Counted,
) -> None:
    world, unit = counted.world, a_report(counted.world)

    assert counted.by(report, unit) == ["UpdateItem", "TransactWriteItems"]

    world.bedrock = FakeJobs(ability=Ability.AT_LEAST_ONCE, at_once=True, end=SENTENCE)
    written = replace(unit, task_id="another")
    world.ledger.accept(replace(TASK, task_id="another"))
    together = "TransactWriteItems"
    assert [counted.by(report, written) for _ in range(2)] == [
        ["UpdateItem", "Query", "GetItem", together, together, "PutItem", "UpdateItem"],
        ["UpdateItem", "Query", together],
    ]


def a_report(world: World) -> Unit:
    """Of one finding."""
    found = Finding(question=0, claim="It is 5.", quote="It is 5.", start=0, end=8, score=0.5)
    reading = Reading(item="s", url="https://a.test/", was_read=True, findings=(found,))
    part = Part(previous=None, readings=(reading,)).body()
    asked = {"agent_id": "a", "questions": ["any"], "sources": [{"url": "https://a.test/"}]}
    args = {
        "validated": world.artifacts.put("t", "validated", part),
        "request": world.artifacts.put("t", "request", canonical(asked)),
    }
    return Unit(task_id="t", step=Step.REPORT, item="r1", args=args)


def test_what_is_refused_for_want_of_budget_costs_one_request(counted: Counted) -> None:
    world = counted.world
    world.bedrock = model = FakeJobs(ability=Ability.AT_LEAST_ONCE, at_once=True)
    text = world.artifacts.put("t", "text", text_body(Text(title="", text="any", blocks=())))
    request = {"agent_id": "a", "questions": ["any"], "sources": [{}], "budget": {"tokens": 1}}
    asked = world.artifacts.put("t", "request", canonical(request))
    unit = Unit(task_id="t", step=Step.ANALYZE, item="s1", args={"text": text, "request": asked})

    with pytest.raises(SourceUnreadable):
        counted.by(analyze, unit)
    assert counted.asked == ["UpdateItem", "GetItem", "TransactWriteItems", "UpdateItem"]
    assert not model.payloads


@pytest.mark.promise("R12", "R35")
def test_the_price_of_a_job_in_background_costs_no_request_more(counted: Counted) -> None:
    counted.world.model = FakeJobs(lag=1)
    budget_ = Spending(limits=Limits(tokens=10**6), price=None)

    def asks(work: Work) -> Outcome:
        model = work.ports.model
        assert model is not None
        told = follow(work, model, {}, kind=Kind.FINDINGS, subject="any", spending=budget_)
        return waiting(told) if told.phase is Phase.RUNNING else Outcome.done(result=told.body)

    together = "TransactWriteItems"
    assert counted.by(asks) == ["UpdateItem", together, "UpdateItem", "UpdateItem"]
    assert counted.by(asks) == ["UpdateItem", together, "UpdateItem"]
    assert counted.by(asks) == ["UpdateItem"]
    assert counted.world.ledger.purse("t").held == NOTHING
