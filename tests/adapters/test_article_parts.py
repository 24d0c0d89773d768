"""The article is all of its parts, and nobody's comment."""

from __future__ import annotations

from lxml.html import document_fromstring

from lambdas.adapters.article_parts import join_parts
from tests.adapters.pages import ANY_PARAGRAPHS, field_case, parts, read

SHORT_STORY = (
    "<h1>Bridge reopens</h1><p>The old bridge opened again on Friday morning.</p>"
    "<p>STORY The repair cost two million euro and took nine months.</p>"
    "<p>Cyclists may use the northern side of the bridge.</p>"
)
COMMENT = f"<div id='x'><p>{'COMMENT I have lived here, and nobody ever asked us. ' * 30}</p></div>"


def page(*inside: str) -> str:
    return f"<html><body>{''.join(inside)}</body></html>"


def part(number: int, name: str = "article__body") -> str:
    return f"<div class='{name} grid'><p>PART{number} begins here.</p>{ANY_PARAGRAPHS}</div>"


def test_an_article_cut_up_by_advertisements_is_whole() -> None:
    cut = "<div class='ad'><p>ADVERT</p></div>".join(part(number) for number in range(4))
    text = read(page("<article><h1>Plan</h1>", cut, "</article>")).text
    found = [f"PART{number}" in text for number in range(4)]
    assert all(found)
    assert text.index("PART0") < text.index("PART1") < text.index("PART3")


def test_the_next_article_of_an_endless_page_is_no_part() -> None:
    first, second = part(1), part(2)
    text = read(page(f"<article>{first}</article>", f"<article>{second}</article>")).text
    assert "PART1" in text
    assert "PART2" not in text


def test_a_container_with_a_main_heading_of_its_own_is_no_part() -> None:
    first, second = part(1), part(2).replace("<p>PART2", "<h1>Another</h1><p>PART2")
    tree = document_fromstring(page("<main>", first, second, "</main>"))
    join_parts(tree)
    assert [len(each.findall("p")) for each in tree.find_class("grid")] == [4, 4]


def test_an_article_in_a_container_without_a_name_keeps_its_lists() -> None:
    items = "<ul><li>100 euro for insulation</li><li>200 euro for a boiler</li></ul>"
    menu = "<div><a href='/'>Home</a> <a href='/a'>All of the pages</a></div>"
    text = read(page(menu, f"<div><div>{ANY_PARAGRAPHS}{items}</div></div>"))
    assert ("list", "- 100 euro for insulation\n- 200 euro for a boiler") in parts(text)


def test_a_comment_longer_than_the_article_is_not_the_article() -> None:
    text = read(page(f"<div>{SHORT_STORY}</div>", COMMENT)).text
    assert "STORY" in text
    assert "northern side" in text
    assert "COMMENT" not in text


def test_a_summary_beside_the_heading_does_not_stand_for_a_longer_article() -> None:
    body = "".join(f"<p>BODY{n} {'The works take long and cost much. ' * 9}</p>" for n in range(6))
    text = read(page(f"<div>{SHORT_STORY}</div>", f"<div>{body}</div>")).text
    assert all(f"BODY{n}" in text for n in range(6))


def test_field_case_d05_has_the_article_and_not_the_comment() -> None:
    text = read(field_case("D05_long_comment.html")).text
    assert "ARTICLEMARK" in text
    assert "Lorries must take the ring road." in text
    assert "COMMENTMARK" not in text
    assert "Related story" not in text
