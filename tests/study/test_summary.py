"""The summary of a study, and the figures in it."""

import json

import numpy as np
import polars as pl
import pytest
from scipy.stats import t
from tests.schema_check import SCHEMA as JSON_SCHEMA
from tests.schema_check import check_json

from semscale.scales import load_scale
from semscale.stats.intervals import IntervalPlan
from semscale.study.questionnaire import StudyQuestion
from semscale.study.study_figures import (
    MOST_LEVELS,
    PANEL_WEIGHT,
    answer_variances,
    compare_pairs,
    level_differences,
    order_contrasts,
    order_effects,
    rerun_reliability,
)
from semscale.study.summary import UnratedReason, draw_quotes, reasons_without_rating

SCALE = load_scale("purchase-intent")
QUESTION = StudyQuestion("intent", "Buy?", SCALE, ("dlr",))
THREE_METHODS = StudyQuestion("q", "q", SCALE, ("ssr", "flr", "dlr"))
PLAN = IntervalPlan(replicates=200)


@pytest.fixture
def summary(written, played, running, toy_embedder):
    # Ann picks 2, the others pick 4; Cid's numbers cannot be read.
    def number(request):
        who = request.messages[0].text
        return "2" if "Ann" in who else "4" if "Bob" in who else "4 or 5"

    played.number = number
    return written().run(played, embedder=toy_embedder, running=running).summary()


def test_means_are_of_answers_with_a_rating(summary):
    means = summary.figures.select("mean", method="dlr", by=None)
    assert [mean.concept for mean in means] == [None, "oat", "nut"]
    oat = means[1]
    assert (oat.value, oat.n, oat.n_left_out) == (3.0, 2, 1)
    # Half of the rated answers on 2, half on 4.
    masses = [summary.figures.counterpart(oat, f"p_{point}").value for point in range(1, 6)]
    assert masses == [0, 0.5, 0, 0.5, 0]
    counts = summary.figures.select("answers", question="intent", method="dlr", concept="oat")
    assert [(row.status, row.value, row.n) for row in counts] == [("scored", 2, 3), ("unparsable", 1, 3)]


def test_personas_are_resampled_and_not_answers(summary):
    (overall,) = summary.figures.select("mean", method="flr", concept=None, by=None)
    assert (overall.n, overall.n_clusters) == (6, 3)


def test_groups_of_personas_are_in_order(summary):
    by_age = summary.figures.select("mean", method="dlr", by="age")
    assert [(row.level, row.n) for row in by_age] == [("30", 2), ("60", 2)]


def test_statuses_are_counted_by_method_and_group(summary):
    counts = summary.figures.select("answers", question=None, method="dlr")
    assert [(row.by, row.level, row.status, row.value, row.n) for row in counts] == [
        (None, None, "scored", 4, 6),
        (None, None, "unparsable", 2, 6),
        ("age", "30", "scored", 2, 2),
        ("age", "60", "scored", 2, 4),
        ("age", "60", "unparsable", 2, 4),
    ]


def test_the_table_has_a_column_for_each_attribute(summary):
    table = summary.figures.to_frame()
    assert table.height == len(summary.figures.rows)
    oat = table.filter(figure="mean", method="dlr", concept="oat").row(0, named=True)
    assert (oat["value"], oat["n"], oat["by"], oat["p"]) == (3.0, 2, None, None)


def test_counts_and_reasons(summary):
    assert summary.counts == {"scored": 16, "unparsable": 2}
    assert summary.reasons == {"unparsable": 2}
    assert summary.failed is None
    assert repr(summary) == "StudySummary('bars', n=18, n_scored=16)"


def test_costs_are_summed_by_method(summary):
    tokens, seconds = (summary.figures.select(figure) for figure in ("tokens", "seconds"))
    assert [(row.method, row.n, row.value) for row in tokens] == [
        ("ssr", 6, 90),
        ("flr", 6, 90),
        ("dlr", 6, 90),
    ]
    assert [row.value for row in seconds] == [0.25] * 3
    assert np.isnan([row.value for row in summary.figures.select("cost")]).all()


