import math

import numpy as np
import pytest

from semscale.answer_consistency.white_box.token_scores import (
    TOKEN_MEASURES,
    mean_token_negentropy,
    measure_tokens,
    min_token_negentropy,
    normalised_probability,
    probability_margin,
)
from semscale.chat.replies import TokenLogprob


def token(*shares):
    """A token with the probabilities of the likeliest ones at its place, its own first."""
    return TokenLogprob(
        "t", math.log(shares[0]), tuple((str(at), math.log(p)) for at, p in enumerate(shares))
    )


def test_each_measure_of_two_tokens():
    # .8 and .5: least .5, product .4, geometric mean sqrt .4, first .8.
    found = measure_tokens([[token(0.8), token(0.5)]], tuple(TOKEN_MEASURES))
    values = {name: column[0] for name, column in found.items()}
    assert values["min_probability"] == pytest.approx(0.5)
    assert values["sequence_probability"] == pytest.approx(0.4)
    assert values["normalised_probability"] == pytest.approx(math.sqrt(0.4))
    assert values["first_token_probability"] == pytest.approx(0.8)
    # No token has two alternatives.
    assert np.isnan([values["mean_token_negentropy"], values["probability_margin"]]).all()


def test_negentropy_and_margin_of_the_likeliest_tokens():
    sure, torn = token(1 - 1e-12, 1e-12), token(0.5, 0.5)
    half = token(0.75, 0.25)  # entropy 2 log 2 - 3/4 log 3, divided by log 2
    value = 1 - (2 - 0.75 * math.log2(3))
    assert mean_token_negentropy([sure, torn]) == pytest.approx(0.5, abs=1e-6)
    assert min_token_negentropy([sure, half]) == pytest.approx(value)
    assert probability_margin([half, torn, token(0.9)]) == pytest.approx((0.5 + 0.0) / 2)


def test_probabilities_of_the_likeliest_tokens_need_not_sum_to_1():
    assert mean_token_negentropy([token(0.3, 0.3)]) == pytest.approx(0.0)


def test_length_does_not_change_the_normalised_probability():
    assert normalised_probability([token(0.5)] * 400) == pytest.approx(0.5)


def test_answers_without_tokens_have_no_value():
    found = measure_tokens([None, (), [token(0.5)]], ("min_probability",))["min_probability"]
    np.testing.assert_allclose(found, [np.nan, np.nan, 0.5])
