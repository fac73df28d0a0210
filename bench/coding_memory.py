"""Peak memory of ``semscale code``, ``label`` and ``code suggest`` by rows, without a model.

Vectors are made of hashed words. Run with ``python bench/coding_memory.py``. The difference of two sizes,
over the difference of their rows, says how many bytes a row takes.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

from measuring import machine
from memory import peak_megabytes, write_texts

COMMANDS = ("code", "label", "suggest")
CODES = Path(__file__).parent.parent / "examples" / "coding" / "codes.yaml"


def arguments(command, folder):
    """Give the words of a command on the table of a folder."""
    read = [f"{folder}/in.csv", "--text", "text"]
    if command == "suggest":
        return [
            "code",
            "suggest",
            *read,
            "--codebook",
            f"{folder}/new.yaml",
            "--out",
            f"{folder}/out.parquet",
        ]
    if command == "label":
        return ["code", "label", *read, "--codebook", str(CODES), "--out", f"{folder}/out.parquet"]
    written = ["--out", f"{folder}/out.parquet", "--report", f"{folder}/r.html"]
    return ["code", *read, "--codebook", str(CODES), *written]


def code(command, folder):
    """Run a command in this process, with vectors that cost nothing."""
    from unittest.mock import patch

    from semscale.cli.main import main
    from semscale.embedding import loading
    from semscale.embedding.embedder import Embeddings
    from semscale.signature import Signature

    class Hashed:
        signature = Signature.of("embed", model="hashed")

        def embed(self, texts, *, progress=None):
            rows = [np.bincount([hash(word) % 64 for word in text.split()], minlength=64) for text in texts]
            vectors = np.array(rows) + 1e-3
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            return Embeddings(vectors.astype(np.float32), np.ones(len(texts), dtype=np.int64))

    with patch.object(loading, "load_embedder", lambda *given, **settings: Hashed()):
        return main(arguments(command, folder))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs=2, default=[100_000, 400_000], help="the two sizes")
    parser.add_argument("--command", choices=COMMANDS, help="one of them alone")
    parser.add_argument("--folder", help="of a table that this process codes, and nothing else")
    chosen = parser.parse_args()
    if chosen.folder:
        sys.exit(code(chosen.command, chosen.folder))
    os.environ["PYTHONHASHSEED"] = "0"
    for command in [chosen.command] if chosen.command else COMMANDS:
        peaks = []
        for n in chosen.rows:
            with tempfile.TemporaryDirectory() as folder:
                write_texts(Path(folder) / "in.csv", n)
                size = (Path(folder) / "in.csv").stat().st_size / n
                given = ["--command", command, "--folder", folder]
                peaks.append(peak_megabytes([sys.executable, __file__, *given]))
                print(f"{command}: {n:>9,} rows of {size:.0f} bytes: {peaks[-1]:,.0f} MB", flush=True)
        slope = (peaks[1] - peaks[0]) * 1e6 / (chosen.rows[1] - chosen.rows[0])
        print(f"{command}: {slope:,.0f} bytes a row, with eight codes; {machine()}", flush=True)


if __name__ == "__main__":
    main()
