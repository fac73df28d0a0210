"""Numbers in words, with their positions, and words that may be something else."""

import pytest

from semscale.guards.quantities import spelt_numbers
from semscale.guards.words import TextWords


@pytest.mark.parametrize(
    ("text", "value", "weak"),
    [
        ("twelve", 12.0, False),
        ("two hundred and five", 205.0, False),
        ("twenty-one", 21.0, False),
        ("one", 1.0, True),
        ("first", 1.0, True),
        ("both", 2.0, True),
        ("May", 5.0, True),
    ],
)
def test_values(text, value, weak):
    (found,) = spelt_numbers(TextWords(text))
    assert (found.value, found.weak) == (value, weak)


def test_positions_among_the_words():
    (found,) = spelt_numbers(TextWords("about two hundred users"))
    assert (found.first, found.last) == (1, 2)


def test_texts_without_numbers():
    assert spelt_numbers(TextWords("no number here, not even 12")) == []
