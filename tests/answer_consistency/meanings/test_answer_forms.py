import pytest

from semscale.answer_consistency.meanings.answer_forms import is_same_short_answer, is_short_answer


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
        ("-5", "5", False),
        ("−5", "-5", True),
        ("- Paris", "Paris", True),
        ("5 - 3", "5–3", True),
        ("x > 2", "x < 2", False),
        ("x != 5", "x = 5", False),
        ("$5", "5%", False),
        ("5 %", "5%", True),
        (".5", "5", False),
        ("1/2", "1 2", False),
        ("B-", "B", False),
        ("**5**", "5", True),
        ("Before lunch", "After lunch", False),
        ("all students", "few students", False),
        ("most patients", "some patients", False),
        ("to London", "from London", False),
        ("above zero", "below zero", False),
        ("C", "C++", False),
        ("C", "C#", False),
        ("C++", "C#", False),
        ("vitamin A", "vitamin", False),
        ("Option A", "option", False),
        ("A1", "1", False),
        ("A cat", "the cat", True),
        ("a few", "few", False),
        ("World War I", "World War", False),
        ("this one", "that one", False),
        ("IT department", "department", False),
        ("There are 8.", "8", True),
    ],
)
def test_which_short_answers_are_the_same(one, other, same):
    assert is_same_short_answer(one, other) is same


def test_an_answer_is_short_up_to_three_words_that_count():
    assert is_short_answer("The capital of France is Paris.")
    assert not is_short_answer("The old capital of France is Paris.")
