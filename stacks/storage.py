"""What must outlive every Lambda: the ledger, the artifacts, and the key of what is sealed."""

from __future__ import annotations

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.deployment import Deployment

BY_TIME = "by-time"
"""The index that lists the tasks, newest first."""


class Storage(Construct):
    """No physical names: a retained table or bucket never blocks the next deployment."""

    def __init__(self, scope: Construct, id_: str, *, deployment: Deployment) -> None:
        super().__init__(scope, id_)
        removal = RemovalPolicy.RETAIN if deployment.keeps_data else RemovalPolicy.DESTROY
        self.ledger = _ledger(self, removal)
        self.artifacts = _artifacts(self, removal, deployment)
        self.seal = kms.Key(
            self,
            "Seal",
            description="Ratchet: seals task tokens and the ids of invitations",
            enable_key_rotation=True,
            removal_policy=removal,
        )


def _ledger(scope: Construct, removal: RemovalPolicy) -> dynamodb.Table:
    table = dynamodb.Table(
        scope,
        "Ledger",
        partition_key=_string("pk"),
        sort_key=_string("sk"),
        billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
        encryption=dynamodb.TableEncryption.AWS_MANAGED,
        point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
            point_in_time_recovery_enabled=True
        ),
        time_to_live_attribute="delete_after",
        stream=dynamodb.StreamViewType.NEW_IMAGE,  # who is to be told of a change hears it here
        removal_policy=removal,
    )
    table.add_global_secondary_index(
        index_name=BY_TIME,
        partition_key=_string("listed"),
        sort_key=dynamodb.Attribute(name="created_at", type=dynamodb.AttributeType.NUMBER),
    )
    return table


def _artifacts(scope: Construct, removal: RemovalPolicy, deployment: Deployment) -> s3.Bucket:
    days = Duration.days(deployment.retention_days)
    return s3.Bucket(
        scope,
        "Artifacts",
        block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        encryption=s3.BucketEncryption.S3_MANAGED,
        enforce_ssl=deployment.speaks_tls,
        minimum_tls_version=1.2 if deployment.speaks_tls else None,
        object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
        versioned=True,
        lifecycle_rules=[
            # What is published stays until somebody deletes it; the work behind it does not.
            s3.LifecycleRule(id="work", prefix="tasks/", expiration=days),
            s3.LifecycleRule(id="map-results", prefix="map-results/", expiration=days),
            s3.LifecycleRule(
                id="leftovers",
                abort_incomplete_multipart_upload_after=Duration.days(1),
                noncurrent_version_expiration=days,
            ),
        ],
        removal_policy=removal,
    )


def _string(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)
