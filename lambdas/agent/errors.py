"""Our exceptions. Step Functions sees only the class name, so the names are API.

* StepError
  x Retryable            the state is tried again
    - SourceUnavailable    a source did not answer, or not in time
    - ServiceUnavailable   a service of ours did not answer, or throttled us
    - StillClaimed         another worker holds the lease
    - LeaseLost            our lease was over before we could commit
    - OutOfTime            the invocation began with no time left
  x SourceFailed         terminal for a source: it is set aside, the run goes on
    - SourceRefused        it will never answer us, or we must not ask it
    - SourceUnreadable     it answered something that holds no text for us
  x RunFailed            terminal for the run
    - InvalidRequest       the request has faults; each is listed
    - InputChanged         the same task or unit was asked for with another input
    - IllegalMove          the task's status does not allow it
    - CoverageTooLow       too few of the sources could be read
    - ReportNotApproved    the report to publish is not the one that was approved
    - OutcomeUnknown       an effect may have happened, and only a person can find out
    - Unexpected           a fault of ours
  x NotTaken             terminal for a notice: it is parked, the run has long gone on

Imports nothing: this module is the bottom of the dependency chain.
"""

from __future__ import annotations


class StepError(Exception):
    """Base of everything a step raises on purpose.

    `code` tells this failure from others of its class, `dependency` names the service or the
    host that caused it, and the message is a sentence with what to do next. None of them may
    hold page text, a token or a secret.
    """

    code = "STEP_ERROR"
    usage: object = None
    """What models took before it; the runtime sets it, for the log."""

    def __init__(self, message: str, *, code: str = "", dependency: str = "") -> None:
        super().__init__(message)
        self.code = code or type(self).code
        self.dependency = dependency


class Retryable(StepError):
    """Trying again may work.

    `wait_seconds` is set where somebody outside is only busy: the hint when to ask again, 0 where
    there was none. None where nobody said that waiting helps.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        dependency: str = "",
        wait_seconds: float | None = None,
    ) -> None:
        super().__init__(message, code=code, dependency=dependency)
        self.wait_seconds = wait_seconds


class SourceUnavailable(Retryable):
    """A source did not answer, or not in time."""

    code = "SOURCE_UNAVAILABLE"


class ServiceUnavailable(Retryable):
    """A service we depend on did not answer, or throttled us."""

    code = "SERVICE_UNAVAILABLE"


class StillClaimed(Retryable):
    """Another worker holds the lease on this unit of work: try again when it is over."""

    code = "STILL_CLAIMED"


class LeaseLost(Retryable):
    """The lease was over, or another worker took it, before we could commit: start again."""

    code = "LEASE_LOST"


class OutOfTime(Retryable):
    """The invocation began inside its safety margin and took no work."""

    code = "OUT_OF_TIME"


class SourceFailed(StepError):
    """Trying again cannot work for this source; the others go on."""


class SourceRefused(SourceFailed):
    """A source that will never answer us, or that we must not ask."""

    code = "SOURCE_REFUSED"


class SourceUnreadable(SourceFailed):
    """A source that answered something which holds no text for us."""

    code = "SOURCE_UNREADABLE"


class RunFailed(StepError):
    """Trying again cannot work for this run."""


class InvalidRequest(RunFailed):
    """The request has faults; the message lists each.

    `faults` are the same as pairs, a field and what is wrong with it: all of them, where the
    message had no room. Empty where it is no field that is at fault.
    """

    code = "INVALID_REQUEST"

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        dependency: str = "",
        faults: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(message, code=code, dependency=dependency)
        self.faults = faults


class InputChanged(RunFailed):
    """The same task or unit of work was asked for with another input."""

    code = "INPUT_CHANGED"


class IllegalMove(RunFailed):
    """The task's status does not allow what was asked."""

    code = "ILLEGAL_MOVE"


class CoverageTooLow(RunFailed):
    """Too few of the sources could be read for an honest report."""

    code = "COVERAGE_TOO_LOW"


class ReportNotApproved(RunFailed):
    """The report to publish is not the one that was approved."""

    code = "REPORT_NOT_APPROVED"


class OutcomeUnknown(RunFailed):
    """An effect was begun, nobody knows whether it happened, and it must not happen twice."""

    code = "OUTCOME_UNKNOWN"


class Unexpected(RunFailed):
    """A fault of ours: its type and place are in the log line of the same request id."""

    code = "UNEXPECTED"


class NotTaken(StepError):
    """Whom a notice is for will never take it, or must not be asked to."""

    code = "NOT_TAKEN"


WAIT_FOR_LEASE: tuple[type[Retryable], ...] = (StillClaimed,)
"""Retried in even steps until the other worker's lease is surely over."""

ASK_SOURCE_AGAIN: tuple[type[Retryable], ...] = (SourceUnavailable,)
"""Retried a few times: some source always fails, and the run should not wait for it long."""

TRY_AGAIN: tuple[type[Retryable], ...] = (ServiceUnavailable, LeaseLost, OutOfTime)
"""Retried with growing intervals and full jitter."""
