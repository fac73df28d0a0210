"""Settings of DeBERTa's positions; what the graph makes of them is held by test_openvino.py."""

import pytest

from semscale.embedding.engines.relative_positions import RelativePositions, read_relative_positions
from semscale.errors import UnsupportedModelError

CONFIG = {
    "relative_attention": True,
    "hidden_size": 8,
    "max_position_embeddings": 512,
    "pos_att_type": "p2c|C2P",
}


def test_the_settings_of_deberta_v3_are_read():
    stated = {"position_buckets": 256, "max_relative_positions": -1, "share_att_key": True}
    found = read_relative_positions({**CONFIG, **stated, "norm_rel_ebd": "layer_norm"})
    assert found == RelativePositions(512, 256, frozenset({"c2p", "p2c"}), True, True)
    assert found.projections == ()


def test_only_the_projections_that_are_used_are_asked_for():
    found = read_relative_positions({**CONFIG, "pos_att_type": ["c2p"]})
    assert found.projections == ("pos_key_proj",)


def test_without_buckets_every_distance_up_to_the_furthest_has_a_row():
    rows = RelativePositions(2, 0, frozenset(), True, True).rows(4)
    # Distances -3 to 3; the table has rows for -2 to 1.
    assert rows.tolist() == [0, 0, 1, 2, 3, 3, 3]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"relative_attention": False}, "attention without relative positions"),
        ({"embedding_size": 4}, "of another width"),
        ({"conv_kernel_size": 2}, "a convolution of even width"),
        ({"conv_kernel_size": 3, "conv_groups": 2}, "or in groups"),
        ({"conv_kernel_size": 3, "conv_act": "mish"}, "activation 'mish'"),
    ],
)
def test_what_cannot_be_run_exactly_is_refused(settings, message):
    with pytest.raises(UnsupportedModelError, match=message):
        read_relative_positions(CONFIG | settings)
