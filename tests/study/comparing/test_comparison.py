"""A panel beside people: what is found, and what is refused."""

import json

import numpy as np
import polars as pl
import pytest
from tests.study.comparing.made_answers import CONCEPTS, panel_tables, people_table

from semscale.errors import InputError
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.study import compare

PLAN = IntervalPlan(replicates=200)
COLUMNS = {"concept": "shown", "splits": 50, "plan": PLAN}


@pytest.fixture
def kept(tmp_path):
    """Write a panel's answers and personas as a run keeps them."""

    def write(*panels, personas=True):
        made = panels or (panel_tables(),)
        pl.concat([answers for answers, _ in made]).write_parquet(tmp_path / "answers.parquet")
        if personas:
            made[0][1].write_parquet(tmp_path / "panel.parquet")
        return tmp_path

    return write


def held(found, subject, method=0):
    answers = [each.holds for each in found.methods[method].conclusions if each.subject == subject]
    return answers[0] if len(set(answers)) == 1 else answers


def test_a_panel_that_answers_as_people_do(kept):
    found = compare(kept(), people_table(), by=["age"], **COLUMNS)
    assert [held(found, subject) for subject in ("ranking", "distributions", "relations", "groups")] == [
        True
    ] * 4
    assert held(found, "individuals") is None  # nobody is named


def test_a_panel_that_knows_nothing(kept):
    blank = panel_tables(skill=0, structure=0, group=0, shift=0.7, seed=3)
    found = compare(kept(blank), people_table(), by=["age"], **COLUMNS)
    # Five concepts cannot show that an order is wrong: the attainment's interval reaches far.
    assert held(found, "ranking") is None
    assert [held(found, subject) for subject in ("distributions", "relations", "groups")] == [False] * 3


def test_individuals_by_name(kept):
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
    folder = kept((answers, personas))
    (same,) = compare(folder, people, respondent="who", **COLUMNS).methods[0].individuals
    assert (same.n, same.error.value) == (40, 0)
    assert same.correlation.value == pytest.approx(1)
    assert same.permuted_error > 0.1
    # With all the weight on one person, shuffled personas are as wrong about that one as they differ from it.
    heavy = people.with_columns(pl.when(pl.col("who") == "p0").then(1e9).otherwise(1e-3).alias("w"))
    (one,) = compare(folder, heavy, respondent="who", weight="w", **COLUMNS).methods[0].individuals
    said = people.filter(pl.col("who") == "p0")["intent"].to_numpy()
    others = people["intent"].to_numpy().reshape(40, -1)
    assert one.permuted_error == pytest.approx(np.abs(others - said).mean() / 4, abs=0.02)
    assert compare(folder, people, **COLUMNS).methods[0].individuals == ()


def test_means_by_hand_with_weights(kept, tmp_path):
    answers, personas = panel_tables(n=12)
    folder = kept((answers, personas))
    people = pl.DataFrame({"intent": [1, 5, 5], "shown": ["oat"] * 3, "w": [2.0, 1.0, 1.0]})
    found = compare(folder, people, weight="w", **COLUMNS)
    (means,) = found.methods[0].marginals.means
    # (2 * 1 + 5 + 5) / 4
    assert means.people.value == 3
    expected = answers.filter(concept="oat", question="intent")["value"].mean()
    assert means.panel.value == pytest.approx(expected)
    assert means.people_pmf == (0.5, 0, 0, 0, 0.5)


def test_weights_of_personas_by_hand(kept):
    answers, personas = panel_tables(n=12)
    weights = [0.0] * 10 + [3.0, 9.0]  # of the last two personas alone, 1 to 3
    folder = kept((answers, personas.with_columns(pl.Series("weight", weights))))
    found = compare(folder, people_table(), **COLUMNS).methods[0]
    values = answers.filter(concept="oat", question="intent")["value"].to_list()
    assert found.n_personas == 2
    assert found.marginals.means[0].panel.value == pytest.approx((values[10] + 3 * values[11]) / 4)


def test_samples_are_averaged_and_give_a_reliability(kept):
    found = compare(kept(panel_tables(samples=3)), people_table(), **COLUMNS).methods[0]
    assert 0.8 < found.reliabilities["intent"].value < 1
    (pair,) = found.correlations.pairs
    product = found.reliabilities["intent"].value * found.reliabilities["liking"].value
    assert pair.disattenuated == pytest.approx(pair.panel.value / product**0.5)


def test_methods_stand_side_by_side(kept):
    found = compare(kept(panel_tables(), panel_tables(method="ssr", seed=9)), people_table(), **COLUMNS)
    assert [each.method for each in found.methods] == ["dlr", "ssr"]
    one = compare(
        kept(panel_tables(), panel_tables(method="ssr")), people_table(), methods=["ssr"], **COLUMNS
    )
    assert [each.method for each in one.methods] == ["ssr"]


def test_two_concepts_leave_the_order_unknown_and_the_rest_known(kept):
    two = people_table().filter(pl.col("shown").is_in(["oat", "fly"]))
    found = compare(kept(), two, **COLUMNS)
    assert held(found, "ranking") is None
    assert held(found, "distributions") is not None
    assert found.left_out == {}
    assert any("it takes 3 concepts" in said for said in found.document().cautions)


