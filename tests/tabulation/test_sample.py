"""Weights, draws and rows that are left out."""

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError, UnknownNameError
from semscale.stats.survey.means import survey_means
from semscale.stats.survey.replicate_design import ReplicateDesign
from semscale.tabulation.sample import read_sample
from semscale.tabulation.sample_columns import SampleColumns

FRAME = pl.DataFrame({
    "w": [1.0, 2.0, None, 3.0],
    "sex": ["f", "m", "f", None],
    "psu": ["a", "a", "b", "c"],
    "rw1": [2.0, 0.0, 2.0, 1.0],
    "rw2": [0.0, 2.0, 0.0, 1.0],
})  # fmt: skip


def test_everybody_counts_alike_unless_said_otherwise():
    sample = read_sample(FRAME, SampleColumns())
    assert sample.design.weights.tolist() == [1, 1, 1, 1]
    assert sample.left_out == {}


def test_rows_without_a_weight_or_a_stratum_are_left_out_and_counted():
    sample = read_sample(FRAME, SampleColumns(weight="w", strata="sex", lonely="certainty"))
    assert sample.kept.tolist() == [True, True, False, False]
    assert sample.left_out == {"no weight": 1, "no strata": 1}
    assert sample.design.weights.tolist() == [1, 2]


def test_rows_with_weight_0_are_counted():
    sample = read_sample(pl.DataFrame({"w": [0.0, 1.0, 2.0]}), SampleColumns(weight="w"))
    assert sample.notes == ("in no base, as their weight is 0: 1 rows",)
    assert sample.kept.all()


def test_weights_are_raked_to_margins():
    sample = read_sample(FRAME, SampleColumns(margins={"sex": {"f": 0.5, "m": 0.5}}))
    assert sample.left_out == {"no sex": 1}
    # Three people: two women share the weight of one man.
    np.testing.assert_allclose(sample.design.weights, [0.75, 1.5, 0.75])
    assert "raked to sex" in sample.notes[0]


def test_raked_weights_stay_within_bounds_which_the_note_counts():
    frame = pl.DataFrame({"sex": ["f"] * 6 + ["m"] * 4, "w": [1.0] * 5 + [5.0] + [1.0] * 4})
    columns = SampleColumns(weight="w", margins={"sex": {"f": 0.5, "m": 0.5}}, weight_bounds=(0.5, 2))
    sample = read_sample(frame, columns)
    # Ten rows weigh 10: women 5, the sixth the most, 2, and the others (5 - 2) / 5 each; men 5 / 4 each.
    np.testing.assert_allclose(sample.design.weights, [0.6] * 5 + [2] + [1.25] * 4)
    assert sample.notes[0].endswith("within 0.5 and 2 of the mean weight, 1 row is at a bound)")
    with pytest.raises(InputError, match="cannot be met within the bounds: 6 rows of category 'f' reach 3"):
        read_sample(frame, SampleColumns(margins={"sex": {"f": 0.1, "m": 0.9}}, weight_bounds=(0.5, 2)))


def test_the_population_of_a_stratum_makes_standard_errors_smaller():
    frame = pl.DataFrame({"size": [8.0, 8, 8, 8, None], "share": [0.5, 0.5, 0.5, 0.5, 0.5]})
    # Mean 2.5 of 1 to 4 has the variance (5 / 3) / 4, less the half of the population that was drawn.
    for column, n in (("size", 4), ("share", 5)):
        sample = read_sample(frame, SampleColumns(fpc=column))
        assert sample.kept.sum() == n
    assert sample.left_out == {}
    sample = read_sample(frame, SampleColumns(fpc="size"))
    assert sample.left_out == {"no fpc": 1}
    mean = survey_means([1.0, 2.0, 3.0, 4.0], sample.design)
    assert mean.standard_errors[0, 0] == pytest.approx((5 / 3 / 4 / 2) ** 0.5)
    with pytest.raises(InputError, match="fpc must be finite and > 0, got 0 in row 2 of column 'N'"):
        read_sample(pl.DataFrame({"N": [9.0, 0.0]}), SampleColumns(fpc="N"))


