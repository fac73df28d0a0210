"""Logits of pairs by an exported graph, and the promises about order, length and bad files."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from random_classifier import GRAPH, LABELS, random_logits

from semscale.embedding.cross_encoder import CrossEncoder
from semscale.embedding.graph import openvino_module
from semscale.errors import InputError, ModelError

try:
    import torch
    import transformers
except ImportError:
    torch = transformers = None

needs_torch = pytest.mark.needs("torch")
FIRST = ["w1 w2 w3", "w4", "w9 w8 w7 w6 w5", "w1 w2 w3", "w25 unknown w0"]
SECOND = ["w2", "w4 w5", "w9 w8 w1", "w2", "w3"]
EXPORTED = Path(__file__).parent / "tiny_classifier"


def load(folder: Path, **settings: str) -> CrossEncoder:
    return CrossEncoder(folder, name="random", **settings)


def tokens_of(config: dict, first: str, second: str) -> tuple[list[int], list[int]]:
    """Ids and types of a pair by the test tokenizer: three special tokens, [UNK], then w0, w1, ..."""
    left, right = (
        [int(w[1:]) + 4 if w[1:].isdigit() else 3 for w in text.split()] for text in (first, second)
    )
    if config["pad_token_id"] == 0:
        ids = [1, *left, 2, *right, 2]
        return ids, [0] * (len(left) + 2) + [1] * (len(right) + 1)
    ids = [0, *left, 2, 2, *right, 2]
    return ids, [0] * len(ids)


@pytest.mark.parametrize("precision", ["exact", "fast"])
def test_an_exported_onnx_file_has_the_logits_of_transformers(precision):
    expected = json.loads((EXPORTED / "expected.json").read_text())
    pairs = [case["pair"] for case in expected]
    found = load(EXPORTED, precision=precision).logits(*map(list, zip(*pairs, strict=True)))
    tolerance = 2e-5 if precision == "exact" else 0.1
    np.testing.assert_allclose(found.values, [case["logits"] for case in expected], atol=tolerance)
    assert load(EXPORTED).labels == LABELS


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_the_graph_gets_the_tokens_of_both_texts_and_their_types(family, write_classifier):
    folder, weights = write_classifier(family)
    config = json.loads((folder / "config.json").read_text())
    found = load(folder).logits(FIRST, SECOND)
    expected = []
    for pair in zip(FIRST, SECOND, strict=True):
        ids, types = tokens_of(config, *pair)
        expected.append(random_logits(weights, ids, types if family == "bert" else None))
    np.testing.assert_allclose(found.values, expected, atol=1e-6)
    assert not found.truncated.any()
    assert not found.unread.any()


@pytest.mark.parametrize("precision", ["exact", "fast"])
@pytest.mark.parametrize("exported", [True, False])
def test_logits_do_not_depend_on_batch_or_order(precision, exported, write_classifier):
    encoder = load(EXPORTED if exported else write_classifier("roberta")[0], precision=precision)
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
    whole = encoder.logits(["w1 w2"], [" ".join(words[:19])])
    assert whole.truncated.tolist() == [False]
    np.testing.assert_array_equal(cut.values, whole.values)


def test_a_limit_of_the_tokenizer_holds(write_classifier):
    folder, _ = write_classifier("bert")
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 10}')
    first, second = ["w1 w2 w3 w4", "w1 w2 w3 w4"], ["w1 w2 w3", "w1 w2 w3 w4"]
    assert load(folder).logits(first, second).truncated.tolist() == [False, True]


def test_texts_of_unknown_words_are_marked(write_classifier):
    found = load(write_classifier("bert")[0]).logits(["what is this", "w1"], ["w1", "w2"])
    assert found.unread.tolist() == [True, False]


def test_no_pairs_give_no_logits(write_classifier):
    assert load(write_classifier("bert")[0]).logits([], []).values.shape == (0, 3)


def test_the_signature_states_what_decides_the_numbers(write_classifier):
    encoder = load(write_classifier("roberta")[0])
    fields = dict(encoder.signature.fields)
    assert list(fields) == ["model", "setup", "engine", "precision", "longest"]
    assert fields["longest"] == "22"  # 24 positions less the 2 that RoBERTa keeps
    other = load(write_classifier("roberta", seed=1)[0])
    assert set(encoder.signature.differences(other.signature)) == {"model"}


def test_lists_of_unequal_length_are_refused(write_classifier):
    with pytest.raises(InputError, match="pairs need two texts each, got 2 and 1 texts"):
        load(write_classifier("bert")[0]).logits(["w1", "w2"], ["w1"])
    with pytest.raises(InputError, match=r"texts\[0\] must be a string, got int"):
        load(write_classifier("bert")[0]).logits([5], ["w1"])


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
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
        ({"id2label": {"0": "yes", "1": "no"}}, r"gives logits of shape \(1, 3\) .* names 2 classes"),
        ({"vocab_size": 16}, "has token 29, but config.json has words 0 to 15"),
    ],
)
def test_a_model_that_classifies_nothing_is_refused(settings, message, write_classifier):
    folder, _ = write_classifier("bert", **settings)
    with pytest.raises(ModelError, match=message):
        load(folder).logits(["w1"], ["w2"])


def test_a_graph_of_other_inputs_is_refused(write_classifier):
    folder, _ = write_classifier("bert")
    openvino = openvino_module()
    pixels = openvino.opset13.parameter([-1, 3], np.float32, name="pixel_values")
    pixels.get_output_tensor(0).set_names({"pixel_values"})
    openvino.save_model(openvino.Model([openvino.opset13.relu(pixels)], [pixels], "x"), folder / GRAPH)
    with pytest.raises(
        ModelError, match="has the input pixel_values, and a classifier of texts has no other"
    ):
        load(folder).logits(["w1"], ["w2"])


def test_a_damaged_graph_is_refused(write_classifier):
    folder, _ = write_classifier("bert")
    (folder / GRAPH).write_text("<net")
    with pytest.raises(ModelError, match=r"openvino_model\.xml cannot be read by OpenVINO"):
        load(folder).logits(["w1"], ["w2"])


def test_a_graph_that_changed_unseen_gives_no_logits(write_classifier):
    folder, _ = write_classifier("bert", seed=1)
    encoder = load(folder)
    other, _ = write_classifier("bert", seed=2)
    shutil.copy((other / GRAPH).with_suffix(".bin"), (folder / GRAPH).with_suffix(".bin"))
    with pytest.raises(ModelError, match="so it is damaged or was changed"):
        encoder.logits(["w1"], ["w2"])


def test_turbo_was_measured_for_no_classifier(write_classifier):
    with pytest.raises(InputError, match="precision='turbo' was measured for"):
        load(write_classifier("bert")[0], precision="turbo")


def test_without_a_graph_and_without_pytorch_both_remedies_are_named(write_classifier, monkeypatch):
    folder, _ = write_classifier("bert")
    shutil.rmtree(folder / "openvino")
    with pytest.raises(ModelError, match=r"neither .* nor onnx/model.onnx nor model.safetensors"):
        load(folder)
    (folder / "model.safetensors").write_bytes(b"")
    monkeypatch.setattr("semscale.extras.find_spec", lambda module: None)
    with pytest.raises(ModelError, match=r'pip install "semscale\[torch\]", or export .* optimum-cli export'):
        load(folder)


@needs_torch
@pytest.mark.parametrize("family", ["Bert", "DebertaV2"])
def test_sentence_transformers_runs_a_model_without_a_graph(family, tmp_path):
    sizes = {
        "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
        "vocab_size": 30, "max_position_embeddings": 24, "num_labels": 3, "pad_token_id": 0,
    }  # fmt: skip
    torch.manual_seed(0)
    config = getattr(transformers, f"{family}Config")(**sizes, pooler_hidden_size=8)
    model = getattr(transformers, f"{family}ForSequenceClassification")(config).eval()
    model.save_pretrained(tmp_path)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        if (EXPORTED / name).is_file():
            shutil.copy(EXPORTED / name, tmp_path / name)
    named = {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "[PAD]", "model_max_length": 24}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(named))
    encoder = load(tmp_path)
    found = encoder.logits(FIRST, SECOND).values
    for row, pair in enumerate(zip(FIRST, SECOND, strict=True)):
        ids, types = tokens_of({"pad_token_id": 0}, *pair)
        with torch.no_grad():
            expected = model(torch.tensor([ids]), token_type_ids=torch.tensor([types])).logits[0]
        np.testing.assert_allclose(found[row], expected.numpy(), atol=2e-5)
        alone = encoder.logits(*([text] for text in pair)).values[0]
        np.testing.assert_allclose(alone, found[row], atol=1e-6)
    fields = dict(encoder.signature.fields)
    assert fields["engine"].startswith("sentence-transformers-")
    assert fields["precision"].partition("/")[0] == "float32"
