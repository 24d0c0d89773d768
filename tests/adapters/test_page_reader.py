"""The reader of whatever comes: every kind has a reader or a reason."""

from __future__ import annotations

import gzip
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lambdas.adapters.page_characters import characters_of
from lambdas.adapters.page_reader import PageReader
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.findings import Text
from lambdas.agent.pages import Page

ROOT = Path(__file__).parents[2]
INPUTS = ROOT / ".." / "shared" / "cases" / "inputs"

HTML = "text/html"
ANY_WORDS = (
    "The city council approved the new heat plan on Monday after a long debate about costs. "
    "Engineers will begin work on the northern network in spring, when the ground is soft."
)
ANY_FEED = (
    "<rss version='2.0'><channel><title>Any feed</title><link>https://any.example/</link>"
    f"<description>d</description><item><title>Heat plan</title><description>{ANY_WORDS}"
    "</description><link>https://any.example/1</link></item></channel></rss>"
)


def page(body: str | bytes, content_type: str = HTML) -> Page:
    body = body.encode() if isinstance(body, str) else body
    return Page(url="https://any.example/x", status=200, content_type=content_type, body=body)


def read(body: str | bytes, content_type: str = HTML) -> Text:
    return PageReader().read(page(body, content_type))


def unreadable(body: str | bytes, content_type: str = HTML) -> SourceUnreadable:
    with pytest.raises(SourceUnreadable) as caught:
        read(body, content_type)
    assert caught.value.dependency == "any.example"
    assert str(caught.value).endswith(".")
    return caught.value


def field_case(name: str) -> bytes:
    path = INPUTS / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this repository: the tests beside this one cover it")
    return path.read_bytes()


# What is read


@pytest.mark.parametrize("content_type", [HTML, "application/pdf", "application/xhtml+xml", ""])
def test_a_web_page_is_read_whatever_it_is_called(content_type: str) -> None:
    markup = f"<!doctype html><html><body><h1>Heat plan</h1><p>{ANY_WORDS}</p></body></html>"
    assert ANY_WORDS in read(markup, content_type).text


def test_text_and_markdown_stay_as_they_are() -> None:
    markdown = "# Heat plan\n\n" + "Costs are *not* known yet, but they will be high. " * 3
    for content_type in ("text/markdown; charset=utf-8", "text/plain", "application/octet-stream"):
        text = read(markdown.replace("\n", "\r\n"), content_type)
        assert text.text == markdown.rstrip()
        assert [block.kind for block in text.blocks] == ["heading", "paragraph"]
        assert text.title == "Heat plan"


@pytest.mark.parametrize("content_type", ["application/json", "application/ld+json", HTML, ""])
def test_json_is_read_with_its_values_as_they_are(content_type: str) -> None:
    text = read('{"title": "Prices", "plans": [{"price": 9.00}, {"price": 29.50}]}', content_type)
    assert "- plans[1].price: 29.50" in text.text
    assert text.title == "Prices"
    assert {block.kind for block in text.blocks} == {"heading", "list"}


def test_json_lines_are_read() -> None:
    text = read('{"price": 9.00}\n{"price": 29.50}\n', "application/x-ndjson")
    assert "- [1].price: 29.50" in text.text


def test_what_only_begins_like_json_is_text() -> None:
    words = f'{{"note": 1}} is how it begins. {ANY_WORDS}'
    assert read(words, "text/plain").text == words


@pytest.mark.parametrize("content_type", ["application/rss+xml", "text/xml", HTML, "text/plain"])
def test_a_feed_is_read(content_type: str) -> None:
    assert "northern network" in read(ANY_FEED, content_type).text


def test_a_pdf_is_read_as_one_whatever_it_is_called() -> None:
    for name in ("C21_real_pdf_named_html.bin", "C21_pdf_behind_40_bytes.bin"):
        assert read(field_case(name), HTML).text


def test_prose_that_begins_like_a_pdf_is_text() -> None:
    text = read(field_case("C21_prose_starting_with_pdf_magic.txt"), "text/plain").text
    assert text.startswith("%PDF-")


