"""The CDK's command line, run against the sandbox account and nothing of the user's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from sandbox.errors import DeploymentFailed, last_lines
from sandbox.interruptions import held

_OTHERS = ("AWS_", "CDK_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cdk:
    """`program` is the CDK of this checkout, `folder` the one it runs in."""

    program: Path
    folder: Path
    environment: Mapping[str, str]


class Command:
    """One running `cdk ...`. Leaving the `with` block in any way ends it with all it started."""

    def __init__(self, cdk: Cdk, log: Path, *arguments: str) -> None:
        self._said = f"cdk {arguments[0]}"
        self._log = log
        if not cdk.program.exists():
            raise DeploymentFailed(f"There is no {cdk.program}. `make` installs it.")
        with log.open("wb") as output, held():
            self._process = subprocess.Popen(
                [str(cdk.program), *arguments, "--no-notices", "--no-version-reporting"],
                cwd=cdk.folder,
                env=dict(cdk.environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        return self

    def finish(self) -> None:
        if code := self._process.wait():
            raise DeploymentFailed(
                f"`{self._said}` failed with exit code {code}. The end of {self._log}:\n"
                f"{last_lines(self._log)}"
            )

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def environment(account: Mapping[str, str], user: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The user's environment without its AWS and CDK settings, and with our Python leading."""
    kept = {name: value for name, value in user.items() if not name.startswith(_OTHERS)}
    return {
        **kept,
        **account,
        "PATH": os.pathsep.join([str(Path(sys.prefix) / "bin"), kept.get("PATH", os.defpath)]),
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        "CDK_DISABLE_CLI_TELEMETRY": "true",
        "CI": "true",  # no colours or progress bars in the log
    }
