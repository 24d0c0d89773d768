"""FETCH: the bytes of one source.

Reads    the site's robots.txt; the source over the network, through the guard; what the agent's
         last visit found there.
Writes   the bytes, as an artifact; where they came from and when, in the record; the visit.
Effects  none that a source could notice twice: a GET.
Repeats  safely; a finished unit answers with the page it stored, the source is not asked again.
         Where it is not our turn yet, or the source asks for a pause, the state machine waits;
         where the run's time is over, it is not asked any more.
"""

from __future__ import annotations

from lambdas.agent.fetching import fetch
from lambdas.entry import step_handler

handler = step_handler(fetch)
