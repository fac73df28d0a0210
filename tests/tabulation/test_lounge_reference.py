"""Tables of the survey of lounges equal R's ``survey``: score, means, shares, raw and adjusted p-values.

The figures are those of bench/reference/lounge.R, with weights alone, and with strata and clusters.
"""

import numpy as np
import polars as pl
import pytest
from tests.support import lounge_survey
from tests.support.reference_figures import check_association, codes, figures, six_digits

from semscale.stats.significance import group_differences
from semscale.stats.survey_designs import SurveyDesign
from semscale.stats.survey_estimates import survey_means
from semscale.survey.survey_file import parse_survey
from semscale.tabulation.crosstabs import crosstabs

FRAME = lounge_survey.truth().with_columns(
    pl.col("satisfaction") + 1, service_2=pl.col("services").list.contains(1).cast(pl.Int8)
)
DESIGNS = {
    "weighted": {"weight": "weight"},
    "clustered": {"weight": "weight", "strata": "stratum", "cluster": "airport"},
}
SURVEY = parse_survey(
    b"questions: [{name: recommend, kind: nps, values: ["
    + b", ".join(b"{value: %d}" % point for point in range(11))
    + b"]}]",
    source="survey.yaml",
)
CABINS, WAVES = ("total", "cabin_0", "cabin_1", "cabin_2"), ("total", "wave_0", "wave_1")
POINTS, SUMMARIES = slice(0, 11), slice(11, 16)


@pytest.fixture(params=DESIGNS, scope="module")
def case(request):
    """The settings of a design, and R's figures."""
    return DESIGNS[request.param], figures("lounge")[request.param]


@pytest.fixture(scope="module")
def design(case):
    columns = {role: FRAME[name].to_numpy() for role, name in case[0].items()}
    return SurveyDesign(columns["weight"], strata=columns.get("strata"), clusters=columns.get("cluster"))


def tables(case, question="recommend", **settings):
    return crosstabs(FRAME, questions=[question], survey=SURVEY, **case[0], **settings).tables


def line_of(table, name):
    return [line.name for line in table.question.lines].index(name)


def score():
    """Return 100, 0 and -100 of promoters, passives and detractors, by respondent."""
    answers = np.array(
        [np.nan if answer is None else float(answer) for answer in FRAME["recommend"].to_list()]
    )
    return np.where(np.isnan(answers), np.nan, 100.0 * ((answers >= 9).astype(float) - (answers <= 6)))


def check_cells(table, line, expected, groups, ends=("value", "low", "high")):
    """Hold a line's cells against R's figures of the groups."""
    parts = {"value": table.cells.values, "low": table.cells.low, "high": table.cells.high}
    for end in ends:
        assert parts[end][line] == six_digits([expected[group][end] for group in groups])


@pytest.mark.parametrize(("banner", "groups"), [("cabin", CABINS), ("wave", WAVES)])
def test_scores_and_means_by_group_and_wave(case, banner, groups):
    (table,) = tables(case, banners=[banner])
    check_cells(table, line_of(table, "NPS"), case[1]["means"]["nps"], groups)
    check_cells(table, line_of(table, "mean"), case[1]["means"]["recommend"], groups)
    (table,) = tables(case, "satisfaction", banners=[banner])
    check_cells(table, line_of(table, "mean"), case[1]["means"]["satisfaction"], groups)


@pytest.mark.parametrize("banner", ["cabin", "wave"])
def test_standard_errors_of_the_score(case, design, banner):
    groups = codes([float("nan") if code is None else code for code in FRAME[banner].to_list()])
    scores = survey_means(score(), design, groups=groups)
    expected = [case[1]["means"]["nps"][f"{banner}_{code}"]["se"] for code in range(groups.max() + 1)]
    assert scores.standard_errors[0] == six_digits(expected)
    total = survey_means(score(), design)
    assert total.standard_errors[0, 0] == six_digits(case[1]["means"]["nps"]["total"]["se"])


@pytest.mark.parametrize(("banner", "groups"), [("cabin", CABINS), ("wave", WAVES)])
def test_shares_by_group_and_wave(case, banner, groups):
    (table,) = tables(case, banners=[banner])
    check_cells(table, 10, case[1]["shares"]["point_10"], groups)
    check_cells(table, line_of(table, "promoters (9 and 10)"), case[1]["shares"]["promoters"], groups)
    (table,) = tables(case, "satisfaction", banners=[banner])
    check_cells(table, line_of(table, "top 2 (4 and 5)"), case[1]["shares"]["top_2"], groups)
    (table,) = tables(case, "service_2", banners=[banner])
    check_cells(table, line_of(table, "1"), case[1]["shares"]["service_2"], groups)


def check_tests(result, expected, comparisons):
    """Hold p-values of points and summaries, raw and adjusted within each family, against R's."""
    for name, lines in (("points", POINTS), ("summaries", SUMMARIES)):
        for ours, r in ((result.p_values, "p"), (result.adjusted, "adjusted")):
            stored = np.array(expected[name][r], dtype=float)
            assert ours[lines][:, comparisons] == pytest.approx(stored, rel=1e-5), (name, r)


def test_differences_of_groups_raw_and_adjusted(case):
    (table,) = tables(case, banners=["cabin"])
    check_tests(table.differences, case[1]["cabins"], [0, 1, 2])
    (table,) = tables(case, banners=["wave"])
    check_tests(table.differences, case[1]["waves"], [0])


def test_changes_between_waves_raw_and_adjusted(case):
    waves, cabins = tables(case, banners=["cabin"], wave="wave")
    check_tests(waves.changes, case[1]["waves"], [2])
    # The total's change is a family of its own, by every banner.
    check_tests(cabins.changes, case[1]["waves"], [0])
    check_tests(cabins.changes, case[1]["changes"], [1, 2, 3])


def test_the_change_of_the_score_and_its_standard_error(case, design):
    means = survey_means(score(), design, groups=FRAME["wave"].to_numpy())
    difference = group_differences(means)
    assert -difference.values[0, 0] == six_digits(case[1]["change"]["value"])
    assert difference.standard_errors[0, 0] == six_digits(case[1]["change"]["se"])
    waves, _ = tables(case, banners=["cabin"], wave="wave")
    assert waves.changes.values[line_of(waves, "NPS"), 2] == six_digits(case[1]["change"]["value"])


@pytest.mark.parametrize("banner", ["cabin", "wave"])
def test_answers_and_groups_together(case, design, banner):
    answers, groups = (
        codes([float("nan") if code is None else f"{code:02}" for code in FRAME[name].to_list()])
        for name in ("recommend", banner)
    )
    check_association(answers, groups, design, case[1]["association"][banner])
    (table,) = tables(case, banners=[banner])
    assert table.association.p_value == pytest.approx(case[1]["association"][banner]["p"], rel=1e-5)
