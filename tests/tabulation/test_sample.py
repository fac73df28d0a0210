"""Weights, designs, rows that are left out, and margins."""

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError, UnknownNameError
from semscale.stats.survey_designs import ReplicateDesign
from semscale.stats.survey_estimates import survey_means
from semscale.store.table import ColumnLabels
from semscale.tabulation.sample import match_margins, read_sample
from semscale.tabulation.settings import SampleSettings, read_margins, read_rscales

FRAME = pl.DataFrame({
    "w": [1.0, 2.0, None, 3.0],
    "sex": ["f", "m", "f", None],
    "psu": ["a", "a", "b", "c"],
    "rw1": [2.0, 0.0, 2.0, 1.0],
    "rw2": [0.0, 2.0, 0.0, 1.0],
})  # fmt: skip


def test_respondents_have_equal_weights_by_default():
    sample = read_sample(FRAME, SampleSettings())
    assert sample.design.weights.tolist() == [1, 1, 1, 1]
    assert sample.left_out == {}


def test_rows_without_a_weight_or_a_stratum_are_left_out_and_counted():
    sample = read_sample(FRAME, SampleSettings(weight="w", strata="sex", lonely="certainty"))
    assert sample.is_included.tolist() == [True, True, False, False]
    assert sample.left_out == {"no weight": 1, "no strata": 1}
    assert sample.design.weights.tolist() == [1, 2]


def test_rows_with_weight_0_are_counted():
    sample = read_sample(pl.DataFrame({"w": [0.0, 1.0, 2.0]}), SampleSettings(weight="w"))
    assert sample.notes == ("the bases leave out rows whose weight is 0: 1",)
    assert sample.is_included.all()


@pytest.mark.parametrize("weight", [-1.0, np.inf, 1e308, 1e-320])  # the square of 1e308 is infinite
def test_weights_whose_squares_over_or_underflow_are_refused(weight):
    frame = pl.DataFrame({"w": [1.0, weight]})
    with pytest.raises(
        InputError, match="weight must be 0 or from 1e-100 to 1e100, got .* in row 2 of column"
    ):
        read_sample(frame, SampleSettings(weight="w"))


def test_weights_are_raked_to_margins():
    sample = read_sample(FRAME, SampleSettings(raked_to={"sex": {"f": 0.5, "m": 0.5}}))
    assert sample.left_out == {"no sex": 1}
    # Three people: two women share the weight of one man.
    np.testing.assert_allclose(sample.design.weights, [0.75, 1.5, 0.75])
    assert "raked to sex" in sample.notes[0]


def test_raked_weights_stay_within_bounds_which_the_note_counts():
    frame = pl.DataFrame({"sex": ["f"] * 6 + ["m"] * 4, "w": [1.0] * 5 + [5.0] + [1.0] * 4})
    columns = SampleSettings(weight="w", raked_to={"sex": {"f": 0.5, "m": 0.5}}, weight_bounds=(0.5, 2))
    sample = read_sample(frame, columns)
    # Ten rows weigh 10: women 5, the sixth the most, 2, and the others (5 - 2) / 5 each; men 5 / 4 each.
    np.testing.assert_allclose(sample.design.weights, [0.6] * 5 + [2] + [1.25] * 4)
    assert sample.notes[0].endswith("within 0.5 and 2 of the mean weight, 1 row is at a bound)")
    with pytest.raises(InputError, match="cannot be met within the bounds: 6 rows of category 'f' reach 3"):
        read_sample(frame, SampleSettings(raked_to={"sex": {"f": 0.1, "m": 0.9}}, weight_bounds=(0.5, 2)))


def test_the_population_of_a_stratum_makes_standard_errors_smaller():
    frame = pl.DataFrame({"size": [8.0, 8, 8, 8, None], "share": [0.5, 0.5, 0.5, 0.5, 0.5]})
    # Mean 2.5 of 1 to 4 has the variance (5 / 3) / 4, less the half of the population that was drawn.
    for column, n in (("size", 4), ("share", 5)):
        sample = read_sample(frame, SampleSettings(fpc=column))
        assert sample.is_included.sum() == n
    assert sample.left_out == {}
    sample = read_sample(frame, SampleSettings(fpc="size"))
    assert sample.left_out == {"no fpc": 1}
    mean = survey_means([1.0, 2.0, 3.0, 4.0], sample.design)
    assert mean.standard_errors[0, 0] == pytest.approx((5 / 3 / 4 / 2) ** 0.5)
    with pytest.raises(InputError, match="fpc must be finite and > 0, got 0 in row 2 of column 'N'"):
        read_sample(pl.DataFrame({"N": [9.0, 0.0]}), SampleSettings(fpc="N"))


