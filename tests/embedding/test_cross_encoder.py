"""Logits of pairs: tokens, an exported graph, the cache, and the promises about order and bad files."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tests.support.random_classifier import GRAPH, LABELS, random_logits
from tests.support.word_tokenizer import write_tokenizer
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

from semscale.embedding.cross_encoder import (
    PAIRS_FILE,
    CachedCrossEncoder,
    CrossEncoder,
    PairCache,
    PairLogits,
    PairTokens,
    pair_keys,
    truncate_lengths,
)
from semscale.embedding.openvino import openvino_module
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
    result = load(EXPORTED, precision=precision).logits(*map(list, zip(*pairs, strict=True)))
    tolerance = 2e-5 if precision == "exact" else 0.1
    np.testing.assert_allclose(result.values, [case["logits"] for case in expected], atol=tolerance)
    assert load(EXPORTED).labels == LABELS


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_the_graph_gets_the_tokens_of_both_texts_and_their_types(family, write_classifier):
    folder, weights = write_classifier(family)
    config = json.loads((folder / "config.json").read_text())
    result = load(folder).logits(FIRST, SECOND)
    expected = []
    for pair in zip(FIRST, SECOND, strict=True):
        ids, types = tokens_of(config, *pair)
        expected.append(random_logits(weights, ids, types if family == "bert" else None))
    np.testing.assert_allclose(result.values, expected, atol=1e-6)
    assert not result.truncated.any()
    assert not result.unread.any()


@pytest.mark.parametrize("precision", ["exact", "fast"])
@pytest.mark.parametrize("exported", [True, False])
@pytest.mark.exhaustive
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
    tokens = [f"w{index % 20}" for index in range(30)]
    cut = encoder.logits(["w1 w2"], [" ".join(tokens)])
    assert cut.truncated.tolist() == [True]
    whole = encoder.logits(["w1 w2"], [" ".join(tokens[:19])])
    assert whole.truncated.tolist() == [False]
    np.testing.assert_array_equal(cut.values, whole.values)


def test_a_limit_of_the_tokenizer_holds(write_classifier):
    folder, _ = write_classifier("bert")
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 10}')
    first, second = ["w1 w2 w3 w4", "w1 w2 w3 w4"], ["w1 w2 w3", "w1 w2 w3 w4"]
    assert load(folder).logits(first, second).truncated.tolist() == [False, True]


def test_texts_of_only_unknown_tokens_are_marked_unread(write_classifier):
    result = load(write_classifier("bert")[0]).logits(["what is this", "w1"], ["w1", "w2"])
    assert result.unread.tolist() == [True, False]


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
        ({"architectures": ["BertForMaskedLM"]}, "is not a text classifier but BertForMaskedLM"),
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
    result = encoder.logits(FIRST, SECOND).values
    for row, pair in enumerate(zip(FIRST, SECOND, strict=True)):
        ids, types = tokens_of({"pad_token_id": 0}, *pair)
        with torch.no_grad():
            expected = model(torch.tensor([ids]), token_type_ids=torch.tensor([types])).logits[0]
        np.testing.assert_allclose(result[row], expected.numpy(), atol=2e-5)
        alone = encoder.logits(*([text] for text in pair)).values[0]
        np.testing.assert_allclose(alone, result[row], atol=1e-6)
    fields = dict(encoder.signature.fields)
    assert fields["engine"].startswith("sentence-transformers-")
    assert fields["precision"].partition("/")[0] == "float32"


LEFT = ["w1", "w2", "w1", "w3", "what"]
RIGHT = ["w2", "w1", "w2", "w3", "w1"]


class Counting(CrossEncoder):
    """Keeps the pairs that it was asked for."""

    asked: tuple = ()

    def logits(self, first, second):
        self.asked = (*self.asked, *zip(first, second, strict=True))
        return super().logits(first, second)


@pytest.fixture
def encoder(write_classifier):
    return Counting(write_classifier("bert")[0], name="random")


@pytest.mark.parametrize("cached", [True, False])
def test_equal_pairs_are_computed_once_and_results_stay_in_order(cached, encoder, tmp_path):
    with closing(PairCache(tmp_path / "cache")) as cache:
        result = CachedCrossEncoder(encoder, cache if cached else None, chunk=2).logits(LEFT, RIGHT)
    assert encoder.asked == (("w1", "w2"), ("w2", "w1"), ("w3", "w3"), ("what", "w1"))
    np.testing.assert_array_equal(result.values, CrossEncoder.logits(encoder, LEFT, RIGHT).values)
    assert result.unread.tolist() == [False] * 4 + [True]


def test_what_was_computed_before_comes_from_the_cache_unchanged(encoder, tmp_path):
    with closing(PairCache(tmp_path / "cache")) as cache:
        before = CachedCrossEncoder(encoder, cache).logits(LEFT[:3], RIGHT[:3])
        encoder.asked = ()
        again = CachedCrossEncoder(encoder, cache).logits(LEFT, RIGHT)
    assert encoder.asked == (("w3", "w3"), ("what", "w1"))
    np.testing.assert_array_equal(again.values[:3], before.values)
    assert again.unread.tolist() == [False] * 4 + [True]


def test_another_cross_encoder_has_separate_cache_entries(encoder, write_classifier, tmp_path):
    other = Counting(write_classifier("bert", seed=7)[0], name="random")
    with closing(PairCache(tmp_path / "cache")) as cache:
        for cross_encoder in (encoder, other):
            CachedCrossEncoder(cross_encoder, cache).logits(["w1"], ["w2"])
    assert encoder.asked == other.asked == (("w1", "w2"),)


def test_progress_counts_distinct_pairs(encoder):
    seen = []
    CachedCrossEncoder(encoder, None, chunk=3).logits(LEFT, RIGHT, lambda *call: seen.append(call))
    assert seen == [("comparing", 0, 4), ("comparing", 3, 4), ("comparing", 4, 4)]


KEYS = pair_keys("a signature", ["a", "b", "c"], ["b", "c", "d"])
LOGITS = PairLogits(
    np.array([[0.1, -2, 3], [4, 5, 6], [7, 8, 9]], np.float32),
    np.array([False, True, False]),
    np.array([False, False, True]),
)


def test_what_is_stored_is_read_again(tmp_path):
    with closing(PairCache(tmp_path)) as cache:
        cache.put_many(KEYS, LOGITS)
    with closing(PairCache(tmp_path)) as cache:
        rows, result = cache.get_many([KEYS[2], *pair_keys("s", ["x"], ["y"]), KEYS[1], KEYS[0]], 3)
    order = [{0: 2, 2: 1, 3: 0}[row] for row in rows]
    assert sorted(order) == [0, 1, 2]
    for name in ("values", "truncated", "unread"):
        np.testing.assert_array_equal(getattr(result, name), getattr(LOGITS, name)[order])


def test_logits_of_another_number_of_classes_are_missing(tmp_path):
    with closing(PairCache(tmp_path)) as cache:
        cache.put_many(KEYS, LOGITS)
        assert cache.get_many(KEYS, 2)[0] == []


def test_a_damaged_entry_is_missing(tmp_path):
    with closing(PairCache(tmp_path)) as cache:
        cache.put_many(KEYS, LOGITS)
    with closing(sqlite3.connect(tmp_path / PAIRS_FILE)) as connection:
        slot, body = connection.execute(
            "SELECT v.slot, v.body FROM vectors v JOIN keys k ON k.slot = v.slot WHERE k.key = ?", (KEYS[1],)
        ).fetchone()
        damaged = bytes([body[0] ^ 1]) + body[1:]
        connection.execute("UPDATE vectors SET body = ? WHERE slot = ?", (damaged, slot))
        connection.commit()
    with closing(PairCache(tmp_path)) as cache:
        assert sorted(cache.get_many(KEYS, 3)[0]) == [0, 2]


def test_pair_keys_depend_on_the_boundary_between_the_texts():
    assert len(set(pair_keys("s", ["a", "ab", "1:a"], ["bc", "c", "bc"]))) == 3


FOODS = ["good food", "a", "food food food food food food food good", "good", ""]
OTHER_FOODS = ["bad food", "good good good good good good", "a a a a a a a a a a", "good food", "bad"]


def word_pieces() -> Tokenizer:
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "good", "ba", "##d", "fo", "##od", "a"]
    vocabulary = {word: number for number, word in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def byte_tokenizer() -> Tokenizer:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {word: number for number, word in enumerate(["<s>", "</s>", *alphabet, "Ġa", "oo", "ood"])}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("Ġ", "a"), ("o", "o"), ("oo", "d")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0))
    return tokenizer


def unigrams() -> Tokenizer:
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁good", "▁ba", "d", "▁f", "ood", "▁a"]
    tokenizer = Tokenizer(models.Unigram([(piece, -1.0) for piece in pieces], unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    return tokenizer


@pytest.mark.parametrize("make", [word_pieces, byte_tokenizer, unigrams])
@pytest.mark.parametrize("longest", [9, 12, 512])
def test_pairs_are_those_of_the_library(make, longest):
    result = PairTokens(make(), longest).rows(FOODS, OTHER_FOODS)
    library = make()
    whole = library.encode_batch(list(zip(FOODS, OTHER_FOODS, strict=True)))
    library.enable_truncation(longest, strategy="longest_first")
    expected = library.encode_batch(list(zip(FOODS, OTHER_FOODS, strict=True)))
    assert [row.tolist() for row in result.ids] == [encoding.ids for encoding in expected]
    assert [row.tolist() for row in result.types] == [encoding.type_ids for encoding in expected]
    assert result.truncated.tolist() == [len(encoding.ids) > longest for encoding in whole]


@pytest.mark.parametrize("room", range(2, 30))
def test_the_longer_text_is_cut_first_as_the_library_does_it(room, tmp_path):
    write_tokenizer(tmp_path / "tokenizer.json", 0)
    tokenizer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    tokenizer.enable_truncation(room + 3, strategy="longest_first")
    for first, second in [(1, 1), (5, 9), (9, 5), (20, 20), (3, 25), (25, 3), (14, 15), (15, 14)]:
        owners = tokenizer.encode(" ".join(["w1"] * first), " ".join(["w2"] * second)).sequence_ids
        assert truncate_lengths(first, second, room) == (owners.count(0), owners.count(1))


def test_a_tokenizer_that_parts_no_texts_is_refused():
    tokenizer = word_pieces()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A", pair="[CLS] $A $B", special_tokens=[("[CLS]", 2)]
    )
    with pytest.raises(ModelError, match="puts no token between two texts"):
        PairTokens(tokenizer, 512)


def test_a_model_without_room_for_two_texts_is_refused():
    with pytest.raises(ModelError, match="reads 4 tokens at once has no room for two texts"):
        PairTokens(word_pieces(), 4)


def test_no_pairs_give_no_rows():
    result = PairTokens(word_pieces(), 512).rows([], [])
    assert result.ids == []
    assert result.unread.shape == result.truncated.shape == (0,)
    assert result.unread.dtype == np.bool_