def test_json_keeps_to_its_schema_and_calls_its_intervals_simulated(summary):
    text = summary.to_json()
    check_json(text)
    assert '"kind": "simulation"' in text


def test_docs_list_the_figures_of_the_schema():
    schema = json.loads(JSON_SCHEMA.read_text(encoding="utf-8"))["$defs"]["study_figure"]
    listed = (JSON_SCHEMA.parents[1] / "studies.md").read_text(encoding="utf-8")
    assert [
        name for name in schema["properties"]["figure"]["anyOf"][0]["enum"] if f"`{name}`" not in listed
    ] == []


def test_json_has_answers_to_read(summary):
    quotes = json.loads(summary.to_json())["quotes"]
    # Three personas for each of two concepts, and no more than three are drawn.
    assert [quote["concept"] for quote in quotes] == ["oat"] * 3 + ["nut"] * 3
    assert [quote["persona"] for quote in quotes] == ["ann", "bob", "cid"] * 2
    assert {quote["reply"] for quote in quotes} == {"I would probably buy it."}
    assert {quote["values"]["flr"] for quote in quotes} == {5.0}


def test_an_attribute_may_be_called_as_a_column_of_answers(written, played, running, toy_embedder):
    study = written(
        ("{age}", "{status}"), ("[age]", "[status]"), people="persona,name,status\na,Ann,x\nb,Bob,y\n"
    )
    summary = study.run(played, embedder=toy_embedder, running=running).summary()
    groups = summary.figures.select("mean", method="dlr", by="status")
    assert [group.level for group in groups] == ["x", "y"]


ANSWERS = {"oat": [1, 2, 3, 4], "nut": [2, 2, 5, 4], "fig": [5, 4, 5, 5]}


def answer_rows(answers, ages=("a", "b", "a", "b"), weights=None):
    n = len(next(iter(answers.values())))
    frame = pl.DataFrame(
        {
            "persona": [f"p{row}" for _ in answers for row in range(n)],
            "concept": [name for name in answers for _ in range(n)],
            "value": [value for part in answers.values() for value in part],
            "attribute age": [ages[row % len(ages)] for _ in answers for row in range(n)],
        },
        schema_overrides={"value": pl.Float64},
    )
    return frame if weights is None else frame.with_columns(pl.Series(PANEL_WEIGHT, weights * len(answers)))


def differences_in(rows, concepts=tuple(ANSWERS), attributes=()):
    return list(level_differences(QUESTION, rows, concepts, attributes, 0.95))


def test_concepts_are_compared_within_personas():
    oat_nut, oat_fig, nut_fig = differences_in(answer_rows(ANSWERS))
    assert (oat_nut.by, oat_nut.level, oat_nut.other) == ("concept", "oat", "nut")
    # Differences of the personas are -1, 0, -2 and 0: mean -.75, squares about it 2.75, variance 2.75 / 3, so
    # that the standard error is sqrt(2.75 / 12). Two concepts take two degrees of freedom of four personas.
    error = np.sqrt(2.75 / 12)
    assert oat_nut.value == pytest.approx(-0.75)
    assert oat_nut.high == pytest.approx(-0.75 + t.ppf(0.975, 2) * error)
    assert oat_nut.p == pytest.approx(2 * t.sf(0.75 / error, 2))
    # Holm: three tests; the smallest p times 3, the next one times 2, and never less than the one before.
    p = sorted([oat_nut.p, oat_fig.p, nut_fig.p])
    expected = [3 * p[0], max(3 * p[0], 2 * p[1]), max(3 * p[0], 2 * p[1], p[2])]
    assert sorted(item.p_adjusted for item in (oat_nut, oat_fig, nut_fig)) == pytest.approx(expected)


def test_difference_of_means_uses_the_base_of_every_concept():
    (single,) = differences_in(answer_rows({"oat": [1, 2, 3, None], "nut": [2, 2, 5, 4]}))
    assert single.value == pytest.approx(2 - 3.25)


