"""Reading of an encoder's ``model.safetensors`` into float32 arrays, under BERT's names for every family."""

import re
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from semscale.embedding.engines.checkpoint import Architecture, Checkpoint
from semscale.embedding.engines.relative_positions import RelativePositions
from semscale.embedding.engines.safetensors_file import read_tensors
from semscale.errors import ModelError

WORDS = "embeddings.word_embeddings.weight"
"""The parameter with one row for each token of the vocabulary."""

TYPES = "embeddings.token_type_embeddings.weight"
"""The parameter with one row for each type of token, the first for those of a single text."""

DISTANCES = "encoder.rel_embeddings.weight"
"""DeBERTa's parameter with one row for each distance between two tokens."""

Parameters = Mapping[str, npt.NDArray[np.float32]]

# Replacements that turn other families' parameter names into BERT's.
_RENAMES = (
    (r"^(bert|roberta|xlm_roberta|distilbert|deberta|model|0\.auto_model)\.", ""),
    (r"^transformer\.layer\.", "encoder.layer."),
    (r"\.attention\.self\.(query|key|value)_proj\.", r".attention.self.\1."),
    (r"\.attention\.q_lin\.", ".attention.self.query."),
    (r"\.attention\.k_lin\.", ".attention.self.key."),
    (r"\.attention\.v_lin\.", ".attention.self.value."),
    (r"\.attention\.out_lin\.", ".attention.output.dense."),
    (r"\.sa_layer_norm\.", ".attention.output.LayerNorm."),
    (r"\.ffn\.lin1\.", ".intermediate.dense."),
    (r"\.ffn\.lin2\.", ".output.dense."),
    (r"\.output_layer_norm\.", ".output.LayerNorm."),
    (r"\.gamma$", ".weight"),
    (r"\.beta$", ".bias"),
)


def load_weights(checkpoint: Checkpoint, content: bytearray) -> Parameters:
    """Read a checkpoint's parameters as float32 arrays, with BERT's names for every family.

    Args:
        checkpoint: whose weights they are.
        content: of its file of weights.

    Raises:
        ModelError: the file is damaged or lacks a parameter of the architecture.
    """
    tensors = read_tensors(content, checkpoint.weights)
    weights = {canonical_name(name): tensor for name, tensor in tensors.items()}
    _check_shapes(weights, checkpoint)
    return weights


def _check_shapes(weights: Parameters, checkpoint: Checkpoint) -> None:
    for name, shape in _shapes(weights, checkpoint.architecture).items():
        if name not in weights:
            raise ModelError(f"{checkpoint.weights} lacks {name}, which config.json asks for")
        found = weights[name].shape
        if found != shape:
            raise ModelError(f"{checkpoint.weights}: {name} has shape {found}, config.json asks for {shape}")


def _shapes(weights: Parameters, architecture: Architecture) -> dict[str, tuple[int, ...]]:
    """Return every parameter's required shape; the tables' lengths and the inner width are taken as found."""
    hidden = architecture.hidden
    shapes: dict[str, tuple[int, ...]] = {}
    tables = [WORDS, *(["embeddings.position_embeddings.weight"] if architecture.has_positions else [])]
    for table in tables:
        shapes[table] = (_length(weights, table), hidden)
    norms = ["embeddings.LayerNorm"]
    relative = architecture.relative
    if relative is not None:
        shapes |= _relative_shapes(relative, hidden)
        norms += ["encoder.LayerNorm"] * relative.is_normed
        norms += ["encoder.conv.LayerNorm"] * (relative.convolution is not None)
    for layer in range(architecture.layers):
        prefix = f"encoder.layer.{layer}."
        inner = _length(weights, prefix + "intermediate.dense.bias")
        attended = ("query", "key", "value", *(relative.projections if relative else ()))
        square = [f"attention.self.{name}" for name in attended] + ["attention.output.dense"]
        denses = {**dict.fromkeys(square, (hidden, hidden)), "intermediate.dense": (inner, hidden)}
        for name, shape in {**denses, "output.dense": (hidden, inner)}.items():
            shapes |= {f"{prefix}{name}.weight": shape, f"{prefix}{name}.bias": shape[:1]}
        norms += [prefix + "attention.output.LayerNorm", prefix + "output.LayerNorm"]
    for norm in norms:
        shapes |= {f"{norm}.weight": (hidden,), f"{norm}.bias": (hidden,)}
    return shapes


def _relative_shapes(relative: RelativePositions, hidden: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of what DeBERTa's encoder has beside its layers, but for its norms."""
    shapes: dict[str, tuple[int, ...]] = {DISTANCES: (2 * relative.span, hidden)}
    if relative.convolution is not None:
        shapes["encoder.conv.conv.weight"] = (hidden, hidden, relative.convolution.width)
        shapes["encoder.conv.conv.bias"] = (hidden,)
    return shapes


def _length(weights: Parameters, name: str) -> int:
    """Return the length of a parameter's first dimension; 0 if it lacks or is a single number."""
    return len(weights[name]) if name in weights and weights[name].ndim else 0


def position_table(
    parameters: Parameters, architecture: Architecture, *, typed: bool = False
) -> npt.NDArray[np.float32] | None:
    """Return what each place adds to its word, (positions, hidden) or (1, hidden); ``None`` for nothing.

    Args:
        parameters: of the encoder.
        architecture: of the encoder.
        typed: whether the types of the tokens are added elsewhere; all are of the first type unless they are.
    """
    table = None
    if architecture.has_positions:
        table = parameters["embeddings.position_embeddings.weight"][architecture.first_position :]
    types = parameters.get(TYPES)
    if types is None or typed:
        return table
    found: npt.NDArray[np.float32] = types[:1] + (0 if table is None else table)
    return found


def canonical_name(name: str) -> str:
    """Translate a parameter's name into BERT's.

    Example:
        >>> canonical_name("distilbert.transformer.layer.3.attention.q_lin.weight")
        'encoder.layer.3.attention.self.query.weight'
    """
    for pattern, replacement in _RENAMES:
        name = re.sub(pattern, replacement, name)
    return name
