"""BERTScore on the default model: a slow loop over its states, company and order, settings, explanations."""

import json

import numpy as np
import pytest

from semscale.embedding import load_embedder
from semscale.embedding.loading import load_token_encoder
from semscale.errors import InputError, ModelError
from semscale.matching.bertscore import BertScorer, bertscore
from semscale.matching.token_scores import PairScorer, TextPairs, equal_weights
from semscale.types import Status

PREDICTIONS = [
    "The cat sat on the mat.", "It is raining", "He paid 12 dollars", "Sure", "The cat sat on the mat.",
    "A rather long answer that goes on about many things and ends here", "no",
]  # fmt: skip
REFERENCES = [
    "A cat was sitting on a mat", "The sun is shining", "He paid twelve dollars", "Certainly, sir",
    "The cat sat on the mat.", "A short answer", "yes",
]  # fmt: skip
LONG = " ".join(f"sentence number {number} of a very long text" for number in range(120))


@pytest.fixture(scope="module")
def encoder():
    return load_token_encoder("all-MiniLM-L6-v2")


@pytest.fixture(scope="module")
def scorer(encoder):
    return BertScorer(encoder)


def rows(scores):
    return np.column_stack([scores.precision, scores.recall, scores.f1])


def slow_bertscore(encoder, prediction, reference, layer):
    """A loop over tokens, in float64; [CLS] and [SEP] can be matched and count nothing."""
    first, second = encoder.token_states([prediction, reference], layer=layer)

    def directional_score(side, other):
        best = []
        for state, special in zip(side.states.astype(float), side.special, strict=True):
            cosines = [
                state @ vector / np.linalg.norm(state) / np.linalg.norm(vector)
                for vector in other.states.astype(float)
            ]
            if not special:
                best.append(max(cosines))
        return sum(best) / len(best)

    precision, recall = directional_score(first, second), directional_score(second, first)
    return precision, recall, 2 * precision * recall / (precision + recall)


@pytest.mark.parametrize("layer", [0, 3, 6])
@pytest.mark.exhaustive
def test_scores_are_those_of_the_slow_loop(encoder, layer):
    scores = BertScorer(encoder, layer=layer).score(PREDICTIONS, REFERENCES)
    expected = [slow_bertscore(encoder, *pair, layer) for pair in zip(PREDICTIONS, REFERENCES, strict=True)]
    np.testing.assert_allclose(rows(scores), expected, atol=2e-6)


@pytest.mark.parametrize("precision", ["exact", "fast"])
@pytest.mark.exhaustive
def test_order_company_and_memory_never_change_a_bit(precision):
    encoder = load_token_encoder("all-MiniLM-L6-v2", precision=precision)
    scorer = BertScorer(encoder)
    together = rows(scorer.score(PREDICTIONS, REFERENCES))
    alone = [
        rows(scorer.score([entry], [other]))[0] for entry, other in zip(PREDICTIONS, REFERENCES, strict=True)
    ]
    np.testing.assert_array_equal(together, alone)
    turned = rows(scorer.score(PREDICTIONS[::-1] * 2, REFERENCES[::-1] * 2))
    np.testing.assert_array_equal(turned, np.concatenate([together[::-1]] * 2))
    texts = [*PREDICTIONS, *REFERENCES]
    pairs = TextPairs(encoder.reader.read(texts), np.arange(7), np.arange(7, 14))
    frugal = PairScorer(encoder, 6, equal_weights(encoder.reader), fresh_bytes=1, kept_bytes=0)
    np.testing.assert_array_equal(frugal.score(pairs), together)


def test_multiple_references_give_the_highest_value_per_figure(scorer):
    answer, entry, other = (
        "The cat sat on the mat.",
        "The cat",
        "On the mat sat a cat, and it was black and white.",
    )
    single = rows(scorer.score([answer] * 2, [entry, other]))
    both = rows(scorer.score([answer], [[entry, other]]))[0]
    np.testing.assert_array_equal(both, single.max(axis=0))
    assert (
        single.argmax(axis=0)[0] != single.argmax(axis=0)[1]
    )  # so the highest ones are from different references


