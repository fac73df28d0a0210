"""A small random encoder in 4 bits: its file, and the same numbers as floats, computed one by one."""

import struct
from pathlib import Path

import numpy as np
from tests.support.word_tokenizer import VOCABULARY_SIZE

HIDDEN, LAYERS, HEADS, INNER, POSITIONS = 32, 2, 2, 64, 24

SQUARE = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value"}
DENSE = {
    **{short: (name, HIDDEN, HIDDEN) for short, name in SQUARE.items()},
    "ao": ("attention.output.dense", HIDDEN, HIDDEN),
    "fi": ("intermediate.dense", INNER, HIDDEN),
    "fo": ("output.dense", HIDDEN, INNER),
}
NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


def config() -> dict:
    """The same encoder's settings as transformers writes them."""
    return {
        "model_type": "bert",
        "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": INNER,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-5,
        "pad_token_id": 0,
    }


class Q4Writer:
    """Collects parameters and writes the file; ``floats`` has each parameter, by its usual name."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        self.floats: dict[str, np.ndarray] = {}
        self.stored: dict[str, tuple[int, int, bytes]] = {}
        self._q4("emb.word", "embeddings.word_embeddings.weight", VOCABULARY_SIZE, HIDDEN)
        self._f32("emb.pos", "embeddings.position_embeddings.weight", POSITIONS, HIDDEN)
        self._f32("emb.type", "embeddings.token_type_embeddings.weight", 2, HIDDEN)
        self._norm("emb.ln", "embeddings.LayerNorm")
        for layer in range(LAYERS):
            for short, (name, rows, columns) in DENSE.items():
                self._q4(f"l{layer}.{short}.w", f"encoder.layer.{layer}.{name}.weight", rows, columns)
                self._f32(f"l{layer}.{short}.b", f"encoder.layer.{layer}.{name}.bias", rows)
            for short, name in NORMS.items():
                self._norm(f"l{layer}.{short}", f"encoder.layer.{layer}.{name}")

    def content(self, *, block: int = 32, version: int = 1, magic: bytes = b"E5S1", **sizes: int) -> bytes:
        """The file; settings replace what its header says."""
        fields = dict(
            hidden=HIDDEN,
            layers=LAYERS,
            heads=HEADS,
            inner=INNER,
            words=VOCABULARY_SIZE,
            positions=POSITIONS,
            types=2,
        )
        fields |= sizes
        head = struct.pack("<4sI7ifi", magic, version, *fields.values(), 1e-5, block)
        # Two pieces of the tokenizer, three bytes of text, and four of its normalizer.
        head += (
            struct.pack("<5iQ", 2, 0, 2, 1, 3, 3)
            + bytes(3 * 4 + 2 * 4 + 3)
            + struct.pack("<iI", 3, 4)
            + bytes(4)
        )
        head += struct.pack("<i", len(self.stored))
        at = len(head) + sum(2 + len(name) + 21 for name in self.stored)
        body = b""
        for name, (kind, count, content) in self.stored.items():
            head += struct.pack("<H", len(name)) + name.encode()
            head += struct.pack("<BIQQ", kind, count, at + len(body), len(content))
            body += content
        return head + body

    def write(self, folder: Path, content: bytes | None = None) -> Path:
        """Write the file into a folder, which need not exist."""
        folder.mkdir(exist_ok=True)
        path = folder / "tiny-q4.bin"
        path.write_bytes(self.content() if content is None else content)
        return path

    def _q4(self, short: str, name: str, rows: int, columns: int) -> None:
        """Draw bits and scales; a block is a scale and 16 bytes, whose low halves come first."""
        table, packed = np.empty((rows, columns), np.float32), b""
        for row in range(rows):
            for start in range(0, columns, 32):
                scale = np.float16(self.rng.uniform(0.02, 0.1))
                bits = self.rng.integers(0, 16, 32)
                table[row, start : start + 32] = [float(scale) * (int(nibble) - 8) for nibble in bits]
                packed += scale.tobytes()
                packed += bytes(int(bits[at]) + 16 * int(bits[at + 16]) for at in range(16))
        self.floats[name] = table
        self.stored[short] = (1, rows * columns, packed)

    def _f32(self, short: str, name: str, *shape: int, around: float = 0.0) -> None:
        values = self.rng.normal(around, 0.4, shape).astype(np.float32)
        self.floats[name] = values
        self.stored[short] = (0, values.size, values.tobytes())

    def _norm(self, short: str, name: str) -> None:
        self._f32(f"{short}.w", f"{name}.weight", HIDDEN, around=1.0)
        self._f32(f"{short}.b", f"{name}.bias", HIDDEN)
