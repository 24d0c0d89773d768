"""Which edition of a sample site is shown, and that the second one of Acme's is as it is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest

from lambdas.adapters.page_reader import PageReader
from lambdas.agent.findings import Text
from lambdas.agent.pages import Page
from sandbox.editions import Shown, editions, show, shown
from sandbox.mounts import mount
from sandbox.places import Places, write_json
from tests.e2e.conftest import ROOT

ACME = ROOT / "examples/acme"
SECOND = ACME / "edition-2"


@pytest.fixture
def example(places: Places) -> Path:
    example = places.root / "examples/acme"
    (example / "site").mkdir(parents=True)
    (example / "edition-2/site").mkdir(parents=True)
    write_json(example / "edition-2/statuses.json", {"gone.html": 404, "down.html": 503})
    return example


def test_the_first_edition_is_shown_until_another_is_asked_for(
    places: Places, example: Path
) -> None:
    assert shown(places) == {"acme": Shown(folders=(example / "site",))}


def test_a_later_edition_lies_over_the_first(places: Places, example: Path) -> None:
    show(places, 2)

    assert shown(places)["acme"] == Shown(
        folders=(example / "edition-2/site", example / "site"),
        instead={
            "gone.html": HTTPStatus.NOT_FOUND,
            "down.html": HTTPStatus.SERVICE_UNAVAILABLE,
        },
    )


def test_the_first_edition_is_shown_again_when_it_is_asked_for(
    places: Places, example: Path
) -> None:
    show(places, 2)
    show(places, 1)

    assert shown(places)["acme"].folders == (example / "site",)


@pytest.mark.usefixtures("example")
def test_a_site_without_this_edition_is_shown_as_it_is(places: Places, tmp_path: Path) -> None:
    mount(places, tmp_path, name="pages")
    show(places, 2)

    assert shown(places)["pages"] == Shown(folders=(tmp_path,))


@pytest.mark.usefixtures("example")
@pytest.mark.parametrize(
    ("names", "there_are"), [({"acme"}, [1, 2]), ({"acme", "nobody"}, [1, 2]), (set(), [1])]
)
def test_the_editions_of_the_sites_that_are_named(
    places: Places, names: set[str], there_are: list[int]
) -> None:
    assert editions(places, names) == there_are


def test_the_second_edition_of_acme_keeps_only_what_is_different() -> None:
    over = set(files(SECOND / "site"))

    assert over - set(files(ACME / "site")) == {"blog/2026-12-09-invoice-preview.html"}
    for name in over & set(files(ACME / "site")):
        assert (SECOND / "site" / name).read_bytes() != (ACME / "site" / name).read_bytes()


def test_the_pages_that_answer_with_a_status_are_pages_of_the_first_edition() -> None:
    statuses = json.loads((SECOND / "statuses.json").read_text())

    assert sorted(statuses.values()) == [404, 503]
    assert statuses.keys() <= set(files(ACME / "site")) - set(files(SECOND / "site"))


def test_the_security_page_is_built_anew_and_says_the_same() -> None:
    assert text(SECOND / "site/security.html") == text(ACME / "site/security.html")


@pytest.mark.parametrize("name", ["pricing.html", "changelog.html"])
def test_of_a_changed_page_most_passages_stay(name: str) -> None:
    before, after = text(ACME / "site" / name), text(SECOND / "site" / name)

    old, new = (set(filter(None, each.text.splitlines())) for each in (before, after))
    assert new - old
    assert len(old & new) > 0.8 * len(old)


def files(folder: Path) -> Iterator[str]:
    return (each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file())


def text(file: Path) -> Text:
    page = Page(
        url=f"http://acme.test/{file.name}",
        status=200,
        content_type="text/html",
        body=file.read_bytes(),
    )
    return PageReader().read(page)
