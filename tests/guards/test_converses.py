"""Converse words: events and relations with their two ends; who gave and who took was read by hand."""

import pytest

from semscale.guards.relations import exchanged_ends, read_exchanges, same_events
from semscale.guards.words import TextWords


@pytest.mark.parametrize(
    ("text", "source", "goal"),
    [
        ("Bob sold the car to Ann.", {"bob"}, {"ann"}),
        ("Ann bought the car from Bob.", {"bob"}, {"ann"}),
        ("The house was sold to Ann.", set(), {"ann"}),
        ("The house was bought by Ann.", set(), {"ann"}),
        ("Carol gave Dave the key.", {"carol"}, {"dave"}),
        ("She gave him a key.", {"she"}, {"he"}),
        ("Italy beat France.", {"itali"}, {"franc"}),
        ("France lost to Italy.", {"itali"}, {"franc"}),
        ("France was beaten by Italy.", {"itali"}, {"franc"}),
        ("Tom is the father of Mary.", {"tom"}, {"mari"}),
        ("Mary is Tom's daughter.", {"tom"}, {"mari"}),
        ("He is her child.", {"she"}, {"he"}),
    ],
)
def test_the_two_ends(text, source, goal):
    (found,) = read_exchanges(TextWords(text))
    assert (found.source, found.goal) == (source, goal)


def test_a_word_without_an_end_states_nothing():
    assert read_exchanges(TextWords("sold")) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann bought it from Bob", "Bob bought it from Ann"),
        ("Ann bought it from Bob", "Ann sold it to Bob"),
        ("Tom is the father of Mary", "Mary is the mother of Tom"),
        ("Italy beat France", "Italy lost to France"),
    ],
)
def test_exchanged_ends(one, other):
    ours, theirs = read_exchanges(TextWords(one)), read_exchanges(TextWords(other))
    assert len(exchanged_ends(ours, theirs)) == len(exchanged_ends(theirs, ours)) == 1


def test_an_event_that_the_other_text_states_as_well_is_not_exchanged():
    texts = "Ann bought it from Bob, and Bob bought it from Ann", "Bob bought it from Ann"
    ours, theirs = (read_exchanges(TextWords(text)) for text in texts)
    assert exchanged_ends(ours, theirs) == exchanged_ends(theirs, ours) == []


def test_converse_words_with_the_same_ends_state_one_event():
    ours, theirs = (
        read_exchanges(TextWords(text)) for text in ("Bob sold it to Ann", "Ann bought it from Bob")
    )
    assert [(one.at, other.at) for one, other in same_events(ours, theirs)] == [(1, 1)]
    assert same_events(ours, ours) == []
