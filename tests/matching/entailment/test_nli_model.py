"""Models of entailment from a folder: probabilities in one order, whatever that of the model's classes."""

import json

import numpy as np
import pytest
from scipy.special import softmax
from tests.support.random_classifier import write_random_classifier

from semscale.embedding.cross_encoder import CrossEncoder
from semscale.errors import InputError, ModelError, UnknownNameError
from semscale.matching.entailment import load_nli

PREMISES = ["w1 w2", "w3", "what is", "w1 w2"]
HYPOTHESES = ["w4", "w3", "w1", "w4"]


@pytest.fixture
def folder(tmp_path):
    created = tmp_path / "nli"
    write_random_classifier(created, "roberta")
    return created


def test_probabilities_are_the_softmax_in_the_order_of_the_relations(folder):
    result = load_nli(folder, cache=False).entailments(PREMISES, HYPOTHESES)
    logits = CrossEncoder(folder, name="x").logits(PREMISES, HYPOTHESES).values.astype(np.float64)
    # The classes of the random model are contradiction, entailment, neutral.
    np.testing.assert_allclose(result.values, softmax(logits, axis=1)[:, [1, 2, 0]])
    assert result.unread.tolist() == [False, False, True, False]
    assert not result.truncated.any()


def test_the_order_of_the_labels_can_be_stated_and_is_signed(folder):
    config = json.loads((folder / "config.json").read_text())
    named = load_nli(folder, cache=False)
    config["id2label"] = {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match="does not state the meaning of its classes"):
        load_nli(folder, cache=False)
    right = load_nli(folder, labels=["contradiction", "entailment", "neutral"], cache=False)
    wrong = load_nli(folder, labels=["entailment", "contradiction", "neutral"], cache=False)
    expected = named.probabilities(PREMISES, HYPOTHESES)
    np.testing.assert_array_equal(right.probabilities(PREMISES, HYPOTHESES), expected)
    np.testing.assert_array_equal(wrong.probabilities(PREMISES, HYPOTHESES), expected[:, [2, 1, 0]])
    assert dict(right.signature.fields)["labels"] == "c/e/n"
    assert set(right.signature.differences(wrong.signature)) == {"labels"}


def test_an_entry_of_the_cache_serves_the_next_load(folder, tmp_path, monkeypatch):
    first = load_nli(folder, cache=tmp_path / "cache").probabilities(PREMISES, HYPOTHESES)
    second = load_nli(folder, cache=tmp_path / "cache")
    monkeypatch.setattr(CrossEncoder, "logits", None)  # so that computing anything fails
    np.testing.assert_array_equal(second.probabilities(PREMISES, HYPOTHESES), first)


def test_no_pairs_give_no_probabilities(folder):
    assert load_nli(folder, cache=False).probabilities([], []).shape == (0, 3)


def test_a_folder_without_a_configuration_is_refused(tmp_path):
    with pytest.raises(ModelError, match="has no config.json"):
        load_nli(tmp_path)


def test_an_unknown_name_is_refused():
    with pytest.raises(UnknownNameError, match="model 'nli' is neither a known name, nor a folder"):
        load_nli("nli")


def test_labels_are_checked_before_anything_is_pulled():
    with pytest.raises(InputError, match="nli_labels must list"):
        load_nli("organisation/model", labels=["yes", "no"])
