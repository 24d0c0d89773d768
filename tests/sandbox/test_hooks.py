"""What the sample site does with what is posted to it."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator

import pytest

from sandbox.hooks import MOST_BYTES, received
from sandbox.places import Places
from sandbox.site_process import build_server


@pytest.fixture
def port(places: Places) -> Iterator[int]:
    with build_server(places, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def post(port: int, target: str, body: bytes = b"{}", **headers: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    try:
        connection.request("POST", target, body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def test_a_delivery_is_kept_as_it_came(port: int, places: Places) -> None:
    assert post(port, "/hooks/crm", '{"größe": 1}'.encode(), **{"Webhook-Id": "any"}) == 204

    (delivery,) = received(places, "crm")
    assert (delivery.body, delivery.headers["webhook-id"]) == ('{"größe": 1}', "any")
    assert delivery.status == 204


def test_it_fails_as_often_as_it_is_asked_to(port: int, places: Places) -> None:
    answers = [post(port, "/hooks/crm?status=503&times=2") for _ in range(3)]

    assert answers == [503, 503, 204]
    assert [each.status for each in received(places, "crm")] == answers


def test_each_hook_has_its_own(port: int, places: Places) -> None:
    post(port, "/hooks/one")

    assert (len(received(places, "one")), received(places, "two")) == (1, [])


@pytest.mark.parametrize(
    "target", ["/", "/acme/pricing.html", "/hooks/", "/hooks/../state", "/hooks/A"]
)
def test_nothing_else_takes_a_post(port: int, places: Places, target: str) -> None:
    assert post(port, target) == 405
    assert not (places.home / "hooks").exists()


def test_what_is_too_long_is_refused(port: int, places: Places) -> None:
    assert post(port, "/hooks/crm", b"x" * (MOST_BYTES + 1)) == 413
    assert received(places, "crm") == []
