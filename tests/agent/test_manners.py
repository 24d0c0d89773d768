"""What a site asks of robots, learnt before anything else is asked of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import cast

import pytest

from lambdas.agent.errors import SourceRefused, SourceUnavailable
from lambdas.agent.manners import (
    FRESH_SECONDS,
    LOST_SECONDS,
    PRODUCT_TOKEN,
    Turn,
    check_allowed,
    known_rules,
    robots_url,
    turn_to_read,
)
from lambdas.agent.pages import Page
from lambdas.agent.web_ports import Rules
from tests.fakes.artifacts import MemoryArtifacts
from tests.fakes.clock import FakeClock
from tests.fakes.outside import FakeWeb
from tests.fakes.turns import MemoryTurns
from tests.fakes.world import World

PAGE = "https://acme.test/prices?plan=team"
ROBOTS = "https://acme.test/robots.txt"
TASK = "competitor-monitor-acme-1"
FORBIDS = b"User-agent: *\nDisallow: /prices\nCrawl-delay: 7\n"


class Answers:
    """A web that answers everything with the same."""

    def __init__(self, answer: Page | Exception) -> None:
        self.answer = answer
        self.asked: list[tuple[str, float]] = []

    def get(self, url: str, *, seconds: float, known: object = None) -> Page:
        self.asked.append((url, seconds))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def learnt(world: World, url: str = PAGE, *, task: str = TASK) -> Rules:
    """The rules, asked for by whoever takes no turn of the others'."""
    alone = replace(world, turns=MemoryTurns(world.clock))
    turn_to_read(alone, task, robots_url(url) or url, None, seconds=5)
    rules = known_rules(alone, task, url)
    assert rules is not None
    return rules


def in_turn(world: World, url: str = PAGE, held: Turn | None = None) -> Turn:
    return turn_to_read(world, TASK, url, held, seconds=5)


def a_page(body: bytes, *, url: str = ROBOTS) -> Page:
    return Page(url=url, status=200, content_type="text/plain", body=body)


@pytest.fixture
def web(world: World) -> FakeWeb:
    return cast("FakeWeb", world.fetcher)


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("https://acme.test", ROBOTS),
        ("https://acme.test/a/b?c=d#e", ROBOTS),
        ("HTTPS://ACME.test:443/a", ROBOTS),
        (" https://acme.test/a", ROBOTS),
        ("https://acme.test:8443/a", "https://acme.test:8443/robots.txt"),
        ("http://acme.test/a", "http://acme.test/robots.txt"),
        ("http://acme.test:443/a", "http://acme.test:443/robots.txt"),
        ("http://127.0.0.1:8099/acme/", "http://127.0.0.1:8099/robots.txt"),
        ("https://[2001:db8::1]:443/a", "https://[2001:db8::1]/robots.txt"),
        ("https://münchen.test/a", "https://münchen.test/robots.txt"),
        ("s3://bucket/robots.txt", ""),
        ("file:///etc/passwd", ""),
        ("https:///a", ""),
        ("https://[::1/", ""),
        ("acme.test/a", ""),
        ("", ""),
    ],
)
def test_the_rules_lie_at_the_root_of_each_scheme_host_and_port(url: str, where: str) -> None:
    assert robots_url(url) == where


def test_a_site_is_asked_for_its_rules_once_in_a_run(world: World, web: FakeWeb) -> None:
    web.pages[ROBOTS] = FORBIDS

    told = [learnt(world, f"https://acme.test/{n}").crawl_delay for n in range(3)]

    assert told == [7, 7, 7]
    assert web.asked == [ROBOTS]


def test_a_site_without_rules_is_asked_for_them_once_too(world: World, web: FakeWeb) -> None:
    for n in range(3):
        assert learnt(world, f"https://acme.test/{n}").allows(PAGE)

    assert web.asked == [ROBOTS]
    assert cast("MemoryArtifacts", world.artifacts).bodies == {}


def test_each_run_and_each_site_is_asked_by_itself(world: World, web: FakeWeb) -> None:
    web.pages[ROBOTS] = FORBIDS

    learnt(world)
    learnt(world, task="another-task")
    assert learnt(world, "http://acme.test/prices").allows("http://acme.test/prices")

    assert web.asked == [ROBOTS, ROBOTS, "http://acme.test/robots.txt"]


