"""The reader of PDFs on documents that are whole, encrypted, scanned, cut off, or made to harm."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader as AnyPdf
from pypdf import PdfWriter

from lambdas.adapters.pdf_child import Limits
from lambdas.adapters.pdf_reader import PdfReader
from lambdas.agent.contract import Step, budget
from lambdas.agent.errors import SourceUnreadable, Unexpected
from lambdas.agent.findings import Text
from lambdas.agent.grounding import locate
from lambdas.agent.pages import Page
from tests.adapters.pdfs import FONT, SHOWN, drawn, lines, pdf, that_takes_an_hour

INPUTS = Path(__file__).parents[2] / ".." / "shared" / "cases" / "inputs"
PROJECT = Path(__file__).parents[2]

SENTENCE = "The council approved the new heat plan on Monday after a long debate about its costs."
OTHER = "Residents can ask for advice at the town hall, where the staff explain all of the grants."
TEXT = drawn(lines(SENTENCE, OTHER))
NOTE = "Deliveries rose by 12.5 percent to 356000 units."
QUICK = Limits(seconds=2)


def read(body: bytes, reader: PdfReader | None = None) -> Text:
    page = Page(url="https://any.example/x", status=200, content_type="any", body=body)
    return (reader or PdfReader()).read(page)


def unreadable(body: bytes, reader: PdfReader | None = None) -> SourceUnreadable:
    with pytest.raises(SourceUnreadable) as caught:
        read(body, reader)
    assert caught.value.dependency == "any.example"
    assert str(caught.value).endswith(".")
    return caught.value


def outcome(body: bytes) -> str:
    try:
        read(body, PdfReader(limits=QUICK))
    except SourceUnreadable as error:
        return error.code
    return "text"


def field_case(name: str) -> bytes:
    path = INPUTS / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this repository: the tests beside this one cover it")
    return path.read_bytes()


def encrypted(body: bytes, algorithm: str, password: str = "") -> bytes:
    writer, out = PdfWriter(clone_from=AnyPdf(BytesIO(body))), BytesIO()
    writer.encrypt(password, owner_password="any", algorithm=algorithm)
    writer.write(out)
    return out.getvalue()


def children(parent: int) -> list[int]:
    """The processes that this one has started and that have not ended."""
    listing = subprocess.check_output(["ps", "-A", "-o", "pid=,ppid=,command="], text=True)  # noqa: S607
    found = [line.split(maxsplit=2) for line in listing.splitlines()]
    return [int(pid) for pid, of, what in found if int(of) == parent and "pdf_child" in what]


# What becomes of a document


def test_a_document_becomes_paragraphs_with_exact_offsets() -> None:
    text = read(pdf(TEXT, drawn([("Grants", 50, 760, 18), *lines(SENTENCE)])))

    parts = [(block.kind, text.text[block.start : block.end]) for block in text.blocks]
    assert parts == [
        ("paragraph", f"{SENTENCE} {OTHER}"),
        ("heading", "## Grants"),
        ("paragraph", SENTENCE),
    ]
    assert text.notes == ()


@pytest.mark.parametrize(
    ("named", "title"),
    [
        ("Heat plan 2025", "Heat plan 2025"),
        ("Microsoft Word - Heat plan", "Heat plan"),
        ("", SENTENCE),
        ("Microsoft Word - plan_v3.docx", SENTENCE),
        ("plan.indd", SENTENCE),
        ("untitled", SENTENCE),
    ],
)
def test_the_title_is_what_a_document_calls_itself_unless_that_is_a_files_name(
    named: str, title: str
) -> None:
    assert read(pdf(TEXT, info={"Title": named})).title == title


def test_a_heading_above_all_is_the_title_of_a_document_without_one() -> None:
    large = [("Annual", 50.0, 780.0, 24.0), ("report", 50.0, 755.0, 24.0)]

    assert read(pdf(drawn(large) + TEXT)).title == "Annual report"


@pytest.mark.parametrize(
    ("created", "published"),
    [
        ("D:20250208122313Z", "2025-02-08"),
        ("D:20250208", "2025-02-08"),
        ("2025-02-08T12:00:00", "2025-02-08"),
        ("D:20251308", ""),
        ("D:2025", ""),
        ("any day", ""),
    ],
)
def test_a_documents_date_is_told_with_where_it_stands(created: str, published: str) -> None:
    text = read(pdf(TEXT, info={"CreationDate": created, "Author": " Ann\nExample "}))

    assert (text.published, text.author) == (published, "Ann Example")
    assert text.published_by == ("pdf CreationDate" if published else "")


def test_a_document_tells_its_language() -> None:
    assert read(pdf(TEXT, language="de-DE")).language == "de"
    assert read(pdf(TEXT, language="german, I think")).language == ""


def test_ligatures_and_soft_hyphens_stay_and_quotes_without_them_are_found() -> None:
    glyphs = FONT.replace(
        b"/WinAnsiEncoding", b"<</Type/Encoding/Differences[1/ffi/fl/softhyphen]>>"
    )
    said = lines("An e\1cient work\2ow for Unter\3nehmen that pay for it, and no more than that.")
    text = read(pdf(drawn([*said, *lines(SENTENCE, top=600)]), font=glyphs))

    span = locate("An efficient workflow for Unternehmen that pay", text.text)
    assert span is not None
    assert text.text[span.start : span.end].startswith(
        "An e\ufb03cient work\ufb02ow for Unter\u00ad"
    )


def test_a_word_that_a_line_broke_is_whole_again() -> None:
    text = read(pdf(drawn(lines(f"{SENTENCE} It is an inter-", f"national network. {OTHER}"))))

    assert locate("It is an international network.", text.text)


def test_a_document_behind_mail_headers_is_read() -> None:
    assert SENTENCE in read(b"--boundary\r\nContent-Type: any\r\n\r\n" + pdf(TEXT)).text


# Passwords


@pytest.mark.parametrize("algorithm", ["RC4-40", "RC4-128", "AES-128", "AES-256-R5", "AES-256"])
def test_what_opens_without_a_password_is_read(algorithm: str) -> None:
    assert SENTENCE in read(encrypted(pdf(TEXT), algorithm)).text


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_what_needs_a_password_says_so(algorithm: str) -> None:
    error = unreadable(encrypted(pdf(TEXT), algorithm, "secret"))

    assert error.code == "PDF_ENCRYPTED"
    assert "opens with a password only" in str(error)


# Scans


@pytest.mark.parametrize(
    "contents",
    [
        [SHOWN],
        [SHOWN, SHOWN + drawn(lines("Page 2"))],
        [drawn(lines("03", "05", "2025 ok"))],
        [SHOWN + drawn(lines("Received by mail on 3 May 2025, for file 1250"))],
        [b""],
    ],
    ids=["a picture", "with page numbers", "a form with a date", "a stamp", "nothing"],
)
def test_what_has_no_text_layer_or_next_to_none_needs_ocr(contents: list[bytes]) -> None:
    error = unreadable(pdf(*contents))

    assert error.code == "PDF_NEEDS_OCR"
    assert "set `ocr` to true in cdk.json" in str(error)


def test_what_is_a_scan_in_part_is_read_and_says_which_pages_were_not() -> None:
    text = read(pdf(TEXT, SHOWN, SHOWN + drawn(lines("Copy 3")), b"", TEXT, SHOWN))

    assert text.text.count(SENTENCE) == 2
    assert text.notes == ("3 of 6 pages have no text layer (2-3, 6)",)


def test_a_page_with_few_words_and_no_picture_is_no_scan() -> None:
    assert read(pdf(TEXT, drawn(lines("Appendix")), TEXT)).notes == ()


def test_a_short_note_without_a_picture_is_read() -> None:
    assert read(pdf(drawn(lines("Closed on Monday for repairs.")))).text


def test_many_pages_without_text_make_a_short_note() -> None:
    (note,) = read(pdf(*[TEXT, SHOWN] * 20)).notes

    assert note.startswith("20 of 40 pages have no text layer (2, 4, 6")
    assert note.endswith("24, ...)")


def test_where_somebody_reads_scans_what_mostly_is_one_is_left_to_them() -> None:
    with_ocr = PdfReader(has_ocr=True)

    assert unreadable(pdf(TEXT, SHOWN, SHOWN), with_ocr).code == "PDF_NEEDS_OCR"
    assert read(pdf(TEXT, TEXT, SHOWN), with_ocr).notes == ("1 of 3 pages has no text layer (3)",)
    assert read(pdf(TEXT), with_ocr).notes == ()


# Damage


@pytest.mark.parametrize(
    "body",
    [
        b"%PDF-1.7\n",
        b"%PDF-1.7\n" + bytes(range(256)) * 9,
        pdf(TEXT)[:400],
        pdf(),
        b"<html>any page",
    ],
    ids=["its head", "noise", "cut in half", "no pages", "no PDF"],
)
def test_what_is_damaged_is_unreadable(body: bytes) -> None:
    assert unreadable(body).code == "PDF_UNREADABLE"


def test_a_damaged_page_is_noted_and_the_others_are_read() -> None:
    first, second, third, rest = pdf(TEXT, TEXT, TEXT, packed=True).split(b"/FlateDecode")
    text = read(first + b"/FlateDecode" + second + b"/FlateNoSuch" + third + b"/FlateDecode" + rest)

    assert text.text.count(SENTENCE) == 2
    assert text.notes == ("1 of 3 pages has damage, and nothing was read there (2)",)


@settings(max_examples=12)
@given(data=st.data())
def test_whatever_bytes_are_changed_there_is_an_outcome(data: st.DataObject) -> None:
    whole = pdf(TEXT, SHOWN, info={"Title": "any", "CreationDate": "D:20250101"}, language="en")
    body = bytearray(encrypted(whole, "AES-256") if data.draw(st.booleans()) else whole)
    for at in data.draw(st.lists(st.integers(0, len(body) - 1), min_size=1, max_size=40)):
        body[at] = data.draw(st.integers(0, 255))

    assert outcome(bytes(body)) in {
        "text",
        "PDF_UNREADABLE",
        "PDF_ENCRYPTED",
        "PDF_NEEDS_OCR",
        "TOO_LARGE",
    }


# Bounds


def test_a_parser_that_goes_on_and_on_is_killed_at_its_limit() -> None:
    error = unreadable(that_takes_an_hour(), PdfReader(limits=Limits(seconds=1.5)))

    assert error.code == "PDF_UNREADABLE"
    assert "within 1.5 s" in str(error)
    assert children(os.getpid()) == []


def test_a_child_is_killed_before_its_step_is_out_of_time() -> None:
    limits = Limits()

    assert limits.last_page < limits.seconds < budget(Step.EXTRACT).step - 5


def test_a_child_that_nobody_watches_ends_at_the_same_limit() -> None:
    """A parent that is killed leaves its child behind: the kernel ends that one."""
    command = [sys.executable, "-m", "lambdas.adapters.pdf_child"]
    limits = json.dumps(asdict(Limits(seconds=1)))
    with subprocess.Popen(  # noqa: S603  # our own interpreter and module
        [*command, limits], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as child:
        child.communicate(that_takes_an_hour())

    assert child.returncode == -signal.SIGALRM


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds a process's memory")
def test_a_document_that_swells_is_too_large() -> None:
    swelling = pdf(b"BT (" + b"a" * 60_000_000 + b") Tj ET", packed=True)
    error = unreadable(swelling, PdfReader(limits=Limits(memory=128 * 2**20)))

    assert error.code == "TOO_LARGE"
    assert "more than 128 MB" in str(error)
    assert children(os.getpid()) == []


def test_a_document_of_5000_pages_is_too_large() -> None:
    error = unreadable(pdf(*[b""] * 5000))

    assert error.code == "TOO_LARGE"
    assert "has 5,000 pages, and 2,000 are read" in str(error)


@pytest.mark.parametrize(
    "limits", [Limits(characters=300), Limits(lines=3)], ids=["characters", "lines"]
)
def test_a_document_with_too_much_text_is_too_large(limits: Limits) -> None:
    error = unreadable(pdf(TEXT, TEXT, TEXT), PdfReader(limits=limits))

    assert error.code == "TOO_LARGE"
    assert "on 2 of its 3 pages" in str(error)


def test_a_document_whose_many_pages_take_too_long_is_too_large() -> None:
    error = unreadable(pdf(TEXT, TEXT, TEXT), PdfReader(limits=Limits(last_page=0)))

    assert error.code == "TOO_LARGE"
    assert "only 1 of its 3 pages were read" in str(error)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (f"import os; os.kill(os.getpid(), {signal.SIGSEGV})", "PDF_UNREADABLE"),
        (f"import os; os.kill(os.getpid(), {signal.SIGXCPU})", "PDF_UNREADABLE"),
        ("raise SystemExit(3)", "TOO_LARGE"),
    ],
)
def test_however_the_child_dies_there_is_an_outcome(code: str, error: str) -> None:
    assert unreadable(pdf(TEXT), PdfReader(child=("-c", code))).code == error


def test_a_bundle_without_the_parser_is_a_fault_of_ours() -> None:
    with pytest.raises(Unexpected, match="holds pypdf and cryptography"):
        read(pdf(TEXT), PdfReader(child=("-c", "import no_such_package")))


# What strangers' files meet


@pytest.mark.promise("R33")
def test_the_child_holds_no_keys_and_writes_no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", "made-up")
    monkeypatch.setenv("RATCHET_CONTACT", "made-up")
    told = "import json, os; print(json.dumps({'end': 'damaged', 'why': ' '.join(os.environ)}))"

    said = str(unreadable(pdf(TEXT), PdfReader(child=("-c", told))))
    assert "PYTHONPATH" in said
    assert "AWS" not in said
    assert "RATCHET" not in said


@pytest.mark.promise("R33")
def test_no_word_of_a_document_reaches_the_logs(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG):
        read(pdf(TEXT).replace(b"/Root", b"/R\x00ot", 1).replace(b"%%EOF", b"Heat%"))

    out, err = capfd.readouterr()
    assert (out, err, caplog.text) == ("", "", "")


# Field cases


@pytest.mark.parametrize("name", ["C21_pdf_behind_40_bytes.bin", "C21_real_pdf_named_html.bin"])
def test_field_case_c21_a_pdf_is_one_whatever_it_is_called(name: str) -> None:
    assert NOTE in read(field_case(name)).text


def test_field_case_c21_html_is_no_pdf() -> None:
    assert unreadable(field_case("C21_html_named_pdf.bin")).code == "PDF_UNREADABLE"


@pytest.mark.parametrize("name", ["D10_form_draws_itself.pdf", "D10_prev_points_to_itself.pdf"])
def test_field_case_d10_a_circle_ends(name: str) -> None:
    assert NOTE in read(field_case(name), PdfReader(limits=Limits(seconds=5))).text


def test_field_case_d10_half_a_document() -> None:
    error = unreadable(field_case("D10_cut_in_half.pdf"), PdfReader(limits=Limits(seconds=5)))

    assert error.code == "PDF_UNREADABLE"


@pytest.mark.parametrize(
    "name", ["D11_aes256_empty_user_password.pdf", "D11_rc4_empty_user_password.pdf"]
)
def test_field_case_d11_an_empty_password(name: str) -> None:
    assert NOTE in read(field_case(name)).text


def test_field_case_d11_a_real_password() -> None:
    assert unreadable(field_case("D11_aes256_real_user_password.pdf")).code == "PDF_ENCRYPTED"


@pytest.mark.parametrize("name", ["D12_image_only.pdf", "D12_thirteen_characters.pdf"])
def test_field_case_d12_a_scan(name: str) -> None:
    assert unreadable(field_case(name)).code == "PDF_NEEDS_OCR"


def test_field_case_d12_a_scan_in_part() -> None:
    text = read(field_case("D12_one_of_three_pages_has_text.pdf"))

    assert NOTE in text.text
    assert text.notes == ("2 of 3 pages have no text layer (1, 3)",)


def test_field_case_d13_broken_words_of_a_pdf() -> None:
    pairs = json.loads(field_case("D13_invisible_characters.json"))["pairs"]
    broken, whole = next(pair for pair in pairs if pair[0].startswith("inter-"))
    text = read(pdf(drawn(lines(SENTENCE, *broken.split("\n"), OTHER))))

    assert locate(whole, text.text)
