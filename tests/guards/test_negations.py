"""Negations: the words that negate, how far they reach, exceptions, and texts that differ in one."""

import pytest

from semscale.guards.polarity import find_conflicts, negation_reach, read_polarity
from semscale.guards.registry import GUARDS
from semscale.guards.text import Text
from semscale.guards.words import CONTENT, denies_before, denies_next, role_of, stem, weakens_next

DIFFER = [
    # prediction, reference, where the prediction negates or asserts, where the reference does
    ("He discontinued aspirin.", "He took aspirin.", "discontinued aspirin", "aspirin"),
    ("Do not see the vet before noon.", "Please see the vet before noon.", "not see", "see"),
    ("If you do not like noise, stay.", "If you like noise, stay.", "not like", "like"),
    ("Aspirin is not indicated.", "Aspirin is indicated.", "not indicated", "indicated"),
    ("The drug is not safe.", "The drug is safe.", "not safe", "safe"),
    ("The drug is unsafe.", "The drug is safe.", "unsafe", "safe"),
    (
        "Terminal 1 is not connected to the bulb.",
        "Terminal 1 is connected to the bulb.",
        "not connected",
        "connected",
    ),
    ("There is no gap.", "There is a gap.", "no gap", "gap"),
    ("Withhold insulin.", "Give insulin.", "Withhold insulin", "insulin"),
    ("It isn't connected.", "It is connected.", "isn't connected", "connected"),
    ("It isn’t connected.", "It is connected.", "isn’t connected", "connected"),
    ('it isn"t connected', "it is connected", 'isn"t connected', "connected"),
    ("it isnt connected", "it is connected", "isnt connected", "connected"),
    ("The valve cannot leak.", "The valve can leak.", "cannot leak", "leak"),
    ("The light never flickers.", "The light flickers.", "never flickers", "flickers"),
    ("They run without oxygen.", "They run with oxygen.", "without oxygen", "oxygen"),
    ("The sample lacks oxygen.", "The sample contains oxygen.", "lacks oxygen", "oxygen"),
    (
        "The test failed to detect antibodies.",
        "The test did detect antibodies.",
        "failed to detect",
        "detect",
    ),
    ("Neither bulb glows.", "The bulb glows.", "Neither bulb", "bulb"),
    ("The wire is disconnected.", "The wire is connected.", "disconnected", "connected"),
    ("The growth is non-invasive.", "The growth is invasive.", "non-invasive", "invasive"),
    ("The path is no longer closed.", "The path is closed.", "no longer closed", "closed"),
    ("Fever is absent.", "There is fever.", "Fever is absent", "fever"),
    ("Fever was not observed.", "There is fever.", "Fever was not", "fever"),
    ("Pneumonia was ruled out.", "The diagnosis is pneumonia.", "Pneumonia was ruled out", "pneumonia"),
    ("He is unable to walk.", "He is able to walk.", "unable to walk", "walk"),
    ("The patient denies pain.", "The patient has pain.", "denies pain", "pain"),
    ("Avoid aspirin.", "Give aspirin.", "Avoid aspirin", "aspirin"),
    ("Avoid giving aspirin.", "Give aspirin.", "Avoid giving", "Give"),
    ("He quit smoking.", "He smokes.", "quit smoking", "smokes"),
    ("Refrain from driving.", "Drive.", "Refrain from driving", "Drive"),
    ("He forgot to lock the door.", "He locked the door.", "forgot to lock", "locked"),
    ("They left without paying.", "They paid and left.", "without paying", "paid"),
    ("Nothing moves.", "The piston moves.", "Nothing moves", "moves"),
    ("Nobody survived the crash.", "Some survived the crash.", "Nobody survived", "survived"),
    ("no fever, chills, or cough", "fever and cough", "no fever", "fever"),
    ("You forgot the label.", "The label is there.", "forgot the label", "label"),
    ("The label was omitted.", "The label is large.", "label was omitted", "label"),
    ("The class is missing a label.", "The class has a label.", "missing a label", "label"),
    ("Use a set instead of a list.", "Use a list and a set.", "instead of a list", "list"),
    ("The drawing is barely legible.", "The drawing is legible.", "barely legible", "legible"),
    ("Do not give it if the culture is clean.", "Give it only if the culture is clean.", "not give", "Give"),
    (
        "The bulb is on because the path is not damaged.",
        "The bulb is on because the path is damaged.",
        "not damaged",
        "damaged",
    ),
]

