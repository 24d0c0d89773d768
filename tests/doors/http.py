"""Requests as API Gateway hands them to a function, and answers as it takes them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

ENCODING = ("utf-8", "surrogateescape")
"""Bytes that are no text come through as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: str

    @classmethod
    def of(cls, told: dict[str, Any]) -> Answer:
        many = told.get("multiValueHeaders") or {}
        headers = {name.lower(): value[-1] for name, value in many.items()}
        headers |= {name.lower(): str(value) for name, value in told.get("headers", {}).items()}
        return cls(status=told["statusCode"], headers=headers, body=told.get("body") or "")


def a_request(
    method: str,
    path: str,
    *,
    body: str | None = None,
    query: str = "",
    visitor: str = "203.0.113.7",
    content_type: str = "application/x-www-form-urlencoded",
    headers: Mapping[str, str] | None = None,
    caller: str = "",
) -> dict[str, Any]:
    """Payload 2.0. A form's body comes in Base64, as it does on AWS."""
    packed = {} if body is None else {"body": b64encode(body.encode(*ENCODING)).decode()}
    asked = {"queryStringParameters": dict(parse_qsl(query, keep_blank_values=True))}
    known = {"authorizer": {"iam": {"userArn": caller}}} if caller else {}
    return {
        "version": "2.0",
        "routeKey": f"{method} {path}",
        "rawPath": path,
        "rawQueryString": query,
        **(asked if query else {}),
        "headers": {"content-type": content_type, "host": "api.example", **(headers or {})},
        "requestContext": {
            **known,
            "accountId": "anonymous",
            "apiId": "any",
            "domainName": "api.example",
            "domainPrefix": "api",
            "http": {
                "method": method,
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": visitor,
                "userAgent": "any",
            },
            "requestId": "any",
            "routeKey": f"{method} {path}",
            "stage": "$default",
            "time": "01/Dec/2026:00:00:00 +0000",
            "timeEpoch": 0,
        },
        "isBase64Encoded": body is not None,
        **packed,
    }


def a_form(**fields: str) -> str:
    return urlencode(fields)
