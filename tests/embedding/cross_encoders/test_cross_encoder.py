"""Logits of pairs against a slow classifier in NumPy, and the promises about order, length and bad files."""

import json
from pathlib import Path

import numpy as np
import pytest
from random_classifier import HEADS, LABELS
from safetensors.numpy import load_file, save_file
from slow_deberta import DEBERTA_VARIANTS
from slow_encoder import gelu, slow_states

from semscale.embedding.cross_encoders.cross_encoder import CrossEncoder
from semscale.errors import InputError, ModelError, UnsupportedModelError

FAMILIES = ["bert", "roberta", "xlm-roberta", "distilbert"]
VARIANTS = [*((family, {}) for family in FAMILIES), *(("deberta-v2", each) for each in DEBERTA_VARIANTS)]
FIRST = ["w1 w2 w3", "w4", "w9 w8 w7 w6 w5", "w1 w2 w3", "w25 unknown w0"]
SECOND = ["w2", "w4 w5", "w9 w8 w1", "w2", "w3"]


def load(folder: Path, **settings: str) -> CrossEncoder:
    return CrossEncoder(folder, name="random", **settings)


def tokens_of(config: dict, first: str, second: str) -> tuple[list[int], list[int]]:
    """Ids and types of a pair by the test tokenizer: three special tokens, [UNK], then w0, w1, ..."""
    ones, others = (
        [int(w[1:]) + 4 if w[1:].isdigit() else 3 for w in text.split()] for text in (first, second)
    )
    if config["pad_token_id"] == 0:
        ids = [1, *ones, 2, *others, 2]
        return ids, [0] * (len(ones) + 2) + [1] * (len(others) + 1)
    ids = [0, *ones, 2, 2, *others, 2]
    return ids, [0] * len(ids)


def slow_logits(weights: dict, config: dict, first: str, second: str) -> np.ndarray:
    ids, types = tokens_of(config, first, second)
    state = slow_states(weights, config, ids, types)[-1][0]
    dense, output = HEADS[config["model_type"]]
    inner = weights[f"{dense}.weight"].astype(np.float64) @ state + weights[f"{dense}.bias"]
    functions = {"deberta-v2": gelu, "distilbert": lambda values: np.maximum(values, 0)}
    inner = functions.get(config["model_type"], np.tanh)(inner)
    return weights[f"{output}.weight"].astype(np.float64) @ inner + weights[f"{output}.bias"]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("family", "settings"), VARIANTS)
def test_logits_are_those_of_a_slow_classifier(family, settings, write_classifier):
    folder, weights = write_classifier(family, **settings)
    config = json.loads((folder / "config.json").read_text())
    found = load(folder).logits(FIRST, SECOND)
    expected = [slow_logits(weights, config, *pair) for pair in zip(FIRST, SECOND, strict=True)]
    np.testing.assert_allclose(found.values, expected, atol=2e-5)
    assert not found.truncated.any()
    assert not found.unread.any()


def test_the_second_text_has_a_type_of_its_own_where_the_model_reads_types(write_classifier):
    folder, weights = write_classifier("bert")
    config = json.loads((folder / "config.json").read_text())
    ids, types = tokens_of(config, "w1", "w2")
    typed, plain = (slow_states(weights, config, ids, given)[-1][0] for given in (types, None))
    assert not np.allclose(typed, plain, atol=1e-3)  # so the test above would see types that are left out


@pytest.mark.parametrize("precision", ["exact", "fast"])
def test_company_and_order_never_change_a_bit(precision, write_classifier):
    encoder = load(write_classifier("roberta")[0], precision=precision)
    together = encoder.logits(FIRST, SECOND).values
    for row, pair in enumerate(zip(FIRST, SECOND, strict=True)):
        np.testing.assert_array_equal(encoder.logits(*([text] for text in pair)).values[0], together[row])
    backwards = encoder.logits(FIRST[::-1], SECOND[::-1]).values
    np.testing.assert_array_equal(backwards, together[::-1])


