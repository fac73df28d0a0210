"""Human labels as scores, comparisons with them, and rows drawn for labels."""

import numpy as np
import polars as pl
import pytest
from tests.judging.conftest import Scripted, plain_running

from semscale.errors import InputError
from semscale.judging.human_labels import (
    compare_with_labels,
    label_table,
    nearest,
)
from semscale.judging.judge import Judge
from semscale.judging.label_draws import draw_rows, earlier_draws
from semscale.judging.templates import Criterion, Rubric, Template, even_template, load_template
from semscale.judging.verdict import Provenance, Verdict, combine_criteria
from semscale.judging.verdicts import Verdicts
from semscale.scales import load_scale
from semscale.signature import Signature
from semscale.types import Status

LIKERT = load_template("likert")


@pytest.mark.parametrize(
    ("template", "cell", "scores"),
    [
        ("likert", 5, [1.0]), ("likert", "4", [0.75]), ("likert", 4.5, [0.875]),
        ("likert", "[4, 5]", [0.75, 1.0]),
        ("likert", "mostly correct", [0.75]), ("continuous", 85, [0.85]), ("true_false", "Correct", [1.0]),
        ("true_false", "wrong", [0.0]), ("true_false", 1, [1.0]), ("true_false_uncertain", 0.5, [0.5]),
        ("likert", None, [np.nan]), ("likert", " ", [np.nan]), ("likert", float("nan"), [np.nan]),
        ("likert", [], [np.nan]), ("likert", "NA", [np.nan]), ("likert", "don’t know", [np.nan]),
        ("likert", "Mostly\u00a0 correct ", [0.75]),
    ],
)  # fmt: skip
def test_labels_are_what_the_judge_says_too(template, cell, scores):
    np.testing.assert_array_equal(label_table([cell], load_template(template)), [scores])


def test_a_level_that_is_named_like_a_code_is_a_label():
    template = even_template("flaws", "Has it flaws?", [("Many", ""), ("Some", ""), ("None", "")])
    assert label_table(["None", "Some"], template).tolist() == [[1.0], [0.5]]


def test_labels_on_a_scale_of_the_library():
    template = Template.from_scale(load_scale("recommendation"))  # 0 to 10
    assert label_table([0, 7, 10], template).tolist() == [[0.0], [0.7], [1.0]]


@pytest.mark.parametrize("cell", [0, 6, "good", True, "[4, 'x']", float("inf"), {"score": 4}])
def test_a_label_that_is_none_is_named_with_its_row(cell):
    with pytest.raises(
        InputError,
        match="human: labels must be those of template 'likert', numbers from 1 to 5 or .*in row 2",
    ):
        label_table([4, cell], LIKERT)


def test_kappa_of_a_judge_with_a_single_label_per_item():
    expected = np.array([1.0, 0.75, 0.0, 0.25, 0.5, 1.0])
    labels = np.array([[0.75], [0.5], [0.0], [np.nan], [np.nan], [0.75]])
    human = compare_with_labels(expected, labels, LIKERT)
    # Over the four labelled rows: .25, .25, 0 and .25 above.
    assert human.corrected.bias == pytest.approx(0.1875)
    assert human.corrected.n_labelled == 4
    assert human.ceiling is None
    # Observed squared differences .0625 + .0625 + 0 + .0625; means over all pairs of judge 1, .75, 0, 1 and
    # people .75, .5, 0, .75: sum over 16 pairs of (j - p)^2 = 4*2.5625 + 4*1.375 - 2*2.75*2 = 4.75.
    assert human.kappa.value == pytest.approx(1 - (0.1875 / 4) / (4.75 / 16))


def test_agreement_between_human_raters_is_the_ceiling():
    expected = np.array([1.0, 0.75, 0.0, 0.25, 0.5])
    labels = np.array([[1.0, 0.75], [0.75, 0.75], [0.0, 0.25], [0.25, 0.0], [0.5, 0.5]])
    human = compare_with_labels(expected, labels, LIKERT)
    assert human.ceiling.n_raters == 2
    assert human.mean_label.tolist() == [0.875, 0.75, 0.125, 0.125, 0.5]


