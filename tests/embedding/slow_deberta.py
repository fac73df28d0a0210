"""DeBERTa's attention and convolution in plain NumPy, pair of tokens by pair: an oracle for the graph's."""

from math import ceil, log

import numpy as np

DEBERTA_VARIANTS = [
    {},
    {"share_att_key": False},
    {"share_att_key": False, "pos_att_type": "c2p", "norm_rel_ebd": "none"},
    {"pos_att_type": ["p2c"], "position_biased_input": True, "type_vocab_size": 2},
    {"position_buckets": -1, "max_relative_positions": 5},
    {"conv_kernel_size": 3, "conv_act": "gelu"},
]


def distance_row(config: dict, distance: int) -> int:
    """Row of the table for a distance: near ones have their own, farther ones one for each bucket."""
    reach = config["max_relative_positions"]
    furthest = reach if reach > 0 else config["max_position_embeddings"]
    buckets = config["position_buckets"]
    if buckets <= 0:
        return min(max(distance + furthest, 0), 2 * furthest - 1)
    middle, away = buckets // 2, abs(distance)
    if away > middle:
        bucket = middle + ceil(log(away / middle) / log((furthest - 1) / middle) * (middle - 1))
        distance = bucket if distance > 0 else -bucket
    return min(max(distance + buckets, 0), 2 * buckets - 1)


def distance_scores(weights: dict, config: dict, layer: int, head: slice, query, key) -> np.ndarray:
    """Scores of every pair of tokens by their distance, (t, t), not yet scaled.

    Args:
        weights: parameters by name, in float64.
        config: the model's.
        layer: from 0.
        head: columns of the head.
        query: (t, hidden), of the contents.
        key: likewise.
    """
    table = weights["encoder.rel_embeddings.weight"]
    if config["norm_rel_ebd"] == "layer_norm":
        centred = table - table.mean(axis=1, keepdims=True)
        table = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + config["layer_norm_eps"])
        table = table * weights["encoder.LayerNorm.weight"] + weights["encoder.LayerNorm.bias"]

    def projected(own: str, shared: str) -> np.ndarray:
        name = f"encoder.layer.{layer}.attention.self.{shared if config['share_att_key'] else own}"
        return (table @ weights[f"{name}.weight"].T + weights[f"{name}.bias"])[:, head]

    scores = np.zeros((len(query), len(query)))
    for one in range(len(query)):
        for other in range(len(query)):
            if "c2p" in config["pos_att_type"]:
                row = projected("pos_key_proj", "key_proj")[distance_row(config, one - other)]
                scores[one, other] += query[one, head] @ row
            if "p2c" in config["pos_att_type"]:
                row = projected("pos_query_proj", "query_proj")[distance_row(config, one - other)]
                scores[one, other] += key[other, head] @ row
    return scores


def convolved(weights: dict, embeddings: np.ndarray) -> np.ndarray:
    """Sum the neighbours of every token through one matrix for each place, (t, hidden)."""
    kernel, bias = weights["encoder.conv.conv.weight"], weights["encoder.conv.conv.bias"]
    side = kernel.shape[2] // 2
    rows = []
    for place in range(len(embeddings)):
        row = bias.copy()
        for step in range(-side, side + 1):
            if 0 <= place + step < len(embeddings):
                row += kernel[:, :, step + side] @ embeddings[place + step]
        rows.append(row)
    return np.array(rows)
