"""Names in texts, and their look-up in the other text."""

import pytest

from semscale.guards.meaning_guards import name_index
from semscale.guards.names import is_present, normal, read_names
from semscale.guards.registry import GUARDS
from semscale.guards.text import Text, read_text

INVENTED = [
    # prediction, reference, what only the prediction names
    ("It is a substrate of CYP3A4.", "It is a substrate.", ["CYP3A4"]),
    ("It inhibits MATE2-K.", "It inhibits a transporter.", ["MATE2-K"]),
    ("It contains Apo B-48.", "It contains Apo B.", ["B-48"]),
    ("it is a substrate of cyp3a4", "it is a substrate", ["cyp3a4"]),
    ("The drug is Metformin.", "The drug is well known.", ["Metformin"]),
    ("He has HIV.", "He has an infection.", ["HIV"]),
    ("The capital is Paris.", "The capital is large.", ["Paris"]),
    ("The capital is New York.", "The capital is large.", ["New York"]),
    ("The author is George W. Bush.", "The author is unknown.", ["George W. Bush"]),
    ("She works for Google.", "She works for a company.", ["Google"]),
    ("The cause is H1N1.", "The cause is influenza.", ["H1N1"]),
    ("The layer is called 'stratum'.", "The layer has no name.", ["'stratum'"]),
    ('It is called "apoptosis".', "It has a name.", ['"apoptosis"']),
    ("It runs on iOS.", "It runs on a phone.", ["iOS"]),
    ("It was found in Berlin and in Rome.", "It was found there.", ["Berlin", "Rome"]),
    ("It lies near the Danube.", "It lies near a river.", ["Danube"]),
    ("He takes B12.", "He takes vitamins.", ["B12"]),
    ("The virus is SARS-CoV-2.", "The virus is new.", ["SARS-CoV-2"]),
    ("Named after Dr. Alzheimer.", "Named after a physician.", ["Alzheimer"]),
    ("It is sold by BioReliance.", "It is sold.", ["BioReliance"]),
    ("The gene is BRCA1.", "The gene is known.", ["BRCA1"]),
    ("It is treated with Warfarin.", "It is treated with pills.", ["Warfarin"]),
    ("a member of NATO", "a member of an alliance", ["NATO"]),
    ("It happened in Iraq.", "It happened abroad.", ["Iraq"]),
    ("He met O'Neill.", "He met someone.", ["O'Neill"]),
]

REPLACED = [
    ("It is a substrate of CYP2D6.", "It is a substrate of CYP3A4.", "CYP2D6", "CYP3A4"),
    ("The capital is Paris.", "The capital is London.", "Paris", "London"),
    ("It was signed in March.", "It was signed in April.", "March", "April"),
    ("on Tuesday in Rome", "on Friday in Rome", "Tuesday", "Friday"),
    ("written by John Smith", "written by John Brown", "John Smith", "John Brown"),
    ("He takes B1.", "He takes B12.", "B1", "B12"),
    (
        "Hamlet was written by William Shakespeare.",
        "Hamlet was written by Christopher Marlowe.",
        "William Shakespeare",
        "Christopher Marlowe",
    ),
    ("in Silicon Valley", "in Death Valley", "Silicon Valley", "Death Valley"),
    ("at Oxford University", "at Cambridge University", "Oxford University", "Cambridge University"),
    ("by William Shakespeare", "by William Marlowe", "William Shakespeare", "William Marlowe"),
    ("Berlin is the capital.", "Munich is the capital.", "Berlin", "Munich"),
    ("It lies in Austria.", "It lies in Australia.", "Austria", "Australia"),
    ("Niger borders it.", "Nigeria borders it.", "Niger", "Nigeria"),
]

