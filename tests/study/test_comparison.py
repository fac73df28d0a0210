"""A panel beside people: figures, conclusions, and what is refused."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl
import pytest
from tests.study.simulated_answers import CONCEPTS, panel_result, panel_tables, people_table

from semscale.errors import InputError
from semscale.scales import load_scale
from semscale.stats.intervals import Estimate, IntervalPlan
from semscale.study import compare
from semscale.study.axes import GroupContrasts
from semscale.study.people import find_shared_name
from semscale.study.people_comparison import conclude, positions

PLAN = IntervalPlan(replicates=200)
COLUMNS = {"concept": "shown", "splits": 50, "plan": PLAN}


def held(outcome, subject, method=0):
    answers = [item.holds for item in outcome.methods[method].conclusions if item.subject == subject]
    return answers[0] if len(set(answers)) == 1 else answers


def test_a_panel_that_answers_as_people_do():
    outcome = compare(panel_result(), people_table(), by=["age"], **COLUMNS)
    assert [held(outcome, subject) for subject in ("ranking", "distributions", "relations")] == [True] * 3
    assert held(outcome, "groups") is None  # two clear differences are too few to tell
    assert held(outcome, "individuals") is None  # nobody is named


def test_a_panel_that_knows_nothing():
    blank = panel_tables(skill=0, structure=0, group=0, shift=0.7, seed=3)
    outcome = compare(panel_result(blank), people_table(), by=["age"], **COLUMNS)
    # Five concepts cannot show that an order is wrong: the attainment's interval reaches far.
    assert held(outcome, "ranking") is None
    assert [held(outcome, subject) for subject in ("distributions", "relations")] == [False] * 2


@pytest.mark.exhaustive
def test_individuals_by_name():
    # The panel repeats what the people of the same name said, but for a few.
    people = people_table(40)
    rows = people.select(
        pl.col("who").alias("persona"), pl.col("shown").alias("concept"), pl.col("intent").alias("value")
    )
    answers = rows.with_columns(
        pl.lit("intent").alias("question"),
        pl.lit("dlr").alias("method"),
        pl.lit(1).alias("sample"),
        pl.lit("scored").alias("status"),
        pl.col("value").cast(pl.Float64),
        pl.col("value").map_elements(lambda v: np.eye(5)[v - 1].tolist(), pl.List(pl.Float64)).alias("pmf"),
    )
    personas = people.select(pl.col("who").alias("persona"), "age").unique(maintain_order=True)
    folder = panel_result((answers, personas))
    figures = compare(folder, people, respondent="who", **COLUMNS).figures
    (same,) = figures.select("individual_correlation")
    assert (same.n, same.value) == (40, pytest.approx(1))
    assert figures.counterpart(same, "individual_error").value == 0
    assert figures.counterpart(same, "shuffled_error").value > 0.1
    # With all the weight on one person, shuffled personas are as wrong about that one as they differ from it.
    heavy = people.with_columns(pl.when(pl.col("who") == "p0").then(1e9).otherwise(1e-3).alias("w"))
    weighted = compare(folder, heavy, respondent="who", weight="w", **COLUMNS).figures
    (single,) = weighted.select("shuffled_error")
    stated = people.filter(pl.col("who") == "p0")["intent"].to_numpy()
    rest = people["intent"].to_numpy().reshape(40, -1)
    assert single.value == pytest.approx(np.abs(rest - stated).mean() / 4, abs=0.02)
    assert compare(folder, people, **COLUMNS).figures.select("individual_correlation") == []


def test_means_by_hand_with_weights(tmp_path):
    answers, personas = panel_tables(n=12)
    folder = panel_result((answers, personas))
    people = pl.DataFrame({"intent": [1, 5, 5], "shown": ["oat"] * 3, "w": [2.0, 1.0, 1.0]})
    outcome = compare(folder, people, weight="w", **COLUMNS)
    panel_mean, people_mean = outcome.figures.select("mean")
    # (2 * 1 + 5 + 5) / 4
    assert (people_mean.side, people_mean.value, people_mean.n) == ("people", 3, 3)
    expected = answers.filter(concept="oat", question="intent")["value"].mean()
    assert (panel_mean.side, panel_mean.value) == ("panel", pytest.approx(expected))
    difference = outcome.figures.counterpart(panel_mean, "panel_minus_people", side=None)
    assert difference.value == pytest.approx(expected - 3)
    masses = [outcome.figures.counterpart(people_mean, f"p_{point}").value for point in range(1, 6)]
    assert masses == [0.5, 0, 0, 0, 0.5]


def test_weights_of_personas_by_hand():
    answers, personas = panel_tables(n=12)
    weights = [0.0] * 10 + [3.0, 9.0]  # of the last two personas alone, 1 to 3
    folder = panel_result((answers, personas.with_columns(pl.Series("weight", weights))))
    outcome = compare(folder, people_table(), **COLUMNS)
    values = answers.filter(concept="oat", question="intent")["value"].to_list()
    assert outcome.methods[0].n_personas == 2
    mean = outcome.figures.select("mean", side="panel", question="intent")[0]
    assert mean.value == pytest.approx((values[10] + 3 * values[11]) / 4)


def test_samples_are_averaged_and_give_a_reliability():
    figures = compare(panel_result(panel_tables(samples=3)), people_table(), **COLUMNS).figures
    intent, liking = (row.value for row in figures.select("reliability"))
    assert 0.8 < intent < 1
    (pair,) = figures.select("correlation", side="panel")
    disattenuated = figures.counterpart(pair, "disattenuated_correlation")
    assert disattenuated.value == pytest.approx(pair.value / (intent * liking) ** 0.5)


@pytest.mark.exhaustive
def test_methods_stand_side_by_side():
    outcome = compare(
        panel_result(panel_tables(), panel_tables(method="ssr", seed=9)), people_table(), **COLUMNS
    )
    assert [item.method for item in outcome.methods] == ["dlr", "ssr"]
    single = compare(
        panel_result(panel_tables(), panel_tables(method="ssr")), people_table(), methods=["ssr"], **COLUMNS
    )
    assert [item.method for item in single.methods] == ["ssr"]


def test_two_concepts_leave_the_order_unknown_and_the_rest_known():
    two = people_table().filter(pl.col("shown").is_in(["oat", "fly"]))
    outcome = compare(panel_result(), two, **COLUMNS)
    assert held(outcome, "ranking") is None
    assert held(outcome, "distributions") is not None
    assert outcome.people.left_out == {}
    assert any("it takes 3 concepts" in stated for stated in outcome.document().sentences("caution"))


def test_differences_only_in_the_panel_are_reported():
    outcome = compare(
        panel_result(panel_tables(group=2.0)),
        people_table(group=0.0),
        respondent="who",
        by=["age"],
        **COLUMNS,
    )
    assert held(outcome, "groups") is False
    assert (
        "shows 2 differences between groups that people do not show"
        in outcome.document().brief_introduction[0]
    )


@pytest.mark.exhaustive
def test_repeated_respondents_without_a_name_column_are_reported():
    folder = panel_result()
    unnamed = compare(folder, people_table(), **COLUMNS)
    assert unnamed.people.shared_name == "who"
    assert any("--respondent who" in stated for stated in unnamed.document().brief_sentences("caution"))
    assert compare(folder, people_table(), respondent="who", **COLUMNS).people.shared_name is None
    numbered = people_table().drop("who").with_row_index("row")  # a name for every row is nobody's twice
    assert compare(folder, numbered, **COLUMNS).people.shared_name is None


def test_single_concept_has_no_pooled_benchmark():
    single = people_table().filter(pl.col("shown") == "oat")
    outcome = compare(panel_result(), single, respondent="who", **COLUMNS).methods[0].marginals.benchmarks
    assert outcome.n_surveys == 2
    assert np.isnan(outcome.distances["wasserstein"].pooled.value)


def test_a_group_without_weights_is_named():
    table = people_table().with_columns(w=pl.when(pl.col("age") == "old").then(0.0).otherwise(1.0))
    with pytest.raises(InputError, match=r"weight: no row with age 'old' has a weight above 0 in column 'w'"):
        compare(panel_result(), table, weight="w", by=["age"], **COLUMNS)


@pytest.mark.exhaustive
def test_answers_on_another_scale():
    wide = people_table().with_columns(pl.col("intent") * 2 - 1, pl.col("liking") * 2 - 1)
    with pytest.raises(InputError, match=r"go from 1 to 9, the scale of 'intent' from 1 to 5.*human_range"):
        compare(panel_result(), wide, **COLUMNS)
    mapped = compare(panel_result(), wide, human_range=(1, 9), **COLUMNS)
    plain = compare(panel_result(), people_table(), **COLUMNS)
    assert mapped.methods[0].marginals.benchmarks == plain.methods[0].marginals.benchmarks


def test_labels_of_points_are_answers():
    result = panel_result()
    labels = dict(enumerate(load_scale("purchase-intent").labels, start=1))
    labelled = people_table().with_columns(
        pl.col("intent").replace_strict(labels, return_dtype=pl.String).str.to_uppercase() + "  "
    )
    outcome = compare(result, labelled, questions={"intent": "intent"}, **COLUMNS)
    plain = compare(result, people_table(), questions={"intent": "intent"}, **COLUMNS)
    assert outcome.name == "bars"
    assert outcome.methods[0].marginals.benchmarks == plain.methods[0].marginals.benchmarks


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"questions": {"intend": "intent"}}, "question of the study.*intend.*intent"),
        ({"questions": {"intent": "intend"}}, "has no column 'intend'; did you mean 'intent'"),
        ({"concept": None}, r"concept: the study has 5 concepts \('oat'"),
        ({"concept": "age"}, "has none of the study's concepts"),
        ({"concept": "showed"}, "did you mean 'shown'"),
        ({"respondent": "age"}, "has two rows of respondent"),
        ({"weight": "ww"}, "weight: .* has no column 'ww'"),
        ({"by": ["ages"]}, "has no column 'ages'"),
        ({"by": {"sex": "age"}}, "attribute of the personas.*sex"),
        ({"by": {"age": "who"}}, "have no group of 'age' in common: personas have old, young"),
        ({"methods": ["ssr"]}, "method with a rating.*ssr"),
        ({"human_range": (7, 1)}, "human_range must be the lowest value"),
        ({"splits": 0}, "splits must be >= 1"),
    ],
)
def test_what_does_not_fit_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        compare(panel_result(), people_table(), **(COLUMNS | changes))


def test_a_table_without_a_question_of_the_study_is_refused():
    with pytest.raises(InputError, match=r"no column that is called like a question .*question: \w+=COLUMN"):
        compare(
            panel_result(), people_table().rename({"intent": "Q1", "liking": "Q2"}, strict=False), **COLUMNS
        )


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            people_table().with_columns(pl.lit("hm").alias("intent")),
            "has hm in data row 1|has 'hm' in data row 1",
        ),
        (people_table().rename({"intent": "a", "liking": "b"}), "question: intent=COLUMN"),
        (
            people_table().with_columns(pl.lit(None).cast(pl.Int64).alias("intent")).drop("liking"),
            "two people",
        ),
    ],
)
def test_tables_of_people_that_do_not_serve(table, message):
    with pytest.raises(InputError, match=message):
        compare(panel_result(), table, **COLUMNS)


def test_answers_that_do_not_serve(tmp_path):
    with pytest.raises(InputError, match=r"no folder of a study.s run, as it has no run\.json"):
        compare(tmp_path, people_table(), **COLUMNS)
    answers, personas = panel_tables()
    none = answers.with_columns(pl.lit("refused").alias("status"), pl.lit(None).alias("value"))
    with pytest.raises(InputError, match="none of the 800 answers .* has a rating"):
        compare(panel_result((none, personas)), people_table(), **COLUMNS)


def test_answers_without_a_rating_are_counted_and_left_out():
    answers, personas = panel_tables()
    is_lost = pl.int_range(pl.len()) < 30
    lost = answers.with_columns(
        pl.when(is_lost).then(pl.lit("refused")).otherwise("status").alias("status"),
        pl.when(~is_lost).then("value").alias("value"),
    )
    outcome = compare(panel_result((lost, personas)), people_table(), **COLUMNS)
    assert outcome.methods[0].n_without == 30
    assert any(
        "30 answers of the panel have no rating" in stated
        for stated in outcome.document().sentences("caution")
    )


@pytest.mark.exhaustive
def test_the_same_again_and_json():
    first, again = (compare(panel_result(), people_table(), by=["age"], **COLUMNS) for _ in range(2))
    assert first.signature == again.signature
    record = json.loads(first.to_json())
    assert record["instrument"] == "study compare"
    assert record["concepts"] == list(CONCEPTS)
    assert record["intervals"]["kind"] == "simulation"


PEOPLE = pl.DataFrame({"bar": ["oat", "nut"] * 4, "intent": [1, 2, 3, 4, 5, 5, 4, 3], "age": [30, 60] * 4})
SAVED_COLUMNS = {"concept": "bar", "splits": 20, "plan": IntervalPlan(replicates=100)}


@pytest.fixture
def result(written, played, toy_embedder, running):
    return written().run(played, embedder=toy_embedder, running=running)


def test_a_result_and_its_folder_give_the_same(result, tmp_path):
    result.save(tmp_path / "stored")
    direct, read = (compare(source, PEOPLE, **SAVED_COLUMNS) for source in (result, tmp_path / "stored"))
    assert direct.signature == read.signature
    assert (
        compare(tmp_path / "stored" / "answers.parquet", PEOPLE, **SAVED_COLUMNS).signature == read.signature
    )
    assert [item.method for item in read.methods] == ["ssr", "flr", "dlr"]
    (question,) = read.questions
    assert (question.text, len(question.labels)) == ("Would you buy it?", 5)
    # Every persona picks 4 by direct rating.
    assert [row.value for row in read.figures.select("mean", method="dlr", side="panel")] == [4, 4]


def test_a_folder_that_was_edited_is_refused(result, tmp_path):
    result.save(tmp_path / "stored")
    edited = pl.read_parquet(tmp_path / "stored" / "answers.parquet").head(3)
    edited.write_parquet(tmp_path / "stored" / "answers.parquet")
    with pytest.raises(InputError, match="was changed after the run"):
        compare(tmp_path / "stored", PEOPLE, **SAVED_COLUMNS)


def test_groups_of_a_drawn_panel(result):
    differences = compare(result, PEOPLE, by=["age"], **SAVED_COLUMNS).figures.select("group_difference")
    assert {(row.by, row.level, row.other) for row in differences} == {("age", "30", "60")}


@pytest.fixture(scope="module")
def outcome():
    plan = IntervalPlan(replicates=200)
    return compare(panel_result(), people_table(), concept="shown", splits=50, plan=plan).methods[0]


def with_held(marginals, **changes):
    held = {**marginals.benchmarks.distances}
    held["wasserstein"] = replace(held["wasserstein"], **changes)
    return replace(marginals, benchmarks=replace(marginals.benchmarks, distances=held))


def held_distributions(marginals, **changes):
    # Equal shares at .3, pooled people at .25, halves at .05: half of the way is .125 and .1.
    distances = {"uniform": at(0.3), "pooled": at(0.25), "split_half": at(0.05), **changes}
    drawn = conclude(with_held(marginals, **distances), None, None, (), 0.95)
    return next(item.holds for item in drawn if item.subject == "distributions")


def at(value):
    return Estimate(value, value, value)


def test_distributions_must_be_closer_than_both_nulls(outcome):
    near, short, wide = Estimate(0.1, 0.05, 0.2), Estimate(0.0, -0.1, 0.09), Estimate(0.1, -0.1, 0.2)
    held = partial(held_distributions, outcome.marginals)
    assert held(below_uniform=near, below_pooled=near) is True
    assert held(below_uniform=near, below_pooled=short) is False
    assert held(below_uniform=short, below_pooled=near) is False
    # An interval from 0 to beyond half of the way is no proof that there is nothing.
    assert held(below_uniform=near, below_pooled=wide) is None
    assert held(below_uniform=short, below_pooled=wide) is False


def test_a_null_as_close_as_halves_of_people_shows_nothing(outcome):
    held = partial(held_distributions, outcome.marginals, below_uniform=Estimate(0.1, 0.05, 0.2))
    assert held(pooled=at(0.04), below_pooled=Estimate(0.0, -0.02, 0.03)) is None


def test_an_order_that_chance_gives_too_is_not_concluded(outcome):
    name, known = next(iter(outcome.marginals.attainments.items()))

    def holds(**changes):
        changed = replace(outcome.marginals, attainments={name: replace(known, **changes)})
        return conclude(changed, None, None, (), 0.95)[0].holds

    assert holds(p_value=0.01) is True
    # One-sided: half of .05. The interval says whether it is little or cannot be told.
    assert holds(p_value=0.04, ratio=Estimate(0.2, -0.4, 0.45)) is False
    assert holds(p_value=0.04, ratio=Estimate(0.7, -0.1, 1.0)) is None
    assert holds(p_value=0.01, n_surveys=4) is None  # 1 of 24 orders is .042


def concluded(outcome, **counts):
    contrasts = GroupContrasts(n_pairs=1, n_tested=1, same_sign=1.0, split_half=1.0, permuted=0.5, **counts)
    drawn = conclude(outcome.marginals, None, contrasts, (), 0.95)
    return next(item for item in drawn if item.subject == "groups")


def test_invented_differences_of_groups_are_no_knowledge_of_groups(outcome):
    invented_groups = concluded(outcome, n_invented=1)
    assert invented_groups.holds is False
    assert "invents 1 of 1 differences" in invented_groups.because
    assert concluded(outcome, n_invented=0).holds is None
    # Of people's differences the panel has -.4 to .3, less than half; or -.4 to .9, which may be all.
    few, many = Estimate(0, -0.4, 0.3), Estimate(0, -0.4, 0.9)
    assert concluded(outcome, n_invented=0, n_clear=5, size_ratio=few).holds is False
    assert concluded(outcome, n_invented=0, n_clear=5, size_ratio=many).holds is None


def test_groups_are_judged_from_five_clear_differences_on(outcome):
    def judged(n_clear, low, high):
        return concluded(outcome, n_invented=0, n_clear=n_clear, size_ratio=Estimate(0.9, low, high))

    assert judged(5, 0.4, 1.4).holds is True
    assert judged(4, 0.4, 1.4).holds is None
    assert judged(4, -0.4, 0.3).holds is None
    assert "a conclusion needs 5 clear differences" in judged(4, 0.4, 1.4).because


def test_positions_by_hand(outcome):
    changed = with_held(
        outcome.marginals,
        panel=Estimate(0.1, 0, 1),
        uniform=Estimate(0.3, 0, 1),
        pooled=Estimate(0.25, 0, 1),
        split_half=Estimate(0.05, 0, 1),
        below_pooled=Estimate(0.15, 0.05, 0.25),
    )
    by_subject = {row.level: row for row in positions(changed, None, None, ())}
    # From pooled people, the closer null, at .25 to halves at .05 the panel has gone .15 of .20; the ends of
    # its interval are .05 and .25 of .20.
    distributions = by_subject["distributions"]
    assert (distributions.value, distributions.low, distributions.high) == pytest.approx((0.75, 0.25, 1.25))
    assert "groups" not in by_subject


@pytest.mark.parametrize(
    ("p_value", "holds"), [(1 / 120, True), (0.3, None), (119 / 120, False), (1.0, False)]
)
def test_of_few_concepts_p_alone_tells_the_order(outcome, p_value, holds):
    # Five concepts have 120 orders; of these one or two may be at least as low where p is 1 or 119 / 120.
    order = replace(outcome.marginals.attainments["intent"], p_value=p_value)
    assert np.isnan(order.ratio.high)
    marginals = replace(outcome.marginals, attainments={"intent": order})
    drawn = conclude(marginals, None, None, (), 0.95)
    assert next(item.holds for item in drawn if item.subject == "ranking") is holds


CONCEPT_NUMBERS = np.array([0, 1, 0, 1])


@pytest.mark.parametrize(
    ("cells", "outcome"),
    [
        (["a", "a", "b", "b"], "x"),
        (["a", "b", "a", "b"], None),  # a stands twice with the same concept
        (["a", "b", "c", "d"], None),  # everybody has one row
        (["a", "a", None, "b"], None),  # a gap
        (["a", "a", "b", "c"], None),  # 4 rows for 3 names: 1.33 each
    ],
)
def test_shared_name_occurs_once_per_concept(cells, outcome):
    assert find_shared_name(pl.DataFrame({"x": cells}), (), CONCEPT_NUMBERS) == outcome


def test_columns_in_use_and_rows_that_are_left_out_are_passed_over():
    rows = pl.DataFrame({"x": ["a", "a", "b", "b"], "y": ["c", "c", "d", "c"]})
    assert find_shared_name(rows, {"x"}, CONCEPT_NUMBERS) is None
    assert find_shared_name(rows, {"x"}, np.array([0, 1, -1, -1])) == "y"
