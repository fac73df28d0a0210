"""A sample of rows, and the labelled ones beside it."""

import numpy as np

from semscale.results.labelled_sample import LabelledSample


def kept(most, size, n=100, labelled=(3, 50, 99)):
    sample = LabelledSample(most, seed=4)
    has_label = np.isin(np.arange(n), labelled)
    for start in range(0, n, size):
        rows = np.arange(start, min(start + size, n))
        sample.add({"score": rows * 0.5, "pair": np.stack([rows, -rows], axis=1)}, has_label[rows])
    return sample.kept()


def test_of_few_rows_all_are_kept_once():
    found = kept(100, 30)
    assert found.rows.tolist() == list(range(100))
    assert (found.drawn, found.n_drawn, found.n) == (None, None, 100)
    assert found.in_draw.all()


def test_of_many_rows_a_sample_and_the_labelled_ones_are_kept_in_their_order():
    found = kept(10, 30)
    assert found.n_drawn == found.drawn.sum() == 10
    assert {3, 50, 99} <= set(found.rows.tolist())
    assert found.rows.tolist() == sorted(set(found.rows.tolist()))
    assert found.columns["score"].tolist() == (found.rows * 0.5).tolist()
    assert found.columns["pair"].tolist() == np.stack([found.rows, -found.rows], axis=1).tolist()


def test_the_size_of_parts_changes_nothing():
    assert kept(10, 30).rows.tolist() == kept(10, 1).rows.tolist() == kept(10, 100).rows.tolist()


def test_kept_rows_stand_for_all_rows_together_and_labelled_ones_for_themselves():
    found = kept(10, 30)
    labelled = np.isin(found.rows, [3, 50, 99])
    weights = found.standing_for(labelled)
    assert weights[labelled].tolist() == [1, 1, 1]
    assert weights.sum() == 100
