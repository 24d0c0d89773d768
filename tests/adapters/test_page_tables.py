"""Tables: a row stays a row, and what a table only lays out stands for itself."""

from __future__ import annotations

import pytest

from tests.adapters.pages import ANY_PARAGRAPHS, article, field_case, parts, read


def test_a_table_for_layout_becomes_what_stands_in_it() -> None:
    page = (
        "<html><body><table><tr><td><a href='/'>Home</a></td><td><h1>Two speeds</h1>"
        "<p>The drum turns slowly at first, so that the bearing can warm up before the load.<p>If"
        " the wheel turns at speed <i>v</i>, the drum at 4<i>v</i>/3, which makes a flow of L."
        "</td></tr></table></body></html>"
    )
    assert ("heading", "# Two speeds") in parts(read(page))
    assert parts(read(page))[-1] == (
        "paragraph",
        "If the wheel turns at speed v, the drum at 4v/3, which makes a flow of L.",
    )


@pytest.mark.parametrize(
    "rows",
    [
        "<tr><td colspan=100>word</td><td colspan=100>two</td></tr>" * 5000,
        "<tr><td rowspan=100 colspan=100>word</td><td>two</td></tr>" * 5000,
        "<tr>" + "<td>word</td>" * 5000 + "</tr>" + "<tr><td>word</td><td>two</td></tr>" * 5000,
    ],
)
def test_a_table_of_millions_of_empty_cells_becomes_a_paragraph_a_row(rows: str) -> None:
    text = read(article(f"{ANY_PARAGRAPHS}<table>{rows}</table>{ANY_PARAGRAPHS}"))
    assert ("paragraph", "word two") in parts(text)


def test_field_case_d03_keeps_the_end_of_its_sentence() -> None:
    assert (
        "a steady flow of nine litres LASTWORDS." in read(field_case("D03_layout_table.html")).text
    )


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("<ul><li>8:00-12:00</li><li>14:00-18:00</li></ul>", "8:00-12:00; 14:00-18:00"),
        ("<ol><li><p>First</p></li><li><a href='/x'>Second</a></li></ol>", "First; Second"),
        ("<ul><li>Closed.</li><li>Open</li></ul>", "Closed. Open"),
        ("<ul><li>Mon<ul><li>8:00</li><li>9:00</li></ul></li></ul>", "Mon 8:00; 9:00"),
        ("<dl><dt>From</dt><dd>8:00</dd></dl>", "From 8:00"),
        ("<div><p>8:00</p></div>", "8:00"),
        ("<section>8:00<p>9:00</p></section>", "8:00 9:00"),
        ("<blockquote>8:00</blockquote>9:00", "8:00 9:00"),
        ("8:00<br>9:00", "8:00 9:00"),
    ],
)
def test_whatever_a_cell_holds_stands_in_its_row(cell: str, shown: str) -> None:
    """Case D02."""
    rows = f"<tr><th>Mon</th><td>{cell}</td></tr><tr><th>Tue</th><td>{cell}</td></tr>"
    text = read(article(f"{ANY_PARAGRAPHS}<table>{rows}</table>{ANY_PARAGRAPHS}"))
    assert ("table", f"| Mon | {shown} |\n|---|---|\n| Tue | {shown} |") in parts(text)


def test_headings_in_cells_are_the_names_of_columns() -> None:
    rows = (
        "<tr><th><h3>Basic</h3></th><th><h3>Pro</h3></th></tr><tr><td>9 euro</td><td>29</td></tr>"
    )
    text = read(article(f"{ANY_PARAGRAPHS}<table>{rows}</table>"))
    assert ("table", "| Basic | Pro |\n|---|---|\n| 9 euro | 29 |") in parts(text)


def test_a_list_in_a_table_for_layout_is_a_list() -> None:
    page = (
        "<html><body><table><tr><td><a href='/'>Home</a></td><td><h1>Plan</h1>"
        f"{ANY_PARAGRAPHS}<ul><li>100 euro for insulation</li><li>200 euro for a boiler</li></ul>"
        "</td></tr></table></body></html>"
    )
    assert ("list", "- 100 euro for insulation\n- 200 euro for a boiler") in parts(read(page))


def test_field_case_d02_keeps_each_day_with_its_hours() -> None:
    kind, table = parts(read(field_case("D02_list_in_table.html")))[-1]
    rows = [line for line in table.split("\n") if "---" not in line]
    assert kind == "table"
    assert rows[0] == "| Mon | 10:00-20:00 |"
    assert rows[1] == "| Tue | closed |"
    assert rows[-1] == "| Sun | 11:00-16:00 |"
    assert len(rows) == 7