def test_what_a_site_said_a_day_ago_is_asked_anew(
    world: World, web: FakeWeb, clock: FakeClock
) -> None:
    web.pages[ROBOTS] = FORBIDS
    learnt(world)
    clock.pass_seconds(FRESH_SECONDS - 1)
    assert known_rules(world, TASK, PAGE) is not None

    clock.pass_seconds(1)
    web.pages[ROBOTS] = b""
    assert known_rules(world, TASK, PAGE) is None
    assert learnt(world).allows(PAGE)
    assert web.asked == [ROBOTS] * 2


def test_what_is_known_is_told_without_asking(world: World, web: FakeWeb) -> None:
    assert known_rules(world, TASK, PAGE) is None
    assert web.asked == []


@pytest.mark.parametrize("url", ["s3://bucket/key", "https://[::1/"])
def test_what_is_no_site_has_no_rules(world: World, web: FakeWeb, url: str) -> None:
    rules = learnt(world, url)

    assert (rules.allows(url), rules.crawl_delay) == (True, 0)
    assert web.asked == []


@pytest.mark.promise("R18")
def test_the_site_may_take_as_long_as_its_asker_says(world: World) -> None:
    world.fetcher = web = Answers(a_page(b""))

    turn_to_read(world, TASK, PAGE, None, seconds=3.5)

    assert web.asked == [(ROBOTS, 3.5)]


@pytest.mark.parametrize(
    "code",
    [
        "HTTP_400",
        "HTTP_401",
        "HTTP_403",
        "HTTP_404",
        "HTTP_410",
        "HTTP_451",
        "TOO_MANY_REDIRECTS",
        "REDIRECT_LOOP",
        "BAD_REDIRECT",
        "INSECURE_REDIRECT",
        "BLOCKED_ADDRESS",
        "BAD_CERTIFICATE",
        "INVALID_URL",
    ],
)
def test_a_site_that_has_no_robots_txt_for_us_allows_everything(world: World, code: str) -> None:
    """Case C13; and what is wrong with the site itself is told where its page is asked for."""
    world.fetcher = web = Answers(SourceRefused("any", code=code))

    assert learnt(world).allows(PAGE)
    assert learnt(world).crawl_delay == 0
    assert len(web.asked) == 1


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("HTTP_500", None),
        ("HTTP_503", 120.0),
        ("HTTP_429", 0.0),
        ("DEADLINE", None),
    ],
)
@pytest.mark.promise("R21", "R23")
def test_a_site_that_cannot_say_its_rules_now_is_not_read_now(
    world: World, code: str, hint: float | None
) -> None:
    """Case C13."""
    world.fetcher = web = Answers(
        SourceUnavailable("any", code=code, dependency="cdn.test", wait_seconds=hint)
    )

    for _ in range(2):
        with pytest.raises(SourceUnavailable, match="nobody knows what the site's owner") as told:
            learnt(world)
        assert told.value.code == "ROBOTS_UNAVAILABLE"
        assert (told.value.dependency, told.value.wait_seconds) == ("cdn.test", hint)
        assert ROBOTS in str(told.value)
        assert code in str(told.value)
    assert known_rules(world, TASK, PAGE) is None
    assert len(web.asked) == 2


@pytest.mark.promise("R23")
@pytest.mark.parametrize("code", ["CONNECT_FAILED", "DNS_FAILED"])
def test_a_site_that_does_not_answer_at_all_is_told_as_that(world: World, code: str) -> None:
    world.fetcher = Answers(SourceUnavailable("It is away.", code=code, dependency="cdn.test"))

    with pytest.raises(SourceUnavailable, match="It is away") as told:
        learnt(world)
    assert told.value.code == code


def test_a_site_that_was_unavailable_is_read_when_it_is_back(world: World, web: FakeWeb) -> None:
    web.down.add(ROBOTS)
    with pytest.raises(SourceUnavailable) as told:
        learnt(world)
    assert told.value.code == "CONNECT_FAILED"

    web.down.clear()
    web.pages[ROBOTS] = FORBIDS
    assert not learnt(world).allows(PAGE)


