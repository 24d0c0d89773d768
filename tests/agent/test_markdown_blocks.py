"""Blocks of a Markdown text: what each line belongs to, and that no line gets lost."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.markdown_blocks import blocks, normalised

LINES = st.lists(
    st.sampled_from(
        [
            "",
            "  ",
            "# A heading",
            "####### seven",
            "words",
            "  more words",
            "- item",
            "  - nested",
            "1. first",
            "12) twelfth",
            "> said",
            "| a | b |",
            "|---|---|",
            "a | b",
            "--- | ---",
            "```",
            "```python",
            "~~~",
            "---",
            "* * *",
            "\U0001f600 emoji",
        ]
    )
    | st.text(alphabet="a#`~->|*. 1\u00e4\U0001f600", max_size=12),
    max_size=30,
).map("\n".join)


def parts(text: str) -> list[tuple[str, str]]:
    return [(block.kind, text[block.start : block.end]) for block in blocks(text)]


def test_each_kind_of_block_is_told_with_exact_offsets() -> None:
    expected = [
        ("heading", "# Pumps \U0001f600"),
        ("paragraph", "They are quiet\nand cheap."),
        ("list", "- one\n- two\n  - nested\n\n  still two\n\n- three"),
        ("heading", "## Prices"),
        ("table", "| plan | price |\n|---|---|\n| Pro | $29 |"),
        ("quote", "> We like it.\n>\n> Much."),
        ("code", "```sh\n# no heading\n\n- no item\n```"),
        ("list", "1. first\n2. second"),
        ("paragraph", "The end."),
    ]
    assert parts("\n\n".join(part for _, part in expected)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("words\n# Next\nmore", ["paragraph", "heading", "paragraph"]),
        ("words\n- item", ["paragraph", "list"]),
        ("words\n1. item", ["paragraph", "list"]),
        ("in\n2019. Not an item", ["paragraph"]),
        ("words\n> said", ["paragraph", "quote"]),
        ("words\n| a |", ["paragraph", "table"]),
        ("words\n***\nmore", ["paragraph", "paragraph"]),
        ("- item\ngoes on", ["list"]),
        ("- item\n\nwords", ["list", "paragraph"]),
        ("- item\n# Next", ["list", "heading"]),
        ("- item\n---\n- item", ["list", "list"]),
        ("a | b\n--- | ---\n1 | 2\nwords", ["table", "paragraph"]),
        ("a | b\nwords", ["paragraph"]),
        ("#hashtag", ["paragraph"]),
        ("-5 degrees", ["paragraph"]),
        ("```\nnever closed", ["paragraph"]),
        ("````\n```\n````\nwords", ["code", "paragraph"]),
        ("~~~\n```\n~~~", ["code"]),
        ("---", []),
    ],
)
def test_lines_that_could_be_more_than_one_thing(text: str, expected: list[str]) -> None:
    assert [kind for kind, _ in parts(text)] == expected


@given(LINES)
def test_every_line_with_words_is_in_exactly_one_block(text: str) -> None:
    found = blocks(text)
    taken = [at for block in found for at in range(block.start, block.end)]
    assert taken == sorted(set(taken))
    left = set(range(len(text))) - set(taken)
    assert not any(text[at].isalnum() for at in left)


@given(LINES)
def test_blocks_are_whole_lines_apart_by_a_newline(text: str) -> None:
    for block in blocks(text):
        assert block.start == 0 or text[block.start - 1] == "\n"
        assert block.end == len(text) or text[block.end] == "\n"
        assert text[block.start : block.end].strip()


@given(LINES)
def test_a_block_read_alone_is_the_same_block(text: str) -> None:
    for kind, part in parts(text):
        assert parts(part)[0][0] == kind


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("```\n```", {"code"}),
        ("```a\n~~~", {"code", "paragraph"}),
        ("- item", {"list"}),
        ("| a", {"table"}),
        ("a | b\n--- |", {"table"}),
        ("> said", {"quote"}),
        ("words\n\n", {"paragraph"}),
        (" " * 999 + "x|", {"paragraph"}),
        ("~" * 999 + "`", {"paragraph"}),
        ("- " * 999 + "x", {"list"}),
        ("x|" + "-" * 999, {"paragraph"}),
    ],
)
def test_long_texts_of_one_kind_are_read_in_one_pass(line: str, kinds: set[str]) -> None:
    text = "\n".join([line] * (400_000 // len(line)))
    assert {kind for kind, _ in parts(text)} == kinds


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("a\r\nb\rc\u2028d\x0ce", "a\nb\nc\nd\ne"),
        ("a  \n\n\n\n b\n", "a\n\n b"),
        ("a\tb", "a    b"),
        ("na\u0308he", "n\u00e4he"),
        ("\ufeffa\x00b\x1bc\x9fd", "abcd"),
        ("a\ud83db", "ab"),
        ("a" + "".join(chr(0xE0000 + ord(c)) for c in "obey"), "a"),
        ("soft\u00adhyphen 5\u00a0km", "soft\u00adhyphen 5\u00a0km"),
        ("\u0633\u200c\u0644", "\u0633\u200c\u0644"),
    ],
)
def test_text_is_made_storable_and_otherwise_left_alone(raw: str, text: str) -> None:
    assert normalised(raw) == text


@given(st.text())
def test_normal_text_is_stable_composed_and_free_of_controls(raw: str) -> None:
    text = normalised(raw)
    assert normalised(text) == text
    assert unicodedata.is_normalized("NFC", text)
    assert {unicodedata.category(c) for c in text if c != "\n"}.isdisjoint({"Cc", "Cs"})
    text.encode()
