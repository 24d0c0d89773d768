"""The research run, told in order.

REQUEST takes what was typed; PLAN; for each source FETCH, EXTRACT and ANALYZE, or SET_ASIDE; then
VALIDATE, REPORT, a person's APPROVE, PUBLISH, COMPLETE. What no retry heals ends in RECORD_FAILURE.
A later run of the task goes the same way: what is done answers, and only what is left is read.
"""

from __future__ import annotations

from typing import Any

from aws_cdk import Duration
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from lambdas.agent.contract import Decision, Status, Step
from statemachines.grammar import Functions, Grammar, fail_as

# What each step is told. A value that begins with '$' is a path into the state or the context.
# The ids of a run stand in every execution's input, so that log, record and trace can be joined.
_IDS = {"agent_id": "$.agent_id", "workflow_id": "$.workflow_id", "run": "$.run"}
_OF_THE_RUN = {**_IDS, "execution": "$$.Execution.Name"}
_OF_THE_SOURCE = {**_IDS, "execution": "$.execution"}
_IN_TIME = {**_OF_THE_SOURCE, "until": "$.until"}
_RUN: dict[str, Any] = {"task_id": "$.task_id", "context": _OF_THE_RUN}
_SOURCE: dict[str, Any] = {"task_id": "$.task_id", "item": "$.item", "context": _OF_THE_SOURCE}
_PLAN = {"request": "$.request", "context": {"execution": "$$.Execution.Name"}}
_EACH_SOURCE = {
    **_OF_THE_RUN,
    "task_id": "$.task_id",
    "request": "$.request",
    "until": "$.until",
    "item": "$$.Map.Item.Value.item",
    "url": "$$.Map.Item.Value.url",
}
_FETCH = {**_SOURCE, "context": _IN_TIME, "args": {"url": "$.url"}}
_PAGE = {"url": "$.url", "page": "$.page.ref", "content_type": "$.page.content_type"}
_EXTRACT = {**_SOURCE, "args": _PAGE}
_READ = {"text": "$.text.ref", "request": "$.request"}
_ANALYZE = {**_SOURCE, "context": _IN_TIME, "args": _READ}
_SET_ASIDE = {**_SOURCE, "context": {**_OF_THE_SOURCE, "failure": "$.failure"}}
_COMPARED: dict[str, Any] = {**_RUN, "context": {**_OF_THE_RUN, "baseline": "$.baseline"}}
_WRITTEN = {**_OF_THE_RUN, "baseline": "$.baseline", "until": "$.until"}
_VALIDATE = {
    **_COMPARED,
    "item": "$.validate_as",
    "args": {"manifest": "$.all", "request": "$.request"},
}
_REPORT = {
    **_RUN,
    "context": _WRITTEN,
    "after_revision": "$.report.revision",
    "args": {"validated": "$.validated.ref", "request": "$.request"},
}
_REVISION = {"revision": "$.report.revision", "args": {"report": "$.report.ref"}}
_ASKING = {**_OF_THE_RUN, "request": "$.request", "task_token": "$$.Task.Token"}
_EXPIRE = {**_RUN, **_REVISION}
_PUBLISH = {**_RUN, **_REVISION}
_COMPLETE = {**_RUN, "item": "$.complete_as", "args": {"end": "$.end.status"}}
_RECORD_FAILURE = {"state": "$", "context": {"execution": "$$.Execution.Name"}}


def story(
    scope: Construct,
    *,
    functions: Functions,
    artifacts: s3.IBucket,
    approval_window: Duration,
    sources_at_once: int,
) -> sfn.IChainable:
    run = Grammar(scope=scope, functions=functions, otherwise=_failure(scope, functions))

    complete = run.do(Step.COMPLETE, _COMPLETE)
    publish = run.do(Step.PUBLISH, _PUBLISH, keep="$.end").next(complete)
    rejected = run.end_as(Status.REJECTED).next(complete)
    expired = run.end_as(Status.EXPIRED).next(complete)
    # Whoever answered in time is heard, though the signal was lost: the record decides.
    late = run.do(Step.EXPIRE, _EXPIRE, keep="$.answer")
    asking = {**_RUN, **_REVISION, "context": {**_ASKING, "window": approval_window.to_seconds()}}
    ask = run.ask(Step.APPROVE, asking, keep="$.answer", within=approval_window, expired=late)
    report = run.until_done(Step.REPORT, _REPORT, keep="$.report", then=ask)
    ways: dict[str, sfn.IChainable] = {
        Decision.APPROVED: publish,
        Decision.CHANGES_REQUESTED: report,
        Decision.MORE_TIME: ask,
        Decision.EXPIRED: expired,
    }
    decided = run.by_answer("DECIDED?", "$.answer.decision", ways, otherwise=rejected)
    ask.next(decided)
    late.next(decided)
    validate = run.until_done(Step.VALIDATE, _VALIDATE, keep="$.validated", then=report)
    each_source = run.for_each(
        "EACH_SOURCE",
        _one_source(scope, functions),
        manifest=(artifacts, "$.manifest"),
        results=(artifacts, "map-results"),
        item=_EACH_SOURCE,
        at_once=sources_at_once,
    ).next(validate)
    invalid = fail_as(scope, "INVALID_REQUEST")
    reading = run.if_any("LEFT?", "$.left", each_source, otherwise=validate)
    begin = run.if_true("BEGIN?", "$.begin", reading, otherwise="ALREADY_KNOWN")
    refused = {"InvalidRequest": invalid}
    plan = run.until_done(Step.PLAN, _PLAN, keep="$", then=begin, refused=refused)
    return run.wrap("REQUEST", "$.request").next(plan)


def _one_source(scope: Construct, functions: Functions) -> sfn.IChainable:
    """What happens to one source. Its states may not lead to the run's, so it has its own end."""
    lost = sfn.Pass(scope, "NOT_RECORDED")
    aside = Grammar(scope=scope, functions=functions, otherwise=lost)
    set_aside = aside.do(Step.SET_ASIDE, _SET_ASIDE)
    source = Grammar(scope=scope, functions=functions, otherwise=set_aside)
    read = sfn.Succeed(scope, "SOURCE_READ")
    analyze = source.until_done(Step.ANALYZE, _ANALYZE, keep="$.findings", then=read)
    extract = source.until_done(Step.EXTRACT, _EXTRACT, keep="$.text", then=analyze)
    twin = source.if_present("TWIN?", "$.page.same_as", sfn.Succeed(scope, "READ_BY_TWIN"), extract)
    return source.until_done(Step.FETCH, _FETCH, keep="$.page", then=twin)


def _failure(scope: Construct, functions: Functions) -> sfn.IChainable:
    """Record what failed; then fail with the first error, also when recording failed itself."""
    failed = fail_as(scope, "FAILED")
    recording = Grammar(
        scope=scope, functions=functions, otherwise=failed, failure="$.recording_failure"
    )
    return recording.do(Step.RECORD_FAILURE, _RECORD_FAILURE).next(failed)