@pytest.mark.promise("R21", "R23")
@pytest.mark.parametrize("code", ["TOO_LARGE", "BAD_ENCODING"])
def test_rules_that_cannot_be_read_at_all_are_not_taken_for_none(world: World, code: str) -> None:
    world.fetcher = Answers(SourceRefused("any", code=code))

    with pytest.raises(SourceRefused, match=f"cannot be read \\({code}\\)") as told:
        learnt(world)

    assert (told.value.code, told.value.dependency) == ("ROBOTS_UNREADABLE", "acme.test")


@pytest.mark.parametrize(
    "body", [b"<!doctype html><title>Welcome</title>", b"", b"\xff\xfe\x00", b"Hello"]
)
def test_an_answer_that_holds_no_rules_allows_everything(world: World, body: bytes) -> None:
    world.fetcher = Answers(a_page(body))

    assert learnt(world).allows(PAGE)
    assert learnt(world).allows(PAGE)


def test_rules_behind_a_redirect_are_those_of_the_site_that_was_asked(world: World) -> None:
    """Case C13."""
    world.fetcher = web = Answers(a_page(FORBIDS, url="https://cdn.test/robots.txt"))

    assert not learnt(world).allows(PAGE)
    assert not learnt(world).allows(PAGE)
    assert len(web.asked) == 1


@pytest.mark.promise("R10")
def test_of_two_that_ask_at_once_both_are_told_and_the_later_word_is_kept(
    world: World, web: FakeWeb, clock: FakeClock
) -> None:
    """The second asks while the first has not written down yet what it was told."""
    web.pages[ROBOTS] = FORBIDS
    second = Answers(a_page(b"User-agent: *\nDisallow: /other\n"))

    class Meanwhile:
        def get(self, url: str, *, seconds: float, known: object = None) -> Page:
            world.fetcher = second
            assert learnt(world).allows(PAGE)
            clock.pass_seconds(1)
            return a_page(FORBIDS)

    world.fetcher = Meanwhile()

    assert not learnt(world).allows(PAGE)
    assert not learnt(world).allows(PAGE)


@pytest.mark.promise("R23")
def test_a_page_that_its_owner_does_not_want_read_is_refused_with_what_to_do(
    world: World, web: FakeWeb
) -> None:
    web.pages[ROBOTS] = FORBIDS
    rules = learnt(world)

    check_allowed(rules, "https://acme.test/news")
    with pytest.raises(SourceRefused, match=r"The owner of acme\.test asks us") as refused:
        check_allowed(rules, PAGE)
    assert (refused.value.code, refused.value.dependency) == ("ROBOTS_DISALLOWED", "acme.test")
    assert "plan=team" not in str(refused.value)


def test_the_group_of_our_own_name_is_the_one_that_counts(world: World, web: FakeWeb) -> None:
    """Case C14."""
    web.pages[ROBOTS] = f"{FORBIDS.decode()}\nUser-agent: {PRODUCT_TOKEN}\nDisallow:\n".encode()

    check_allowed(learnt(world), PAGE)


def test_the_first_at_a_host_reads_its_rules_and_its_page_in_one_turn(
    world: World, web: FakeWeb, clock: FakeClock
) -> None:
    world.turns = MemoryTurns(clock, seconds_between=2)

    assert in_turn(world).at == clock.now()
    assert web.asked == [ROBOTS]
    assert in_turn(world).at == clock.now() + 2


def test_the_first_at_a_host_waits_behind_its_rules_where_they_ask_for_it(
    world: World, web: FakeWeb, clock: FakeClock
) -> None:
    web.pages[ROBOTS] = b"User-agent: *\nCrawl-delay: 7\n"
    world.turns = MemoryTurns(clock, seconds_between=2)

    turn = in_turn(world)

    assert turn.at == clock.now() + 2
    clock.pass_seconds(2)
    assert in_turn(world, held=turn) == turn
    assert in_turn(world).at == clock.now() + 7


