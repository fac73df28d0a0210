"""Measures of tokens: reading log-probabilities, scores of answers and samples, semantic density."""

import math

import numpy as np
import polars as pl
import pytest

import semscale
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.measures import MEASURES, list_needed_parts, measure_tokens
from semscale.answer_consistency.settings import AnswerColumns
from semscale.answer_consistency.table import measure_consistency
from semscale.answer_consistency.tokens import (
    AnswerTokens,
    mean_token_negentropy,
    min_token_negentropy,
    monte_carlo_probability,
    normalised_probability,
    probability_margin,
    read_tokens,
    semantic_densities,
    semantic_density,
)
from semscale.chat import Reply
from semscale.chat.messages import TokenLogprob
from semscale.chat.runner import Runner
from semscale.embedding import ArrayEmbedder
from semscale.errors import InputError
from semscale.matching.pairs import pair_up
from semscale.signature import Signature
from semscale.store.reading import open_table

OPENAI = {"content": [{"token": "Yes", "logprob": -0.1, "top_logprobs": [{"token": "No", "logprob": -2.5}]}]}


def test_every_form_of_a_cell():
    cells = [[-0.5, 0], "[-0.5, -1e400]", OPENAI, [TokenLogprob("a", -1.0)], None, "", "[]", float("nan")]
    result = read_tokens(cells, 8)
    assert result[0] == (TokenLogprob("", -0.5), TokenLogprob("", 0.0))
    assert result[1] == (TokenLogprob("", -0.5), TokenLogprob("", -1e9))
    assert result[2] == (TokenLogprob("Yes", -0.1, (("No", -2.5),)),)
    assert result[3] == (TokenLogprob("a", -1.0),)
    assert result[4:] == [None, None, None, None]


@pytest.mark.parametrize(
    "cell", ["high", "[0.5]", [0.2], [True], ["-1"], 7, [{"token": "a"}], {"a": 1}, "{}"]
)
def test_cells_without_log_probabilities_are_refused_with_their_row(cell):
    with pytest.raises(InputError, match=r"list of log-probabilities .* in row 4"):
        read_tokens([[-1.0], cell], 2, first=2)


def test_a_wrong_number_of_cells_is_refused():
    with pytest.raises(InputError, match="must have 2 rows, one for each answer, got 1"):
        read_tokens([None], 2)


def token(*shares):
    """A token with the probabilities of the likeliest ones at its place, its own first."""
    return TokenLogprob(
        "t", math.log(shares[0]), tuple((str(at), math.log(p)) for at, p in enumerate(shares))
    )


def test_measures_of_two_tokens_by_hand():
    # .8 and .5: least .5, product .4, geometric mean sqrt .4, first .8.
    of_tokens = [name for name, measure in MEASURES.items() if measure.needs == {"logprobs"}]
    result = measure_tokens([[token(0.8), token(0.5)]], of_tokens)
    values = {name: column[0] for name, column in result.items()}
    assert values["min_probability"] == pytest.approx(0.5)
    assert values["sequence_probability"] == pytest.approx(0.4)
    assert values["normalised_probability"] == pytest.approx(math.sqrt(0.4))
    assert values["first_token_probability"] == pytest.approx(0.8)
    # No token has two alternatives.
    assert np.isnan([values["mean_token_negentropy"], values["probability_margin"]]).all()


def test_negentropy_and_margin_of_the_likeliest_tokens():
    sure, torn = token(1 - 1e-12, 1e-12), token(0.5, 0.5)
    half = token(0.75, 0.25)  # entropy 2 log 2 - 3/4 log 3, divided by log 2
    value = 1 - (2 - 0.75 * math.log2(3))
    assert mean_token_negentropy([sure, torn]) == pytest.approx(0.5, abs=1e-6)
    assert min_token_negentropy([sure, half]) == pytest.approx(value)
    assert probability_margin([half, torn, token(0.9)]) == pytest.approx((0.5 + 0.0) / 2)


