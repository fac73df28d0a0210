"""Opposites, parts of the body with and without a finding, and alternatives such as rates and seasons."""

import pytest

from semscale.guards.polarity import contradicting_findings, read_polarity
from semscale.guards.registry import GUARDS, Guards
from semscale.guards.text import Text
from semscale.guards.words import bare_word, is_listed, read_lexicon, regular_forms, sides, stem

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
    ("We pay for return shipping.", "You pay for return shipping.", "We pay", "You pay"),
    (
        "You will have to cover the duties.",
        "The duties are borne by us.",
        "You will have to cover",
        "borne by us",
    ),
    ("The parcel comes back at our cost.", "You pay for the parcel.", "at our cost", "You pay"),
    ("It is not at your own expense.", "We do not pay.", "at your own expense", "We do not pay"),
    ("We pay for returns even if they are late.", "You pay for returns.", "We pay", "You pay"),
    ("We pay for it if it is late.", "You pay for it if it is late.", "We pay", "You pay"),
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
    ("We pay for return shipping.", "You don't pay for return shipping."),
    ("You pay the duties.", "Customs duties are not covered by us."),
    ("If you pay by card, it is sent today.", "If we pay by card, it is sent today."),
    ("You pay the return, we pay the parcel.", "We pay the parcel."),
    ("We pay within a week.", "You pay return shipping."),  # of something else
    ("You bear the cost of the return.", "We pay for the return only if the goods are faulty."),
    ("We need to import it.", "You need to import it."),  # the reader of a text is part of both
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
def test_opposites_are_reported_in_either_order(prediction, reference, here, there):
    (finding,) = GUARDS["opposite"].check(prediction, reference)
    assert (finding.guard, finding.kind) == ("opposite", "opposed")
    assert (finding.prediction.text.lower(), finding.reference.text.lower()) == (here.lower(), there.lower())
    (swapped,) = GUARDS["opposite"].check(reference, prediction)
    assert (swapped.prediction, swapped.reference) == (finding.reference, finding.prediction)


@pytest.mark.parametrize(("prediction", "reference", "word"), REVERSED)
def test_reversed_comparisons_are_reported(prediction, reference, word):
    (finding,) = GUARDS["opposite"].check(prediction, reference)
    assert (finding.kind, finding.prediction.text) == ("reversed-order", word)


@pytest.mark.parametrize(("first", "second"), AGREE)
def test_texts_that_agree_raise_no_alarm_in_either_order(first, second):
    assert GUARDS["opposite"].check(first, second) == []
    assert GUARDS["opposite"].check(second, first) == []


def test_no_lexicon_entry_is_on_both_sides_of_an_axis():
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
    assert [index.key for index in sides("magnets")] == ["magnet"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The library closes at 8 pm.", "The library is open until 8 pm."),
        ("The machine stops at noon.", "The machine runs until noon."),
        ("My uncle lent me his boat.", "I borrowed a boat from my uncle."),
        ("The bike was lent to Anna by Tom.", "Anna borrowed the bike from Tom."),
    ],
)
def test_an_opposite_that_ends_a_state_or_turns_an_event_agrees(first, second):
    assert Guards().check(first, second) == Guards().check(second, first) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The shop is open until 8 pm.", "The shop is closed until 8 pm."),
        ("The shop opens at 8 pm.", "The shop closes at 8 pm."),
        ("Tom lent the bike to Anna.", "Tom borrowed the bike from Anna."),
        ("The mushroom is edible.", "The mushroom is inedible."),
    ],
)
def test_opposites_without_such_a_turn_do_not_agree(first, second):
    assert GUARDS["opposite"].check(first, second)
    assert GUARDS["opposite"].check(second, first)


def opposed(first, second):
    """Whether two words are on the two sides of one axis."""
    other_sides = {index.key: index.side for index in sides(second)}
    return any(other_sides.get(index.key) == -index.side for index in sides(first))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("left", "right"),
        ("increases", "decrease"),
        ("higher", "lower"),
        ("hypertension", "hypotension"),  # by opposed prefixes
        ("safe", "unsafe"),
        ("connected", "disconnected"),
    ],
)
def test_opposites(first, second):
    assert opposed(first, second)
    assert not opposed(first, first)


