"""What plays Lambda's Python image: AWS's runtime client and boto3, and nothing else of ours."""

from __future__ import annotations

import hashlib
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sandbox.errors import NoRuntime

_CLIENT = Path(__file__).with_name("runtime_client.py")
_PINS = Path(__file__).with_name("lambda-runtime.txt")


def runtime_folder(build: Path) -> Path:
    """Where the runtime for this interpreter and these pins belongs, there or not."""
    told = (_PINS.read_text(), _CLIENT.read_text(), sys.version, platform.platform())
    return build / f"lambda-runtime-{hashlib.sha256(repr(told).encode()).hexdigest()[:12]}"


def install_runtime(build: Path) -> Path:
    """The runtime folder, installed if it is not there: whole or not at all."""
    folder = runtime_folder(build)
    if folder.is_dir():
        return folder
    build.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=build, prefix=f"{folder.name}."))
    try:
        _install(draft)
        if not any(draft.glob("runtime_client.*")):
            shutil.copy(_CLIENT, draft)
        draft.rename(folder)
    except OSError:
        if not folder.is_dir():  # otherwise another command was faster
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return folder


def base_python() -> str:
    """The interpreter under the virtual environment, which knows nothing of what is installed."""
    return str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())


def bootstrap(runtime: Path, python: str) -> str:
    """The file `bootstrap` of a function's zip: how Lambda starts a custom runtime.

    -S leaves out every site-packages, so a package that the bundle lacks is missing here as it
    would be on AWS. What the bundle has wins over what the runtime has, as on AWS.
    """
    return f"""#!/bin/sh
export PYTHONPATH="$LAMBDA_TASK_ROOT":{shlex.quote(str(runtime))}
export AWS_EXECUTION_ENV=AWS_Lambda_python3.13 TZ=:UTC
export AWS_LAMBDA_LOG_GROUP_NAME="/aws/lambda/$AWS_LAMBDA_FUNCTION_NAME"
exec {shlex.quote(python)} -S -m awslambdaric "$_HANDLER"
"""


def _install(folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--target", str(folder), "--requirement", str(_PINS)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise NoRuntime(
            f"pip could not install {_PINS.name} for the sandbox. It says:\n{result.stderr.strip()}"
        )
