"""What somebody says to a report, and how long it may be."""

from __future__ import annotations

from dataclasses import dataclass

from lambdas.agent.contract import Decision

BY_A_PERSON = frozenset(Decision) - {Decision.EXPIRED}
"""Answers that somebody gives; the other one is the clock's."""
NOTE_LIMIT = 1000
"""Characters of a reviewer's note: it is kept in the record, which stays small."""
NOTE_BYTES = 1900
"""The same as JSON, where a character outside ASCII takes six."""
HEAD_BYTES = 600
"""Of a longer note, likewise, beside which the whole of it is kept."""
PACKED_BYTES = 2400
"""A whole note, compressed, takes this and no more: it stays in the record."""
BY_BYTES = 500
"""Of the name of who decided, as JSON: 80 characters of any script, and how they came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What somebody says to a report. `rule` names the policy that let it pass."""

    decision: Decision
    by: str
    note: str = ""
    rule: str = ""
