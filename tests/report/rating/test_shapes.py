"""The report on ratings survives every shape: no rows, one text, many groups, short and long scales."""

import dataclasses
import re

import pytest

from semscale.report.html import page


def test_nothing_scored_says_why_and_shows_no_figure(make_summary, read_page):
    shown = read_page(page(make_summary(n=0).document()))
    shown.assert_harmless()
    said = "nothing to estimate. 0 of 7 rows count; left out: 4 empty and 3 off-topic."
    assert said in shown.text
    assert shown.all("svg") == []
    assert "mean score" not in shown.text
    assert "0.00" not in shown.text


def test_an_input_without_rows_says_so(make_summary):
    summary = make_summary(n=0)
    overall = dataclasses.replace(summary.estimates.overall, left_out={})
    empty = dataclasses.replace(
        summary,
        n=0,
        counts={"scored": 0},
        n_windowed=0,
        left_out=summary.left_out.clear(),
        estimates=dataclasses.replace(summary.estimates, overall=overall),
    )
    assert "The input has no rows" in page(empty.document())


def test_one_text_has_a_mean_but_no_interval(make_summary):
    shown = page(make_summary(n=1).document())
    assert "One text alone does not show how far another would differ" in shown
    assert not re.search(r"\bnan\b", shown)
    assert "cannot be said: it takes two rated texts" in shown


def test_only_the_largest_groups_are_drawn_and_the_table_has_all(make_summary, read_page):
    shown = read_page(page(make_summary(n=30, groups=200).document()))
    assert "The 40 largest of 200 groups are drawn, all are below." in shown.text
    drawn = next(svg["aria-label"] for svg in shown.all("svg") if "Mean of each group" in svg["aria-label"])
    # sizes fall from 400 by one a group, so the first 40 are the largest
    assert "Region 40 (n" in drawn
    assert "Region 41 (n" not in drawn
    assert "Region 200" in shown.text


def test_a_group_without_a_rated_text_has_dashes_and_a_missing_group_has_a_name(make_summary):
    summary = make_summary(n=30, groups=2)
    first, second = summary.estimates.groups
    groups = (
        dataclasses.replace(first, group=None),
        dataclasses.replace(second, n=0, figures={}, effective_n=0.0),
    )
    shown = page(
        dataclasses.replace(
            summary, estimates=dataclasses.replace(summary.estimates, groups=groups)
        ).document()
    )
    assert "(no region)" in shown
    row = re.search(r'<tr><th scope="row" dir="auto">Region 2</th>(.*?)</tr>', shown)[1]
    # rated and left out, then mean, three boxes and five points without a figure
    assert re.findall(r"<td>(.*?)</td>", row) == ["0", "2", *["–"] * 9]


SHAPES = [  # points, texts, groups, anchor sets: every value of one meets extremes of the others
    (2, 2, 0, 1),
    (2, 17, 3, 6),
    (3, 2, 3, 2),
    (4, 1, 1, 1),
    (5, 300, 0, 6),
    (5, 17, 45, 2),
    (7, 2, 3, 6),
    (9, 17, 1, 1),
    (10, 1, 0, 3),
    (11, 2, 0, 2),
    (11, 17, 3, 6),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_shape_gives_a_sound_page(shape, make_summary, make_scale, read_page):
    n_points, n, groups, sets = shape
    scale = make_scale(n_points, lowest=0, label="A label that goes on for rather longer than most labels do")
    shown = read_page(
        page(
            make_summary(scale=scale, n=n, groups=groups, sets=sets, comparison=n_points % 2 == 1).document()
        )
    )
    shown.assert_harmless()
    assert len(shown.source.encode()) < 500_000
    assert not re.search(r"\b(nan|None|inf)\b", shown.text)
    assert ("net promoter score:" in shown.text) == (n_points == 11)
    assert ("top-2-box:" in shown.text) == (n_points >= 4)
    assert ("By region" in shown.text) == (groups > 0)


def test_the_largest_page_stays_under_half_a_megabyte(make_summary, make_scale):
    scale = make_scale(11, lowest=0, label="A label that goes on")
    shown = page(make_summary(scale=scale, n=500, groups=200, comparison=True).document())
    assert len(shown.encode()) < 500_000
