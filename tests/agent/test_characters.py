"""Which characters bytes spell: marks, labels right and wrong, guesses, and what is no text."""

from __future__ import annotations

import codecs
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.characters import Characters, Undecodable, characters
from lambdas.agent.euc_jp import decoded_euc_jp
from lambdas.agent.markdown_blocks import normalised
from lambdas.agent.web_encodings import REPLACEMENT, USER_DEFINED, codec_of, encoding_of
from tests.agent.cases import field_bytes, field_case

GREETING = "Gr\u00fc\u00dfe f\u00fcr 5 \u20ac \u2013 \u201eoft\u201c"
WEDNESDAY = "\u6c34\u66dc\u65e5"
HTML = "text/html"


# What is said, and what is right


@pytest.mark.parametrize(
    ("encoding", "content_type", "before"),
    [
        ("utf-8", HTML, ""),
        ("utf-8", HTML, "<meta charset=utf-8>"),
        ("utf-8", HTML, "<meta charset=iso-8859-1>"),
        ("utf-8", HTML, "<?xml version='1.0' encoding='iso-8859-1'?>"),
        ("utf-8", "text/html; charset=iso-8859-1", ""),
        ("utf-8", "text/html; charset=utf8", ""),
        ("utf-8", 'text/html; charset="iso-8559-1"', ""),
        ("utf-8", "text/html; charset=", ""),
        ("utf-8", "text/html; charset=none", ""),
        ("utf-8", "text/html; charset=ascii", "<meta charset=hex>"),
        ("utf-8", "text/html; charset=utf-16", ""),
        ("utf-8", HTML, "<meta charset=utf-16>"),
        ("utf-8-sig", "text/html; charset=latin1", ""),
        ("utf-16", "text/html; charset=utf-8", ""),
        ("utf-16", "text/html; charset=utf-8", "<?xml version='1.0' encoding='utf-8'?>"),
        ("utf-32", HTML, ""),
        ("cp1252", "text/html; charset=ISO-8859-1", ""),
        ("cp1252", "text/html; Charset = 'latin1'; x=y", ""),
        ("cp1252", HTML, "<meta http-equiv='Content-Type' content='text/html; charset=latin1'>"),
        ("cp1252", HTML, "<?xml version='1.0' encoding='windows-1252'?>"),
        ("cp1252", HTML, "<meta charset=x-user-defined>"),
        ("cp1252", HTML, ""),
        ("cp1252", "text/html; charset=utf-8", ""),
        ("iso8859-15", HTML, f"<!--{'x' * 1500}--><meta charset='iso-8859-15'>"),
        ("iso8859-15", HTML, f"<!--{'x' * 30_000}--><meta charset='iso-8859-15'>"),
        ("iso8859-15", HTML, "<!--<meta charset=koi8-r>--><meta charset='iso-8859-15'>"),
        ("iso8859-15", HTML, "<meta name=a content='charset=koi8-r'><meta charset=iso-8859-15>"),
        ("iso8859-15", "text/html; charset=iso-8859-15", "<meta charset=koi8-r>"),
        ("iso8859-15", HTML, "<?xml version='1.0' encoding='koi8-r'?><meta charset=iso-8859-15>"),
        ("iso8859-15", "text/html; charset=nope", "<meta charset=iso-8859-15>"),
    ],
)
def test_the_characters_survive_wrong_labels_and_none(
    encoding: str, content_type: str, before: str
) -> None:
    greeting = GREETING.translate({0x2013: "-", 0x201E: '"', 0x201C: '"'})
    text = before + (greeting if encoding == "iso8859-15" else GREETING)
    assert characters(text.encode(encoding), content_type).text == text


@pytest.mark.parametrize(
    ("label", "encoding", "text"),
    [
        ("latin5", "cp1254", "\u0130stanbul \u015fehri"),
        ("x-sjis", "cp932", WEDNESDAY),
        ("windows-31j", "cp932", "\u2460\u682a"),
        ("shift_jis", "cp932", "\u2460\u682a"),
        ("gb2312", "gb18030", "\u4f60\u597d \U0001f600"),
        ("big5-hkscs", "big5hkscs", "\u4f60\u597d"),
        ("ks_c_5601-1987", "cp949", "\ub625\ubc29\uac01\ud558"),
        ("KOI8-R", "koi8-r", "\u041f\u0440\u0438\u0432\u0435\u0442"),
        ("euc-jp", "euc_jp", WEDNESDAY),
        ("iso-2022-jp", "iso2022_jp", WEDNESDAY),
        ("tis-620", "cp874", "\u0e2a\u0e20\u0e32"),
        ("mac", "mac-roman", "Gr\u00fc\u00dfe"),
        ("logical", "iso8859-8", "\u05e9\u05dc\u05d5\u05dd"),
        ("utf-16", "utf-16-le", "words and letters"),
        ("utf-16le", "utf-16-be", "words and letters"),
    ],
)
def test_labels_mean_what_browsers_take_them_for(label: str, encoding: str, text: str) -> None:
    assert characters(text.encode(encoding), f"text/html; charset={label}").text == text


