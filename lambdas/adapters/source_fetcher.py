"""Where a source is asked for: s3:// in our own bucket, everything else on the web."""

from __future__ import annotations

from lambdas.agent.pages import Page, Unchanged, Validators
from lambdas.agent.s3_uri import is_s3
from lambdas.agent.web_ports import Fetcher


class SourceFetcher:
    """A redirect never leads from the one to the other: each follows its own kind alone."""

    def __init__(self, *, web: Fetcher, objects: Fetcher) -> None:
        self._web = web
        self._objects = objects

    def get(self, url: str, *, seconds: float, known: Validators | None = None) -> Page | Unchanged:
        asked = self._objects if is_s3(url) else self._web
        return asked.get(url, seconds=seconds, known=known)
