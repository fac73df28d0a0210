import numpy as np
import pytest

from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.scoring.guarded_samples import guards_read_samples

DOG, HUND = "It is a dog, of course.", "Das ist natürlich ein Hund."


@pytest.mark.parametrize(
    ("answer", "samples", "looked"),
    [
        ("Paris", ["London", "It is London, of course."], [True, True]),
        (DOG, [HUND, DOG], [False, True]),
        # What is not clear may be in the language that stands beside it.
        ("dog", ["Hund", HUND], [False, False]),
        (DOG, ["Hund", HUND, DOG], [False, False, True]),
        (HUND, ["Hund", "dog", DOG], [False, False, False]),
        (DOG, [], []),
    ],
)
def test_guards_look_at_english_and_at_unclear_texts_beside_english_alone(answer, samples, looked):
    assert guards_read_samples(answer, samples) == looked


def test_a_short_answer_does_not_contradict_a_sample_in_another_language():
    # Without the German sentence nothing says that "Katze" is no English, and two short answers differ.
    found = Consistency(floor=0.1, embedder="e5-small").measure(["dog", "dog"], [["Katze"], ["Katze", HUND]])
    assert [[one.finding.guard for one in each] for each in found.contradictions] == [["answer"], []]
    assert np.isnan(found.measures["uncontradicted"]).tolist() == [False, True]
