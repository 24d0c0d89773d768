"""An approval's page as HTML. Every expression of its template is escaped."""

from __future__ import annotations

from base64 import b64encode
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from lambdas.adapters.report_escaping import visible
from lambdas.agent.approval_page import Page, Rendered

TEMPLATES = Path(__file__).with_name("templates")


class HtmlApprovalPages:
    """The port `ApprovalPages`. Nothing that a page loads, runs or sends goes anywhere else."""

    def __init__(self) -> None:
        style = (TEMPLATES / "approval.css").read_text(encoding="utf-8")
        environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            undefined=StrictUndefined,
            autoescape=True,
            finalize=visible,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters["moment"] = _moment
        trusted = {"style": Markup(style)}  # noqa: S704  ours
        self._page = environment.get_template("approval.html.j2", globals=trusted)
        digest = b64encode(sha256(style.encode()).digest()).decode()
        self._policy = (
            f"default-src 'none'; style-src 'sha256-{digest}'; form-action 'self'; "
            "base-uri 'none'; frame-ancestors 'none'"
        )

    def render(self, page: Page) -> Rendered:
        return Rendered(body=self._page.render(page=page), policy=self._policy)


def _moment(iso: str) -> str:
    return datetime.fromisoformat(iso).strftime("%-d %B %Y, %H:%M UTC")
