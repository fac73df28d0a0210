"""Comparisons, converse words, and two words that exchanged their roles."""

import pytest

from semscale.guards.registry import GUARDS
from semscale.guards.relations import (
    find_exchange,
    find_exchanged_ends,
    find_restatements,
    find_voice_change,
    may_compare,
    read_exchanges,
    read_relations,
    reversals,
    same_events,
)
from semscale.guards.text import Text
from semscale.guards.words import stem


def relations(text):
    return read_relations(Text(text))


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("Iron is heavier than cork", "iron", "cork"),
        ("The cough came before the fever", "cough", "fever"),
        ("Oslo lies north of Rome", "oslo", "rome"),
    ],
)
def test_two_things_and_the_word_between_them(text, first, second):
    (result,) = relations(text)
    assert stem(first) in result.first
    assert stem(second) in result.second


@pytest.mark.parametrize("text", ["Iron is heavy", "more than ever", "It is other than that", "north wind"])
def test_texts_that_compare_nothing(text):
    assert relations(text) == []


def test_text_without_a_comparing_term_is_skipped():
    assert not may_compare(Text("Iron is heavy"))
    assert may_compare(Text("heavier than"))


def test_the_same_things_in_reverse_order():
    heavier = "Iron is heavier than cork"
    assert reversals(relations(heavier), relations("Cork is heavier than iron")) == [(2, 2)]
    assert reversals(relations(heavier), relations(heavier)) == []
    assert reversals(relations(heavier), relations("Cork is heavier than lead")) == []


def test_word_and_order_reversed_agree():
    assert find_restatements(relations("Iron is heavier than cork"), relations("Cork is lighter than iron"))
    assert not find_restatements(
        relations("Iron is heavier than cork"), relations("Iron is lighter than cork")
    )


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
    (result,) = read_exchanges(Text(text))
    assert (result.source, result.goal) == (source, goal)


def test_a_word_without_an_end_states_nothing():
    assert read_exchanges(Text("sold")) == []


@pytest.mark.parametrize(
    ("left", "other"),
    [
        ("Ann bought it from Bob", "Bob bought it from Ann"),
        ("Ann bought it from Bob", "Ann sold it to Bob"),
        ("Tom is the father of Mary", "Mary is the mother of Tom"),
        ("Italy beat France", "Italy lost to France"),
    ],
)
def test_exchanged_ends(left, other):
    candidate, right = read_exchanges(Text(left)), read_exchanges(Text(other))
    assert len(find_exchanged_ends(candidate, right)) == len(find_exchanged_ends(right, candidate)) == 1


def test_an_event_that_the_other_text_states_as_well_is_not_exchanged():
    texts = "Ann bought it from Bob, and Bob bought it from Ann", "Bob bought it from Ann"
    candidate, right = (read_exchanges(Text(text)) for text in texts)
    assert find_exchanged_ends(candidate, right) == find_exchanged_ends(right, candidate) == []


def test_converse_verbs_with_the_same_ends_are_the_same_event():
    candidate, right = (
        read_exchanges(Text(text)) for text in ("Bob sold it to Ann", "Ann bought it from Bob")
    )
    assert [(left.at, other.at) for left, other in same_events(candidate, right)] == [(1, 1)]
    assert same_events(candidate, candidate) == []


@pytest.mark.parametrize(
    ("left", "other"),
    [
        ("The nurse called the doctor at night.", "The doctor called the nurse at night."),
        ("He thanked us for the lift.", "We thanked him for the lift."),
        ("The cache asks the server for a key.", "The server asks the cache for a key."),
        ("The letter was read by the judge to the clerk.", "The letter was read by the clerk to the judge."),
        ("Trains cost more than buses in Spain.", "Buses cost more than trains in Spain."),
        ("Node A follows node B there.", "Node B follows node A there."),
        ("Aunt Ida told Carl a story.", "Carl told Aunt Ida a story."),
        ("The visitor bit the dog in the park.", "The visitor was bitten by the dog in the park."),
    ],
)
def test_exchanged_roles_are_reported_in_both_directions(left, other):
    for texts in ((left, other), (other, left)):
        (result,) = GUARDS["roles"].check(*texts)
        assert (result.guard, result.kind) == ("roles", "exchanged")
        assert result.prediction is not None
        assert result.reference is not None


@pytest.mark.parametrize(
    ("left", "other"),
    [
        ("The nurse called the doctor at night.", "At night the nurse called the doctor."),
        ("The nurse called the doctor.", "The doctor was called by the nurse."),
        ("Last week Ida sent Carl a parcel.", "Ida sent a parcel to Carl last week."),
        ("Ida sells lamps, Carl buys chairs.", "Carl buys chairs, Ida sells lamps."),
        ("Terminal 3 is connected to bulb B.", "Bulb B is connected to terminal 3."),
        ("Trains cost more than buses.", "Buses cost less than trains."),
        ("Ida waltzed with Carl all night.", "Carl waltzed with Ida all night."),
        ("The pole touches the wall.", "The wall touches the pole."),
        ("A dog and a cat fought here.", "A cat and a dog fought here."),
        ("Opening the door makes the alarm ring.", "The alarm rings when the door is opened."),
        ("Cutting the wire makes the bulb burst.", "The bulb bursts if the wire is cut."),
        ("The doctor left.", "The nurse called the doctor at night, and she left."),
        ("Ida sings.", "Ida sings."),
        ("", "Ida sings."),
    ],
)
def test_other_wording_of_the_same_gives_nothing(left, other):
    assert GUARDS["roles"].check(left, other) == GUARDS["roles"].check(other, left) == []


def test_spans_reach_from_the_first_to_the_second_word():
    (result,) = GUARDS["roles"].check("A fox saw a hen there.", "A hen saw a fox there.")
    assert (result.prediction.text, result.reference.text) == ("fox saw a hen", "hen saw a fox")
    assert result.reason == (
        'Subject and object are exchanged: the prediction says "fox saw a hen", '
        'the reference "hen saw a fox".'
    )


def test_shuffled_long_texts_are_checked_in_bounded_time():
    words = [f"w{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(150)]
    assert len(GUARDS["roles"].check(" ".join(words), " ".join(reversed(words)))) <= 1


def exchanged(left, other):
    texts = Text(left), Text(other)
    result = find_exchange(*texts)
    return result and tuple(
        tuple(text.words[at] for at in positions) for text, positions in zip(texts, result, strict=True)
    )


def test_exchanged_terms_are_named_by_their_position_in_both_texts():
    assert exchanged("Ann hired Bob.", "Bob hired Ann.") == (("ann", "bob"), ("bob", "ann"))


def test_ends_are_exchanged_by_their_prepositions_alone():
    assert exchanged("It drove from Rome to Bonn.", "It drove to Rome from Bonn.") == (
        ("rome", "bonn"),
        ("rome", "bonn"),
    )


@pytest.mark.parametrize(
    ("left", "other"),
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
def test_rewording_exchanges_nothing(left, other):
    assert exchanged(left, other) is None


def test_first_counts_before_a_noun():
    result = exchanged("The first nurse paid the second nurse.", "The second nurse paid the first nurse.")
    assert result == (("first", "second"), ("second", "first"))


def test_the_voice_may_turn_though_no_word_has_moved():
    texts = [Text(text) for text in ("Ann hired Bob.", "Ann was hired by Bob.")]
    assert find_voice_change(*texts) == ((0, 2), (0, 4))
    assert find_voice_change(*texts[::-1]) == ((0, 4), (0, 2))
    assert find_voice_change(texts[0], Text("Bob was hired by Ann.")) is None
