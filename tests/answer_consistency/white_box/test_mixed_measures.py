import numpy as np
import pytest

from semscale.answer_consistency.scoring.pair_measures import PAIR_MEASURES
from semscale.answer_consistency.white_box.mixed_measures import MIXED_MEASURES
from semscale.answer_consistency.white_box.token_scores import TOKEN_MEASURES


@pytest.mark.parametrize("name", MIXED_MEASURES)
def test_a_product_is_missing_where_one_factor_is(name):
    measure = MIXED_MEASURES[name]
    assert (measure.pairs in PAIR_MEASURES, measure.tokens in TOKEN_MEASURES) == (True, True)
    agreement, confidence = np.array([0.5, 1.0, np.nan]), np.array([0.4, np.nan, 1.0])
    found = measure.values({measure.pairs: agreement, measure.tokens: confidence})
    np.testing.assert_allclose(found, [0.2, np.nan, np.nan])
