"""Which passages of two texts differ, and what was found in them that is new or gone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.changes import Passage
from lambdas.agent.differing import LONGEST, MOST_PASSAGES, Differences
from lambdas.agent.findings import Finding, Text
from lambdas.agent.markdown_blocks import blocks

PRICE = "The Team plan costs 49 euros a month for each seat."
RAISED = "The Team plan costs 59 euros a month for each seat."
OTHER = "Every plan includes support by mail on working days."
NEWS = "In October Acme launched Price Lab, which simulates prices."


def text(*passages: str) -> Text:
    body = "\n\n".join(passages)
    return Text(title="any", text=body, blocks=blocks(body))


def differences(before: Text, after: Text) -> list[tuple[str, str]]:
    shown, more = Differences(before, after).passages()
    assert more == 0
    return [(each.before, each.after) for each in shown]


def finding(quote: str, within: Text) -> Finding:
    start = within.text.index(quote)
    end = start + len(quote)
    return Finding(question=0, claim=quote, quote=quote, start=start, end=end, score=1)


def test_two_states_of_one_passage_stand_side_by_side() -> None:
    assert differences(text(PRICE, OTHER), text(RAISED, OTHER)) == [(PRICE, RAISED)]


def test_what_was_added_or_removed_has_nothing_beside_it() -> None:
    assert differences(text(PRICE), text(PRICE, NEWS)) == [("", NEWS)]
    assert differences(text(PRICE, NEWS), text(PRICE)) == [(NEWS, "")]


def test_a_passage_is_paired_with_its_own_state_and_not_with_the_one_before_it() -> None:
    found = differences(text(OTHER, PRICE), text(OTHER, NEWS, RAISED))

    assert found == [("", NEWS), (PRICE, RAISED)]


def test_of_a_list_only_the_line_that_differs_is_told() -> None:
    before = text("- one thing\n- the second thing\n- a third thing")
    after = text("- one thing\n- the 2nd thing\n- a third thing")

    assert differences(before, after) == [("the second thing", "the 2nd thing")]


def test_a_row_of_a_table_is_a_passage() -> None:
    head = "| plan | price |\n| --- | --- |\n"
    found = differences(
        text(f"{head}| Team | 49 |\n| Pro | 99 |"), text(f"{head}| Team | 59 |\n| Pro | 99 |")
    )

    assert len(found) == 1
    assert ("49" in found[0][0], "59" in found[0][1]) == (True, True)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([PRICE, OTHER], [OTHER, PRICE]),
        ([PRICE], [PRICE.replace(" ", "  ")]),
        (["She said \u201cit\u2019s fine\u201d - twice."], ['She said "it\'s fine" \u2013 twice.']),
        ([f"## {PRICE}"], [f"**{PRICE}**"]),
        ([PRICE], [PRICE.replace("month", "mon\u00adth")]),
    ],
    ids=["moved", "white space", "typography", "markup", "soft hyphen"],
)
def test_what_a_reader_does_not_see_is_no_difference(before: list[str], after: list[str]) -> None:
    assert not Differences(text(*before), text(*after))


@pytest.mark.parametrize(
    "after",
    [
        RAISED,
        PRICE.replace("costs", "does not cost"),
        PRICE.replace("49", "-49"),
        f"{PRICE} {PRICE}",
    ],
    ids=["number", "negation", "sign", "twice"],
)
def test_what_says_something_else_is_a_difference(after: str) -> None:
    assert Differences(text(PRICE), text(after))


def test_a_passage_that_stands_there_once_more_is_a_difference() -> None:
    assert differences(text(PRICE, OTHER), text(PRICE, OTHER, PRICE)) == [("", PRICE)]


def test_what_is_found_is_new_where_the_text_before_does_not_say_it() -> None:
    before, after = text(PRICE, OTHER), text(NEWS, OTHER, RAISED)
    every = [finding(NEWS, after), finding(OTHER, after), finding(RAISED, after)]

    assert Differences(before, after).fresh(every) == (0, 2)


def test_what_was_found_is_gone_where_the_text_after_does_not_say_it() -> None:
    before, after = text(PRICE, OTHER), text(OTHER, RAISED)
    every = [finding(PRICE, before), finding(OTHER, before)]

    assert Differences(before, after).gone(every) == (every[0],)


def test_words_that_stand_in_another_passage_now_are_still_true() -> None:
    before, after = text(PRICE), text(f"{OTHER} {PRICE}")
    still = finding(PRICE, after)

    assert Differences(before, after).fresh([still]) == ()
    assert Differences(before, after).gone([finding(PRICE, before)]) == ()


def test_a_short_quote_is_still_true_where_its_passage_is_as_it_was() -> None:
    before, after = text("Price", "49 euros", PRICE), text("Price", "49 euros", RAISED)

    assert Differences(before, after).fresh([finding("49 euros", after)]) == ()


def test_a_long_passage_is_cut_to_where_it_differs() -> None:
    begin = " ".join(f"word{n}" for n in range(300))
    ((before, after),) = differences(text(f"{begin} ends at 49."), text(f"{begin} ends at 59."))

    assert before.startswith("… word")
    assert (before.endswith("ends at 49."), after.endswith("ends at 59.")) == (True, True)
    assert max(len(before), len(after)) <= LONGEST + 4


def test_a_text_that_is_another_one_is_told_up_to_a_number_of_passages() -> None:
    other = text(*(f"Entirely{n} other{n} words{n}" for n in range(50)))
    shown, more = Differences(
        text(*[f"Some sentence number {n}." for n in range(40)]), other
    ).passages()

    assert (len(shown), len(shown) + more) == (MOST_PASSAGES, 90)


PASSAGES = st.lists(
    st.sampled_from([PRICE, RAISED, OTHER, NEWS, "水の価格は四十九です。"]), max_size=8
)


@given(before=PASSAGES, after=PASSAGES)
def test_each_passage_of_either_is_in_both_or_told(before: list[str], after: list[str]) -> None:
    found = Differences(text(*before), text(*after)).passages()[0]

    told_before = [each.before for each in found if each.before]
    told_after = [each.after for each in found if each.after]
    assert sorted([*after, *told_before]) == sorted([*before, *told_after])
    assert Passage(before="", after="") not in found
