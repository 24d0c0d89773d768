"""The prompts: files beside the agent, versioned by their names."""

from __future__ import annotations

from importlib import resources


class PromptFiles:
    def get(self, name: str) -> str:
        return (resources.files("lambdas.agent") / "prompts" / f"{name}.txt").read_text("utf-8")
