"""Words in exchanged places, and rewording that exchanges nothing."""

import pytest

from semscale.guards.reading import analyse
from semscale.guards.relations import exchanged_places, turned_voice


def exchanged(one, other):
    ours, theirs = analyse(one), analyse(other)
    found = exchanged_places(ours.wording, theirs.wording)
    return found and tuple(
        tuple(text.words.texts[at] for at in places)
        for text, places in zip((ours, theirs), found, strict=True)
    )


def test_the_two_words_are_named_by_their_places_in_either_text():
    assert exchanged("Ann hired Bob.", "Bob hired Ann.") == (("ann", "bob"), ("bob", "ann"))


def test_ends_are_exchanged_by_their_prepositions_alone():
    assert exchanged("It drove from Rome to Bonn.", "It drove to Rome from Bonn.") == (
        ("rome", "bonn"),
        ("rome", "bonn"),
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("On Monday Ann hired Bob.", "Ann hired Bob on Monday."),  # an adverbial has moved
        ("On Monday the board met guests in Rome.", "In Rome the board met guests on Monday."),
        ("Ann hired Bob.", "Bob was hired by Ann."),  # the passive voice
        ("Ann married Bob.", "Bob married Ann."),  # both ways
        ("Ann, Bob and Eve sing.", "Eve, Bob and Ann sing."),  # a list
        (
            "Please mend the gate first, then feed the dog.",
            "First mend the gate, please, and then feed the dog.",
        ),
        ("The winner is Ann.", "Ann is the winner."),
        ("The shop in the station street opened.", "The station street shop opened."),  # a compound
    ],
)
def test_rewording_exchanges_nothing(one, other):
    assert exchanged(one, other) is None


def test_first_counts_before_a_noun():
    found = exchanged("The first nurse paid the second nurse.", "The second nurse paid the first nurse.")
    assert found == (("first", "second"), ("second", "first"))


def test_the_voice_may_turn_though_no_word_has_moved():
    texts = [analyse(text).wording for text in ("Ann hired Bob.", "Ann was hired by Bob.")]
    assert turned_voice(*texts) == ((0, 2), (0, 4))
    assert turned_voice(*texts[::-1]) == ((0, 4), (0, 2))
    assert turned_voice(texts[0], analyse("Bob was hired by Ann.").wording) is None
