"""Styles that hide, and those that only look like it."""

from __future__ import annotations

import pytest

from lambdas.agent.hiding import WHITE, Hides, hidden_names, hides, is_taken_back, plain

AWAY = [
    *(
        "display:none",
        "DISPLAY : NONE !important",
        "visibility:collapse",
        "font-size:0",
        "font:0/0 a",
    ),
    *("font-size:.0em", "left:-9999px", "text-indent:-100%", "clip:rect(1px, 1px, 1px, 1px)"),
    *("clip-path:inset(50%)", "transform:scale(0)", "transform:translateX(-9999px)"),
    *(
        "width:0;overflow:hidden",
        "color:#ffffff",
        "color:rgb(255, 255, 255)",
        "color:rgba(0,0,0,0)",
    ),
    *(
        "color:#123;background:#112233",
        "color:white;background-color:#fefefe",
        "margin-left:-9999px",
    ),
]
SEEN = [
    *("", "display:block", "font-size:small", "font-size:0.5em", "font-size:10px", "left:-10px"),
    *(
        "margin-top:-100px",
        "height:0",
        "overflow:hidden",
        "opacity:0.9",
        "color:#000",
        "color:var(--x)",
    ),
    *("color:#fff;background:url(dark.png)", "color:transparent;-webkit-background-clip:text"),
    *(
        "border-left:-999px",
        "color:#fff;background:linear-gradient(red,blue)",
        "clip-path:circle(50%)",
    ),
]


@pytest.mark.parametrize("style", AWAY)
def test_what_hides_hides_however_it_is_written(style: str) -> None:
    assert hides(style, behind=WHITE) is Hides.SURELY


@pytest.mark.parametrize("style", SEEN)
def test_what_shows_shows(style: str) -> None:
    assert hides(style, behind=WHITE) is Hides.NOTHING


def test_no_opacity_hides_unless_something_is_to_move() -> None:
    assert hides("opacity:0", behind=None) is Hides.FADED
    assert hides("opacity:0;transform:translateY(20px)", behind=None) is Hides.NOTHING


def test_a_colour_over_an_unknown_one_shows() -> None:
    assert hides("color:#fff", behind=None) is Hides.NOTHING


def test_rules_are_found_by_their_plain_selectors() -> None:
    css = plain(
        "@charset 'utf-8';.a , p.b,.c .d{display: none}/* .e{display:none} */"
        "@media print{.f{display:none}.j{display:none}}"
        "#g{VISIBILITY:hidden}.h{color:red}.i{opacity:0}"
    )
    assert hidden_names(css, paper=None) == {
        ".a": Hides.SURELY,
        "p.b": Hides.SURELY,
        "#g": Hides.SURELY,
        ".i": Hides.FADED,
    }


@pytest.mark.parametrize(
    "css", ["", "}", "{", "display:none", "a{display:none", "}}{{display:none}"]
)
def test_broken_sheets_hide_nothing_by_a_name(css: str) -> None:
    assert hidden_names(plain(css), paper=None) == {}


def test_a_rule_is_taken_back_by_one_for_the_same_name() -> None:
    css = plain(
        ".a{display:none}@media screen{.a{display:grid}}.b{display:none}.b:hover{color:red}"
    )
    assert is_taken_back(css, ".a")
    assert not is_taken_back(css, ".b")
