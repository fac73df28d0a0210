"""Panels: stated shares, raking, draws, tables of personas and their weights."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semscale.errors import InputError, UnknownNameError
from semscale.study.panel import (
    JointShares,
    SyntheticPanel,
    draw_attribute,
    draw_attributes,
    draw_panel,
    joint_shares,
    quota_counts,
    rake_joint,
    rake_panel,
    read_panel,
    round_counts,
    validate_shares,
)

JOINT = [
    {"sex": "f", "age": "young", "share": 0.4},
    {"sex": "f", "age": "old", "share": 0.1},
    {"sex": "m", "age": "young", "share": 0.2},
    {"sex": "m", "age": "old", "share": 0.3},
]


def test_percentages_and_shares_are_the_same():
    assert validate_shares("age", {"a": 25, "b": 75}) == validate_shares("age", {"a": 0.25, "b": 0.75})


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ({}, "margin 'age' has no levels"),
        ({"a": -0.1, "b": 1.1}, "share of 'a' must be >= 0, got -0.1"),
        ({"a": float("nan"), "b": 1}, "share of 'a' must be >= 0, got nan"),
        ({"a": 0.5, "b": 0.4}, "margin 'age' must sum to 1, or to 100, got 0.9"),
    ],
)
def test_shares_that_are_none(levels, message):
    with pytest.raises(InputError, match=message):
        validate_shares("age", levels)


def test_raking_keeps_odds_ratios_and_meets_both_margins():
    outcome = rake_joint(
        joint_shares(JOINT), {"sex": {"f": 0.5, "m": 0.5}, "age": {"young": 0.3, "old": 0.7}}
    )
    np.testing.assert_allclose(list(outcome.margin("sex").values()), [0.5, 0.5], atol=1e-8)
    np.testing.assert_allclose(list(outcome.margin("age").values()), [0.3, 0.7], atol=1e-8)
    # Multiplying rows and columns leaves the odds ratio, 0.4 * 0.3 / (0.1 * 0.2) = 6, as it is.
    cells = outcome.shares
    assert cells[0, 0] * cells[1, 1] / (cells[0, 1] * cells[1, 0]) == pytest.approx(6)


def test_a_level_that_the_joint_distribution_lacks_is_named():
    with pytest.raises(
        InputError, match="margin 'age' cannot be met: 'ancient' should have 0.2 of the panel"
    ):
        rake_joint(joint_shares(JOINT), {"age": {"young": 0.4, "old": 0.4, "ancient": 0.2}})


def test_mutually_exclusive_margins_are_named():
    # Without young women and old men, as many women as old people are needed, and 0.5 is not 0.7.
    rows = [{"sex": "f", "age": "old", "share": 0.5}, {"sex": "m", "age": "young", "share": 0.5}]
    with pytest.raises(InputError, match="margin '(sex|age)' cannot be met with the other margins: "):
        rake_joint(joint_shares(rows), {"sex": {"f": 0.5, "m": 0.5}, "age": {"old": 0.7, "young": 0.3}})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"share": 1}], "needs attributes in addition to its share"),
        ([*JOINT, {"sex": "f", "share": 0}], "row 5 of joint must have sex, age and share"),
        ([*JOINT, JOINT[0]], "row 5 of joint repeats f, young"),
        ([{"sex": "f", "share": "half"}], "the share in row 1 of joint must be a number >= 0, got 'half'"),
        (
            [*JOINT[:1], {**JOINT[1], "share": -1}],
            "the share in row 2 of joint must be a number >= 0, got -1",
        ),
        ([{"sex": "f", "share": float("nan")}], "the share in row 1 of joint must be a number >= 0, got nan"),
        ([{"sex": "f", "age": 30, "share": 1}], "age in row 1 of joint must be text, in quotes .* got 30"),
        ([{"sex": None, "share": 1}], "sex in row 1 of joint must be text, .* got None"),
    ],
)
def test_rows_that_are_no_joint_distribution(rows, message):
    with pytest.raises(InputError, match=message):
        joint_shares(rows)


SHARES = st.lists(st.floats(0.01, 1), min_size=1, max_size=8)


@given(SHARES, st.integers(1, 500))
def test_quota_counts_differ_from_shares_by_less_than_1_and_sum_to_n(weights, n):
    shares = np.array(weights) / np.sum(weights)
    counts = quota_counts(shares, n)
    assert counts.sum() == n
    assert (np.abs(counts - shares * n) < 1).all()


def test_an_attribute_is_drawn_by_quota_in_random_order():
    drawn = draw_attribute({"a": 0.3, "b": 0.7}, 10, np.random.default_rng(0))
    assert Counter(drawn) == {"a": 3, "b": 7}
    assert drawn != sorted(drawn)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 60))
def test_joint_draw_cells_and_margins_differ_by_less_than_1(seed, n):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(12)).reshape(3, 4)
    expected = shares * n
    counts = round_counts(expected, rng)
    assert counts.sum() == n
    for axes in ((), (0,), (1,)):
        assert (np.abs(counts.sum(axis=axes) - expected.sum(axis=axes)) < 1 + 1e-6).all()


def test_a_joint_draw_has_the_people_of_its_cells():
    joint = JointShares({"sex": ("f", "m"), "age": ("young", "old")}, np.array([[0.5, 0.0], [0.2, 0.3]]))
    drawn = draw_attributes(joint, 10, np.random.default_rng(1))
    people = Counter(zip(drawn["sex"], drawn["age"], strict=True))
    assert people == {("f", "young"): 5, ("m", "young"): 2, ("m", "old"): 3}


@pytest.mark.exhaustive
def test_rounding_up_is_about_as_frequent_as_the_fractions():
    # One person among four cells: each is drawn with a probability near its share.
    shares = np.array([0.1, 0.2, 0.3, 0.4])
    times = sum(round_counts(shares, np.random.default_rng(seed)) for seed in range(400))
    np.testing.assert_allclose(times / 400, shares, atol=0.08)


def test_margins_that_no_panel_of_this_size_meets(monkeypatch):
    import scipy.optimize

    class NoDraw:
        x = None

    monkeypatch.setattr(scipy.optimize, "milp", lambda *_, **__: NoDraw())
    with pytest.raises(InputError, match="no panel of 3 personas meets all margins within one person"):
        round_counts(np.array([[0.75, 0.75], [0.75, 0.75]]), np.random.default_rng(0))


AGE_SHARES = {"young": 0.4, "old": 0.6}


def test_panel_table_has_a_persona_per_row(tmp_path):
    (tmp_path / "p.csv").write_text("who,age\nann,30\nbob,\n")
    panel = read_panel(tmp_path / "p.csv", name_column="who")
    assert (panel.ids, panel.fields) == (("ann", "bob"), {"age": ("30", None), "who": ("ann", "bob")})
    assert panel.to_frame().rows() == [("ann", "30", "ann"), ("bob", None, "bob")]


def test_persona_names_can_appear_in_the_persona_text(tmp_path):
    (tmp_path / "p.csv").write_text("who,age\nann,30\n")
    panel = read_panel(tmp_path / "p.csv", name_column="who")
    panel.check(["who", "persona"])
    assert panel.cells(0, ["who", "age", "persona"]) == {"who": "ann", "age": "30", "persona": "ann"}


def test_a_cell_of_white_space_is_missing(tmp_path):
    (tmp_path / "p.csv").write_text("who,age\nann,30\nbob, \n")
    panel = read_panel(tmp_path / "p.csv", name_column="who")
    with pytest.raises(InputError, match=r"row 2: persona 'bob' has no 'age'"):
        panel.check(["age"])


def test_rows_number_personas_without_names(tmp_path):
    (tmp_path / "p.csv").write_text("age\n30\n40\n")
    assert read_panel(tmp_path / "p.csv").ids == ("1", "2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("who,age\nann,1\n,2\n", "row 2: the persona has no name in column 'who'"),
        ("who,age\nann,1\n ,2\n", "row 2: the persona has no name in column 'who'"),
        ("who,age\nann,1\nann,2\n", "rows 1 and 2 have the same persona 'ann'"),
    ],
)
def test_names_must_be_there_and_differ(tmp_path, text, message):
    (tmp_path / "p.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_panel(tmp_path / "p.csv", name_column="who")


def test_an_unknown_column_of_names(tmp_path):
    (tmp_path / "p.csv").write_text("who,age\nann,1\n")
    with pytest.raises(UnknownNameError, match="did you mean 'who'"):
        read_panel(tmp_path / "p.csv", name_column="whom")


def test_a_missing_cell_is_named_by_its_row():
    panel = SyntheticPanel(("ann", "bob"), {"age": ("30", None)}, "p.csv")
    with pytest.raises(InputError, match=r"p\.csv, row 2: persona 'bob' has no 'age'"):
        panel.check(["age"])


def test_a_draw_meets_its_margins_and_its_seed_repeats_it():
    sex = {"f": 0.5, "m": 0.5}
    panel = draw_panel(10, margins={"age": AGE_SHARES, "sex": sex}, joint=None, seed=3)
    assert Counter(panel.fields["age"]) == {"young": 4, "old": 6}
    assert Counter(panel.fields["sex"]) == {"f": 5, "m": 5}
    assert panel == draw_panel(10, margins={"age": AGE_SHARES, "sex": sex}, joint=None, seed=3)
    assert (
        panel.content_hash
        != draw_panel(10, margins={"age": AGE_SHARES, "sex": sex}, joint=None, seed=4).content_hash
    )


def test_joint_draw_is_raked_to_its_margins_and_other_fields_drawn_alone():
    rows = [{"sex": sex, "age": age, "share": 0.25} for sex in "fm" for age in ("young", "old")]
    margins = {"age": AGE_SHARES, "town": {"A": 0.2, "B": 0.8}}
    panel = draw_panel(20, margins=margins, joint=joint_shares(rows), seed=0)
    people = Counter(zip(panel.fields["sex"], panel.fields["age"], strict=True))
    # Half of 40 % and of 60 % of 20 people.
    assert people == {("f", "young"): 4, ("m", "young"): 4, ("f", "old"): 6, ("m", "old"): 6}
    assert Counter(panel.fields["town"]) == {"A": 4, "B": 16}


def test_an_attribute_must_not_have_the_name_of_the_names(tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("name,persona\nann,lively\n")
    with pytest.raises(InputError, match="must not be called 'persona'"):
        read_panel(table, name_column="name")


SEX, AGE = ("f", "f", "m", "m"), ("old", "young", "old", "young")
PANEL = SyntheticPanel(("a", "b", "c", "d"), {"sex": SEX, "age": AGE}, "p.csv")


def test_independent_margins_multiply():
    weights = rake_panel(PANEL, {"sex": {"f": 75, "m": 25}, "age": {"old": 0.6, "young": 0.4}}).weights
    # One persona of each combination, so each weighs 4 x its share of sex x its share of age.
    assert weights == pytest.approx((4 * 0.45, 4 * 0.30, 4 * 0.15, 4 * 0.10))


def test_the_effective_n_is_kishs():
    panel = rake_panel(PANEL, {"sex": {"f": 0.75, "m": 0.25}})
    # Weights 1.5, 1.5, 0.5, 0.5: 4 squared over the sum of squares, 5.
    assert panel.effective_n == pytest.approx(16 / 5)
    assert PANEL.effective_n == 4


def test_weights_stand_beside_the_attributes():
    panel = rake_panel(PANEL, {"sex": {"f": 0.75, "m": 0.25}})
    frame = panel.to_frame()
    assert frame.columns == ["persona", "sex", "age", "weight"]
    assert frame["weight"].to_list() == pytest.approx([1.5, 1.5, 0.5, 0.5])
    assert SyntheticPanel.from_frame(frame, "p.csv") == panel
    assert panel.content_hash != PANEL.content_hash


def test_attribute_called_weight_is_allowed_unless_the_panel_is_raked():
    heavy = SyntheticPanel(("a", "b"), {"weight": ("60", "80"), "sex": ("f", "m")}, "p.csv")
    assert SyntheticPanel.from_frame(heavy.to_frame(), "p.csv") == heavy
    with pytest.raises(InputError, match="must not be called 'weight'"):
        rake_panel(heavy, {"sex": {"f": 0.5, "m": 0.5}})


@pytest.mark.parametrize(
    ("margins", "message"),
    [
        ({"sex": {"f": 1}}, "margin 'sex' has no share for 'm', which p.csv has in row 3"),
        ({"sex": {"f": 1, "m": 0}}, "margin 'sex' has no share for 'm'"),
        ({"sex": {"f": 0.5, "m": 0.4, "x": 0.1}}, "margin 'sex' cannot be met: 'x' should have 0.1 of"),
    ],
)
def test_levels_without_a_share_or_personas_are_refused(margins, message):
    with pytest.raises(InputError, match=message):
        rake_panel(PANEL, margins)


def test_contradictory_margins_are_refused():
    # Who is a woman is old: 0.9 women and 0.5 old personas are impossible.
    panel = SyntheticPanel(("a", "b"), {"sex": ("f", "m"), "age": ("old", "young")}, "p.csv")
    margins = {"sex": {"f": 0.9, "m": 0.1}, "age": {"old": 0.5, "young": 0.5}}
    with pytest.raises(InputError, match="cannot be met with the other margins: .* of the panel"):
        rake_panel(panel, margins)


def test_a_persona_without_the_attribute_is_named():
    panel = SyntheticPanel(("a", "b"), {"sex": ("f", None)}, "p.csv")
    with pytest.raises(InputError, match="row 2: persona 'b' has no 'sex'"):
        rake_panel(panel, {"sex": {"f": 1}})