def test_probabilities_of_the_likeliest_tokens_need_not_sum_to_1():
    assert mean_token_negentropy([token(0.3, 0.3)]) == pytest.approx(0.0)


def test_length_does_not_change_the_normalised_probability():
    assert normalised_probability([token(0.5)] * 400) == pytest.approx(0.5)


def test_answers_without_tokens_have_no_value():
    result = measure_tokens([None, (), [token(0.5)]], ("min_probability",))["min_probability"]
    np.testing.assert_allclose(result, [np.nan, np.nan, 0.5])


NAN = np.nan


def test_samples_are_weighted_by_their_probability():
    # Kernels: .7 + .2 / 2 = .8 and .1 + .5 / 2 = .35; (.6 * .8 + .3 * .35) / .9 = .65.
    relations = np.array([[0.7, 0.2, 0.1], [0.1, 0.5, 0.4]])
    assert semantic_density(relations, np.array([0.6, 0.3])) == pytest.approx(0.65)


def test_density_is_1_minus_the_expected_squared_distance():
    # uqlm's form: contradiction + neutral / 2 is the expected squared distance.
    relations = np.random.default_rng(0).dirichlet(np.ones(3), 7)
    weights = np.linspace(0.1, 0.9, 7)
    kernel = 1 - (relations[:, 2] + relations[:, 1] / 2)
    assert semantic_density(relations, weights) == pytest.approx(np.average(kernel, weights=weights))


def test_samples_without_a_probability_or_a_relation_do_not_count():
    relations = np.array([[1.0, 0, 0], [0, 0, 1.0], [NAN, NAN, NAN]])
    assert semantic_density(relations, np.array([0.5, NAN, 0.5])) == 1.0
    assert np.isnan(semantic_density(relations, np.array([NAN, NAN, 0.5])))
    assert np.isnan(semantic_density(relations, np.zeros(3)))
    assert np.isnan(semantic_density(np.zeros((0, 3)), np.zeros(0)))


class Recording:
    signature = Signature.of("nli", model="made-up")

    def __init__(self):
        self.calls = []

    def probabilities(self, premises, hypotheses):
        self.calls.append(list(zip(premises, hypotheses, strict=True)))
        return np.array([(1.0, 0, 0) if "same" in text else (0, 0, 1.0) for text in hypotheses])


def test_all_pairs_are_asked_at_once_the_prompt_before_both():
    model = Recording()
    result = semantic_densities(
        ["a", None, "c"],
        [["same", "other", ""], ["same"], []],
        [np.array([0.75, 0.25, 0.9]), np.array([0.5]), np.zeros(0)],
        model,
        ["q", "r", "s"],
    )
    np.testing.assert_allclose(result, [0.75, NAN, NAN])
    assert model.calls == [[("q\na", "q\nsame"), ("q\na", "q\nother")]]


def test_without_texts_nothing_is_asked():
    model = Recording()
    assert np.isnan(semantic_densities([""], [["same"]], [np.array([0.5])], model)).all()
    assert model.calls == []


@pytest.mark.parametrize(
    ("samples", "weights", "message"),
    [([], [], "samples must have 1 entries"), ([["b"]], [np.zeros(2)], "weights.0. must have 1 entries")],
)
def test_lists_of_other_lengths_are_refused(samples, weights, message):
    with pytest.raises(InputError, match=message):
        semantic_densities(["a"], samples, weights, Recording())


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
ANSWER_LOGPROBS, SAMPLED = [logs(0.5)], [[logs(0.9, 0.4), logs(0.2)]]


def test_both_are_measures():
    tool = Consistency(measures=BOTH, nli=Paris())
    result = tool.measure(
        ["Paris"], [["It is Paris", "Rome"]], logprobs=ANSWER_LOGPROBS, sample_logprobs=SAMPLED
    )
    assert result.measures["monte_carlo_probability"] == pytest.approx((0.5 + 0.6 + 0.2) / 3)
    assert result.measures["semantic_density"] == pytest.approx(0.6 / 0.8)
    assert "entailment_model" in dict(result.signature.fields)


