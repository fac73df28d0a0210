"""Ratings in every output beside the page: the screen, Markdown, a workbook, pictures, JSON, a notebook."""

import dataclasses
import json

import numpy as np
import pytest
from tests.schema_check import check_json
from tests.workbook_sheets import sheets_of

from semscale.rating.lint import lint
from semscale.rating.rater import Rater
from semscale.report.html import page
from semscale.report.markdown import markdown
from semscale.report.terminal import print_document

TEXTS = ["plain 0 and plain 1", "warm 4 by far", None, "brief 2, casual 3", "formal 1 alone", "verdict 3"]


@pytest.fixture
def rated(make_scale, toy_embedder):
    return Rater(make_scale(5), embedder=toy_embedder, floor=None).rate(TEXTS)


@pytest.fixture
def linted(make_scale, toy_embedder):
    return lint(make_scale(5), embedder=toy_embedder)


def test_the_screen_has_the_figures_the_bars_and_the_groups(make_summary, capsys):
    print_document(make_summary(n=60, groups=2).document())
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["Quality  reviews.csv", "60 of 67 rows count; left out: 4 empty and 3 off-topic"]
    places = [lines.index(line) for line in ("Altogether (95 % interval)", "Distribution", "By group")]
    assert places == sorted(places)
    assert [line[0] for line in lines[places[1] + 2 : places[1] + 7]] == list("12345")
    assert lines[places[2] + 1].split() == ["region", "rows", "left", "out", "mean", "top", "2", "points"]
    assert "intervals: 95 %, 2,000 bootstrap resamples of rows, seed 0" in lines
    assert "2 rows with texts read in overlapping windows, because of their length" in lines


RANKING = "Read this mean as a ranking and a comparison between groups, not as a level."


def test_every_output_says_once_that_the_mean_is_no_level(make_summary, tmp_path, capsys):
    summary = make_summary(n=60, groups=2, comparison=True)
    document = summary.document()
    print_document(document)
    assert capsys.readouterr().out.count(RANKING) == 1
    shown = page(document)
    assert shown.count(RANKING) == 1
    assert (
        shown.index("and its 95\N{NO-BREAK SPACE}% interval")
        < shown.index(RANKING)
        < shown.index('class="ruler"')
    )
    written = markdown(document)
    assert written.count(RANKING) == 1
    assert f"interval)\n\n{RANKING}\n" in written
    assert summary._repr_html_().count(RANKING) == 1
    summary.report(tmp_path / "rated.xlsx")
    cells = [
        cell for sheet in sheets_of(tmp_path / "rated.xlsx").values() for row in sheet.rows() for cell in row
    ]
    assert cells.count(RANKING) == 1


def test_where_there_is_no_mean_nothing_is_said_of_it(make_summary, capsys):
    document = make_summary(n=0).document()
    print_document(document)
    assert "ranking" not in capsys.readouterr().out
    assert RANKING not in page(document)


def test_what_the_linter_says_stands_in_the_head_and_with_the_scale(rated, linted, read_page):
    summary = rated.summarize(TEXTS, lint=linted)
    shown = read_page(page(summary.document()))
    shown.assert_harmless()
    head, _, rest = shown.text.partition("How the ratings are spread")
    assert f"This scale passes with warnings ({linted.reasons[0]}" in head
    assert "This scale passes with warnings" in rest
    for one in linted.findings:
        assert f"{one.anchor_set or 'all sets'}: {one.reason}" in rest


def test_markdown_and_workbook_have_every_section(make_summary, tmp_path):
    summary = make_summary(n=60, groups=2, comparison=True)
    shown = markdown(summary.document())
    summary.report(tmp_path / "rated.xlsx", figures=tmp_path / "figures")
    book = sheets_of(tmp_path / "rated.xlsx")
    titles = (
        "How the ratings are spread", "By region", "Against human ratings", "Text by text",
        "The clearest and the vaguest", "What was left out", "Can the scale be trusted",
    )  # fmt: skip
    for title in titles:
        assert f"## {title}" in shown
        assert title[:31] in [name.replace("  ", " ") for name in book]
    rows = {row[0]: row[1:4] for row in book["How the ratings are spread"].iter_rows()}
    overall = summary.estimates.overall
    for name, figure in (("mean, from 1 to 5", overall.mean), ("1 Very bad", overall.pmf[0])):
        written = [float(cell) for cell in rows[name]]
        assert written == pytest.approx([figure.value, figure.low, figure.high], abs=1e-8)
    names = ("agreement-of-sets", "distribution", "groups", "human-distributions", "human-means", "texts")
    saved = sorted(file.name for file in (tmp_path / "figures").iterdir())
    assert saved == sorted(f"{name}.{ending}" for name in names for ending in ("png", "svg"))


def test_json_has_the_numbers_and_no_picture_of_them(make_summary):
    summary = make_summary(n=60, groups=2, comparison=True)
    text = summary.to_json()
    check_json(text)
    found = json.loads(text)
    assert (found["schema"], found["instrument"], found["rows"]) == (1, "rate", 67)
    assert found["estimates"]["overall"]["figures"]["mean"]["value"] == summary.estimates.overall.mean.value
    assert found["estimates"]["overall"]["n_left_out"] == 7
    assert found["comparison"]["pearson"] == {"value": 0.583, "low": 0.583 - 0.021, "high": 0.583 + 0.021}
    assert "points" not in found["comparison"]
    assert found["lint"] is None


def test_a_summary_without_texts_shows_the_figures_and_no_text(rated, read_page):
    summary = rated.summarize()
    assert (summary.n, summary.n_distinct) == (6, None)
    assert summary.estimates.overall.mean.value == pytest.approx(np.nanmean(rated.mean))
    shown = read_page(page(summary.document()))
    shown.assert_harmless()
    assert "Text by text" in shown.text
    assert "The clearest and the vaguest" not in shown.text
    assert "None" not in shown.text


def test_codes_are_hinted_at_without_texts_too(rated):
    assert rated.summarize().possible_codes == rated.possible_codes == {}
    known = dataclasses.replace(rated, possible_codes={"NA": 2})
    assert known.summarize().possible_codes == {"NA": 2}


def test_a_notebook_and_a_prompt_get_little(make_summary):
    summary = make_summary(n=300)
    mean = summary.estimates.overall.mean
    shown = f"mean={mean.value:.2f} [{mean.low:.2f}, {mean.high:.2f}]"
    assert repr(summary) == f"RatingSummary(source='reviews.csv', n=307, n_scored=300, {shown})"
    shown = summary._repr_html_()
    assert shown.count("<svg") == 1
    assert "mean score" in shown
    assert len(shown) < 20_000


def test_few_texts_have_a_tick_below_each_column(make_summary):
    summary = make_summary(n=5)
    heat = next(figure for _, figure in summary.document().figures() if figure.name == "texts")
    chart = heat.chart(860)
    column = chart["width"] / 5
    middles = [column * (place + 0.5) for place in range(5)]
    assert chart["encoding"]["x"]["axis"]["values"] == pytest.approx(middles)
    means = sorted(summary.sample["mean"].to_list())
    given = {one["name"]: one["value"] for one in chart["params"]}
    assert given["ticks"] == [f"{mean:.2f}" for mean in means]
