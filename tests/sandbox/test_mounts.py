from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.errors import NoSuchFolder
from sandbox.mounts import mount, mounts, slug, write_request
from sandbox.places import Places

any_questions = ["What changed?"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "Saved Pages"
    (folder / "sub").mkdir(parents=True)
    for name in (
        "b.html",
        "a.html.gz",
        "sub/c d.htm",
        "d.json",
        "feed.xml",
        ".hidden.html",
        "style.css",
    ):
        (folder / name).write_bytes(b"any")
    return folder


def test_every_example_is_mounted_under_its_name(places: Places) -> None:
    (places.root / "examples/acme/site").mkdir(parents=True)
    (places.root / "examples/without-a-site").mkdir()

    assert mounts(places) == {"acme": places.root / "examples/acme/site"}


def test_a_folder_is_mounted_from_the_next_look_on(places: Places, folder: Path) -> None:
    assert mount(places, folder) == "saved-pages"

    assert mounts(places) == {"saved-pages": folder}
    assert mount(places, folder) == "saved-pages"


def test_a_name_is_not_taken_from_another_folder(places: Places, folder: Path) -> None:
    mount(places, folder, name="pages")

    with pytest.raises(NoSuchFolder, match=r"/pages/ already shows .* Choose another name"):
        mount(places, folder / "sub", name="pages")


def test_a_missing_folder_is_refused(places: Places) -> None:
    with pytest.raises(NoSuchFolder, match="is not a folder"):
        mount(places, places.root / "nowhere")


def test_a_request_names_every_page_in_order(folder: Path) -> None:
    assert write_request(folder, "pages", any_questions, "http://127.0.0.1:8477") == {
        "agent_id": "saved-pages",
        "questions": any_questions,
        "sources": [
            {"url": "http://127.0.0.1:8477/pages/a.html"},
            {"url": "http://127.0.0.1:8477/pages/b.html"},
            {"url": "http://127.0.0.1:8477/pages/d.json"},
            {"url": "http://127.0.0.1:8477/pages/feed.xml"},
            {"url": "http://127.0.0.1:8477/pages/sub/c%20d.htm"},
        ],
        "coverage": 0.5,
        "approval": "required",
    }


def test_a_page_kept_in_both_forms_is_named_once(folder: Path) -> None:
    (folder / "a.html").write_bytes(b"any")

    urls = [source["url"] for source in write_request(folder, "p", any_questions, "")["sources"]]

    assert urls.count("/p/a.html") == 1


def test_no_request_is_made_of_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFolder, match="holds no page"):
        write_request(tmp_path, "any", any_questions, "any")


@pytest.mark.parametrize(
    ("name", "expected"), [("Acme Corp.", "acme-corp"), ("..", "folder"), ("a_b--c", "a-b-c")]
)
def test_a_name_becomes_fit_for_an_address(name: str, expected: str) -> None:
    assert slug(name) == expected