def test_jkn_replicates_accept_a_factor_per_replicate():
    base = {"weight": "w", "replicates": "rw*", "replicate_type": "jkn"}
    for inputs, accepted in (((0.5, 0.75), [0.5, 0.75]), ((0.5,), [0.5, 0.5])):
        design = read_sample(FRAME, SampleSettings(**base, rscales=inputs)).design
        assert isinstance(design, ReplicateDesign)
        assert (design.scale, design.rscales.tolist()) == (1, accepted)
    with pytest.raises(InputError, match="one for each of the 2 columns of replicates, got 3"):
        read_sample(FRAME, SampleSettings(**base, rscales=(0.5, 0.5, 0.5)))


def test_standard_errors_know_of_the_margins():
    frame = pl.DataFrame({"sex": ["f", "f", "f", "m"]})
    sample = read_sample(frame, SampleSettings(raked_to={"sex": {"f": 0.5, "m": 0.5}}))
    share = survey_means([1.0, 1.0, 1.0, 0.0], sample.design)
    assert share.values[0, 0] == pytest.approx(0.5)
    assert share.standard_errors[0, 0] == pytest.approx(0, abs=1e-9)


def test_waves_are_raked_separately():
    frame = pl.DataFrame(
        {"sex": ["f", "f", "f", "m", "f", "m", "m", "m", "m"], "wave": [1] * 4 + [2] * 4 + [None]}
    )
    sample = read_sample(frame, SampleSettings(raked_to={"sex": {"f": 1, "m": 1}}, wave="wave"))
    assert sample.left_out == {"no wave": 1}
    # Wave 1: three women share the weight of two people, one man has that of two; wave 2 the other way.
    np.testing.assert_allclose(sample.design.weights, [2 / 3] * 3 + [2, 2] + [2 / 3] * 3)
    assert "each wave by itself" in sample.notes[0]


def test_replicate_weights_are_raked_separately():
    frame = pl.DataFrame(
        {"w": [1.0] * 4, "sex": ["f", "f", "f", "m"], "r1": [2.0, 0, 0, 2], "r2": [0.0, 2, 2, 1]}
    )
    columns = SampleSettings(
        weight="w", replicates="r*", replicate_type="brr", raked_to={"sex": {"f": 0.5, "m": 0.5}}
    )
    design = read_sample(frame, columns).design
    # Each replicate sums to 2 for women and 2 for the man.
    np.testing.assert_allclose(design.replicates, [[2, 0], [0, 1], [0, 1], [2, 2]])


def test_a_margin_that_cannot_be_met_is_named():
    with pytest.raises(InputError, match="margin 'sex', category 'd' has no rows"):
        read_sample(FRAME, SampleSettings(raked_to={"sex": {"f": 0.5, "m": 0.4, "d": 0.1}}))


def test_replicate_weights_are_selected_by_a_pattern():
    columns = SampleSettings(weight="w", replicates="rw*", replicate_type="brr", rho=0.5)
    design = read_sample(FRAME, columns).design
    assert isinstance(design, ReplicateDesign)
    # Fay's method with two replicates: 1 / (2 * .5 ** 2)
    assert design.scale == 2
    assert design.replicates.tolist() == [[2, 0], [0, 2], [1, 1]]
    with pytest.raises(InputError, match="0 columns fit 'x\\*'"):
        read_sample(FRAME, SampleSettings(weight="w", replicates="x*", replicate_type="brr"))


def test_people_of_several_waves_are_clusters():
    frame = pl.DataFrame({"id": ["a", "b", "a", "b"], "psu": ["x", "x", "x", "y"]})
    design = read_sample(frame, SampleSettings(wave="id", pair_by="id")).design
    assert list(design.clusters) == ["a", "b", "a", "b"]
    with pytest.raises(InputError, match="'b' is in 2 clusters of 'psu'"):
        read_sample(frame, SampleSettings(wave="id", pair_by="id", cluster="psu"))


