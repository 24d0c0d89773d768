"""The ledger's table and the bucket in moto; a test holds the schema to the template's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import boto3

from tests.contracts.serial import serialized

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

REGION: Final = "eu-west-1"


def a_table() -> DynamoDBClient:
    client = serialized(boto3.client("dynamodb", region_name=REGION))
    client.create_table(
        TableName="ledger",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
            {"AttributeName": "listed", "AttributeType": "S"},
            {"AttributeName": "created_at", "AttributeType": "N"},
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by-time",
                "KeySchema": [
                    {"AttributeName": "listed", "KeyType": "HASH"},
                    {"AttributeName": "created_at", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    )
    return client


def a_bucket() -> S3Client:
    client = serialized(boto3.client("s3", region_name=REGION))
    client.create_bucket(
        Bucket="artifacts", CreateBucketConfiguration={"LocationConstraint": REGION}
    )
    return client
