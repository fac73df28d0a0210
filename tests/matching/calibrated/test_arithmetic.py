"""The arithmetic of the preset ``calibrated``, and what it promises of every score."""

import math

import numpy as np
import pytest

from semscale.embedding.loading import load_token_encoder
from semscale.errors import InputError
from semscale.guards.findings import Finding
from semscale.guards.registry import Guards
from semscale.matching.calibrated import (
    CalibratedMatch,
    combine,
    estimate_floors,
    load_calibrated_weights,
    penalty_of,
    precision_recall_mean,
)
from semscale.matching.cosines import best_of
from semscale.matching.matcher import Matcher, match_with
from semscale.matching.words import WordWeights, start_with_pronoun, subject_lengths, word_matches, word_roles


@pytest.fixture(scope="module")
def encoder():
    return load_token_encoder("all-MiniLM-L6-v2")


def finding(guard, kind):
    return Finding(guard, kind, "", None, None)


def test_tokens_are_aligned_in_both_directions():
    cosines = np.array([[0.9, 0.1, -0.5], [0.2, 0.6, -0.1]])
    # P = (1 x .9 + 3 x .6) / 4 = .675; best of the reference's words: .9, .6 and -.1, which counts as 0;
    # R = (2 x .9 + 1 x .6 + 1 x 0) / 4 = .6
    ((precision, recall),) = word_matches(
        [best_of(cosines)], [(np.array([1.0, 3.0]), np.array([2.0, 1.0, 1.0]))]
    )
    assert (precision, recall) == pytest.approx((0.675, 0.6))


def test_equal_tokens_match_exactly_regardless_of_weights():
    weights = np.array([0.1, 0.2, 0.3])
    assert word_matches([best_of(np.eye(3) - 1e-9)], [(weights, weights)]).tolist() == [[1.0, 1.0]]


def test_leaning():
    precision, recall = np.array([0.2]), np.array([0.8])
    leant = [float(precision_recall_mean(precision, recall, share)[0]) for share in (0, 0.5, 1)]
    assert leant == pytest.approx([0.2, 0.5, 0.8])


def test_layers_are_summed_and_findings_subtracted():
    layers = {"word": np.array([0.5]), "context": np.array([0.4]), "text": np.array([1.0])}
    # (.25 x .5 + .5 x .4 + .25 x 1) / 2 = .575 / 2
    shares = {"word": 0.25, "context": 0.5, "text": 0.25}
    assert combine(layers, np.array([math.log(2)]), shares) == pytest.approx(0.2875)


def test_a_guard_takes_off_its_gravest_finding_only():
    penalties = {"number:other-value": 0.4, "number:added-number": 0.1, "name:missing-name": 0.2}
    result = [
        finding("number", "added-number"),
        finding("number", "other-value"),
        finding("name", "missing-name"),
    ]
    assert penalty_of(result, penalties) == pytest.approx(0.6)
    assert penalty_of([finding("negation", "negated-prediction")], penalties) == 0


def test_unseen_tokens_have_the_highest_weight():
    weights = WordWeights.over([["heart", "attack"], ["heart", "failure"], ["heart"]], stop=0.1)
    heart, attack, unseen, stop = weights.of(["heart", "attack", "liver", "the"])
    # df 3, 1, 0 and 0 of N = 3: 2 - ln(df + 1) / ln 4
    assert (heart, attack, unseen, stop) == pytest.approx((1.0, 1.5, 2.0, 0.2))


def test_subjects_end_at_the_auxiliary():
    texts = [
        ["terminals", "1", "and", "4", "are", "connected"],
        [],
        ["closed", "path"],
        [*["so"] * 9, "is"],
        [*["so"] * 10, "is"],
        ["because", "they", "are", "connected"],
        ["because"],
        [],
    ]
    roles = word_roles([word for text in texts for word in text])
    counts = np.array([len(text) for text in texts])
    assert subject_lengths(roles, counts).tolist() == [4, 0, 0, 9, 0, 2, 0, 0]
    assert start_with_pronoun(roles, counts).tolist() == [False] * 5 + [True, False, False]


