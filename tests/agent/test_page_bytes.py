"""Kinds and characters of pages: the bytes decide, the Content-Type is a hint."""

from __future__ import annotations

import codecs
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.page_bytes import Kind, decoded, kind_of

INPUTS = Path(__file__).parents[2] / ".." / "shared" / "cases" / "inputs"

GREETING = "Gr\u00fc\u00dfe f\u00fcr 5 \u20ac \u2013 \u201eoft\u201c"
HTML = "text/html"


def field_case(name: str) -> bytes:
    path = INPUTS / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this repository: its rows stand in the tests here too")
    return path.read_bytes()


@pytest.mark.parametrize(
    ("body", "content_type", "kind"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", HTML, Kind.PDF),
        (b"--boundary\r\n\r\n%PDF-1.4\r\n", "image/jp2", Kind.PDF),
        (b"%PDF- is the mark that PDF files begin with.", "text/plain", Kind.TEXT),
        (b"PK\3\4 and so on", "text/plain", Kind.ARCHIVE),
        (b"\x1f\x8b\x08", HTML, Kind.ARCHIVE),
        (b"\x89PNG\r\n\x1a\n", "application/octet-stream", Kind.IMAGE),
        (b"RIFF\1\2\3\4WEBPVP8 ", HTML, Kind.IMAGE),
        (b"\x7fELF\0\0\0", HTML, Kind.BINARY),
        (b"\0\0\2" * 9, HTML, Kind.BINARY),
        (b"<html><p>a stray \0 among words", HTML, Kind.HTML),
        (b"words \0 " + "\u20ac".encode() * 2000, "text/plain", Kind.TEXT),
        (b"<!DOCTYPE html><html>", "application/pdf", Kind.HTML),
        (b"\xef\xbb\xbf \n<!-- a --><!-- b -->\n<HTML lang=de>", "text/plain", Kind.HTML),
        (b"<?xml version='1.0'?><!DOCTYPE html><html>", "text/xml", Kind.HTML),
        (b"<p>part of a page", "text/html; charset=utf-8", Kind.HTML),
        (b"<h1 class=a>part of a page", "", Kind.HTML),
        (b"Markdown about\n\n```\n<html>\n```", "text/markdown", Kind.TEXT),
        (b"words, and 3 < 4", "", Kind.TEXT),
        (b"", "", Kind.TEXT),
        (b"<?xml version='1.0'?><!-- a --><rss version='2.0'>", HTML, Kind.FEED),
        (b"<urlset xmlns='any'>", "application/xml", Kind.FEED),
        (b"<any/>", "application/xml", Kind.DATA),
        (b'{"any": 1}', "application/json", Kind.DATA),
        ("<html>".encode("utf-16"), HTML, Kind.HTML),
        ("words".encode("utf-16-le"), "text/plain; charset=utf-16le", Kind.TEXT),
        ("<html>".encode("utf-16-le"), HTML, Kind.BINARY),
    ],
)
def test_the_bytes_tell_the_kind_and_the_header_helps(
    body: bytes, content_type: str, kind: Kind
) -> None:
    assert kind_of(body, content_type) is kind


@pytest.mark.parametrize(
    ("encoding", "content_type", "before"),
    [
        ("utf-8", HTML, ""),
        ("utf-8", HTML, "<meta charset=utf-8>"),
        ("utf-8", HTML, "<meta charset=iso-8859-1>"),
        ("utf-8", HTML, "<?xml version='1.0' encoding='iso-8859-1'?>"),
        ("utf-8", "text/html; charset=utf8", ""),
        ("utf-8", 'text/html; charset="iso-8559-1"', ""),
        ("utf-8", "text/html; charset=", ""),
        ("utf-8", "text/html; charset=none", ""),
        ("utf-8", "text/html; charset=ascii", "<meta charset=hex>"),
        ("utf-8-sig", "text/html; charset=latin1", ""),
        ("utf-16", "text/html; charset=utf-8", ""),
        ("cp1252", "text/html; charset=ISO-8859-1", ""),
        ("cp1252", HTML, "<meta http-equiv=x content='text/html; charset=latin1'>"),
        ("cp1252", HTML, "<?xml version='1.0' encoding='windows-1252'?>"),
        ("cp1252", HTML, ""),
        ("cp1252", "text/html; charset=utf-8", ""),
        ("iso8859-15", HTML, f"<!--{'x' * 1500}--><meta charset='iso-8859-15'>"),
    ],
)
def test_the_characters_survive_wrong_labels_and_none(
    encoding: str, content_type: str, before: str
) -> None:
    greeting = GREETING.translate({0x2013: "-", 0x201E: '"', 0x201C: '"'})
    text = before + (greeting if encoding == "iso8859-15" else GREETING)
    assert decoded(text.encode(encoding), content_type) == text


@pytest.mark.parametrize(
    ("label", "encoding", "text"),
    [
        ("latin5", "cp1254", "\u0130stanbul \u015fehri"),
        ("x-sjis", "cp932", "\u6c34\u66dc\u65e5"),
        ("windows-31j", "cp932", "\u2460\u682a"),
        ("shift_jis", "cp932", "\u2460\u682a"),
        ("gb2312", "gb18030", "\u4f60\u597d \U0001f600"),
        ("euc-kr", "cp949", "\ub625\ubc29\uac01\ud558"),
        ("KOI8-R", "koi8-r", "\u041f\u0440\u0438\u0432\u0435\u0442"),
    ],
)
def test_labels_mean_what_browsers_take_them_for(label: str, encoding: str, text: str) -> None:
    assert decoded(text.encode(encoding), f"text/html; charset={label}") == text


@pytest.mark.parametrize("label", ["unicode_escape", "idna", "punycode", "rot13", "utf-7", "zip"])
def test_codecs_that_spell_no_pages_are_not_used(label: str) -> None:
    assert codecs.lookup(label)
    assert decoded(b"a\\u0041-+AEE-", f"text/html; charset={label}") == "a\\u0041-+AEE-"


@given(st.binary(), st.text(max_size=40).map("text/html; charset=".__add__))
def test_every_body_has_a_kind_and_characters(body: bytes, content_type: str) -> None:
    assert kind_of(body, content_type) in Kind
    assert isinstance(decoded(body, content_type), str)


def test_a_long_row_of_comments_takes_one_pass() -> None:
    assert kind_of(b"<!---->" * 500 + b"x", "") is Kind.TEXT


def test_field_case_c09_labels() -> None:
    for row in json.loads(field_case("C09_labels.json"))["bytes_hex_by_case"]:
        assert row["expect"] in decoded(bytes.fromhex(row["hex"]), row["header"])


def test_field_case_c21_kinds() -> None:
    expected = {"pdf": Kind.PDF, "html": Kind.HTML, "UNSUPPORTED_TYPE": Kind.ARCHIVE}
    for name, content_type, kind in json.loads(field_case("C21_expect.json"))["rows"]:
        assert kind_of(field_case(name), content_type) is expected.get(kind, Kind.TEXT)
