"""The Lambda edge: an event comes in, one log line and a small JSON answer go out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from lambdas import wiring
from lambdas.adapters.transition_log import TransitionLog
from lambdas.agent.contract import STATE_LIMIT, Step
from lambdas.agent.errors import StepError, Unexpected
from lambdas.agent.identity import canonical
from lambdas.agent.model import Unit
from lambdas.agent.ports import Ports
from lambdas.agent.runtime import Execute, Ran, run


class LambdaContext(Protocol):
    @property
    def aws_request_id(self) -> str: ...
    def get_remaining_time_in_millis(self) -> int: ...


Event = dict[str, Any]
Handler = Callable[[Event, LambdaContext], dict[str, Any]]
Identify = Callable[[Mapping[str, Any], Ports], Unit]
Answer = Callable[[Ran, Unit, Ports], dict[str, Any]]
Visit = Callable[..., dict[str, Any]]
Told = Callable[[Mapping[str, Any]], Iterable[tuple[str, Mapping[str, Any]]]]
Ids = Callable[[Mapping[str, Any]], Mapping[str, Any]]
Excuse = Callable[[StepError, str], dict[str, Any]]


def _unit_of_event(event: Mapping[str, Any], _: Ports) -> Unit:
    return Unit.from_event(event)


def _committed(ran: Ran, _: Unit, __: Ports) -> dict[str, Any]:
    return ran.outcome.as_event()


def step_handler(
    execute: Execute, *, identify: Identify = _unit_of_event, answer: Answer = _committed
) -> Handler:
    """Turn a step into the function Lambda calls. Builds nothing until it is called."""

    def handler(event: Event, context: LambdaContext) -> dict[str, Any]:
        log, ports = TransitionLog(context), wiring.ports()
        log.begins(event)
        try:
            unit = identify(event, ports)
            log.concerns(unit)
            ran = run(
                execute, unit, ports, owner=context.aws_request_id, seconds=_seconds_left(context)
            )
            told = _small(answer(ran, unit, ports), unit.step)
        except Exception as error:  # noqa: BLE001  # whatever it is, it leaves with one of our names
            raise log.failed(error) from None
        log.moved(ran)
        return told

    return handler


def _nothing(_: Mapping[str, Any]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    return ()


def _as_they_stand(event: Mapping[str, Any]) -> Mapping[str, Any]:
    return event


def _raised(error: StepError, _: str) -> dict[str, Any]:
    raise error from None


def door_handler(
    visit: Visit,
    *,
    told: Told = _nothing,
    ids: Ids = _as_they_stand,
    excuse: Excuse = _raised,
    ports: Callable[[], Ports] = wiring.ports,
) -> Handler:
    """Turn a door into the function that the console, the API and the schedule call.

    `told` says which lines of its answer belong into the log, `ids` what the log knows an event by.
    `excuse` answers in place of an error that was logged, given the id of the log's line.
    """

    def handler(event: Event, context: LambdaContext) -> dict[str, Any]:
        log, request = TransitionLog(context), context.aws_request_id
        try:
            log.begins(ids(event))
            said = visit(event, ports(), owner=request, seconds=_seconds_left(context))
        except Exception as error:  # noqa: BLE001  # whatever it is, it leaves with one of our names
            return excuse(log.failed(error), request)
        for message, fields in told(said):
            log.noted(message, fields)
        log.answered()
        return said

    return handler


def _seconds_left(context: LambdaContext) -> float:
    return context.get_remaining_time_in_millis() / 1000


def _small(told: dict[str, Any], step: Step) -> dict[str, Any]:
    """Our own limit, far below the one at which AWS ends the execution and nothing can catch it."""
    size = len(canonical(told))
    if size > STATE_LIMIT:
        raise Unexpected(f"{step} answered {size} bytes and may answer {STATE_LIMIT}")
    return told