TEXTS = ["The left lung is affected.", "Zürich, 3 °C?", "?!", "x", "they are not connected", "Цюрих"]


def test_identical_texts_score_exactly_1(encoder):
    assert match_with(CalibratedMatch(encoder), TEXTS, TEXTS).score.tolist() == [1.0] * len(TEXTS)


def test_scores_are_between_0_and_1_and_do_not_depend_on_order(encoder):
    predictions = [answer for answer in TEXTS for _ in TEXTS]
    references = TEXTS * len(TEXTS)
    method = CalibratedMatch(encoder)
    scores = match_with(method, predictions, references).score
    assert scores.min() >= 0
    assert scores.max() == 1
    backwards = match_with(method, predictions[::-1], references[::-1])
    assert backwards.score[::-1].tolist() == scores.tolist()


def test_the_best_reference_counts(encoder):
    matches = match_with(CalibratedMatch(encoder), ["It is open."], [["No idea.", "It is open.", "Shut."]])
    assert (matches.score[0], matches.reference[0]) == (1.0, 1)


def test_a_pronoun_stands_for_the_subject(encoder):
    predictions = ["They are connected.", "Lamps are connected."]
    scores = match_with(CalibratedMatch(encoder), predictions, ["Terminals 1 and 4 are connected."] * 2)
    assert scores.components["word"][0] > scores.components["word"][1]


def test_guards_weigh_by_default_and_only_warn_on_request(encoder):
    pair = ["It is not safe."], ["It is safe."]
    weighing = match_with(CalibratedMatch(encoder), *pair)
    warning = match_with(CalibratedMatch(encoder, guards=Guards()), *pair)
    factor = math.exp(-load_calibrated_weights().penalties["negation:negated-prediction"])
    assert weighing.score[0] == pytest.approx(factor * warning.score[0])
    assert "guards:none" in str(warning.signature)


def test_recall_share_is_checked():
    with pytest.raises(InputError, match=r"recall_share must be .*, got 1\.5"):
        Matcher(recall_share=1.5)


def test_leaning_to_precision_forgives_what_is_left_out(encoder):
    pair = ["Aspirin."], ["Aspirin and a stent after angiography."]
    short = [match_with(CalibratedMatch(encoder, recall_share=share), *pair).score[0] for share in (0, 1)]
    assert short[0] > short[1]


def test_floors_are_those_of_the_file_where_the_corpus_gives_none():
    # .375 is the mean of .5 and .25; a layer without a number, or of 1 throughout, has its known floor.
    missing = np.nan
    unrelated = np.array(
        [[0.5, 0.5, missing, missing, 1], [missing] * 4 + [1], [0.25, 0.25, missing, missing, 1]]
    )
    known = {"word": 0.4, "context": 0.2, "text": 0.1}
    assert estimate_floors(unrelated, known) == {"word": 0.375, "context": 0.2, "text": 0.1}


def test_spellings_of_the_same_name_are_a_corpus_without_floors(encoder):
    # The model reads all of these alike, so their mean similarity is 1: nothing could lie above it.
    spellings = ["Paris", "paris", "PARIS", "pARIS", "paRIS", "parIS", "pariS", "PAris", "PARis", "PARIs"]
    result = match_with(CalibratedMatch(encoder), [*spellings, "London"], [*spellings, "paris"])
    assert result.score[:-1].tolist() == [1.0] * len(spellings)
    assert 0 < result.score[-1] < 0.5


def test_a_corpus_that_cannot_be_read_gives_no_floors(encoder):
    unread = [chr(code) * times for code in (1, 2, 3, 4) for times in (1, 2, 3)]
    result = match_with(CalibratedMatch(encoder, corpus=unread), ["It is safe.", "\x01"], ["It is safe."] * 2)
    assert result.score.tolist()[0] == 1.0
    assert [str(status) for status in result.status] == ["scored", "weightless"]


@pytest.mark.parametrize("share", [math.nan, "half"])
def test_a_recall_share_is_a_number(share):
    with pytest.raises(InputError, match="recall_share must be"):
        Matcher(recall_share=share)
