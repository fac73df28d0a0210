"""DeBERTa's disentangled attention as a part of a graph: scores of contents with distances."""

from functools import cached_property

import numpy as np
import numpy.typing as npt

from semscale.embedding.engines.checkpoint import Architecture
from semscale.embedding.engines.checkpoint_weights import DISTANCES
from semscale.embedding.engines.graph_parts import GraphParts, Node
from semscale.embedding.engines.relative_positions import KEYS, QUERIES, RelativePositions

_Table = npt.NDArray[np.float32]


class RelativeAttention:
    """Scores of tokens' contents with the distances between tokens.

    A query's product is taken with the projected row of each distance that occurs between t tokens, 2t - 1 of
    them, and not with all rows of the table. The row of products is then shifted from token to token, so that
    entry (i, j) has the product with distance i - j.

    Args:
        parts: of the graph.
        architecture: of the encoder; it has relative positions.
        relative: these.
        length: tokens in each row, shape (1,).

    References:
        He et al. 2021, DeBERTa, equations 4 to 6, arXiv:2006.03654. The shift: Dai et al. 2019,
        Transformer-XL, appendix B, doi:10.18653/v1/P19-1285.
    """

    def __init__(
        self, parts: GraphParts, architecture: Architecture, relative: RelativePositions, length: Node
    ) -> None:
        self._parts = parts
        self._op = parts.op
        self._shape = architecture
        self._relative = relative
        self._length = length

    @property
    def scale(self) -> float:
        """What each of the summed scores is multiplied by: 1 / sqrt(width of a head times their number)."""
        width = self._shape.hidden // self._shape.heads
        return float((width * (1 + len(self._relative.kinds))) ** -0.5)

    def scores(self, query: Node, key: Node, prefix: str) -> list[Node]:
        """Return the scores to be added to those of the contents, each (b, heads, t, t).

        Args:
            query: (b, heads, t, width), multiplied by ``scale``.
            key: (b, heads, t, width), as projected.
            prefix: of the layer's parameters, up to its attention.
        """
        found, axis = [], self._parts.integers(2)
        if KEYS in self._relative.kinds:
            near = self._projected(prefix, "pos_key_proj", "key")
            found.append(self._shifted(query, self._op.gather(near, self._descending, axis)))
        if QUERIES in self._relative.kinds:
            near = self._projected(prefix, "pos_query_proj", "query", factor=self.scale)
            by_key = self._shifted(key, self._op.gather(near, self._ascending, axis))
            found.append(self._op.transpose(by_key, self._parts.integers([0, 1, 3, 2])))
        return found

    def _projected(self, prefix: str, own: str, shared: str, *, factor: float = 1.0) -> Node:
        """Project the rows of distances by a layer's matrix: a constant (1, heads, rows, width)."""
        name = f"{prefix}attention.self.{shared if self._relative.shares_projections else own}"
        parameters = self._parts.parameters
        rows = self._distances @ parameters[name + ".weight"].T + parameters[name + ".bias"]
        by_head = (rows * np.float32(factor)).reshape(1, len(rows), self._shape.heads, -1)
        return self._parts.floats(by_head.transpose(0, 2, 1, 3))

    @cached_property
    def _distances(self) -> _Table:
        """The table of distances, normalised if the model asks for it, shape (2 span, hidden)."""
        rows = self._parts.parameters[DISTANCES]
        if not self._relative.is_normed:
            return rows
        parameters = self._parts.parameters
        centred = rows - rows.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + self._shape.norm_epsilon)
        normed: _Table = centred / spread * parameters["encoder.LayerNorm.weight"]
        return normed + parameters["encoder.LayerNorm.bias"]

    @cached_property
    def _ascending(self) -> Node:
        """Rows of the distances from 1 - t to t - 1, shape (2t - 1,)."""
        return self._between(self._relative.rows(self._shape.positions))

    @cached_property
    def _descending(self) -> Node:
        """Rows of the distances from t - 1 to 1 - t, shape (2t - 1,)."""
        return self._between(self._relative.rows(self._shape.positions)[::-1])

    def _between(self, rows: npt.NDArray[np.int32]) -> Node:
        """Take the 2t - 1 rows in the middle."""
        parts = self._parts
        start = self._op.subtract(parts.integers([self._shape.positions]), self._length)
        return parts.leading(parts.shared(np.ascontiguousarray(rows)), self._of_length(2, -1), start=start)

    def _shifted(self, states: Node, rows: Node) -> Node:
        """Multiply states with rows of distances, and pick the distance that belongs to each pair of tokens.

        Entry (i, c) of the product belongs to pair (i, j) with c = t - 1 - i + j. In a row after row layout
        that is place t - 1 + i (2t - 2) + j: a table of rows of 2t - 2 that begins at place t - 1.

        Args:
            states: (b, heads, t, width).
            rows: (1, heads, 2t - 1, width).

        Returns:
            (b, heads, t, t).
        """
        parts, op = self._parts, self._op
        products = op.matmul(states, rows, False, True)
        joined = op.reshape(products, parts.integers([0, 0, -1]), True)
        wide = self._of_length(2, -2)
        begun = parts.leading(joined, op.multiply(self._length, wide), start=self._of_length(1, -1), axis=2)
        table = op.reshape(begun, op.concat([parts.integers([0, 0]), self._length, wide], 0), True)
        return parts.leading(table, self._length, axis=3)

    def _of_length(self, times: int, plus: int) -> Node:
        """Compute ``times * t + plus``, shape (1,)."""
        scaled = self._op.multiply(self._length, self._parts.integers([times]))
        return self._op.add(scaled, self._parts.integers([plus]))