def test_what_has_no_score_says_why(scorer):
    predictions = ["fine", None, " ", "fine", 5, "\u200b", "fine"]
    references = ["fine", "fine", "fine", [], "fine", "fine", ["", "fine"]]
    scores = scorer.score(predictions, references)
    expected = ["scored", "missing", "empty", "no-reference", "not-text", "weightless", "scored"]
    assert [str(status) for status in scores.status] == expected
    assert np.isnan(rows(scores)).any(axis=1).tolist() == [False, True, True, True, True, True, False]
    assert scores.counts[Status.SCORED] == 2
    frame = scores.to_frame()
    assert frame.columns == ["status", "precision", "recall", "f1", "reference", "windows"]
    assert frame["f1"].null_count() == 5
    assert scores.with_zeros().f1[1] == 0
    assert scores.reference.tolist() == [0, -1, -1, -1, -1, -1, 1]


def test_no_items_have_no_scores(scorer):
    assert len(scorer.score([], [])) == 0


def test_a_long_text_is_read_in_windows_and_counted(scorer):
    scores = scorer.score(["short", LONG], ["brief", LONG])
    assert scores.windows.tolist()[0] == 1
    assert scores.windows.tolist()[1] > 1
    assert scores.n_windowed == 1
    assert scores.f1[1] == pytest.approx(1, abs=1e-6)


def test_identity_is_1_and_space_around_a_text_is_nothing(scorer):
    scores = scorer.score(["It is raining", " It is raining\n"], ["It is raining", "It is raining"])
    np.testing.assert_allclose(scores.f1, 1, atol=1e-6)
    assert scores.f1[0] == scores.f1[1]


def test_idf_weighs_rare_tokens_more(encoder):
    corpus = ["the the the", "the dog", "the house", "the tree"]
    pair = ["the dog"], ["the cat"]
    plain = BertScorer(encoder).score(*pair)
    weighted = BertScorer(encoder, idf=corpus).score(*pair)
    # "the" is in every document of the corpus, so its weight is ln(5/5) = 0 and the other word alone counts.
    first, second = encoder.token_states(["the dog", "the cat"], layer=6)
    dog = first.states[2] / np.linalg.norm(first.states[2])
    unit_vectors = second.states / np.linalg.norm(second.states, axis=1, keepdims=True)
    assert weighted.precision[0] == pytest.approx((unit_vectors @ dog).max(), abs=1e-6)
    assert weighted.precision[0] != plain.precision[0]


def test_idf_of_a_single_reference_leaves_no_weight(encoder):
    scores = BertScorer(encoder, idf=True).score(["a dog"], ["a dog"])
    assert scores.status[0] is Status.WEIGHTLESS


def test_rescaling_comes_after_the_best_reference(encoder, tmp_path):
    path = tmp_path / "base.tsv"
    path.write_text("LAYER,P,R,F\n" + "".join(f"{layer},0.1,0.2,0.5\n" for layer in range(7)))
    items = PREDICTIONS, [[entry, "something else"] for entry in REFERENCES]
    raw = rows(BertScorer(encoder).score(*items))
    rescaled = BertScorer(encoder, rescale=path).score(*items)
    np.testing.assert_allclose(rows(rescaled), (raw - [0.1, 0.2, 0.5]) / [0.9, 0.8, 0.5], atol=1e-12)
    assert dict(rescaled.signature.fields)["rescale"].startswith("base.tsv#")


def test_unrelated_texts_are_near_0_with_the_baseline_that_comes_along(encoder):
    scores = BertScorer(encoder, rescale=True).score(["The soup was cold."], ["My phone arrived broken."])
    assert abs(scores.f1[0]) < 0.25


