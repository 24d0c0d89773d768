"""Whole runs with models that answer at once: OpenAI's chat, and Bedrock's Converse through boto3.

The pages are strangers' and full of orders, and the models obey them: that changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from lambdas.agent.contract import Step
from lambdas.settings import PREFIX
from sandbox.life import sandbox
from sandbox.mounts import mount
from sandbox.places import Places
from tests.e2e.account import Account, task_of
from tests.e2e.conftest import ROOT
from tests.e2e.events import Events, listening
from tests.e2e.grants import granted, without
from tests.e2e.left_behind import Left, followed
from tests.fakes.obeying import EVIL, obeying
from tests.fakes.strangers import TRAP, pages
from tests.fakes.talking_server import Talker, talking

pytestmark = pytest.mark.e2e

KEY = "sk-made-up-for-the-sandbox"
INVOKE = "bedrock:InvokeModel"
NOVA, ANOTHER = "amazon.nova-lite-v1:0", "amazon.nova-pro-v1:0"
ELSEWHERE = "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"
"""Where boto3 looks for Bedrock; else it is the sandbox's account, whose model only prattles."""

SPOKEN = {
    "bedrock": (f"/model/{NOVA}/converse", "/us-east-1/bedrock/aws4_request"),
    "openai": ("/v1/chat/completions", f"Bearer {KEY}"),
}
"""Where each is asked, and by what it knows who asks."""

Run = Callable[..., Left]


@pytest.fixture(scope="module")
def talker() -> Talker:
    return Talker(always=obeying)


@pytest.fixture(scope="module")
def address(talker: Talker) -> Iterator[str]:
    with talking(talker) as address:
        yield address


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def account(address: str, home: Path) -> Iterator[Account]:
    """A deployment with both models, Bedrock's being the default."""
    context = {
        "bedrock_model": NOVA,
        "model_api": "chat",
        "model_url": address,
        "model_name": "small-1",
        "model_secret": "ratchet/model",
    }
    with sandbox(ROOT, home=home, context=context, say=print) as up:
        account = Account(up)
        secrets = account.client("secretsmanager")
        secrets.create_secret(Name="ratchet/model", SecretString=KEY)
        yield account


@pytest.fixture(scope="module")
def heard(account: Account) -> Events:
    return listening(account)


@pytest.fixture
def run(account: Account, heard: Events, talker: Talker, home: Path, tmp_path: Path) -> Run:
    """A run over the strangers' pages, under the same addresses each time."""
    assert heard.queue
    name, places = f"strangers-{uuid4().hex[:8]}", Places.of(ROOT, home)
    mount(places, tmp_path, name=name)

    def make(written: Mapping[str, str], **fields: Any) -> Left:
        for page, html in {**written, TRAP: written["team.html"]}.items():
            (tmp_path / page).write_text(html, encoding="utf-8")
        request = {
            "agent_id": uuid4().hex[:12],  # it has not read these pages yet
            "workflow_id": uuid4().hex[:12],
            "questions": ["How much do the plans cost?"],
            "sources": [{"url": f"{account.site}/{name}/{page}"} for page in written],
            **fields,
        }
        return followed(account, talker, places.log("site"), request)

    return make


@pytest.mark.parametrize("analyst", ["bedrock", "openai"])
def test_a_model_that_obeys_the_pages_changes_nothing_but_what_is_left_out(
    account: Account, address: str, talker: Talker, heard: Events, run: Run, analyst: str
) -> None:
    named = {} if analyst == "bedrock" else {"analyst": analyst}
    with told(account, **{ELSEWHERE: address}):
        expected = run(pages(with_orders=False), **named)
        left = run(pages(with_orders=True), **named)

    assert all("costs" in statement for statement in expected.statements)
    assert len(expected.statements) == 3
    assert left.request == expected.request
    assert left.states == expected.states
    assert left.asked == expected.asked
    # A page each; and the report's answer, which it spoils twice where REPORT finds it.
    assert left.calls == expected.calls == (3 if analyst == "bedrock" else 5)
    assert left.links == expected.links
    assert not [link for link in left.links if "evil" in link]
    assert left.effects == expected.effects
    assert heard.ends(left.task_id) == heard.ends(expected.task_id) == ["ReportCompleted"]
    assert expected.statements <= left.statements
    assert EVIL not in str(left.statements)
    path, signed = SPOKEN[analyst]
    both = left.calls + expected.calls
    assert talker.paths[-both:] == [path] * both
    assert all(signed in headers["authorization"] for headers in talker.headers[-both:])


@contextmanager
def told(account: Account, **variables: str) -> Iterator[None]:
    """ANALYZE with other variables, in processes that have not begun yet."""
    client, function = account.client("lambda"), account.functions()[Step.ANALYZE.handler]
    before = function["Environment"]["Variables"]

    def tell(environment: Mapping[str, str]) -> None:
        name = function["FunctionName"]
        client.update_function_configuration(
            FunctionName=name, Environment={"Variables": environment}
        )
        updated = client.get_waiter("function_updated_v2")
        updated.wait(FunctionName=name, WaiterConfig={"Delay": 1})

    tell({**before, **variables})
    try:
        yield
    finally:
        tell(before)


@pytest.mark.promise("R34")
@pytest.mark.parametrize(
    ("model", "is_granted", "becomes"),
    [
        (NOVA, True, "MODEL_ANSWER_INVALID"),  # it was asked: the account's model only prattles
        (NOVA, False, "MODEL_ACCESS_DENIED"),
        (ANOTHER, True, "MODEL_ACCESS_DENIED"),
    ],
)
def test_bedrock_answers_for_the_model_that_is_granted_and_no_other(
    account: Account, model: str, is_granted: bool, becomes: str
) -> None:
    """Here a permission is called as its operation is; on AWS, Converse asks for InvokeModel."""

    def as_named_here(actions: list[str]) -> list[str]:
        return ["bedrock:Converse"] if is_granted and actions == [INVOKE] else actions

    def without_it(actions: list[str]) -> list[str]:
        return [each for each in actions if each != INVOKE]

    change = as_named_here if is_granted else without_it
    with granted(account, Step.ANALYZE, change), told(account, **{f"{PREFIX}BEDROCK_MODEL": model}):
        assert set_aside(account) == becomes


@pytest.mark.promise("R34")
def test_without_its_grant_the_key_of_the_model_is_not_to_be_had(
    account: Account, talker: Talker
) -> None:
    before = len(talker.asked)

    with without(account, Step.ANALYZE, "secretsmanager:GetSecretValue"), told(account, ANY="new"):
        code = set_aside(account, analyst="openai")

    assert (code, len(talker.asked)) == ("ACCESS_DENIED", before)


def set_aside(account: Account, **fields: str) -> str:
    """Why the one source of a run was, where it was the model's fault."""
    request = {
        "agent_id": uuid4().hex[:12],
        "workflow_id": uuid4().hex[:12],
        "questions": ["How much do the plans cost?"],
        "sources": [{"url": f"{account.site}/acme/pricing.html"}],
        **fields,
    }
    ended = account.ended(account.start(request))
    units = account.units(task_of(request))
    codes = [u.outcome.facts["error_code"] for u in units if u.step is Step.SET_ASIDE and u.outcome]
    assert (ended.error, len(codes)) == ("CoverageTooLow", 1), ended
    return str(codes[0])
