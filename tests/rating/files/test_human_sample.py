"""Comparisons from parts of a file: the rows that the estimates count, with their weights."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.rating.files.columns import FileColumns
from semscale.rating.files.human_sample import HumanSample
from semscale.rating.human.comparison import compare
from semscale.signature import Signature

COLUMNS = FileColumns("text", weight="w", human="h")


def test_parts_with_weights_compare_as_the_whole():
    rng = np.random.default_rng(0)
    pmf, human = rng.dirichlet(np.ones(3), 40), rng.integers(1, 4, 40).astype(float)
    weights = rng.uniform(0.5, 2, 40)
    weights[[3, 25]] = np.nan, 0.0
    sample = HumanSample(0)
    for part in (slice(0, 15), slice(15, 40)):
        size = len(human[part])
        sample.add(
            part.start, pmf[part], human[part].tolist(),
            lengths=[1] * size, respondents=None, weights=weights[part],
        )  # fmt: skip
    ours = sample.compared(np.arange(1.0, 4.0), COLUMNS, interval=0.95, signature=Signature.of("rate"))
    whole = compare(pmf, human, values=np.arange(1.0, 4.0), weights=weights)
    assert (ours.n, ours.n_eligible) == (38, 38)
    assert ours.pearson == whole.pearson
    assert ours.ks_similarity == whole.ks_similarity
    assert ours.human_pmf.tolist() == whole.human_pmf.tolist()


def test_only_rows_without_weight_are_nothing_to_compare():
    sample = HumanSample(0)
    sample.add(0, np.eye(3)[:1], [2.0], lengths=[1], respondents=None, weights=np.zeros(1))
    with pytest.raises(InputError, match="has a weight"):
        sample.compared(np.arange(3.0), COLUMNS, interval=0.95, signature=Signature.of("rate"))
