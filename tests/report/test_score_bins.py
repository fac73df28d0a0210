import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from semscale.report.row_charts import bin_counts, bin_edges

SCORES = st.lists(st.floats(-1, 1), max_size=30).map(np.array)


@given(SCORES, st.integers(1, 25))
def test_every_score_is_in_one_bin(score, bins):
    edges = bin_edges(score, (-1.0, 1.0), bins=bins)
    assert bin_counts(score, edges).sum() == len(score)
    assert len(score) == 0 or edges[0] <= max(score.min(), 0) + 1e-9
    np.testing.assert_allclose(np.diff(edges), 1 / bins)


def test_a_score_on_an_edge_belongs_to_the_bin_above_and_1_to_the_last():
    edges = bin_edges(np.array([0.5]), (0.0, 1.0), bins=4)
    assert edges.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert bin_counts(np.array([0.25, 0.5, 1.0]), edges).tolist() == [0, 1, 1, 1]
