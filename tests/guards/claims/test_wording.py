"""Content words of a text, and how many of them two texts have in common."""

import pytest

from semscale.guards.claims.wording import Wording, coverage, similarity
from semscale.guards.words import TextWords


def wordings(*texts):
    return [Wording(TextWords(text)) for text in texts]


@pytest.mark.parametrize(
    ("one", "other", "guard", "shared"),
    [
        ("Dogs chase cats.", "Cats chase dogs.", "order", 1.0),
        ("Dogs chase cats.", "Dogs chase birds.", "order", 2 / 3),  # 2 of 3 words each
        ("He paid the rent.", "He pays the rent.", "order", 1.0),  # an irregular verb
        ("Perhaps dogs bark.", "Dogs bark.", "certainty", 1.0),  # the cue is left out
        ("Perhaps dogs bark.", "Dogs bark.", "order", 4 / 5),
        ("It is.", "", "order", 0.0),
    ],
)
def test_similarity_is_the_share_of_common_words_without_cues(one, other, guard, shared):
    assert similarity(*wordings(one, other), guard) == pytest.approx(shared)
    assert similarity(*wordings(other, one), guard) == pytest.approx(shared)


def test_coverage_is_the_share_of_the_shorter_text():
    short, long = wordings("Dogs bark.", "Dogs bark at cats in gardens.")
    assert coverage(short, long, "order") == coverage(long, short, "order") == 1.0
    assert coverage(*wordings("Dogs sleep.", "Dogs bark at cats."), "order") == 0.5
    assert coverage(*wordings("", "Dogs bark."), "order") == 0.0
