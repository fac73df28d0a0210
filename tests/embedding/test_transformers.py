"""The engine beside transformers itself: small random checkpoints of five families, every layer."""

import json

import numpy as np
import pytest
from slow_deberta import DEBERTA_VARIANTS
from tokenizers import Tokenizer

from semscale.embedding.cross_encoders.cross_encoder import CrossEncoder
from semscale.embedding.engines.openvino import OpenVinoEmbedder
from semscale.embedding.engines.relative_positions import RelativePositions
from semscale.embedding.tokens.token_states import TokenEncoder

try:
    import torch
    import transformers
except ImportError:
    torch = transformers = None

pytestmark = pytest.mark.needs("torch")

TEXTS = ["w1 w2 w3", "w4", "w9 w8 w7 w6 w5 w4 w3 w2 w1", "w25 unknown w0"]


VARIANTS = [
    *((family, {}) for family in ("bert", "roberta", "xlm-roberta", "distilbert")),
    *(("deberta-v2", settings) for settings in DEBERTA_VARIANTS),
]


@pytest.mark.parametrize(("family", "settings"), VARIANTS)
def test_every_layer_has_the_states_of_transformers(family, settings, write_checkpoint):
    folder, _ = write_checkpoint(family, **settings)
    pad = json.loads((folder / "config.json").read_text())["pad_token_id"]
    start, end = (1, 2) if pad == 0 else (0, 2)
    model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    encoder = TokenEncoder(OpenVinoEmbedder(folder, name="random"))
    for text in TEXTS:
        inner = [int(word[1:]) + 4 if word[1:].isdigit() else 3 for word in text.split()]
        with torch.no_grad():
            output = model(torch.tensor([[start, *inner, end]]), output_hidden_states=True)
        for layer, expected in enumerate(output.hidden_states):
            ours = encoder.token_states([text], layer=layer)[0]
            np.testing.assert_allclose(ours.states, expected[0].numpy(), atol=2e-5)


@pytest.mark.parametrize(("family", "settings"), VARIANTS)
def test_pairs_have_the_logits_of_transformers(family, settings, write_classifier):
    folder, _ = write_classifier(family, **settings)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    found = CrossEncoder(folder, name="random").logits(TEXTS, TEXTS[::-1])
    for row, pair in enumerate(zip(TEXTS, TEXTS[::-1], strict=True)):
        tokens = tokenizer.encode(*pair)
        given = {"input_ids": torch.tensor([tokens.ids])}
        if family != "distilbert":
            given["token_type_ids"] = torch.tensor([tokens.type_ids])
        with torch.no_grad():
            expected = model(**given).logits[0]
        np.testing.assert_allclose(found.values[row], expected.numpy(), atol=2e-5)


@pytest.mark.parametrize(("buckets", "furthest"), [(256, 512), (8, 24), (32, 128), (6, 100)])
def test_every_distance_has_the_row_of_transformers(buckets, furthest):
    from transformers.models.deberta_v2.modeling_deberta_v2 import build_relative_position

    ours = RelativePositions(furthest, buckets, frozenset(), True, True).rows(furthest)
    tokens = torch.zeros(1, furthest, 1)
    theirs = build_relative_position(tokens, tokens, buckets, furthest)[0]
    # Row i holds the distances i, i - 1, ...; the first column and the first row together hold all.
    distances = torch.cat([theirs[0].flip(0), theirs[1:, 0]]).numpy()
    np.testing.assert_array_equal(ours, np.clip(distances + buckets, 0, 2 * buckets - 1))
