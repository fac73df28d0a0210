"""The default engine: vectors beside a reference, precisions, batches, and the checks of its output."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file
from tests.support.slow_encoder import slow_states

from semscale.embedding import openvino
from semscale.embedding.cache import CachedEmbedder, EmbeddingCache
from semscale.embedding.openvino import (
    BLOCK,
    FLOAT32,
    GROUP,
    Arithmetic,
    OpenVinoEmbedder,
    arithmetic_batches,
    arithmetic_note,
    arithmetic_of,
    check_finite,
    check_precision,
    int8_weights,
    multiplies_int8,
    openvino_module,
    padded_batches,
    padded_inputs,
    quantise,
    token_batches,
)
from semscale.embedding.token_states import TokenEncoder
from semscale.errors import InputError, ModelError, PrecisionWarning
from semscale.weights.known import HUB_PROFILES, KNOWN

FAMILIES = ["bert", "roberta", "xlm-roberta", "distilbert"]
TEXTS = ["w1 w2 w3", "w4", "w9 w8 w7 w6 w5 w4 w3 w2 w1", "w1 w2 w3", "w25 unknown w0"]


def token_ids(config: dict, text: str) -> list[int]:
    """The ids of the test tokenizer: three special tokens, [UNK], then w0, w1, ..."""
    start, end = (1, 2) if config["pad_token_id"] == 0 else (0, 2)
    inner = [int(word[1:]) + 4 if word[1:].isdigit() else 3 for word in text.split()]
    return [start, *inner, end]


def load(folder: Path, **settings: str) -> OpenVinoEmbedder:
    return OpenVinoEmbedder(folder, name="random", **settings)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_vector_is_the_mean_state_at_length_1(family, write_checkpoint):
    folder, weights = write_checkpoint(family)
    config = json.loads((folder / "config.json").read_text())
    embeddings = load(folder).embed(TEXTS)
    for text, vector in zip(TEXTS, embeddings.vectors, strict=True):
        mean = slow_states(weights, config, token_ids(config, text))[-1].mean(axis=0)
        np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), atol=1e-5)


def test_cls_pooling_takes_the_first_state(write_checkpoint):
    folder, weights = write_checkpoint("bert")
    modules = [{"type": "sentence_transformers.models.Transformer", "path": ""}]
    modules.append({"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"})
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    pooling = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    config = json.loads((folder / "config.json").read_text())
    first = slow_states(weights, config, token_ids(config, TEXTS[2]))[-1][0]
    vector = load(folder).embed([TEXTS[2]]).vectors[0]
    np.testing.assert_allclose(vector, first / np.linalg.norm(first), atol=1e-5)


@pytest.mark.parametrize("prefix", ["bert.", "model."])
def test_a_prefix_on_every_name_changes_nothing(prefix, write_checkpoint):
    plain, _ = write_checkpoint("bert", seed=3)
    expected = load(plain).embed(TEXTS).vectors
    plain.rename(plain.with_name("plain"))
    prefixed, _ = write_checkpoint("bert", seed=3, prefix=prefix)
    np.testing.assert_array_equal(load(prefixed).embed(TEXTS).vectors, expected)


@pytest.mark.parametrize("precision", ["exact", "fast"])
def test_company_and_order_never_change_a_bit(precision, write_checkpoint):
    embedder = load(write_checkpoint("bert")[0], precision=precision)
    together = embedder.embed(TEXTS).vectors
    for text, vector in zip(TEXTS, together, strict=True):
        np.testing.assert_array_equal(embedder.embed([text]).vectors[0], vector)
    np.testing.assert_array_equal(embedder.embed(TEXTS[::-1]).vectors, together[::-1])


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_padding_never_changes_a_bit(pooling, write_checkpoint):
    folder, _ = write_checkpoint("bert")
    modules = [{"type": "sentence_transformers.models.Pooling", "path": "pooling"}]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "pooling").mkdir()
    settings = {"pooling_mode_cls_token": pooling == "cls", "pooling_mode_mean_tokens": pooling == "mean"}
    (folder / "pooling" / "config.json").write_text(json.dumps(settings))
    embedder = load(folder, precision="fast")
    # 8 to 24 tokens with the special ones: all lengths of two blocks, and the first of the next.
    texts = [" ".join(f"w{(7 * index + n) % 20}" for index in range(n)) for n in range(6, 23)]
    together = embedder.embed(texts).vectors
    for text, vector in zip(texts, together, strict=True):
        np.testing.assert_array_equal(embedder.embed([text]).vectors[0], vector)


def test_a_long_text_is_read_in_windows_and_counted(write_checkpoint):
    embedder = load(write_checkpoint("bert")[0])
    # 24 positions, so 22 words a window; windows share 24 // 4 = 6 tokens, so they begin at words 0, 16, 32.
    tokens = [f"w{index % 20}" for index in range(40)]
    embeddings = embedder.embed([" ".join(tokens), "w1"])
    assert embeddings.windows.tolist() == [3, 1]
    assert embeddings.n_windowed == 1
    pieces = [" ".join(tokens[start : start + 22]) for start in (0, 16, 32)]
    vectors = embedder.embed(pieces).vectors.astype(np.float64)
    # Windows hold 24, 24 and 8 + 2 tokens with their special tokens.
    mean = 24 * vectors[0] + 24 * vectors[1] + 10 * vectors[2]
    np.testing.assert_allclose(embeddings.vectors[0], mean / np.linalg.norm(mean), atol=1e-6)


def test_no_texts_give_no_vectors(write_checkpoint):
    embeddings = load(write_checkpoint("bert")[0]).embed([])
    assert embeddings.vectors.shape == (0, 8)
    assert embeddings.windows.shape == (0,)


def test_progress_reaches_the_number_of_distinct_texts(write_checkpoint):
    seen = []
    load(write_checkpoint("bert")[0]).embed(TEXTS, progress=lambda *call: seen.append(call))
    assert seen[-1] == ("embedding", 4, 4)  # TEXTS holds one text twice


def test_the_signature_states_what_decides_the_numbers(write_checkpoint):
    signature = load(write_checkpoint("roberta")[0]).signature
    names = [name for name, _ in signature.fields]
    assert names == ["model", "setup", "engine", "precision", "pooling", "window"]
    assert (
        "window",
        "22/5",
    ) in signature.fields  # 24 positions less the 2 that RoBERTa keeps; a quarter shared


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model_type": "gpt2"}, "model_type 'gpt2'"),
        ({"hidden_act": "mish"}, "activation 'mish'"),
        ({"position_embedding_type": "relative_key"}, "absolute positions"),
    ],
)
def test_what_cannot_be_run_exactly_is_refused(settings, message, write_checkpoint):
    folder, _ = write_checkpoint("bert", **settings)
    with pytest.raises(ModelError, match=message):
        load(folder)


def test_damaged_weights_are_a_model_error(write_checkpoint):
    folder, _ = write_checkpoint("bert")
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelError, match="model.safetensors cannot be read"):
        load(folder).embed(["w1"])


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_missing_file_is_named(name, write_checkpoint):
    folder, _ = write_checkpoint("bert")
    (folder / name).unlink()
    with pytest.raises(ModelError, match=f"has no {name}"):
        load(folder)


def test_bad_arguments_are_named(write_checkpoint):
    folder, _ = write_checkpoint("bert")
    with pytest.raises(InputError, match="precision must be one of exact, fast, turbo, got 'half'"):
        load(folder, precision="half")
    embedder = load(folder)
    with pytest.raises(InputError, match=r"texts\[1\] must be a string, got int"):
        embedder.embed(["w1", 5])
    with pytest.raises(InputError, match="got one string"):
        embedder.embed("w1")


def test_bfloat16_weights_are_read_as_their_upper_halves(write_checkpoint):
    folder, weights = write_checkpoint("bert")
    rounded = {name: (value.view(np.uint32) >> 16 << 16).view(np.float32) for name, value in weights.items()}
    write_bfloat16(folder / "model.safetensors", weights)
    config = json.loads((folder / "config.json").read_text())
    expected = slow_states(rounded, config, token_ids(config, TEXTS[0]))[-1]
    np.testing.assert_allclose(
        TokenEncoder(load(folder)).token_states(TEXTS[:1], layer=3)[0].states, expected, atol=2e-5
    )


def write_bfloat16(path: Path, weights: dict) -> None:
    """Write the safetensors layout by hand: header length, JSON header, raw little-endian bytes."""
    header, body = {}, b""
    for name, value in weights.items():
        raw = (value.view(np.uint32) >> 16).astype(np.uint16).tobytes()
        header[name] = {
            "dtype": "BF16",
            "shape": value.shape,
            "data_offsets": [len(body), len(body) + len(raw)],
        }
        body += raw
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, sys.byteorder) + text + body)


def test_several_threads_may_share_an_embedder(write_checkpoint):
    embedder = load(write_checkpoint("bert")[0])
    expected = embedder.embed(TEXTS).vectors
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: embedder.embed(TEXTS).vectors, range(24)))
    for vectors in results:
        np.testing.assert_array_equal(vectors, expected)


def test_half_a_surrogate_pair_is_read_as_the_replacement_character(write_checkpoint):
    embedder = load(write_checkpoint("bert")[0])
    vectors = embedder.embed(["w1 \ud83d", "w1 \ufffd"]).vectors
    np.testing.assert_array_equal(vectors[0], vectors[1])


def test_another_tokenizer_is_another_signature(write_checkpoint):
    folder, _ = write_checkpoint("bert")
    before = load(folder).signature
    tokenizer = (folder / "tokenizer.json").read_text().replace('"w25"', '"v25"')
    (folder / "tokenizer.json").write_text(tokenizer)
    assert set(before.differences(load(folder).signature)) == {"setup"}


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("config.json", '{"model_type": "bert"}', "config.json does not have 'hidden_act'"),
        ("modules.json", '[{"path": ""}]', "modules.json has a module without a type"),
        ("modules.json", "{}", "modules.json does not contain a list"),
        ("sentence_bert_config.json", '{"do_lower_case": true}', "sets do_lower_case"),
        (
            "config_sentence_transformers.json",
            '{"default_prompt_name": "query"}',
            "names the default prompt 'query'",
        ),
    ],
)
def test_a_damaged_or_foreign_setting_is_named(file, content, message, write_checkpoint):
    folder, _ = write_checkpoint("bert")
    (folder / file).write_text(content)
    with pytest.raises(ModelError, match=message):
        load(folder)


def test_a_damaged_tokenizer_is_a_model_error(write_checkpoint):
    folder, _ = write_checkpoint("bert")
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="tokenizer.json cannot be read"):
        load(folder).embed(["w1"])


def test_weights_of_another_shape_are_refused(write_checkpoint):
    folder, _ = write_checkpoint("bert", hidden_size=16)
    with pytest.raises(ModelError, match=r"has shape \(30, 8\), config.json asks for \(30, 16\)"):
        load(folder).embed(["w1"])


@pytest.mark.parametrize(
    "name", ["embeddings.word_embeddings.weight", "encoder.layer.0.intermediate.dense.bias"]
)
def test_scalar_weight_instead_of_a_table_is_refused(name, write_checkpoint):
    folder, _ = write_checkpoint("bert")
    weights = folder / "model.safetensors"
    save_file({**load_file(weights), name: np.array(1.0, np.float32)}, weights)
    with pytest.raises(ModelError, match=r"has shape \(.*\), config.json asks for"):
        load(folder).embed(["w1"])


@pytest.mark.exhaustive
def test_roberta_without_a_padding_id_counts_positions_from_two(write_checkpoint):
    stated, _ = write_checkpoint("roberta", seed=5)
    expected = load(stated).embed(TEXTS).vectors
    config = json.loads((stated / "config.json").read_text())
    del config["pad_token_id"]
    (stated / "config.json").write_text(json.dumps(config))
    np.testing.assert_array_equal(load(stated).embed(TEXTS).vectors, expected)


def test_weights_that_changed_unseen_give_no_vector_and_enter_no_cache(write_checkpoint, tmp_path):
    folder, _ = write_checkpoint("bert", seed=11)
    embedder = load(folder)
    path = folder / "model.safetensors"
    seen, content = path.stat(), bytearray(path.read_bytes())
    content[-300:] = bytes(300)
    path.write_bytes(content)
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))  # same size, same time: only the hash tells
    cached = CachedEmbedder(embedder, EmbeddingCache(tmp_path / "cache"))
    with pytest.raises(ModelError, match=r"model\.safetensors has SHA-256 .*damaged or was changed"):
        cached.embed(["w1 w2"])
    assert cached.cache.store.info().entries == 0
    cached.cache.close()


def test_weights_cut_off_are_named_as_damaged(write_checkpoint):
    folder, _ = write_checkpoint("bert", seed=12)
    embedder = load(folder)
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ModelError, match="damaged or was changed"):
        embedder.embed(["w1 w2"])


@pytest.mark.parametrize(
    ("bfloat16", "int8", "exact", "fast", "turbo"),
    [
        (True, {"bf16", "f32"}, "float32", "bfloat16", "int8/128+bfloat16"),
        (True, {"f32"}, "float32", "bfloat16", "bfloat16"),  # AMX: bfloat16 is faster there
        (False, {"f32"}, "float32", "float32", "int8/128+float32"),
        (False, set(), "float32", "float32", "float32"),
    ],
)
def test_a_precision_is_what_the_processor_computes(monkeypatch, bfloat16, int8, exact, fast, turbo):
    monkeypatch.setattr(openvino, "has_bfloat16", lambda: bfloat16)
    monkeypatch.setattr(openvino, "multiplies_int8", int8.__contains__)
    result = [str(arithmetic_of(precision)) for precision in ("exact", "fast", "turbo")]
    assert result == [exact, fast, turbo]


@pytest.mark.parametrize(
    ("bfloat16", "precision", "sentence"),
    [
        (True, "turbo", "turbo is computed in bfloat16, as fast: OpenVINO multiplies no 8-bit integers"),
        (False, "turbo", "turbo is computed in float32, as exact: OpenVINO multiplies no 8-bit integers"),
        (False, "fast", "fast is computed in float32, as exact: this processor has no bfloat16"),
    ],
)
def test_a_slower_arithmetic_than_the_precision_stands_for_is_said(
    monkeypatch, write_checkpoint, bfloat16, precision, sentence
):
    monkeypatch.setattr(openvino, "has_bfloat16", lambda: bfloat16)
    monkeypatch.setattr(openvino, "multiplies_int8", lambda floats: False)
    folder, _ = write_checkpoint("bert")
    with pytest.warns(PrecisionWarning, match=sentence):
        load(folder, precision=precision, profile=KNOWN["e5-small"].profile)


def test_nothing_is_said_of_a_precision_that_is_computed_as_it_is_named(monkeypatch):
    monkeypatch.setattr(openvino, "has_bfloat16", lambda: False)
    assert not arithmetic_note("exact", FLOAT32)
    assert not arithmetic_note("fast", Arithmetic(bfloat16=True))
    assert not arithmetic_note("turbo", Arithmetic(bfloat16=True, int8=True))
    partly = arithmetic_note("turbo", Arithmetic(int8=True))
    assert partly == "turbo is computed in float32, besides 8-bit integers: this processor has no bfloat16"


def test_settings_name_type_and_group():
    assert Arithmetic().settings == {"INFERENCE_PRECISION_HINT": "f32"}
    assert Arithmetic(bfloat16=True, int8=True).settings == {
        "INFERENCE_PRECISION_HINT": "bf16",
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": 128,
    }


def test_turbo_is_for_the_models_it_was_measured_for():
    check_precision("turbo", "e5-small", KNOWN["e5-small"].profile)
    other_profiles = {
        name: model.profile for name, model in KNOWN.items() if name != "e5-small"
    } | HUB_PROFILES
    for name, profile in [*other_profiles.items(), ("somebody/something", None)]:
        with pytest.raises(InputError) as caught:
            check_precision("turbo", name, profile)
        refusal = f"was measured for e5-small only, got {name}: use"
        assert str(caught.value) == f"precision='turbo' {refusal} precision='fast'"
        check_precision("fast", name, profile)


@given(st.lists(st.integers(0, 40), max_size=60), st.integers(1, 100))
def test_every_row_is_in_a_batch_of_its_length_within_the_budget(lengths, budget):
    rows = np.array(lengths, np.int64)
    batches = token_batches(rows, budget)
    assert sorted(np.concatenate([[], *batches]).tolist()) == list(range(len(lengths)))
    for batch in batches:
        assert len(set(rows[batch].tolist())) == 1
        assert len(batch) == 1 or rows[batch].sum() <= budget or rows[batch[0]] == 0
    first = [int(rows[batch[0]]) for batch in batches]
    assert first == sorted(first, reverse=True)


def test_a_batch_is_as_full_as_the_budget_allows():
    # 3 rows of 4 tokens in 12; the fourth begins another batch.
    assert [len(batch) for batch in token_batches(np.full(7, 4), budget=13)] == [3, 3, 1]


@given(st.lists(st.integers(1, 40), max_size=60), st.integers(40, 100))
def test_a_padded_batch_has_rows_of_one_block_of_lengths_within_the_budget(lengths, budget):
    rows = np.array(lengths, np.int64)
    batches = padded_batches(rows, budget)
    assert sorted(np.concatenate([[], *batches]).tolist()) == list(range(len(lengths)))
    for batch in batches:
        assert len(set((rows[batch] // BLOCK).tolist())) == 1
        assert len(batch) * rows[batch].max() <= budget
    first = [int(rows[batch[0]]) for batch in batches]
    assert first == sorted(first, reverse=True)
    # No more batches than rows of one length alone need.
    assert len(batches) <= len(token_batches(rows, budget))


def test_full_batches_have_no_padding():
    # Three rows of 9 fill a budget of 27; the fourth shares a batch with the row of 12, not with that of 16.
    batches = padded_batches(np.array([9, 9, 12, 9, 16, 9]), budget=27)
    assert [batch.tolist() for batch in batches] == [[4], [2, 5], [0, 1, 3]]


def test_padded_rows_have_a_mask_and_the_places_of_their_tokens():
    ids, mask, places, starts = padded_inputs([np.array([5, 6, 7], np.int32), np.array([8], np.int32)])
    assert ids.tolist() == [[5, 6, 7], [8, 0, 0]]
    assert mask.tolist() == [[[[0, 0, 0]]], [[[0, -np.inf, -np.inf]]]]
    assert (places.tolist(), starts.tolist()) == ([0, 1, 2, 3], [0, 3])


def test_rows_of_less_than_8_tokens_are_in_float32_and_come_first():
    turbo = Arithmetic(bfloat16=True, int8=True)
    result = [(item, rows.tolist()) for item, rows in arithmetic_batches([8, 7, 20, 7, 3], turbo)]
    assert result == [(FLOAT32, [1, 3]), (FLOAT32, [4]), (turbo, [2]), (turbo, [0])]
    assert [rows.tolist() for _, rows in arithmetic_batches([8, 3], FLOAT32)] == [[0], [1]]


_MESSAGE = r"model\.safetensors gives vectors that are not finite: its weights are damaged; fetch the model"


@pytest.fixture
def damaged(write_checkpoint):
    """Give a model of which one weight that every text passes is NaN."""
    folder, _ = write_checkpoint("bert")
    weights = load_file(folder / "model.safetensors")
    name = "encoder.layer.0.output.dense.bias"
    weights[name] = weights[name].copy()
    weights[name][0] = np.nan
    save_file(weights, folder / "model.safetensors")
    return OpenVinoEmbedder(folder, name="damaged")


def test_vectors_of_damaged_weights_are_refused_and_not_cached(damaged, cache):
    with pytest.raises(ModelError, match=_MESSAGE):
        CachedEmbedder(damaged, cache).embed(["w1 w2", "w3"])
    with pytest.raises(ModelError, match=_MESSAGE):  # and not read from the cache
        CachedEmbedder(damaged, cache).embed(["w1 w2"])


def test_states_of_tokens_are_refused_alike(damaged):
    with pytest.raises(ModelError, match=_MESSAGE):
        list(damaged.run_layer([(None, [np.array([1, 5, 2], np.int32)])], layer=1))


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_non_finite_vectors_are_refused(number):
    check_finite(np.array([[1.0, 3e38]]), "m")
    with pytest.raises(ModelError, match="^m gives vectors that are not finite"):
        check_finite(np.array([[1.0, number]]), "m")


NEEDS_INT8 = pytest.mark.skipif(
    not multiplies_int8("f32"), reason="this processor does not multiply in 8-bit integers"
)


def compiled_product(weights: np.ndarray, arithmetic: Arithmetic):
    """Compile ``x -> x @ weights.T`` for x of shape (b, t, inputs)."""
    op = openvino_module().opset13
    inputs = op.parameter([-1, -1, weights.shape[1]], np.float32)
    product = op.matmul(inputs, int8_weights(weights), False, True)
    graph = openvino_module().Model([product], [inputs], "product")
    compiled = openvino_module().Core().compile_model(graph, "CPU", arithmetic.settings)
    return lambda values: compiled([values])[0].copy()


def rounded(values: np.ndarray, width: int) -> np.ndarray:
    """Round each ``width`` neighbours of a row to whole steps, 127 of which are their largest magnitude."""
    groups = values.astype(float).reshape(*values.shape[:-1], -1, width)
    steps = np.abs(groups).max(axis=-1, keepdims=True) / 127
    return (np.rint(groups / steps) * steps).reshape(values.shape)


def test_a_rows_largest_number_becomes_127():
    # Row 0 has steps of 2.54 / 127 = .02: -1.27 is -63.5 steps, which rounds to the even -64. Row 1 has steps
    # of 1 / 127: .5 is 63.5 of them.
    integers, scales = quantise(np.array([[2.54, -1.27, 0.011], [-1, 0.5, 0], [0, 0, 0]], np.float32))
    assert integers.tolist() == [[127, -64, 1], [-127, 64, 0], [0, 0, 0]]
    np.testing.assert_allclose(scales, [[0.02], [1 / 127], [0]], rtol=1e-6)


@NEEDS_INT8
def test_weights_are_rounded_by_row_and_inputs_by_group():
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(48, 3 * GROUP)).astype(np.float32)
    inputs = (rng.normal(size=(2, 5, 3 * GROUP)) * rng.uniform(0.1, 9, 3 * GROUP)).astype(np.float32)
    result = compiled_product(weights, Arithmetic(int8=True))(inputs)
    expected = rounded(inputs, GROUP) @ rounded(weights, 3 * GROUP).T
    scale = np.abs(expected).max()
    np.testing.assert_allclose(result, expected, atol=1e-4 * scale)
    # Rounding is what was tested: without that of the inputs or of the weights, the product is another.
    for other in (inputs @ rounded(weights, 3 * GROUP).T, rounded(inputs, GROUP) @ weights.T):
        assert np.abs(result - other).max() > 1e-3 * scale


@NEEDS_INT8
@pytest.mark.parametrize("bfloat16", [False, True])
def test_company_never_changes_a_bit_of_a_rows_product(bfloat16):
    if bfloat16 and not multiplies_int8("bf16"):
        pytest.skip("this processor does not multiply in 8-bit integers beside bfloat16")
    rng = np.random.default_rng(1)
    product = compiled_product(
        rng.normal(size=(384, 384)).astype(np.float32), Arithmetic(bfloat16=bfloat16, int8=True)
    )
    rows = rng.normal(size=(70, 7, 384)).astype(np.float32)
    together = product(rows)
    for size in (1, 2, 3, 9, 32, 64):
        parts = [product(rows[start : start + size]) for start in range(0, len(rows), size)]
        np.testing.assert_array_equal(np.concatenate(parts), together)


def test_a_processor_limited_to_avx2_does_not_multiply_in_integers():
    asked = "from semscale.embedding.openvino import multiplies_int8 as ask; print(ask('bf16'))"
    limited = os.environ | {"ONEDNN_MAX_CPU_ISA": "AVX2"}
    ended = subprocess.run([sys.executable, "-c", asked], env=limited, capture_output=True, check=True)
    assert ended.stdout.split() == [b"False"]


SCRIPT = """
import os
from semscale.embedding.openvino import openvino_module
forks = []
os.register_at_fork(before=lambda: forks.append(1))
module = openvino_module()
import sys
print(hasattr(module, "Core"), "openvino_telemetry" in sys.modules, len(forks))
"""


def test_importing_openvino_reports_nothing(tmp_path):
    # OpenVINO itself is silent where CI is set, so the test must not be.
    environment = {name: value for name, value in os.environ.items() if name != "CI"} | {
        "HOME": str(tmp_path)
    }
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    assert ended.stdout.split() == ["True", "False", "0"]
    assert list(tmp_path.iterdir()) == []


try:
    import torch
    import transformers
except ImportError:
    torch = transformers = None

SENTENCES = ["w1 w2 w3", "w4", "w9 w8 w7 w6 w5 w4 w3 w2 w1", "w25 unknown w0"]


@pytest.mark.needs("torch")
@pytest.mark.parametrize("family", ["bert", "roberta", "xlm-roberta", "distilbert"])
def test_every_layer_has_the_states_of_transformers(family, write_checkpoint):
    folder, _ = write_checkpoint(family)
    pad = json.loads((folder / "config.json").read_text())["pad_token_id"]
    start, end = (1, 2) if pad == 0 else (0, 2)
    model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    encoder = TokenEncoder(OpenVinoEmbedder(folder, name="random"))
    for text in SENTENCES:
        inner = [int(word[1:]) + 4 if word[1:].isdigit() else 3 for word in text.split()]
        with torch.no_grad():
            output = model(torch.tensor([[start, *inner, end]]), output_hidden_states=True)
        for layer, expected in enumerate(output.hidden_states):
            actual = encoder.token_states([text], layer=layer)[0]
            np.testing.assert_allclose(actual.states, expected[0].numpy(), atol=2e-5)
