"""Keys from Secrets Manager, kept in this process's memory and nowhere else."""

from __future__ import annotations

from typing import Any

from lambdas.adapters.aws_faults import translated
from lambdas.agent.errors import Unexpected


class SecretsManagerSecrets:
    """A rotated secret is seen when the function's process is replaced."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._known: dict[str, str] = {}

    def get(self, name: str) -> str:
        if name not in self._known:
            with translated("Secrets Manager", f"reading the secret {name}"):
                told = self._client.get_secret_value(SecretId=name)
            self._known[name] = _of(name, told.get("SecretString", ""))
        return self._known[name]


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
