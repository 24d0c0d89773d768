"""robots.txt as sites write it, and what it asks of us."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.adapters.protego_robots import LONGEST_DELAY, MOST_BYTES, ProtegoRobots
from lambdas.agent.web_ports import Rules

INPUTS = Path(__file__).parents[2] / ".." / "shared" / "cases" / "inputs"
SITE = "https://acme.test"
ROBOTS = ProtegoRobots("Ratchet")
ODD = (
    b"\xef\xbb\xbf"
    b"Crawl-delay: 1\r\n# rules\r\nUser-agent: *\r\nDisallow: /*s=\r\nDisallow: /p\r\n"
    b"Allow: /public/\r\nDisallow: /*.pdf$\r\nDisallow: /?\r\n\r\n"
    b"User-agent: Ratchet\r\nDisallow: /private/\r\nDisallow:\r\n"
)


def rules(*lines: str) -> Rules:
    return ROBOTS.rules("\n".join(lines).encode())


def allowed(found: Rules, path: str) -> bool:
    return found.allows(f"{SITE}{path}")


@pytest.mark.parametrize(
    ("path", "is_allowed"),
    [
        ("/", True),
        ("/?", False),
        ("/?x=1", False),
        ("/page?s=1", False),
        ("/news", True),
        ("/p", False),
        ("/path", False),
        ("/public/x", True),
        ("/file.pdf", False),
        ("/file.pdf?x=1", True),
        ("/file.pdf.html", True),
    ],
)
def test_the_longest_rule_for_everybody_counts(path: str, is_allowed: bool) -> None:
    """Case C15: wildcards, ends, a byte order mark, CRLF and a delay that is nobody's."""
    assert allowed(ProtegoRobots("SomeBot").rules(ODD), path) is is_allowed


@pytest.mark.parametrize(
    ("path", "is_allowed"), [("/p", True), ("/private/x", False), ("/?x", True)]
)
def test_a_group_of_our_own_counts_instead_of_everybodys(path: str, is_allowed: bool) -> None:
    """Case C14."""
    assert allowed(ROBOTS.rules(ODD), path) is is_allowed


def test_the_case_from_the_field_is_read_as_it_says() -> None:
    case = _case("C15_robots.json")
    body = case["robots"].encode()
    others, ours = ProtegoRobots("SomeBot").rules(body), ProtegoRobots("OurAgent").rules(body)

    assert [[path, allowed(others, path)] for path, _ in case["verdicts_other"]] == case[
        "verdicts_other"
    ]
    assert [[path, allowed(ours, path)] for path, _ in case["verdicts_ours"]] == case[
        "verdicts_ours"
    ]


@pytest.mark.parametrize(
    "line",
    [
        "User-agent: Ratchet",
        "user-agent: RATCHET",
        "USER-AGENT:ratchet",
        "  User-agent : Ratchet  ",
        "User-agent: Ratchet # that one",
        "User-agent: Ratchet/0.1",
        "User-agent: Ratchet/0.1 (+https://any.test)",
        "User agent: Ratchet",
        "User-agent Ratchet",
        "Useragent: ratchet",
    ],
)
def test_our_name_is_known_however_it_is_written(line: str) -> None:
    found = rules("User-agent: *", "Allow: /", "", line, "Disallow: /")

    assert not allowed(found, "/any")


@pytest.mark.parametrize("name", ["Rat", "R", "Ratchets", "Ratchet-Images", "NotRatchet", "chet"])
def test_a_group_of_another_robot_is_not_ours(name: str) -> None:
    found = rules(f"User-agent: {name}", "Allow: /", "", "User-agent: *", "Disallow: /private")

    assert not allowed(found, "/private")
    assert allowed(rules(f"User-agent: {name}", "Disallow: /"), "/any")


def test_a_group_that_we_share_with_others_is_ours() -> None:
    shared = rules("User-agent: Any", "User-agent: Ratchet", "Disallow: /a", "Crawl-delay: 7")

    assert not allowed(shared, "/a")
    assert shared.crawl_delay == 7


def test_all_groups_of_ours_count_together() -> None:
    found = rules(
        "User-agent: Ratchet",
        "Disallow: /a",
        "User-agent: Any",
        "Disallow: /b",
        "User-agent: ratchet",
        "Disallow: /c",
    )

    assert [allowed(found, path) for path in ("/a", "/b", "/c")] == [False, True, False]


@pytest.mark.parametrize(
    ("pattern", "path", "is_allowed"),
    [
        ("/a", "/b/a", True),
        ("/a$", "/a", False),
        ("/a$", "/a/", True),
        ("/*/a", "/b/c/a/d", False),
        ("*", "/any", False),
        ("/caf%C3%A9", "/café", False),
        ("/café", "/caf%c3%a9", False),
        ("/a%2Fb", "/a/b", True),
        ("/%61", "/a", False),
        ("", "/any", True),
    ],
)
def test_a_pattern_is_a_prefix_with_wildcards_in_any_spelling(
    pattern: str, path: str, is_allowed: bool
) -> None:
    assert allowed(rules("User-agent: *", f"Disallow: {pattern}"), path) is is_allowed


def test_of_two_rules_of_one_length_the_one_that_allows_counts() -> None:
    assert allowed(rules("User-agent: *", "Disallow: /a", "Allow: /a"), "/a")


