import pytest

from semscale.self_consistency.meanings.answer_forms import is_same_short_answer, is_short_answer


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Paris", "It is Paris.", True),
        ("red", "Red!", True),
        ("dog", "dogs", True),
        ("red", "blue", False),
        ("Paris", "It is not Paris.", False),
        ("8", "eight emails", False),
        ("no", "not", False),
        ("It is.", "it is", True),
        ("?", "?", True),
        ("?", "!", False),
    ],
)
def test_which_short_answers_are_the_same(one, other, same):
    assert is_same_short_answer(one, other) is same


def test_an_answer_is_short_up_to_three_words_that_count():
    assert is_short_answer("The capital of France is Paris.")
    assert not is_short_answer("The old capital of France is Paris.")
