"""What a rating says, and estimates about many of them."""

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError
from semscale.rating.ratings import Ratings
from semscale.results.estimates import NO_RESPONDENT, NO_WEIGHT, ZERO_WEIGHT
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats import groups
from semscale.types import Status

NAN = float("nan")
VALUES = np.array([1.0, 2.0, 3.0, 4.0])


def scale():
    points = [{"value": value, "label": f"level {value:g}"} for value in VALUES]
    sets = {"first": ("a", "b", "c", "d"), "second": ("e", "f", "g", "h")}
    return Scale(
        name="four", title="Four", question="Which?", provenance="a test", points=points, anchor_sets=sets
    )


def ratings(pmf, status=None):
    pmf = np.asarray(pmf, dtype=float)
    n = len(pmf)
    status = (
        [Status.SCORED if row[0] == row[0] else Status.EMPTY for row in pmf] if status is None else status
    )
    return Ratings(
        scale=scale(),
        pmf=pmf,
        similarity=np.full(n, 0.5),
        set_means=np.full((n, 2), 2.0),
        status=np.array(status, dtype=object),
        windows=np.ones(n, dtype=np.int64),
        language=np.full(n, "en", dtype=object),
        signature=Signature.of("rate", scale="four"),
    )


THREE = [[0.1, 0.2, 0.3, 0.4], [NAN] * 4, [0.5, 0.0, 0.0, 0.5], [0.0, 0.0, 1.0, 0.0]]


def test_figures_of_single_ratings_by_hand():
    rated = ratings(THREE)
    # .1 + .4 + .9 + 1.6 = 3; .5 + 2 = 2.5
    np.testing.assert_allclose(rated.mean, [3.0, NAN, 2.5, 3.0])
    # The lowest of two equal masses.
    np.testing.assert_allclose(rated.mode, [4.0, NAN, 1.0, 3.0])
    # .1 ln 10 + .2 ln 5 + .3 ln(10/3) + .4 ln 2.5 = .2303 + .3219 + .3612 + .3665; ln 2; nothing uncertain
    np.testing.assert_allclose(rated.entropy, [1.2799, NAN, 0.6931, 0.0], atol=1e-4)
    assert (len(rated), rated.n_scored, rated.n_left_out) == (4, 3, 1)
    assert rated.counts == {Status.SCORED: 3, Status.EMPTY: 1}


def test_rounding_does_not_decide_the_mode():
    assert ratings([[0.4, 0.4 + 1e-9, 0.2, 0.0]]).mode.tolist() == [1.0]


def test_frame_has_null_and_not_nan_for_what_is_missing():
    frame = ratings(THREE).to_frame()
    assert frame.columns == [
        "status", "mean", "mode", "entropy", "similarity", "windows", "language", "p_1", "p_2", "p_3", "p_4",
    ]  # fmt: skip
    assert frame["status"].to_list() == ["scored", "empty", "scored", "scored"]
    assert frame["mean"].to_list()[1] is None
    assert frame["p_4"].to_list() == [0.4, None, 0.5, 0.0]
    assert not frame.select(pl.col(pl.Float64).is_nan().any()).sum_horizontal().item()


def test_results_are_frozen():
    rated = ratings(THREE)
    with pytest.raises(ValueError, match="read-only"):
        rated.pmf[0, 0] = 1
    with pytest.raises(AttributeError):
        rated.pmf = rated.pmf


@pytest.mark.parametrize(("field", "shape"), [("similarity", 3), ("pmf", (4, 5)), ("windows", 5)])
def test_arrays_that_do_not_fit_are_refused(field, shape):
    rated = ratings(THREE)
    fields = {**rated.__dict__, field: np.zeros(shape)}
    with pytest.raises(InputError, match=field):
        Ratings(**fields)