def test_a_word_of_no_axis_has_its_stem():
    (index,) = sides("table")
    assert (index.key, index.side) == (stem("table"), 1)
    assert not is_listed("table")


@pytest.mark.parametrize(
    ("word", "bare"),
    [
        ("unsafe", "safe"),
        ("dislike", "like"),
        ("nonsmoker", "smoker"),
        ("uncle", ""),
        ("disk", ""),
        ("safe", ""),
    ],
)
def test_negating_prefixes(word, bare):
    assert bare_word(word) == bare


def test_regular_inflections():
    assert {"close", "closes", "closed", "closing", "closer", "closest"} <= regular_forms("close")
    assert {"dry", "dries", "dried", "drier"} <= regular_forms("dry")


def clashes(first, second):
    return contradicting_findings(*(read_polarity(Text(text)) for text in (first, second)))


@pytest.mark.parametrize(
    ("first", "second", "pairs"),
    [
        ("The lung is clear.", "There is an infiltrate.", [(3, 3)]),
        ("The lungs are clear.", "An effusion of the chest.", [(3, 1)]),
        ("The X-ray is normal.", "The knee shows a fracture.", [(5, 4)]),
        ("The lungs are not clear.", "No infiltrate in the lungs.", [(4, 1)]),
    ],
)
def test_clear_part_and_a_lesion_in_it_contradict(first, second, pairs):
    assert clashes(first, second) == pairs
    assert clashes(second, first) == [(there, here) for here, there in pairs]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The lung is clear.", "There is no infiltrate."),
        ("The lungs are clear.", "There is a fracture of the knee."),
        ("The answer is clear.", "There is a mass of evidence."),
        ("The lungs are clear, the knee has a fracture.", "There is a fracture."),
        ("The lungs are clear.", "There is an infiltrate, but no effusion."),
    ],
)
def test_denied_findings_other_parts_and_mixed_reports_do_not(first, second):
    assert clashes(first, second) == clashes(second, first) == []


@pytest.mark.parametrize(
    ("first", "second", "here", "there"),
    [
        ("There was too much salt in it.", "There was too little salt in it.", "too much", "too little"),
        ("The museum opens in autumn.", "The museum opens in summer.", "autumn", "summer"),
        ("The museum opens in the fall.", "The museum opens in spring.", "in the fall", "spring"),
        (
            "The lake is full in autumn and dry in summer.",
            "The lake is full in summer and dry in autumn.",
            "autumn",
            "summer",
        ),
    ],
)
def test_opposed_phrases_of_a_group_are_reported_in_both_directions(first, second, here, there):
    (finding,) = Guards().check(first, second)
    assert (finding.guard, finding.kind) == ("opposite", "opposed")
    assert (finding.prediction.text, finding.reference.text) == (here, there)
    (turned,) = Guards().check(second, first)
    assert (turned.prediction.text, turned.reference.text) == (there, here)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Four trains leave every hour.", "Four trains leave per hour."),
        ("Take one tablet daily.", "Take one tablet per day."),
        ("He takes 50 mg per day.", "He takes 350 mg per week."),
        ("The museum opens in autumn.", "The museum opens in the fall."),
        ("It is open in summer and autumn.", "It is open in autumn and summer."),
        ("There was too little salt in it.", "There was not enough salt in it."),
        ("The road was closed until May.", "The road has been open since May."),
    ],
)
def test_paraphrase_has_no_finding(first, second):
    assert Guards().check(first, second) == Guards().check(second, first) == []


def test_since_and_until_put_a_span_on_either_side_of_its_limit():
    texts = "She worked there since 2010.", "She worked there until 2010."
    for first, second in (texts, texts[::-1]):
        (finding,) = Guards().check(first, second)
        assert (finding.guard, finding.kind) == ("order", "other-order")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # "No" is an answer here, no quantity that "all" or "every" could make up for.
        ("Yes, because he wrote down every detail.", "No. He changed two things, so he cannot know which."),
        ("Yes, few of them came.", "No, most of them did not come."),
    ],
)
def test_yes_and_no_contradict_regardless_of_what_follows(first, second):
    for texts in ((first, second), (second, first)):
        kinds = [finding.prediction.text.lower() for finding in GUARDS["opposite"].check(*texts)]
        assert set(kinds) & {"yes", "no"}