def test_every_parser_is_imported_only_where_it_is_used() -> None:
    program = (
        "import sys; from lambdas.adapters.page_reader import PageReader; "
        "from lambdas.agent.pages import Page; "
        "PageReader().read(Page(url='https://a.example/', status=200, "
        "content_type='text/plain', body=b'Words of a text that is long enough. ' * 9)); "
        "print({'trafilatura', 'lxml', 'pypdf', 'feedparser', 'charset_normalizer'} "
        "& set(sys.modules))"
    )
    command = [sys.executable, "-c", program]
    assert subprocess.check_output(command, text=True, cwd=ROOT) == "set()\n"  # noqa: S603 ours


# Characters that nobody labels

UNLABELLED = {
    "windows-1251": (
        "Городской совет в понедельник утвердил новый план отопления после долгих споров о "  # noqa: RUF001 Russian
        "расходах. Инженеры начнут работы весной, когда земля оттает."
    ),
    "koi8-r": "Городской совет утвердил новый план отопления после долгих споров о расходах.",  # noqa: RUF001 Russian
    "windows-1253": "Το δημοτικό συμβούλιο ενέκρινε τη Δευτέρα το νέο σχέδιο θέρμανσης της πόλης.",  # noqa: RUF001 Greek
    "windows-1250": (
        "Rada miasta zatwierdziła w poniedziałek nowy plan ogrzewania po długiej dyskusji o "
        "kosztach. Inżynierowie rozpoczną prace wiosną."
    ),
    "shift_jis": "市議会は月曜日、費用をめぐる長い議論の末、新しい暖房計画を承認した。",
    "euc_jp": "市議会は月曜日、費用をめぐる長い議論の末、新しい暖房計画を承認した。",
    "gb18030": "市议会周一经过关于费用的长时间辩论后批准了新的供暖计划。工程师将于春季开始施工。",
    "big5": "市議會週一經過關於費用的長時間辯論後批准了新的供暖計畫。工程師將於春季開始施工。",
    "euc_kr": "시의회는 월요일 비용에 대한 오랜 논의 끝에 새로운 난방 계획을 승인했다.",
}


@pytest.mark.parametrize("encoding", UNLABELLED)
def test_a_page_without_a_label_is_guessed_and_the_guess_is_told(encoding: str) -> None:
    words = UNLABELLED[encoding]
    lang = "pl" if encoding == "windows-1250" else "x"
    markup = f"<html lang='{lang}'><body><p>{words}</p></body></html>"
    found = characters_of(page(markup.encode(encoding)))
    assert words in found.text
    assert "is a guess" in found.notes[0]


@pytest.mark.parametrize(
    ("host", "encoding", "words"),
    [
        ("any.example", "windows-1252", "Câmara aprovou o plano após longa discussão."),
        ("any.example", "windows-1252", "El ayuntamiento aprobó el plan. Mañana habrá más."),
        ("any.example", "windows-1252", "Kommunfullmäktige godkände på måndagen värmeplanen."),
        ("any.cz", "windows-1250", "Zastupitelstvo města schválilo nový plán vytápění."),
        (
            "any.com.tr",
            "windows-1254",
            "Belediye meclisi yeni \u0131s\u0131tma plan\u0131n\u0131 onaylad\u0131.",
        ),
        ("any.lt", "windows-1257", "Miesto taryba patvirtino naują šildymo planą."),
    ],
)
def test_latin_letters_are_guessed_by_the_country(host: str, encoding: str, words: str) -> None:
    body = words.encode(encoding)
    here = Page(url=f"https://{host}/x", status=200, content_type="text/plain", body=body)
    assert characters_of(here).text == words


def test_a_few_letters_are_what_most_of_the_web_means() -> None:
    found = characters_of(page("<p>Caf\u00e9 cr\u00e8me 5 \u20ac</p>".encode("cp1252")))
    assert found.text == "<p>Caf\u00e9 cr\u00e8me 5 \u20ac</p>"


