"""Kinds of documents: the bytes decide, the Content-Type is a hint."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.page_bytes import Kind, kind_of
from tests.agent.cases import field_bytes, field_case

HTML = "text/html"


@pytest.mark.parametrize(
    ("body", "content_type", "kind"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", HTML, Kind.PDF),
        (b"%PDF-1.7\n1 0 obj", "text/plain", Kind.PDF),
        (b"%PDF-1.4\n any picture", "application/pdf", Kind.PDF),
        (b"--boundary\r\n\r\n%PDF-1.4\r\n1 0 obj", "image/jp2", Kind.PDF),
        (b"\x01junk" * 8 + b"%PDF-1.4\n%\xe2\xe3", "image/jp2", Kind.PDF),
        (b"%PDF- is the mark that PDF files begin with.", "text/plain", Kind.TEXT),
        (b"%PDF-1.7\nis how such a file begins.", "text/markdown", Kind.TEXT),
        (b"<!doctype html><pre>%PDF-1.4\n1 0 obj", HTML, Kind.HTML),
        (b"PK\3\4 and so on", "text/plain", Kind.ARCHIVE),
        (b"PK\3\4 [Content_Types].xml word/document.xml", "text/plain", Kind.OFFICE),
        (b"PK\3\4 mimetypeapplication/epub+zip", HTML, Kind.OFFICE),
        (b"PK\3\4 mimetypeapplication/vnd.oasis.opendocument.text", HTML, Kind.OFFICE),
        (b"\xd0\xcf\x11\xe0\xa1", "application/msword", Kind.OFFICE),
        (b"{\\rtf1 words}", "text/plain", Kind.OFFICE),
        (b"\x1f\x8b\x08", HTML, Kind.ARCHIVE),
        (gzip.compress(b"<urlset>", mtime=0), "application/gzip", Kind.SITEMAP),
        (gzip.compress(b"<html>", mtime=0), "application/gzip", Kind.ARCHIVE),
        (b"BZh91AY&SY", "", Kind.ARCHIVE),
        (b"\x89PNG\r\n\x1a\n", "application/octet-stream", Kind.IMAGE),
        (b"\x89PNG\r\n\x1a\n", HTML, Kind.IMAGE),
        (b"RIFF\1\2\3\4WEBPVP8 ", HTML, Kind.IMAGE),
        (b"RIFF\1\2\3\4WAVEfmt ", HTML, Kind.MEDIA),
        (b"\0\0\0\x1cftypavif", HTML, Kind.IMAGE),
        (b"\0\0\0\x1cftypisom", HTML, Kind.MEDIA),
        (b"<?xml version='1.0'?><svg xmlns='any'>", "text/plain", Kind.IMAGE),
        (b"ID3\4\0", "text/plain", Kind.MEDIA),
        (b"\x7fELF\0\0\0", HTML, Kind.BINARY),
        (b"\0\0\2" * 9, HTML, Kind.BINARY),
        (bytes(range(1, 32)) * 9, HTML, Kind.BINARY),
        (b"<html><p>a stray \0 among words", HTML, Kind.HTML),
        (b"words \0 " + "\u20ac".encode() * 2000, "text/plain", Kind.TEXT),
        (b"<!DOCTYPE html><html>", "application/pdf", Kind.HTML),
        (b"\xef\xbb\xbf \n<!-- a --><!-- b -->\n<HTML lang=de>", "text/plain", Kind.HTML),
        (b"<?xml version='1.0'?><!DOCTYPE html><html>", "text/xml", Kind.HTML),
        (b"<?xml version='1.0'?><html xmlns='any'>", "application/xhtml+xml", Kind.HTML),
        (b"<p>part of a page", "text/html; charset=utf-8", Kind.HTML),
        (b"<h1 class=a>part of a page", "", Kind.HTML),
        (b"Markdown about\n\n```\n<html>\n```", "text/markdown", Kind.TEXT),
        (b"<h1 align=center>A README</h1>", "text/plain", Kind.TEXT),
        (b"name,price\nBasic,9\n", "text/csv", Kind.TEXT),
        (b"words, and 3 < 4", "", Kind.TEXT),
        (b"", "", Kind.TEXT),
        (b"", HTML, Kind.HTML),
        (b"<?xml version='1.0'?><!-- a --><rss version='2.0'>", HTML, Kind.FEED),
        (b"<!DOCTYPE rss [\n<!ENTITY a 'C:\\data'>\n]>\n<rss>", HTML, Kind.FEED),
        (b"<!DOCTYPE rss [" + b"<!ENTITY a 'a'>" * 300 + b"]><rss>", HTML, Kind.FEED),
        (b"<a:feed xmlns:a='http://www.w3.org/2005/Atom'>", "text/plain", Kind.FEED),
        (b"<rdf:RDF xmlns='http://purl.org/rss/1.0/'>", "text/xml", Kind.FEED),
        (b"<rdf:RDF xmlns:foaf='any'>", "text/xml", Kind.DATA),
        (b'{"version": "https://jsonfeed.org/version/1.1",', "text/plain", Kind.FEED),
        (b'{"items": []}', "application/feed+json", Kind.FEED),
        (b"<urlset xmlns='any'>", "application/xml", Kind.SITEMAP),
        (b"<?xml version='1.0'?>\n<sitemapindex>", HTML, Kind.SITEMAP),
        (b"<any/>", "application/xml", Kind.DATA),
        (b"<?xml version='1.0'?><any/>", "", Kind.DATA),
        (b"body { color: red }", "text/css", Kind.DATA),
        (b'{"any": 1}', "application/json", Kind.JSON),
        (b'{"any": 1}', HTML, Kind.JSON),
        (b'[{"any": 1}]', "text/plain", Kind.JSON),
        (b"17", "application/problem+json", Kind.JSON),
        (b'{"a": 1}\n{"a": 2}\n', "application/x-ndjson", Kind.JSON),
        (b"<!doctype html><html>", "application/json", Kind.HTML),
        (b"[a link](https://any.example)", "text/plain", Kind.TEXT),
        (b"{{ a template }}", "text/plain", Kind.TEXT),
        ("<html>".encode("utf-16"), HTML, Kind.HTML),
        ("<html>".encode("utf-16-le"), HTML, Kind.HTML),
        ("<rss>".encode("utf-16-be"), HTML, Kind.FEED),
        ("words".encode("utf-16-le"), "text/plain; charset=utf-16le", Kind.TEXT),
        ("<html>".encode("utf-32"), HTML, Kind.HTML),
    ],
)
def test_the_bytes_tell_the_kind_and_the_header_helps(
    body: bytes, content_type: str, kind: Kind
) -> None:
    assert kind_of(body, content_type) is kind


@given(st.binary(), st.text(max_size=40).map("text/html; charset=".__add__))
def test_every_body_has_a_kind(body: bytes, content_type: str) -> None:
    assert kind_of(body, content_type) in Kind


@given(st.binary(max_size=200), st.sampled_from(["", HTML, "text/plain", "application/pdf"]))
def test_what_begins_like_a_binary_file_is_never_taken_for_text(
    body: bytes, content_type: str
) -> None:
    for magic in (b"\x89PNG\r\n\x1a\n", b"PK\3\4", b"\x1f\x8b\x08\0", b"\x7fELF", b"\xff\xd8\xff"):
        assert kind_of(magic + body, content_type) not in {Kind.HTML, Kind.TEXT, Kind.JSON}


@pytest.mark.parametrize("row", [b"<!---->", b"<!doctype a>", b"<?a?>", b"  ", b"<!doctype a ["])
def test_a_long_row_of_what_may_stand_first_takes_one_pass(row: bytes) -> None:
    assert kind_of(row * 600 + b"x", "") is Kind.TEXT


def test_field_case_c21_kinds() -> None:
    expected = {"pdf": Kind.PDF, "html": Kind.HTML, "UNSUPPORTED_TYPE": Kind.OFFICE}
    for name, content_type, kind in field_case("C21_expect.json")["rows"]:
        assert kind_of(field_bytes(name), content_type) is expected.get(kind, Kind.TEXT)


@pytest.mark.parametrize("name", ["utf16be_bom_says_utf8", "utf16le_bom", "utf16le_nobom"])
def test_field_case_c11_feeds_in_utf16_are_feeds(name: str) -> None:
    assert kind_of(field_bytes(f"C11_{name}.xml"), "text/xml") is Kind.FEED