def test_weights_count_and_a_persona_with_none_is_in_no_base():
    (single,) = differences_in(
        answer_rows({"oat": [1, 2, 3, 4], "nut": [2, 2, 5, 4]}, weights=[2.0, 1.0, 1.0, 0.0])
    )
    # (2 * -1 + 0 - 2) / 4
    assert single.value == pytest.approx(-1.0)


def test_groups_of_personas_are_compared_over_all_concepts():
    *_, single = differences_in(answer_rows({"oat": [1, 2, 3, 4], "nut": [2, 2, 5, 4]}), attributes=["age"])
    assert (single.by, single.level, single.other) == ("age", "a", "b")
    assert single.value == pytest.approx((1 + 3 + 2 + 5) / 4 - (2 + 4 + 2 + 4) / 4)


def test_there_is_no_test_where_all_personas_differ_alike():
    (single,) = differences_in(answer_rows({"oat": [1, 2, 3, 4], "nut": [2, 3, 4, 5]}))
    assert single.value == -1
    assert np.isnan([single.low, single.high, single.p, single.p_adjusted]).all()


@pytest.mark.parametrize(
    "answers",
    [
        {"oat": [3], "nut": [4]},
        {"oat": [1, 2, 3], "nut": [None, None, None]},
        {str(number): [1, 2, 3] for number in range(MOST_LEVELS + 1)},
    ],
)
def test_too_few_or_too_many_are_not_compared(answers):
    assert differences_in(answer_rows(answers), concepts=tuple(answers)) == []


def rated_rows(values):
    n = len(values)
    return pl.DataFrame(
        {
            "persona": [f"p{row}" for row in range(n)],
            "sample": 1,
            "concept": "a",
            "value": values,
        }
    )


def paired(answers, by="method"):
    """Return differences and correlations of two methods or models."""
    outcome = list(compare_pairs(QUESTION, answers, PLAN, by=by))
    return [[row for row in outcome if row.figure == name] for name in ("paired_difference", "correlation")]


def test_differences_are_of_answers_that_have_both():
    (difference,), (correlation,) = paired(
        {"flr": rated_rows([2.0, 3.0, None, 5.0]), "dlr": rated_rows([1.0, 2.0, 5.0, 4.0])}
    )
    # 2 - 1, 3 - 2 and 5 - 4; the third answer has no rating by FLR.
    assert (difference.by, difference.level, difference.other) == ("method", "flr", "dlr")
    assert (difference.value, difference.n, difference.n_left_out) == (1.0, 3, 1)
    assert correlation.value == pytest.approx(1.0)


def test_two_answers_have_no_correlation():
    _, (correlation,) = paired({"flr": rated_rows([2.0, 3.0]), "dlr": rated_rows([1.0, 2.0])})
    assert np.isnan(correlation.value)


def test_every_two_models_are_compared_on_answers_that_both_gave():
    values = {"a": [1.0, 2.0, 3.0, 5.0], "b": [2.0, 3.0, 4.0, None], "c": [5.0, 4.0, 3.0, 1.0]}
    differences, correlations = paired({model: rated_rows(part) for model, part in values.items()}, "model")
    assert [(row.level, row.other) for row in differences] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [(row.value, row.n) for row in differences[:2]] == [(-1.0, 3), (pytest.approx((11 - 13) / 4), 4)]
    # Values 1 2 3 5 beside 5 4 3 1: 6 less each.
    assert [row.value for row in correlations[:2]] == pytest.approx([1, -1])


def test_single_model_has_no_pairs():
    assert paired({"a": rated_rows([1.0, 2.0, 3.0, 4.0])}, "model") == [[], []]