def test_weights_that_are_no_weights_are_refused_by_row():
    for value, message in ((-1.0, "got -1 in row 2"), (float("inf"), "got inf in row 2")):
        with pytest.raises(InputError, match=message):
            read_sample(pl.DataFrame({"w": [1.0, value]}), SampleSettings(weight="w"))
    with pytest.raises(InputError, match="'w' sum to 0"):
        read_sample(pl.DataFrame({"w": [0.0, 0.0]}), SampleSettings(weight="w"))
    with pytest.raises(InputError, match="no respondent is left: no weight \\(2\\)"):
        read_sample(pl.DataFrame({"w": [None, None]}), SampleSettings(weight="w"))


@pytest.mark.parametrize("role", ["weight", "fpc"])
def test_a_column_of_texts_is_refused_where_numbers_are_needed(role):
    frame = pl.DataFrame({"region": [None, "north", "south"]})
    message = f"{role}: column 'region' has no number; its first value is 'north'"
    with pytest.raises(InputError, match=message):
        read_sample(frame, SampleSettings(**{role: "region"}))


def test_a_single_respondent_has_no_standard_error():
    design = read_sample(pl.DataFrame({"q": [4]}), SampleSettings()).design
    assert np.isnan(survey_means([4.0], design).standard_errors).all()


def test_a_single_cluster_is_refused_by_its_name():
    frame = pl.DataFrame({"town": ["Graz", "Graz"]})
    with pytest.raises(InputError, match="cluster: all respondents are in the same cluster, town 'Graz'"):
        read_sample(frame, SampleSettings(cluster="town"))


def test_unknown_columns_have_the_nearest_name():
    with pytest.raises(UnknownNameError, match="did you mean 'psu'"):
        read_sample(FRAME, SampleSettings(cluster="psuu"))


