import importlib

import numpy as np
import pytest

import semscale
from semscale.answer_consistency import pairs
from semscale.answer_consistency.consistency import Consistency
from semscale.embedding import ArrayEmbedder
from semscale.errors import InputError
from semscale.types import Status

# Unit vectors by hand: cosines of "a" with b, c, d are .6, 0 and -1.
VECTORS = {"a": (1, 0), "b": (0.6, 0.8), "c": (0, 1), "d": (-1, 0)}


def by_hand(**settings):
    embedder = ArrayEmbedder(list(VECTORS), list(VECTORS.values()))
    return Consistency(**{"embedder": embedder, "guards": (), "floor": 0.2, **settings})


def test_ncs_is_the_mean_cosine_brought_to_0_to_1():
    result = by_hand(measures=["cosine_sim"]).measure(["a", "a"], [["b", "c", "d"], ["a"]])
    # (.6 + 0 - 1) / 3 = -.1333, and (-.1333 + 1) / 2 = .43333
    np.testing.assert_allclose(result.score, [0.433333, 1.0], atol=1e-6)


def test_similarity_above_the_floor_by_hand():
    result = by_hand(measures=["ncs_above_floor", "consistency"]).measure(["a"], [["b", "c", "a"]])
    # (.6 - .2) / .8 = .5; 0 lies below the floor; 1 stays: the mean is .5
    np.testing.assert_allclose([result.measures["ncs_above_floor"][0], result.score[0]], 0.5, atol=1e-6)


def test_samples_that_contradict_count_a_tenth():
    result = by_hand(measures=["consistency", "uncontradicted"], guards=["answer"]).measure(
        ["a"], [["b", "a"]]
    )
    # b differs (cosine .6): .1 * .5, and 1 for the equal one
    np.testing.assert_allclose(result.score, [(0.05 + 1) / 2], atol=1e-6)
    assert result.measures["uncontradicted"].tolist() == [0.5]
    assert [contradiction.sample for contradiction in result.contradictions[0]] == [0]
    assert result.n_contradicting.tolist() == [1]


def test_nothing_is_known_of_contradictions_in_other_languages():
    texts = [
        "Das ist sicher, und alle wissen es.",
        "Das ist nicht sicher, und alle wissen es.",
        "It is what they said.",
    ]
    embedder = ArrayEmbedder(texts, [(1, 0), (0.6, 0.8), (0, 1)])
    measure = Consistency(embedder=embedder, measures=["consistency", "uncontradicted"], floor=0.2).measure
    result = measure([texts[0], texts[2]], [[texts[1]], [texts[2]]])
    # Guards look at the English answer alone; the German one's similarity stays, (.6 - .2) / .8.
    np.testing.assert_allclose(result.score, [0.5, 1.0], atol=1e-6)
    np.testing.assert_array_equal(result.measures["uncontradicted"], [np.nan, 1.0])
    summary = result.summarize(answers=[texts[0], texts[2]], samples=[[texts[1]], [texts[2]]])
    assert summary.n_unguarded == 1
    assert any(
        "Guards read English alone: of 1 prompt" in caution
        for caution in summary.document().sentences("caution")
    )


def test_exact_match_raw_and_normalised():
    result = semscale.consistency(
        ["8", "Paris"],
        [["8", "8 emails"], ["paris", "Paris", "Paris.", "Rome"]],
        measures=["exact_match", "exact_match_normalised"],
    )
    assert result.score.tolist() == [0.5, 0.25]
    assert result.measures["exact_match_normalised"].tolist() == [0.5, 0.75]


def test_no_embedder_is_called_if_no_measure_needs_it():
    class Unusable:
        signature = dimensions = property(lambda self: pytest.fail("was asked"))

        def embed(self, texts, *, progress=None):
            pytest.fail("was asked")

    assert len(Consistency(measures=["exact_match"], embedder=Unusable()).measure([["a", "b"]])) == 1


@pytest.mark.parametrize(
    ("answer", "contradicting", "agreeing"),
    [
        ("Paris", "London", "The capital is Paris."),
        ("Yes", "No", "Yes."),
        ("12", "13", "It is 12."),
        ("It is safe.", "It is not safe.", "It's perfectly safe."),
    ],
)
def test_contradicting_answers_score_low_although_their_cosine_is_high(
    embedder, answer, contradicting, agreeing
):
    result = Consistency(embedder=embedder, floor=0.2).measure(
        [answer, answer], [[contradicting] * 3, [agreeing] * 3]
    )
    assert result.score[0] < 0.1
    assert result.score[1] > 0.4
    assert result.measures["cosine_sim"][0] > 0.78  # what facts say of raw NCS


