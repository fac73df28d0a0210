import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import ToyEmbedder

from semscale.matching.matcher import match
from semscale.matching.summary import separate, share_above

SCORES = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=12)


@given(SCORES, SCORES)
def test_the_share_counts_wins_and_half_of_the_ties(scores, other_scores):
    counted = np.mean(
        [(value > other) + 0.5 * (value == other) for value in scores for other in other_scores]
    )
    assert share_above(np.array(scores), np.array(other_scores)) == pytest.approx(counted)


def separated(predictions, references, seed=0):
    toy = ToyEmbedder()

    def matched(left, right):
        return match(left, right, "cosine", embedder=toy).score

    return separate(matched(predictions, references), predictions, references, matched, seed=seed)


def test_right_answers_stand_above_those_to_other_questions():
    texts = [f"word{number} other{number}" for number in range(20)]
    result = separated(texts, [[text] for text in texts])
    assert result.share > 0.99
    assert not result.is_weak
    assert len(result.unrelated) == 20


def test_answers_that_fit_every_question_are_not_separated():
    result = separated(["it depends"] * 20, [[f"word{number}"] for number in range(20)])
    assert result.share == pytest.approx(0.5, abs=0.25)
    assert result.is_weak


def test_rows_with_a_reference_in_common_are_never_paired_and_too_few_pairs_say_nothing():
    assert separated(["a b"] * 30, [["the same"]] * 30) is None
    assert separated(["a", "b", "c"], [["a"], ["b"], ["c"]]) is None


def test_rows_without_a_score_are_not_drawn():
    texts = [f"word{number}" for number in range(12)]
    result = separated([*texts, None, ""], [*([text] for text in texts), ["x"], ["y"]])
    assert len(result.unrelated) == 12
