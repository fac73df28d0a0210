"""Monte Carlo probability and semantic density as measures of an instrument."""

import math

import numpy as np
import pytest

from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.scoring.measures import needed_parts
from semscale.answer_consistency.white_box.sampled_measures import SAMPLED_MEASURES, measure_sampled
from semscale.chat import Reply
from semscale.chat.replies import TokenLogprob
from semscale.chat.runner import Runner
from semscale.errors import InputError
from semscale.matching.pairs import pair_up
from semscale.signature import Signature

BOTH = ["monte_carlo_probability", "semantic_density"]


def logs(*probabilities):
    return [math.log(value) for value in probabilities]


class Paris:
    """Whatever ends in Paris is entailed, all else contradicted; keeps its premises."""

    signature = Signature.of("nli", model="made-up")

    def __init__(self):
        self.premises = []

    def probabilities(self, premises, hypotheses):
        self.premises += premises
        return np.array([(1.0, 0, 0) if text.endswith("Paris") else (0, 0, 1.0) for text in hypotheses])


# Geometric means: of the answer .5, of the samples (.9 * .4) ** .5 = .6 and .2.
OWN, SAMPLED = [logs(0.5)], [[logs(0.9, 0.4), logs(0.2)]]


def test_both_are_measures():
    tool = Consistency(measures=BOTH, nli=Paris())
    found = tool.measure(["Paris"], [["It is Paris", "Rome"]], logprobs=OWN, sample_logprobs=SAMPLED)
    assert found.measures["monte_carlo_probability"] == pytest.approx((0.5 + 0.6 + 0.2) / 3)
    assert found.measures["semantic_density"] == pytest.approx(0.6 / 0.8)
    assert "entailment_model" in dict(found.signature.fields)


def test_samples_that_do_not_count_add_nothing():
    tool = Consistency(measures=BOTH, nli=Paris())
    samples = [["It is Paris", " ", "Rome", "Rome"], ["Rome"], []]
    tokens = [[*SAMPLED[0][:1], logs(0.9), None, logs(0.2)], [None], []]
    found = tool.measure(["Paris"] * 3, samples, logprobs=OWN * 3, sample_logprobs=tokens)
    np.testing.assert_allclose(found.measures["monte_carlo_probability"], [1.3 / 3, np.nan, np.nan])
    np.testing.assert_allclose(found.measures["semantic_density"], [0.75, np.nan, np.nan])
    assert found.reasons[1] == "the log-probabilities of the samples' tokens are not known"


def test_prompts_precede_both_texts_in_density():
    model = Paris()
    tool = Consistency(measures=["semantic_density"], nli=model)
    answers = ["Paris"], [["Rome", "Oslo"]]
    found = tool.measure(*answers, sample_logprobs=SAMPLED, prompts=["Capital?"])
    assert set(model.premises) == {"Capital?\nParis"}
    assert dict(found.signature.fields)["density_texts"] == "prompts+answers"
    alone = tool.measure(*answers, sample_logprobs=SAMPLED)
    assert dict(alone.signature.fields)["density_texts"] == "answers"


def test_the_signature_says_how_entailment_is_read_where_it_is_not_whole_anyway():
    def reads(*measures):
        tool = Consistency(measures=measures, nli=Paris())
        found = tool.measure(["Paris"], [["Rome", "Oslo"]], sample_logprobs=SAMPLED)
        return dict(found.signature.fields).get("entailment_sentences")

    assert reads("semantic_density") is None
    assert reads("semantic_density", "entailment") == "max/mean"


def test_prompts_of_another_number_are_refused():
    tool = Consistency(measures=["semantic_density"], nli=Paris())
    with pytest.raises(InputError, match="prompts must have 1 rows, one for each answer, got 2"):
        tool.measure(["Paris"], [["Rome", "Oslo"]], sample_logprobs=SAMPLED, prompts=["a", "b"])


def test_without_the_answers_own_tokens_the_samples_count():
    pairs = pair_up(["a"], [["b", "c"]])
    tokens = [(TokenLogprob("b", math.log(0.6)),), (TokenLogprob("c", math.log(0.2)),)]
    found = measure_sampled(["monte_carlo_probability"], pairs, (None, [tokens]))
    assert found["monte_carlo_probability"] == pytest.approx((0.6 + 0.2) / 2)


def test_what_is_missing_is_named():
    with pytest.raises(InputError, match="monte_carlo_probability needs .* sample_logprobs"):
        Consistency(measures=BOTH[:1]).measure(["a"], [["b"]], logprobs=[logs(0.5)])
    with pytest.raises(InputError, match="sample_logprobs is not used by cosine_sim: leave it out"):
        Consistency(measures=["cosine_sim"]).measure(["a"], [["b"]], sample_logprobs=[[logs(0.5)]])
    with pytest.raises(InputError, match="sample_logprobs must hold a list for each of 1 samples"):
        Consistency(measures=BOTH[:1]).measure(["a"], [["b"]], sample_logprobs=[[logs(0.5), None]])
    with pytest.raises(InputError, match="measure semantic_density needs a model of entailment"):
        Consistency(measures=BOTH)


def test_what_each_is_made_from():
    assert needed_parts(BOTH[:1], "auto", has_entailment=False) == {"sample_logprobs"}
    assert needed_parts(BOTH, "auto", has_entailment=True) == {"sample_logprobs", "entailment"}
    assert set(SAMPLED_MEASURES) == set(BOTH)


class Tokened:
    """Answers "Paris" and then "Rome", each with one token of probability .5."""

    name, signature = "tokened", Signature.of("chat", model="tokened")

    async def complete(self, request):
        assert request.parameters.top_logprobs
        text = "Rome" if request.sample else "Paris"
        return Reply(text, logprobs=(TokenLogprob(text, math.log(0.5)),))


def test_replies_bring_their_tokens():
    tool = Consistency(Tokened(), measures=BOTH, nli=Paris())
    asked = tool.ask(["Capital?"], 2, runner=Runner(Tokened(), ledger=False))
    assert asked.consistencies.measures["monte_carlo_probability"] == pytest.approx([0.5])
    assert asked.consistencies.measures["semantic_density"] == pytest.approx([0.0])
