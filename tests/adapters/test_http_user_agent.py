"""How we name ourselves."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from lambdas.adapters.http_user_agent import VERSION, user_agent
from lambdas.agent.manners import PRODUCT_TOKEN

PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize("contact", ["any@a.example", "https://a.example/who?x=1&y", "any one"])
def test_sites_are_told_who_asks_and_whom_to_write_to(contact: str) -> None:
    assert user_agent(contact) == f"{PRODUCT_TOKEN}/{VERSION} (+{contact})"


def test_a_contact_cannot_break_out_of_its_comment_or_its_line() -> None:
    told = user_agent("a) evil/1.0 (\\\r\nX-Other: \u20ac")
    assert told == f"{PRODUCT_TOKEN}/{VERSION} (+a evil/1.0 X-Other: )"


def test_the_version_is_the_projects() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert project["version"].startswith(f"{VERSION}.")