def test_of_ten_that_begin_together_one_reads_the_rules_and_each_has_its_own_turn(
    world: World, clock: FakeClock
) -> None:
    """The others come while the first is reading them, and again when their turns have come."""
    world.turns = MemoryTurns(clock, seconds_between=1)
    waiting: list[Turn] = []

    class Slow(Answers):
        def get(self, url: str, *, seconds: float, known: object = None) -> Page:
            answer = super().get(url, seconds=seconds)
            waiting.extend(in_turn(world, f"https://acme.test/{n}") for n in range(1, 10))
            clock.pass_seconds(0.5)
            return answer

    world.fetcher = web = Slow(a_page(b"User-agent: *\nDisallow: /a\n"))
    read = [in_turn(world)]
    for turn in waiting:
        assert turn.at > clock.now()
        clock.pass_seconds(turn.at - clock.now())
        read.append(in_turn(world, held=turn))

    assert web.asked == [(ROBOTS, 5)]
    assert read[1:] == waiting
    assert {later.at - earlier.at for earlier, later in pairwise(read)} == {1}


def test_a_turn_that_is_not_there_yet_is_handed_out_again_without_another_being_taken(
    world: World, clock: FakeClock
) -> None:
    world.turns = MemoryTurns(clock, seconds_between=5)
    world.turns.next("acme.test", every=0)
    turn = in_turn(world)

    assert turn.at == clock.now() + 5
    assert in_turn(world, held=turn) == turn
    assert world.turns.next("acme.test", every=0) == clock.now() + 10


def test_whoever_finds_no_rules_when_its_turn_has_come_reads_them_in_it(
    world: World, web: FakeWeb, clock: FakeClock
) -> None:
    """The worker whose turn was first has died before it could read them."""
    world.turns = MemoryTurns(clock, seconds_between=5)
    world.turns.next("acme.test", every=0)
    held = in_turn(world)
    clock.pass_seconds(5)

    assert in_turn(world, held=held) == held
    assert web.asked == [ROBOTS]


def test_a_crawl_delay_is_kept_to_by_turns_taken_before_it_was_known(
    world: World, web: FakeWeb, clock: FakeClock
) -> None:
    world.turns = MemoryTurns(clock, seconds_between=1)
    web.pages[ROBOTS] = b"User-agent: *\nCrawl-delay: 20"
    world.turns.next("acme.test", every=0)
    early = in_turn(world)
    learnt(world)
    clock.pass_seconds(1)

    turns = [in_turn(world, held=early), in_turn(world), in_turn(world)]

    assert [turn.pause for turn in turns] == [20, 20, 20]
    assert [later.at - earlier.at for earlier, later in pairwise(turns)] == [20, 20]
    assert [in_turn(world, held=turn) for turn in turns] == turns


def test_a_turn_that_was_not_used_for_long_is_lost(world: World, clock: FakeClock) -> None:
    world.turns = MemoryTurns(clock, seconds_between=1)
    learnt(world)
    turn = in_turn(world)
    clock.pass_seconds(LOST_SECONDS - 1)
    assert in_turn(world, held=turn) == turn

    clock.pass_seconds(1)
    assert in_turn(world, held=turn).at == clock.now()


def test_where_no_pause_is_kept_a_page_is_read_at_once(
    world: World, web: FakeWeb, clock: FakeClock
) -> None:
    assert in_turn(world).at == clock.now()
    assert web.asked == [ROBOTS]


def test_a_page_that_is_not_to_be_read_takes_no_turn_once_that_is_known(
    world: World, web: FakeWeb, clock: FakeClock
) -> None:
    world.turns = MemoryTurns(clock, seconds_between=1)
    web.pages[ROBOTS] = FORBIDS
    learnt(world)

    with pytest.raises(SourceRefused):
        in_turn(world)

    assert world.turns.next("acme.test", every=0) == clock.now()


def test_hosts_do_not_wait_for_each_other_and_what_is_no_site_waits_for_nobody(
    world: World, clock: FakeClock
) -> None:
    world.turns = MemoryTurns(clock, seconds_between=60)
    in_turn(world)

    assert in_turn(world, "s3://bucket/key") == Turn(at=clock.now())
    assert in_turn(world, "https://OTHER.test/").at == clock.now()
    assert in_turn(world, "https://other.test:8443/").at == clock.now() + 60
