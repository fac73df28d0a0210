"""Exceptions lift the negation of their clause; the sentences were read by hand."""

import pytest

from semscale.guards.polarity import negation_reach
from semscale.guards.words import CONTENT, role_of


def read(text):
    texts = text.split()
    roles = [role_of(word) for word in texts]
    content = frozenset(at for at, role in enumerate(roles) if role & CONTENT)
    reach = negation_reach(texts, roles, content)
    return {texts[at] for at in reach.negated}, {texts[at] for at in reach.doubtful}


@pytest.mark.parametrize(
    ("text", "negated", "doubtful"),
    [
        ("the step is not valid unless x is positive", set(), set()),
        ("the query is slow unless an index helps", {"index", "helps"}, set()),
        ("unless symptoms persist , no imaging is useful", set(), set()),
        ("you cannot judge it without numbers", set(), set()),
        ("without tests the code is unsafe", {"tests"}, set()),
        ("without biopsy the diagnosis cannot stand", set(), {"biopsy", "stand"}),
        ("do not commit until tests pass", set(), {"commit"}),
        ("it is not safe , so wait until noon", {"safe"}, set()),
    ],
)
def test_which_words_stay_negated_beside_an_exception(text, negated, doubtful):
    assert read(text) == (negated, doubtful)