def test_the_mean_of_the_contrasts_is_the_difference_of_means():
    rng = np.random.default_rng(0)
    values, concepts = rng.uniform(1, 5, 30), rng.integers(0, 3, 30)
    first = rng.random(30) < 0.3
    deviations = values - np.array([values[concepts == item].mean() for item in concepts])
    expected = deviations[first].mean() - deviations[~first].mean()
    assert order_contrasts(values, first, concepts).mean() == pytest.approx(expected)


def test_better_concepts_in_first_position_are_no_order_effect():
    # Concept b is two points better wherever it stands.
    rows = pl.DataFrame(
        {
            "persona": ["1", "1", "2", "2"],
            "concept": ["a", "b", "b", "a"],
            "concept_position": [1, 2, 1, 2],
            "question_position": [1, 1, 1, 1],
            "value": [2.0, 4.0, 4.0, 2.0],
        }
    )
    (outcome,) = order_effects(QUESTION, rows, IntervalPlan())
    assert (outcome.by, outcome.value) == ("concept", 0.0)


def test_answers_without_a_position_have_no_order_effect():
    rows = pl.DataFrame(
        {
            "persona": ["1"],
            "concept": ["a"],
            "concept_position": [None],
            "question_position": [None],
            "value": [2.0],
        },
        schema_overrides={"concept_position": pl.Int64, "question_position": pl.Int64},
    )
    assert list(order_effects(QUESTION, rows, IntervalPlan())) == []


def text_rows(n):
    simulated = [
        {
            "persona": f"p{row}", "sample": 1, "concept": concept, "method": method,
            "reply": None if row == 0 else f"{concept} says {row}",
            "value": {"ssr": 2.5, "flr": None, "dlr": 4.0}[method],
        }
        for row in range(n) for concept in "ab" for method in THREE_METHODS.methods
    ]  # fmt: skip
    return pl.DataFrame(simulated)


def test_three_answers_per_concept_are_quoted_with_their_ratings():
    outcome = list(draw_quotes(THREE_METHODS, text_rows(9), None, seed=0))
    assert [answer.concept for answer in outcome] == ["a"] * 3 + ["b"] * 3
    # Numbers of DLR are no words, and the first persona said nothing.
    assert outcome[0].values == {"ssr": 2.5, "flr": None}
    assert {answer.reply for answer in outcome} <= {f"{c} says {n}" for c in "ab" for n in range(1, 9)}
    assert outcome == list(draw_quotes(THREE_METHODS, text_rows(9), None, seed=0))
    assert outcome != list(draw_quotes(THREE_METHODS, text_rows(9), None, seed=1))


def test_fewer_answers_are_all_quoted():
    assert len(list(draw_quotes(THREE_METHODS, text_rows(2), None, seed=0))) == 2
    assert list(draw_quotes(THREE_METHODS, text_rows(1), None, seed=0)) == []


def reliabilities(samples):
    cells = [
        (f"p{row}", "oat", sample, value)
        for sample, values in enumerate(samples, start=1)
        for row, value in enumerate(values)
    ]
    frame = pl.DataFrame(cells, schema=["persona", "concept", "sample", "value"], orient="row")
    return list(rerun_reliability(frame, IntervalPlan()))


def test_reliability_of_two_samples():
    (outcome,) = reliabilities([[1.0, 2.0, 4.0, 5.0], [2.0, 2.0, 4.0, 4.0]])
    # Means of personas 1.5, 2, 4, 4.5 about 3: squares 6.5, times 2 samples over 3: 13 / 3 between. Within:
    # (.5 + .5) / 4 = .25. ICC(1,k) = (13 / 3 - .25) / (13 / 3).
    assert outcome.value == pytest.approx(1 - 0.25 / (13 / 3))


def test_persona_with_a_missing_rating_is_left_out_of_reliability():
    (outcome,) = reliabilities([[1.0, 2.0, 4.0, 5.0, None], [2.0, 2.0, 4.0, 4.0, 1.0]])
    assert outcome.value == pytest.approx(1 - 0.25 / (13 / 3))


def test_single_sample_has_no_reliability():
    assert reliabilities([[1.0, 2.0, 3.0]]) == []


