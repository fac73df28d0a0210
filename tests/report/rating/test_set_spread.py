"""What moves a mean of ratings, and what would make it more exact."""

import numpy as np

from semscale.report.rating.set_spread import advice
from semscale.stats.intervals.moments import Moments
from semscale.stats.variance_components.crossed_means import crossed_components


def components(texts, sets, noise):
    rng = np.random.default_rng(0)
    table = texts * rng.standard_normal((200, 1)) + np.array(sets) + noise * rng.standard_normal((200, 3))
    return crossed_components(Moments.empty(3).added(np.hstack([table, np.ones((200, 1))])), 3)


def test_sets_that_differ_call_for_other_anchors():
    # Sets 0, .5 and 1 have a variance of .25: .25 / 3 is far above the 1 / 200 of the texts.
    said = advice(components(1.0, [0.0, 0.5, 1.0], 0.2))
    assert said.endswith("mend the anchors or add sets.")
    assert "is 0.29" in said


def test_sets_that_agree_call_for_more_texts():
    assert advice(components(1.0, [0.0, 0.0, 0.0], 0.1)).endswith("rate more texts.")
