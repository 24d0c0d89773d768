"""ANALYZE with a model that answers at once: its answers as they come, and the way on from each."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest

from lambdas.agent.analysis import Analysis
from lambdas.agent.codec import text_body
from lambdas.agent.contract import CLOCK_SKEW, Step, budget
from lambdas.agent.endings import Ending, broken
from lambdas.agent.errors import InvalidRequest, ServiceUnavailable, SourceRefused, SourceUnreadable
from lambdas.agent.findings import Block, Text
from lambdas.agent.intake import input_id, request_from
from lambdas.agent.job_state import JobState, Usage
from lambdas.agent.piecewise import MOST_GAPS, MOST_HALVINGS
from lambdas.agent.work import stored_result
from tests.fakes.clock import FakeClock
from tests.fakes.deaths import Boundary, Died, Mortal
from tests.fakes.jobs import Answering, FakeJobs, found_by_model, stammering
from tests.fakes.story import State, Story, invoke
from tests.fakes.world import World
from tests.steps.conftest import BLOG, PRICING, sources_of, until

SENTENCE = "The Team plan costs 49 euros a month for each seat."
USED = Usage(input_tokens=100, output_tokens=10)
Payload = Mapping[str, Any]


def says(*quotes: str, claim: str = "") -> JobState:
    findings = [{"question": 0, "claim": claim or quote, "quote": quote} for quote in quotes]
    return JobState.done(json.dumps({"findings": findings}).encode(), usage=USED)


def ends(ending: Ending) -> JobState:
    return broken(ending, usage=USED)


def page_of(payload: Payload) -> str:
    """What stands between the marks."""
    mark, _, rest = str(payload["input"]).partition("\n")
    return rest.removesuffix(f"\n{mark}")


def script(*states: JobState, then: JobState | None = None) -> Callable[[Payload], JobState]:
    left = deque(states)
    return lambda _: left.popleft() if left else then or says()


def the_text(*, paragraphs: int, letters: int = 1000) -> Text:
    """Numbered paragraphs, so that each can be quoted."""
    lines = [f"Seat {n} costs {n} euros a month. ".ljust(letters, "x") for n in range(paragraphs)]
    blocks = tuple(
        Block(kind="paragraph", start=n * (letters + 2), end=n * (letters + 2) + letters)
        for n in range(paragraphs)
    )
    return Text(title="", text="\n\n".join(lines), blocks=blocks)


def quotes_in(payload: Payload) -> list[str]:
    """A model that finds the last and the first seat of what it is shown."""
    seats = [line.split("x")[0].strip() for line in page_of(payload).split("\n\n")]
    whole = [seat for seat in seats if seat.startswith("Seat") and seat.endswith(".")]
    return list(dict.fromkeys([whole[-1], whole[0]]))


@pytest.fixture
def model(world: World) -> Answering:
    world.bedrock = model = Answering()
    return model


class Analyzing:
    """ANALYZE of one text, lap by lap."""

    def __init__(self, story: Story, text: Text | None = None, run: int = 1) -> None:
        if not story.state:
            until(story, "READ")
        self.story = story
        self.item = next(each["item"] for each in sources_of(story) if each["url"] == PRICING)
        self.run = run
        text = text or Text(title="", text=f"Prices.\n\n{SENTENCE}", blocks=())
        self.ref = story.ports.artifacts.put(story.state["task_id"], "text", text_body(text))

    def lap(self, ports: Any = None) -> State:
        event = {
            "task_id": self.story.state["task_id"],
            "item": self.item,
            "args": {"text": self.ref, "request": self.story.state["request"]},
            "context": {"run": self.run},
        }
        return invoke(Step.ANALYZE, event, ports or self.story.ports)

    def told(self) -> State:
        while (told := self.lap())["progress"] != "DONE":
            pass
        return told

    def fault(self) -> SourceUnreadable:
        with pytest.raises(SourceUnreadable) as raised:
            self.told()
        return raised.value

    def analysis(self) -> Analysis:
        units = self.story.ports.ledger.units(self.story.state["task_id"], item=self.item)
        (unit,) = (unit for unit in units if unit.step is Step.ANALYZE)
        return Analysis.of(stored_result(self.story.ports, unit))


def distinct(model: FakeJobs) -> int:
    return len({json.dumps(dict(payload), sort_keys=True) for payload in model.payloads})


def test_an_answer_at_once_needs_one_lap_and_is_kept_with_what_it_took(
    story: Story, model: Answering
) -> None:
    model.answer = script(says(SENTENCE, "The Team plan is free for everybody."))
    analyzing = Analyzing(story)

    assert analyzing.lap() == found_by_model(1)
    analysis = analyzing.analysis()
    assert [found.quote for found in analysis.findings] == [SENTENCE]
    assert analysis.usage == USED
    assert analysis.dropped == {"QUOTE_NOT_FOUND": 1}


@pytest.mark.promise("R16", "R23")
def test_an_answer_that_was_cut_is_asked_for_by_halves_and_nothing_is_lost(
    story: Story, model: Answering
) -> None:
    """Cases E01, E02: also where its JSON happens to be whole."""
    first = script(JobState.failed("TRUNCATED", "any", usage=USED))
    model.answer = lambda payload: (
        first(payload) if len(model.payloads) == 1 else says(*quotes_in(payload))
    )
    analyzing = Analyzing(story, the_text(paragraphs=20))
    told = analyzing.told()

    lengths = [len(page_of(payload)) for payload in model.payloads]
    assert lengths[1] <= lengths[0] / 2
    assert distinct(model) == len(model.payloads)
    quotes = {found.quote for found in analyzing.analysis().findings}
    assert {"Seat 0 costs 0 euros a month.", "Seat 19 costs 19 euros a month."} <= quotes
    assert "unread" not in told
    assert analyzing.analysis().usage.calls == len(model.payloads)


@pytest.mark.promise("R22", "R23")
def test_a_model_that_is_always_cut_is_asked_so_often_and_no_more(
    story: Story, model: Answering
) -> None:
    """Case E02: no content and `length`, again and again."""
    model.answer = lambda _: ends(Ending.TRUNCATED)
    analyzing = Analyzing(story, the_text(paragraphs=100))

    assert analyzing.fault().code == "TRUNCATED"
    assert len(model.payloads) == distinct(model) == MOST_HALVINGS + MOST_GAPS


@pytest.mark.promise("R23")
def test_a_refusal_costs_one_call_and_the_report_lists_the_source_as_not_analysed(
    story: Story, model: Answering, world: World
) -> None:
    """Case E03: the run goes on with the other sources."""
    model.answer = lambda payload: (
        ends(Ending.MODEL_REFUSED) if "49 euros" in page_of(payload) else says()
    )
    until(story, "READ")
    refused, other = sources_of(story)
    with pytest.raises(SourceUnreadable):
        story.read(refused["item"], PRICING)
    aside = story.set_aside(refused["item"], {"Error": "SourceUnreadable"})
    story.read(other["item"], BLOG)
    story.validate()
    story.report()

    assert aside["error_code"] == "MODEL_REFUSED"
    assert len(model.payloads) == 2
    refs = json.loads(world.artifacts.get(story.state["report"]["ref"]))
    assert b"MODEL_REFUSED" in world.artifacts.get(refs["report.json"])


def test_a_polite_refusal_in_prose_is_asked_once_more_and_then_no_answer(
    story: Story, model: Answering
) -> None:
    """Case E03, the third."""
    sorry = "I'm sorry, but I can't help with that page."
    model.answer = lambda _: JobState.done(sorry.encode())

    assert Analyzing(story).fault().code == "MODEL_ANSWER_INVALID"
    assert len(model.payloads) == 2


@pytest.mark.promise("R23", "R33")
def test_who_is_asked_once_more_is_told_what_was_wrong_and_nothing_of_the_answer(
    story: Story, world: World
) -> None:
    """Case E18."""
    world.bedrock = model = stammering(says(SENTENCE))
    analyzing = Analyzing(story)

    assert [analyzing.lap()["progress"] for _ in range(2)] == ["CONTINUE", "DONE"]
    first, again = model.payloads
    assert again["input"] == first["input"]
    added = again["instructions"].removeprefix(first["instructions"])
    assert "not the JSON it was asked for" in added
    assert SENTENCE not in added


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (JobState.done(b"{"), "MODEL_ANSWER_INVALID"),
        (ends(Ending.EMPTY_ANSWER), "EMPTY_ANSWER"),
        (JobState.done(b" "), "EMPTY_ANSWER"),
        (ends(Ending.MODEL_STOP_UNKNOWN), "MODEL_STOP_UNKNOWN"),
    ],
)
def test_what_is_of_no_use_twice_sets_the_source_aside(
    story: Story, model: Answering, answer: JobState, code: str
) -> None:
    model.answer = lambda _: answer

    assert Analyzing(story).fault().code == code
    assert len(model.payloads) == distinct(model) == 2


@pytest.mark.promise("R16", "R23")
def test_a_long_text_is_cut_to_what_the_model_takes_and_each_part_is_read(
    story: Story, model: Answering
) -> None:
    """Case E16: the size is refused for good, so it is never sent again."""
    text = the_text(paragraphs=900)
    takes = 9_000
    model.answer = lambda payload: (
        ends(Ending.CONTEXT_OVERFLOW)
        if len(page_of(payload)) > takes
        else says(*quotes_in(payload))
    )
    analyzing = Analyzing(story, text)
    told = analyzing.told()

    lengths = [len(page_of(payload)) for payload in model.payloads]
    refused = [length for length in lengths if length > takes]
    assert len(text.text) > 900_000
    assert refused == sorted(refused, reverse=True) == lengths[: len(refused)]
    assert len(refused) <= MOST_HALVINGS
    assert distinct(model) == len(model.payloads)
    everything = "".join(page_of(payload) for payload in model.payloads)
    assert all(f"Seat {n} costs {n} euros a month." in everything for n in range(900))
    assert "unread" not in told


@pytest.mark.promise("R16", "R23")
@pytest.mark.parametrize("ending", [Ending.MODEL_REFUSED, Ending.MODEL_BLOCKED])
def test_a_part_that_cannot_be_analysed_is_told_and_the_others_are_kept(
    story: Story, model: Answering, ending: Ending
) -> None:
    model.answer = lambda payload: (
        ends(ending) if "Seat 70 costs" in page_of(payload) else says(*quotes_in(payload))
    )
    text = the_text(paragraphs=150)
    analyzing = Analyzing(story, text)
    told = analyzing.told()

    analysis = analyzing.analysis()
    (gap,) = analysis.gaps
    assert told["unread"] == gap.end - gap.start == analysis.unread
    assert "Seat 70 costs" in text.text[gap.start : gap.end]
    (note,) = analysis.notes
    assert note.startswith(f"{told['unread']:,} of its {len(text.text):,} characters were not")
    assert ending in note
    assert [found.quote for found in analysis.findings if "149" in found.quote]


@pytest.mark.promise("R16")
def test_what_was_not_analysed_stands_in_the_report(
    story: Story, model: Answering, world: World
) -> None:
    text = the_text(paragraphs=150)
    model.answer = lambda payload: (
        ends(Ending.MODEL_REFUSED) if "Seat 70 costs" in page_of(payload) else says()
    )
    until(story, "READ")
    (pricing, blog) = sources_of(story)
    page = f"Seats\n\n{text.text}".encode()
    cast("Any", world.fetcher).pages[PRICING] = page
    for source in (pricing, blog):
        story.read(source["item"], source["url"])
    story.validate()
    story.report()

    refs = json.loads(world.artifacts.get(story.state["report"]["ref"]))
    told = json.loads(world.artifacts.get(refs["report.json"]))
    (notes,) = (line["notes"] for line in told["sources"] if line["url"] == PRICING)
    assert any("were not analysed" in note and "MODEL_REFUSED" in note for note in notes)


def test_after_three_gaps_the_rest_is_left_and_counted(story: Story, model: Answering) -> None:
    model.answer = lambda payload: (
        says(*quotes_in(payload))
        if "Seat 0 costs" in page_of(payload)
        else ends(Ending.MODEL_REFUSED)
    )
    text = the_text(paragraphs=600)
    analyzing = Analyzing(story, text)
    told = analyzing.told()

    assert len(model.payloads) == 1 + MOST_GAPS
    assert told["unread"] > len(text.text) / 2
    assert analyzing.analysis().gaps[-1].end == len(text.text)
    assert analyzing.analysis().findings


def test_claims_in_another_writing_are_asked_for_once_more_and_then_kept_with_a_note(
    story: Story, model: Answering
) -> None:
    cyrillic = "\u041f\u043b\u0430\u043d \u043f\u043b\u0430\u0442\u043d\u044b\u0439"
    model.answer = lambda _: says(SENTENCE, claim=cyrillic)
    analyzing = Analyzing(story)
    analyzing.told()

    assert len(model.payloads) == distinct(model) == 2
    assert [found.claim for found in analyzing.analysis().findings] == [cyrillic]
    assert "another language" in analyzing.analysis().notes[0]


@pytest.mark.promise("R22")
def test_a_throttled_model_is_waited_for_as_long_as_it_says(story: Story, world: World) -> None:
    class Throttled(FakeJobs):
        def submit(self, payload: Payload, *, key: str, seconds: float) -> str | JobState:
            if not self.payloads:
                self.payloads.append(payload)
                raise ServiceUnavailable("busy", wait_seconds=7)
            return super().submit(payload, key=key, seconds=seconds)

    world.bedrock = Throttled(at_once=True, end=says(SENTENCE))
    analyzing = Analyzing(story)

    assert analyzing.lap() == {"progress": "PENDING", "wait_seconds": 7}
    assert analyzing.lap() == found_by_model(1)


def dies_after(name: str, analyzing: Analyzing, world: World) -> Mortal:
    """A worker that dies behind its first call of that name, in a lap like the next."""
    watched = Mortal(world, Boundary(call=10**6, after=True))
    analyzing.lap(watched)
    return Mortal(world, Boundary(call=watched.calls.index(name), after=True))


@pytest.mark.promise("R12", "R13", "R20")
def test_an_answer_that_was_lost_with_its_worker_is_asked_for_again(
    story: Story, world: World, model: Answering, clock: FakeClock
) -> None:
    """Nobody can fetch it: one bill more, and the same findings."""
    model.answer = lambda _: says(SENTENCE)
    worker = dies_after("bedrock.submit", Analyzing(story, the_text(paragraphs=1)), world)
    clock.pass_seconds(budget(Step.ANALYZE).lease + CLOCK_SKEW + 1)
    model.payloads.clear()
    story.state = {**story.state}
    analyzing = OtherItem(story)
    with pytest.raises(Died):
        analyzing.lap(worker)
    clock.pass_seconds(budget(Step.ANALYZE).lease + CLOCK_SKEW + 1)

    assert analyzing.lap() == found_by_model(1)
    assert len(model.payloads) == 2
    assert len(analyzing.analysis().findings) == 1


@pytest.mark.promise("R12", "R13")
def test_an_answer_that_was_kept_is_not_asked_for_again_and_its_price_is_known(
    story: Story, world: World, model: Answering, clock: FakeClock
) -> None:
    model.answer = lambda _: says(SENTENCE)
    worker = dies_after("ledger.close", Analyzing(story, the_text(paragraphs=1)), world)
    model.payloads.clear()
    analyzing = OtherItem(story)
    with pytest.raises(Died):
        analyzing.lap(worker)
    clock.pass_seconds(budget(Step.ANALYZE).lease + CLOCK_SKEW + 1)

    assert analyzing.lap() == found_by_model(1)
    assert len(model.payloads) == 1
    assert analyzing.analysis().usage == USED


class OtherItem(Analyzing):
    """The run's other source, with a text of its own."""

    def __init__(self, story: Story) -> None:
        super().__init__(story)
        self.item = next(each["item"] for each in sources_of(story) if each["url"] == BLOG)


