"""The engine beside transformers itself: small random checkpoints of four families, every layer."""

import json

import numpy as np
import pytest

from semscale.embedding.openvino import OpenVinoEmbedder
from semscale.embedding.token_states import TokenEncoder

try:
    import torch
    import transformers
except ImportError:
    torch = transformers = None

pytestmark = pytest.mark.needs("torch")

TEXTS = ["w1 w2 w3", "w4", "w9 w8 w7 w6 w5 w4 w3 w2 w1", "w25 unknown w0"]


@pytest.mark.parametrize("family", ["bert", "roberta", "xlm-roberta", "distilbert"])
def test_every_layer_has_the_states_of_transformers(family, write_checkpoint):
    folder, _ = write_checkpoint(family)
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