def test_no_rating_at_all_has_no_reliability():
    (outcome,) = reliabilities([[None, None], [None, None]])
    assert outcome.value != outcome.value


def sampled_answers(values, set_values=None, models="m", asked_models="m"):
    """Answers (personas, samples) about one concept."""
    n, samples = values.shape
    return pl.DataFrame(
        {
            "persona": [f"p{row}" for row in range(n) for _ in range(samples)],
            "concept": "oat",
            "sample": list(range(1, samples + 1)) * n,
            "asked_model": asked_models,
            "model": models,
            "value": values.ravel().astype(float),
            "set_values": pl.Series(
                [None] * values.size if set_values is None else set_values, dtype=pl.List(pl.Float64)
            ),
        }
    )


def variances(rows):
    """Return the values of all figures by name and facet."""
    return {(row.figure, row.level): row.value for row in answer_variances(rows, PLAN)}


def components(outcome):
    return {facet: value for (figure, facet), value in outcome.items() if figure == "variance"}


def test_personas_and_samples_by_hand():
    # Persona means 1.5, 3, 4.5: 2 times their variance 2.25 is 4.5. Within: (.5 + 2 + .5) / 3 = 1.
    outcome = variances(sampled_answers(np.array([[1, 2], [2, 4], [4, 5]])))
    assert components(outcome) == pytest.approx({"persona": (4.5 - 1) / 2, "residual": 1.0})
    assert outcome["variance_share", "persona"] == pytest.approx(1.75 / 2.75)
    # Means of 3 personas and 6 sampled_answers: 1.75 / 3 + 1 / 6; both fall by half with twice the personas.
    assert outcome["standard_error", None] == pytest.approx(np.sqrt(1.75 / 3 + 1 / 6))
    assert outcome["standard_error", "persona"] == pytest.approx(np.sqrt((1.75 / 3 + 1 / 6) / 2))
    assert (outcome["levels", "persona"], outcome["levels", "repeated sample"]) == (3, 2)


def test_anchor_sets_are_a_variance_component_if_stored():
    values = np.array([[2.0], [3.0], [4.0]])
    by_set = [[value - 1, value + 1] for value in values.ravel().tolist()]
    outcome = variances(sampled_answers(values, by_set))
    # Sets are 2 apart: variance 2. Personas 1 apart: variance 1. Nothing else.
    assert components(outcome) == pytest.approx(
        {"persona": 1.0, "anchor set": 2.0, "residual": 0.0}, abs=1e-9
    )
    assert outcome["standard_error", "anchor set"] < outcome["standard_error", "persona"]


def test_single_answers_have_no_variance_components():
    assert variances(sampled_answers(np.array([[1], [2], [4]]))) == {}


def test_answers_without_a_rating_are_left_out():
    rows = sampled_answers(np.array([[1, 2], [2, 4], [4, 5], [5, 5]])).with_columns(
        pl.when(pl.col("persona") == "p3").then(None).otherwise("value").alias("value")
    )
    (error,) = (
        row for row in answer_variances(rows, PLAN) if (row.figure, row.by) == ("standard_error", None)
    )
    assert error.n == 6


def test_unrated_reasons_are_counted_by_method_with_a_quote():
    rows = [
        ("ssr", "scored", None, "I would.", None),
        ("ssr", "refused", "declines", "I cannot say.", None),
        ("flr", "unparsable", None, "I would.", "4 or 5"),
        ("flr", "unparsable", None, None, "4 or 5"),
        ("dlr", "failed", "no connection", None, None),
    ]
    names = ("method", "status", "reason", "reply", "rating_reply")
    outcome = reasons_without_rating(pl.DataFrame(rows, schema=names, orient="row"), None, seed=0)
    assert outcome == [
        UnratedReason("flr", "unparsable", "unparsable", 2, "4 or 5"),
        UnratedReason("ssr", "refused", "declines", 1, "I cannot say."),
        UnratedReason("dlr", "failed", "no connection", 1, None),
    ]