def test_groups_that_differ_in_the_panel_alone_are_told(kept):
    found = compare(
        kept(panel_tables(group=2.0)), people_table(group=0.0), respondent="who", by=["age"], **COLUMNS
    )
    assert held(found, "groups") is False
    assert "shows 2 differences between groups that people do not show" in found.document().counting[0]


def test_persons_with_several_rows_are_told_where_nobody_named_them(kept):
    folder = kept()
    unnamed = compare(folder, people_table(), **COLUMNS)
    assert unnamed.shared_name == "who"
    assert any("--respondent who" in said for said in unnamed.document().cautions)
    assert compare(folder, people_table(), respondent="who", **COLUMNS).shared_name is None
    numbered = people_table().drop("who").with_row_index("row")  # a name for every row is nobody's twice
    assert compare(folder, numbered, **COLUMNS).shared_name is None


def test_one_concept_has_no_pooled_people_of_other_questions(kept):
    one = people_table().filter(pl.col("shown") == "oat")
    found = compare(kept(), one, respondent="who", **COLUMNS).methods[0].marginals.benchmarks
    assert found.n_surveys == 2
    assert np.isnan(found.held["wasserstein"].pooled.value)


def test_a_group_without_weights_is_named(kept):
    table = people_table().with_columns(w=pl.when(pl.col("age") == "old").then(0.0).otherwise(1.0))
    with pytest.raises(InputError, match=r"weight: no row with age 'old' has a weight above 0 in column 'w'"):
        compare(kept(), table, weight="w", by=["age"], **COLUMNS)


def test_answers_on_another_scale(kept):
    wide = people_table().with_columns(pl.col("intent") * 2 - 1, pl.col("liking") * 2 - 1)
    with pytest.raises(InputError, match=r"go from 1 to 9, the scale of 'intent' from 1 to 5.*--human-range"):
        compare(kept(), wide, **COLUMNS)
    mapped = compare(kept(), wide, human_range=(1, 9), **COLUMNS)
    plain = compare(kept(), people_table(), **COLUMNS)
    assert mapped.methods[0].marginals.benchmarks == plain.methods[0].marginals.benchmarks


def test_labels_of_points_are_answers(kept):
    folder = kept()
    points = [{"value": value, "label": f"Level {value}"} for value in range(1, 6)]
    asked = [{"question": name, "text": f"{name}?", "points": points} for name in ("intent", "liking")]
    (folder / "study.json").write_text(json.dumps({"name": "bars", "questions": asked}))
    said = people_table().with_columns(("level  " + pl.col("intent").cast(pl.String)).alias("intent"))
    found = compare(folder, said, questions={"intent": "intent"}, **COLUMNS)
    plain = compare(folder, people_table(), questions={"intent": "intent"}, **COLUMNS)
    assert found.name == "bars"
    assert found.methods[0].marginals.benchmarks == plain.methods[0].marginals.benchmarks


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
        ({"splits": 0}, "splits must be at least 1"),
    ],
)
def test_what_does_not_fit_is_refused(kept, changes, message):
    with pytest.raises(InputError, match=message):
        compare(kept(), people_table(), **(COLUMNS | changes))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            people_table().with_columns(pl.lit("hm").alias("intent")),
            "has hm in data row 1|has 'hm' in data row 1",
        ),
        (people_table().rename({"intent": "a", "liking": "b"}), "--question intent=COLUMN"),
        (
            people_table().with_columns(pl.lit(None).cast(pl.Int64).alias("intent")).drop("liking"),
            "two people",
        ),
    ],
)
def test_tables_of_people_that_do_not_serve(kept, table, message):
    with pytest.raises(InputError, match=message):
        compare(kept(), table, **COLUMNS)


def test_answers_that_do_not_serve(tmp_path, kept):
    with pytest.raises(InputError, match=r"has no answers\.parquet"):
        compare(tmp_path, people_table(), **COLUMNS)
    answers, personas = panel_tables()
    with pytest.raises(InputError, match="none of the 800 answers .* has a rating"):
        compare(
            kept((answers.with_columns(pl.lit("refused").alias("status")), personas)),
            people_table(),
            **COLUMNS,
        )
    with pytest.raises(InputError, match="has no column 'pmf'"):
        compare(kept((answers.drop("pmf"), personas)), people_table(), **COLUMNS)
    with pytest.raises(InputError, match="points of question 'intent' are not 1 to 5"):
        compare(kept((answers.with_columns(pl.col("value") + 1), personas)), people_table(), **COLUMNS)


def test_answers_without_a_rating_are_counted_and_left_out(kept):
    answers, personas = panel_tables()
    lost = answers.with_columns(
        pl.when(pl.int_range(pl.len()) < 30).then(pl.lit("refused")).otherwise("status").alias("status")
    )
    found = compare(kept((lost, personas)), people_table(), **COLUMNS)
    assert found.methods[0].n_without == 30
    assert any("30 answers of the panel have no rating" in said for said in found.document().cautions)


def test_the_same_again_and_json(kept):
    first, again = (compare(kept(), people_table(), by=["age"], **COLUMNS) for _ in range(2))
    assert first.signature == again.signature
    record = json.loads(first.to_json())
    assert record["instrument"] == "study compare"
    assert record["concepts"] == list(CONCEPTS)
    assert record["intervals"]["kind"] == "simulation"
