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
    # Places in the file and labels are the same, so the labels' hash is, too.
    assert dict(ours.signature.fields)["labels"] == dict(whole.signature.fields)["labels"]


def test_only_rows_without_weight_are_nothing_to_compare():
    sample = HumanSample(0)
    sample.add(0, np.eye(3)[:1], [2.0], lengths=[1], respondents=None, weights=np.zeros(1))
    with pytest.raises(InputError, match="has a weight"):
        sample.compared(np.arange(3.0), COLUMNS, interval=0.95, signature=Signature.of("rate"))


def test_the_mean_of_all_rows_has_weights_respondents_and_probabilities_from_every_part():
    rng = np.random.default_rng(1)
    pmf, people = rng.dirichlet(np.ones(3), 40), [f"p{row % 13}" for row in range(40)]
    people[7] = None
    human = [float(rng.integers(1, 4)) if row % 3 == 0 else None for row in range(40)]
    inclusion, weights = rng.uniform(0.2, 1, 40), rng.uniform(0.5, 2, 40)
    weights[[3, 25]] = np.nan, 0.0
    sample = HumanSample(0, np.arange(1.0, 4.0))
    for part in (slice(0, 15), slice(15, 40)):
        sample.add(
            part.start, pmf[part], human[part], lengths=[1] * len(human[part]), respondents=people[part],
            weights=weights[part], inclusion=inclusion[part],
        )  # fmt: skip
    columns = FileColumns("text", weight="w", respondent="r", human="h", inclusion="p")
    ours = sample.compared(np.arange(1.0, 4.0), columns, interval=0.95, signature=Signature.of("rate"))
    whole = compare(
        pmf, human, values=np.arange(1.0, 4.0), weights=weights, respondents=people, inclusion=inclusion
    )
    assert ours.corrected.value == pytest.approx(whole.corrected.value)
    assert ours.corrected.low == pytest.approx(whole.corrected.low)
    assert (ours.corrected.n_labelled, ours.corrected.n_unlabelled) == (13, 24)
    assert ours.pearson.value == pytest.approx(whole.pearson.value)