def test_what_was_guessed_or_wrong_is_in_the_notes_of_the_text() -> None:
    words = f"{ANY_WORDS} Die F\u00f6rderung betr\u00e4gt 1.250 \u20ac je Ger\u00e4t."
    markup = f"<html><body><p>{words}</p></body></html>"
    for body, content_type in ((markup, HTML), (words, "text/plain")):
        text = read(body.encode(), f"{content_type}; charset=iso-8859-1")
        assert "1.250 \u20ac je Ger\u00e4t" in text.text
        assert text.notes == ("The Content-Type says windows-1252, but the bytes are UTF-8.",)
        assert read(body.encode(), content_type).notes == ()


# What is not read


@pytest.mark.parametrize(
    ("body", "content_type", "code", "words"),
    [
        (b"PK\3\4words", "text/plain", "UNSUPPORTED_TYPE", "an archive"),
        (b"PK\3\4[Content_Types].xml", "text/plain", "UNSUPPORTED_TYPE", "an office document"),
        (b"\x89PNG\r\n\x1a\n", HTML, "UNSUPPORTED_TYPE", "an image"),
        (b"OggS\0", HTML, "UNSUPPORTED_TYPE", "a recording"),
        (b"\x7fELF\0\0", "text/plain", "UNSUPPORTED_TYPE", "a binary file"),
        (b"<?xml version='1.0'?><any/>", "text/xml", "UNSUPPORTED_TYPE", "a data file"),
        (b"body { color: red }", "text/css", "UNSUPPORTED_TYPE", "a data file"),
        (b"<urlset>", "text/xml", "IS_SITEMAP", '"kind": "sitemap"'),
        (
            gzip.compress(b"<sitemapindex>", mtime=0),
            "application/gzip",
            "IS_SITEMAP",
            '"kind": "sitemap"',
        ),
        (b"", HTML, "NO_TEXT", "an empty page"),
        (b" \r\n\0", "text/plain", "NO_TEXT", "an empty page"),
        (b"Not found", "text/plain", "NO_TEXT", "hardly a sentence"),
        (b'{"a": ', "application/json", "UNREADABLE", "broken JSON"),
        (b"[{}, []]", "application/json", "NO_TEXT", "no value"),
        (b'{"error": "not found"}', "application/json", "ERROR_PAGE", "an error message"),
        (b"[" * 5_000 + b"]" * 5_000, "application/json", "TOO_LARGE", "nested"),
        (b"\x1b$)C\x0e" + b"!!" * 50, "text/plain; charset=iso-2022-kr", "UNDECODABLE", "encoding"),
        (b"<html>" + b"\xb0\xa1" * 9, "text/html; charset=hz-gb-2312", "UNDECODABLE", "refuse"),
    ],
)
def test_what_is_not_read_is_told_with_a_reason(
    body: bytes, content_type: str, code: str, words: str
) -> None:
    error = unreadable(body, content_type)
    assert error.code == code
    assert words in str(error)


@settings(max_examples=60)
@given(
    st.binary(max_size=300),
    st.sampled_from([HTML, "text/plain", "application/json", "application/rss+xml", "image/png"]),
)
def test_whatever_comes_is_read_or_refused_with_a_reason(body: bytes, content_type: str) -> None:
    with suppress(SourceUnreadable):
        assert any(map(str.isalnum, read(body, content_type).text))


# The field's own inputs


def test_field_case_c21_refuses_a_word_file_that_is_called_text() -> None:
    assert unreadable(field_case("C21_zip_as_text.bin"), "text/plain").code == "UNSUPPORTED_TYPE"


def test_field_case_c21_reads_html_that_is_called_a_pdf() -> None:
    body = field_case("C21_html_named_pdf.bin")
    assert "1.250 \u20ac je Ger\u00e4t" in read(body, "application/pdf").text


@pytest.mark.parametrize("name", ["utf16be_bom_says_utf8", "utf16le_bom", "utf16le_nobom"])
def test_field_case_c11_reads_feeds_in_utf16(name: str) -> None:
    text = read(field_case(f"C11_{name}.xml"), "text/xml")
    assert "Andre sak" in text.text
    assert "\0" not in text.text
