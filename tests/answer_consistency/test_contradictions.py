"""Contradictions by guards, and by an entailment model."""

import numpy as np
import pytest
from tests.conftest import ToyEmbedder
from tests.support.random_classifier import forced_classifier

from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.pairs import (
    CONTRADICTING,
    contradiction_probabilities,
    guard_findings,
    guards_read_samples,
)
from semscale.answer_consistency.settings import GUARD_NAMES, check_guards
from semscale.embedding import ArrayEmbedder
from semscale.errors import InputError
from semscale.matching.entailment import load_nli
from semscale.matching.pairs import pair_up
from semscale.signature import Signature

DIFFERENT, ALIKE = 0.6, 0.9  # cosines of two cities, of two words for one thing


def test_the_guards_to_choose_from_are_those_that_can_contradict():
    assert {kind.partition(":")[0] for kind in CONTRADICTING} | {"name"} == set(GUARD_NAMES)


def kinds(answer, sample, cosine=DIFFERENT, guards=GUARD_NAMES):
    guarded = np.array(guards_read_samples(answer, [sample]))
    findings = guard_findings(pair_up([answer], [[sample]]), guards, np.array([cosine]), guarded)[0]
    return [f"{finding.guard}:{finding.kind}" for finding in findings]


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
def test_contradictions_are_detected(answer, sample, kind):
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
def test_consistent_answers_have_no_contradiction(answer, sample, cosine):
    assert kinds(answer, sample, cosine) == []


def test_findings_speak_of_answer_and_sample_and_leave_quotations_alone():
    pairs = pair_up(["safe reference"], [["not safe reference"]])
    reason = guard_findings(pairs, GUARD_NAMES, np.array([0.9]), np.array([True]))[0][0].reason
    assert reason == 'The sample says "not safe", the answer "safe".'


def test_only_chosen_guards_look():
    assert kinds("12 is safe", "13 is not safe", guards=("number",)) == ["number:other-value"]
    assert kinds("12 is safe", "13 is not safe", guards=()) == []


def test_equal_pairs_have_equal_findings():
    pairs = pair_up(["12"], [["13", "12", "13"]])
    result = guard_findings(pairs, GUARD_NAMES, np.full(3, 0.8), np.ones(3, bool))
    assert result[0] == result[2] != ()
    assert result[1] == ()


def test_an_unknown_guard_is_refused():
    with pytest.raises(InputError, match="guards must be among negation, opposite, number, name, answer"):
        check_guards(["negations"])


@pytest.mark.parametrize(
    ("answer", "sample"),
    [("It is not Paris.", "London it is."), ("London", "It isn't Paris.")],
)
def test_a_denied_answer_is_not_a_different_answer(answer, sample):
    assert kinds(answer, sample) == []


def test_a_statement_next_to_a_denial_counts():
    named = ["name:invented-name", "name:missing-name"]
    assert kinds("It is not Paris, it is Rome.", "London") == [*named, "answer:other-answer"]


def test_guards_pass_over_other_languages():
    english, german = "It is not safe at all, and they know it.", "Das ist sicher, und alle wissen es."
    assert kinds(english, german) == []
    assert kinds(german, "Das ist nicht sicher, und alle wissen es.") == []


def test_guards_find_nothing_in_pairs_that_they_do_not_look_at():
    pairs = pair_up(["12"], [["13", "13"]])
    skipped, checked = guard_findings(pairs, GUARD_NAMES, np.full(2, 0.8), np.array([False, True]))
    assert skipped == ()
    assert [finding.guard for finding in checked] == ["number"]


TRADES = [
    "Die Frau arbeitet als Bäckerin in der Stadt.",
    "Die Frau arbeitet als Tischlerin in der Stadt.",
    "Die Frau backt Brot in der Stadt.",
]


class ScriptedEntailment:
    """Gives probabilities of contradiction from a table of pairs; all else is neutral."""

    signature = Signature.of("nli", model="made-up")

    def __init__(self, known=None):
        self.known, self.calls = known or {}, []

    def probabilities(self, premises, hypotheses):
        pairs = list(zip(premises, hypotheses, strict=True))
        self.calls.append(pairs)
        shares = np.array([self.known.get(pair, 0.0) for pair in pairs]).reshape(-1)
        return np.stack([np.zeros_like(shares), 1 - shares, shares], axis=1)


def measured(model, answers, samples, **settings):
    embedder = ArrayEmbedder(TRADES, [(1, 0), (0.6, 0.8), (0.6, 0.8)])
    settings = {"measures": ["consistency", "uncontradicted"], "floor": 0.2, "embedder": embedder} | settings
    return Consistency(nli=model, **settings).measure(answers, samples)


def test_the_greater_of_both_directions_counts_and_equal_texts_do_not_contradict():
    pairs = pair_up(["a", "b"], [["b", "a"], ["c"]])
    model = ScriptedEntailment({("a", "b"): 0.2, ("b", "a"): 0.7, ("a", "a"): 1.0})
    np.testing.assert_allclose(contradiction_probabilities(pairs, model), [0.7, 0.0, 0.0])
    assert model.calls == [[("a", "b"), ("b", "c"), ("b", "a"), ("c", "b")]]


