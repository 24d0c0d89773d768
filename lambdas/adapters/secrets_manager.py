"""Keys from Secrets Manager, kept in this process's memory, if anywhere."""

from __future__ import annotations

from typing import Any

from lambdas.adapters.aws_faults import translated
from lambdas.agent.errors import Unexpected


class SecretsManagerSecrets:
    """A rotated secret is seen when the function's process is replaced, or at once where it
    `keeps` none.
    """

    def __init__(self, client: Any, *, keeps: bool = True) -> None:
        self._client = client
        self._keeps = keeps
        self._known: dict[str, str] = {}

    def get(self, name: str) -> str:
        if name in self._known:
            return self._known[name]
        with translated("Secrets Manager", f"reading the secret {name}"):
            told = self._client.get_secret_value(SecretId=name)
        key = _of(name, told.get("SecretString", ""))
        if self._keeps:
            self._known[name] = key
        return key


def _of(name: str, told: str) -> str:
    """A key goes into an HTTP header: one line of it."""
    key = told.strip()
    if not key or not key.isascii() or not key.isprintable():
        raise Unexpected(
            f"The secret {name} holds no key: store the bare key in it, as text on one line",
            code="SECRET_INVALID",
            dependency="Secrets Manager",
        )
    return key
