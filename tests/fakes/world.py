"""The small world that steps are tested in: fakes outside, real logic inside."""

from __future__ import annotations

from dataclasses import dataclass, field

from lambdas.adapters.answer_schema import PydanticAnswers
from lambdas.adapters.approval_pages import HtmlApprovalPages
from lambdas.adapters.extractive_analyst import ExtractiveAnalyst
from lambdas.adapters.feed_reader import FeedReader
from lambdas.adapters.jinja_renderer import JinjaRenderer
from lambdas.adapters.prompt_files import PromptFiles
from lambdas.adapters.protego_robots import ProtegoRobots
from lambdas.adapters.request_schema import PydanticRequests
from lambdas.adapters.sitemap_reader import SitemapReader
from lambdas.agent.approval_ports import ApprovalPages, Callbacks, Chance, Invitations, Quota, Seals
from lambdas.agent.channels import Directory
from lambdas.agent.ledger_ports import Ledger
from lambdas.agent.manners import PRODUCT_TOKEN
from lambdas.agent.model_ports import Analyst, Answers, Jobs, Memos, Prompts
from lambdas.agent.notice_ports import Announcer, Subscribers, Webhooks
from lambdas.agent.ports import (
    Artifacts,
    Clock,
    Executions,
    Inbox,
    Links,
    Renderer,
    Requests,
    Schedules,
    Shelf,
)
from lambdas.agent.web_ports import Fetcher, Listings, Reader, Robots, Turns, Visits
from tests.fakes.artifacts import MemoryArtifacts
from tests.fakes.clock import FakeClock
from tests.fakes.invitations import MemoryInvitations, MemoryQuota
from tests.fakes.ledger import MemoryLedger
from tests.fakes.memos import MemoryMemos
from tests.fakes.outside import (
    FakeBus,
    FakeCallbacks,
    FakeExecutions,
    FakeLinks,
    FakeShelf,
    FakeWeb,
)
from tests.fakes.reader import PlainReader
from tests.fakes.receivers import FakeSubscribers, FakeWebhooks
from tests.fakes.schedules import MemoryInbox, MemorySchedules
from tests.fakes.seals import FakeChance, FakeSeals
from tests.fakes.turns import MemoryTurns
from tests.fakes.visits import MemoryVisits


@dataclass(slots=True)
class World:
    """Structurally a `Ports`: mypy holds it to that wherever a step is given one."""

    clock: Clock
    ledger: Ledger
    artifacts: Artifacts
    fetcher: Fetcher
    turns: Turns
    visits: Visits
    memos: Memos
    shelf: Shelf
    announcer: Announcer
    subscribers: Subscribers
    webhooks: Webhooks
    callbacks: Callbacks
    invitations: Invitations
    quota: Quota
    chance: Chance = field(default_factory=FakeChance)
    seals: Seals = field(default_factory=FakeSeals)
    approval_pages: ApprovalPages = field(default_factory=HtmlApprovalPages)
    schedules: Schedules = field(default_factory=MemorySchedules)
    links: Links = field(default_factory=FakeLinks)
    inbox: Inbox = field(default_factory=MemoryInbox)
    executions: Executions = field(default_factory=FakeExecutions)
    tellings: Executions = field(default_factory=FakeExecutions)
    directory: Directory = field(default_factory=Directory)
    requests: Requests = field(default_factory=PydanticRequests)
    robots: Robots = field(default_factory=lambda: ProtegoRobots(PRODUCT_TOKEN))
    reader: Reader = field(default_factory=PlainReader)
    feeds: Listings = field(default_factory=FeedReader)
    sitemaps: Listings = field(default_factory=SitemapReader)
    ocr: Jobs | None = None
    analyst: Analyst = field(default_factory=ExtractiveAnalyst)
    model: Jobs | None = None
    bedrock: Jobs | None = None
    prompts: Prompts = field(default_factory=PromptFiles)
    answers: Answers = field(default_factory=PydanticAnswers)
    renderer: Renderer = field(default_factory=JinjaRenderer)


def a_world(clock: FakeClock) -> World:
    return World(
        clock=clock,
        ledger=MemoryLedger(clock, retention=90),
        artifacts=MemoryArtifacts(),
        fetcher=FakeWeb(),
        turns=MemoryTurns(clock),
        visits=MemoryVisits(clock, retention=90),
        memos=MemoryMemos(clock, retention=90),
        shelf=FakeShelf(),
        announcer=FakeBus(),
        subscribers=FakeSubscribers(),
        webhooks=FakeWebhooks(),
        callbacks=FakeCallbacks(),
        invitations=MemoryInvitations(clock, retention=90),
        quota=MemoryQuota(clock),
    )
