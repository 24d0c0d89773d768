"""The sources of a request, each kind with the options that belong to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
)
from pydantic_core import PydanticCustomError

from lambdas.agent.request import Asked, SourceKind
from lambdas.agent.sources import fault_of, list_fault_of

OPTIONS_OF_LISTS = frozenset({"limit", "include", "exclude"})
LONGEST_GLOB, MOST_GLOBS = 200, 20
UNKNOWN_KIND = 'its `kind` must be "page", "feed" or "sitemap"'


def _readable(url: str) -> str:
    return _without_fault(url, fault_of(url))


def _expandable(url: str) -> str:
    return _without_fault(url, list_fault_of(url))


def _without_fault(url: str, fault: str) -> str:
    if fault:
        raise PydanticCustomError("url", "{fault}", {"fault": fault})
    return url


def _matchable(glob: str) -> str:
    if not glob.startswith(("/", "*")):
        raise PydanticCustomError(
            "glob", 'is held against path and query: begin it with "/" or "*", as in "/docs/*"'
        )
    return glob


def _as_list(globs: Any) -> Any:
    return [globs] if isinstance(globs, str) else globs


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Glob = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_GLOB),
    AfterValidator(_matchable),
]
Globs = Annotated[list[Glob], BeforeValidator(_as_list), Field(max_length=MOST_GLOBS)]
Limit = Annotated[int, Field(ge=1, le=1000)]


class PageModel(Strict):
    """A page to read."""

    url: Annotated[str, AfterValidator(_readable)]
    kind: Literal["page"] = "page"

    def asked(self) -> Asked:
        return Asked(url=self.url)


class _ListModel(Strict):
    url: Annotated[str, AfterValidator(_expandable)]
    include: Globs | None = None
    exclude: Globs | None = None


class FeedModel(_ListModel):
    """A feed, whose newest entries are read as pages."""

    kind: Literal["feed"]
    limit: Limit = 20

    def asked(self) -> Asked:
        return _asked(self, SourceKind.FEED)


class SitemapModel(_ListModel):
    """A sitemap or an index of sitemaps, whose newest pages are read."""

    kind: Literal["sitemap"]
    limit: Limit = 200

    def asked(self) -> Asked:
        return _asked(self, SourceKind.SITEMAP)


def _asked(typed: FeedModel | SitemapModel, kind: SourceKind) -> Asked:
    return Asked(
        url=typed.url,
        kind=kind,
        limit=typed.limit,
        include=tuple(typed.include or ()),
        exclude=tuple(typed.exclude or ()),
    )


def _kind(source: Any) -> Any:
    """What is no object is held to be a page, so that its fault is told as a page's."""
    if isinstance(source, Mapping):
        return source.get("kind", "page")
    return getattr(source, "kind", "page")


SourceModel = Annotated[
    Annotated[PageModel, Tag("page")]
    | Annotated[FeedModel, Tag("feed")]
    | Annotated[SitemapModel, Tag("sitemap")],
    Discriminator(_kind, custom_error_type="kind", custom_error_message=UNKNOWN_KIND),
]
