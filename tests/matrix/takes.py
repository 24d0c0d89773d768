"""A scene is told once and played again and again, each time from where its verb begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from copy import deepcopy
from dataclasses import fields, replace
from typing import Any, cast

from moto import mock_aws

from lambdas.adapters.dynamodb_invitations import DynamoDbInvitations
from lambdas.adapters.dynamodb_ledger import DynamoDbLedger
from lambdas.adapters.dynamodb_memos import DynamoDbMemos
from lambdas.adapters.dynamodb_schedules import DynamoDbSchedules
from lambdas.adapters.dynamodb_turns import DynamoDbTurns
from lambdas.adapters.dynamodb_visits import DynamoDbVisits
from lambdas.adapters.s3_artifacts import S3Artifacts
from tests.contracts.table import a_bucket, a_table
from tests.fakes.clock import FakeClock
from tests.fakes.outside import FakeCallbacks, FakeWeb
from tests.fakes.story import Story
from tests.fakes.world import World, a_world
from tests.matrix.account import Account, SeenShelf
from tests.matrix.scene import Scene
from tests.steps.conftest import PAGES, REQUEST, until

Take = Callable[[], Story]
"""The story as the scene's verb finds it, in a world of its own."""
Stage = Callable[[Scene], AbstractContextManager[Take]]

RETENTION_DAYS = 90


@contextmanager
def in_memory(scene: Scene) -> Iterator[Take]:
    told = _told(scene, a_world(FakeClock()))
    yield lambda: _copied(told)


@contextmanager
def on_aws(scene: Scene) -> Iterator[Take]:
    """The ledger, turns, visits and memos, the artifacts and the shelf on moto; what cannot be
    asked there is a fake.
    """
    with mock_aws():
        account = Account(a_table(), a_bucket())
        told = _told(scene, _on(account, a_world(FakeClock())))
        account.save()

        def again() -> Story:
            account.restore()
            story = _copied(told)
            story.ports = _on(account, cast("World", story.ports))
            return story

        yield again


STAGES: dict[str, Stage] = {"memory": in_memory, "moto": on_aws}
SIDES: dict[str, tuple[bool, ...]] = {"memory": (False, True), "moto": (True,)}
"""Of a call. Nothing outside changes between two calls, so that after one is before the next:
where a play takes long, one side is enough.
"""


def _on(account: Account, world: World) -> World:
    table, clock, days = account.table, world.clock, RETENTION_DAYS
    return replace(
        world,
        ledger=DynamoDbLedger(table, "ledger", clock, retention=days),
        turns=DynamoDbTurns(table, "ledger", clock, seconds_between=0, retention=days),
        visits=DynamoDbVisits(table, "ledger", clock, retention=days),
        memos=DynamoDbMemos(table, "ledger", clock, retention=days),
        schedules=DynamoDbSchedules(table, "ledger", clock, retention=days),
        invitations=DynamoDbInvitations(table, "ledger", clock, retention=days),
        artifacts=S3Artifacts(account.bucket, "artifacts"),
        shelf=SeenShelf(account.bucket, "artifacts"),
    )


def _told(scene: Scene, world: World) -> Story:
    cast("FakeWeb", world.fetcher).pages |= PAGES
    cast("FakeCallbacks", world.callbacks).waiting = {"token"}
    story = until(Story(ports=world, request=REQUEST), scene.before)
    scene.prepare(story)
    return story


def _copied(told: Story) -> Story:
    """Fakes remember, so each play has its own; real adapters hold nothing of their own."""
    ports = {each.name: getattr(told.ports, each.name) for each in fields(cast("Any", told.ports))}
    real = {id(port): port for port in ports.values() if not _is_fake(port)}
    return deepcopy(told, real)


def _is_fake(port: object) -> bool:
    return type(port).__module__.startswith("tests.fakes")
