import numpy as np
import pytest

from semscale.answer_consistency.scoring.contradictions import (
    GUARD_NAMES,
    PairTexts,
    check_guards,
    find_contradictions,
    marked,
)
from semscale.answer_consistency.scoring.guarded_samples import guards_read_samples
from semscale.errors import InputError

DIFFERENT, ALIKE = 0.6, 0.9  # cosines of two cities, of two words for one thing


def kinds(answer, sample, cosine=DIFFERENT, guards=GUARD_NAMES):
    guarded = np.array(guards_read_samples(answer, [sample]))
    pairs = PairTexts([answer, sample], np.array([0]), np.array([1]), np.array([cosine]), guarded)
    return [f"{finding.guard}:{finding.kind}" for finding in find_contradictions(pairs, guards)[0]]


@pytest.mark.parametrize(
    ("answer", "sample", "kind"),
    [
        ("Paris", "London", "answer:other-answer"),
        ("Canberra", "The capital of Australia is Sydney.", "answer:other-answer"),
        ("Paris", "I don't know.", "answer:other-answer"),
        ("A", "B", "answer:other-answer"),
        ("Yes", "No", "opposite:opposed"),
        ("Yes, it is safe.", "No, it is not safe.", "answer:opposite-verdict"),
        ("12", "13", "number:other-value"),
        ("It is safe.", "It is not safe.", "negation:negated-reference"),
        ("safe", "not safe", "negation:negated-reference"),
        ("The Nile is longest.", "The Amazon is the longest river.", "name:invented-name"),
    ],
)
def test_what_contradicts(answer, sample, kind):
    assert kind in kinds(answer, sample)


@pytest.mark.parametrize(
    ("answer", "sample", "cosine"),
    [
        ("Paris", "paris.", ALIKE),
        ("Paris", "The capital of France is Paris.", DIFFERENT),  # says more, and nothing else
        ("couch", "sofa", 0.86),
        ("Yes.", "Yes, it is.", DIFFERENT),
        ("8", "8 emails", DIFFERENT),
        ("1912", "In 1912, in April", DIFFERENT),
        ("Shakespeare", "William Shakespeare", DIFFERENT),
        ("...", "Paris", DIFFERENT),
        (
            "It was written by a man who had lived at sea for many years.",
            "A former sailor with long experience of the ocean is the author of it.",
            DIFFERENT,
        ),
    ],
)
def test_what_does_not(answer, sample, cosine):
    assert kinds(answer, sample, cosine) == []


def test_findings_speak_of_answer_and_sample_and_leave_quotations_alone():
    texts, read = ["safe reference", "not safe reference"], np.array([True])
    pairs = PairTexts(texts, np.array([0]), np.array([1]), np.array([0.9]), read)
    reason = find_contradictions(pairs, GUARD_NAMES)[0][0].reason
    assert reason == 'The sample says "not safe", the answer "safe".'


def test_only_chosen_guards_look():
    assert kinds("12 is safe", "13 is not safe", guards=("number",)) == ["number:other-value"]
    assert kinds("12 is safe", "13 is not safe", guards=()) == []


def test_equal_pairs_have_equal_findings():
    pairs = PairTexts(
        ["12", "13"], np.array([0, 0, 0]), np.array([1, 0, 1]), np.full(3, 0.8), np.ones(3, bool)
    )
    found = find_contradictions(pairs, GUARD_NAMES)
    assert found[0] == found[2] != ()
    assert marked(found).tolist() == [True, False, True]


def test_an_unknown_guard_is_refused():
    with pytest.raises(InputError, match="guards must be among negation, opposite, number, name, answer"):
        check_guards(["negations"])


@pytest.mark.parametrize(
    ("answer", "sample"),
    [("It is not Paris.", "London it is."), ("London", "It isn't Paris.")],
)
def test_what_an_answer_denies_is_no_other_answer(answer, sample):
    assert kinds(answer, sample) == []


def test_what_an_answer_says_beside_a_denial_counts():
    named = ["name:invented-name", "name:missing-name"]
    assert kinds("It is not Paris, it is Rome.", "London") == [*named, "answer:other-answer"]


def test_guards_pass_over_other_languages():
    english, german = "It is not safe at all, and they know it.", "Das ist sicher, und alle wissen es."
    assert kinds(english, german) == []
    assert kinds(german, "Das ist nicht sicher, und alle wissen es.") == []


def test_guards_find_nothing_in_pairs_that_they_do_not_look_at():
    pairs = PairTexts(
        ["12", "13"], np.array([0, 0]), np.array([1, 1]), np.full(2, 0.8), np.array([False, True])
    )
    looked_away, looked = find_contradictions(pairs, GUARD_NAMES)
    assert looked_away == ()
    assert [finding.guard for finding in looked] == ["number"]
