"""Each text is read right, however texts are grouped, layers mixed and states kept."""

import numpy as np
import pytest

from semscale.drift.scoring import TextReadings
from semscale.embedding.cache import StateCache, rounded
from semscale.embedding.loading import load_token_encoder

TEXTS = [
    *("No.", "It is safe.", "Nobody knows why, and nobody asks.", "Give 5 mg once a day, not twice."),
    *("The left lung is clear.", "word " * 700, "", "It is not safe.", "Cells stay small.", "Yes, at once."),
]
GROUPS = [np.array(group, np.int64) for group in ([0, 5], [], [7, 2, 1], [3], [8, 9, 4], [6, 0])]


@pytest.mark.exhaustive
@pytest.mark.parametrize("precision", ["exact", "fast"])
@pytest.mark.parametrize("layers", [[6], [2, 6]])
def test_groups_layers_and_the_disk_change_no_state(layers, precision, tmp_path):
    encoder = load_token_encoder("all-MiniLM-L6-v2", precision=precision)
    expected = {
        layer: [rounded(each.states) for each in encoder.token_states(TEXTS, layer=layer)] for layer in layers
    }
    cache = StateCache(tmp_path)
    for kept in (None, cache, cache):  # without, filling, reading
        readings = TextReadings(encoder, layers, TEXTS, cache=kept, keep=len(TEXTS))
        readings.hold(np.array([1, 4]))
        found = list(readings.read(GROUPS))
        assert sorted(text for text, _ in found) == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
        for text, states in found:
            for layer, own in zip(layers, states, strict=True):
                np.testing.assert_array_equal(own, expected[layer][text])
    cache.close()
