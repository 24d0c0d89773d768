"""What somebody fills in on an approval's page, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Self
from urllib.parse import parse_qsl

from lambdas.agent.contract import Decision
from lambdas.agent.verdicts import NOTE_LIMIT, Verdict

FORM_LIMIT = 16_384
"""Bytes of a form: a note of NOTE_LIMIT characters takes at most twelve a character, encoded."""
NAME_LIMIT = 80
"""Characters of the name under which somebody answers."""
_FIELDS = 10
_WITH_A_NOTE = {
    Decision.CHANGES_REQUESTED: "say what is to be different",
    Decision.REJECTED: "say why",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """As it was typed. `nonce` comes from the page that held the form, and so does `extensions`:
    how often more time had been given when it was shown.
    """

    decision: str = ""
    by: str = ""
    note: str = ""
    nonce: str = ""
    extensions: str = ""

    @classmethod
    def of(cls, body: str) -> Self:
        """Of a body as browsers send it. Whatever is not a field of ours is passed over."""
        try:
            pairs = parse_qsl(body, max_num_fields=_FIELDS)
        except ValueError:
            return cls()
        told = {name: value.strip() for name, value in pairs if name in cls.__slots__}
        # A browser sends each end of a line as two characters, and counts it as one.
        note = told.get("note", "").replace("\r\n", "\n")
        return cls(**{**told, "note": note, "by": " ".join(told.get("by", "").split())})

    def faults(self, choices: Collection[Decision]) -> Iterator[str]:
        """Each as a sentence; none where it can be taken as it is."""
        if self.decision not in set(choices):
            yield "Choose one of the answers that the page offers."
        if not self.by:
            yield "Write your name: it is kept with the decision."
        if len(self.by) > NAME_LIMIT:
            yield f"Your name has {len(self.by)} characters and may have {NAME_LIMIT}."
        wanted = next((why for each, why in _WITH_A_NOTE.items() if each == self.decision), "")
        if wanted and not self.note:
            yield f"The note is empty: {wanted}."
        if len(self.note) > NOTE_LIMIT:
            yield f"The note has {len(self.note)} characters and may have {NOTE_LIMIT}."

    def verdict(self) -> Verdict:
        return Verdict(decision=Decision(self.decision), by=f"{self.by} (by link)", note=self.note)
