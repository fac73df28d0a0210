"""Opposites and comparisons turned round are found, and nothing else; the pairs were written by hand."""

import pytest

from semscale.guards.meaning_guards import OppositeGuard
from semscale.guards.registry import Guards
from semscale.guards.words import read_lexicon, regular_forms, sides

DIFFER = [
    ("The left lung is affected.", "The right lung is affected.", "left", "right"),
    ("It is greater than five.", "It is less than five.", "greater", "less"),
    ("The pressure increases.", "The pressure decreases.", "increases", "decreases"),
    ("Sales increased.", "Sales fell.", "increased", "fell"),
    ("The switch is open.", "The switch is closed.", "open", "closed"),
    ("connected to the positive terminal", "connected to the negative terminal", "positive", "negative"),
    ("He has hypertension.", "He has hypotension.", "hypertension", "hypotension"),
    ("take it before meals", "take it after meals", "before", "after"),
    ("the systolic pressure", "the diastolic pressure", "systolic", "diastolic"),
    ("an acute infection", "a chronic infection", "acute", "chronic"),
    ("The tumour is benign.", "The tumour is malignant.", "benign", "malignant"),
    ("It stimulates the gland.", "It inhibits the gland.", "stimulates", "inhibits"),
    ("Arteries carry it.", "Veins carry it.", "Arteries", "veins"),
    ("The proximal end is broken.", "The distal end is broken.", "proximal", "distal"),
    ("He has tachycardia.", "He has bradycardia.", "tachycardia", "bradycardia"),
    ("They are in the same path.", "They are in different paths.", "same", "different"),
    ("The bill was accepted.", "The bill was rejected.", "accepted", "rejected"),
    ("The team won the match.", "The team lost the match.", "won", "lost"),
    ("a man plays the flute", "a woman plays the flute", "man", "woman"),
    ("Shares close higher on Tuesday.", "Shares close lower on Tuesday.", "higher", "lower"),
    ("The people are leaving the plane.", "The people are entering the plane.", "leaving", "entering"),
    ("The answer is true.", "The answer is false.", "true", "false"),
    ("Yes.", "No.", "Yes", "No"),
    ("The house was sold by Ann.", "The house was bought by Ann.", "sold", "bought"),
    ("The lung is clear.", "There is an infiltrate in the lung.", "clear", "infiltrate"),
    ("The lungs are not clear.", "There is no infiltrate in the lungs.", "clear", "infiltrate"),
    ("The lamp is on.", "The lamp is off.", "on", "off"),
    ("The anode corrodes.", "The cathode corrodes.", "anode", "cathode"),
    ("preoperative treatment", "postoperative treatment", "preoperative", "postoperative"),
    ("bulbs in series", "bulbs in parallel", "series", "parallel"),
    ("The water freezes.", "The water melts.", "freezes", "melts"),
]

REVERSED = [
    ("Iron is heavier than cork.", "Cork is heavier than iron.", "heavier"),
    ("Prices rose more than wages.", "Wages rose more than prices.", "more"),
    ("Lunch comes before dinner.", "Dinner comes before lunch.", "before"),
    ("The cat sat above the dog.", "The dog sat above the cat.", "above"),
    ("Ann bought the car from Bob.", "Bob bought the car from Ann.", "bought"),
    ("Carol gave Dave the key.", "Carol received the key from Dave.", "gave"),
    ("Paul is the employer of Rita.", "Rita is the employer of Paul.", "employer"),
    ("The spleen is left of the stomach.", "The stomach is left of the spleen.", "left"),
]

