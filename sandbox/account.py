"""The AWS account on this machine: ministack in a process of its own, IAM enforced, state kept."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import subprocess
import time
from typing import Any

from sandbox import processes
from sandbox.errors import DidNotStart, last_lines
from sandbox.places import Places
from sandbox.ports import LOOPBACK, free_port

ACCOUNT_ID = "000000000000"
REGION = "us-east-1"

_NAME = "account"
_PATIENCE = 30.0
_PAUSE = 0.03


def credentials(endpoint: str) -> dict[str, str]:
    """The environment in which the AWS SDKs and the CDK talk to this account as its root, and
    look at no configuration, profile or metadata service of the user's.
    """
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ENDPOINT_URL_S3": endpoint,
        "AWS_ACCESS_KEY_ID": ACCOUNT_ID,
        "AWS_SECRET_ACCESS_KEY": "sandbox",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def client(service: str, endpoint: str) -> Any:
    """A client of this account's, whatever AWS_PROFILE and the user's configuration say."""
    import botocore.session

    session = botocore.session.Session(session_vars={"profile": (None, None, None, None)})
    session.set_config_variable("config_file", "/dev/null")
    known = credentials(endpoint)
    return session.create_client(
        service,
        region_name=known["AWS_REGION"],
        endpoint_url=endpoint,
        aws_access_key_id=known["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=known["AWS_SECRET_ACCESS_KEY"],
    )


def start(places: Places) -> str:
    """Bring it up and answer its endpoint."""
    lock = places.lock(_NAME)
    _end_orphans(places)
    _forget_half_an_account(places)
    last = processes.last(lock)
    port = free_port(last.port if last else None)
    processes.start(
        "sandbox.account_process",
        str(places.home),
        environment=_environment(places, port),
        port=port,
        lock=lock,
        log=places.log(_NAME),
    )
    _wait_until_healthy(places)
    return _address(port)


def address(places: Places) -> str | None:
    """Where the account of this folder answers; None if it is not up or does not answer."""
    child = processes.alive(places.lock(_NAME))
    return _address(child.port) if child and _healthy(child.port) else None


def stop(places: Places) -> bool:
    """Ask it to save its state and end; end it in any case."""
    stopped = processes.stop(places.lock(_NAME))
    _end_orphans(places)
    return stopped


def _address(port: int) -> str:
    return f"http://{LOOPBACK}:{port}"


def _environment(places: Places, port: int) -> dict[str, str]:
    """All it gets: what it had from the user's environment, every function would get too."""
    scratch = places.account / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    return {
        "PATH": os.defpath,
        "HOME": str(places.account),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        "GATEWAY_PORT": str(port),
        "BIND_HOST": LOOPBACK,
        "AUTH": "true",
        "AWS_ENDPOINT_URL": _address(port),
        "AWS_ACCESS_KEY_ID": ACCOUNT_ID,
        "AWS_SECRET_ACCESS_KEY": "sandbox",
        "MINISTACK_REGION": REGION,
        "MINISTACK_ACCOUNT_ID": ACCOUNT_ID,
        "PERSIST_STATE": "1",
        "STATE_DIR": str(places.account / "state"),
        "S3_PERSIST": "1",
        "S3_DATA_DIR": str(places.account / "objects"),
        "LAMBDA_WARM_TTL_SECONDS": "60",  # a burst's surplus processes are given back soon
        "SFTP_ENABLED": "0",  # it would listen on a port nobody asked for
        "IOT_MTLS_ENABLED": "0",  # the same
        # It looks for containers of its own to remove; the user's Docker is none of its business.
        "DOCKER_HOST": f"unix://{scratch}/no-docker.sock",
    }


def _forget_half_an_account(places: Places) -> None:
    """Killed before its first graceful stop, an account leaves objects and no buckets."""
    if not any((places.account / "state").glob("*.json")):
        shutil.rmtree(places.account, ignore_errors=True)


def _wait_until_healthy(places: Places) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        child = processes.alive(places.lock(_NAME))
        if child is None:
            break
        if _healthy(child.port):
            return
        time.sleep(_PAUSE)
    log = places.log(_NAME)
    raise DidNotStart(f"The sandbox account did not come up. The end of {log}:\n{last_lines(log)}")


def _healthy(port: int) -> bool:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=2.0)
    try:
        connection.request("GET", "/_ministack/health")
        answer: Any = json.loads(connection.getresponse().read())
    except (OSError, ValueError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return bool(answer.get("auth") == "enabled")


def _end_orphans(places: Places) -> None:
    """If the account was killed, functions may still be running in its process group."""
    child = processes.last(places.lock(_NAME))
    if child is None or processes.alive(places.lock(_NAME)):
        return
    for pid in _runtimes_in_group(child.pid):
        os.kill(pid, signal.SIGKILL)


def _runtimes_in_group(group: int) -> list[int]:
    listing = subprocess.run(
        ["ps", "-A", "-o", "pid=,pgid=,command="],  # noqa: S607 - wherever the system has it
        capture_output=True,
        text=True,
        check=False,
    )
    found = (line.split(maxsplit=2) for line in listing.stdout.splitlines())
    return [
        int(pid) for pid, of, command in found if int(of) == group and "awslambdaric" in command
    ]
