"""FETCH: the bytes of one source.

Reads    the source over the network, through the guard.
Writes   the bytes, as an artifact; where they came from and when, in the record.
Effects  none that a source could notice twice: a GET.
Repeats  safely; a finished unit answers with the page it stored, the source is not asked again.
"""

from __future__ import annotations

import hashlib

from lambdas.agent.identity import canonical
from lambdas.agent.instants import iso
from lambdas.agent.model import Outcome
from lambdas.agent.work import Work
from lambdas.entry import step_handler


def fetch(work: Work) -> Outcome:
    page = work.ports.fetcher.get(work.args["url"], seconds=work.call_seconds())
    provenance = {
        "url": page.url,
        "status": page.status,
        "fetched_at": iso(work.ports.clock.now()),
        "sha256": hashlib.sha256(page.body).hexdigest(),
    }
    return Outcome.done(
        ref=work.write("page", page.body),
        result=canonical(provenance),
        content_type=page.content_type[:200],
    )


handler = step_handler(fetch)