def test_the_table_of_labels_is_whole_and_every_encoding_has_a_codec() -> None:
    from lambdas.agent.web_encodings import _ENCODINGS

    assert len(_ENCODINGS) == 228
    assert len(set(_ENCODINGS.values())) == 40
    for encoding in set(_ENCODINGS.values()) - {REPLACEMENT, USER_DEFINED}:
        assert codecs.lookup(codec_of(encoding))
    assert encoding_of(" \n Latin1\t") == "windows-1252"


@pytest.mark.parametrize("label", ["unicode_escape", "idna", "punycode", "rot13", "utf-7", "zip"])
def test_codecs_that_spell_no_pages_are_not_used(label: str) -> None:
    assert codecs.lookup(label)
    found = characters(b"a\\u0041-+AEE-", f"text/html; charset={label}")
    assert found.text == "a\\u0041-+AEE-"
    assert found.notes == ("The Content-Type names no known encoding.",)


def test_circled_numbers_of_vendors_are_read_in_euc_jp() -> None:
    assert decoded_euc_jp(WEDNESDAY.encode("euc_jp") + b"\xad\xa1\xad\xb5 \xf9\xa1") == (
        WEDNESDAY + "\u2460\u2160 " + b"\xed\x40".decode("cp932")
    )
    assert decoded_euc_jp(b"a\xa4") == "a\ufffd"


@given(st.binary(max_size=60))
def test_whatever_bytes_are_said_to_be_euc_jp_are_read(body: bytes) -> None:
    assert isinstance(decoded_euc_jp(body), str)


# What is told of it


@pytest.mark.parametrize(
    ("body", "content_type", "encoding", "notes"),
    [
        (GREETING.encode(), "text/html; charset=utf-8", "utf-8", 0),
        (GREETING.encode(), HTML, "utf-8", 0),
        (b"plain", "text/html; charset=latin1", "utf-8", 0),
        (GREETING.encode("cp1252"), "text/html; charset=latin1", "windows-1252", 0),
        (GREETING.encode("utf-16"), HTML, "utf-16le", 0),
        (GREETING.encode(), "text/html; charset=nope", "utf-8", 1),
        (GREETING.encode(), "text/html; charset=latin1", "utf-8", 1),
        (GREETING.encode("cp1252"), "text/html; charset=utf-8", "windows-1252", 2),
        (GREETING.encode("cp1252"), HTML, "windows-1252", 1),
        (GREETING.encode("cp1252"), "text/html; charset=x-user-defined", "windows-1252", 2),
        (GREETING.encode("utf-16-le"), HTML, "utf-16le", 1),
        ((GREETING * 20).encode() + b"\xff and on", HTML, "utf-8", 1),
        ((GREETING * 20).encode()[:-1], HTML, "utf-8", 0),
        ("\ufffd from before, and more".encode(), HTML, "utf-8", 0),
    ],
)
def test_a_guess_a_wrong_label_and_a_loss_are_told(
    body: bytes, content_type: str, encoding: str, notes: int
) -> None:
    found = characters(body, content_type)
    assert (found.encoding, len(found.notes)) == (encoding, notes)
    assert all(note.endswith(".") for note in found.notes)


def test_one_broken_letter_does_not_change_what_the_others_are() -> None:
    japanese = (WEDNESDAY * 30).encode("cp932")
    for body, label in (
        ((GREETING * 20).encode() + b"\xff.", "utf-8"),
        ((GREETING * 20).encode() + b"\xff.", "iso-8859-1"),
        (japanese + b"\x85\x40.", "shift_jis"),
    ):
        text = characters(body, f"text/html; charset={label}").text
        assert text.startswith((GREETING, WEDNESDAY))
        assert text.count("\ufffd") == 1


def test_a_few_pairs_of_bytes_that_could_be_utf8_are_what_their_label_says() -> None:
    word = b"\xc4\xa3\xc4\xa3"
    assert word.decode("utf-8")
    assert characters(word, "text/html; charset=gb2312").text == word.decode("gb18030")
    assert characters(word * 20, "text/html; charset=gb2312").encoding == "utf-8"