def test_samples_that_do_not_count_add_nothing():
    tool = Consistency(measures=BOTH, nli=Paris())
    samples = [["It is Paris", " ", "Rome", "Rome"], ["Rome"], []]
    tokens = [[*SAMPLED[0][:1], logs(0.9), None, logs(0.2)], [None], []]
    result = tool.measure(["Paris"] * 3, samples, logprobs=ANSWER_LOGPROBS * 3, sample_logprobs=tokens)
    np.testing.assert_allclose(result.measures["monte_carlo_probability"], [1.3 / 3, np.nan, np.nan])
    np.testing.assert_allclose(result.measures["semantic_density"], [0.75, np.nan, np.nan])
    assert result.reasons[1] == "the log-probabilities of the samples' tokens are not known"


def test_prompts_precede_both_texts_in_density():
    model = Paris()
    tool = Consistency(measures=["semantic_density"], nli=model)
    answers = ["Paris"], [["Rome", "Oslo"]]
    result = tool.measure(*answers, sample_logprobs=SAMPLED, prompts=["Capital?"])
    assert set(model.premises) == {"Capital?\nParis"}
    assert dict(result.signature.fields)["density_texts"] == "prompts+answers"
    alone = tool.measure(*answers, sample_logprobs=SAMPLED)
    assert dict(alone.signature.fields)["density_texts"] == "answers"


def test_the_signature_states_how_entailment_is_read_if_it_may_be_by_sentence():
    def reads(*measures):
        tool = Consistency(measures=measures, nli=Paris())
        result = tool.measure(["Paris"], [["Rome", "Oslo"]], sample_logprobs=SAMPLED)
        return dict(result.signature.fields).get("entailment_sentences")

    assert reads("semantic_density") is None
    assert reads("semantic_density", "entailment") == "max/mean"


def test_a_wrong_number_of_prompts_is_refused():
    tool = Consistency(measures=["semantic_density"], nli=Paris())
    with pytest.raises(InputError, match="prompts must have 1 rows, one for each answer, got 2"):
        tool.measure(["Paris"], [["Rome", "Oslo"]], sample_logprobs=SAMPLED, prompts=["a", "b"])


def test_samples_count_alone_if_the_answer_has_no_tokens():
    pairs = pair_up(["a"], [["b", "c"]])
    tokens = [(TokenLogprob("b", math.log(0.6)),), (TokenLogprob("c", math.log(0.2)),)]
    known = AnswerTokens(samples=[tokens])
    mean = monte_carlo_probability(
        pairs.item, known.answer_probabilities(1), known.sample_probabilities(pairs)
    )
    assert mean == pytest.approx((0.6 + 0.2) / 2)


def test_missing_inputs_are_named():
    with pytest.raises(InputError, match="monte_carlo_probability needs .* sample_logprobs"):
        Consistency(measures=BOTH[:1]).measure(["a"], [["b"]], logprobs=[logs(0.5)])
    with pytest.raises(InputError, match="sample_logprobs is not used by cosine_sim: leave it out"):
        Consistency(measures=["cosine_sim"]).measure(["a"], [["b"]], sample_logprobs=[[logs(0.5)]])
    with pytest.raises(InputError, match="sample_logprobs must hold a list for each of 1 samples"):
        Consistency(measures=BOTH[:1]).measure(["a"], [["b"]], sample_logprobs=[[logs(0.5), None]])
    with pytest.raises(InputError, match="measure semantic_density needs an entailment model"):
        Consistency(measures=BOTH)


def test_measures_name_the_parts_they_need():
    assert list_needed_parts(BOTH[:1], "auto", has_entailment=False) == {"sample_logprobs"}
    assert list_needed_parts(BOTH, "auto", has_entailment=True) == {"sample_logprobs", "entailment"}


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


PROBABILITY_AND_MATCH = ["min_probability", "exact_match"]
HALF, FIFTH = math.log(0.5), math.log(0.2)


