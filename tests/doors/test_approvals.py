"""The page of an approval: who may look, who decides, and what everybody else is told."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from html import unescape
from pathlib import Path
from typing import Any, cast

import pytest

from lambdas.adapters.dynamodb_quota import EACH_MINUTE
from lambdas.agent.answer_form import NAME_LIMIT
from lambdas.agent.approval import EXTENSIONS
from lambdas.agent.contract import FACTS_LIMIT, Decision, Status
from lambdas.agent.costs import Price
from lambdas.agent.errors import ServiceUnavailable
from lambdas.agent.invitation import link_of
from lambdas.agent.job_state import JobState, Usage
from lambdas.agent.tasks import Move
from lambdas.agent.verdicts import NOTE_LIMIT
from lambdas.doors.approvals import approvals
from lambdas.doors.decide import decide
from tests.doors.http import Answer, a_form, a_request
from tests.fakes.clock import FakeClock
from tests.fakes.deaths import Mortal
from tests.fakes.jobs import Answering
from tests.fakes.outside import FakeCallbacks
from tests.fakes.story import WINDOW, Story
from tests.fakes.world import World
from tests.steps.conftest import PAGES, PRICING, REQUEST, until
from tests.steps.test_approval import asked, facts, id_of, task
from tests.steps.test_baseline import RAISED, report
from tests.steps.test_baseline import told as a_run_of_week

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "inputs"
NOT_HERE = "the case bank is not beside this checkout"
TOKEN = "AQC+/x=="


class Link:
    """A visitor at an address below /approvals/."""

    def __init__(self, story: Story, id_: str = "", *, visitor: str = "203.0.113.7") -> None:
        self.story = story
        self.id = id_ or id_of(story)
        self._visitor = visitor

    def asks(self, method: str, *, below: str = "", ports: Any = None, **told: Any) -> Answer:
        path = f"/approvals/{self.id}{below}"
        event = a_request(method, path, visitor=self._visitor, **told)
        ports = ports or self.story.ports
        return Answer.of(approvals(event, ports, owner=f"door-{id(told)}", seconds=20))

    def nonce(self) -> str:
        return _nonce_in(self.asks("GET").body)

    def answers(self, decision: str, **fields: str) -> Answer:
        filled = {"by": "Ann", "note": "", "nonce": "", **fields}
        filled["nonce"] = filled["nonce"] or self.nonce()
        return self.asks("POST", body=a_form(decision=decision, **filled))


def _nonce_in(page: str) -> str:
    found = re.search(r'name="nonce" value="(\w+)"', page)
    return found[1] if found else ""


@pytest.fixture
def callbacks(world: World) -> FakeCallbacks:
    return cast("FakeCallbacks", world.callbacks)


@pytest.fixture
def waiting(world: World, callbacks: FakeCallbacks) -> Story:
    cast("Any", world.fetcher).pages |= PAGES
    callbacks.waiting = {TOKEN}
    story = until(Story(ports=world, request=REQUEST), "APPROVE")
    story.approve(TOKEN)
    return story


@pytest.fixture
def link(waiting: Story) -> Link:
    return Link(waiting)


class TestLooking:
    def test_the_page_shows_what_is_to_be_decided(self, link: Link) -> None:
        page = link.asks("GET")

        assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert "The Team plan costs 49 euros a month for each seat." in unescape(page.body)
        assert all(question in unescape(page.body) for question in REQUEST["questions"])
        assert "2 of 2 sources read" in page.body
        assert {each for each in Decision if f'value="{each}"' in page.body} == {
            "APPROVED", "CHANGES_REQUESTED", "REJECTED", "MORE_TIME"
        }  # fmt: skip

    def test_it_shows_what_was_set_aside(self, world: World, callbacks: FakeCallbacks) -> None:
        cast("Any", world.fetcher).pages |= {PRICING: PAGES[PRICING]}
        story = Story(ports=world, request=REQUEST)
        until(story, "READ")
        from tests.steps.conftest import sources_of

        first, second = sources_of(story)
        story.read(first["item"], first["url"])
        story.set_aside(second["item"], {"Error": "SourceRefused", "Cause": "{}"})
        story.validate()
        story.report()
        story.approve()

        page = Link(story).asks("GET").body
        assert "Set aside" in page
        assert second["url"] in page

    def test_it_shows_what_has_changed_since_the_report_before(
        self, world: World, callbacks: FakeCallbacks
    ) -> None:
        pages = cast("Any", world.fetcher).pages
        pages |= PAGES
        compared = {**REQUEST, "baseline": "previous"}
        first = a_run_of_week(world, compared, 1)
        pages[PRICING] = RAISED
        second = Story(ports=world, request={**compared, "workflow_id": "second"}, execution="2")
        until(second, "APPROVE")
        second.approve()

        page = unescape(Link(second).asks("GET").body)
        made_at = datetime.fromisoformat(report(first)["made_at"])
        assert f"Changed since the report of {made_at:%-d %B %Y, %H:%M} UTC" in page
        changed = page.partition("Changed since")[2]
        assert re.findall(r'<span class="fine">(\w+)</span> <bdi>(http.+)</bdi>', changed) == [
            ("changed", PRICING)
        ]
        assert '<span class="fine">new</span> <bdi>The Team plan costs 59 euros' in page

    def test_a_report_that_is_compared_with_none_tells_of_no_changes(self, link: Link) -> None:
        assert "Changed since" not in link.asks("GET").body

    @pytest.mark.parametrize(
        ("price", "cost"),
        [
            (Price(input=Decimal(1), output=Decimal(4)), "5,000 tokens · 0.0080 USD"),
            (None, "5,000 tokens"),
        ],
    )
    def test_it_shows_what_models_have_cost(
        self, world: World, callbacks: FakeCallbacks, price: Price | None, cost: str
    ) -> None:
        cast("Any", world.fetcher).pages |= PAGES
        used = Usage(input_tokens=2_000, output_tokens=500)
        end = JobState.done(b'{"findings": []}', usage=used)
        world.bedrock = Answering(answer=lambda _: end, price=price)
        story = until(Story(ports=world, request=REQUEST), "APPROVE")
        story.approve()

        assert f"2 of 2 sources read · {cost}<" in Link(story).asks("GET").body

    def test_without_a_model_it_tells_of_no_cost(self, link: Link) -> None:
        assert "2 of 2 sources read<" in link.asks("GET").body

    def test_the_report_itself_is_one_link_further_and_can_reach_nothing(self, link: Link) -> None:
        (address,) = re.findall(r'<a href="([^"]+)">Read the whole report', link.asks("GET").body)
        report = link.asks("GET", below="/report")

        assert address == f"{link.id}/report"  # relative: it holds behind any prefix
        assert (report.status, "Price Lab" in report.body) == (200, True)
        assert report.headers["content-security-policy"].startswith("sandbox; default-src 'none'")

    def test_no_cache_keeps_it_and_no_other_site_learns_of_it(self, link: Link) -> None:
        for page in (link.asks("GET"), link.asks("GET", below="/report"), link.asks("POST")):
            assert page.headers["cache-control"] == "no-store"
            assert page.headers["referrer-policy"] == "no-referrer"
            assert page.headers["x-content-type-options"] == "nosniff"
            assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
            assert "default-src 'none'" in page.headers["content-security-policy"]

    @pytest.mark.promise("R33")
    def test_neither_the_token_nor_the_id_stands_on_the_page_but_in_its_own_links(
        self, link: Link
    ) -> None:
        page = link.asks("GET")

        assert TOKEN not in page.body + json.dumps(page.headers)
        assert page.body.count(link.id) == 1  # the link to the report

    @pytest.mark.parametrize("method", ["GET", "HEAD"])
    def test_looking_writes_nothing_but_the_visitors_count(self, link: Link, method: str) -> None:
        before = (asked(link.story), task(link.story))
        for query in ("", "decision=approve", f"decision=APPROVED&nonce={link.nonce()}&by=x"):
            assert link.asks(method, query=query).status == 200

        assert (asked(link.story), task(link.story)) == before

    def test_head_answers_as_get_without_the_page(self, link: Link) -> None:
        got, head = link.asks("GET"), link.asks("HEAD")

        assert (head.status, head.body, head.headers) == (got.status, "", got.headers)


class TestDeciding:
    def test_an_approval_is_recorded_with_its_name_and_wakes_the_run(
        self, link: Link, callbacks: FakeCallbacks
    ) -> None:
        page = link.answers("APPROVED", note="Good")

        assert page.status == 200
        assert "Recorded: approved by Ann (by link) at" in page.body
        assert [(token, told["decision"]) for token, told in callbacks.woken] == [
            (TOKEN, "APPROVED")
        ]
        assert (facts(link.story)["by"], facts(link.story)["note"]) == ("Ann (by link)", "Good")
        assert link.story.publish()["status"] == "SUCCEEDED"

    @pytest.mark.parametrize("second", ["APPROVED", "REJECTED"])
    def test_the_second_answer_is_told_the_first_and_changes_nothing(
        self, link: Link, callbacks: FakeCallbacks, second: str
    ) -> None:
        """Case B13."""
        nonce = link.nonce()
        link.answers("APPROVED", by="Ann", nonce=nonce)
        again = link.answers(second, by="Ben", note="no", nonce=nonce)

        assert again.status == 200
        assert "Already decided: approved by Ann (by link) at" in again.body
        assert len(callbacks.woken) == 1
        assert facts(link.story)["decision"] == "APPROVED"

    def test_a_repeated_answer_heals_a_signal_that_was_lost(
        self, link: Link, callbacks: FakeCallbacks
    ) -> None:
        nonce, callbacks.waiting = link.nonce(), set()
        link.answers("APPROVED", nonce=nonce)
        callbacks.waiting = {TOKEN}

        link.answers("APPROVED", nonce=nonce)

        assert [told["decision"] for _, told in callbacks.woken] == ["APPROVED"]

    def test_changes_lead_to_a_report_and_a_link_of_their_own(self, link: Link) -> None:
        link.answers("CHANGES_REQUESTED", note="Shorter, please")
        link.story.report()
        link.story.approve("second token")
        new = Link(link.story)

        assert new.id != link.id
        assert "revision 2" in new.asks("GET").body
        assert "Shorter, please" in new.asks("GET", below="/report").body

    def test_more_time_keeps_the_question_open_under_the_same_link(self, link: Link) -> None:
        page = link.answers("MORE_TIME")
        assert "Ann (by link) asked for more time" in page.body

        link.story.approve("second token")
        assert Link(link.story).id == link.id
        assert link.answers("APPROVED").status == 200

    def test_what_may_not_be_answered_any_more_is_not_offered(self, link: Link) -> None:
        for _ in range(EXTENSIONS):
            link.answers("MORE_TIME")
            link.story.approve(TOKEN)

        assert 'value="MORE_TIME"' not in link.asks("GET").body
        assert link.answers("MORE_TIME").status == 422

    def test_a_machine_from_before_offers_no_more_time(self, world: World) -> None:
        cast("Any", world.fetcher).pages |= PAGES
        story = until(Story(ports=world, request=REQUEST), "APPROVE")
        story.approve(TOKEN, window=None)

        page = Link(story).asks("GET")
        assert (page.status, 'value="MORE_TIME"' in page.body) == (200, False)

    @pytest.mark.parametrize("faulty", ["", "0" * 64, "é"])
    def test_without_the_forms_nonce_nothing_is_decided(self, link: Link, faulty: str) -> None:
        page = link.asks("POST", body=a_form(decision="APPROVED", by="Ann", nonce=faulty))

        assert page.status == 404
        assert "decision" not in facts(link.story)

    def test_the_nonce_of_one_revision_is_none_of_the_next(self, link: Link) -> None:
        old = link.nonce()
        link.answers("CHANGES_REQUESTED", note="Shorter", nonce=old)
        link.story.report()
        link.story.approve("second token")

        assert Link(link.story).answers("APPROVED", nonce=old).status == 404

    def test_a_faulty_form_comes_back_as_it_was_with_every_fault(self, link: Link) -> None:
        note = "<b>" + "x" * NOTE_LIMIT
        page = link.answers("REJECTED", by=" ", note=note)

        assert page.status == 422
        assert "Write your name" in page.body
        assert f"has {NOTE_LIMIT + 3} characters" in page.body
        assert note in unescape(page.body)
        assert "<b>" not in page.body
        assert "decision" not in facts(link.story)

    @pytest.mark.parametrize("decision", ["CHANGES_REQUESTED", "REJECTED"])
    def test_changes_and_rejections_need_their_reason(self, link: Link, decision: str) -> None:
        assert link.answers(decision).status == 422
        assert link.answers(decision, note="Because").status == 200

    @pytest.mark.parametrize("decision", ["EXPIRED", "approve", ""])
    def test_nobody_answers_what_is_not_offered(self, link: Link, decision: str) -> None:
        assert link.answers(decision).status == 422

    def test_a_form_longer_than_any_is_none(self, link: Link) -> None:
        body = a_form(decision="APPROVED", by="Ann", nonce=link.nonce(), note="x" * 20_000)

        assert link.asks("POST", body=body).status == 404

    @pytest.mark.skipif(not CASES.exists(), reason=NOT_HERE)
    def test_scanners_decide_nothing_and_a_person_does_once(
        self, link: Link, callbacks: FakeCallbacks
    ) -> None:
        """Case B15, with the requests as they came."""
        events = json.loads((CASES / "B15_http_events.json").read_text())["events"]
        for told in events:
            body = told.get("body", "").replace("approve", "APPROVED")
            body = body.replace("{from form}", link.nonce()) + "&by=Ann" if body else None
            query = told["path"].partition("?")[2]
            link.asks(told["method"], body=body, query=query)
            is_last = told is events[-1]
            assert ("decision" in facts(link.story)) is is_last, told

        assert [told["decision"] for _, told in callbacks.woken] == ["APPROVED"]

    def test_a_note_of_any_script_is_kept_whole(self, link: Link) -> None:
        """One that is long in bytes stands beside the record's facts, which stay small."""
        note = "".join(chr(0x4E00 + 7 * n) for n in range(NOTE_LIMIT))

        page = link.answers("CHANGES_REQUESTED", note=note)
        link.story.report()
        link.story.approve("second token")

        assert note in page.body
        report = Link(link.story).asks("GET", below="/report").body
        assert note in report
        assert len(json.dumps(dict(facts(Link(link.story).story)))) < FACTS_LIMIT

    def test_lines_of_a_note_are_counted_as_the_browser_counts_them(self, link: Link) -> None:
        page = link.answers("REJECTED", note="x\r\n" * (NOTE_LIMIT // 2 - 1) + "x")

        assert page.status == 200
        assert "\r" not in facts(link.story)["note"]

    def test_a_name_is_one_line_and_keeps_how_it_came(self, link: Link) -> None:
        link.answers("REJECTED", by="名" * NAME_LIMIT, note="no")
        assert facts(link.story)["by"] == "名" * NAME_LIMIT + " (by link)"

    def test_a_name_forges_no_second_line(self, link: Link) -> None:
        page = link.answers("APPROVED", by="Ann\n\nRecorded: <b>rejected</b>\u202e")

        assert facts(link.story)["by"].startswith("Ann Recorded: <b>rejected</b>")
        assert "<b>" not in page.body + link.asks("GET").body
        assert "\u202e" not in page.body

    def test_a_second_click_on_more_time_asks_for_no_more_of_it(
        self, link: Link, callbacks: FakeCallbacks
    ) -> None:
        """Both forms were sent before the first answer came; the state has asked again between."""
        seen = re.findall(r'name="extensions" value="(\d+)"', link.asks("GET").body)[0]
        for token in (TOKEN, "second token"):
            callbacks.waiting = {token}
            page = link.answers("MORE_TIME", extensions=seen, note="half a thought")
            assert (page.status, "half a thought" in page.body) == (200, True)
            if token == TOKEN:
                link.story.approve("second token")

        assert "More time was given before" in page.body
        assert facts(link.story)["extensions"] == 1
        assert len(callbacks.woken) == 1

    def test_bytes_that_are_no_text_are_no_form(self, link: Link) -> None:
        event = a_request("POST", f"/approvals/{link.id}", body="")
        event["body"] = "//79" * 9  # 0xff, 0xfe, 0xfd

        told = approvals(event, link.story.ports, owner="door", seconds=20)
        assert told["statusCode"] == 404


class TestNowhere:
    def others(self, link: Link) -> dict[str, tuple[str, int]]:
        return {
            "guessed": ("A" * 43, 404),
            "cut short": (link.id[:-1], 404),
            "the hash of it": (facts(link.story)["link"], 404),
            "one of a thousand characters": ("x" * 1000, 404),
        }

    def test_ids_that_lead_nowhere_are_told_the_same_page(self, link: Link) -> None:
        told = {
            (Link(link.story, id_).asks(method).status, Link(link.story, id_).asks(method).body)
            for id_, _ in self.others(link).values()
            for method in ("GET", "POST")
        }

        assert len(told) == 1
        assert {status for status, _ in told} == {404}

    def test_an_id_whose_question_was_never_committed_leads_nowhere(self, link: Link) -> None:
        """Its worker died between the two; an heir has drawn another."""
        invitations = link.story.ports.invitations
        invitations.keep(link_of("orphan"), task_id=task(link.story).task_id, item="r1")

        assert Link(link.story, "orphan").asks("GET").status == 404

    def test_an_id_that_is_over_gets_that_very_page_too(self, link: Link) -> None:
        guessed = Link(link.story, "A" * 43).asks("GET")
        nonce = link.nonce()
        link.story.expire()

        for page in (link.asks("GET"), link.answers("APPROVED", nonce=nonce)):
            assert (page.status, page.body) == (410, guessed.body)
        assert facts(link.story)["decision"] == "EXPIRED"

    def test_a_task_that_was_called_off_asks_nobody(self, link: Link) -> None:
        nonce, stands = link.nonce(), task(link.story)
        gone = Move(to=stands.current_step, status=Status.CANCELLED)
        link.story.ports.ledger.move(stands.task_id, gone, run=stands.run)

        assert link.asks("GET").status == 410
        assert link.answers("APPROVED", nonce=nonce).status == 410

    def test_forms_that_are_not_the_links_own_get_that_very_page_and_the_same_reads(
        self, link: Link
    ) -> None:
        """Unsigned, of another link, of nobody: what is behind the id is not told by the answer."""
        told = []
        for id_, nonce in ((link.id, ""), (link.id, "f" * 64), ("A" * 43, link.nonce())):
            watched = Mortal(link.story.ports)
            body = a_form(decision="APPROVED", by="Ann", nonce=nonce)
            page = Link(link.story, id_).asks("POST", ports=watched, body=body)
            told.append((page.status, page.headers, page.body, watched.calls))

        assert told[0][0] == 404
        assert told == [told[0]] * len(told)
        assert "decision" not in facts(link.story)

    @pytest.mark.parametrize("method", ["OPTIONS", "PUT", "PATCH", "DELETE"])
    def test_no_other_method_leads_anywhere(self, link: Link, method: str) -> None:
        body = a_form(decision="APPROVED", by="Ann", nonce=link.nonce())
        page = link.asks(method, body=body)

        assert page.status == 404
        assert "decision" not in facts(link.story)

    def test_a_revision_that_was_followed_by_another_is_gone_and_tells_what_was_said_to_it(
        self, link: Link
    ) -> None:
        """Who clicks twice while the next one is made is still told that it was heard."""
        nonce = link.nonce()
        link.answers("CHANGES_REQUESTED", note="Shorter, please", nonce=nonce)
        link.story.report()
        link.story.approve("second token")

        for page in (link.asks("GET"), link.answers("APPROVED", nonce=nonce)):
            assert page.status == 410
            assert "Already decided: sent back for changes by Ann (by link) at" in page.body
            assert "Shorter, please" in page.body
            assert "<form" not in page.body
        assert link.asks("GET", below="/report").status == 200  # whoever has seen it may read on
        assert "decision" not in facts(link.story)

    def test_a_revision_that_nobody_answered_is_over_with_the_next_one(
        self, link: Link, callbacks: FakeCallbacks
    ) -> None:
        """Its state was woken by an operator, or its run died: nobody would hear an answer."""
        guessed, nonce = Link(link.story, "A" * 43).asks("GET"), link.nonce()
        link.story.report()
        link.story.approve("second token")

        for page in (link.asks("GET"), link.answers("APPROVED", nonce=nonce)):
            assert (page.status, page.body) == (410, guessed.body)
        assert callbacks.woken == []
        assert Link(link.story).answers("APPROVED").status == 200

    def test_an_answered_link_ends_with_its_window(self, link: Link) -> None:
        nonce = link.nonce()
        link.answers("APPROVED", nonce=nonce)
        assert link.asks("GET").status == 200
        cast("FakeClock", link.story.ports.clock).pass_seconds(WINDOW + 1)

        assert link.asks("GET").status == 410
        assert link.answers("APPROVED", nonce=nonce).status == 410

    def test_another_tasks_id_decides_on_its_own_task_alone(self, link: Link) -> None:
        request = {**REQUEST, "workflow_id": "acme-2"}
        other = until(Story(ports=link.story.ports, request=request, execution="o"), "APPROVE")
        other.approve("other token")

        page = Link(other).answers("APPROVED", nonce=link.nonce())

        assert page.status == 404
        assert "decision" not in facts(link.story)
        assert "decision" not in facts(other)

    def test_whoever_tries_ids_costs_the_same_reads_whatever_is_behind_them(
        self, link: Link
    ) -> None:
        """What can be timed are requests: the same ones are made, in the same order."""
        calls = []
        link.story.expire()
        for id_ in (link.id, *(id_ for id_, _ in self.others(link).values())):
            watched = Mortal(link.story.ports)
            Link(link.story, id_).asks("GET", ports=watched)
            calls.append(watched.calls)

        assert [each == calls[0] for each in calls] == [True] * len(calls)
        assert calls[0][:4] == [
            "quota.take", "invitations.find", "ledger.task", "ledger.units"
        ]  # fmt: skip

    def test_a_thousand_guesses_are_stopped_before_they_are_looked_up(self, link: Link) -> None:
        watched = Mortal(link.story.ports)
        guesses = (Link(link.story, f"g{n:042}", visitor="198.51.100.9") for n in range(1000))
        told = [guess.asks("GET", ports=watched) for guess in guesses]

        assert [page.status for page in told].count(404) == EACH_MINUTE
        assert [page.status for page in told].count(429) == 1000 - EACH_MINUTE
        assert told[-1].headers["retry-after"] == "60"
        assert watched.calls.count("invitations.find") == EACH_MINUTE
        assert link.asks("GET").status == 200  # somebody else's address

    def test_what_a_header_says_of_an_address_is_nobodys_word(self, link: Link) -> None:
        told = []
        for n in range(EACH_MINUTE + 1):
            event = a_request("GET", "/approvals/guess", visitor="198.51.100.9")
            event["headers"] |= {"x-forwarded-for": f"192.0.2.{n}", "forwarded": f"for=192.0.2.{n}"}
            told.append(approvals(event, link.story.ports, owner="door", seconds=20))

        assert told[-1]["statusCode"] == 429

    def test_who_draws_addresses_from_one_network_is_one_visitor(self, link: Link) -> None:
        rotating = (f"2001:db8:1:2:{n:x}::{n:x}" for n in range(EACH_MINUTE + 1))
        told = [Link(link.story, "guess", visitor=each).asks("GET").status for each in rotating]
        neighbour = Link(link.story, "guess", visitor="2001:db8:1:3::1").asks("GET")

        assert told == [404] * EACH_MINUTE + [429]
        assert neighbour.status == 404


class TestMisfortune:
    def test_a_service_that_does_not_answer_is_no_decision_and_no_500(self, link: Link) -> None:
        nonce = link.nonce()
        page = link.asks(
            "POST",
            ports=_failing(link.story.ports, "ledger", "commit"),
            body=a_form(decision="APPROVED", by="Ann", nonce=nonce, note="kept"),
        )

        assert (page.status, page.headers["retry-after"]) == (503, "2")
        assert "kept" in page.body
        assert link.answers("APPROVED").status == 200

    def test_a_signal_that_fails_leaves_the_record_and_the_next_click_heals_it(
        self, link: Link, callbacks: FakeCallbacks
    ) -> None:
        nonce = link.nonce()
        body = a_form(decision="APPROVED", by="Ann", nonce=nonce)
        page = link.asks(
            "POST", ports=_failing(link.story.ports, "callbacks", "succeed"), body=body
        )
        assert (page.status, callbacks.woken) == (503, [])

        assert "Already decided" in link.asks("POST", body=body).body
        assert [told["decision"] for _, told in callbacks.woken] == ["APPROVED"]

    def test_looking_while_a_service_is_down_says_when_to_come_back(self, link: Link) -> None:
        page = link.asks("GET", ports=_failing(link.story.ports, "invitations", "find"))

        assert (page.status, page.headers["retry-after"]) == (503, "2")

    def test_a_door_beside_it_that_decided_first_is_told(self, link: Link) -> None:
        nonce = link.nonce()
        event = {"task_id": task(link.story).task_id, "decision": "REJECTED", "by": "ben"}
        decide(event, link.story.ports, owner="door", seconds=20)

        assert "rejected by ben" in link.answers("APPROVED", nonce=nonce).body


class _Down:
    def __init__(self, port: Any, method: str) -> None:
        self._port, self._method = port, method

    def __getattr__(self, name: str) -> Any:
        if name != self._method:
            return getattr(self._port, name)

        def refuse(*_: Any, **__: Any) -> Any:
            raise ServiceUnavailable(f"{name} did not answer")

        return refuse


def _failing(ports: Any, port: str, method: str) -> World:
    broken: dict[str, Any] = {port: _Down(getattr(ports, port), method)}
    return replace(cast("World", ports), **broken)
