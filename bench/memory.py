"""Peak memory of ``semscale rate`` with each model and precision, and of coding by rows without a model.

Run with ``python bench/memory.py``; 100,000 rated texts take a quarter of an hour. Coding uses vectors of
hashed words. The bytes per row are the difference of two peaks divided by the difference of their rows.
"""

import argparse
import csv
import os
import sys
import tempfile
from datetime import date
from pathlib import Path

import numpy as np

from measuring import ROOT, Options, machine, peak_megabytes

REVIEWS = ROOT / "examples" / "product_reviews.csv"
CODES = ROOT / "examples" / "coding" / "codes.yaml"
RUNS = (("e5-small", "exact"), ("e5-small", "fast"), ("all-MiniLM-L6-v2", "exact"))
CODING = {
    "code": f"code {{folder}}/in.csv --codebook {CODES} --report {{folder}}/r.html",
    "label": f"label {{folder}}/in.csv --codebook {CODES}",
    "suggest": "code suggest {folder}/in.csv --codebook {folder}/new.yaml",
}


def write_texts(path, n):
    """Write n texts: review sentences; repetitions get a number."""
    with REVIEWS.open(encoding="utf-8") as file:
        texts = list(dict.fromkeys(row["text"] for row in csv.DictReader(file)))
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["text"])
        rows.writerows([f"{texts[at % len(texts)]} {at // len(texts) or ''}"] for at in range(n))


def report_rating(n):
    """Print the peak of each model and precision."""
    print(f"semscale rate, {n:,} texts that all differ, MB")
    for model, precision in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            write_texts(Path(folder) / "texts.csv", n)
            command = [sys.executable, "-m", "semscale", "rate", f"{folder}/texts.csv", "--text", "text"]
            command += ["--scale", "quality", "--embedder", model, "--precision", precision, "--no-cache"]
            print(f"{model:20} {precision:6} {peak_megabytes(command):6.0f}", flush=True)
    print("to reach: e5-small exact 700")


def report_coding(sizes):
    """Print the peaks of each command for two sizes, and the bytes per row."""
    os.environ["PYTHONHASHSEED"] = "0"
    for name in CODING:
        peaks = []
        for n in sizes:
            with tempfile.TemporaryDirectory() as folder:
                texts = Path(folder) / "in.csv"
                write_texts(texts, n)
                size = texts.stat().st_size / n
                peaks.append(peak_megabytes([sys.executable, __file__, "--code", name, folder]))
                print(f"{name}: {n:>9,} rows of {size:.0f} bytes: {peaks[-1]:,.0f} MB", flush=True)
        slope = (peaks[1] - peaks[0]) * 1e6 / (sizes[1] - sizes[0])
        print(f"{name}: {slope:,.0f} bytes a row, with eight codes", flush=True)


def code(name, folder):
    """Run a command in this process, with cheap vectors."""
    from unittest.mock import patch

    from semscale.cli.main import main as semscale
    from semscale.embedding import loading
    from semscale.embedding.embedder import Embeddings
    from semscale.signature import Signature

    class Hashed:
        signature = Signature.of("embed", model="hashed")
        dimensions = 64

        def embed(self, texts, *, progress=None):
            rows = [np.bincount([hash(word) % 64 for word in text.split()], minlength=64) for text in texts]
            vectors = np.array(rows) + 1e-3
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            return Embeddings(vectors.astype(np.float32), np.ones(len(texts), dtype=np.int64))

    words = CODING[name].format(folder=folder).split()
    with patch.object(loading, "load_embedder", lambda *given, **settings: Hashed()):
        return semscale([*words, "--text", "text", "--out", f"{folder}/out.parquet"])


def main():
    parser = Options(__doc__)
    parser.add_size("--texts", 100_000, quick=30, help="that are rated")
    parser.add_size("--rows", [100_000, 400_000], quick=[250, 500], help="the two sizes that are coded")
    parser.add_argument("--code", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.code:
        sys.exit(code(*options.code))
    print(f"{date.today()}, {machine()}")
    report_rating(options.texts)
    report_coding(options.rows)


if __name__ == "__main__":
    main()