def test_the_jackknife_of_strata_takes_a_factor_for_each_replicate():
    base = {"weight": "w", "replicates": "rw*", "replicate_type": "jkn"}
    for given, taken in (((0.5, 0.75), [0.5, 0.75]), ((0.5,), [0.5, 0.5])):
        design = read_sample(FRAME, SampleColumns(**base, rscales=given)).design
        assert isinstance(design, ReplicateDesign)
        assert (design.scale, design.rscales.tolist()) == (1, taken)
    with pytest.raises(InputError, match="one for each of the 2 columns of replicates, got 3"):
        read_sample(FRAME, SampleColumns(**base, rscales=(0.5, 0.5, 0.5)))


def test_standard_errors_know_of_the_margins():
    frame = pl.DataFrame({"sex": ["f", "f", "f", "m"]})
    sample = read_sample(frame, SampleColumns(margins={"sex": {"f": 0.5, "m": 0.5}}))
    share = survey_means([1.0, 1.0, 1.0, 0.0], sample.design)
    assert share.values[0, 0] == pytest.approx(0.5)
    assert share.standard_errors[0, 0] == pytest.approx(0, abs=1e-9)


def test_each_wave_is_raked_by_itself():
    frame = pl.DataFrame(
        {"sex": ["f", "f", "f", "m", "f", "m", "m", "m", "m"], "wave": [1] * 4 + [2] * 4 + [None]}
    )
    sample = read_sample(frame, SampleColumns(margins={"sex": {"f": 1, "m": 1}}), "wave")
    assert sample.left_out == {"no wave": 1}
    # Wave 1: three women share the weight of two people, one man has that of two; wave 2 the other way.
    np.testing.assert_allclose(sample.design.weights, [2 / 3] * 3 + [2, 2] + [2 / 3] * 3)
    assert "each wave by itself" in sample.notes[0]


def test_replicate_weights_are_raked_one_by_one():
    frame = pl.DataFrame(
        {"w": [1.0] * 4, "sex": ["f", "f", "f", "m"], "r1": [2.0, 0, 0, 2], "r2": [0.0, 2, 2, 1]}
    )
    columns = SampleColumns(
        weight="w", replicates="r*", replicate_type="brr", margins={"sex": {"f": 0.5, "m": 0.5}}
    )
    design = read_sample(frame, columns).design
    # Each replicate sums to 2 for women and 2 for the man.
    np.testing.assert_allclose(design.replicates, [[2, 0], [0, 1], [0, 1], [2, 2]])


def test_a_margin_that_cannot_be_met_is_named():
    with pytest.raises(InputError, match="margin 'sex', category 'd' has no rows"):
        read_sample(FRAME, SampleColumns(margins={"sex": {"f": 0.5, "m": 0.4, "d": 0.1}}))


def test_replicate_weights_are_found_by_a_pattern():
    columns = SampleColumns(weight="w", replicates="rw*", replicate_type="brr", rho=0.5)
    design = read_sample(FRAME, columns).design
    assert isinstance(design, ReplicateDesign)
    # Fay's method with two replicates: 1 / (2 * .5 ** 2)
    assert design.scale == 2
    assert design.replicates.tolist() == [[2, 0], [0, 2], [1, 1]]
    with pytest.raises(InputError, match="0 columns fit 'x\\*'"):
        read_sample(FRAME, SampleColumns(weight="w", replicates="x*", replicate_type="brr"))


def test_people_of_several_waves_are_clusters():
    frame = pl.DataFrame({"id": ["a", "b", "a", "b"], "psu": ["x", "x", "x", "y"]})
    design = read_sample(frame, SampleColumns(pair_by="id")).design
    assert list(design.clusters) == ["a", "b", "a", "b"]
    with pytest.raises(InputError, match="'b' is in 2 clusters of 'psu'"):
        read_sample(frame, SampleColumns(pair_by="id", cluster="psu"))


def test_weights_that_are_no_weights_are_refused_by_row():
    for value, message in ((-1.0, "got -1 in row 2"), (float("inf"), "got inf in row 2")):
        with pytest.raises(InputError, match=message):
            read_sample(pl.DataFrame({"w": [1.0, value]}), SampleColumns(weight="w"))
    with pytest.raises(InputError, match="'w' sum to 0"):
        read_sample(pl.DataFrame({"w": [0.0, 0.0]}), SampleColumns(weight="w"))
    with pytest.raises(InputError, match="no respondent is left: no weight \\(2\\)"):
        read_sample(pl.DataFrame({"w": [None, "x"]}), SampleColumns(weight="w"))


def test_unknown_columns_have_the_nearest_name():
    with pytest.raises(UnknownNameError, match="did you mean 'psu'"):
        read_sample(FRAME, SampleColumns(cluster="psuu"))
