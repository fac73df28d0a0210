import math

import numpy as np
import pytest

from semscale.answer_consistency.meanings.meaning_measures import MEANING_MEASURES, measure_meanings
from semscale.answer_consistency.meanings.relations import Ground, Relations

# An answer and two samples; the first sample means the same, the second does not.
SAME = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]], bool)


def test_every_measure_of_an_item_and_none_of_one_without_samples():
    free = np.array([[1, 0.9, 0.4], [0.9, 1, 0.5], [0.4, 0.5, 1]])
    related = {1: Relations(Ground.ENTAILMENT, SAME.astype(float), SAME, free)}
    found = measure_meanings(related, tuple(MEANING_MEASURES), 2)
    values = {name: column[1] for name, column in found.measures.items()}
    assert all(np.isnan(column[0]) for column in found.measures.values())
    assert values["semantic_negentropy"] == pytest.approx(2 / 3 * math.log(2) / math.log(3))
    assert values["semantic_sets_confidence"] == 0.5
    assert values["semantic_alphabet"] == pytest.approx(
        1 / 3
    )  # 2 meanings seen, of which one once: 2 / (2/3)
    assert values["entailment"] == 0.5
    assert values["noncontradiction"] == pytest.approx((0.9 + 0.4) / 2)
    assert found.n_meanings.tolist() == [0, 2]
    assert found.grounds.tolist() == [None, Ground.ENTAILMENT]


def test_without_entailment_no_contradiction_is_known():
    found = measure_meanings({0: Relations(Ground.EXACT, SAME * 1.0, SAME)}, ("noncontradiction",), 1)
    assert np.isnan(found.measures["noncontradiction"][0])
