"""Colours can be told apart and read, in charts, in light and in dark."""

import itertools
import re
from importlib import resources

import pytest

from semscale.report.chart_kit import (
    ACCENT,
    BAR,
    CARD,
    CONTRAST,
    DARK_CARD,
    INK,
    MUTED,
    NEUTRAL,
    PALETTE,
    TOTAL,
    contrast,
    correlation_colour,
    deepened,
    diverging,
    ink_on,
    ordinal,
    ramp,
    sequential,
    turned,
)
from semscale.report.row_charts import group_rows
from semscale.stats.intervals import Estimate

TEXT, GRAPHIC = 4.5, 3.0  # WCAG 2.2 AA: contrast of text (1.4.3) and of parts of a picture (1.4.11)
STYLE = resources.files("semscale.report").joinpath("templates", "style.css").read_text(encoding="utf-8")
NAN = float("nan")
STEPS = [step / 20 for step in range(21)]


def roots() -> list[dict[str, str]]:
    """Colours of each ``:root`` block: light, dark, print; the later ones build on the first."""
    blocks = [
        dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{(.*?)\}", STYLE, re.S)
    ]
    return [blocks[0] | block for block in blocks]


def test_contrast_of_a_published_pair():
    # WebAIM's checker gives 4.54 for #767676 on white.
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


def test_turning_a_colour_keeps_its_hue():
    assert (turned("#ffffff"), turned("#000000")) == ("#000000", "#ffffff")
    assert turned("#808080") in {"#7f7f7f", "#808080"}
    blue = turned(ACCENT)
    assert int(blue[1:3], 16) < int(blue[3:5], 16) < int(blue[5:7], 16)


def test_a_dark_page_turns_the_colours_of_its_pictures():
    dark = STYLE.partition("@media screen and (prefers-color-scheme: dark)")[2]
    assert ".card svg, .legend i { filter: invert(1) hue-rotate(180deg); }" in dark


@pytest.mark.parametrize("n_points", range(2, 12))
def test_points_of_a_scale_stand_out_from_a_dark_card(n_points):
    for colours in (ordinal(n_points), ramp(n_points), (*PALETTE, BAR, TOTAL, NEUTRAL)):
        dark = [turned(deepened(colour)) for colour in colours]
        assert min(contrast(colour, DARK_CARD) for colour in dark) >= GRAPHIC
        assert min(contrast(ink_on(colour), colour) for colour in dark) >= TEXT
        assert len(set(dark)) == len(colours)


def test_a_dark_page_draws_deepened_colours():
    assert roots()[1]["card"] == DARK_CARD
    pale, middling, deep = ordinal(5)[1], ordinal(7)[1], ordinal(5)[0]
    rows = [("a", Estimate(1.0, NAN, NAN), (0.4, 0.3, 0.3))]
    shown = group_rows(rows, (pale, middling, deep), reference=1.0, width=860).inline("groups")
    assert f'fill="{pale}" style="--d:{deepened(pale)}"' in shown
    assert f'fill="{deep}"><' in shown
    # A figure is black or white in light, and in dark whichever is read there; the page turns it, too.
    inks = re.findall(r'fill="(#000000|#ffffff)"[^>]*?(?:--d:(#\w+)")?>', shown)
    assert inks == [("#000000", ""), ("#000000", "#ffffff"), ("#ffffff", "")]


@pytest.mark.parametrize("colour", [INK, MUTED, ACCENT])
def test_text_is_readable_on_a_card(colour):
    light, dark, paper = roots()
    assert contrast(colour, light["card"]) >= TEXT
    assert contrast(turned(colour), dark["card"]) >= TEXT
    assert contrast(colour, paper["card"]) >= TEXT


@pytest.mark.parametrize("colour", [BAR, CONTRAST, ACCENT, NEUTRAL])
def test_bars_stand_out_from_a_card(colour):
    assert contrast(colour, CARD) >= GRAPHIC
    assert contrast(turned(colour), roots()[1]["card"]) >= GRAPHIC


def test_whiskers_stand_out_from_bars():
    assert contrast(INK, BAR) >= GRAPHIC


def test_figures_in_cells_are_readable():
    for step in STEPS:
        for colour in (sequential(step), diverging(step), diverging(-step)):
            assert contrast(ink_on(colour), colour) >= TEXT


def test_the_sequential_ramp_darkens_steadily():
    light = [contrast(sequential(step), "#000000") for step in STEPS]
    assert all(above > below for above, below in itertools.pairwise(light))


def test_both_arms_of_the_diverging_ramp_darken_away_from_the_middle():
    for sign in (1, -1):
        light = [contrast(diverging(sign * step), "#000000") for step in STEPS]
        assert all(above > below for above, below in itertools.pairwise(light))


@pytest.mark.parametrize("n_points", range(2, 12))
def test_every_point_has_a_distinct_colour(n_points):
    assert len(set(ordinal(n_points))) == len(set(ramp(n_points))) == n_points
    assert ordinal(n_points, flipped=True) == ordinal(n_points)[::-1]


def test_an_undefined_correlation_has_no_colour():
    assert correlation_colour(float("nan")) == "#ffffff"


def test_the_page_is_readable_in_light_in_dark_and_on_paper():
    pages = roots()
    assert len(pages) == 3
    for page in pages:
        for name in ("ink", "muted", "accent", "good", "warn", "bad"):
            assert contrast(page[name], page["paper"]) >= TEXT, name
        assert contrast(page["ink"], page["soft"]) >= TEXT
        assert contrast(page["muted"], page["card"]) >= TEXT  # placeholders in fields
