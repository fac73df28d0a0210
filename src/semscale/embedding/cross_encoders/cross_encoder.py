"""Cross-encoders on OpenVINO: logits of pairs of texts, without PyTorch."""

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np

from semscale.embedding.cross_encoders.classifier_checkpoint import load_classifier
from semscale.embedding.cross_encoders.classifier_graph import classifier_graph
from semscale.embedding.cross_encoders.pair_logits import PairLogits
from semscale.embedding.cross_encoders.pair_tokens import PairRows, PairTokens
from semscale.embedding.engines.arithmetic import Arithmetic, arithmetic_of, check_precision
from semscale.embedding.engines.batching import arithmetic_batches
from semscale.embedding.engines.content_check import checked_content
from semscale.embedding.engines.finite_output import check_finite
from semscale.embedding.engines.model_files import open_weights
from semscale.embedding.engines.pipeline import Pipeline
from semscale.embedding.engines.runtime import openvino_module
from semscale.embedding.engines.windows import check_tokens, open_tokenizer
from semscale.embedding.texts import checked_texts
from semscale.errors import InputError
from semscale.signature import Signature
from semscale.types import Ids, Integers
from semscale.weights.download_staging import sha256_of


class CrossEncoder:
    """Classifies pairs of texts with a BERT, RoBERTa, XLM-R, DistilBERT or DeBERTa (v2, v3) checkpoint.

    A pair's logits are the same to the last bit whatever other pairs are classified with it.

    Args:
        folder: contains ``config.json``, ``model.safetensors`` and ``tokenizer.json``.
        name: the model's name in the signature.
        sha256: hash that the weights must have, 64 hex digits; that of the file unless given.
        precision: ``exact`` computes in float32, ``fast`` in bfloat16 if the processor supports it.

    Raises:
        InputError: an unknown precision.
        ModelError: the checkpoint cannot be read or run, or is no classifier.

    References:
        Devlin et al. 2019, section 4.1 (classification of pairs), doi:10.18653/v1/N19-1423.
    """

    def __init__(
        self, folder: Path, *, name: str, sha256: str | None = None, precision: str = "exact"
    ) -> None:
        check_precision(precision, name, None)
        self.name = name
        self._checkpoint = load_classifier(folder)
        self._sha256 = sha256 or sha256_of(self._checkpoint.encoder.weights)
        self._arithmetic = arithmetic_of(precision)
        self._pipelines: dict[Arithmetic, Pipeline] = {}

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the classes, as ``config.json`` has them."""
        return self._checkpoint.labels

    @property
    def signature(self) -> Signature:
        """Weights, configuration, tokenizer, precision and the longest input, which decide the numbers."""
        version = openvino_module().__version__.split("-")[0]
        return Signature.of(
            "classify",
            model=f"{self.name}#{self._sha256[:12]}",
            setup=self._checkpoint.encoder.setup_hash,
            engine=f"openvino-{version}",
            precision=str(self._arithmetic),
            longest=self._checkpoint.encoder.max_tokens,
        )

    def logits(self, first: Sequence[str], second: Sequence[str]) -> PairLogits:
        """Classify p pairs of texts, each as it is given.

        Args:
            first: p texts.
            second: p texts.

        Raises:
            InputError: a text is not a string, or the lists differ in length.
            ModelError: the weights are damaged, or have changed since.
        """
        if len(checked_texts(first)) != len(checked_texts(second)):
            raise InputError(f"pairs need two texts each, got {len(first)} and {len(second)} texts")
        rows = self._tokens.rows(first, second)
        values = np.empty((len(first), len(self.labels)), np.float32)
        batches = arithmetic_batches(list(map(len, rows.ids)), self._arithmetic)
        # All batches in one arithmetic are finished before a model for the other one is compiled.
        for arithmetic, alike in groupby(batches, key=itemgetter(0)):
            inputs = ((batch, self._inputs(rows, batch)) for _, batch in alike)
            for batch, output in self._pipeline(arithmetic).run(inputs):
                check_finite(output, str(self._checkpoint.encoder.weights))
                values[batch] = output
        return PairLogits(values, rows.truncated, rows.unread)

    def _inputs(self, rows: PairRows, batch: Integers) -> list[Ids]:
        """Stack the ids of some rows of equal length, and their types where the model reads them."""
        kinds = [rows.ids, rows.types] if self._checkpoint.reads_types else [rows.ids]
        return [np.stack([kind[row] for row in batch]) for kind in kinds]

    @cached_property
    def _tokens(self) -> PairTokens:
        encoder = self._checkpoint.encoder
        tokenizer = open_tokenizer(encoder.tokenizer)
        check_tokens(tokenizer, encoder)
        return PairTokens(tokenizer, encoder.max_tokens)

    def _pipeline(self, arithmetic: Arithmetic) -> Pipeline:
        if arithmetic not in self._pipelines:
            self._pipelines[arithmetic] = self._compiled(arithmetic)
        return self._pipelines[arithmetic]

    def _compiled(self, arithmetic: Arithmetic) -> Pipeline:
        encoder = self._checkpoint.encoder
        with checked_content(encoder.weights, self._sha256) as content:
            graph = classifier_graph(self._checkpoint, open_weights(encoder, content))
            return Pipeline(graph, arithmetic=arithmetic)
