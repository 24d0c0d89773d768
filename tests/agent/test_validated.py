"""What VALIDATE stored is read again, also as earlier versions stored it."""

from __future__ import annotations

import json

import pytest

from lambdas.agent.validated import Part, Reading

OLDEST = {
    "previous": None,
    "readings": [
        {
            "item": "s1",
            "url": "https://acme.example/",
            "was_read": True,
            "title": "Acme",
            "findings": [
                {
                    "question": 0,
                    "claim": "It costs $5",
                    "quote": "It costs $5.",
                    "start": 3,
                    "end": 15,
                    "score": 0.5,
                }
            ],
            "dropped": 2,
            "error_code": "",
            "reason": "",
            "fetched_at": "2026-11-30T00:00:00Z",
            "sha256": "00",
        }
    ],
}


@pytest.mark.promise("R5")
def test_a_number_of_dropped_findings_were_quotes_that_were_not_found() -> None:
    (reading,) = Part.of(json.dumps(OLDEST).encode()).readings

    assert reading.dropped == {"QUOTE_NOT_FOUND": 2}
    assert reading.findings[0].quote == "It costs $5."


@pytest.mark.promise("R5")
def test_no_dropped_findings_are_none_by_reason() -> None:
    line = {**OLDEST["readings"][0], "dropped": 0}  # type: ignore[index]

    (reading,) = Part.of(json.dumps({"previous": None, "readings": [line]}).encode()).readings

    assert reading.dropped == {}


def test_what_is_stored_today_comes_back_equal() -> None:
    reading = Reading(
        item="s1", url="https://acme.example/", was_read=True, dropped={"NUMBER_NOT_IN_QUOTE": 1}
    )
    part = Part(previous="before", readings=(reading,))

    assert Part.of(part.body()) == part
