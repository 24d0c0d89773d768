"""Who counts as one visitor."""

from __future__ import annotations

import pytest

from lambdas.agent.visitor import visitor_at


@pytest.mark.parametrize(
    ("address", "visitor"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("", ""),
        ("not an address", "not an address"),
    ],
)
def test_a_visitor_is_all_the_addresses_that_somebody_has_at_hand(
    address: str, visitor: str
) -> None:
    assert visitor_at(address) == visitor
