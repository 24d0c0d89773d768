"""EXTRACT: the readable text of one page, with its structure and title.

Reads    the page.
Writes   the text as Markdown with the offsets of its blocks, as an artifact.
Effects  none.
Repeats  safely; the same page gives the same text under the same name.
"""

from __future__ import annotations

from lambdas.agent.codec import text_body
from lambdas.agent.model import Outcome, Page
from lambdas.agent.runtime import Work
from lambdas.entry import step_handler


def extract(work: Work) -> Outcome:
    page = Page(
        url=work.args["url"],
        status=200,
        content_type=work.args["content_type"],
        body=work.read(work.args["page"]),
    )
    text = work.ports.reader.read(page)
    return Outcome.done(ref=work.write("text", text_body(text)), characters=len(text.text))


handler = step_handler(extract)