def test_columns_are_named_by_their_purpose():
    columns = SampleSettings(weight="w", fpc="N", raked_to={"sex": {"f": 1}}, weight_bounds=(0.3, 3))
    assert columns.columns_by_role == {"weight": "w", "fpc": "N", "raked_to sex": "sex"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rho": 0.5}, "rho belongs to replicates"),
        ({"replicates": "rw*"}, "replicates need weight"),
        ({"replicates": "rw*", "weight": "w"}, "replicates need replicate_type"),
        (
            {"replicates": "rw*", "weight": "w", "replicate_type": "jk1", "strata": "s"},
            "strata does not go with replicates",
        ),
        (
            {"replicates": "rw*", "weight": "w", "replicate_type": "jk1", "fpc": "N"},
            "fpc does not go with replicates",
        ),
        ({"rscales": (0.5,)}, "rscales belongs to replicates"),
        ({"replicates": "rw*", "weight": "w", "replicate_type": "jkn"}, "jkn needs them"),
        (
            {"replicates": "rw*", "weight": "w", "replicate_type": "jk1", "rscales": (0.5,)},
            "rscales belong to jkn",
        ),
        (
            {"replicates": "rw*", "weight": "w", "replicate_type": "jkn", "rscales": (-1.0,)},
            "rscales must be numbers >= 0, got -1",
        ),
        ({"weight_bounds": (0.3, 3)}, "weight_bounds belongs to raked_to"),
        (
            {"raked_to": {"sex": {"f": 1}}, "weight_bounds": (1.5, 3)},
            "weight_bounds must be .* got 1.5 and 3",
        ),
        ({"raked_to": {"sex": {"f": 1}}, "weight_bounds": (float("nan"), 3)}, "got nan and 3"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        SampleSettings(**settings)


SEXES = pl.DataFrame({"sex": [1.0, 2.0, 2.0]})
LABELS = {"sex": ColumnLabels(values={"1": "men", "2": "women", "9": "refused"})}


@pytest.mark.parametrize("goals", [{"men": 49, "women": 51}, {"1": 49, "2": 51}, {"men": 49, "2": 51}])
def test_categories_are_values_or_labels(goals):
    assert match_margins({"sex": goals}, SEXES, LABELS) == {"sex": {"1": 49, "2": 51}}


def test_a_value_goes_before_a_label_of_another():
    labels = {"sex": ColumnLabels(values={"1": "2", "2": "1"})}
    assert match_margins({"sex": {"1": 49, "2": 51}}, SEXES, labels) == {"sex": {"1": 49, "2": 51}}


def test_values_without_a_target_are_named_with_labels_and_rows():
    with pytest.raises(
        InputError, match=r"'sex' has no target for '2' \(women\) \(2 rows\); it has targets for '1' \(men\):"
    ):
        match_margins({"sex": {"men": 1}}, SEXES, LABELS)
    with pytest.raises(InputError, match=r"'2' \(2 rows\), '1' \(1 row\); it has targets for 'm', 'f'"):
        match_margins({"sex": {"m": 0.5, "f": 0.5}}, SEXES, {})


def test_a_category_by_value_and_label_is_refused():
    with pytest.raises(InputError, match="'sex' has the category 'men' twice"):
        match_margins({"sex": {"1": 40, "men": 20, "2": 40}}, SEXES, LABELS)


@pytest.mark.parametrize(
    ("men", "women", "total"),
    [(0.5, 0.4, "0.9"), (0.333, 0.666, "0.999"), (50.5, 49, "99.5"), (50, 40.2, "90.2"), (33, 66, "99")],
)
def test_shares_that_sum_to_neither_1_nor_100_are_refused(men, women, total):
    with pytest.raises(InputError, match=f"shares of 'sex' sum to {total}; they must sum to 1 or 100"):
        match_margins({"sex": {"men": men, "women": women}}, SEXES, LABELS)


@pytest.mark.parametrize(
    "goals", [{"1": 0.5, "2": 0.5}, {"1": 48.7, "2": 51.3}, {"1": 1, "2": 1}, {"1": 310, "2": 290.5}]
)
def test_margins_accept_shares_and_counts(goals):
    assert match_margins({"sex": goals}, SEXES, LABELS) == {"sex": goals}


def test_shares_and_numbers_are_read_by_the_names_of_values(tmp_path):
    (tmp_path / "m.yaml").write_text("sex: {f: 0.51, m: 0.49}\nage:\n  1: 20.5\n  2: 79.5\n")
    assert read_margins(tmp_path / "m.yaml") == {
        "sex": {"f": 0.51, "m": 0.49}, "age": {"1": 20.5, "2": 79.5},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2]", "m.yaml has no margins"),
        ("sex: 3", "'sex' in m.yaml, line 1 has no categories"),
        (
            "sex:\n  m: 1\n  f: much",
            "'sex', category 'f' in m.yaml, line 3 must be a number >= 0, got 'much'",
        ),
        ("sex: {f: -1}", "must be a number >= 0, got -1"),
        ("age: {a: 1}\nsex: {f: 0.5, m: 0.4}", "the shares of 'sex' in m.yaml, line 2, sum to 0.9"),
        (
            "margins:\n  sex: {f: 1, m: 1}",
            "'margins' in m.yaml, line 1 has lists of categories instead of categories",
        ),
        ("sex: {f: 1, f: 2}", "line 1: .*given twice"),
    ],
)
def test_another_form_is_refused(tmp_path, text, message):
    (tmp_path / "m.yaml").write_text(text)
    with pytest.raises(InputError, match=message):
        read_margins(tmp_path / "m.yaml")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="raked_to: .*m.yaml cannot be read"):
        read_margins(tmp_path / "m.yaml")


def test_numbers_and_files_are_read(tmp_path):
    assert read_rscales(".5") == (0.5,)
    assert read_rscales("0.5,0.75, 0.5") == (0.5, 0.75, 0.5)
    (tmp_path / "r.txt").write_text("0.5\n\n0.75\n")
    assert read_rscales(str(tmp_path / "r.txt")) == (0.5, 0.75)


@pytest.mark.parametrize(
    ("text", "message"),
    [("0.5\nhalf\n", "line 2 of r.txt is no number: 'half'"), ("\n", "r.txt has no numbers")],
)
def test_a_file_with_something_else_is_refused(tmp_path, text, message):
    (tmp_path / "r.txt").write_text(text)
    with pytest.raises(InputError, match=message):
        read_rscales(str(tmp_path / "r.txt"))


def test_non_numeric_rscales_are_refused():
    with pytest.raises(InputError, match="rscales must be numbers with commas between"):
        read_rscales("half,half")