def test_answers_without_log_probabilities_are_counted_and_the_rest_scored():
    tool = semscale.Consistency(measures=PROBABILITY_AND_MATCH)
    result = tool.measure(["a", "b", "c", "d"], [["a"]] * 4, logprobs=[[HALF, FIFTH], None, [], [HALF]])
    np.testing.assert_allclose(result.measures["min_probability"], [0.2, np.nan, np.nan, 0.5])
    assert result.measures["exact_match"].tolist() == [1.0, 0.0, 0.0, 0.0]
    estimates = result.estimate()
    assert estimates.overall.n == 2
    assert estimates.overall.left_out["no-value"] == 2


def test_the_reason_names_log_probabilities_if_a_token_measure_comes_first():
    tool = semscale.Consistency(measures=PROBABILITY_AND_MATCH)
    result = tool.measure(["a", "b"], [["a"]] * 2, logprobs=[[HALF], None])
    assert result.reasons == (None, "the log-probabilities of the answer's tokens are not known")


def test_a_measure_of_tokens_needs_log_probabilities():
    with pytest.raises(InputError, match="measure min_probability needs the log-probabilities"):
        semscale.consistency(["a"], [["a"]], measures=PROBABILITY_AND_MATCH)


def test_a_file_has_them_in_a_column(tmp_path):
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(f'answer,again,p\na,a,"[{HALF}]"\na,b,\n', encoding="utf-8")
    columns = AnswerColumns(answer="answer", sample=("again",), logprobs="p")
    instrument = semscale.Consistency(measures=PROBABILITY_AND_MATCH)
    measure_consistency(open_table(source), columns, instrument=instrument, out=out)
    assert pl.read_csv(out)["semscale_min_probability"].to_list() == [pytest.approx(0.5), None]


def test_the_first_token_is_a_null_for_measures_of_tokens():
    tool = semscale.Consistency(measures=PROBABILITY_AND_MATCH)
    result = tool.measure(["a", "b"], [["a"]] * 2, logprobs=[[HALF, FIFTH], None])
    np.testing.assert_allclose(result.nulls["first_token_probability"], [0.5, np.nan])
    assert (
        "first_token_probability" not in semscale.consistency(["a"], [["a"]], measures=["exact_match"]).nulls
    )


def test_log_probabilities_give_the_null_for_any_measure():
    result = semscale.Consistency(measures=["exact_match"]).measure(
        ["a", "b"], [["A."]] * 2, logprobs=[[HALF, FIFTH], None]
    )
    np.testing.assert_allclose(result.nulls["first_token_probability"], [0.5, np.nan])
    assert result.nulls["exact_match_normalised"].tolist() == [1.0, 0.0]
    assert list(result.measures) == ["exact_match"]


def test_consistency_and_confidence_is_the_product_of_ncs_and_the_mean_token_probability():
    embedder = ArrayEmbedder(["a", "b"], [(1, 0), (0, 1)])
    tool = semscale.Consistency(measures=["consistency_and_confidence"], embedder=embedder)
    result = tool.measure(["a", "a", "b"], [["a"]] * 3, logprobs=[[HALF, 0.0], None, [HALF]])
    # Equal texts have an NCS of 1, and exp((log .5 + 0) / 2) = .7071; a cosine of 0 is an NCS of .5: .5 * .5.
    np.testing.assert_allclose(result.score, [math.sqrt(0.5), np.nan, 0.25], atol=1e-6)
    assert list(result.measures) == ["consistency_and_confidence"]
    assert result.reasons[1] == "the log-probabilities of the answer's tokens are not known"
    assert list(result.nulls)[-1] == "first_token_probability"
    with pytest.raises(InputError, match="consistency_and_confidence needs the log-probabilities"):
        tool.measure(["a"], [["a"]])


def test_a_product_is_missing_if_any_factor_is():
    tool = semscale.Consistency(measures=["consistency_and_confidence"])
    result = tool.measure(["a", "a", "👍"], [["a"], [], ["👍"]], logprobs=[None, [HALF], [HALF]])
    assert np.isnan(result.score).all()
