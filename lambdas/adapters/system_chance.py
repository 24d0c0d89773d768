"""Randomness of the operating system, fit for secrets."""

from __future__ import annotations

import secrets

BYTES = 32
"""256 bits: nobody guesses one among as many as there will ever be."""


class SystemChance:
    def token(self) -> str:
        return secrets.token_urlsafe(BYTES)
