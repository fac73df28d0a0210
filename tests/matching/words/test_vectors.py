"""Words' vectors and the comparison of pairs, by hand; company must not change a bit."""

import numpy as np
import pytest

from semscale.matching.cosines import best_cosines, best_of, mean_best, unit_rows
from semscale.matching.token_scores import cosine_matrix, greedy_score, greedy_scores
from semscale.matching.words import WordVectors, compare_words, word_means


def synthetic_vectors(words, rng):
    layers = np.array([unit_rows(rng.standard_normal((words, 8)).astype(np.float32) + 1) for _ in range(2)])
    return WordVectors(
        layers=layers,
        text=unit_rows(rng.standard_normal((1, 8)) + 1)[0],
        weights=rng.uniform(0.1, 2, words),
        to_pronoun=rng.uniform(0.1, 2, words),
        is_pronoun=bool(words % 2),
    )


def test_a_pair_of_texts_by_hand():
    east, north, between = [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]
    candidate = WordVectors(
        np.array([[east, north], [east, east]]), np.array(east), np.array([1.0, 3.0]), np.ones(2), True
    )
    baseline = WordVectors(
        np.array([[between], [[-1.0, 0.0]]]), np.array(between), np.array([2.0]), np.array([1.0]), False
    )
    # By themselves our words' best cosines are .6 and .8, with weights 1 and 3; their word's is .8.
    # In context all cosines are -1, which counts as 0.
    expected = [(0.6 + 3 * 0.8) / 4, 0.8, 0, 0, 0.6]
    np.testing.assert_allclose(compare_words([(candidate, baseline)]), [expected], atol=1e-15)


def test_the_subject_counts_less_beside_a_pronoun():
    layers = np.array([[[1.0, 0.0], [0.0, 1.0]]] * 2)
    candidate = WordVectors(layers, np.array([1.0, 0]), np.ones(2), np.array([0.25, 1.0]), False)
    baseline = WordVectors(layers[:, 1:], np.array([1.0, 0]), np.ones(1), np.ones(1), True)
    # Only our second word has its equal; beside a pronoun the first one counts a quarter.
    assert compare_words([(candidate, baseline)])[0, 0] == pytest.approx(1 / 1.25)


def test_text_without_tokens_is_nan_and_leaves_neighbours_unchanged():
    rng = np.random.default_rng(0)
    entry, two, none = synthetic_vectors(3, rng), synthetic_vectors(4, rng), synthetic_vectors(0, rng)
    values = compare_words([(none, entry), (entry, two), (two, none)])
    assert np.isnan(values).all(axis=1).tolist() == [True, False, True]
    assert values[1].tolist() == compare_words([(entry, two)])[0].tolist()
    assert np.isnan(compare_words([(none, none)])).all()


def test_company_changes_no_bit_of_a_pair():
    rng = np.random.default_rng(1)
    texts = [synthetic_vectors(words, rng) for words in (1, 2, 5, 17, 40)]
    pairs = [(entry, other) for entry in texts for other in texts]
    alone = [compare_words([pair], cosine_matrix)[0].tolist() for pair in pairs]
    assert compare_words(pairs, cosine_matrix).tolist() == alone
    assert compare_words(pairs[::-1], cosine_matrix)[::-1].tolist() == alone


def test_equal_texts_score_exactly_1():
    rng = np.random.default_rng(2)
    text = synthetic_vectors(9, rng)
    assert compare_words([(text, text)], cosine_matrix).tolist() == [[1.0] * 5]


def test_company_changes_no_bit_of_a_bertscore():
    rng = np.random.default_rng(3)
    matrices = [rng.uniform(-1, 1, shape).astype(np.float32) for shape in ((3, 5), (1, 1), (40, 33))]
    weights = [tuple(rng.uniform(0, 1, side) for side in matrix.shape) for matrix in matrices]
    alone = [greedy_score(matrix, *sides) for matrix, sides in zip(matrices, weights, strict=True)]
    assert greedy_scores(map(best_of, matrices), weights) == alone
    assert greedy_scores([], []) == []


def test_the_best_cosines_are_those_of_a_loop():
    rng = np.random.default_rng(4)
    matrices = [rng.uniform(-1, 1, (2, *shape)) for shape in ((3, 5), (1, 2))]
    weights = [tuple(rng.uniform(0, 1, side) for side in matrix.shape[1:]) for matrix in matrices]
    result = mean_best(map(best_of, matrices), weights, np.abs)
    for pair, (matrix, (rows, columns)) in enumerate(zip(matrices, weights, strict=True)):
        for layer, cosines in enumerate(matrix):
            by_row = sum(w * abs(max(row)) for w, row in zip(rows, cosines, strict=True)) / sum(rows)
            by_column = sum(w * abs(max(column)) for w, column in zip(columns, cosines.T, strict=True))
            assert result[layer, pair].tolist() == pytest.approx([by_row, by_column / sum(columns)])


def test_means_are_added_up_in_the_order_of_tokens():
    states = np.array([[1e8], [1.0], [-1e8], [7.0], [8.0]], np.float32)
    # In single precision 1e8 + 1 is 1e8, so that the first three add up to 0.
    means = word_means(states, np.array([0, 3, 1, 0]), np.array([3, 5, 2, 1]))
    assert means.tolist() == [[0.0], [7.5], [1.0], [1e8]]
    assert means.dtype == np.float32


def test_unit_rows_keep_the_input_precision():
    rows = unit_rows(np.array([[3, 4], [0, 0]], np.float32))
    assert rows.dtype == np.float32
    assert rows.tolist() == [[np.float32(0.6), np.float32(0.8)], [0, 0]]


@pytest.mark.parametrize("most", [1, 7, 60, 100])
@pytest.mark.parametrize("cosines", [cosine_matrix, lambda left, right: left @ right.swapaxes(-1, -2)])
def test_chunked_cosines_equal_the_maxima_of_all_rows(most, cosines):
    rng = np.random.default_rng(5)
    left, right = (rng.uniform(-1, 1, (2, n, 4)).astype(np.float32) for n in (7, 5))
    sizes = []

    def counted(first, second):
        sizes.append(first.shape[0] * first.shape[1] * second.shape[1])
        return cosines(first, second)

    rows, columns = best_cosines(left, right, counted, most)
    everything = np.einsum("lrd,lcd->lrc", left, right)
    np.testing.assert_allclose(rows, everything.max(axis=2), atol=1e-6)
    np.testing.assert_allclose(columns, everything.max(axis=1), atol=1e-6)
    assert max(sizes) <= max(most, 2 * 5)  # at least one row of two layers
    assert sum(sizes) == 2 * 7 * 5