AGREE = [
    ("He has TB.", "He has tuberculosis."),
    ("He has tuberculosis (TB).", "He has tuberculosis."),
    ("The WHO warns.", "The World Health Organization warns."),
    ("a member of the European Union", "a member of the EU"),
    ("the United States' goal", "the U.S. goal"),
    ("CYP 3A4 is inhibited", "CYP3A4 is inhibited"),
    ("cyp3a4 is inhibited", "CYP3A4 is inhibited"),
    ("the drug metformin", "the drug Metformin"),
    ("He spoke of George Bush.", "He spoke of Mr Bush."),
    ("troops in Iraq", "Iraqi troops"),
    ("trade with China", "trade with the Chinese"),
    ("Aspirin helps.", "It helps."),
    ("Dogs bark. Cats sleep.", "Animals live."),
    ("THE PATIENT HAS A FEVER", "He is hot."),
    ("Jordan Opens First Tent Camp for Refugees", "A camp is opened"),
    ("it happened on Monday", "it happened"),
    ("The meeting is on Mon.", "The meeting is on Monday."),
    ("Louis XIV was king.", "Louis the Fourteenth was king."),
    ("It was in World War II.", "It was in the Second World War."),
    ("signed in March", "signed then"),
    ("the patient", "He"),
    ("I think I know.", "One knows."),
    ('He said "we hope that all parties will continue to make efforts".', "They should go on, he said."),
    ("the path is closed", "bulb a is lit"),
    ("under-12 players", "young players"),
    ("terminal4 is connected", "it is connected"),
    ("Bulb A is lit and Bulb B is not.", "One is lit and one is not."),
    ("Prices fell, Reuters said.", "Prices fell."),
    ("a Eygptian president", "the president of Egypt"),
    ("the Parkinson's disease", "disease of Parkinson"),
    ("He said it's OK.", "He agreed."),
    ("It starts on Jan 5.", "It starts on January 5th."),
    ("It is by Shakespeare, William.", "It is by W. Shakespeare."),
    ("He flew to Munich, Germany.", "He flew to Munich."),
    ("It was painted by Michelangelo Buonarroti.", "It was painted by Michelangelo."),
    ("by John Fitzgerald Kennedy", "by John F. Kennedy"),
    ("by Bill Clinton", "by William Clinton"),
    ("Yesterday Obama signed it.", "Barack Obama signed it."),
    ("Physicians advise it.", "Doctors advise it."),
    ("It lies in Russia.", "It lies in the Russian Federation."),
    ("Add 5 mM of it.", "Add 5 millimolar of it."),
    ("Chapter IV is short.", "Chapter 4 is short."),
]


@pytest.mark.parametrize(("prediction", "reference", "names"), INVENTED)
def test_invented_names_become_missing_when_the_sides_swap(prediction, reference, names):
    findings = GUARDS["name"].check(prediction, reference)
    assert [(finding.kind, finding.prediction.text, finding.reference) for finding in findings] == [
        ("invented-name", name, None) for name in names
    ]
    swapped = GUARDS["name"].check(reference, prediction)
    assert [(finding.kind, finding.prediction, finding.reference.text) for finding in swapped] == [
        ("missing-name", None, name) for name in names
    ]


@pytest.mark.parametrize(("prediction", "reference", "here", "there"), REPLACED)
def test_replaced_name_gives_an_invented_and_a_missing_finding(prediction, reference, here, there):
    invented, missing = GUARDS["name"].check(prediction, reference)
    assert (invented.kind, invented.prediction.text) == ("invented-name", here)
    assert (missing.kind, missing.reference.text) == ("missing-name", there)


@pytest.mark.parametrize(("first", "other"), AGREE)
def test_texts_that_name_the_same_raise_no_alarm_in_either_order(first, other):
    assert GUARDS["name"].check(first, other) == []
    assert GUARDS["name"].check(other, first) == []


def test_extra_location_in_a_long_sentence_is_a_detail_but_a_code_is_not():
    shared = (
        "The women will play on Thursday in the city of Philadelphia and then again in the city of Columbus"
    )
    assert GUARDS["name"].check(f"{shared}, Ohio.", f"{shared}.") == []
    (finding,) = GUARDS["name"].check(f"{shared}, for CYP3A4.", f"{shared}.")
    assert finding.prediction.text == "CYP3A4"


