"""EUC-JP as pages are written in it: with the circled numbers and units of vendors' rows.

The standard library's codec lacks those rows, and loses its place where it meets one.
"""

from __future__ import annotations

import re

_ROWS = re.compile(
    rb"((?:[\x00-\x7f]|\x8e[\xa1-\xdf]|\x8f[\xa1-\xfe]{2}|[\xa1-\xac\xae-\xf8][\xa1-\xfe])+)"
    rb"|([\xad\xf9-\xfc][\xa1-\xfe])|(.)",
    re.DOTALL,
)


def decoded_euc_jp(body: bytes) -> str:
    """What cannot be read is U+FFFD."""
    try:
        return body.decode("euc_jp")
    except UnicodeDecodeError:
        return "".join(map(_piece, _ROWS.finditer(body)))


def _piece(found: re.Match[bytes]) -> str:
    plain, vendor, _ = found.groups()
    if vendor:
        return _shifted(vendor[0], vendor[1]).decode("cp932", "replace")
    return plain.decode("euc_jp", "replace") if plain else "\ufffd"


def _shifted(row: int, cell: int) -> bytes:
    """The same place in the table, as Shift_JIS counts it: two rows to a lead byte."""
    row, cell = row - 0xA1, cell - 0xA1
    lead = row // 2 + (0x81 if row < 62 else 0xC1)
    trail = cell + 0x9F if row % 2 else cell + 0x40 + (cell >= 63)
    return bytes((lead, trail))
