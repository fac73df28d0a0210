"""Differences of columns, folded below a table."""

import polars as pl
import pytest

from semscale.report.document import Number, WithInterval
from semscale.report.html import page
from semscale.report.markdown import markdown
from semscale.report.tables.differences import difference_table
from semscale.report.terminal import print_document
from semscale.tabulation.crosstabs import crosstabs


@pytest.fixture(scope="module")
def halves():
    """100 people: 30 of 50 in a say yes, and 10 of 50 in b."""
    answers = ["yes"] * 30 + ["no"] * 20 + ["yes"] * 10 + ["no"] * 40
    frame = pl.DataFrame({"q": answers, "g": ["a"] * 50 + ["b"] * 50})
    return crosstabs(frame, questions=["q"], banners=["g"])


def test_a_row_has_the_difference_in_points_its_interval_and_p_values(halves):
    (table,) = halves.tables
    found = difference_table(table, halves.plan.tests)
    rows = {row[0].text: row for row in found.rows}
    difference = rows["yes"][3]
    assert isinstance(difference, WithInterval)
    # 60 % less 20 %; the standard error is sqrt((.6 * .4 + .2 * .8) / 50 * 100 / 99), and t(98) is 1.98447.
    assert (difference.value, difference.low, difference.high) == pytest.approx(
        (40, 40 - 17.839, 40 + 17.839), abs=0.001
    )
    assert all(isinstance(one, Number) for one in rows["yes"][4:])


def test_a_page_folds_differences_and_markdown_shows_them(halves, capsys):
    text = page(halves.document())
    fold = text[text.index("<summary>Differences of columns (2)") :]
    assert "+40.0" in fold[: fold.index("</details>")]
    assert "not adjusted" in fold[: fold.index("</details>")]
    shown = markdown(halves.document())
    assert "### Differences of columns (2)" in shown
    assert "+40.0" in shown
    print_document(halves.document())
    assert "+40.0" not in capsys.readouterr().out


def test_a_topline_has_none_and_a_long_list_is_cut():
    people = range(1_300)
    frame = pl.DataFrame({"q": [n % 10 for n in people], "g": [f"g{n % 13}" for n in people]})
    (alone,) = crosstabs(frame, questions=["q"]).tables
    made = crosstabs(frame, questions=["q"], banners=["g"])
    assert difference_table(alone, made.plan.tests) is None
    found = difference_table(made.tables[0], made.plan.tests)
    # 10 points, 2 nets and the mean by 13 * 12 / 2 = 78 pairs: 1,014 rows.
    assert len(found.rows) == 500
    assert "514 further rows in the workbook" in found.note