AGREE = [
    ("Take at least 5.", "Take 5 or more."),
    ("Take at most 5.", "Take 5 or less."),
    ("Iron is heavier than cork.", "Cork is lighter than iron."),
    ("Lunch comes before dinner.", "Dinner comes after lunch."),
    ("The switch is not open.", "The switch is closed."),
    ("The pressure does not increase.", "The pressure decreases."),
    ("The terminals are separated.", "The terminals are not connected."),
    ("between the positive and the negative terminal", "between the terminals, positive to negative"),
    ("A large dog chases a ball.", "A dog chases a small ball on the large lawn."),
    ("The pressure rises.", "The pressure increases."),
    ("Both left and right lungs.", "The left lung and the right one."),
    ("He sat on the left.", "He left and sat."),
    ("A man is walking.", "A person is walking."),
    ("He stood on the road.", "He went off the road."),
    ("It grew rapidly.", "It increased quickly."),
    ("Two beige dogs play.", "Two tan dogs play."),
    ("The company's stock closed down 2 cents.", "Shares were down 2 cents at the close."),
    ("Oil falls in Asian trade", "Oil prices down in Asian trade"),
    ("high blood pressure", "elevated blood pressure"),
    ("The same electrical state.", "An identical electrical state."),
    ("A large dog chases a cat.", "A dog chases a small cat and a large dog sleeps."),
    ("It is safe.", "It is harmless."),
    ("old men", "elderly men"),
    ("It stops.", "It halts."),
    ("The valve shuts.", "The valve closes."),
    ("the evening news", "the news at night"),
    ("The project was completed.", "The project is complete."),
    ("process the data", "procession of data"),
    ("The house was sold to Ann.", "The house was bought by Ann."),
    ("Bob sold the car to Ann.", "Ann bought the car from Bob."),
    ("She is his parent.", "He is her child."),
    ("The lung is clear.", "The lung shows no infiltrate."),
    ("The lungs are clear.", "There is a fracture of the knee."),
    ("Anna is the wife of Karl.", "Karl is the husband of Anna."),
]


@pytest.mark.parametrize(("prediction", "reference", "here", "there"), DIFFER)
def test_opposites_are_found_in_either_order(prediction, reference, here, there):
    (finding,) = OppositeGuard().check(prediction, reference)
    assert (finding.guard, finding.kind) == ("opposite", "opposed")
    assert (finding.prediction.text.lower(), finding.reference.text.lower()) == (here.lower(), there.lower())
    (swapped,) = OppositeGuard().check(reference, prediction)
    assert (swapped.prediction, swapped.reference) == (finding.reference, finding.prediction)


@pytest.mark.parametrize(("prediction", "reference", "word"), REVERSED)
def test_comparisons_turned_round_are_found(prediction, reference, word):
    (finding,) = OppositeGuard().check(prediction, reference)
    assert (finding.kind, finding.prediction.text) == ("reversed-order", word)


@pytest.mark.parametrize(("one", "other"), AGREE)
def test_texts_that_agree_raise_no_alarm_in_either_order(one, other):
    assert OppositeGuard().check(one, other) == []
    assert OppositeGuard().check(other, one) == []


def test_no_word_of_the_lexicon_stands_on_both_sides_of_one_axis():
    for group, entry in read_lexicon("opposites").items():
        for line in entry["sides"]:
            left, right = (
                {
                    form
                    for word in words.split()
                    for form in (regular_forms(word[:-1]) if word.endswith("~") else [word])
                }
                for words in line.split("|")
            )
            assert not left & right, f"{group}: {line}"


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("increase", {"increases", "increased", "increasing"}),
        ("dry", {"dries", "dried", "drier"}),
        ("push", {"pushes"}),
    ],
)
def test_regular_inflections_follow_the_rules_of_spelling(word, forms):
    assert forms <= regular_forms(word)


def test_a_word_outside_the_lexicon_stands_for_its_stem_alone():
    assert [place.key for place in sides("magnets")] == ["magnet"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The library closes at 8 pm.", "The library is open until 8 pm."),
        ("The machine stops at noon.", "The machine runs until noon."),
        ("My uncle lent me his boat.", "I borrowed a boat from my uncle."),
        ("The bike was lent to Anna by Tom.", "Anna borrowed the bike from Tom."),
    ],
)
def test_an_opposite_that_ends_a_state_or_turns_an_event_agrees(one, other):
    assert Guards().check(one, other) == Guards().check(other, one) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The shop is open until 8 pm.", "The shop is closed until 8 pm."),
        ("The shop opens at 8 pm.", "The shop closes at 8 pm."),
        ("Tom lent the bike to Anna.", "Tom borrowed the bike from Anna."),
        ("The mushroom is edible.", "The mushroom is inedible."),
    ],
)
def test_opposites_without_such_a_turn_do_not_agree(one, other):
    assert OppositeGuard().check(one, other)
    assert OppositeGuard().check(other, one)