def test_robots_txt_itself_may_always_be_read() -> None:
    assert allowed(rules("User-agent: *", "Disallow: /"), "/robots.txt")


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("10", 10),
        ("0.5", 0.5),
        ("0", 0),
        ("-5", 0),
        ("nan", 0),
        ("inf", 0),
        ("soon", 0),
        ("", 0),
        ("3600", LONGEST_DELAY),
        ("1e300", LONGEST_DELAY),
    ],
)
def test_a_crawl_delay_is_seconds_within_reason(told: str, seconds: float) -> None:
    found = rules("User-agent: *", f"Crawl-delay: {told}", "Disallow: /a")

    assert found.crawl_delay == seconds
    assert not allowed(found, "/a")


def test_a_crawl_delay_before_any_group_is_nobodys() -> None:
    found = rules("Crawl-delay: 10", "Disallow: /", "User-agent: Any", "Disallow: /")

    assert found.crawl_delay == 0
    assert allowed(found, "/any")


def test_our_own_group_has_its_own_delay() -> None:
    theirs = ("User-agent: *", "Crawl-delay: 30", "")

    assert rules(*theirs, "User-agent: Ratchet", "Crawl-delay: 2").crawl_delay == 2
    assert rules(*theirs, "User-agent: Ratchet", "Disallow: /a").crawl_delay == 0


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<!doctype html><title>Not found</title><pre>\nUser-agent: *\nDisallow: /\n</pre>",
        b"\xef\xbb\xbf\n <html>\nUser-agent: *\nDisallow: /",
        b"\xff\xfe\x00\x00\xd8",
        b"\x1f\x8b\x08\x00any",
        b"%PDF-1.7",
        b"We like robots. Nothing is forbidden.",
        b"User-agent: *",
        b"Sitemap: https://acme.test/sitemap.xml",
    ],
)
def test_what_says_nothing_forbids_nothing(body: bytes) -> None:
    """Case C13: a page sent in place of a robots.txt is no set of rules."""
    found = ROBOTS.rules(body)

    assert allowed(found, "/any")
    assert found.crawl_delay == 0


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_bytes_that_are_no_utf_8_spoil_their_own_line_only(end: bytes) -> None:
    body = end.join([b"User-agent: *", b"Disallow: /caf\xe9", b"# \xff\xfe", b"Disallow: /a"])

    assert [allowed(ROBOTS.rules(body), path) for path in ("/a", "/b")] == [False, True]


@pytest.mark.parametrize("no_end", ["\x0b", "\x0c", "\x85", "\u2028", "\u2029"])
def test_a_line_ends_at_cr_and_lf_only(no_end: str) -> None:
    assert allowed(rules("User-agent: *", f"# any words{no_end}Disallow: /"), "/any")


def test_what_is_behind_the_limit_is_not_read() -> None:
    """RFC 9309 asks for 500 KiB."""
    line = b"# a comment that says nothing\n"
    padding = line * (MOST_BYTES // len(line))
    group = b"User-agent: *\nDisallow: /a\n"

    assert not allowed(ROBOTS.rules(group + padding), "/a")
    assert allowed(ROBOTS.rules(padding + group), "/a")


def test_a_rule_that_the_limit_cuts_is_left_out_whole() -> None:
    """Half of it would forbid the whole site."""
    start = b"User-agent: *\nDisallow: /a\n"
    body = start + b"#" * (MOST_BYTES - len(start) - 12) + b"\nDisallow: /private/\n"
    assert body[:MOST_BYTES].endswith(b"\nDisallow: /")

    found = [allowed(ROBOTS.rules(body), path) for path in ("/a", "/news", "/photos")]
    assert found == [False, True, True]


def test_one_line_without_an_end_says_nothing() -> None:
    assert allowed(ROBOTS.rules(b"User-agent: * Disallow: /" * 50_000), "/any")


def test_many_names_over_many_rules_are_kept_once() -> None:
    """Each rule once for each name would be hundreds of millions of them."""
    names = [f"User-agent: a{n}" for n in range(15_000)]
    patterns = [f"Disallow: /{n}" for n in range(10_000)]
    found = rules(*names, "User-agent: *", *patterns)

    assert [allowed(found, path) for path in ("/77", "/any")] == [False, True]


@pytest.mark.parametrize("url", ["https://[::1/", "https://a.test/\ud800", "", "mailto:a@b.test"])
def test_what_is_no_address_is_left_to_whoever_fetches_it(url: str) -> None:
    assert rules("User-agent: *", "Disallow: /any").allows(url)


@given(st.binary(max_size=400), st.text(max_size=60))
def test_nothing_that_a_site_sends_makes_it_fail(body: bytes, path: str) -> None:
    found = ROBOTS.rules(b"User-agent: *\n" + body)

    assert found.allows(f"{SITE}/{path}") in {True, False}
    assert 0 <= found.crawl_delay <= LONGEST_DELAY


def test_a_sites_words_reach_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    rules("User-agent: *", "Crawl-delay: any words", "Disallow: /any words")

    assert caplog.records == []


def _case(name: str) -> Any:
    path = INPUTS / name
    if not path.is_file():
        pytest.skip(f"{name} is not beside this repository: its rows stand in the tests here too")
    return json.loads(path.read_text(encoding="utf-8"))
