"""Pieces of clauses without punctuation that name several topics."""

import pytest

from semscale.coding.units import cut_between


@pytest.mark.parametrize(
    ("words", "topics", "pieces"),
    [
        ("staff nice *the food cold", "staff food", ["staff nice", "*the food cold"]),
        ("nice staff cold food", "staff food", ["nice staff", "cold food"]),
        ("love *the food hate *the staff", "food staff", ["love *the food", "hate *the staff"]),
        ("*the staff rude slow cold food", "staff food", ["*the staff rude", "slow cold food"]),
        ("really love food staff rude there", "food staff", ["really love food", "staff rude there"]),
        (
            "staff nice food cold parking full",
            "staff food parking",
            ["staff nice", "food cold", "parking full"],
        ),
    ],
)
def test_words_are_cut_between_topics(words, topics, pieces):
    # A word with a star has no meaning of its own.
    tokens = words.split()
    cuts = cut_between([tokens.index(topic) for topic in topics.split()], [word[0] != "*" for word in tokens])
    ends = [0, *cuts, len(tokens)]
    assert [" ".join(tokens[start:end]) for start, end in zip(ends, ends[1:], strict=False)] == pieces
