"""What the network and its servers do wrong, in our errors, each with a sentence on what to do."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

from lambdas.adapters.http_head import BadAnswer, Head
from lambdas.adapters.retry_after import seconds_of
from lambdas.agent.errors import SourceRefused, SourceUnavailable, StepError

BUSY = frozenset({429, 503})
PASSING = BUSY | {408, 425}
"""Refusals that may be over when the source is asked again; so may every 5xx."""


@contextmanager
def faults_told(host: str, seconds: float) -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise _unavailable(
            host, "DEADLINE", f"{host} did not send its whole answer within {seconds:g} s."
        ) from None
    except socket.gaierror:
        raise _unavailable(host, "DNS_FAILED", f"The name {host} could not be resolved.") from None
    except ssl.SSLCertVerificationError:
        raise SourceRefused(
            f"{host} shows a certificate that cannot be trusted, so nothing was read. "
            "Tell its owner, or name another source.",
            code="BAD_CERTIFICATE",
            dependency=host,
        ) from None
    except (ssl.SSLEOFError, ssl.SSLZeroReturnError, ConnectionError):
        raise _broken(host) from None
    except ssl.SSLError:
        raise _unavailable(
            host, "TLS_FAILED", f"{host} offers no encryption that is safe today, or none at all."
        ) from None
    except OSError:
        raise _broken(host) from None
    except BadAnswer:
        raise _unavailable(
            host, "BAD_ANSWER", f"{host} sent something that is no HTTP answer to our question."
        ) from None


def status_fault(head: Head, host: str, now: float) -> StepError:
    """What an answer means that brings no page."""
    status = head.status
    code = f"HTTP_{status}"
    if status in PASSING or 500 <= status < 600:
        hint = seconds_of(head.get("Retry-After"), now)
        return _unavailable(
            host,
            code,
            f"{host} answered {status}: it cannot serve us just now.",
            wait_seconds=0 if hint is None and status in BUSY else hint,
        )
    otherwise = _NO_STATUS if status >= 600 else _NO_PAGE
    meaning = _MEANINGS.get(status, otherwise)
    return SourceRefused(f"{host} answered {status}: {meaning}.", code=code, dependency=host)


def _broken(host: str) -> SourceUnavailable:
    what = f"{host} took no connection, or broke it before an answer."
    return _unavailable(host, "CONNECT_FAILED", what)


def _unavailable(
    host: str, code: str, what: str, *, wait_seconds: float | None = None
) -> SourceUnavailable:
    advice = "It is asked again; if that does not help, see whether the page loads in a browser."
    return SourceUnavailable(
        f"{what} {advice}", code=code, dependency=host, wait_seconds=wait_seconds
    )


_NO_PAGE = "it does not give us this page. Open it in a browser to see why"
# RFC 9110 would treat it as a 5xx. Those who send one mean a refusal, and count who comes again.
_NO_STATUS = "HTTP knows no such status; sites send it to programs that they turn away"

_MEANINGS = {
    204: "it has nothing to show there. Mend the address, or remove the source",
    205: "it has nothing to show there. Mend the address, or remove the source",
    401: "the page is only for people who log in. Name a public one",
    402: "the page is only for people who pay. Name a public one",
    403: "it does not let us read this page. Ask its owner, or name another source",
    404: "there is no such page. Mend the address, or remove the source",
    410: "the page is gone for good. Remove the source",
    451: "a law keeps it from showing this page. Name another source",
}