AGREE = [
    ("The bag holds nothing except stones.", "The bag holds stones."),  # an exception is affirmed
    ("Besides Carl, nobody spoke.", "Carl spoke."),
    ("No fruit other than pears is sold.", "Pears are sold."),
    ("No other town is as warm as Cadiz.", "Cadiz is warmer than any town."),
    ("Add no more than two eggs.", "Add two eggs at most."),  # a bound
    ("Do not add more than two eggs.", "Add at most two eggs."),
    ("Even a child can open it.", "Anybody can open it, not even a child fails."),  # a repeated denial
    ("We had to wait until noon to see the vet.", "We did not see the vet before noon."),
    ("Salt the water.", "If you do not salt the water, it boils sooner."),  # a condition states nothing
    ("Ask whether the shop is open.", "It hardly matters whether the shop is open."),
    ("Two guards saw the hole.", "The hole was missed by a third guard."),  # what somebody missed is there
    ("He discontinued the diet.", "He stopped following the diet."),
    ("I have doubts about the roof.", "I am not convinced by the roof."),
    ("They are not disconnected.", "They are connected."),
    ("The terminals are separated.", "The terminals are not connected."),
    ("The switch is not open.", "The switch is closed."),
    ("It is not uncommon.", "It is common."),
    ("It never fails to start.", "It starts."),
    ("It is not only safe but cheap.", "It is safe and cheap."),
    ("No doubt it is safe.", "It is safe."),
    ("Without doubt the path is closed.", "The path is closed."),
    ("The man without a shirt is jumping.", "The man jumping is not wearing a shirt."),
    ("The path is closed and there is no gap.", "There is no gap, so the path is closed."),
    ("The bulb is lit although the switch is not closed.", "The switch is open but the bulb is lit."),
    ("I can't find a gap between them.", "There is no gap between them."),
    ("Neither B nor C is in a closed path.", "B and C are not in a closed path."),
    (
        "Terminal 1 is not connected to the positive terminal.",
        "Terminal 1 is connected to the negative terminal.",
    ),
    ("Fever was not seen.", "There was no fever."),
    ("Fever is absent.", "There is no fever."),
    ("There is no evidence of fracture.", "No fracture."),
    ("It doesn't matter; the lamp is lit.", "The lamp is lit."),
    ("The circuit is incomplete.", "The circuit is not complete."),
    ("It is unclear whether or not it works.", "Whether it works is unclear."),
    ("The disease is discovered early.", "Early, the disease is discovered."),
    ("They display the results.", "They play."),
    (
        "He has said his client had no link to the company.",
        "His client had no link with the company, he said.",
    ),
    ("The bulb does not affect the switch.", "The switch is not affected by the bulb."),
    ("room no. 5 is open", "room 5 is open"),
    ("Avoid alcohol.", "Do not drink alcohol."),
    ("Stop smoking.", "Do not smoke any more."),
    ("He did not fail to appear.", "He appeared."),
    ("Remember to lock it.", "Do not forget to lock it."),
    ("The abdomen is normal.", "There is no disease in the abdomen."),
    (
        "It keeps results so that they are not computed twice.",
        "It stores what was computed before to avoid doing it again.",
    ),
    ("No, it is not safe.", "It is not safe."),
    ("Who will succeed him is not clear.", "There is no clear successor for him."),
    ("The column is of type int and not float.", "The column is of type int instead of float."),
    ("It works only if the key is set.", "It does not work unless the key is set."),
    ("You cannot sail without wind.", "You can only sail with wind."),
    ("Your answer lacks a date.", "A date is missing in your answer."),
    ("The scale is not named on the map.", "The map does not name the scale."),
    ("You forgot the scale.", "There is no scale."),
    ("There are too few pictures.", "There are not enough pictures."),
    ("There are few pictures.", "There are hardly any pictures."),
    ("Lock the door to keep the cat from running away.", "Lock the door so that the cat does not run away."),
    ("They are not in the same room.", "Each is in another room."),
    ("There is no difference in colour.", "They have the same colour."),
    ("The caption is hard to read.", "The caption can hardly be read."),
]


