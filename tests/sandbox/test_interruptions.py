from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from sandbox.interruptions import endings_raised, held


@pytest.fixture(autouse=True)
def ctrl_c_interrupts() -> Iterator[None]:
    """A test run that was started in the background has learnt to ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_ending_unwinds_the_stack(number: signal.Signals) -> None:
    before = signal.getsignal(number)

    with pytest.raises(SystemExit) as ended, endings_raised():
        signal.raise_signal(number)

    assert ended.value.code == 128 + number
    assert signal.getsignal(number) == before


def test_an_interruption_waits_for_the_end_of_the_block() -> None:
    reached = []

    def work() -> None:
        with held():
            signal.raise_signal(signal.SIGINT)
            reached.append("the end of the block")
        reached.append("what comes after")

    with pytest.raises(KeyboardInterrupt):
        work()

    assert reached == ["the end of the block"]


def test_other_threads_are_not_interrupted() -> None:
    reached = []

    def work() -> None:
        with endings_raised(), held():
            reached.append("the end")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert reached == ["the end"]