class TestEstimate:
    def test_overall_by_hand(self):
        # Means 3, 2.5, 3; top-2 .7 .5 1; bottom-2 .3 .5 0
        overall = ratings(THREE).estimate().overall
        assert overall.mean.value == pytest.approx(8.5 / 3)
        assert overall.top_2_box.value == pytest.approx(2.2 / 3)
        assert overall.bottom_2_box.value == pytest.approx(0.8 / 3)
        assert overall.net.value == pytest.approx(1.4 / 3)
        assert overall.nps is None
        assert [mass.value for mass in overall.pmf] == pytest.approx([0.2, 0.2 / 3, 1.3 / 3, 0.3])
        assert (overall.n, overall.left_out) == (3, {"empty": 1})
        assert overall.mean.low < overall.mean.value < overall.mean.high

    def test_missing_weight_leaves_its_row_out(self):
        # Rows 0 and 3 with weights 1 and 3 both have mean 3; top-2 (.7 + 3) / 4
        overall = ratings(THREE).estimate(weights=[1.0, 7.0, None, 3.0]).overall
        assert overall.top_2_box.value == pytest.approx(3.7 / 4)
        assert overall.left_out == {"empty": 1, NO_WEIGHT: 1}
        assert overall.effective_n == pytest.approx(16 / 10)

    def test_a_weight_of_0_leaves_its_row_out_and_counts_it(self):
        # Only row 0 counts, with mean 3: it has a value, and alone it has no interval.
        estimates = ratings(THREE).estimate(weights=[2.0, 1.0, 0.0, 0.0], by=["a", "a", "b", "b"])
        overall, (a, b) = estimates.overall, estimates.groups
        assert (overall.n, overall.left_out) == (1, {"empty": 1, ZERO_WEIGHT: 2})
        assert overall.mean.value == pytest.approx(3.0)
        assert np.isnan([overall.mean.low, overall.mean.high]).all()
        assert (a.n, b.n, b.mean, b.left_out) == (1, 0, None, {ZERO_WEIGHT: 2})
        assert ("weights", "yes") in estimates.signature.fields

    def test_an_empty_name_is_no_respondent(self):
        overall = ratings(THREE).estimate(respondents=["x", "x", "", "y"]).overall
        assert overall.left_out == {"empty": 1, NO_RESPONDENT: 1}

    def test_groups_come_in_order_of_appearance_with_the_missing_group_last(self):
        estimates = ratings(THREE).estimate(by=pl.Series(["south", "north", None, "south"]))
        assert [group.group for group in estimates.groups] == ["south", "north", None]
        south, north, missing = estimates.groups
        assert south.mean.value == pytest.approx(3.0)
        assert (north.n, north.mean, north.left_out) == (0, None, {"empty": 1})
        assert missing.mean.value == pytest.approx(2.5)

    def test_group_estimate_does_not_depend_on_other_groups(self):
        rng = np.random.default_rng(0)
        many = ratings(rng.dirichlet(np.ones(4), 40))
        half = ratings(many.pmf[::2])
        alone = half.estimate(by=["a"] * 20).groups[0]
        assert many.estimate(by=["a", "b"] * 20).groups[0] == alone

    def test_respondents_are_resampled_as_a_whole(self):
        rng = np.random.default_rng(1)
        rated = ratings(np.repeat(rng.dirichlet(np.ones(4), 25), 8, axis=0))
        rows = rated.estimate().overall.mean
        people = rated.estimate(respondents=np.repeat(np.arange(25), 8)).overall.mean
        # Eight equal rows a person: the honest interval is sqrt(8) = 2.8 times as wide.
        assert people.value == pytest.approx(rows.value)
        assert (people.high - people.low) / (rows.high - rows.low) == pytest.approx(8**0.5, rel=0.25)

    def test_a_row_without_respondent_is_left_out_and_counted(self):
        overall = ratings(THREE).estimate(respondents=["x", "x", None, "y"]).overall
        assert overall.left_out == {"empty": 1, NO_RESPONDENT: 1}
        assert overall.mean.value == pytest.approx(3.0)

    def test_many_clusters_are_linearized_and_say_so(self, monkeypatch):
        rated = ratings(np.random.default_rng(2).dirichlet(np.ones(4), 600))
        bootstrap = rated.estimate(by=["a", "b"] * 300)
        monkeypatch.setattr(groups, "MAX_CLUSTERS", 500)
        linearized = rated.estimate(by=["a", "b"] * 300)
        assert (bootstrap.method, bootstrap.seed, bootstrap.replicates) == ("bootstrap", 0, 2000)
        assert (linearized.method, linearized.seed, linearized.replicates) == ("linearized", None, 0)
        for left, right in zip(linearized.groups, bootstrap.groups, strict=True):
            assert left.mean.value == pytest.approx(right.mean.value)
            width = right.mean.high - right.mean.low
            assert left.mean.low == pytest.approx(right.mean.low, abs=0.08 * width)

    def test_nothing_scored_has_no_figures(self):
        overall = ratings([[NAN] * 4] * 2).estimate().overall
        assert (overall.n, overall.mean, overall.pmf) == (0, None, ())

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            (
                {"weights": [1, -2, 3, 4]},
                r"weights must be 0, or from 1e-100.*\(counted from 1\): 2$",
            ),
            ({"weights": np.array([1, 2, np.inf, 4])}, r"\(counted from 1\): 3$"),
            ({"weights": ["1", 2, 3, 4]}, r"\(counted from 1\): 1$"),
            ({"weights": [1, 2, [], 4]}, r"\(counted from 1\): 3$"),
            ({"weights": [1, 2]}, "weights must have 4 rows"),
            ({"weights": [0.0, 0, 0, 0]}, "must not all be 0"),
            ({"by": ["a"]}, "by must have 4 rows"),
            ({"respondents": ["a"]}, "respondents must have 4 rows"),
            ({"by": "abcd"}, "by must be a list or a series"),
            ({"interval": 1.0}, "interval"),
            ({"replicates": 1}, "replicates"),
        ],
    )
    def test_bad_settings_are_named(self, settings, message):
        with pytest.raises(InputError, match=message):
            ratings(THREE).estimate(**settings)


def test_estimates_as_a_table():
    frame = ratings(THREE).estimate(by=["a", "a", "b", "a"]).to_frame()
    assert frame["figure"].unique(maintain_order=True).to_list() == [
        "mean", "top_2_box", "bottom_2_box", "net", "p_1", "p_2", "p_3", "p_4",
    ]  # fmt: skip
    assert frame.filter(pl.col("scope") == "overall").height == 8
    b = frame.filter((pl.col("group") == "b") & (pl.col("figure") == "mean"))
    assert b.select("n", "value", "low").row(0) == (1, 2.5, None)


def test_estimates_state_their_interval_settings():
    rated = ratings(THREE * 4)  # 12 rows that count
    signature = rated.estimate(seed=7, interval=0.9).signature
    added = rated.signature.differences(signature)
    assert {name: value for name, (_, value) in added.items()} == {
        "interval": "0.9", "method": "bootstrap", "replicates": "2000", "seed": "7", "clusters": "rows",
        "weights": "no",
    }  # fmt: skip
