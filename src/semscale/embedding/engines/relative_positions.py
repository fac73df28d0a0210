"""Relative positions of DeBERTa-v2 and v3: which row of a table stands for the distance of two tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from semscale.embedding.engines.activations import Activation, activation_of
from semscale.errors import UnsupportedModelError
from semscale.types import Ids, Integers

KEYS, QUERIES = "c2p", "p2c"
"""Kinds of attention to positions: from a token's content to a distance, and from a distance to content."""


_PROJECTIONS = {KEYS: "pos_key_proj", QUERIES: "pos_query_proj"}


@dataclass(frozen=True)
class ShortConvolution:
    """A convolution over neighbouring tokens, beside the first layer (DeBERTa-v2 only).

    Attributes:
        width: tokens that it reads at once, an odd number.
        activation: the function applied to it.
    """

    width: int
    activation: Activation


@dataclass(frozen=True)
class RelativePositions:
    """How an encoder sees the distance of two tokens.

    Attributes:
        furthest: distances beyond it count as it.
        buckets: rows of the table for each direction; near distances have a row each, farther ones share rows
            that grow with the logarithm. 0 where every distance has its own row.
        kinds: which of ``KEYS`` and ``QUERIES`` are attended to.
        shares_projections: whether positions are projected by the matrices of the content.
        is_normed: whether the table's rows are normalised first.
        convolution: ``None`` where there is none.

    References:
        He et al. 2021, DeBERTa, sections 3.1 and 3.2 (disentangled attention), arXiv:2006.03654; buckets and
        the convolution: its appendix on DeBERTa-v2.
    """

    furthest: int
    buckets: int
    kinds: frozenset[str]
    shares_projections: bool
    is_normed: bool
    convolution: ShortConvolution | None = None

    @property
    def span(self) -> int:
        """Rows of the table for each direction."""
        return self.buckets or self.furthest

    @property
    def projections(self) -> tuple[str, ...]:
        """Names of the matrices by which positions are projected, as a layer's attention has them."""
        if self.shares_projections:
            return ()
        return tuple(name for kind, name in _PROJECTIONS.items() if kind in self.kinds)

    def rows(self, positions: int) -> Ids:
        """Give the table's row of each distance between two tokens.

        Args:
            positions: the most tokens that the model reads at once.

        Returns:
            Shape (2 * positions - 1,), for distances from ``1 - positions`` to ``positions - 1``.

        Example:
            >>> RelativePositions(16, 4, frozenset(), True, True).rows(5).tolist()
            [1, 1, 2, 3, 4, 5, 6, 7, 7]
        """
        distances = np.arange(1 - positions, positions)
        if self.buckets:
            distances = self._bucket(distances)
        return np.clip(distances + self.span, 0, 2 * self.span - 1).astype(np.int32)

    def _bucket(self, distances: Integers) -> Integers:
        """Give near distances as they are, and the number of the bucket of farther ones."""
        middle = self.buckets // 2
        away = np.abs(distances)
        far = np.maximum(away, middle).astype(np.float32) / np.float32(middle)
        # In float32, as the model was trained: at a bucket's edge the last digit decides.
        share = np.log(far) / np.log(np.float32((self.furthest - 1) / middle))
        bucket = np.ceil(share * np.float32(middle - 1)).astype(np.int64) + middle
        return np.where(away <= middle, distances, np.sign(distances) * bucket)


def read_relative_positions(config: Mapping[str, Any]) -> RelativePositions:
    """Read how a DeBERTa-v2 or v3 checkpoint sees distances from its ``config.json``.

    Raises:
        UnsupportedModelError: the settings cannot be run exactly.
        KeyError, TypeError, ValueError: a setting is missing, or is no number.
    """
    if not config.get("relative_attention"):
        raise UnsupportedModelError("attention without relative positions cannot be run")
    if config.get("embedding_size", config["hidden_size"]) != config["hidden_size"]:
        raise UnsupportedModelError("a table of words of another width than the hidden states cannot be run")
    stated = config.get("pos_att_type") or ()
    kinds = stated.lower().split("|") if isinstance(stated, str) else stated
    furthest = int(config.get("max_relative_positions", -1))
    return RelativePositions(
        furthest=furthest if furthest > 0 else int(config["max_position_embeddings"]),
        buckets=max(0, int(config.get("position_buckets", -1))),
        kinds=frozenset(str(kind).strip() for kind in kinds) & {KEYS, QUERIES},
        shares_projections=bool(config.get("share_att_key", False)),
        is_normed="layer_norm" in str(config.get("norm_rel_ebd", "none")).lower(),
        convolution=_convolution(config),
    )


def _convolution(config: Mapping[str, Any]) -> ShortConvolution | None:
    width = int(config.get("conv_kernel_size", 0))
    if width <= 0:
        return None
    if width % 2 == 0 or int(config.get("conv_groups", 1)) != 1:
        raise UnsupportedModelError("a convolution of even width, or in groups, cannot be run")
    return ShortConvolution(width, activation_of(config.get("conv_act", "tanh")))
