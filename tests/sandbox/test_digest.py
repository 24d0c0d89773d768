from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.digest import digest

any_context = {"site": "127.0.0.1:8477"}


@pytest.fixture
def app(tmp_path: Path) -> Path:
    (tmp_path / "lambdas/steps").mkdir(parents=True)
    (tmp_path / "app.py").write_text("any")
    (tmp_path / "lambdas/steps/fetch.py").write_text("any")
    return tmp_path


def test_the_same_app_has_the_same_digest(app: Path) -> None:
    assert digest(app, any_context) == digest(app, dict(any_context))


@pytest.mark.parametrize("file", ["app.py", "lambdas/steps/fetch.py", "lambdas/prompts.txt"])
def test_another_content_has_another_digest(app: Path, file: str) -> None:
    before = digest(app, any_context)

    (app / file).write_text("another")

    assert digest(app, any_context) != before


def test_a_moved_file_has_another_digest(app: Path) -> None:
    before = digest(app, any_context)

    (app / "lambdas/steps/fetch.py").rename(app / "lambdas/steps/get.py")

    assert digest(app, any_context) != before


def test_another_context_has_another_digest(app: Path) -> None:
    assert digest(app, any_context) != digest(app, {"site": "127.0.0.1:8478"})


@pytest.mark.parametrize("file", ["lambdas/a.pyc", "README.md", "tests/test_any.py"])
def test_what_is_not_deployed_does_not_count(app: Path, file: str) -> None:
    before = digest(app, any_context)

    (app / file).parent.mkdir(exist_ok=True)
    (app / file).write_text("any")

    assert digest(app, any_context) == before
