"""What a record can keep: checked before anything happens outside, never after."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lambdas.agent.contract import FACTS_LIMIT, INLINE_LIMIT, MOVE_LIMIT
from lambdas.agent.errors import Unexpected
from lambdas.agent.identity import canonical
from lambdas.agent.model import Outcome
from lambdas.agent.tasks import Move
from lambdas.agent.work import Work


def kept(outcome: Outcome, work: Work) -> Outcome:
    """The outcome as it is committed; Unexpected where no record could hold it.

    Artifact before record: a result too large for the record goes to the store first.
    """
    if outcome.move:
        _check_move(work, outcome.move)
    size = check_keepable(work, outcome.facts, outcome.cursor)
    if outcome.result is None or size + len(zlib.compress(outcome.result)) <= INLINE_LIMIT:
        return outcome
    return replace(outcome, result=None, result_ref=work.write("result", outcome.result))


def check_keepable(work: Work, *parts: Mapping[str, Any]) -> int:
    """Bytes of JSON that these facts and this cursor take; Unexpected where they are none."""
    size = len(_json(work, parts))
    if size > FACTS_LIMIT:
        raise Unexpected(
            f"{work.unit} was to commit {size} bytes of facts and cursor and may {FACTS_LIMIT}: "
            "what is large belongs into its result, this is a fault of the step"
        )
    return size


def _check_move(work: Work, move: Move) -> None:
    """Its fields are attributes of their own, which a record keeps as UTF-8, not as JSON."""
    _json(work, move.fields)
    size = sum(len(f"{name}{value}".encode()) for name, value in move.fields.items())
    if size > MOVE_LIMIT:
        raise Unexpected(
            f"{work.unit} was to set {size} bytes beside its task and may {MOVE_LIMIT}: "
            "what is large belongs into its result, this is a fault of the step"
        )


def _json(work: Work, value: Any) -> bytes:
    try:
        return canonical(value)
    except (TypeError, ValueError) as error:
        raise Unexpected(
            f"{work.unit} was to commit something that is no JSON ({error}): nothing was begun "
            "outside, this is a fault of the step"
        ) from None
