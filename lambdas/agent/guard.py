"""What may be read: public addresses over http and https, named in a way that has one meaning.

Pure: names are resolved elsewhere, and every address that comes of it is judged here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import quote, urlsplit

from lambdas.agent.errors import SourceRefused

LONGEST_URL = 2048
LONGEST_HOST = 253
LONGEST_LABEL = 63
DEFAULT_PORTS = {"http": 80, "https": 443}
UNPRIVILEGED = 1024
"""Below it only the two web ports are read: SSH, mail and the like are never spoken to."""

UNPRINTABLE = re.compile(r"[\x00-\x20\x7f-\xa0\\\u2028\u2029\ud800-\udfff]")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?")
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
_LOCAL = re.compile(r"(?:.*\.)?localhost")
# Everything that RFC 3986 lets stand in a path or a query, and "%" for what is escaped already.
KEPT = "%!$&'()*+,;=:@/?-._~"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An address that may be read, in the one form that is sent."""

    scheme: str
    host: str
    """ASCII and lower case; an IPv6 address without its brackets."""
    port: int
    path: str
    """Path and query, escaped; begins with a slash."""
    is_address: bool
    """The host is an IP address; there is no name to resolve."""

    @property
    def authority(self) -> str:
        """Host and port as a Host header says them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


def check_url(url: str, *, loopback_site: str = "") -> Target:
    """The target of a URL, or SourceRefused with what is wrong with it.

    `loopback_site` is the one "address:port" that may be read although it is not public: in
    that spelling, over http, and nothing else of that machine.
    """
    scheme, rest = _scheme(url.strip(" "))
    if len(url) > LONGEST_URL:
        raise _invalid(f"is longer than {LONGEST_URL:,} characters")
    if UNPRINTABLE.search(rest):
        raise _invalid("holds a space, a backslash or a character that nobody can see")
    target = _target(scheme, rest)
    if loopback_site and target.url.startswith(f"http://{loopback_site}/"):
        return target
    if _LOCAL.fullmatch(target.host):
        raise blocked(target.host)
    if target.is_address:
        check_addresses(target.host, [target.host])
    return target


def check_addresses(host: str, addresses: Sequence[str]) -> None:
    """SourceRefused if any of the addresses of a host is not public: one bad one is a trap."""
    if not all(is_public(address) for address in addresses):
        raise blocked(host)


def is_public(address: str) -> bool:
    """Whether an IP address belongs to a host on the public internet, whatever wraps it."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        inner = _embedded(parsed)
        return is_public(str(inner)) if inner else _is_public_v6(parsed)
    return not any(parsed in network for network in _NOT_PUBLIC_V4)


def blocked(host: str) -> SourceRefused:
    return SourceRefused(
        f"{host} is not on the public internet, or not only: nothing was sent to it. "
        "Name a public page instead.",
        code="BLOCKED_ADDRESS",
        dependency=host,
    )


def _scheme(url: str) -> tuple[str, str]:
    found = _SCHEME.match(url)
    scheme = found[1].lower() if found else ""
    if scheme not in DEFAULT_PORTS:
        raise SourceRefused(
            "The source's URL does not begin with http:// or https://: nothing else is read. "
            "Write the address as a browser shows it.",
            code="UNSUPPORTED_SCHEME",
        )
    return scheme, url[len(scheme) + 1 :]


def _target(scheme: str, rest: str) -> Target:
    if not rest.startswith("//"):
        raise _invalid("lacks the two slashes behind its scheme")
    try:
        parts = urlsplit(rest)
        port = parts.port
    except ValueError:
        raise _invalid("has a host or a port that cannot be") from None
    if "@" in parts.netloc:
        raise _invalid("holds a user name: remove everything up to the @")
    host, is_address = ascii_host(parts.hostname or "", bracketed="[" in parts.netloc)
    path, mark, query = rest[2 + len(parts.netloc) :].partition("#")[0].partition("?")
    return Target(
        scheme=scheme,
        host=host,
        port=_port(port, scheme, host),
        # An empty query stays one: a server may tell "/x?" from "/x".
        path=(quote(path, safe=KEPT) or "/") + mark + quote(query, safe=KEPT),
        is_address=is_address,
    )


