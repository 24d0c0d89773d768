"""Signatures by which a receiver knows that a webhook is ours: Standard Webhooks, symmetric."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import UTC, datetime

from standardwebhooks import Webhook

PREFIX = "whsec_"
SHORTEST = 24
"""Bytes of a secret, as the specification has it."""


class NoSecret(Exception):
    """What was stored is none; the message repeats nothing of it."""


def signed(body: bytes, secrets: str, *, id_: str, at: float) -> dict[str, str]:
    """The headers of one attempt, made at `at` (epoch seconds).

    `secrets` are one or more, with blanks between: the first is the new one while receivers
    still have the old. NoSecret where one of them is none.
    """
    when = datetime.fromtimestamp(int(at), UTC)
    signatures = [Webhook(key).sign(id_, when, body) for key in _keys(secrets)]
    if not signatures:
        raise NoSecret("is empty")
    return {
        "webhook-id": id_,
        "webhook-timestamp": str(int(at)),
        "webhook-signature": " ".join(signatures),
    }


def _keys(secrets: str) -> Iterator[bytes]:
    for told in secrets.split():
        text = told.removeprefix(PREFIX).rstrip("=")
        try:
            key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
        except ValueError:
            raise NoSecret("is no Base64") from None
        if len(key) < SHORTEST:
            raise NoSecret(f"has {len(key)} bytes and needs {SHORTEST}")
        yield key
