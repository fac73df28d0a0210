"""Weights of tokens: all alike, idf over a corpus, or given."""

from collections import defaultdict

import numpy as np
import pytest

from semscale.embedding.token_states import TokenIds
from semscale.errors import InputError
from semscale.matching.token_scores import constant_weights, reference_weights

LN2, LN3 = 0.6931471805599453, 1.0986122886681098


class WordReader:
    """A tokenizer whose ids are 0 and 1 around single digits as words: "5 7" -> 0 5 7 1."""

    vocabulary = 10
    special_ids = np.array([0, 1], np.int32)

    def read(self, texts):
        rows = [[0, *map(int, text.split()), 1] for text in texts]
        return TokenIds(
            np.concatenate([np.array(row, np.int32) for row in rows]), np.cumsum([0, *map(len, rows)])
        )


def test_all_alike_but_what_stands_around_a_text():
    assert constant_weights(False, WordReader()).table.tolist() == [0, 0, *[1] * 8]


def test_idf_over_a_corpus_by_hand():
    weights = constant_weights(["5 5 7", " 5 "], WordReader())
    # N = 2. 5 and the two special tokens are in both: ln(3/3); 7 in one: ln(3/2); all others in none: ln 3.
    assert weights.of(np.array([0, 1, 5])).tolist() == [0, 0, 0]
    np.testing.assert_allclose(weights.of(np.array([7, 3])), [LN3 - LN2, LN3])
    assert weights.origin.startswith("corpus#")
    assert weights.origin.endswith("/2")


def test_idf_counts_repeated_references_every_time():
    reader = WordReader()
    tokens = reader.read(["5", "7", "8"])
    weights = reference_weights(reader, tokens, np.array([1, 1, 2]))
    # N = 3: 7 is in two references, 8 in one, 5 in none.
    np.testing.assert_allclose(weights.of(np.array([7, 8, 5])), np.log([4 / 3, 4 / 2, 4 / 1]))


def test_a_token_counts_once_a_document():
    # N = 1: 5 is in that text, so its weight is ln(2/2), however often it is there.
    assert constant_weights(["5 5 5"], WordReader()).of(np.array([5])).tolist() == [0]


def test_fixed_weights_use_the_default_for_missing_pieces():
    plain = constant_weights({5: 0.5, 7: 2.0}, WordReader())
    assert plain.of(np.array([0, 5, 7, 3])).tolist() == [0, 0.5, 2, 2]
    default = defaultdict(lambda: 1.5, {5: 0.5})
    assert constant_weights(default, WordReader()).of(np.array([0, 5, 3])).tolist() == [1.5, 0.5, 1.5]


@pytest.mark.parametrize(
    ("idf", "message"),
    [
        ("yes", "idf must be True, False, a list of texts or a mapping"),
        ([], "at least one text"),
        (["a", None], r"idf\[1\] must be a text, got NoneType"),
        ({5: -1.0}, "weights of at least 0, got 5: -1.0"),
        ({99: 1.0}, "token ids below 10"),
        ({"a": 1.0}, "must map token ids to weights"),
    ],
)
def test_what_is_no_idf_is_refused(idf, message):
    with pytest.raises(InputError, match=message):
        constant_weights(idf, WordReader())
