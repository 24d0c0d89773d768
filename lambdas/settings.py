"""Where a deployment's resources are. Written by the stack, read by the Lambdas."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

PREFIX = "RATCHET_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    ledger_table: str
    artifact_bucket: str
    event_bus: str
    seal_key: str
    """The key under which task tokens and the ids of invitations are sealed."""
    contact: str
    """Told to every site that is read, so that its owner can write to somebody."""
    retention_days: int
    """How long a record is kept after its last write."""
    seconds_between: float
    """Between two requests to one host, of all workers together; 0 asks as fast as it answers."""
    source_bucket: str
    """The one bucket whose objects may be sources; empty where none may."""
    loopback_site: str
    """The one address on this machine that the sandbox may read; empty on AWS."""
    chaos: str
    """Deaths on purpose, as `lambdas.adapters.chaos` reads them; only the sandbox may carry any."""

    state_machine: str = ""
    """Whose executions the sweeper looks at; empty for the functions that the machine calls."""

    telling_machine: str = ""
    """Whose executions tell others what has become of a task; known to NOTICE alone."""
    notice_topic: str = ""
    """Where people subscribe to notices; known to TELL alone."""
    webhooks: str = ""
    """The endpoints of programs that are told, as JSON; known to NOTICE and TELL."""
    http_url: str = ""
    """What the addresses of tasks and approvals begin with; known to TELL alone."""

    model_url: str
    """Where an OpenAI-compatible model answers; empty where sources are ranked without one."""
    model_name: str
    model_secret: str
    """The name of the secret that holds the model's key, never the key."""
    model_api: str
    """How it is asked: "responses" by background jobs, "chat" by answers at once."""
    bedrock_model: str
    """A model's id at Bedrock, or an inference profile's id or ARN; empty where none is named."""
    model_price: str = ""
    """Of the OpenAI-compatible model, "INPUT/OUTPUT" in dollars for a million tokens, or empty."""
    bedrock_price: str = ""
    """The same of the model at Bedrock."""
    ocr: bool
    """Scanned PDFs are read by Textract."""

    def as_environment(self) -> dict[str, str]:
        return {PREFIX + name.upper(): str(value) for name, value in asdict(self).items()}

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Self:
        names = {field.name: PREFIX + field.name.upper() for field in fields(cls)}
        missing = sorted(set(names.values()) - set(environ))
        if missing:
            raise LookupError(f"not set in the function's environment: {', '.join(missing)}")
        values: dict[str, Any] = {name: environ[variable] for name, variable in names.items()}
        typed = {
            "retention_days": int(values["retention_days"]),
            "seconds_between": float(values["seconds_between"]),
            "ocr": values["ocr"] == "True",
        }
        return cls(**{**values, **typed})