def test_a_contradiction_in_a_single_direction_counts_a_tenth_without_guards():
    answer, other, baking = TRADES
    model = ScriptedEntailment({(other, answer): 0.51, (answer, baking): 0.5, (baking, answer): 0.5})
    result = measured(model, [answer], [[other, baking]])
    # Both samples lie (.6 - .2) / .8 = .5 above the floor; the first counts a tenth, .5 is not above .5.
    np.testing.assert_allclose(result.score, [(0.05 + 0.5) / 2], atol=1e-6)
    assert result.measures["uncontradicted"].tolist() == [0.5]
    assert result.n_contradicting.tolist() == [1]
    ((contradiction,),) = result.contradictions
    assert (contradiction.sample, contradiction.finding.guard) == (0, "entailment")
    assert contradiction.finding.reason == "The entailment model gives a contradiction a probability of 0.51."
    assert (contradiction.finding.prediction.text, contradiction.finding.reference.text) == (answer, other)
    summary = result.summarize(answers=[answer], samples=[[other, baking]])
    assert (summary.n_contradicted, summary.guards, summary.n_unguarded) == (1, {"entailment": 1}, 0)
    signed = dict(result.signature.fields)
    assert (signed["contradiction_above"], signed["entailment_model"]) == ("0.5", "made-up")


def test_without_a_model_german_answers_have_no_value_of_uncontradicted():
    result = measured(None, TRADES[:1], [TRADES[1:]])
    assert np.isnan(result.measures["uncontradicted"]).all()
    assert "contradiction_above" not in dict(result.signature.fields)


@pytest.mark.parametrize(("share", "left"), [(0.6, 0.0), (0.4, 1.0)])
def test_a_random_checkpoint_with_a_forced_contradiction_decides(tmp_path, share, left):
    folder = forced_classifier(tmp_path / "nli", contradiction=share)
    tool = Consistency(
        measures=["uncontradicted"], guards=(), embedder=ToyEmbedder(), nli=load_nli(folder, cache=False)
    )
    result = tool.measure(["w1 w2"], [["w3", "w1 w2", "w4"]])
    # Every pair of different texts contradicts with the forced probability; one sample of three is equal.
    assert result.score.tolist() == [pytest.approx((1 + 2 * left) / 3)]
    assert result.n_contradicting.tolist() == [2 - 2 * left]


def test_a_text_that_the_model_cannot_read_is_neither_contradicted_nor_free_of_it(tmp_path):
    folder = forced_classifier(tmp_path / "nli", contradiction=0.9)
    texts = ["w1 w2", "Das ist nicht sicher, und alle wissen es."]
    tool = Consistency(measures=["uncontradicted"], embedder=ToyEmbedder(), nli=load_nli(folder, cache=False))
    result = tool.measure(texts[:1], [texts[1:]])
    assert result.contradictions == ((),)
    assert np.isnan(result.score).all()


def test_all_pairs_of_a_call_are_sent_in_a_single_batch():
    answers = [f"answer {item}" for item in range(7)]
    samples = [[f"sample {item} {sample}" for sample in range(5)] for item in range(7)]
    for measures, n in ((["consistency"], 5), (["consistency", "semantic_negentropy"], 15)):
        model = ScriptedEntailment()
        Consistency(measures=measures, nli=model, embedder=ToyEmbedder()).measure(answers, samples)
        # Five samples a prompt, or all pairs of six texts, in both directions.
        assert list(map(len, model.calls)) == [7 * n * 2]


def test_a_model_that_no_measure_uses_is_refused():
    with pytest.raises(InputError, match=r"nli is not used by cosine_sim, exact_match: leave it out"):
        Consistency(measures=["cosine_sim", "exact_match"], nli="nowhere")
    with pytest.raises(
        InputError, match="nli is not used by semantic_negentropy where texts mean the same by exact words"
    ):
        Consistency(measures=["semantic_negentropy"], same_by="exact", nli="nowhere")


FOUR_RIGHT = "Ann came. Bob left. Cy slept. Di sang."
THREE_RIGHT = "Ann came. Bob left. Cy slept. Di wept."


@pytest.mark.parametrize(("by_sentence", "contradicted"), [(True, 1), (False, 0)])
def test_a_wrong_sentence_among_four_contradicts_an_answer(by_sentence, contradicted):
    tool = Consistency(
        measures=["uncontradicted", "noncontradiction"], guards=(), embedder=ToyEmbedder(),
        nli=ScriptedEntailment({("Di sang.", "Di wept."): 0.9}), by_sentence=by_sentence,
    )  # fmt: skip
    result = tool.measure([FOUR_RIGHT], [[THREE_RIGHT]])
    assert result.n_contradicting.tolist() == [contradicted]
    reads = dict(result.signature.fields)["entailment_sentences"]
    assert reads == ("max/mean" if by_sentence else "whole")
    # By sentences 1 - (.225 + 0) / 2, read whole all is neutral.
    expected = 1 - 0.225 / 2 if by_sentence else 1.0
    assert result.measures["noncontradiction"].tolist() == [pytest.approx(expected)]
