"""Calls of the API over real HTTP, signed as AWS asks for it."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.e2e.account import Account

SERVICE = "execute-api"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What came back; headers by their names in small letters."""

    at: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def link(self, name: str) -> str:
        """Where a link of the answer leads."""
        return str(urljoin(self.at, self.json["links"][name]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """Somebody with an access key, at an API; `key` is none where they do not sign."""

    url: str
    region: str
    key: str | None
    secret: str | None

    def signed(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> dict[str, str]:
        """The headers with the signature among them."""
        if not self.key or not self.secret:
            return dict(headers)
        asked = AWSRequest(method=method, url=url, data=body, headers=dict(headers))
        SigV4Auth(Credentials(self.key, self.secret), SERVICE, self.region).add_auth(asked)
        return dict(asked.headers.items())

    def asks(self, method: str, path: str, told: Any = None, **headers: str) -> Told:
        """`path` below the API's address, or an address that a link has led to."""
        url = path if path.startswith("http") else f"{self.url}{path}"
        body = None if told is None else json.dumps(told).encode()
        kind = {"Content-Type": "application/json"} if body else {}
        return sent(method, url, self.signed(method, url, {**kind, **headers}, body), body)


def signer_of(account: Account) -> Signer:
    """Whoever owns the account."""
    known = account.environment
    return Signer(
        url=account.outputs["HttpUrl"],
        region=known["AWS_REGION"],
        key=known["AWS_ACCESS_KEY_ID"],
        secret=known["AWS_SECRET_ACCESS_KEY"],
    )


def sent(method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> Told:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=30)
    try:
        where = f"{parts.path}?{parts.query}" if parts.query else parts.path
        connection.request(method, where, body, dict(headers))
        answer = connection.getresponse()
        return Told(
            at=url,
            status=answer.status,
            headers={name.lower(): value for name, value in answer.getheaders()},
            body=answer.read(),
        )
    finally:
        connection.close()
