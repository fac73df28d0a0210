"""An encoder in plain NumPy, token by token in float64: the oracle for the engine's graph."""

import numpy as np
from scipy.special import erf

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
    for index, token in enumerate(ids):
        row = weights["embeddings.word_embeddings.weight"][token]
        row = row + weights["embeddings.position_embeddings.weight"][index + shift]
        if "embeddings.token_type_embeddings.weight" in weights:
            row = row + weights["embeddings.token_type_embeddings.weight"][types[index] if types else 0]
        rows.append(row)
    return rows


def slow_states(
    weights: dict, config: dict, ids: list[int], types: list[int] | None = None
) -> list[np.ndarray]:
    """Hidden states (t, hidden) after the embeddings and after every layer."""
    family = config["model_type"]
    distilled = family == "distilbert"
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
        return f"encoder.layer.{layer}.{name}"

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
        attended = np.zeros_like(before)
        for head in range(heads):
            part = slice(head * width, (head + 1) * width)
            for index in range(len(ids)):
                scores = key[:, part] @ query[index, part] / np.sqrt(width)
                shares = np.exp(scores - scores.max())
                attended[index, part] = shares / shares.sum() @ value[:, part]
        after = []
        for index in range(len(ids)):
            mixed = dense(attended[index], inside(layer, "attention.output.dense")) + before[index]
            mixed = norm(mixed, inside(layer, "attention.output.LayerNorm"))
            inner = dense(mixed, inside(layer, "intermediate.dense"))
            outer = dense(gelu(inner), inside(layer, "output.dense"))
            after.append(norm(outer + mixed, inside(layer, "output.LayerNorm")))
        states.append(np.array(after))
    return states
