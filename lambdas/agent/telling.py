"""How a letter goes out by a channel: who is asked to take it, and what a repeat means to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lambdas.agent import approval
from lambdas.agent.channels import EVENTS, SUBSCRIBERS
from lambdas.agent.intents import Ability
from lambdas.agent.invitation import address_of, opened
from lambdas.agent.letters import Letter, subject, text
from lambdas.agent.reminding import OF_AN_APPROVAL
from lambdas.agent.work import Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """`send` is given the notice's key and answers with a receipt."""

    ability: Ability
    send: Callable[[str], str]


def way_of(channel: str, letter: Letter, work: Work) -> Way | None:
    """None where nobody is to be told by it any more."""
    if channel == EVENTS:
        return _to_the_bus(letter, work)
    if channel == SUBSCRIBERS:
        return _to_people(letter, work)
    return _to_a_program(channel, letter, work)


def _to_the_bus(letter: Letter, work: Work) -> Way:
    bus = work.ports.announcer
    return Way(
        ability=bus.ability,
        send=lambda key: bus.announce(letter.kind, letter.data, key=key),
    )


def _to_people(letter: Letter, work: Work) -> Way | None:
    """A link that decides nothing any more is not sent: whoever opened it would find that out."""
    link = ""
    if letter.kind in OF_AN_APPROVAL and not (link := _link(letter, work)):
        return None
    subscribers = work.ports.subscribers
    said = subject(letter), text(letter, link=link)
    return Way(ability=subscribers.ability, send=lambda key: subscribers.publish(*said, key=key))


def _to_a_program(channel: str, letter: Letter, work: Work) -> Way | None:
    endpoint, webhooks = work.ports.directory.endpoint(channel), work.ports.webhooks
    if endpoint is None:
        return None

    def post(key: str) -> str:
        return webhooks.post(endpoint, letter.body, key=key, seconds=work.call_seconds())

    return Way(ability=webhooks.ability, send=post)


def _link(letter: Letter, work: Work) -> str:
    """The address at which the report is decided on. It is a secret: no record, no log has it."""
    task = work.ports.ledger.task(work.task_id)
    asked = approval.record_of(work.ports, work.task_id, letter.data["revision"])
    if task is None or asked is None or not approval.is_open(task, asked):
        return ""
    held = opened(asked.outcome, work.task_id, work.ports.seals)
    return address_of(work.ports.directory.http_url, held.id) if held and held.id else ""
