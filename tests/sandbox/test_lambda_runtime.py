from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sandbox import lambda_runtime

HANDLER = """
import os
def handle(event, context):
    return event
"""


def run_bootstrap(tmp_path: Path, code: str) -> Any:
    """Start the bootstrap as Lambda would, with `code` for a runtime client."""
    runtime, task = tmp_path / "run time", tmp_path / "task"
    (runtime / "awslambdaric").mkdir(parents=True)
    (runtime / "awslambdaric/__main__.py").write_text(f"import json, os, sys\n{code}")
    (runtime / "shared.py").write_text("whose = 'the runtime'")
    task.mkdir()
    (task / "handlers.py").write_text(HANDLER)
    bootstrap = task / "bootstrap"
    bootstrap.write_text(lambda_runtime.bootstrap(runtime, lambda_runtime.base_python()))
    bootstrap.chmod(0o755)
    result = subprocess.run(  # noqa: S603 - the script above
        [bootstrap],
        cwd=task,
        env={
            "PATH": os.defpath,
            "LAMBDA_TASK_ROOT": str(task),
            "AWS_LAMBDA_FUNCTION_NAME": "any",
            "_HANDLER": "handlers.handle",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(result.stdout)


def test_a_package_of_the_developers_is_missing_in_a_function(tmp_path: Path) -> None:
    finds = "import importlib.util as u\nfound = [n for n in ({}) if u.find_spec(n)]\n"
    packages = "'pytest', 'trafilatura', 'handlers', 'json'"

    found = run_bootstrap(tmp_path, finds.format(packages) + "print(json.dumps(found))")

    assert found == ["handlers", "json"]


def test_a_package_in_the_zip_wins_over_the_runtimes(tmp_path: Path) -> None:
    ours = "open(os.environ['LAMBDA_TASK_ROOT'] + '/shared.py', 'w').write('whose = \"ours\"')\n"

    found = run_bootstrap(tmp_path, f"{ours}import shared\nprint(json.dumps(shared.whose))")

    assert found == "ours"


def test_the_runtime_client_is_told_the_handler(tmp_path: Path) -> None:
    assert run_bootstrap(tmp_path, "print(json.dumps(sys.argv[1:]))") == ["handlers.handle"]


def test_the_interpreter_is_the_one_under_the_virtual_environment(tmp_path: Path) -> None:
    told = run_bootstrap(tmp_path, "print(json.dumps([sys.prefix, list(sys.version_info)]))")

    assert told == [sys.base_prefix, list(sys.version_info)]


def test_an_installed_runtime_is_taken_as_it_is(tmp_path: Path) -> None:
    folder = lambda_runtime.runtime_folder(tmp_path)
    folder.mkdir()

    assert lambda_runtime.install_runtime(tmp_path) == folder
    assert list(tmp_path.iterdir()) == [folder]


@dataclass
class RuntimeApi:
    """Lambda's side: hands out one invocation and takes what is posted."""

    port: int = 0
    posted: list[tuple[str, bytes, str]] = field(default_factory=list)


@pytest.fixture
def api() -> Iterator[RuntimeApi]:
    api = RuntimeApi()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Lambda-Runtime-Aws-Request-Id", "any-id")
            self.send_header("Lambda-Runtime-Deadline-Ms", "1700000000000")
            self.end_headers()
            self.wfile.write(b'{"item": "a"}')

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            api.posted.append((self.path, body, self.headers["Content-Type"]))
            self.send_response(400 if "refused" in self.path else 202)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
            """A test says only what fails."""

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        api.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield api
        server.shutdown()
        thread.join()


def run_client(api: RuntimeApi, code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own client
        [sys.executable, "-c", f"import json, runtime_client as client\n{code}"],
        cwd=Path(lambda_runtime.__file__).parent,
        env={"AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{api.port}", "PYTHONSAFEPATH": "1"}
        | {"PYTHONPATH": str(Path(lambda_runtime.__file__).parent)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_stand_in_client_takes_an_invocation(api: RuntimeApi) -> None:
    told = run_client(api, "body, head = client.next(); print(json.dumps([body.decode(), head]))")

    body, head = json.loads(told.stdout)
    assert json.loads(body) == {"item": "a"}
    assert head["Lambda-Runtime-Aws-Request-Id"] == "any-id"
    assert head["Lambda-Runtime-Deadline-Ms"] == 1_700_000_000_000


def test_the_stand_in_client_posts_results_and_errors(api: RuntimeApi) -> None:
    done = run_client(
        api,
        "client.post_invocation_result('one', b'{}', 'application/json', None)\n"
        "client.post_error('two', '{\"errorType\": \"Timeout\"}', '', None)",
    )

    assert done.returncode == 0
    assert api.posted == [
        ("/2018-06-01/runtime/invocation/one/response", b"{}", "application/json"),
        (
            "/2018-06-01/runtime/invocation/two/error",
            b'{"errorType": "Timeout"}',
            "application/json",
        ),
    ]


def test_the_stand_in_client_fails_when_it_is_refused(api: RuntimeApi) -> None:
    done = run_client(api, "client.post_invocation_result('refused', b'{}', 'text/plain', None)")

    assert done.returncode == 1
    assert "was answered with 400" in done.stderr
