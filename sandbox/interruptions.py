"""Ctrl-C, a closed terminal and `kill`: they end a command, and never leave a process behind."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

_ENDINGS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def endings_raised() -> Iterator[None]:
    """SIGTERM and SIGHUP unwind the stack as Ctrl-C does, so that `finally` is reached."""
    with _handled(_ENDINGS, _raise):
        yield


@contextmanager
def held() -> Iterator[None]:
    """An interruption waits until the block is done: a child is never started and forgotten."""
    caught: list[int] = []
    with _handled((signal.SIGINT, *_ENDINGS), lambda number, _frame: caught.append(number)):
        yield
    for number in caught:
        signal.raise_signal(number)


@contextmanager
def _handled(signals: tuple[signal.Signals, ...], handler: Any) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is interrupted by signals
        return
    before = [(number, signal.signal(number, handler)) for number in signals]
    try:
        yield
    finally:
        for number, previous in before:
            signal.signal(number, previous)


def _raise(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)
