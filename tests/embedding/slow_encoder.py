"""An encoder in plain NumPy, token by token in float64: the oracle for the engine's graph."""

import numpy as np
from scipy.special import erf
from slow_deberta import convolved, distance_scores

SUBSTITUTES = {
    "attention.self.query": "attention.q_lin",
    "attention.self.key": "attention.k_lin",
    "attention.self.value": "attention.v_lin",
    "attention.output.dense": "attention.out_lin",
    "attention.output.LayerNorm": "sa_layer_norm",
    "intermediate.dense": "ffn.lin1",
    "output.dense": "ffn.lin2",
    "output.LayerNorm": "output_layer_norm",
}


def gelu(values: np.ndarray) -> np.ndarray:
    """GELU, Hendrycks and Gimpel 2016."""
    return values * 0.5 * (1 + erf(values / np.sqrt(2)))


def embedded(weights: dict, config: dict, ids: list[int], types: list[int] | None) -> list[np.ndarray]:
    """Sums of the rows for every token's word, position and type."""
    shift = config["pad_token_id"] + 1 if "roberta" in config["model_type"] else 0
    rows = []
    for place, token in enumerate(ids):
        row = weights["embeddings.word_embeddings.weight"][token]
        if config.get("position_biased_input", True):
            row = row + weights["embeddings.position_embeddings.weight"][place + shift]
        if "embeddings.token_type_embeddings.weight" in weights:
            row = row + weights["embeddings.token_type_embeddings.weight"][types[place] if types else 0]
        rows.append(row)
    return rows


def slow_states(
    weights: dict, config: dict, ids: list[int], types: list[int] | None = None
) -> list[np.ndarray]:
    """Hidden states (t, hidden) after the embeddings and after every layer."""
    family = config["model_type"]
    distilled, sees_distances = family == "distilbert", family == "deberta-v2"
    in_float64 = {name: value.astype(np.float64) for name, value in weights.items()}
    epsilon = config.get("layer_norm_eps", 1e-12)
    heads = config["n_heads" if distilled else "num_attention_heads"]

    def parameter(name: str) -> np.ndarray:
        return in_float64[name]

    def norm(row: np.ndarray, name: str) -> np.ndarray:
        scaled = (row - row.mean()) / np.sqrt(((row - row.mean()) ** 2).mean() + epsilon)
        return scaled * parameter(f"{name}.weight") + parameter(f"{name}.bias")

    def dense(row: np.ndarray, name: str) -> np.ndarray:
        return parameter(f"{name}.weight") @ row + parameter(f"{name}.bias")

    def inside(layer: int, name: str) -> str:
        if distilled:
            return f"transformer.layer.{layer}.{SUBSTITUTES[name]}"
        named = sees_distances and name.startswith("attention.self.")
        return f"encoder.layer.{layer}.{name}{'_proj' * named}"

    states = [
        np.array([norm(row, "embeddings.LayerNorm") for row in embedded(in_float64, config, ids, types)])
    ]
    for layer in range(config["n_layers" if distilled else "num_hidden_layers"]):
        before = states[-1]
        query, key, value = (
            np.array([dense(row, inside(layer, f"attention.self.{name}")) for row in before])
            for name in ("query", "key", "value")
        )
        width = before.shape[1] // heads
        kinds = sum(kind in config["pos_att_type"] for kind in ("c2p", "p2c")) if sees_distances else 0
        attended = np.zeros_like(before)
        for head in range(heads):
            part = slice(head * width, (head + 1) * width)
            distances = np.zeros((len(ids), len(ids)))
            if sees_distances:
                distances = distance_scores(in_float64, config, layer, part, query, key)
            for place in range(len(ids)):
                scores = key[:, part] @ query[place, part] + distances[place]
                scores = scores / np.sqrt(width * (1 + kinds))
                shares = np.exp(scores - scores.max())
                attended[place, part] = shares / shares.sum() @ value[:, part]
        after = []
        for place in range(len(ids)):
            mixed = dense(attended[place], inside(layer, "attention.output.dense")) + before[place]
            mixed = norm(mixed, inside(layer, "attention.output.LayerNorm"))
            inner = dense(mixed, inside(layer, "intermediate.dense"))
            outer = dense(gelu(inner), inside(layer, "output.dense"))
            after.append(norm(outer + mixed, inside(layer, "output.LayerNorm")))
        if layer == 0 and config.get("conv_kernel_size", 0):
            beside = gelu(convolved(in_float64, before))
            after = [norm(sum(both), "encoder.conv.LayerNorm") for both in zip(after, beside, strict=True)]
        states.append(np.array(after))
    return states