def test_what_nobody_labels_is_guessed_and_the_guess_is_checked() -> None:
    russian = "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440".encode("koi8-r")
    body = b"<html lang=ru><p>" + russian + b"</p>"
    seen: list[bytes] = []

    def guess(sample: bytes) -> str:
        seen.append(sample)
        return "koi8-r"

    assert characters(body, HTML, guess).encoding == "koi8-r"
    assert seen == [russian]
    assert characters(body, HTML, lambda _: "utf-8").encoding == "windows-1252"
    assert characters(body, HTML, lambda _: "no such").encoding == "windows-1252"


def test_the_sample_that_is_guessed_from_is_bounded() -> None:
    sizes: list[int] = []
    body = ("\u041f\u0440\u0438\u0432\u0435\u0442. " * 100_000).encode("cp1251")

    def guess(sample: bytes) -> str:
        sizes.append(len(sample))
        return "windows-1251"

    assert characters(body, "text/plain", guess).encoding == "windows-1251"
    assert sizes[0] <= 16_384


# What is no text


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"\xff\xfe" + b"\x00\xd8" * 50, HTML),
        (b"\x1b$)C\x0e!!", "text/html; charset=iso-2022-kr"),
        (b"~{!!~}", "text/html; charset=hz-gb-2312"),
        (b"\xb0\xa1" * 9, "text/html; charset=iso-2022-cn"),
        (bytes(range(1, 32)) + b"\xff\xfe\xfd", HTML),
    ],
)
def test_what_spells_nothing_is_told_and_not_read(body: bytes, content_type: str) -> None:
    with pytest.raises(Undecodable):
        characters(body, content_type)


@given(st.text(alphabet=st.characters(codec="utf-16"), min_size=40), st.sampled_from(["le", "be"]))
def test_utf16_without_a_mark_never_becomes_text_full_of_nuls(text: str, order: str) -> None:
    body = f"<html><p>{text}</p></html>".encode(f"utf-16-{order}")
    try:
        found = characters(body, HTML)
    except Undecodable:
        return
    assert 20 * found.text.count("\0") <= len(found.text) or found.text.count("\0") == text.count(
        "\0"
    )


@given(st.binary(), st.text(max_size=40).map("text/html; charset=".__add__))
def test_every_body_has_characters_or_is_told_to_have_none(body: bytes, content_type: str) -> None:
    try:
        found = characters(body, content_type)
    except Undecodable:
        return
    assert isinstance(found, Characters)
    assert not any(0xD800 <= ord(c) <= 0xDFFF for c in found.text)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0")).map(str.encode))
def test_utf8_is_utf8(body: bytes) -> None:
    assert characters(body, "text/html; charset=utf-8").text == body.decode().removeprefix("\ufeff")


@given(st.text() | st.binary().map(lambda body: body.decode("utf-8", "surrogateescape")))
def test_stored_text_is_nfc_without_controls_and_halves_of_letters(raw: str) -> None:
    text = normalised(raw)
    assert unicodedata.is_normalized("NFC", text)
    assert {unicodedata.category(c) for c in text if c != "\n"}.isdisjoint({"Cc", "Cs"})
    assert normalised(text) == text
    assert text.encode().decode() == text


# The field's own inputs


@pytest.mark.parametrize("name", ["late_meta", "meta_only", "no_meta"])
def test_field_case_c08_keeps_its_characters(name: str) -> None:
    expected = field_case("C08_expect.json")
    found = characters(field_bytes(f"C08_utf8_{name}.html"), HTML)
    assert found.encoding == "utf-8"
    assert all(words in found.text for words in expected["must_contain"])
    assert not any(words in found.text for words in expected["must_not_contain"])


def test_field_case_c09_labels() -> None:
    for row in field_case("C09_labels.json")["bytes_hex_by_case"]:
        assert row["expect"] in characters(bytes.fromhex(row["hex"]), row["header"]).text


@pytest.mark.parametrize("name", ["utf16be_bom_says_utf8", "utf16le_bom", "utf16le_nobom"])
def test_field_case_c11_is_read(name: str) -> None:
    text = characters(field_bytes(f"C11_{name}.xml"), "text/xml").text
    assert "F\u00f8rste sak \u2013 \u00c5lesund" in text
    assert "\0" not in text


def test_field_case_d08_is_utf8_whatever_it_declares() -> None:
    found = characters(field_bytes("D08_declared_latin1_is_utf8.xhtml"), "application/xhtml+xml")
    assert "Die Stra\u00dfe wird im Fr\u00fchjahr" in found.text
    assert len(found.notes) == 1
