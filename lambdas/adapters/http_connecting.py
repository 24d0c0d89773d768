"""A connection to a target: its name is resolved once, judged, and what was judged is connected to.

No name is resolved a second time, so an answer that changes in between changes nothing.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Sequence
from functools import cached_property

from lambdas.adapters.http_wire import Connect, Deadline, Resolve, resolve_within
from lambdas.agent.guard import Target, check_addresses


class Connections:
    """`patience` is in seconds, for one address of a host: a dead one leaves time for others."""

    def __init__(
        self,
        *,
        resolve: Resolve,
        connect: Connect,
        patience: float,
        trust: ssl.SSLContext | None,
    ) -> None:
        self._resolve = resolve
        self._connect = connect
        self._patience = patience
        self._given_trust = trust

    def to(self, target: Target, deadline: Deadline) -> socket.socket:
        sock = self._first_of(self._addresses(target, deadline), target.port, deadline)
        if target.scheme == "http":
            return sock
        try:
            sock.settimeout(deadline.left())
            return self._trust.wrap_socket(sock, server_hostname=target.host)
        except BaseException:
            sock.close()
            raise

    def _addresses(self, target: Target, deadline: Deadline) -> Sequence[str]:
        if target.is_address:  # the guard has judged it with the URL
            return [target.host]
        addresses = resolve_within(target.host, self._resolve, deadline)
        if not addresses:
            raise socket.gaierror
        check_addresses(target.host, addresses)
        return addresses

    def _first_of(self, addresses: Sequence[str], port: int, deadline: Deadline) -> socket.socket:
        """A connection to the first address that takes one."""
        *others, last = addresses
        for address in others:
            try:
                return self._connect(address, port, self._seconds(deadline))
            except OSError:
                continue
        try:
            return self._connect(last, port, self._seconds(deadline))
        except TimeoutError as error:
            deadline.left()  # raises where it was the deadline that ended the wait
            raise ConnectionError from error

    def _seconds(self, deadline: Deadline) -> float:
        return min(deadline.left(), self._patience)

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        """Built at the first https address: loading the certificates takes a while."""
        return self._given_trust or ssl.create_default_context()
