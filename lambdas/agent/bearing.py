"""Whether a passage can be an answer at all, before it is asked how good a one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lambdas.agent.evidence import holds, is_amount
from lambdas.agent.expectations import Expects
from lambdas.agent.fields import HEADER, Fields
from lambdas.agent.questions import PLAIN, Matter, Query
from lambdas.agent.terms import stem

NEWS = 2
"""Words a passage must add to those of the question."""
NAME = re.compile(r"(?<=[a-z,] )[A-Z]\w+")
DATELINE = 5
"""Words of a heading that gives the date of what follows."""


def is_of_the_kind(fields: Fields, kind: Expects) -> bool:
    """The answer stands in the passage; its date may stand above it, its currency in the column."""
    if holds(kind, fields.words):
        return True
    passage = fields.passage
    if kind is Expects.DATE:
        nearest = next(reversed(passage.headings), "")
        return len(nearest.split()) <= DATELINE and holds(kind, nearest)
    columns = zip(passage.header, passage.cells, strict=False)
    return kind is Expects.MONEY and any(is_amount(name, cell) for name, cell in columns)


def says_something(fields: Fields, query: Query, *, of_the_kind: bool) -> bool:
    """In its own words the passage names a matter, or is the kind of answer, and adds to it."""
    asked = [one for one in query.matters if one.weight == PLAIN] or query.matters
    if query.must and not of_the_kind and all(one.is_name for one in asked):
        return False
    names = {name for matter in asked for name in matter.names if matter.is_named_by(name)}
    own = fields.body.keys() | {word for word, weight in fields.around.items() if weight >= HEADER}
    is_answer = of_the_kind and _can_go_unnamed(fields, query)
    if not is_answer and not names & own and not _is_hinted(fields, asked):
        return False
    return _adds_to(fields, names)


def _adds_to(fields: Fields, names: set[str]) -> bool:
    """Two words the question has not said; one is enough where it is a number or a name."""
    added = fields.body.keys() - names
    particulars = {stem(name.casefold()) for name in NAME.findall(fields.words)} - names
    return len(added) >= NEWS or bool(particulars) or any(word[0].isdigit() for word in added)


def _can_go_unnamed(fields: Fields, query: Query) -> bool:
    """Rows and items say what they are about above them; an amount of money says it itself."""
    if query.expects is Expects.ANYTHING:
        return False
    is_listed = fields.passage.kind in {"table", "list"}
    return query.must or is_listed or query.expects is Expects.MONEY


def _is_hinted(fields: Fields, asked: Sequence[Matter]) -> bool:
    """The passage hints at what is named above it."""
    return any(
        matter.names.keys() & fields.body.keys()
        and any(matter.is_named_by(name) for name in matter.names.keys() & fields.around.keys())
        for matter in asked
    )