def test_nearest_level():
    assert nearest(np.array([0.12, 0.13, 0.375]), LIKERT.scores).tolist() == [0.0, 0.25, 0.25]


TEMPLATE = load_template("likert")


def verdicts(*distributions):
    entries = tuple(
        Verdict(result[0][0], result, Provenance.DECISION, 1.0, "", (), Status.SCORED)
        if result
        else Verdict.without_score(Status.REFUSED)
        for result in distributions
    )
    status = np.array([verdict.status for verdict in entries], dtype=object)
    return Verdicts(entries, status, TEMPLATE, "m", Signature.of("judge"))


SURE, UNSURE = ((0.5, 1.0),), ((0.0, 0.5), (1.0, 0.5))


def test_uncertain_verdicts_are_drawn_more_often_than_sure_verdicts():
    result = draw_rows(verdicts(*[SURE] * 50, *[UNSURE] * 50), 20, seed=1)
    by_row = dict(zip(result.rows.tolist(), result.probability.tolist(), strict=True))
    # average width .25: sure rows have .5, unsure ones .5 + .5 * 2 = 1.5; of 20, (.5, 1.5) * 20 / 100
    assert {round(chance, 9) for row, chance in by_row.items() if row < 50} == {0.1}
    assert {round(chance, 9) for row, chance in by_row.items() if row >= 50} == {0.3}
    # variance with s = .5 on 50 rows: 100 * 50 * .25 / (50 * .25 / .3) = 30
    assert result.worth == pytest.approx(30)


def test_alike_all_rows_have_the_same_probability():
    result = draw_rows(verdicts(*[SURE] * 5, *[UNSURE] * 5), 4, alike=True)
    assert set(result.probability.tolist()) == {0.4}
    assert result.worth == pytest.approx(4)


def test_rows_without_a_score_are_never_drawn():
    result = draw_rows(verdicts(SURE, (), UNSURE), 9)
    assert sorted(result.rows.tolist()) == [0, 2]
    assert result.n_scored == 2


def test_the_table_has_drawn_rows_first_and_room_for_labels():
    drawn = draw_rows(verdicts(*[UNSURE] * 4), 2, seed=3)
    table = drawn.table(pl.DataFrame({"q": list("abcd")}))
    assert table["human"].to_list() == [None] * 4
    assert [chance is None for chance in table["inclusion"].to_list()] == [False, False, True, True]
    assert table["q"].to_list()[:2] == [list("abcd")[row] for row in drawn.rows]
    assert sorted(table["q"].to_list()) == list("abcd")


def test_a_column_that_the_labels_need_is_refused():
    drawn = draw_rows(verdicts(SURE), 1)
    with pytest.raises(InputError, match="has a column 'human'"):
        drawn.table(pl.DataFrame({"human": [1]}))


@pytest.mark.exhaustive
def test_a_mean_corrected_by_such_labels_is_unbiased():
    """Where the judge errs most on the rows it is unsure of, labels taken as a plain sample mislead."""
    rng = np.random.default_rng(0)
    # sure rows are right (.5); on unsure rows the judge expects .5 and people say 1: the true mean is .75
    result = verdicts(*[SURE] * 200, *[UNSURE] * 200)
    truth = np.r_[np.full(200, 0.5), np.ones(200)]
    weighted, plain = [], []
    for seed in rng.integers(1_000_000, size=200).tolist():
        drawn = draw_rows(result, 40, seed=seed)
        labels, inclusion = np.full((400, 1), np.nan), np.full(400, np.nan)
        labels[drawn.rows, 0], inclusion[drawn.rows] = truth[drawn.rows], drawn.probability
        weighted.append(
            compare_with_labels(result.expected, labels, TEMPLATE, inclusion=inclusion).corrected.value
        )
        plain.append(compare_with_labels(result.expected, labels, TEMPLATE).corrected.value)
    assert np.mean(weighted) == pytest.approx(0.75, abs=0.01)
    # taken as a plain sample three quarters of the labels are of unsure rows: .5 * .25 + 1 * .75
    assert np.mean(plain) == pytest.approx(0.875, abs=0.01)


