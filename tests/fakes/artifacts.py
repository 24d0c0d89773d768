"""Artifacts in memory."""

from __future__ import annotations

import hashlib

from lambdas.agent.errors import Unexpected


class MemoryArtifacts:
    def __init__(self) -> None:
        self.bodies: dict[str, bytes] = {}

    def put(self, task_id: str, kind: str, body: bytes) -> str:
        ref = f"tasks/{task_id}/{kind}/{hashlib.sha256(body).hexdigest()}"
        return self.put_as(ref, body)

    def put_as(self, ref: str, body: bytes) -> str:
        self.bodies.setdefault(ref, body)
        return ref

    def get(self, ref: str) -> bytes:
        body = self.bodies.get(ref)
        if body is None:
            raise Unexpected(f"there is no artifact {ref}", dependency="artifacts")
        if hashlib.sha256(body).hexdigest() != ref.rpartition("/")[2]:
            raise Unexpected(f"the artifact {ref} was changed", code="ARTIFACT_CHANGED")
        return body
