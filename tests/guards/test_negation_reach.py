"""Which words a negation reaches; the sentences were read by hand."""

import pytest

from semscale.guards.polarity import negation_reach
from semscale.guards.words import CONTENT, role_of


def reach(text):
    texts = text.split()
    roles = [role_of(word) for word in texts]
    content = frozenset(at for at, role in enumerate(roles) if role & CONTENT)
    return texts, negation_reach(texts, roles, content)


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("the lamp is not lit", {"lit": 1}),
        ("avoid giving aspirin", {"giving": 1, "aspirin": 1}),
        ("he stopped smoking", {"smoking": 1}),
        ("he stopped the car", {}),
        ("she refrained from driving", {"driving": 1}),
        ("he did not forget to call", {"forget": 1, "call": 2}),
        ("there is no gap in the circuit", {"gap": 1}),
        ("no evidence of the disease", {"evidence": 1, "disease": 1}),
        ("it is not in the house", {"house": 1}),
        ("no it is safe", {}),
    ],
)
def test_reached_words_and_how_many_negations_reach_them(text, negated):
    texts, found = reach(text)
    assert {texts[at]: len(cues) for at, cues in found.negated.items()} == negated


@pytest.mark.parametrize(
    ("text", "place"), [("it was computed so avoid doing it again", 5), ("it was done do it again", 0)]
)
def test_a_negated_do_it_takes_up_what_was_said(text, place):
    assert reach(text)[1].taken_up == place
