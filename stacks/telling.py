"""How others are told: the ledger's stream, a machine that tells one notice, a topic for people."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import Duration
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as sources
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from lambdas.agent.contract import Door, Step
from lambdas.agent.notices import TOLD_OF
from stacks.dead_letters import dead_letters
from stacks.deployment import Deployment
from stacks.functions import Functions
from stacks.machines import standard_machine
from statemachines.telling import story

TASK = "TASK"
"""The sort key of a task's record; the ledger has other items beside it."""
AT_ONCE = 10
"""Changes that NOTICE is brought together."""
WITHIN = Duration.hours(23)
"""How long a change is brought to NOTICE again; the stream keeps it for a day."""


class Telling(Construct):
    """`topic` is for people to subscribe to; `untold` holds what NOTICE has never taken."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        deployment: Deployment,
        functions: Functions,
        ledger: dynamodb.ITable,
    ) -> None:
        super().__init__(scope, id_)
        self.topic = sns.Topic(
            self, "Notices", display_name="Ratchet", enforce_ssl=deployment.speaks_tls
        )
        for address in deployment.mail:
            self.topic.add_subscription(subscriptions.EmailSubscription(address))
        self.machine = machine_of(self, deployment=deployment, functions=functions.steps)
        self.untold = dead_letters(self, "Untold", deployment=deployment)
        functions.doors[Door.NOTICE].add_event_source(_stream(ledger, self.untold))


def machine_of(
    scope: Construct, *, deployment: Deployment, functions: Mapping[Step, lambda_.IFunction]
) -> sfn.StateMachine:
    told = story(scope, functions=functions)
    return standard_machine(scope, "Machine", story=told, deployment=deployment)


def _stream(ledger: dynamodb.ITable, untold: sqs.IQueue) -> sources.DynamoEventSource:
    """Only what there is something to tell of calls the function; a change that fails is brought
    again by itself, so that it does not keep the others.
    """
    is_task = {"Keys": {"sk": {"S": [TASK]}}}
    told_of = {"NewImage": {"status": {"S": sorted(status.value for status in TOLD_OF)}}}
    wanted = [
        {"eventName": ["INSERT"], "dynamodb": is_task},
        {"eventName": ["MODIFY"], "dynamodb": {**is_task, **told_of}},
    ]
    return sources.DynamoEventSource(
        ledger,
        starting_position=lambda_.StartingPosition.TRIM_HORIZON,
        batch_size=AT_ONCE,
        bisect_batch_on_error=True,
        max_record_age=WITHIN,
        on_failure=sources.SqsDlq(untold),
        filters=[lambda_.FilterCriteria.filter(each) for each in wanted],
    )
