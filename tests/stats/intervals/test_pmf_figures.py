import numpy as np
import pytest

from semscale.stats.intervals.pmf_figures import figures_of


def named(values, pmf):
    figures = figures_of(np.asarray(values, dtype=float))
    return dict(zip(figures.names, figures.matrix @ np.asarray(pmf), strict=True))


def test_figures_of_five_points_by_hand():
    # mean .1 + .4 + .9 + 1.2 + .5 = 3.1; top .3 + .1; bottom .1 + .2
    figures = named([1, 2, 3, 4, 5], [0.1, 0.2, 0.3, 0.3, 0.1])
    expected = {"mean": 3.1, "top_2_box": 0.4, "bottom_2_box": 0.3, "net": 0.1}
    expected |= {"p_1": 0.1, "p_2": 0.2, "p_3": 0.3, "p_4": 0.3, "p_5": 0.1}
    assert figures == pytest.approx(expected)


def test_nps_counts_promoters_less_detractors():
    # .3 on 9, .2 on 10, .1 on 8, .1 on 7, .25 on 0, .05 on 6: .5 - .3
    pmf = [0.25, 0, 0, 0, 0, 0, 0.05, 0.1, 0.1, 0.3, 0.2]
    assert named(range(11), pmf)["nps"] == pytest.approx(0.2)


@pytest.mark.parametrize("values", [range(1, 12), range(10), [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]])
def test_only_zero_to_ten_has_an_nps(values):
    assert "nps" not in figures_of(np.asarray(values, dtype=float)).names


@pytest.mark.parametrize(("k", "boxes"), [(2, False), (3, False), (4, True)])
def test_boxes_that_would_overlap_are_left_out(k, boxes):
    assert ("top_2_box" in figures_of(np.arange(float(k))).names) is boxes


def test_bounds_are_those_of_all_pmfs():
    low, high = figures_of(np.array([-2.0, 0.0, 1.0, 3.0])).bounds
    assert low.tolist() == [-2, 0, 0, -1, 0, 0, 0, 0]
    assert high.tolist() == [3, 1, 1, 1, 1, 1, 1, 1]
