"""What comes in with a call of the API: JSON, not too much of it, and nothing that JSON is not."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from lambdas.agent.api_routes import BODY_LIMIT
from lambdas.agent.problems import Kind, Problem, invalid

Event = Mapping[str, Any]
AGAIN = "retry_set_aside"


def json_object(event: Event) -> dict[str, Any]:
    """Problem for a body that is too large, no JSON, or no object."""
    told = _parsed(_body(event))
    if not isinstance(told, dict):
        raise Problem(Kind.MALFORMED, "The body is no JSON object: send one")
    return told


def retries_set_aside(event: Event) -> bool:
    """What a resumption asks for; without a body it asks for nothing."""
    told = json_object(event) if _body(event) else {}
    faults = [(name, "is not a field of a resumption: remove it") for name in told.keys() - {AGAIN}]
    again = told.get(AGAIN, False)
    if not isinstance(again, bool):
        faults.append((AGAIN, "must be true or false"))
    if faults:
        raise invalid(tuple(sorted(faults)))
    return bool(again)


def _body(event: Event) -> bytes:
    body = str(event.get("body") or "")
    try:
        plain = b64decode(body) if event.get("isBase64Encoded") else body.encode()
    except ValueError:
        raise Problem(Kind.MALFORMED, "The body is not in UTF-8") from None
    if len(plain) > BODY_LIMIT:
        raise Problem(
            Kind.TOO_LARGE,
            f"The body has {len(plain):,} bytes and may have {BODY_LIMIT:,}: name a feed or "
            "a sitemap instead of each page, or make several requests of it",
        )
    return plain


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body.decode(), parse_constant=_no_number)
    except RecursionError:
        raise Problem(Kind.MALFORMED, "The body is nested too deeply") from None
    except ValueError:  # also of bytes that are no UTF-8; its words may quote the body
        raise Problem(Kind.MALFORMED, "The body is not JSON in UTF-8") from None


def _no_number(name: str) -> Any:
    raise ValueError(name)
