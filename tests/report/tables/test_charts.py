"""Charts of tables on a page: their kinds, their figures, and the list of contents."""

import re
from dataclasses import replace

import polars as pl
import pytest

from semscale.report.chart_data import ChartData, Series
from semscale.report.html import page
from semscale.report.tables_charts import charts_of, columns_of, limit_bars
from semscale.tabulation.crosstabs import crosstabs


def figures_of(result):
    return list(result.document().figures())


def test_a_scale_is_a_stack_with_its_means(tables):
    stack, means = charts_of(columns_of(tables.tables[0]))
    names = [name.replace("\N{NO-BREAK SPACE}", " ") for name in stack.categories]
    assert names[:2] == ["Total\n, n = 80", "north\n (A), n = 40"]
    assert [series.name for series in stack.series] == list("12345")
    # In the north answer 1 has weight .5 and answer 2 weight 1.5; all in the south answer 5.
    assert [series.values[1] for series in stack.series] == [0.25, 0.75, 0.0, 0.0, 0.0]
    assert means.quantity == "mean (1 to 5)"
    assert means.series[0].values[1:] == (1.75, 5.0)
    assert means.series[0].marks[1:] == ("", "A")


def test_multiple_choice_has_a_panel_for_each_column_and_the_most_frequent_answer_first(tables):
    (bars,) = charts_of(columns_of(tables.tables[2]))
    assert bars.categories == ("tea", "coffee")
    assert bars.has_total
    assert [series.name.partition("\n")[0] for series in bars.series] == ["Total", "north", "south"]
    assert all(low < value < high for low, value, high in zip(bars.series[0].low, bars.series[0].values,
                                                              bars.series[0].high, strict=True))  # fmt: skip


def test_a_page_shows_the_chart_of_each_table_above_it(tables):
    figures = figures_of(tables)
    assert len(figures) == len(tables.tables) == 4
    first = figures[0]
    assert [swatch.label for swatch in first.legend] == list("12345")
    assert "mean (1 to 5): Total, n = 80: 3.38; north (A), n = 40: 1.75; south (B), n = 40: 5.00 A" in (
        first.description.replace("\N{NO-BREAK SPACE}", " ").replace("Mean", "mean")
    )
    shown = page(tables.document())
    assert "The numbers" not in shown
    assert shown.index("<figure>") < shown.index("Base, weighted")


def panels(n_columns, n_answers):
    """A chart of shares that fall by one hundredth from answer to answer."""
    values = tuple(0.5 - row / 100 for row in range(n_answers))
    columns = tuple(Series(f"c{column}\n, n = 9", values) for column in range(n_columns))
    return ChartData(
        "bars",
        tuple(f"a{row}" for row in range(n_answers)),
        columns,
        quantity="share",
        has_total=n_columns > 1,
    )


@pytest.mark.parametrize(
    ("n_columns", "n_answers", "shown", "quantity"),
    [
        (8, 12, (8, 12), "share"),  # 96 bars
        (10, 9, (10, 9), "share"),
        (1, 4, (1, 4), "share, c0"),
        (11, 4, (1, 4), "share, c0"),  # more than 10 columns
        (10, 10, (1, 10), "share, c0"),  # more than 96 bars
        (11, 14, (1, 12), "share, c0: the 12 most frequent of 14 answers"),
    ],
)
def test_bars_are_limited_to_a_readable_number(n_columns, n_answers, shown, quantity):
    chart = limit_bars(panels(n_columns, n_answers), 10)
    assert (len(chart.series), len(chart.categories)) == shown
    assert chart.quantity == quantity


def test_bars_of_many_waves_are_limited_to_the_last_one():
    waves = replace(panels(11, 4), has_total=False)
    assert limit_bars(waves, 10).quantity == "share, c10"


def test_the_most_frequent_answers_keep_their_order():
    chart = panels(1, 14)
    rising = ChartData("bars", chart.categories, (Series("c", chart.series[0].values[::-1]),))
    assert limit_bars(rising, 10).categories == tuple(f"a{row}" for row in range(2, 14))


def test_the_contents_of_a_page_link_to_each_question_with_its_findings():
    answers = ["yes"] * 30 + ["no"] * 20 + ["yes"] * 10 + ["no"] * 40
    frame = pl.DataFrame({f"q{n}": answers for n in range(5)} | {"g": ["a"] * 50 + ["b"] * 50})
    frame = frame.with_columns(h=pl.Series(["x", "y"] * 50))
    shown = page(crosstabs(frame, questions=[f"q{n}" for n in range(5)], banners=["g", "h"]).document())
    contents = re.findall(r'<li><a href="#(question-\d)"><bdi>q\d</bdi></a>(.*?)</li>', shown)
    assert [name for name, _ in contents] == [f"question-{n}" for n in range(1, 6)]
    assert all(f'<section id="{name}">' in shown for name, _ in contents)
    findings = re.findall(r"<bdi>(.*?)</bdi>", contents[0][1])
    # 20 of 50 in a say no, 40 of 50 in b; the halves of x and y are alike.
    assert findings[0].startswith("By g: ‘no’ is more frequent for b (80\xa0%) than for a (40\xa0%); ")
    assert findings[1].startswith("By h: ")
    few = page(crosstabs(frame, questions=["q1"], banners=["g"]).document())
    assert "Contents" not in few


def test_a_note_that_holds_for_all_tables_of_a_question_stands_once(survey):
    gaps = survey.with_columns(
        pl.when(pl.int_range(80) < 3).then(None).otherwise("like").alias("like"),
        pl.when(pl.int_range(80) < 5).then(None).otherwise("region").alias("region"),
    )
    shown = page(crosstabs(gaps, questions=["like"], banners=["region", "town"]).document())
    assert shown.count("3 respondents gave no answer; the bases leave them out.") == 1
    assert shown.count("Region: 5 respondents without a group: in the total only.") == 1
    short = gaps.rename({"region": "r"})  # a letter of the note itself
    shown = page(crosstabs(short, questions=["like"], banners=["r", "town"]).document())
    assert shown.count("R: 5 respondents without a group: in the total only.") == 1