@pytest.mark.promise("R24")
@pytest.mark.parametrize("ending", [Ending.MODEL_REFUSED, Ending.MODEL_ANSWER_INVALID])
def test_a_later_run_asks_anew_where_somebody_has_the_source_tried_again(
    story: Story, model: Answering, ending: Ending
) -> None:
    model.answer = lambda _: ends(ending) if ending is Ending.MODEL_REFUSED else JobState.done(b"{")
    Analyzing(story).fault()
    before = len(model.payloads)
    model.answer = lambda _: says(SENTENCE)

    assert Analyzing(story, run=2).told() == found_by_model(1)
    assert len(model.payloads) == before + 1


class TestTheAnalyst:
    def test_without_a_name_it_is_the_deployments_own(self, story: Story, world: World) -> None:
        world.bedrock, world.model = Answering(), Answering()
        Analyzing(story).told()

        assert (len(world.bedrock.payloads), len(world.model.payloads)) == (1, 0)

    @pytest.mark.parametrize(
        ("named", "asked"), [("extractive", (0, 0)), ("bedrock", (1, 0)), ("openai", (0, 1))]
    )
    def test_a_request_may_name_another_that_the_deployment_has(
        self, story: Story, world: World, named: str, asked: tuple[int, int]
    ) -> None:
        world.bedrock, world.model = Answering(), Answering()
        story.request = {**story.request, "analyst": named}
        Analyzing(story).told()

        assert (len(world.bedrock.payloads), len(world.model.payloads)) == asked

    @pytest.mark.parametrize(
        ("named", "setting"), [("bedrock", "bedrock_model"), ("openai", "model_url")]
    )
    def test_one_that_it_does_not_have_is_refused_before_anything_begins(
        self, story: Story, named: str, setting: str
    ) -> None:
        story.request = {**story.request, "analyst": named}

        with pytest.raises(InvalidRequest, match=f"{named}.*name one of extractive.*{setting}"):
            story.plan()

    def test_one_that_it_does_not_have_any_more_sets_the_source_aside(
        self, story: Story, world: World
    ) -> None:
        world.bedrock = Answering()
        story.request = {**story.request, "analyst": "bedrock"}
        analyzing = Analyzing(story)
        world.bedrock = None

        with pytest.raises(SourceRefused) as refused:
            analyzing.lap()
        assert refused.value.code == "ANALYST_ABSENT"

    def test_one_that_nobody_has_is_a_fault_of_the_request(self, story: Story) -> None:
        story.request = {**story.request, "analyst": "oracle"}

        with pytest.raises(InvalidRequest, match="analyst"):
            story.plan()

    def test_a_request_without_it_is_the_request_it_was(self, story: Story, world: World) -> None:
        plain = request_from(dict(story.request), world)
        named = request_from({**story.request, "analyst": "extractive"}, world)

        assert input_id(plain) == _as_before_there_were_analysts(story.request)
        assert input_id(named) != input_id(plain)


def _as_before_there_were_analysts(request: Mapping[str, Any]) -> str:
    """By hand: the fields of a request as the first version knew them."""
    from lambdas.agent.identity import canonical, digest

    return digest(canonical({**request, "approval": "required"}).decode())
