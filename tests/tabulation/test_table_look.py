"""What tables show: the order of answers, and answers and groups that are hidden."""

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError
from semscale.tabulation.crosstabs import crosstabs


@pytest.fixture(scope="module")
def frame():
    """100 people: 50 drink tea, 30 coffee, 20 water; 45 in the north, 50 in the south, 5 on islands."""
    return pl.DataFrame({
        "drink": ["coffee"] * 30 + ["tea"] * 50 + ["water"] * 20,
        "like": [1, 2, 3, 4] * 25,
        "region": ["north"] * 45 + ["south"] * 50 + ["islands"] * 5,
    })  # fmt: skip


def table(frame, question="drink", **look):
    (shown,) = crosstabs(frame, questions=[question], banners=["region"], min_base=10, **look).tables
    return shown


def names(shown):
    return [line.name for line in shown.question.lines]


@pytest.mark.parametrize(
    ("sort", "order"), [("descending", ["tea", "coffee", "water"]), ("ascending", ["water", "coffee", "tea"])]
)
def test_choices_are_sorted_by_their_shares(frame, sort, order):
    shown = table(frame, sort=sort)
    assert names(shown) == order
    shares = {"tea": 0.5, "coffee": 0.3, "water": 0.2}
    assert shown.cells.values[:, 0].tolist() == [shares[name] for name in order]


def test_a_scale_keeps_its_order(frame):
    assert names(table(frame, "like", sort="descending")) == names(table(frame, "like"))


def test_hidden_groups_and_answers_change_no_figure_and_no_letter(frame):
    whole = table(frame)
    shown = table(frame, hide=["islands", "water"])
    places = [whole.columns.index(name) for name in ("Total", "north", "south")]
    lines = [names(whole).index(name) for name in names(shown)]
    assert shown.columns == ("Total", "north", "south")
    assert set(names(shown)) == {"tea", "coffee"}
    assert shown.hidden == ("water", "islands")
    assert shown.column_letters == tuple(whole.column_letters[place] for place in places)
    np.testing.assert_array_equal(shown.cells.values, whole.cells.values[np.ix_(lines, places)])
    assert shown.bases[0].tolist() == [100, 45, 50]
    pairs = [
        (shown.columns[first], shown.columns[second])
        for first, second in zip(shown.differences.first, shown.differences.second, strict=True)
    ]
    assert pairs == [("north", "south")]
    before = next(
        pair
        for pair in range(whole.differences.values.shape[1])
        if {whole.columns[whole.differences.first[pair]], whole.columns[whole.differences.second[pair]]}
        == {"north", "south"}
    )
    np.testing.assert_array_equal(shown.differences.adjusted[:, 0], whole.differences.adjusted[lines, before])


def test_small_groups_are_hidden_and_named(frame):
    result = crosstabs(frame, questions=["drink"], banners=["region"], min_base=10, hide_small=True)
    assert result.tables[0].columns == ("Total", "north", "south")
    notes = [str(sentence) for sentence in _notes(result)]
    assert "Not shown: ‘islands’; bases and tests include it." in notes


def _notes(result):
    from semscale.report.tables import question_notes

    return question_notes(result.tables, result.settings)


def test_a_label_that_no_table_has_is_reported(frame):
    result = crosstabs(frame, questions=["drink"], hide=["juice"])
    assert any("‘juice’" in note for note in result.input_notes)


def test_hiding_all_answers_is_refused(frame):
    with pytest.raises(InputError, match="no answer to 'drink' is left"):
        table(frame, hide=["tea", "coffee", "water"])


def test_shares_of_all_answers_include_hidden_options(frame):
    marks = frame.with_columns(
        b_tea=pl.when(pl.col("drink") == "tea").then(pl.lit("yes")).otherwise(pl.lit("no")),
        b_milk=pl.Series(["yes", "no"] * 50),
    )
    (whole,) = crosstabs(marks, questions=["b_*"]).tables
    (shown,) = crosstabs(marks, questions=["b_*"], hide=[names(whole)[0]]).tables
    # 50 of the 100 answers are tea, and 50 milk.
    assert whole.answer_shares[:2, 0].tolist() == [0.5, 0.5]
    assert shown.answer_shares[0, 0] == 0.5


@pytest.mark.parametrize("hide", [["promoters (9 and 10)"], ["0"], ["Net Promoter Score"]])
def test_charts_of_recommendation_do_without_hidden_lines(hide):
    scores = pl.DataFrame({"recommend": [n % 11 for n in range(110)], "g": ["a", "b"] * 55})
    result = crosstabs(scores, questions=["recommend"], banners=["g"], hide=hide)
    assert result.document().sections


def test_decimals_of_the_page(frame):
    def cells(**look):
        result = crosstabs(frame, questions=["drink", "like"], min_base=10, **look)
        return [
            str(row)
            for section in result.document().sections
            for block in section.blocks
            for row in getattr(getattr(block, "table", block), "rows", ())
        ]

    assert any("percent_digits=0" in row for row in cells(decimals=0))
    assert all("percent_digits=0" not in row for row in cells())
