"""Where a model stands in a text that is read piece by piece, and the way on from each ending.

Cut or overflowed: the same place again, with half as much text. Unusable: asked once more, told
what was wrong. Refused, or still unusable: this piece is a gap, and the next is read. Whatever
happens, no request is made twice, and a text has only so many gaps before the rest is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from lambdas.agent.asking import Piece, piece_at, piece_size
from lambdas.agent.endings import Ending
from lambdas.agent.findings import Text

MOST_HALVINGS = 4
"""Of one text: what is cut at a sixteenth of a piece is not too long, something else is wrong."""
SMALLEST = 500
"""Code points that are not halved any more."""
MOST_GAPS = 3
"""Nobody pays for a model that gives nothing again and again: then the rest is left."""
LONGEST_FAULT = 300

WAYS_ON = frozenset(Ending)
SMALLER = frozenset({Ending.TRUNCATED, Ending.CONTEXT_OVERFLOW})
ONCE_MORE = frozenset({Ending.MODEL_ANSWER_INVALID, Ending.EMPTY_ANSWER, Ending.MODEL_STOP_UNKNOWN})


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a unit's cursor knows of it.

    at, most  the piece begins there and has so many code points at the most
    halved    how often it was made smaller
    again     what was wrong with an answer about this very piece
    anew      the run in which somebody had the source tried again
    """

    at: int = 0
    most: int
    halved: int = 0
    again: str = ""
    anew: int = 0

    @classmethod
    def of(cls, cursor: Mapping[str, Any], text: Text, *, anew: int = 0) -> Self:
        kept = {name: cursor[name] for name in _NAMES if name in cursor}
        place = cls(**{"most": piece_size(text.text), **kept})
        return replace(place, anew=anew, again="") if anew else place

    def cursor(self) -> dict[str, Any]:
        told = {name: value for name, value in asdict(self).items() if value}
        return {"at": self.at, **told}

    def piece(self, text: Text) -> Piece:
        return piece_at(text, self.at, self.most)

    def subject(self, piece: Piece) -> str:
        """What tells this question from any other about the same text."""
        again = " again" if self.again else ""
        return f"{piece.start}-{piece.end}{again}" + (f" anew in {self.anew}" if self.anew else "")

    def behind(self, piece: Piece) -> Self:
        return replace(self, at=piece.after, again="")

    def once_more(self, fault: str) -> Self | None:
        """None where it was asked again already."""
        return None if self.again else replace(self, again=fault[:LONGEST_FAULT])

    def smaller(self, piece: Piece) -> Self | None:
        """None where a smaller piece would not help."""
        half = (piece.end - piece.start) // 2
        if self.halved >= MOST_HALVINGS or half < SMALLEST:
            return None
        return replace(self, most=half, halved=self.halved + 1, again="")


def way_on(place: Place, piece: Piece, code: str, fault: str) -> Place | None:
    """Where the same piece is tried otherwise; None where it is a gap."""
    if code in SMALLER:
        return place.smaller(piece)
    return place.once_more(fault) if code in ONCE_MORE else None


_NAMES = ("at", "most", "halved", "again", "anew")
