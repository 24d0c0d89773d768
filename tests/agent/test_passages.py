"""Passages: where they begin and end, and what they know of their surroundings."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.findings import Block, Text
from lambdas.agent.passages import LONGEST, Passage, passages
from tests.agent.texts import a_text, markdowns, unhurried

SENTENCES = [
    ["One thing is true.", "Another is not!", "It is\u2026", "So it ends."],
    ["Acme Inc. and Beta Ltd. merged, e.g. in the U.S. market."],
    ["It is sold in the U.S.", "The price is lower there."],
    ["They met at 5 p.m.", "It was cold."],
    ["Dr. J. R. Smith vs. Prof. Jones, No. 5 of approx. 10, cf. Fig. 3 of the report."],
    ["It grew by 3.14 percent to 1.250 units.", "Version 2.0.1 is out."],
    ["See https://acme.example/a.b?c=d.e!f for more.", "Then www.acme.example too."],
    ["He said \u201cit is done.\u201d", "(She did not agree.)", "**It was bold.**", "It ended."],
    ["It was?!", "It was."],
    ["Am 3. Oktober ist ein Fest.", "Danach ist Ruhe."],
    ["2. Install the client before 2019.", "Then run it."],
    ["Yahoo! said it would sell. iPhone owners were pleased."],
    ["No.", "That is not so."],
    ["The first line\ngoes on in the second.", "The end."],
]


def quotes(markdown: str) -> list[str]:
    return [passage.quote for passage in passages(a_text(markdown))]


def only(markdown: str, title: str = "") -> Passage:
    (passage,) = passages(a_text(markdown, title))
    return passage


@pytest.mark.parametrize("sentences", SENTENCES, ids=lambda sentences: sentences[0][:20])
def test_splits_a_paragraph_into_its_sentences(sentences: list[str]) -> None:
    paragraph = "Before it. " + " ".join(sentences)

    assert quotes(paragraph) == ["Before it.", *sentences]


def test_splits_sentences_that_have_no_space_between_them() -> None:
    first, second = "\u4fa1\u683c\u306f5\u4e07\u5186\u3002", "\u7121\u6599\u3067\u3059\uff01"

    assert quotes(first + second) == [first, second]


def test_quotes_list_items_without_their_marks() -> None:
    assert quotes("- Pro costs $29\n- Team costs $49\n  a month\n3. Free is free") == [
        "Pro costs $29",
        "Team costs $49\n  a month",
        "Free is free",
    ]


def test_a_nested_item_is_led_by_the_item_above_it() -> None:
    *_, nested, after = passages(a_text("All plans include:\n\n- Support\n  - by mail\n- SSO"))

    assert (nested.quote, nested.lead) == ("by mail", "Support")
    assert (after.quote, after.lead) == ("SSO", "All plans include:")


def test_a_row_knows_its_cells_and_the_names_of_its_columns() -> None:
    row = only("| Plan | Price | Seats |\n| --- | ---: | --- |\n| Pro | $29 | |")

    assert row.quote == "Pro | $29"
    assert row.header == ("Plan", "Price", "Seats")
    assert row.cells == ("Pro", "$29", "")


def test_a_tables_caption_leads_its_rows() -> None:
    row = only("| Limits | |\n|---|---|\n| Plan | Requests |\n|---|---|\n| Pro | 50 |")

    assert (row.lead, row.header) == ("Limits:", ("Plan", "Requests"))


def test_a_table_without_a_rule_has_rows_only() -> None:
    assert quotes("| Mon | 10:00 |\n| Tue | a \\| b |") == ["Mon | 10:00", "Tue | a \\| b"]


def test_quotes_code_by_its_lines_and_quotations_without_their_marks() -> None:
    assert quotes("```sh\npip install acme\nacme run\n```\n\n> It works.\n> Really.") == [
        "pip install acme",
        "acme run",
        "It works.",
        "Really.",
    ]


def test_a_passage_knows_the_title_and_the_headings_above_it() -> None:
    markdown = "# Acme\n\n## Old\n\n### Older\n\n## Pricing ##\n\nIt costs $5."

    passage = only(markdown, title="Acme docs")

    assert (passage.title, passage.headings) == ("Acme docs", ("Acme", "Pricing"))


def test_a_question_leads_the_sentence_and_the_block_behind_it() -> None:
    markdown = "We are asked: what does it cost?\n\nNothing. Really."

    _, answer, more = passages(a_text(markdown))

    assert (answer.quote, answer.lead) == ("Nothing.", "We are asked: what does it cost?")
    assert (more.quote, more.lead) == ("Really.", "Nothing.")


def test_a_heading_alone_is_no_passage() -> None:
    assert quotes("# Pricing\n\n## Plans") == []


def test_a_line_of_signs_is_no_passage() -> None:
    assert quotes("* * *\n\n. . .\n\n\u2013 \u2014") == []


def test_cuts_an_overlong_sentence_at_a_words_end_and_loses_no_word() -> None:
    words = [f"word{number}" for number in range(300)]

    cut = quotes(" ".join(words))

    assert " ".join(cut).split() == words
    assert len(cut) > 1
    assert max(map(len, cut)) <= LONGEST


def test_cuts_an_overlong_sentence_between_characters_where_there_are_no_spaces() -> None:
    sentence = "\u4fa1\u683c" * LONGEST

    cut = quotes(sentence)

    assert "".join(cut) == sentence
    assert max(map(len, cut)) <= LONGEST


def test_leaves_out_what_is_no_word() -> None:
    assert quotes(f"The image is {'x' * 100_000} and that is all.") == [
        "The image is",
        "and that is all.",
    ]


@unhurried
@given(markdowns())
def test_quotes_are_verbatim_in_order_and_inside_one_block(markdown: str) -> None:
    text = a_text(markdown)

    found = list(passages(text))

    for passage in found:
        assert text.text[passage.start : passage.end] == passage.quote == passage.quote.strip()
        assert len(passage.quote) <= LONGEST
        assert sum(_holds(block, passage) for block in text.blocks) == 1
    assert all(one.end <= other.start for one, other in pairwise(found))


@unhurried
@given(markdowns(), st.integers(0, 300))
def test_goes_on_from_any_place_as_if_it_had_never_stopped(markdown: str, start: int) -> None:
    text = a_text(markdown)

    assert list(passages(text, start)) == [one for one in passages(text) if one.start >= start]


@pytest.mark.parametrize("kind", ["paragraph", "list", "table", "code", "quote"])
@given(text=st.text(alphabet="a.|-> \n*!\u3002\u4fa1\u200d#1", max_size=200))
def test_takes_any_characters_in_any_kind_of_block(kind: str, text: str) -> None:
    whole = Text(title="", text=text, blocks=(Block(kind=kind, start=0, end=len(text)),))

    assert all(text[one.start : one.end] == one.quote for one in passages(whole))


def _holds(block: Block, passage: Passage) -> bool:
    return block.start <= passage.start and passage.end <= block.end
