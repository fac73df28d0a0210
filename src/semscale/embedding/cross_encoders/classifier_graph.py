"""Graphs of sequence classifiers: from the tokens of two texts to one number for each class."""

from typing import TYPE_CHECKING

from semscale.embedding.cross_encoders.classifier_checkpoint import ClassifierCheckpoint, check_head
from semscale.embedding.engines.graph import EncoderGraph
from semscale.embedding.engines.model_files import Weights

if TYPE_CHECKING:
    import openvino


def classifier_graph(checkpoint: ClassifierCheckpoint, weights: Weights) -> "openvino.Model":
    """Build the graph from token ids (b, t), and types where the model reads them, to logits (b, classes).

    Raises:
        ModelError: the weights lack a parameter of the classifier.
    """
    check_head(checkpoint, weights.parameters)
    encoder = EncoderGraph(checkpoint.encoder, weights, typed=checkpoint.reads_types)
    first = encoder.first(encoder.states(checkpoint.encoder.architecture.layers))
    head, parts = checkpoint.head, encoder.parts
    inner = parts.activation(parts.linear(first, [head.dense]), head.activation)
    return encoder.model(parts.linear(inner, [head.output]))
