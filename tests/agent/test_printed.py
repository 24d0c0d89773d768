"""Lines of printed pages, and the paragraphs they are."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.printed import Line, markdown_of

FULL = "The council approved the new heat plan on Monday after a long debate about"
LAST = "the costs of the network."


def set_(*texts: str, top: float = 700, gap: float = 14, x: float = 50) -> list[Line]:
    return [Line(text, x, top - gap * n, 12) for n, text in enumerate(texts)]


def test_the_lines_of_a_paragraph_become_one() -> None:
    assert markdown_of([set_(FULL, LAST)]) == f"{FULL} {LAST}"


def test_a_wider_gap_ends_a_paragraph() -> None:
    page = [*set_(FULL, FULL, LAST), *set_(FULL, LAST, top=640)]

    assert markdown_of([page]).split("\n\n") == [f"{FULL} {FULL} {LAST}", f"{FULL} {LAST}"]


def test_an_indented_line_behind_the_end_of_a_sentence_begins_a_paragraph() -> None:
    whole = FULL + " all of it."
    page = [*set_(whole), *set_(whole, top=686, x=70), *set_(FULL, LAST, top=672)]

    assert markdown_of([page]).split("\n\n") == [whole, f"{whole} {FULL} {LAST}"]


def test_hanging_lines_stay_with_what_they_hang_from() -> None:
    page = [*set_(FULL), *set_(LAST, top=686, x=80)]

    assert markdown_of([page]) == f"{FULL} {LAST}"


def test_a_sentence_goes_on_in_the_next_column() -> None:
    page = [*set_(FULL, top=100), *set_(LAST, top=700, x=320)]

    assert markdown_of([page]) == f"{FULL} {LAST}"


def test_larger_lines_are_headings() -> None:
    page = [
        Line("Annual", 50, 760, 24),
        Line("report", 50, 732, 24),
        Line("1. Results", 50, 720, 14),
        *set_(FULL, LAST),
    ]

    assert markdown_of([page]) == f"# Annual report\n\n## 1. Results\n\n{FULL} {LAST}"


def test_a_long_paragraph_in_large_letters_is_no_heading() -> None:
    large = [Line(f"{FULL} {n}", 50, 760 - 20 * n, 16) for n in range(3)]

    assert not markdown_of([[*large, *set_(*[FULL] * 9)]]).startswith("#")


def test_every_item_of_a_list_stands_for_itself() -> None:
    page = set_("\u2022 " + FULL, LAST, "\u2022 a second one", "1. a first step", "- a dash")

    assert markdown_of([page]).split("\n\n") == [
        f"\u2022 {FULL} {LAST}",
        "\u2022 a second one",
        "1. a first step",
        "- a dash",
    ]


def test_short_rows_keep_their_ends() -> None:
    page = [*set_("Plan Price", "Team 49 euro"), *set_(FULL, FULL, FULL, FULL, top=600)]

    assert markdown_of([page]).startswith("Plan Price\nTeam 49 euro\n\n")


def test_nothing_goes_on_over_the_end_of_a_page() -> None:
    assert markdown_of([set_(FULL), set_(LAST)]) == f"{FULL}\n\n{LAST}"


@pytest.mark.parametrize(
    ("end", "start", "joined"),
    [
        ("all inter-", "national prices", "all international prices"),
        ("all inter\u2010", "national prices", "all international prices"),
        ("the price of oil-", "free pumps", "the price of oil-free pumps"),
        ("the state-of-the-", "art pump", "the state-of-the-art pump"),
        ("in Baden-", "W\u00fcrttemberg", "in Baden-W\u00fcrttemberg"),
        ("from 2024-", "2025 on", "from 2024-2025 on"),
        ("the plan -", "if there is one", "the plan - if there is one"),
        ("Unter\u00ad", "nehmen", "Unter\u00adnehmen"),
        ("\u4f60\u597d", "\u4e16\u754c", "\u4f60\u597d\u4e16\u754c"),
        ("a well-", "known case", "a well-known case"),
    ],
)
def test_a_hyphen_at_a_lines_end_goes_where_the_line_made_it(
    end: str, start: str, joined: str
) -> None:
    elsewhere = set_("The oil is free of it.", "It is known well.", top=100)

    written = markdown_of([[*set_(end, start), *elsewhere]])
    assert written.replace("\n", " ").startswith(joined)


def test_the_documents_own_spelling_decides_on_a_hyphen() -> None:
    page = [*set_("they co-", "operate with us"), *set_("We co-operate.", top=100)]
    other = [*set_("they co-", "operate with us"), *set_("We cooperate: co and operate.", top=100)]

    assert markdown_of([page]).startswith("they co-operate with us")
    assert markdown_of([other]).startswith("they cooperate with us")


def test_page_numbers_go_and_a_running_head_stays_once() -> None:
    def page(n: int) -> Sequence[Line]:
        head, foot = Line("Any report", 50, 780, 12), Line(f"{n} / 4", 50, 20, 12)
        return [head, *set_(f"{FULL} {n}"), foot]

    assert markdown_of([page(n) for n in range(1, 5)]) == "\n\n".join(
        ["Any report", *(f"{FULL} {n}" for n in range(1, 5))]
    )


def test_without_places_the_lengths_of_lines_tell() -> None:
    page = [Line(text) for text in (FULL, LAST, FULL, FULL)]

    assert markdown_of([page]).split("\n\n") == [f"{FULL} {LAST}", f"{FULL} {FULL}"]


sizes = st.floats(0, 30)
any_lines = st.lists(st.builds(Line, st.text(max_size=40), sizes, sizes, sizes))


@given(st.lists(any_lines, max_size=2))
def test_no_letter_is_lost_but_page_numbers_and_running_heads(inner: list[list[Line]]) -> None:
    pages = [[Line("head"), *page, Line("foot")] for page in inner]

    assert _letters(markdown_of(pages)) == _letters("".join(ln.text for p in pages for ln in p))


def _letters(text: str) -> str:
    return "".join(each for each in text if each.isalnum())
