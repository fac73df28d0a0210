"""Matching by entailment: both directions, sentence by sentence, with made-up probabilities."""

import numpy as np
import pytest
from tests.matching.made_up_entailment import KnownPairs
from tests.support.random_classifier import write_random_classifier

from semscale.errors import InputError, UnknownNameError
from semscale.matching import entailment as entailment_method
from semscale.matching.matcher import Matcher, explain_items, match
from semscale.types import Status

DOG, CAT, ANIMAL, RAIN = "A dog bit a man.", "A cat slept.", "An animal bit a man.", "It rained."


def model():
    return KnownPairs(
        {
            (DOG, ANIMAL): (0.9, 0.1, 0.0),
            (ANIMAL, DOG): (0.3, 0.5, 0.2),
            (DOG, "A man bit a dog."): (0.05, 0.15, 0.8),
            ("A man bit a dog.", DOG): (0.0, 0.3, 0.7),
        }
    )


def test_the_score_is_the_mean_of_both_directions():
    result = match([ANIMAL], [DOG], "entailment", nli=model())
    assert result.score == pytest.approx([0.6])  # (.9 + .3) / 2
    parts = {name: values[0] for name, values in result.components.items()}
    assert parts == pytest.approx(
        {
            "reference_entails": 0.9,
            "reference_neutral": 0.1,
            "reference_contradicts": 0.0,
            "prediction_entails": 0.3,
            "prediction_neutral": 0.5,
            "prediction_contradicts": 0.2,
            "contradiction": 0.2,
            "cut": 0.0,
        }
    )
    assert result.bounds == (0.0, 1.0)


@pytest.mark.parametrize(("share", "expected"), [(0, 0.9), (1, 0.3), (0.25, 0.75)])
def test_recall_share_weights_the_two_directions(share, expected):
    assert match([ANIMAL], [DOG], "entailment", nli=model(), recall_share=share).score == pytest.approx(
        [expected]
    )


def test_a_swap_of_roles_is_contradicted_in_both_directions():
    result = match(["A man bit a dog."], [DOG], "entailment", nli=model())
    assert result.score == pytest.approx([0.025])  # (.05 + 0) / 2
    assert result.components["contradiction"] == pytest.approx([0.8])


def test_sentences_count_by_their_best_match():
    result = match([f"{ANIMAL} {RAIN}"], [f"{CAT} {DOG} {RAIN}"], "entailment", nli=model())
    # By the reference: .9 by the dog, and 1, as it rained; mean .95.
    # By the prediction: the cat 0, the dog .3, the rain 1; mean 1.3 / 3.
    assert result.components["reference_entails"] == pytest.approx([0.95])
    assert result.components["prediction_entails"] == pytest.approx([1.3 / 3])
    assert result.score == pytest.approx([(0.95 + 1.3 / 3) / 2])


def test_of_several_references_the_best_counts_and_missing_stays_missing():
    result = match([ANIMAL, None, " ", ANIMAL], [[CAT, DOG], DOG, DOG, None], "entailment", nli=model())
    assert result.reference.tolist() == [1, -1, -1, -1]
    assert result.score[0] == pytest.approx(0.6)
    assert np.isnan(result.score[1:]).all()
    assert result.status.tolist() == [Status.SCORED, Status.MISSING, Status.EMPTY, Status.NO_REFERENCE]


def test_all_pairs_go_to_the_model_together_or_in_blocks_with_the_same_result(monkeypatch):
    rows = [ANIMAL, CAT, f"{ANIMAL} {RAIN}", DOG, RAIN], [DOG, CAT, DOG, f"{CAT} {DOG}", CAT]
    together, apart = model(), model()
    expected = match(*rows, "entailment", nli=together)
    assert len(together.asked) == 1
    monkeypatch.setattr(entailment_method, "TOGETHER", 4)
    result = match(*rows, "entailment", nli=apart)
    # Pairs of sentences in both directions: 2, 2, 4, 4 and 2.
    assert [len(asked) for asked in apart.asked] == [4, 4, 4, 2]
    assert result.score.tolist() == expected.score.tolist()