@pytest.mark.parametrize(("prediction", "reference", "here", "there"), DIFFER)
def test_negation_on_a_single_side_is_reported_on_both_spans(prediction, reference, here, there):
    (finding,) = GUARDS["negation"].check(prediction, reference)
    assert (finding.guard, finding.kind) == ("negation", "negated-prediction")
    assert (finding.prediction.text, finding.reference.text) == (here, there)


@pytest.mark.parametrize(("prediction", "reference", "here", "there"), DIFFER)
def test_the_kind_swaps_when_the_sides_swap(prediction, reference, here, there):
    (finding,) = GUARDS["negation"].check(reference, prediction)
    assert finding.kind == "negated-reference"
    assert (finding.prediction.text, finding.reference.text) == (there, here)


@pytest.mark.parametrize(("left", "other"), AGREE)
def test_texts_that_agree_raise_no_alarm_in_either_order(left, other):
    assert GUARDS["negation"].check(left, other) == []
    assert GUARDS["negation"].check(other, left) == []


def test_two_separate_negations_are_two_findings():
    result = GUARDS["negation"].check(
        "The left valve is not open, and the pump is not running.",
        "The left valve is open, and the pump is running.",
    )
    assert [finding.prediction.text for finding in result] == ["not open", "not running"]


def test_the_reason_quotes_more_where_both_sides_have_the_same_words():
    findings = GUARDS["negation"].check("Not shipped free of charge.", "Shipped free of charge.")
    reasons = [finding.reason for finding in findings]
    assert 'The reference says "free of charge", the prediction "Not shipped free of charge".' in reasons


def test_the_reason_quotes_both_sides():
    (finding,) = GUARDS["negation"].check("It is safe.", "It is not safe.")
    assert finding.reason == 'The reference says "not safe", the prediction "safe".'


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [
        ("No, it is not safe.", "Yes, it is safe."),
        ("No it is not safe.", "Yes it is safe."),
        ("Yes. The warranty covers it.", "No. The warranty does not cover it."),
    ],
)
def test_an_answer_and_its_sentence_do_not_cancel_out(prediction, reference):
    # Two differences, "no" and "not", that say the same; an opposition and a negation cancel out elsewhere.
    assert GUARDS["negation"].check(prediction, reference)
    assert GUARDS["negation"].check(reference, prediction)


def test_a_word_that_denies_and_opposes_does_not_cancel_itself_out():
    assert GUARDS["negation"].check("The pump stopped working.", "The pump started working.")


@pytest.mark.parametrize(
    ("text", "forward", "backward"),
    [
        ("the class lacks a label", {2}, {}),
        ("the label is missing here", set(), {3: 3}),
        ("the class is missing a label", {3}, {}),
        ("you omitted the label", {1}, {}),
        ("the label was simply omitted", set(), {4: 4}),
        ("you left out the label", {1}, {}),
        ("the label was left out", set(), {4: 3}),
        ("turn left at noon", set(), {}),
        ("a fracture was not ruled out", {3}, {5: 4}),
        ("keep the loop from running", {3}, {}),
        ("prevent the loop from running", {3}, {}),
        ("prevent errors", {0}, {}),
        ("quotes from running text", set(), {}),
        ("not only safe", set(), {}),
    ],
)
def test_directions_of_negations(text, forward, backward):
    texts = text.split()
    assert {at for at in range(len(texts)) if denies_next(texts, at)} == forward
    result = {at: denies_before(texts, at) for at in range(len(texts))}
    assert {at: first for at, first in result.items() if first is not None} == backward


@pytest.mark.parametrize(
    ("text", "weakens"),
    [
        ("few tests", {0}),
        ("a few tests", set()),
        ("only a few tests", {2}),
        ("the little girl", set()),
        ("hard to read", {0}),
        ("a hard stone", set()),
        ("it needs more detail", {2}),
        ("it should be more precise", {3}),
        ("it has more detail", set()),
    ],
)
def test_weakening_terms_leave_the_next_term_open(text, weakens):
    texts = text.split()
    assert {at for at in range(len(texts)) if weakens_next(texts, at)} == weakens


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
def test_negated_terms_are_counted_with_their_cues(text, negated):
    texts, result = reach(text)
    assert {texts[at]: len(cues) for at, cues in result.negated.items()} == negated


@pytest.mark.parametrize(
    ("text", "index"), [("it was computed so avoid doing it again", 5), ("it was done do it again", 0)]
)
def test_negated_do_it_refers_back_to_the_earlier_verb(text, index):
    assert reach(text)[1].taken_up == index


