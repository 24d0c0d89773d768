"""Ports of the loopback interface: the one of last time if it is free, else any free one."""

from __future__ import annotations

import errno
import socket

LOOPBACK = "127.0.0.1"


def free_port(*preferred: int | None) -> int:
    """The first of the preferred ports that is free; otherwise one the system picks."""
    for port in preferred:
        if port and is_free(port):
            return port
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        # A port in TIME_WAIT counts as free, as it does for the servers that will take it.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:
            if error.errno in {errno.EADDRINUSE, errno.EACCES}:
                return False
            raise
    return True


def answers(port: int, *, timeout: float = 0.5) -> bool:
    """Whether anybody accepts connections there."""
    try:
        socket.create_connection((LOOPBACK, port), timeout=timeout).close()
    except OSError:
        return False
    return True
