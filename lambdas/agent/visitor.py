"""Who counts as one visitor, of those who come by a network address."""

from __future__ import annotations

from ipaddress import IPv6Address, IPv6Network, ip_address

HOUSEHOLD = 64
"""Bits of an IPv6 address that one customer is given to draw the others from at will."""


def visitor_at(address: str) -> str:
    """One name for all the addresses that somebody has at hand; what is none is its own name."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), HOUSEHOLD), strict=False))
