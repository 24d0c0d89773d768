"""Small PDFs, written out by hand where a writer would be too orderly for what they show."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence

FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
PICTURE = (
    b"<</Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray"
    b"/Length 1>>\nstream\n\x7f\nendstream"
)
SHOWN = b"q 600 0 0 800 0 0 cm /Scan Do Q\n"
"""A picture that fills its page."""

Placed = tuple[str, float, float, float]
"""A line, its x and y, and the size of its letters."""


def lines(*texts: str, top: float = 740, gap: float = 14, size: float = 12) -> list[Placed]:
    """One under the other, as most text is set."""
    return [(text, 50, top - gap * number, size) for number, text in enumerate(texts)]


def drawn(placed: Sequence[Placed]) -> bytes:
    """The content of a page with these lines."""
    return b"".join(
        b"BT /F1 %f Tf %f %f Td (%b) Tj ET\n" % (size, x, y, _escaped(text))
        for text, x, y, size in placed
    )


def pdf(
    *contents: bytes,
    info: Mapping[str, str] | None = None,
    language: str = "",
    font: bytes = FONT,
    packed: bool = False,
    more: Sequence[bytes] = (),
    resources: bytes = b"",
) -> bytes:
    """A document of these pages. `more` are further objects, the first of which has number 6."""
    pages = range(6 + len(more), 6 + len(more) + 2 * len(contents), 2)
    kids = b" ".join(b"%d 0 R" % number for number in pages)
    lang = b"/Lang(%b)" % language.encode() if language else b""
    told = b"".join(b"/%b(%b)" % (k.encode(), _escaped(v)) for k, v in (info or {}).items())
    objects = [
        b"<</Type/Catalog/Pages 2 0 R%b>>" % lang,
        b"<</Type/Pages/Count %d/Kids[%b]>>" % (len(contents), kids),
        font,
        PICTURE,
        b"<<%b>>" % told,
        *more,
    ]
    used = b"/Resources<</Font<</F1 3 0 R>>/XObject<</Scan 4 0 R%b>>>>" % resources
    for number, content in zip(pages, contents, strict=True):
        box = b"/MediaBox[0 0 600 800]/Contents %d 0 R" % (number + 1)
        objects += [b"<</Type/Page/Parent 2 0 R%b%b>>" % (box, used), stream(content, packed)]
    return _file(objects)


def form(content: bytes, forms: bytes) -> bytes:
    """A drawing that may draw others."""
    head = b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>/XObject<<"
    return b"<<%b%b>>>>/Length %d>>\nstream\n%b\nendstream" % (head, forms, len(content), content)


def stream(content: bytes, packed: bool = False) -> bytes:
    data = zlib.compress(content) if packed else content
    how = b"/Filter/FlateDecode" if packed else b""
    return b"<<%b/Length %d>>\nstream\n%b\nendstream" % (how, len(data), data)


def that_takes_an_hour() -> bytes:
    """Small, without a circle, and within all that its parser counts: a page that shows one drawing
    five thousand times, which itself takes most of a second.
    """
    drawing = form(b"BT /F1 12 Tf " + b"9 9 Td (a) Tj " * 20_000 + b"ET", b"")
    return pdf(b"/Drawing Do " * 4990, more=[drawing], resources=b"/Drawing 6 0 R")


def _file(objects: Sequence[bytes]) -> bytes:
    body, places = bytearray(b"%PDF-1.7\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size, start = len(objects) + 1, len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, table)
    body += b"trailer\n<</Size %d/Root 1 0 R/Info 5 0 R>>\n" % size
    return bytes(body + b"startxref\n%d\n%%%%EOF\n" % start)


def _escaped(text: str) -> bytes:
    marked = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return marked.encode("cp1252")
