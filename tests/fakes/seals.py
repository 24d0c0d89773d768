"""Seals and chance in memory: what is sealed can be read nowhere, what is drawn is drawn once."""

from __future__ import annotations

from base64 import b64decode, b64encode
from itertools import count

from lambdas.agent.errors import Unexpected
from lambdas.agent.identity import canonical

_KEY = 0x5A


class FakeSeals:
    """No cipher, but unreadable to whoever searches for the plain text."""

    def seal(self, plain: str, *, about: str) -> str:
        return b64encode(_turned(canonical([about, plain]))).decode()

    def unseal(self, sealed: str, *, about: str) -> str:
        import json

        whose, plain = json.loads(_turned(b64decode(sealed)))
        if whose != about:
            raise Unexpected(f"it is about {whose} and not about {about}")
        return str(plain)


class FakeChance:
    def __init__(self) -> None:
        self._drawn = count(1)

    def token(self) -> str:
        return f"{next(self._drawn):043d}"


def _turned(body: bytes) -> bytes:
    return bytes(byte ^ _KEY for byte in body)
