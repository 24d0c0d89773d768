"""One contract for invitations, quotas and seals in memory and on AWS."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from lambdas.adapters.dynamodb_invitations import INVITATIONS, DynamoDbInvitations
from lambdas.adapters.dynamodb_quota import DynamoDbQuota
from lambdas.adapters.kms_seals import KmsSeals
from lambdas.adapters.system_chance import SystemChance
from lambdas.agent.approval_ports import Chance, Invitations, Quota, Seals
from lambdas.agent.contract import SCHEMA_VERSION
from lambdas.agent.errors import Unexpected
from lambdas.agent.invitation import link_of
from tests.contracts.table import REGION, a_table
from tests.fakes.clock import FakeClock
from tests.fakes.invitations import MemoryInvitations, MemoryQuota
from tests.fakes.seals import FakeChance, FakeSeals

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

DAYS, DAY = 30, 86_400
LINK = link_of("an id that nobody guesses")
TOKEN = "AQC+/x==" * 250
MOST = 5


@pytest.fixture
def table() -> Iterator[DynamoDBClient]:
    with mock_aws():
        yield a_table()


@pytest.fixture(params=["memory", "dynamodb"])
def invitations(request: pytest.FixtureRequest, clock: FakeClock) -> Invitations:
    if request.param == "memory":
        return MemoryInvitations(clock, retention=DAYS)
    table = request.getfixturevalue("table")
    return DynamoDbInvitations(table, "ledger", clock, retention=DAYS)


@pytest.fixture(params=["memory", "dynamodb"])
def quota(request: pytest.FixtureRequest, clock: FakeClock) -> Quota:
    if request.param == "memory":
        return MemoryQuota(clock, most=MOST)
    return DynamoDbQuota(request.getfixturevalue("table"), "ledger", clock, most=MOST)


@pytest.fixture(params=["memory", "kms"])
def seals(request: pytest.FixtureRequest) -> Iterator[Seals]:
    if request.param == "memory":
        yield FakeSeals()
        return
    with mock_aws():
        client = boto3.client("kms", region_name=REGION)
        yield KmsSeals(client, client.create_key()["KeyMetadata"]["KeyId"])


class TestInvitations:
    def test_a_link_leads_to_its_unit_and_no_other_link_does(
        self, invitations: Invitations
    ) -> None:
        invitations.keep(LINK, task_id="t", item="r1")

        assert invitations.find(LINK) == ("t", "r1")
        assert invitations.find(link_of("another")) is None

    @pytest.mark.promise("R10")
    def test_the_same_again_changes_nothing(self, invitations: Invitations) -> None:
        for _ in range(2):
            invitations.keep(LINK, task_id="t", item="r1")

        assert invitations.find(LINK) == ("t", "r1")

    def test_a_link_stays_its_units(self, invitations: Invitations) -> None:
        invitations.keep(LINK, task_id="t", item="r1")

        with pytest.raises(Unexpected, match="another's"):
            invitations.keep(LINK, task_id="other", item="r1")
        assert invitations.find(LINK) == ("t", "r1")

    @pytest.mark.promise("R34")
    def test_what_is_past_its_retention_leads_nowhere_though_it_is_still_there(
        self, invitations: Invitations, clock: FakeClock
    ) -> None:
        invitations.keep(LINK, task_id="t", item="r1")
        clock.pass_seconds(DAYS * DAY - 1)
        assert invitations.find(LINK)

        clock.pass_seconds(1)
        assert invitations.find(LINK) is None
        invitations.keep(LINK, task_id="other", item="r2")
        assert invitations.find(LINK) == ("other", "r2")

    @pytest.mark.promise("R5", "R33")
    def test_the_item_holds_a_hash_and_no_id(self, table: DynamoDBClient, clock: FakeClock) -> None:
        stored = DynamoDbInvitations(table, "ledger", clock, retention=DAYS)
        stored.keep(LINK, task_id="t", item="r1")

        (item,) = table.scan(TableName="ledger")["Items"]
        assert item["pk"] == {"S": f"{INVITATIONS}{LINK}"}
        assert item["schema_version"] == {"N": str(SCHEMA_VERSION)}
        assert "nobody guesses" not in str(item)


class TestQuota:
    def test_so_many_a_minute_and_no_more(self, quota: Quota) -> None:
        assert [quota.take("ann") for _ in range(MOST + 2)] == [True] * MOST + [False] * 2

    def test_each_visitor_has_their_own(self, quota: Quota) -> None:
        for _ in range(MOST + 1):
            quota.take("ann")

        assert quota.take("ben")

    def test_the_next_minute_begins_anew(self, quota: Quota, clock: FakeClock) -> None:
        for _ in range(MOST + 1):
            quota.take("ann")
        clock.pass_seconds(60)

        assert quota.take("ann")

    @pytest.mark.promise("R33", "R34")
    def test_an_address_is_kept_as_a_hash_and_not_for_long(
        self, table: DynamoDBClient, clock: FakeClock
    ) -> None:
        DynamoDbQuota(table, "ledger", clock).take("203.0.113.7")

        (item,) = table.scan(TableName="ledger")["Items"]
        assert "203.0.113.7" not in str(item)
        assert 0 < int(item["delete_after"]["N"]) - clock.now() <= DAY


class TestSeals:
    def test_what_was_sealed_comes_back(self, seals: Seals) -> None:
        """Case B14: whatever characters a token has, and however long AWS makes it."""
        assert seals.unseal(seals.seal(TOKEN, about="t"), about="t") == TOKEN

    @pytest.mark.promise("R33")
    def test_sealed_it_says_nothing(self, seals: Seals) -> None:
        assert "AQC" not in seals.seal(TOKEN, about="t")

    def test_a_seal_about_something_else_is_not_opened(self, seals: Seals) -> None:
        sealed = seals.seal(TOKEN, about="t")

        with pytest.raises(Unexpected):
            seals.unseal(sealed, about="u")


@pytest.mark.parametrize("draws", [FakeChance, SystemChance])
def test_no_token_is_drawn_twice_and_all_are_safe_in_an_address(
    draws: Callable[[], Chance],
) -> None:
    chance = draws()
    drawn = {chance.token() for _ in range(100)}

    assert {len(token) for token in drawn} == {43}
    assert len(drawn) == 100
    assert all(token.replace("-", "").replace("_", "").isalnum() for token in drawn)
