"""Which passages bear on a question, and which do not."""

from __future__ import annotations

import pytest

from lambdas.agent.passages import passages
from lambdas.agent.questions import queries
from lambdas.agent.ranking import KEEP, Ranked, Ranking
from tests.agent.texts import a_text

PRICING = """
# Pricing

Our meters count every event you send. The Team plan costs $349 a month and includes 20 seats.

| Plan | Price per month | Seats |
|---|---|---|
| Starter | $49 | 3 |
| Team | $349 | 20 |

Prices changed on 1 November 2026: Team went from $299 to $349. Compare plans and see our pricing.
What does a seat cost? Read more about our prices. We use cookies to show you the best price.
"""
CHANGELOG = """
# Changelog

## 13 October 2026

- Deprecated: webhook signatures with SHA-1.
- New: exports can be scheduled every hour.

## 1 May 2026

- We launched Boards, a way to plan work.
- Fixed: the clock in the footer was wrong.
"""
ABOUT = """
# About us

Our plan is to grow slowly. We are 40 people in Leeds, and dogs are welcome. Every Friday we
cook together. The kitchen was built in 1930 by a baker and still has his oven.
"""


def ranked(markdown: str, question: str, title: str = "", language: str = "en") -> list[Ranked]:
    text = a_text(markdown, title, language)
    is_english = language == "en"
    ranking = Ranking(passages(text), english=is_english)
    return list(ranking.ask(queries(question, english=is_english)))


def answers(markdown: str, question: str, title: str = "", language: str = "en") -> list[str]:
    return [one.passage.quote for one in ranked(markdown, question, title, language)]


def test_a_question_about_a_price_is_answered_by_sentence_and_row() -> None:
    found = answers(PRICING, "How much does the Team plan cost?")

    assert found[:2] == [
        "The Team plan costs $349 a month and includes 20 seats.",
        "Team | $349 | 20",
    ]


def test_a_row_is_found_by_the_names_of_its_columns() -> None:
    assert answers(PRICING, "How many seats are in Starter?")[0] == "Starter | $49 | 3"


def test_a_question_about_change_is_answered_by_what_changed() -> None:
    found = answers(PRICING, "What changed in pricing?")

    assert found[0] == "Prices changed on 1 November 2026: Team went from $299 to $349."


def test_other_words_for_the_same_are_found() -> None:
    launched = "We launched Boards, a way to plan work."

    assert launched in answers(CHANGELOG, "Which features were released?")
    assert answers(CHANGELOG, "What has been retired?") == [
        "Deprecated: webhook signatures with SHA-1."
    ]


def test_a_changelogs_news_are_launches() -> None:
    found = answers(CHANGELOG, "Which new features were launched?")

    assert "New: exports can be scheduled every hour." in found
    assert "Fixed: the clock in the footer was wrong." not in found


def test_the_date_of_a_heading_is_the_date_of_what_stands_under_it() -> None:
    found = ranked(CHANGELOG, "When were the webhook signatures deprecated?")

    assert found[0].passage.quote == "Deprecated: webhook signatures with SHA-1."
    assert found[0].score > 0.8


@pytest.mark.parametrize(
    "question",
    [
        "How much do the plans cost?",
        "What changed in pricing or plans?",
        "Which features were launched?",
        "What is deprecated in the API?",
        "Which security certifications does the company hold?",
        "When was the merger announced?",
    ],
)
def test_a_page_that_answers_nothing_gives_nothing(question: str) -> None:
    assert answers(ABOUT, question) == []


@pytest.mark.parametrize(
    "line",
    [
        "What does a seat cost?",
        "Read more about our prices.",
        "Compare plans and see our pricing.",
        "We use cookies to show you the best price.",
        "Subscribe to our newsletter for $5 price drops.",
        "Home \u203a Pricing \u203a Team plan",
        "[Pricing for $5](https://a.example/p) [Plans for $9](https://a.example/q)",
        "\u00a9 2026 Acme, all prices in $5 steps, all rights reserved",
        "Pricing",
    ],
)
def test_what_every_page_says_is_no_answer(line: str) -> None:
    assert answers(f"{PRICING}\n\n{line}", "How much is the price of a plan?").count(line) == 0


