"""The process that is the account: ministack, with three of its habits changed."""

from __future__ import annotations

import os
import signal
import socketserver
import sys
from importlib import import_module

from sandbox.same_execution import as_on_aws


def main() -> None:
    # ministack hands a function its event in two small writes. Nagle's algorithm holds the second
    # back for 40 ms, on every invocation.
    socketserver.StreamRequestHandler.disable_nagle_algorithm = True
    del sys.argv[1:]  # it says whose account this is, to people who look at the processes
    _let_a_start_be_repeated()
    try:
        import_module("ministack.app").main()
    finally:
        _end_at_once()


def _let_a_start_be_repeated() -> None:
    # Its own names, of the version that is pinned: it offers no other way in.
    named = vars(import_module("ministack.services.stepfunctions"))
    named["_start_execution"] = as_on_aws(named["_start_execution"], named["_executions"].get)


def _end_at_once() -> None:
    """The state is saved by now. Functions that still run end too, as nobody reads their answer,
    and the interpreter is spared two seconds of collecting garbage.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