def test_bert_score_is_the_mean_f1_of_the_answer_as_candidate():
    answers, samples = ["He is in Paris.", "Rome"], [["He lives in Paris.", "In Paris."], ["Rome"]]
    result = semscale.consistency(answers, samples, measures=["bert_score"])
    alone = [semscale.bertscore([a] * len(s), s).f1.mean() for a, s in zip(answers, samples, strict=True)]
    np.testing.assert_allclose(result.score, alone, atol=1e-12)
    assert "bert_layer" in dict(result.signature.fields)
    assert "floor" not in dict(result.signature.fields)


def test_blocks_change_nothing(monkeypatch, toy_embedder):
    answers = [f"answer {n % 7} of {n}" for n in range(40)]
    samples = [[f"answer {n % 5} of {n}"] * (n % 4) + ["answer 3"] for n in range(40)]
    whole = Consistency(embedder=toy_embedder).measure(answers, samples)
    monkeypatch.setattr(pairs, "BLOCK", 7)
    pieces = Consistency(embedder=toy_embedder).measure(answers, samples)
    assert whole.to_frame().equals(pieces.to_frame())
    assert str(whole.signature) == str(pieces.signature)


def test_repeated_texts_are_embedded_once(toy_embedder):
    Consistency(embedder=toy_embedder).measure([f"x{n % 20}" for n in range(60)], [["y", "z"]] * 60)
    assert len(toy_embedder.embedded) == len(set(toy_embedder.embedded)) == 22


def test_the_result_counts_items_and_samples_left_out(toy_embedder):
    result = Consistency(embedder=toy_embedder, fewest_samples=2).measure(
        ["a", None, "b", "c"], [["a", "b"], ["x"], ["b"], ["c", None, "c"]]
    )
    assert result.counts == {Status.SCORED: 2, Status.MISSING: 1, Status.TOO_FEW_SAMPLES: 1}
    frame = result.to_frame()
    assert frame["consistency"].null_count() == 2
    assert frame["samples_left_out"].to_list() == [0, 0, 0, 1]
    overall = result.estimate().overall
    assert (overall.n, overall.left_out) == (2, {"missing": 1, "too-few-samples": 1})


def test_every_measure_is_estimated_by_group(toy_embedder):
    result = Consistency(embedder=toy_embedder).measure([["a", "a"], ["b", "c"], ["d", "d"]])
    estimates = result.estimate(by=["g", "g", None])
    assert list(estimates.overall.figures) == list(result.measures)
    equal = [part.figures["exact_match_normalised"].value for part in (estimates.overall, *estimates.groups)]
    assert equal == [pytest.approx(2 / 3), 0.5, 1.0]
    assert estimates.overall.mean == estimates.overall.figures["consistency"]
    with pytest.raises(InputError, match="by must have 3 rows"):
        result.estimate(by=["g"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"floor": 1.0}, "floor must be auto or a cosine"),
        ({"floor": "none"}, "floor must be auto or a cosine"),
        ({"floor": float("nan")}, "floor must be auto or a cosine"),
        ({"fewest_samples": 0}, "fewest_samples must be >= 1, got 0"),
        ({"guards": ["x"]}, "guards must be among"),
        ({"measures": ["x"]}, "measures must be among"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        Consistency(**settings)


def test_the_public_name_stays_the_function_after_its_package_was_imported():
    importlib.import_module("semscale.answer_consistency.consistency")
    assert semscale.consistency([["a", "a"]], measures=["exact_match"]).score.tolist() == [1.0]


def test_long_texts_are_read_in_windows_and_counted(embedder):
    long = "The committee met again and talked about the budget for the year. " * 60
    result = Consistency(embedder=embedder, measures=["cosine_sim"]).measure([[long, long + "It failed."]])
    assert result.windows[0] > 1
    assert result.n_windowed == 1


def test_samples_that_name_other_colours_contradict_the_answer():
    answers = ["The apple is red.", "The animal is a dog.", "Monday"]
    samples = [["The apple is blue.", "Red"], ["The animal is a horse."], ["Tuesday", "On Monday."]]
    result = semscale.consistency(answers, samples)
    assert result.n_contradicting.tolist() == [1, 1, 1]
    assert result.contradictions[0][0].finding.reason == 'The answer says "red", the sample "blue".'