def test_a_heading_does_not_make_everything_under_it_an_answer() -> None:
    markdown = "# Pricing and plans\n\nThe sun rose over the hills. Birds sang in the old tree."

    assert answers(markdown, "What do the plans cost?") == []


def test_a_sentence_about_somebody_else_is_no_answer() -> None:
    markdown = "Globex launched a new feature in May. Initech is quiet."

    assert answers(markdown, "What did Acme launch?") == []


def test_a_year_and_a_name_are_not_what_happened() -> None:
    markdown = "In 2024 Acme moved to Leeds with its dogs. Acme launched Boards in 2024."

    assert answers(markdown, "What did Acme launch in 2024?") == ["Acme launched Boards in 2024."]


def test_whom_the_page_is_about_need_not_be_named() -> None:
    markdown = "In May we launched a board for planning work."

    assert answers(markdown, "What did Acme launch?", title="Acme blog") == [markdown]


def test_whom_the_page_speaks_of_need_not_be_named_in_each_sentence() -> None:
    markdown = "Acme is in Leeds. Acme is 9 years old. Acme cooks. In May we launched a new board."

    assert answers(markdown, "What did Acme launch?") == ["In May we launched a new board."]


def test_what_says_no_more_than_the_question_is_no_answer() -> None:
    assert answers("The price of the plan.", "What is the price of the plan?") == []
    assert answers("The price of the plan of Acme.", "What is the price of the plan?") != []


def test_new_says_nothing_beside_launched() -> None:
    assert ranked(CHANGELOG, "Which new features were launched?") == ranked(
        CHANGELOG, "Which features were launched?"
    )


def test_each_clause_of_a_question_is_asked() -> None:
    markdown = f"{PRICING}\n\n{CHANGELOG}"

    found = answers(markdown, "How much does Team cost, and which features were launched?")

    assert "Team | $349 | 20" in found
    assert "We launched Boards, a way to plan work." in found


def test_a_later_clause_is_about_those_named_before() -> None:
    markdown = f"Acme was founded in 1999 in Leeds.\n\n{ABOUT}\n\nGlobex costs $5 a month, as ever."

    assert "Globex costs $5 a month, as ever." in answers(markdown, "How much does it cost?")
    assert answers(markdown, "When was Acme founded, and how much does it cost?") == [
        "Acme was founded in 1999 in Leeds."
    ]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When does it close?", "It closes on 31 March 2027."),
        ("How long are records kept?", "Records are kept for 13 months."),
        ("How many records are kept?", "There are 500 records kept at most."),
        ("Who keeps the records?", "Records are kept by Ada Byron."),
    ],
)
def test_the_kind_of_answer_decides_between_likes(question: str, answer: str) -> None:
    likes = "It closes early. Records are kept safe and dry. There are records kept somewhere."

    assert answers(f"{likes} {answer}", question)[0] == answer


def test_a_question_in_capitals_is_read_like_any_other() -> None:
    assert answers(CHANGELOG, "WHICH FEATURES WERE LAUNCHED?") == answers(
        CHANGELOG, "Which features were launched?"
    )


def test_a_question_in_another_language_is_answered_by_its_own_words() -> None:
    markdown = "Der Tarif kostet 49 Euro im Monat. Die Sonne scheint. Das Wetter ist gut."

    assert answers(markdown, "Was kostet der Tarif?", language="de") == [
        "Der Tarif kostet 49 Euro im Monat."
    ]


def test_a_question_that_asks_nothing_is_answered_by_nothing() -> None:
    assert answers(PRICING, "What is it about?") == []
    assert answers(PRICING, "") == []


def test_scores_lie_between_the_threshold_and_one() -> None:
    found = ranked(f"{PRICING}\n\n{CHANGELOG}", "How much does the Team plan cost?")

    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert all(KEEP <= score <= 1 for score in scores)
    assert all(round(score, 4) == score for score in scores)


def test_the_same_sentence_scores_alike_in_a_long_and_in_a_short_text() -> None:
    sentence = "The Team plan costs $349 a month and includes 20 seats."
    question = "How much does the Team plan cost?"

    (alone,) = ranked(sentence, question)
    among = ranked(f"{sentence}\n\n{ABOUT * 5}", question)[0]

    assert among.passage.quote == sentence
    assert abs(alone.score - among.score) < 0.15
