"""Numbers and users' words as a page shows them."""

import math

import pytest

from semscale.report.formatting import (
    MISSING,
    clip_text,
    count_of,
    join_list,
    number,
    one_line,
    percent,
    percent_with_interval,
    printable,
    with_interval,
)
from semscale.stats.intervals import Estimate

ALONE = Estimate(3.0, math.nan, math.nan)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3.41, "3.41"),
        (0.0, "0.00"),
        (-0.0, "0.00"),
        (-0.004, "0.00"),  # a minus sign before nothing but zeros would say more than the digits do
        (-12.345, "\u221212.35"),  # U+2212 minus; 12.345 lies just above the half in binary
        (1234.5, "1,234.50"),
        (math.nan, MISSING),
        (math.inf, MISSING),
        (None, MISSING),
    ],
)
def test_numbers_have_two_decimals_and_missing_is_never_zero(value, shown):
    assert number(value) == shown


def test_intervals_stand_in_brackets():
    assert with_interval(Estimate(3.412, 3.349, 3.4651)) == "3.41 [3.35, 3.47]"
    assert percent_with_interval(Estimate(0.342, 0.312, 0.3701)) == "34.2\u00a0% [31.2, 37.0]"
    assert with_interval(Estimate(0.0, -0.5, 0.5)) == "0.00 [\u22120.50, 0.50]"


def test_a_figure_without_an_interval_stands_alone():
    assert with_interval(ALONE) == "3.00"
    assert percent_with_interval(ALONE) == "300.0\u00a0%"


def test_missing_shares_are_dashes():
    assert percent(math.nan) == MISSING
    assert percent(0.0) == "0.0\u00a0%"


def test_control_characters_become_pictures_and_surrogates_are_replaced():
    shown = printable("a\x00\x07\x1b\x7f\x85\ud800b\n\t")
    assert shown == "a\u2400\u2407\u241b\u2421\ufffd\ufffdb\n\t"
    assert shown.encode("utf-8")


def test_letters_of_every_script_and_emoji_are_preserved():
    text = "ممتاز \u200fעברית 満足 \U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert printable(text) == text


def test_a_line_has_no_breaks():
    assert one_line(" a\r\n\tb\u2028c ") == "a b c"


def test_long_text_is_clipped_at_a_space_and_stored_in_full():
    text = "word " * 100
    cut = clip_text(text, limit=21)
    assert cut.shown == "word word word word…"  # four words take 19 characters, a fifth would take 24
    assert cut.full == text


def test_a_text_without_spaces_is_cut_too():
    assert clip_text("x" * 50, limit=10).shown == "x" * 10 + "…"


def test_a_giant_text_says_how_much_is_left_out():
    full = clip_text("x" * 5017).full
    assert full is not None
    assert full.endswith("… (17 further characters are not in this page)")


def test_a_short_text_is_whole():
    assert clip_text("fine").full is None


def test_nouns_and_lists():
    assert count_of(1, "text") == "1 text"
    assert count_of(3708, "text") == "3,708 texts"
    assert join_list(["a"]) == "a"
    assert join_list([]) == ""
