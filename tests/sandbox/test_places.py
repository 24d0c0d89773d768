from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.places import Places, read_json, write_json


def test_everything_lies_in_the_checkouts_own_folder(tmp_path: Path) -> None:
    places = Places.of(tmp_path)

    assert places.home == tmp_path / ".sandbox"
    assert {places.state.parent, places.mounts.parent, places.account.parent} == {places.home}


def test_another_home_leaves_the_checkout_untouched(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()

    places = Places.of(checkout, tmp_path / "elsewhere")

    assert places.state == tmp_path / "elsewhere/state.json"
    assert list(checkout.iterdir()) == []


def test_what_is_written_is_read(places: Places) -> None:
    write_json(places.state, {"endpoint": "any"})

    assert read_json(places.state) == {"endpoint": "any"}
    assert list(places.home.iterdir()) == [places.state]


@pytest.mark.parametrize("content", ["", '{"endpoint": "http://127', "[1, 2]", "\ufffd\0"])
def test_a_file_that_was_cut_short_says_nothing(places: Places, content: str) -> None:
    places.state.write_text(content, encoding="utf-8")

    assert read_json(places.state) == {}


def test_a_file_that_is_not_there_says_nothing(places: Places) -> None:
    assert read_json(places.state) == {}
