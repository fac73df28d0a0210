"""Rows that come in parts, and figures that some rows lack."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.results.tallies import NO_VALUE, Tallies
from semscale.signature import Signature
from semscale.stats.intervals import scale_figures, value_figure
from semscale.types import Status

NAN = float("nan")


def tallies_of(*figures, main=0):
    return Tallies(figures or [scale_figures(np.arange(1.0, 5.0))], Signature.of("rate"), main=main)


def test_parts_give_what_the_whole_gives():
    rng = np.random.default_rng(7)
    pmf = rng.dirichlet(np.ones(4), 90)
    columns = {
        "weights": rng.uniform(0, 2, 90),
        "by": rng.choice(["x", "y", "z"], 90),
        "respondents": rng.integers(0, 30, 90),
    }
    parts, once = tallies_of(), tallies_of()
    once.add(pmf, [Status.SCORED] * 90, **columns)
    for start in range(0, 90, 25):
        part = slice(start, start + 25)
        columns_here = {name: column[part] for name, column in columns.items()}
        parts.add(pmf[part], [Status.SCORED] * len(pmf[part]), **columns_here)
    ours, whole = parts.estimates(), once.estimates()
    for one, other in zip((ours.overall, *ours.groups), (whole.overall, *whole.groups), strict=True):
        assert (one.group, one.n) == (other.group, other.n)
        np.testing.assert_allclose(
            [one.mean.value, one.mean.low, one.mean.high, one.effective_n],
            [other.mean.value, other.mean.low, other.mean.high, other.effective_n],
        )


def test_refits_widen_the_intervals_of_everything_and_of_each_group():
    # Two equal halves; under the refits all means are .2 lower, as they are, and .2 higher, but those of y
    # do not move. Half of the rows move, so the whole moves by .1.
    rng = np.random.default_rng(3)
    pmf = rng.dirichlet(np.ones(4), 60) * 0.5 + 0.125
    by = np.repeat(["x", "y"], 30)
    shift = np.array([0.2, 0, 0, -0.2]) / 3
    refits = np.stack([pmf + step * shift * (by == "x")[:, None] for step in (-1, 0, 1)], axis=1)
    plain, widened, in_parts = tallies_of(), tallies_of(), tallies_of()
    plain.add(pmf, [Status.SCORED] * 60, by=by)
    widened.add(pmf, [Status.SCORED] * 60, by=by, refits=refits)
    for part in (slice(40), slice(40, 60)):
        scored = [Status.SCORED] * len(pmf[part])
        in_parts.add(pmf[part], scored, by=by[part], refits=refits[part])
    before, after, again = (one.estimates(method="linearized") for one in (plain, widened, in_parts))
    t = 4.30265  # of .975 with 2 degrees of freedom
    for one, other, third, step in zip(
        (before.overall, *before.groups),
        (after.overall, *after.groups),
        (again.overall, *again.groups),
        (0.1, 0.2, 0.0),
        strict=True,
    ):
        error = np.sqrt(2 / 3 * 2 * step**2)
        half = np.hypot(one.mean.high - one.mean.value, t * error)
        assert other.mean.value == one.mean.value
        assert other.mean.high == pytest.approx(min(4, one.mean.value + half), abs=1e-4)
        assert third.mean.high == pytest.approx(other.mean.high)
    assert (before.refits, after.refits) == (0, 3)
    assert "refits" not in dict(before.signature.fields)
    assert dict(after.signature.fields)["refits"] == "3"


def test_a_wrong_weight_is_named_by_its_row_in_the_whole():
    tallies = tallies_of()
    tallies.add(np.eye(4)[:3], [Status.SCORED] * 3, weights=[1, 1, 1])
    with pytest.raises(InputError, match="from 0: 4$"):
        tallies.add(np.eye(4)[:3], [Status.SCORED] * 3, weights=[1, -1, 1])


def test_a_column_with_too_many_groups_is_refused():
    pmf = np.tile(np.eye(4)[:1], (100_001, 1))
    with pytest.raises(InputError, match="at most 100,000 groups"):
        tallies_of().add(pmf, [Status.SCORED] * 100_001, by=list(range(100_001)))


def test_a_figure_that_some_rows_lack_is_made_of_the_others():
    unit = (0.0, 1.0)
    tallies = tallies_of(value_figure("first", unit), value_figure("second", unit))
    # Rows 0 and 1 count; row 1 lacks the second figure, and row 2 the first, which is the main one.
    values = np.array([[0.2, 0.6], [0.4, NAN], [NAN, 0.8], [0.9, 0.9]])
    tallies.add(values, [Status.SCORED] * 3 + [Status.EMPTY])
    overall = tallies.estimates().overall
    assert overall.left_out == {"empty": 1, NO_VALUE: 1}
    assert (overall.n, overall.mean) == (2, overall.figures["first"])
    assert overall.mean.value == pytest.approx(0.3)
    assert overall.figures["second"].value == pytest.approx(0.7)
    assert list(overall.bases) == []  # both are made of two rows, linearized


def test_a_figure_of_fewer_rows_says_how_many_it_has():
    unit = (0.0, 1.0)
    tallies = tallies_of(value_figure("second", unit), value_figure("first", unit), main=1)
    second = np.where(np.arange(12) < 3, np.linspace(0, 1, 12), NAN)
    tallies.add(np.column_stack([second, np.linspace(0, 1, 12)]), [Status.SCORED] * 12)
    estimates = tallies.estimates()
    assert list(estimates.overall.figures) == ["second", "first"]
    assert estimates.overall.method == "bootstrap"
    mean = estimates.overall_mean("second")
    assert (mean.n, mean.n_left_out, mean.n_clusters, mean.method) == (3, 9, 3, "linearized")
    assert mean.value == pytest.approx(1 / 11)  # 0, 1/11, 2/11
    assert estimates.to_frame()["n"].to_list() == [3, 12]
