"""What the agent needs of those who read and answer: providers, models, and its own analyst."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from lambdas.agent.asking import Said
from lambdas.agent.citing import Sentence
from lambdas.agent.costs import Price
from lambdas.agent.extractive import Lap
from lambdas.agent.findings import Text
from lambdas.agent.intents import Ability
from lambdas.agent.job_state import JobState
from lambdas.agent.model import Memo


class Jobs(Protocol):
    """Work that a provider does for us: a job to be asked after, or an answer at once."""

    @property
    def ability(self) -> Ability: ...

    @property
    def name(self) -> str:
        """Whose answers these are: the provider's, and the model's where it has several."""

    @property
    def longest_answer(self) -> int:
        """Tokens of an answer at the most: the limit that is sent, or a guess where none is."""

    @property
    def price(self) -> Price | None:
        """None where the deployment does not say what it costs."""

    def submit(self, payload: Mapping[str, Any], *, key: str, seconds: float) -> str | JobState:
        """Begin a job and return the provider's id of it, or its end (DONE, FAILED) where the
        provider answers at once and keeps nothing to ask after.

        ServiceUnavailable where it may pass, with `wait_seconds` where the provider is busy;
        SourceRefused where it will not.
        """

    def find(self, key: str, *, seconds: float) -> str | None:
        """The id of the job that was submitted with this key. Only LOOKUP adapters are asked."""

    def poll(self, job_id: str, *, seconds: float) -> JobState:
        """How the job stands. One that failed, expired or vanished is a state, not an error."""


class Memos(Protocol):
    """Which answers models gave before. A key is a hash of all that was asked, and of whom."""

    def get(self, key: str) -> Memo | None:
        """Read strongly consistently; None where nobody has asked, or its retention is over."""

    def keep(self, key: str, memo: Memo, *, instead_of: str = "") -> Memo:
        """Keep where the answer is, and return what is kept then: what stands there stays, unless
        its artifact is `instead_of`, which is of no use any more.
        """


class Prompts(Protocol):
    """What a model is told; versioned by name."""

    def get(self, name: str) -> str:
        """The prompt of that name, with its places to fill in."""


class Answers(Protocol):
    """Turns what a model answered into what it says, at the untrusted edge."""

    def parse(self, body: bytes) -> tuple[Said, ...]:
        """The statements; SourceUnreadable with MODEL_ANSWER_INVALID for anything else."""

    def sentences(self, body: bytes) -> tuple[Sentence, ...]:
        """The sentences of a written answer; SourceUnreadable likewise."""


class Secrets(Protocol):
    """Keys to other people's services."""

    def get(self, name: str) -> str:
        """The secret of that name. It may be kept in memory, and nowhere else."""


class Analyst(Protocol):
    """Finds what bears on the questions."""

    def find(
        self, text: Text, questions: Sequence[str], *, start: int, stop: Callable[[], bool]
    ) -> Lap:
        """Findings from `start` on, and where to go on when `stop` said that time is up."""
