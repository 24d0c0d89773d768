"""Runs by the clock: an EventBridge Scheduler's schedule for each that the deployment names."""

from __future__ import annotations

import json

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_destinations as destinations
from aws_cdk import aws_scheduler as scheduler
from constructs import Construct

from stacks.dead_letters import dead_letters
from stacks.deployment import Deployment
from stacks.timetable import Scheduled

ATTEMPTS, HOURS = 10, 24
"""How often, and for how long, a tick that the door did not take is brought to it again."""
# The Scheduler writes the instant that was due here, however late it comes.
DUE = "<aws.scheduler.scheduled-time>"


class Schedules(Construct):
    """`group` holds them all: its name finds them."""

    def __init__(
        self, scope: Construct, id_: str, *, deployment: Deployment, tick: lambda_.IFunction
    ) -> None:
        super().__init__(scope, id_)
        self.missed = dead_letters(self, "Missed", deployment=deployment)
        # The Scheduler hands a tick over and is through with it: what fails in the door is the
        # door's to try again, and to leave where a person finds it.
        tick.configure_async_invoke(
            on_failure=destinations.SqsDestination(self.missed),
            retry_attempts=2,
            max_event_age=Duration.hours(6),
        )
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com"))
        self._allow(role, "lambda:InvokeFunction", tick.function_arn)
        self._allow(role, "sqs:SendMessage", self.missed.queue_arn)
        self.group = scheduler.CfnScheduleGroup(self, "Group")
        for one in deployment.schedules:
            self._schedule(one, tick, role).node.add_dependency(role)

    def _schedule(
        self, one: Scheduled, tick: lambda_.IFunction, role: iam.Role
    ) -> scheduler.CfnSchedule:
        told = {
            "schedule": one.name,
            "scheduled_time": DUE,
            "overlap": one.overlap,
            "request": one.request,
        }
        return scheduler.CfnSchedule(
            self,
            f"Of-{one.name}",  # a schedule may be called what a construct beside it is
            name=one.name,
            group_name=self.group.ref,
            description=f"Ratchet: {one.request['agent_id']}",
            schedule_expression=one.expression,
            schedule_expression_timezone=one.time_zone,
            state="ENABLED" if one.enabled else "DISABLED",
            flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF"),
            target=scheduler.CfnSchedule.TargetProperty(
                arn=tick.function_arn,
                role_arn=role.role_arn,
                input=json.dumps(told),
                retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(
                    maximum_retry_attempts=ATTEMPTS, maximum_event_age_in_seconds=HOURS * 3600
                ),
                dead_letter_config=scheduler.CfnSchedule.DeadLetterConfigProperty(
                    arn=self.missed.queue_arn
                ),
            ),
        )

    def _allow(self, role: iam.Role, action: str, resource: str) -> None:
        role.add_to_policy(iam.PolicyStatement(actions=[action], resources=[resource]))
