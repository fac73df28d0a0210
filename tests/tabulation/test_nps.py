"""The net promoter score: its groups, its standard error by hand and by R, and its tests."""

import json
import shutil
import subprocess

import numpy as np
import polars as pl
import pytest

import semscale
from semscale.survey.survey_file import parse_survey

ANSWERS = [10, 10, 9, 9, 9, 8, 7, 6, 2, 0]  # 5 promoters, 2 passives, 3 detractors
COLUMN = "How likely are you to recommend us?"


def nps(frame, **settings):
    return semscale.crosstabs(frame, questions=[COLUMN], **settings).tables


def score(table):
    """Return the index of the line with the score."""
    return next(index for index, line in enumerate(table.question.lines) if line.kind == "nps")


def test_a_question_from_0_to_10_that_asks_for_a_recommendation_has_its_groups_and_its_score():
    (table,) = nps(pl.DataFrame({COLUMN: ANSWERS}))
    assert table.question.kind == "nps"
    figures = {line.name: table.cells.values[n, 0] for n, line in enumerate(table.question.lines)}
    assert list(figures)[:11] == [*map(str, range(11))]
    assert list(figures.items())[11:] == [
        ("promoters (9 and 10)", 0.5),
        ("passives (7 and 8)", 0.2),
        ("detractors (0 to 6)", pytest.approx(0.3)),
        ("NPS", pytest.approx(20.0)),
        ("mean", pytest.approx(7.0)),
    ]


def test_the_interval_of_the_score_is_that_of_a_mean_of_three_values():
    (table,) = nps(pl.DataFrame({COLUMN: ANSWERS}))
    line = score(table)
    # Variance of the difference of two shares of one sample: (p + d - (p - d)^2) / (n - 1) = .76 / 9, so the
    # standard error is 29.059 points; t with 9 degrees of freedom is 2.26216.
    low, high = 20 - 2.26216 * 29.0593, 20 + 2.26216 * 29.0593
    assert (table.cells.low[line, 0], table.cells.high[line, 0]) == pytest.approx((low, high), abs=1e-3)


def test_the_score_knows_of_clusters():
    # Each answer twice, by two people of a household: 20 rows tell no more than 10.
    frame = pl.DataFrame({COLUMN: ANSWERS * 2, "home": [*range(10)] * 2})
    (table,) = nps(frame, cluster="home")
    line = score(table)
    assert table.cells.high[line, 0] == pytest.approx(20 + 2.26216 * 29.0593, abs=1e-3)


def test_a_described_question_and_codes_for_no_answer():
    text = b"questions:\n- {name: q, kind: nps, columns: x, missing: {99: refused}, values: ["
    text += b", ".join(b"{value: %d}" % point for point in range(11)) + b"]}\n"
    frame = pl.DataFrame({"x": [*ANSWERS, 99, None]})
    survey = parse_survey(text, source="survey.yaml")
    (table,) = semscale.crosstabs(frame, questions=["q"], survey=survey).tables
    assert table.cells.values[score(table), 0] == pytest.approx(20.0)
    assert table.cells.n_missing[0, 0] == 2
    assert table.question.notes == ("left out as no answer: ‘99’ (1, refused)",)


def test_labelled_ends_and_rows_of_a_group_are_read():
    cells = [{0: "0 - Not at all likely", 10: "10 - Extremely likely"}.get(n, str(n)) for n in ANSWERS]
    frame = pl.DataFrame({COLUMN: cells * 6, "g": ["a"] * 30 + ["b"] * 30})
    (table,) = nps(frame, banners=["g"], min_base=5)
    assert table.cells.values[score(table)].tolist() == pytest.approx([20, 20, 20])
    assert table.question.lines[10].name == "10 - Extremely likely"


def test_a_change_of_the_score_is_tested_as_a_difference_of_means():
    later = [10] * 8 + [7, 0]  # 80 - 10 = 70
    frame = pl.DataFrame({COLUMN: ANSWERS + later, "wave": ["1"] * 10 + ["2"] * 10})
    (table,) = nps(frame, wave="wave", min_base=5)
    line = score(table)
    assert table.changes.values[line, -1] == pytest.approx(50.0)
    # Sums of squares: 76,000 and 10 * (.9 - .49) * 10^4 = 41,000; var = 20 / 19 * 117,000 / 100, and t with
    # 20 - 1 - 1 degrees of freedom is 2.1009.
    error = np.sqrt(20 / 19 * 1170)
    assert table.changes.high[line, -1] == pytest.approx(50 + 2.1009 * error, abs=0.01)


def test_the_score_is_in_every_output(tmp_path):
    (table,) = nps(pl.DataFrame({COLUMN: ANSWERS}))
    result = semscale.crosstabs(pl.DataFrame({COLUMN: ANSWERS}), questions=[COLUMN])
    cells = result.to_frame().filter(pl.col("statistic") == "nps")
    assert (cells["line"].to_list(), cells["value"].to_list()) == (["NPS"], pytest.approx([20.0]))
    for ending in (".html", ".md", ".xlsx", ".json"):
        result.report(tmp_path / f"t{ending}")
    assert "NPS | 20.0" in (tmp_path / "t.md").read_text(encoding="utf-8").replace("  ", " ")


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R with the package survey")
def test_r_has_the_same_score_and_standard_error(tmp_path):
    rng = np.random.default_rng(7)
    frame = pl.DataFrame({
        COLUMN: rng.integers(0, 11, 200), "w": rng.uniform(0.5, 2, 200),
        "s": ["a", "b"] * 100, "c": [n // 4 for n in range(200)],
    }).with_columns((pl.col("c").cast(pl.String) + pl.col("s")).alias("c"))  # fmt: skip
    frame.rename({COLUMN: "x"}).write_csv(tmp_path / "x.csv")
    code = """suppressMessages(library(survey)); d <- read.csv("x.csv")
d$y <- 100 * ((d$x >= 9) - (d$x <= 6)); s <- svydesign(ids=~c, strata=~s, weights=~w, data=d)
m <- svymean(~y, s); ci <- confint(m, df=degf(s))
cat(sprintf("[%.10f, %.10f, %.10f]", coef(m), ci[1], ci[2]))"""
    ran = subprocess.run(["Rscript", "-e", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    if ran.returncode:
        pytest.skip("needs R with the package survey")
    (table,) = nps(frame, weight="w", strata="s", cluster="c")
    line = score(table)
    shown = [float(part[line, 0]) for part in (table.cells.values, table.cells.low, table.cells.high)]
    assert shown == pytest.approx(json.loads(ran.stdout), rel=1e-6)


def test_a_described_question_has_the_points_from_0_to_10_by_itself():
    survey = parse_survey(b"questions: [{name: Recommend, kind: nps, columns: q}]", source="survey.yaml")
    frame = pl.DataFrame({"q": [0, 6, 7, 9, 10, 10, 99, None]})
    (table,) = semscale.crosstabs(frame, questions=["Recommend"], survey=survey, min_base=1).tables
    figures = {line.name: table.cells.values[n, 0] for n, line in enumerate(table.question.lines)}
    # Of six answers, three are promoters and two are detractors; 99 is not known.
    assert set(table.cells.n[:, 0].tolist()) == {6}
    assert figures["promoters (9 and 10)"] == pytest.approx(1 / 2)
    assert table.cells.values[score(table), 0] == pytest.approx(100 / 6)
