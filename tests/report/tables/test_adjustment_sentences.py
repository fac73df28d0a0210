"""The sentence on the tests over which p-values are adjusted, held against the p-values of each table."""

import numpy as np
import polars as pl
import pytest

from semscale.report.tables import change_note, difference_note, table_notes
from semscale.tabulation.crosstabs import crosstabs

N = 240
RNG = np.random.default_rng(3)
FRAME = pl.DataFrame({
    "half": ["ab"[n % 2] for n in range(N)],
    "third": ["abc"[n % 3] for n in range(N)],
    "wave": [f"W{1 + n // 80}" for n in range(N)],
    "hours": RNG.random(N) * 8,
    "like": RNG.integers(1, 6, N),
    "three": RNG.integers(1, 4, N),
    "sort": ["xyz"[n] for n in RNG.integers(0, 3, N)],
    "recommend": [*range(11)] * 21 + [0] * (N - 231),
    **{f"b_{name}": RNG.choice(["Yes", "No"], N) for name in ("tea", "milk")},
})  # fmt: skip


def holm(p_values):
    """Adjust p-values by hand: the i-th smallest of m times m - i + 1, never below the one before it."""
    adjusted, before = {}, 0.0
    for rank, index in enumerate(np.argsort(p_values, kind="stable")):
        before = max(before, min(1.0, p_values[index] * (len(p_values) - rank)))
        adjusted[index] = before
    return [adjusted[index] for index in range(len(p_values))]


def check_families(figures, families):
    """Hold adjusted p-values against Holm's over families, each a selection of lines and comparisons."""
    for lines, comparisons in families:
        shape = np.ix_(lines, comparisons)
        assert figures.adjusted[shape].ravel() == pytest.approx(holm(figures.p_values[shape].ravel()))


OVER = "adjusted by Holm over "
ANSWERS = f"{OVER}the answers, and separately over"
PAIRS = "in all pairs of columns"
CASES = [
    ("like", "half", {}, f"{ANSWERS} the nets and the mean", [5, 3]),
    ("like", "third", {}, f"{ANSWERS} the nets and the mean, {PAIRS}", [5, 3]),
    ("three", "third", {}, f"{ANSWERS} the mean, {PAIRS}", [3, 1]),
    ("sort", "third", {}, f"{OVER}the answers, {PAIRS}", [3]),
    ("recommend", "half", {}, f"{ANSWERS} the nets, the NPS and the mean", [11, 5]),
    ("b_*", "half", {}, f"{ANSWERS} the net", [2, 1]),
    ("hours", "third", {"numeric": ["hours"]}, f"{OVER}all pairs of columns", [1]),
    ("hours", "half", {"numeric": ["hours"]}, "not adjusted, as each is a single test", [1]),
    ("like", "half", {"adjust": "none"}, "not adjusted for the number of tests", None),
]  # fmt: skip


@pytest.mark.parametrize(("question", "banner", "settings", "rule", "sizes"), CASES)
def test_columns_are_adjusted_as_their_note_says(question, banner, settings, rule, sizes):
    result = crosstabs(FRAME, questions=[question], banners=[banner], **settings)
    (table,) = result.tables
    assert f" at 5\N{NO-BREAK SPACE}%, {rule}; the total is not tested." in next(
        table_notes(table, result.settings)
    )
    assert f"Tests: {rule}." in difference_note(result.settings, table)
    pairs = range(len(table.differences.first))
    if sizes is None:
        assert table.differences.adjusted == pytest.approx(table.differences.p_values)
        return
    starts = np.cumsum([0, *sizes])
    assert starts[-1] == len(table.question.lines)
    check_families(
        table.differences,
        [(range(first, last), pairs) for first, last in zip(starts, starts[1:], strict=False)],
    )


def test_small_columns_are_in_no_family():
    frame = FRAME.with_columns(third=pl.when(pl.int_range(N) < 9).then(pl.lit("d")).otherwise(pl.col("half")))
    result = crosstabs(frame, questions=["like"], banners=["third"])
    # Of a, b and d, only a and b have 30 respondents: one pair.
    assert "the nets and the mean; the total" in next(table_notes(result.tables[0], result.settings))


WAVES = [
    ("like", [], {}, f"The second p-value is {ANSWERS} the nets and the mean, in all waves"),
    ("hours", [], {"numeric": ["hours"]}, "The second p-value is adjusted by Holm over all waves"),
    ("like", [], {"adjust": "none"}, "p-values are not adjusted for the number of tests"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "banners", "settings", "rule"), WAVES)
def test_changes_between_waves_are_adjusted_as_their_note_says(question, banners, settings, rule):
    result = crosstabs(FRAME, questions=[question], wave="wave", **settings)
    (table,) = result.tables
    assert change_note(table, result.settings) == f"{rule}; intervals are of single comparisons."
    if "adjust" not in settings:
        n = len(table.question.lines)
        points = 5 if question == "like" else 0
        check_families(table.changes, [(range(points), [2, 3]), (range(points, n), [2, 3])])


def test_two_waves_of_a_number_are_a_single_test_with_one_p_value():
    frame = FRAME.filter(pl.col("wave") != "W1")
    result = crosstabs(frame, questions=["hours"], numeric=["hours"], wave="wave")
    (table,) = result.tables
    assert change_note(table, result.settings) == (
        "p-values are not adjusted, as each is a single test; intervals are of single comparisons."
    )
    blocks = [block for part in result.document().sections for block in part.blocks]
    titles = [str(getattr(block, "title", "")) for block in blocks]
    assert any("percentage points, p in brackets" in title for title in titles)


def test_changes_of_groups_and_of_the_total_are_families_of_their_own():
    result = crosstabs(FRAME, questions=["like"], banners=["half"], wave="wave", min_base=5)
    table = next(table for table in result.tables if table.banner.name == "half")
    assert change_note(table, result.settings) == (
        f"The second p-value is {ANSWERS} the nets and the mean, in all groups, and the total separately; "
        "intervals are of single comparisons."
    )
    points, summaries = range(5), range(5, 8)
    check_families(table.changes, [(points, [0]), (summaries, [0]), (points, [1, 2]), (summaries, [1, 2])])
