"""What can go wrong with the sandbox, in sentences a person can act on.

SandboxError
├── DidNotStart       a process of the sandbox died or never answered
├── DeploymentFailed  cdk could not bootstrap, synthesize or deploy
├── NoRuntime         pip could not install what plays Lambda's runtime
└── NoSuchFolder      a folder to serve does not exist or holds no page
"""

from __future__ import annotations

from pathlib import Path

_LINES = 15


class SandboxError(Exception):
    """The sandbox cannot do what it was asked to."""


class DidNotStart(SandboxError):
    """A process of the sandbox died at once or never answered; its log says why."""


class DeploymentFailed(SandboxError):
    """The app could not be deployed into the sandbox; the log says why."""


class NoRuntime(SandboxError):
    """What plays Lambda's runtime image could not be installed."""


class NoSuchFolder(SandboxError):
    """There is nothing to serve at this path."""


def last_lines(log: Path) -> str:
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "(no log)"
    return "\n".join(lines[-_LINES:])
