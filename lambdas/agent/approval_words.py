"""What an approval's page says, beside the report."""

from __future__ import annotations

from collections.abc import Mapping

from lambdas.agent.approval import is_extended
from lambdas.agent.approval_page import Page
from lambdas.agent.approving import Question, Standing
from lambdas.agent.contract import Decision

TITLE: Mapping[Standing, str] = {
    Standing.OPEN: "A report waits for your answer",
    Standing.DECIDED: "This report was decided on",
    Standing.FOLLOWED: "Another report was made since",
}
NOT_NOW = "It could not be recorded just now: press the button again."

GIVEN = "More time was given before: nothing is different now."

GONE = Page(
    title="Nothing to decide here",
    said="This link leads to no report that waits for an answer. It may be over, or answered long "
    "ago, or the link was not copied whole. Whoever sent it can see how the run stands.",
)
TOO_MANY = Page(title="Too many requests", said="Wait a minute, then open the link again.")
BUSY = Page(title="Not just now", said="A service did not answer. Open the link again in a moment.")

_DONE = {
    Decision.APPROVED: "approved",
    Decision.CHANGES_REQUESTED: "sent back for changes",
    Decision.REJECTED: "rejected",
}


def said(found: Question, *, is_new: bool) -> str:
    """Who has decided what and when; empty while nobody has said anything."""
    facts = found.facts
    if found.standing is not Standing.OPEN:
        by = f"{_DONE[Decision(facts['decision'])]} by {facts['by']} at {facts['at']}"
        return f"{'Recorded' if is_new else 'Already decided'}: {by}."
    if is_extended(found.outcome):
        return f"{facts['more_time_by']} asked for more time at {facts['more_time']}."
    return ""
