import pytest

from semscale.answer_consistency.scoring.answer_categories import differing_members


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("red", "blue", ("red", "blue")),
        ("a scarlet cap", "a red cap", None),
        ("it is on monday", "tuesday it is", ("monday", "tuesday")),
        ("red and white", "white", None),
        ("red", "round", None),
        ("in the autumn", "in the fall", None),
        ("gold", "lead", ("gold", "lead")),  # no two colours, but two elements
    ],
)
def test_which_words_name_different_members_of_one_category(one, other, found):
    assert differing_members(one.split(), other.split()) == found
