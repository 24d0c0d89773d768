"""docs/sources.md names every code that a source can be set aside with, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/sources.md"
READING = (
    "adapters/feed_*.py",
    "adapters/http_[!j]*.py",
    "adapters/page_*.py",
    "adapters/pdf_*.py",
    "adapters/s3_sources.py",
    "adapters/sitemap_reader.py",
    "adapters/textract_jobs.py",
    "adapters/trafilatura_reader.py",
    "agent/guard.py",
    "agent/job_[!s]*.py",
    "agent/jobs.py",
    "agent/listed_sources.py",
    "agent/manners.py",
    "agent/not_an_article.py",
    "agent/s3_uri.py",
    "agent/scans.py",
    "agent/sources.py",
    "agent/fetching.py",
    "agent/spending.py",
    "steps/set_aside.py",
    "steps/validate.py",
)
"""Where sources are asked for, taken apart and set aside."""
NO_CODES = {
    *("FAILED", "LINE", "PARTIAL_SUCCESS", "SUCCEEDED"),  # Textract's own words
    *("LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH"),  # the environment of a process
    *("PYTHONDONTWRITEBYTECODE", "PYTHONHOME", "PYTHONPATH"),
    "NFKC",
    "SOURCE_REFUSED",  # a class's own code, used where no better one is known
    "UNKNOWN",
}
_CODE = re.compile(r"(?=.{4})[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
_ROW = re.compile(r"^\| `([A-Z0-9_]+)` \|", re.MULTILINE)


def test_every_code_has_a_row_and_every_row_a_code() -> None:
    rows = _ROW.findall(PAGE.read_text(encoding="utf-8"))

    assert len(rows) == len(set(rows))
    assert set(rows) == set(_codes()) - NO_CODES


def test_what_is_no_code_is_still_there() -> None:
    assert set(_codes()) >= NO_CODES


def _codes() -> Iterator[str]:
    for pattern in READING:
        for path in (ROOT / "lambdas").glob(pattern):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield from [node.value] if _CODE.fullmatch(node.value) else []
