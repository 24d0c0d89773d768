"""What outlives every Lambda: encrypted, kept as long as promised, and never lost by a deploy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from moto import mock_aws

from stacks.storage import BY_TIME
from tests.contracts.table import a_table
from tests.infrastructure.assemblies import Assembly
from tests.infrastructure.templates import Resource, Template, one, resources

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TableDescriptionTypeDef

TABLE, BUCKET = "AWS::DynamoDB::Table", "AWS::S3::Bucket"
STATEFUL = {TABLE: "StorageLedger5E7CB2E3", BUCKET: "StorageArtifacts08431D1F"}
"""Another id is another table or bucket: CloudFormation would make a new one, without the data."""

# A policy's name stands within its role, and a permission names the function that may be called.
# An API and its stage are known by an id: their names block nobody's.
_NAMING_OTHERS = {
    "AWS::ApiGatewayV2::Api",
    "AWS::ApiGatewayV2::Stage",
    "AWS::IAM::Policy",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::Lambda::EventSourceMapping",
    "AWS::Lambda::Permission",
}

stateful = pytest.mark.parametrize("kind", STATEFUL)


@pytest.fixture
def table(template: Template) -> dict[str, Any]:
    return dict(one(template, TABLE)["Properties"])


@pytest.fixture
def bucket(template: Template) -> dict[str, Any]:
    return dict(one(template, BUCKET)["Properties"])


@stateful
def test_a_deploy_keeps_the_table_and_the_bucket_it_has(either: Template, kind: str) -> None:
    assert resources(either, kind).keys() == {STATEFUL[kind]}


@stateful
@pytest.mark.promise("R34")
@pytest.mark.parametrize(("deployment", "policy"), [("aws", "Retain"), ("sandbox", "Delete")])
def test_data_outlives_the_stack_on_aws_and_goes_with_it_in_the_sandbox(
    request: pytest.FixtureRequest, deployment: str, policy: str, kind: str
) -> None:
    assembly: Assembly = request.getfixturevalue(deployment)

    found = one(assembly.template, kind)
    assert (found["DeletionPolicy"], found["UpdateReplacePolicy"]) == (policy, policy)


def test_nothing_has_a_physical_name_that_a_retained_one_could_block(either: Template) -> None:
    named = [
        (name, key)
        for name, resource in either["Resources"].items()
        if resource["Type"] not in _NAMING_OTHERS
        for key in resource.get("Properties", {})
        if key.endswith("Name") and key not in {"DisplayName", "IndexName", "ServerName"}
    ]

    assert named == []


@pytest.mark.promise("R34")
def test_the_table_is_encrypted_and_every_instant_of_35_days_can_be_had_again(
    table: dict[str, Any],
) -> None:
    assert table["SSESpecification"]["SSEEnabled"] is True
    recovery = table["PointInTimeRecoverySpecification"]
    assert recovery["PointInTimeRecoveryEnabled"] is True


@pytest.mark.promise("R34")
def test_the_table_forgets_what_is_past_its_retention(table: dict[str, Any]) -> None:
    ttl = table["TimeToLiveSpecification"]

    assert ttl == {"AttributeName": "delete_after", "Enabled": True}


def test_the_table_lists_tasks_by_time_and_has_no_capacity_to_run_out_of(
    table: dict[str, Any],
) -> None:
    (index,) = table["GlobalSecondaryIndexes"]

    assert index["IndexName"] == BY_TIME
    assert _keys(index, table) == {"HASH": ("listed", "S"), "RANGE": ("created_at", "N")}
    assert table["BillingMode"] == "PAY_PER_REQUEST"


def test_the_ledger_is_tested_on_a_table_with_the_keys_of_the_deployed_one(
    table: dict[str, Any],
) -> None:
    with mock_aws():
        tested = a_table().describe_table(TableName="ledger")["Table"]

    assert _keys(tested, tested) == _keys(table, table)


@pytest.mark.promise("R34")
def test_the_bucket_is_encrypted_and_keeps_what_is_overwritten(bucket: dict[str, Any]) -> None:
    (rule,) = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]

    assert rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"] in {"AES256", "aws:kms"}
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}


@pytest.mark.promise("R34")
def test_nobody_outside_may_read_the_bucket_by_list_or_by_policy(bucket: dict[str, Any]) -> None:
    block = bucket["PublicAccessBlockConfiguration"]
    (ownership,) = bucket["OwnershipControls"]["Rules"]

    assert len(block) == 4
    assert set(block.values()) == {True}
    assert ownership == {"ObjectOwnership": "BucketOwnerEnforced"}


@pytest.mark.promise("R34")
def test_the_bucket_answers_over_modern_tls_only(template: Template) -> None:
    policy = one(template, "AWS::S3::BucketPolicy")["Properties"]["PolicyDocument"]
    denied = [each for each in policy["Statement"] if each["Effect"] == "Deny"]

    assert policy["Statement"] == denied
    assert [each["Condition"] for each in denied] == [
        {"Bool": {"aws:SecureTransport": "false"}},
        {"NumericLessThan": {"s3:TlsVersion": 1.2}},
    ]
    for each in denied:
        assert each["Action"] == "s3:*"
        assert each["Principal"] == {"AWS": "*"}
        assert len(each["Resource"]) == 2


@pytest.mark.promise("R34")
def test_the_work_behind_a_report_is_deleted_in_time_and_the_published_stays(
    bucket: dict[str, Any], template: Template
) -> None:
    rules = bucket["LifecycleConfiguration"]["Rules"]
    expiring = {rule["Prefix"] for rule in rules if "ExpirationInDays" in rule}
    everywhere = next(rule for rule in rules if "Prefix" not in rule)

    assert {rule["Status"] for rule in rules} == {"Enabled"}
    assert expiring == {"tasks/", "map-results/"}
    days = {rule["ExpirationInDays"] for rule in rules if "ExpirationInDays" in rule}
    assert {str(each) for each in days} == _retention(template)
    assert everywhere["NoncurrentVersionExpiration"]["NoncurrentDays"] in days
    assert everywhere["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"] == 1


@pytest.mark.promise("R34")
def test_every_log_is_deleted_in_time(either: Template) -> None:
    logs = resources(either, "AWS::Logs::LogGroup")

    assert len(logs) >= 13
    for name, log in logs.items():
        assert log["Properties"]["RetentionInDays"] == 90, name


def _keys(
    keyed: Resource | TableDescriptionTypeDef, table: Resource | TableDescriptionTypeDef
) -> dict[str, tuple[str, str]]:
    types = {each["AttributeName"]: each["AttributeType"] for each in table["AttributeDefinitions"]}
    return {
        key["KeyType"]: (key["AttributeName"], types[key["AttributeName"]])
        for key in keyed["KeySchema"]
    }


def _retention(template: Template) -> set[str]:
    """What the functions are told of how long a record is kept."""
    found = resources(template, "AWS::Lambda::Function").values()
    told = [each["Properties"]["Environment"]["Variables"] for each in found]
    return {variables["RATCHET_RETENTION_DAYS"] for variables in told}