def test_a_pair_that_is_too_long_is_cut_at_the_end_of_the_longer_text(write_classifier):
    encoder = load(write_classifier("bert")[0])
    # 24 positions less [CLS], [SEP] and [SEP] leave 21 tokens: 2 of the first text and 19 of the second.
    words = [f"w{place % 20}" for place in range(30)]
    cut = encoder.logits(["w1 w2"], [" ".join(words)])
    assert cut.truncated.tolist() == [True]
    kept = encoder.logits(["w1 w2"], [" ".join(words[:19])])
    assert kept.truncated.tolist() == [False]
    np.testing.assert_array_equal(cut.values, kept.values)


def test_a_limit_of_the_tokenizer_holds(write_classifier):
    folder, _ = write_classifier("bert")
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 10}')
    assert load(folder).logits(
        ["w1 w2 w3 w4", "w1 w2 w3 w4"], ["w1 w2 w3", "w1 w2 w3 w4"]
    ).truncated.tolist() == [
        False,
        True,
    ]


def test_texts_of_unknown_words_are_marked(write_classifier):
    found = load(write_classifier("bert")[0]).logits(["what is this", "w1"], ["w1", "w2"])
    assert found.unread.tolist() == [True, False]


def test_no_pairs_give_no_logits(write_classifier):
    assert load(write_classifier("bert")[0]).logits([], []).values.shape == (0, 3)


def test_the_signature_states_what_decides_the_numbers(write_classifier):
    encoder = load(write_classifier("roberta")[0])
    assert encoder.labels == LABELS
    fields = dict(encoder.signature.fields)
    assert list(fields) == ["model", "setup", "engine", "precision", "longest"]
    assert fields["longest"] == "22"  # 24 positions less the 2 that RoBERTa keeps


def test_lists_of_unequal_length_are_refused(write_classifier):
    with pytest.raises(InputError, match="pairs need two texts each, got 2 and 1 texts"):
        load(write_classifier("bert")[0]).logits(["w1", "w2"], ["w1"])
    with pytest.raises(InputError, match=r"texts\[0\] must be a string, got int"):
        load(write_classifier("bert")[0]).logits([5], ["w1"])


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_missing_file_is_named(name, write_classifier):
    folder, _ = write_classifier("bert")
    (folder / name).unlink()
    with pytest.raises(ModelError, match=f"has no {name}"):
        load(folder)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"architectures": ["BertForMaskedLM"]}, "is no classifier of texts but BertForMaskedLM"),
        ({"id2label": {"1": "entailment"}}, "id2label must number the classes from 0"),
        ({"id2label": ["entailment"]}, "id2label must number the classes from 0"),
        (
            {"id2label": {"0": "yes", "1": "no"}},
            r"classifier.weight has shape \(3, 8\), config.json asks for \(2, 8",
        ),
        ({"hidden_size": 16}, "config.json asks for"),
    ],
)
def test_a_model_that_classifies_nothing_is_refused(settings, message, write_classifier):
    folder, _ = write_classifier("bert", **settings)
    with pytest.raises(ModelError, match=message):
        load(folder).logits(["w1"], ["w2"])


def test_an_encoder_of_another_kind_is_refused_without_naming_an_engine_that_does_not_serve(write_classifier):
    folder, _ = write_classifier("bert", model_type="deberta")
    with pytest.raises(UnsupportedModelError, match="model_type 'deberta' is not one of") as refused:
        load(folder)
    assert "torch" not in str(refused.value)


def test_weights_without_a_head_are_refused(write_classifier):
    folder, _ = write_classifier("roberta")
    path = folder / "model.safetensors"
    encoder = {name: value for name, value in load_file(path).items() if not name.startswith("classifier")}
    save_file(encoder, path)
    with pytest.raises(ModelError, match=r"lacks classifier.dense.weight, so it is no classifier of texts"):
        load(folder).logits(["w1"], ["w2"])


def test_weights_that_changed_unseen_give_no_logits(write_classifier):
    folder, _ = write_classifier("bert", seed=1)
    encoder = load(folder)
    other, _ = write_classifier("bert", seed=2)
    (folder / "model.safetensors").write_bytes((other / "model.safetensors").read_bytes())
    with pytest.raises(ModelError, match="so it is damaged or was changed"):
        encoder.logits(["w1"], ["w2"])


def test_turbo_was_measured_for_no_classifier(write_classifier):
    with pytest.raises(InputError, match="precision='turbo' was measured for"):
        load(write_classifier("bert")[0], precision="turbo")