def test_the_signature_has_what_decides_the_numbers(encoder):
    plain = BertScorer(encoder)
    result = plain.score(["a"], ["b"])
    assert str(result.signature) == str(plain.signature)
    names = [name for name, _ in result.signature.fields]
    assert names[:4] == ["layer", "idf", "rescale", "model"]
    weighted = BertScorer(encoder, idf=True)
    entry, other = (weighted.score(["a"], [text]).signature for text in ("dogs bark", "cats purr"))
    assert set(entry.differences(other)) == {"idf"}


@pytest.mark.parametrize("layer", [-1, 7, 2.5])
def test_a_layer_out_of_range_is_refused(encoder, layer):
    with pytest.raises(InputError, match="layer must be between 0 and 6"):
        BertScorer(encoder, layer=layer)


def test_lists_of_unequal_length_are_named(scorer):
    with pytest.raises(InputError, match="2 predictions and 1 references"):
        scorer.score(["a", "b"], ["a"])


def test_an_embedder_that_shows_no_tokens_is_refused_with_the_remedy(toy_embedder):
    with pytest.raises(InputError, match=r"got ToyEmbedder: .* load_embedder\(name, engine='torch'\)"):
        BertScorer(toy_embedder)


def test_a_loaded_embedder_serves_as_its_name_does(scorer):
    left = BertScorer(load_embedder("all-MiniLM-L6-v2")).score(["The cat sat"], ["A cat was sitting"])
    named = scorer.score(["The cat sat"], ["A cat was sitting"])
    assert left.signature == named.signature
    np.testing.assert_array_equal(rows(left), rows(named))


def test_a_model_that_cannot_be_run_is_refused():
    with pytest.raises(InputError, match="microsoft/mpnet-base has an architecture that cannot be run here"):
        bertscore(["a"], ["b"], embedder="microsoft/mpnet-base")


def test_a_baseline_of_another_model_is_refused(encoder, tmp_path):
    path = tmp_path / "other.json"
    rows = [{"precision": 0.1, "recall": 0.1, "f1": 0.1}] * 7
    path.write_text(json.dumps({"model": "other#123", "layers": rows}))
    with pytest.raises(
        InputError, match=r"is the baseline of other#123, not of all-MiniLM-L6-v2#53aa51172d14"
    ):
        BertScorer(encoder, rescale=path)


def test_a_folder_that_holds_no_model_is_a_model_error(tmp_path):
    with pytest.raises(ModelError, match=r"has no config.json"):
        BertScorer(tmp_path)


def test_contributions_sum_to_the_score(scorer):
    explained = scorer.explain("  The cat sat", "A cat was sitting")
    score = rows(scorer.score(["The cat sat"], ["A cat was sitting"]))[0]
    assert explained.prediction.contribution.sum() == pytest.approx(score[0], abs=1e-9)
    assert explained.reference.contribution.sum() == pytest.approx(score[1], abs=1e-9)
    frame = explained.to_frame()
    cat = frame.row(2, named=True)
    assert (cat["token"], cat["start"], cat["end"], cat["matched_token"]) == ("cat", 6, 9, "cat")
    assert frame["weight"].sum() == pytest.approx(2)
    assert frame.row(0, named=True)["start"] is None


@pytest.mark.parametrize("pair", [("", "a"), ("a", None)])
def test_there_is_nothing_to_explain_about_an_empty_text(scorer, pair):
    with pytest.raises(InputError, match="must be a text with something in it"):
        scorer.explain(*pair)


def test_weights_of_a_calls_references_cannot_be_explained(encoder):
    with pytest.raises(InputError, match="give explain's scorer idf="):
        BertScorer(encoder, idf=True).explain("a", "b")


def test_progress_reaches_the_number_of_pairs(scorer):
    seen = []
    scorer.score(PREDICTIONS, REFERENCES, progress=lambda *call: seen.append(call))
    assert seen[-1] == ("scoring pairs", 7, 7)
