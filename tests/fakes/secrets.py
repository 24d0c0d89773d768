"""Secrets in memory."""

from __future__ import annotations


class FakeSecrets:
    def __init__(self, value: str = "sk-made-up") -> None:
        self.value = value
        self.asked: list[str] = []

    def get(self, name: str) -> str:
        self.asked.append(name)
        return self.value