def read(text):
    texts = text.split()
    roles = [role_of(word) for word in texts]
    content = frozenset(at for at, role in enumerate(roles) if role & CONTENT)
    reach = negation_reach(texts, roles, content)
    return {texts[at] for at in reach.negated}, {texts[at] for at in reach.doubtful}


@pytest.mark.parametrize(
    ("text", "negated", "doubtful"),
    [
        ("the step is not valid unless x is positive", set(), set()),
        ("the query is slow unless an index helps", {"index", "helps"}, set()),
        ("unless symptoms persist , no imaging is useful", set(), set()),
        ("you cannot judge it without numbers", set(), set()),
        ("without tests the code is unsafe", {"tests"}, set()),
        ("without biopsy the diagnosis cannot stand", set(), {"biopsy", "stand"}),
        ("do not commit until tests pass", set(), {"commit"}),
        ("it is not safe , so wait until noon", {"safe"}, set()),
    ],
)
def test_negated_terms_beside_an_exception_stay_negated(text, negated, doubtful):
    assert read(text) == (negated, doubtful)


def signs(text):
    return {mention.key: mention.sign for mention in read_polarity(Text(text)).mentions()}


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("the lamp is lit", set()),
        ("the lamp is not lit", {"lit"}),
        ("no fever, chills, or cough", {"fever", "chills", "cough"}),
        ("without a battery, the lamp works", {"battery"}),
        ("it is not only cheap", set()),
        ("at least five people never came", {"come"}),
        ("fever is absent", {"fever"}),
    ],
)
def test_negations_reach_to_the_end_of_their_clause_or_list(text, negated):
    polarity = read_polarity(Text(text))
    assert {mention.key for mention in polarity.mentions() if mention.sign < 0 and mention.cues} == {
        stem(word) for word in negated
    }


@pytest.mark.parametrize(
    ("left", "other"), [("not disconnected", "connected"), ("not open", "closed"), ("never unsafe", "safe")]
)
def test_negation_and_opposite_have_the_same_sign(left, other):
    candidate, right = signs(left), signs(other)
    shared = candidate.keys() & right.keys()
    assert shared
    assert all(candidate[key] == right[key] for key in shared)


def test_keys_by_sign():
    polarity = read_polarity(Text("the lamp is lit, the bulb is not lit"))
    assert polarity.has(stem("lamp"), 1)
    assert polarity.has("lit", 1)
    assert polarity.has("lit", -1)
    assert not polarity.speaks_of("wire")


def test_the_noun_after_a_word():
    polarity = read_polarity(Text("a large dog. It barks"))
    large = next(mention for mention in polarity.mentions() if mention.at == 1)
    dog = next(mention for mention in polarity.mentions() if mention.at == 2)
    assert (polarity.noun_after(large), polarity.noun_after(dog)) == ("dog", "")


def conflicts(prediction, reference):
    polarities = (read_polarity(Text(text)) for text in (prediction, reference))
    return find_conflicts(*polarities)


@pytest.mark.parametrize(
    ("prediction", "reference", "cause"),
    [
        ("the lamp is not lit", "the lamp is lit", "negation"),
        ("it is unsafe", "it is safe", "negation"),
        ("the left lung", "the right lung", "opposite"),
        ("Bob sold it to Ann", "Ann did not buy it from Bob", "negation"),
    ],
)
def test_causes(prediction, reference, cause):
    for result in (conflicts(prediction, reference), conflicts(reference, prediction)):
        assert [conflict.cause for conflict in result] == [cause]


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [
        ("not connected to the positive", "connected to the negative"),
        ("a positive and a negative terminal", "the positive terminal"),
        ("a large dog and a small ball", "a small ball and a large dog"),
        ("it is not unsafe", "it is safe"),
        ("no fever", "no fever and no cough"),
        ("Bob sold it to Ann", "Ann bought it from Bob"),
        ("Bob did not sell it to Ann", "Ann did not buy it from Bob"),
    ],
)
def test_texts_without_contradiction_have_no_conflict(prediction, reference):
    assert conflicts(prediction, reference) == ()


def test_shared_negation_is_reported_once():
    result = conflicts("it does not burn or smoke", "it burns and smokes")
    assert len(result) == 1