def test_the_sentence_that_contradicts_is_named():
    prediction, reference = f"A man bit a dog. {RAIN}", f"{RAIN} {DOG}"
    matcher = Matcher("entailment", nli=model())
    result = matcher.match([prediction], [reference])
    table = explain_items(matcher.pair_method, [prediction], [reference], result, [0])[0]
    first = table.row(0, named=True)
    assert first["token"] == "A man bit a dog."
    assert first["matched_token"] == DOG
    assert first["contradiction"] == pytest.approx(0.8)
    assert table["side"].to_list() == ["prediction", "prediction", "reference", "reference"]
    assert table["matched_place"].to_list() == [1, 0, 1, 0]
    assert table["weight"].sum() == pytest.approx(1)
    assert table["contribution"].sum() == pytest.approx(result.score[0])


def test_a_summary_counts_what_is_more_likely_contradicted_than_not():
    predictions = ["A man bit a dog.", f"{RAIN} A man bit a dog.", ANIMAL, RAIN, None]
    result = match(predictions, [DOG] * 5, "entailment", nli=model())
    # The first two hold a sentence that is contradicted at .8; the third one at .2 alone.
    summary = result.summarize(predictions, [DOG] * 5)
    assert (summary.n_contradicted, summary.n_cut) == (2, 0)
    assert summary.record()["contradicted"] == 2
    assert match(["a"], ["a"], "cosine").summarize().n_contradicted is None


def test_texts_that_the_model_cannot_read_have_no_score(tmp_path):
    write_random_classifier(tmp_path / "nli", "bert")
    matcher = Matcher("entailment", nli=tmp_path / "nli")
    # The model knows the words w0 to w25 alone.
    result = matcher.match(["w1 w2", "what is this", "w1\nwhat is\nw2"], ["w3", "w3", "w3"])
    assert result.status.tolist() == [Status.SCORED, Status.WEIGHTLESS, Status.SCORED]
    assert np.isnan(result.score).tolist() == [False, True, False]
    assert 0 <= result.score[0] <= 1
    fields = dict(result.signature.fields)
    assert fields["method"] == "entailment"
    assert fields["precision"] == "float32"
    assert fields["model"].startswith("nli#")


def test_too_long_sentence_is_cut_and_its_share_reported(tmp_path):
    write_random_classifier(tmp_path / "nli", "bert")
    long = " ".join(["w1"] * 40)  # the model has 24 positions
    result = match(["w1 w2", long], ["w3", "w3.\nw4 w5"], "entailment", nli=tmp_path / "nli")
    assert result.components["cut"].tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "nli must name an entailment model"),
        ({"nli": "x/y", "embedder": "e5-small"}, "name its model as nli"),
        ({"nli": "x/y", "corpus": ["a"]}, "corpus belongs to methods calibrated"),
        ({"nli": "x/y", "layer": 3}, "layer belongs to method 'bertscore'"),
        ({"nli": KnownPairs({}), "recall_share": 1.5}, "recall_share must be between 0 and 1"),
        ({"nli": KnownPairs({}), "recall_share": "all"}, "recall_share must be between 0 and 1, got 'all'"),
        ({"nli": KnownPairs({}), "guards": {"number": "weigh"}}, "guards change scores in method calibrated"),
    ],
)
def test_settings_that_do_not_serve_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        Matcher("entailment", **settings)


@pytest.mark.parametrize("setting", ["nli", "nli_labels"])
def test_other_methods_read_no_such_model(setting):
    with pytest.raises(InputError, match=f"{setting} belongs to method 'entailment', got it with 'cosine'"):
        Matcher("cosine", **{setting: "x/y"})


def test_a_method_that_is_misspelt_is_named():
    with pytest.raises(UnknownNameError, match="did you mean 'entailment'"):
        Matcher("entailmet")