def test_a_label_without_a_probability_is_refused():
    judged = Judge(Scripted(lambda _: "Score: 4")).judge(["q"] * 2, ["a", "b"], running=plain_running())
    with pytest.raises(InputError, match="inclusion"):
        compare_with_labels(
            judged.expected, np.array([[1.0], [0.5]]), TEMPLATE, inclusion=np.array([0.5, np.nan])
        )


def test_rows_with_sure_criteria_are_not_drawn_more_often():
    tone, care = (
        Criterion(name, even_template(name, "How?", [("low", ""), ("high", "")]), 0.5)
        for name in ("tone", "care")
    )
    rubric = Rubric("mine", (tone, care))

    def sure(score):
        return Verdict(score, ((score, 1.0),), Provenance.DECISION, 1.0, "", (), Status.SCORED)

    entries = tuple(combine_criteria(rubric, [sure(0.0), sure(other)]) for other in (0.0, 1.0) * 5)
    status = np.array([verdict.status for verdict in entries], dtype=object)
    result = draw_rows(Verdicts(entries, status, rubric.template, "m", Signature.of("judge")), 4)
    assert set(result.probability.tolist()) == {0.4}
    assert result.worth == pytest.approx(4)


@pytest.mark.exhaustive
def test_a_mean_corrected_by_the_labels_of_two_draws_is_unbiased():
    """As above with two draws: 20 rows, then 20 of the rest; their probabilities are joined."""
    rng = np.random.default_rng(1)
    result = verdicts(*[SURE] * 60, *[UNSURE] * 60)
    truth = np.r_[np.full(60, 0.5), np.ones(60)]
    values, weights = [], []
    for seed in rng.integers(1_000_000, size=300).tolist():
        labels, inclusion = np.full((120, 1), np.nan), np.full(120, np.nan)
        first = draw_rows(result, 20, seed=seed)
        labels[first.rows, 0], inclusion[first.rows] = truth[first.rows], first.probability
        second = draw_rows(result, 20, seed=seed + 1, earlier=earlier_draws(labels, inclusion))
        assert not set(first.rows) & set(second.rows)
        inclusion = second.earlier.copy()
        labels[second.rows, 0], inclusion[second.rows] = truth[second.rows], second.probability
        assert (inclusion[~np.isnan(inclusion)] <= 1).all()
        weights.append(np.nansum(1 / inclusion))
        values.append(
            compare_with_labels(result.expected, labels, TEMPLATE, inclusion=inclusion).corrected.value
        )
    # The labels of a draw stand for all 120 rows on average, and the true mean is .75.
    assert np.mean(weights) == pytest.approx(120, rel=0.01)
    assert np.mean(values) == pytest.approx(0.75, abs=0.01)


def test_rows_drawn_before_and_not_yet_labelled_come_first_too():
    result = verdicts(*[UNSURE] * 6)
    earlier = np.array([np.nan, 0.5, 0.5, np.nan, np.nan, np.nan])
    drawn = draw_rows(result, 2, alike=True, earlier=earlier)
    table = drawn.table(
        pl.DataFrame(
            {"q": list("abcdef"), "human": [None, "4", None, None, None, None], "inclusion": earlier}
        )
    )
    assert set(table["q"].to_list()[:2]) == {"abcdef"[row] for row in drawn.rows}
    assert table["q"].to_list()[2] == "c"
    assert table["human"].to_list().count("4") == 1
