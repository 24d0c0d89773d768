"""One sandbox for all end-to-end tests: the real application, deployed, with IAM enforced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from sandbox.life import Running, sandbox
from sandbox.mounts import mount
from sandbox.places import Places
from tests.e2e.account import Account
from tests.e2e.events import Events, listening

ROOT = Path(__file__).resolve().parents[2]

SECRET, SIGNS_WITH = "of-the-hooks", "c2lnbnMgd2hhdCB0aGUgZW5kLXRvLWVuZCB0ZXN0cyBhcmUgdG9sZA=="
HOOKS = [
    {"name": "crm", "url": "{site}/hooks/crm", "secret": SECRET, "agents": ["told"]},
    {
        "name": "busy",
        "url": "{site}/hooks/busy?status=503&times=1",
        "secret": SECRET,
        "agents": ["told-later"],
    },
    {
        "name": "gone",
        "url": "{site}/hooks/gone?status=410&times=9",
        "secret": SECRET,
        "agents": ["told-in-vain"],
    },
    {"name": "torn", "url": "{site}/hooks/torn", "secret": SECRET, "agents": ["told-twice"]},
]
"""Whoever wants to be told names its agent so."""

Publish = Callable[[Mapping[str, str]], str]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sandbox")


@pytest.fixture(scope="session")
def running(home: Path) -> Iterator[Running]:
    with sandbox(ROOT, home=home, context={"webhooks": HOOKS}, say=print) as up:
        up.client("secretsmanager").create_secret(Name=SECRET, SecretString=f"whsec_{SIGNS_WITH}")
        yield up


@pytest.fixture(scope="session")
def account(running: Running) -> Account:
    return Account(running)


@pytest.fixture(scope="session")
def events(account: Account) -> Events:
    return listening(account)


@pytest.fixture
def site(account: Account, home: Path, tmp_path: Path) -> Publish:
    """Put pages on the sandbox's site; the answer is the address they lie under."""

    def publish(pages: Mapping[str, str]) -> str:
        name = f"site-{uuid4().hex[:8]}"
        folder = tmp_path / name
        folder.mkdir()
        for page, html in pages.items():
            (folder / page).write_text(html, encoding="utf-8")
        mount(Places.of(ROOT, home), folder, name=name)
        return f"{account.site}/{name}"

    return publish


@pytest.fixture
def a_request(site: Publish) -> Callable[..., dict[str, Any]]:
    """A request over two pages that answer it; `sources` adds some, `fields` replace fields."""

    def make(*sources: str, **fields: Any) -> dict[str, Any]:
        at = site({"pricing.html": PRICING, "news.html": NEWS})
        return {
            "agent_id": "e2e",
            "workflow_id": uuid4().hex[:12],
            "questions": ["How much does the Team plan cost?", "Which features were launched?"],
            "sources": [
                {"url": url} for url in (f"{at}/pricing.html", f"{at}/news.html", *sources)
            ],
            **fields,
        }

    return make


def a_page(title: str, *paragraphs: str) -> str:
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>"
        f"<body><main><article><h1>{title}</h1>{body}</article></main></body></html>"
    )


PRICING = a_page(
    "Pricing",
    "Every plan is billed monthly and can be cancelled at any time, without a fee and without a "
    "notice period, by the owner of the account.",
    "The Team plan costs 49 euros a month for each seat. It includes single sign-on, an audit log "
    "and support on working days.",
    "The Business plan costs 89 euros a month for each seat and adds a contract with guaranteed "
    "answers within four hours.",
)
NEWS = a_page(
    "What is new",
    "Our engineers work in cycles of six weeks, and what they finish goes to everybody at once.",
    "In October we launched Price Lab, a feature that simulates how a change of prices would have "
    "moved last year's revenue.",
    "We also launched alerts on spending, which arrive in the chat of the team that caused them.",
)