def _port(port: int | None, scheme: str, host: str) -> int:
    port = DEFAULT_PORTS[scheme] if port is None else port
    if port < UNPRIVILEGED and port not in DEFAULT_PORTS.values():
        raise SourceRefused(
            f"Port {port} of {host} is not a web server's: only 80, 443 and ports from "
            f"{UNPRIVILEGED} on are read. Name the page's usual address.",
            code="BLOCKED_PORT",
            dependency=host,
        )
    return port


def ascii_host(raw: str, *, bracketed: bool) -> tuple[str, bool]:
    """A host in ASCII and lower case, and whether it is an IP address; or SourceRefused."""
    if bracketed:
        return _ipv6(raw), True
    host = unicodedata.normalize("NFKC", raw).lower().replace("\u3002", ".").removesuffix(".")
    labels = [_label(label) for label in host.split(".")]
    host = ".".join(labels)
    if len(host) > LONGEST_HOST:
        raise _invalid("has a host name that is too long")
    if not _NUMBER.fullmatch(labels[-1]):
        return host, False
    try:
        return str(IPv4Address(host)), True
    except ValueError:  # 127.1, 0x7f000001, 2130706433: their readers disagree on what they mean
        raise _invalid("spells an IP address unusually: write it as four numbers") from None


def _ipv6(raw: str) -> str:
    try:
        address = IPv6Address(raw)
    except ValueError:
        raise _invalid("has brackets around something that is no IPv6 address") from None
    if address.scope_id is not None:
        raise _invalid("names a network interface of one machine")
    return str(address)


def _label(label: str) -> str:
    """A host name's part in ASCII: IDNA 2008 in short, so "faß" stays apart from "fass"."""
    if not label.isascii():
        is_name = all(c == "-" or unicodedata.category(c)[0] in "LMN" for c in label)
        if not is_name or label.startswith("xn--"):
            raise _invalid("has a host name with characters that no name can have")
        label = "xn--" + label.encode("punycode").decode()
    if len(label) > LONGEST_LABEL or not _LABEL.fullmatch(label) or not _is_decodable(label):
        raise _invalid("has a host name that cannot be")
    return label


def _is_decodable(label: str) -> bool:
    """Whether what stands behind "xn--" spells a name that needs it."""
    if not label.startswith("xn--"):
        return True
    try:
        return not label[4:].encode().decode("punycode").isascii()
    except UnicodeError:
        return False


def _invalid(what: str) -> SourceRefused:
    return SourceRefused(
        f"The source's URL {what}. Copy the address from a browser that shows the page.",
        code="INVALID_URL",
    )


def _embedded(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address to which a translator or a tunnel would carry this one."""
    for network, shift in _CARRIERS:
        if address in network:
            return IPv4Address((int(address) >> shift) & 0xFFFF_FFFF)
    return None


def _is_public_v6(address: IPv6Address) -> bool:
    """Global unicast is one block; loopback, private, link-local, multicast are all outside."""
    return address in _GLOBAL_V6 and not any(address in network for network in _NOT_PUBLIC_V6)


_CARRIERS = (
    (IPv6Network("::ffff:0:0/96"), 0),  # IPv4-mapped
    (IPv6Network("64:ff9b::/96"), 0),  # NAT64: how an IPv6-only subnet reaches IPv4
    (IPv6Network("2002::/16"), 80),  # 6to4
)

# The lists are IANA's special-purpose registries, written out: `is_global` differs between
# patch releases of Python.
_NOT_PUBLIC_V4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT; Alibaba's metadata
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # Azure's own services, in a block that is public otherwise
        "169.254.0.0/16",  # link-local; the metadata of AWS and others
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments; Oracle's metadata
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarking
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
_GLOBAL_V6 = IPv6Network("2000::/3")
_NOT_PUBLIC_V6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments; Teredo, whose inner address can be anything
        "2001:db8::/32",  # documentation
        "3fff::/20",  # documentation
    )
)