@pytest.mark.parametrize("denied", ["It is not Paris.", "It isn't Paris.", "It was never New York."])
def test_a_name_that_is_denied_is_not_named(denied):
    assert GUARDS["name"].check(denied, "Elsewhere it is.") == []
    assert GUARDS["name"].check("Elsewhere it is.", denied) == []
    assert GUARDS["name"].check("It is Paris.", "Elsewhere it is.") != []


def test_a_name_in_the_same_apposition_is_no_detail():
    findings = GUARDS["name"].check("He flew to Paris, Texas.", "He flew to Paris, France.")
    assert [(finding.prediction or finding.reference).text for finding in findings] == ["Texas", "France"]


def test_names_that_both_texts_deny_are_compared():
    findings = GUARDS["name"].check("It is no substrate of CYP2D6.", "It is not a substrate of CYP3A4.")
    assert [finding.kind for finding in findings] == ["invented-name", "missing-name"]


def names(text):
    return [(name.kind, name.shown) for name in read_names(Text(text))]


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("She met George Bush in Iraq.", [("name", "George Bush"), ("name", "Iraq")]),
        ("It began in March.", [("month", "March")]),
        ("The WHO warned of TB.", [("acronym", "WHO"), ("acronym", "TB")]),
        ("it inhibits CYP3A4 and mate2-k", [("code", "CYP3A4"), ("code", "mate2-k")]),
        ('He called it "a disaster" again.', [("quoted", '"a disaster"')]),
        ("The eBay auction ended.", [("name", "eBay")]),
        ("Hamlet was written by William Shakespeare.", [("name", "William Shakespeare")]),
        ("Norway won.", [("name", "Norway")]),
        ("Michelangelo Buonarroti won.", [("name", "Michelangelo Buonarroti")]),
        ("It starts on Jan 5.", [("month", "Jan")]),
        ("She met Jan there.", []),
    ],
)
def test_kinds_of_names(text, findings):
    assert names(text) == findings


@pytest.mark.parametrize(
    "text",
    [
        "the lamp is lit",  # no capitals
        "Lamps are lit. Others are not.",  # capitals at the start of a sentence
        "under-12 team at terminal4",  # a plain word with a number
        "Stocks Fall As Markets Fear Rates",  # a headline
        "Prices rose, Reuters said.",  # the source at the end
    ],
)
def test_texts_without_names(text):
    assert names(text) == []


def test_a_headline_keeps_its_codes():
    assert names("New Study Finds CYP3A4 Drugs Interact Often") == [("code", "CYP3A4")]


def test_names_have_spans_and_normalized_parts():
    text = "It was O'Neill's idea."
    (name,) = read_names(Text(text))
    assert text[name.start : name.end] == name.shown
    assert name.parts[0] == normal("O'Neill")


def present(text, other):
    (name,) = read_names(read_text(text))
    return is_present(name, name_index(read_text(other)))


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("near Iraq", "Iraqi troops"),
        ("by George Bush", "by Mr Bush"),
        ("by George Bush", "by George W. Bush"),
        ("for the WHO", "for the World Health Organization"),
        ("in March", "signed then"),
        ("on Sep 3", "in September"),
        ("with CYP3A4", "with cyp 3a4"),
    ],
)
def test_other_forms_of_a_name_are_present(text, other):
    assert present(text, other)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("by John Smith", "by John Brown"),
        ("by John Smith", "by Jane Smith"),
        ("near Slovenia", "near Slovakia"),
        ("in March", "in April"),
        ("with B1", "with B12"),
    ],
)
def test_other_names_are_not_present(text, other):
    assert not present(text, other)


def test_the_first_word_of_a_sentence_counts_only_if_it_is_a_known_name():
    (doubtful,) = read_names(read_text("Yesterday Karenina wept."))
    (known,) = read_names(read_text("Anna Karenina wept."))
    assert (doubtful.certain_parts, known.certain_parts) == (("karenina",), ("anna", "karenina"))
