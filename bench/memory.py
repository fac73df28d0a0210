"""Peak memory of ``semscale rate`` with each model and precision, on many texts that all differ.

Run with ``python bench/memory.py``; 100,000 texts take a quarter of an hour.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

from measuring import machine

REVIEWS = Path(__file__).parent.parent / "examples" / "product_reviews.csv"
RUNS = (("e5-small", "exact"), ("e5-small", "fast"), ("all-MiniLM-L6-v2", "exact"))


def write_texts(path, n):
    """Write n texts: review sentences, each with a number from the second round on."""
    with REVIEWS.open(encoding="utf-8") as file:
        texts = list(dict.fromkeys(row["text"] for row in csv.DictReader(file)))
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["text"])
        rows.writerows([f"{texts[at % len(texts)]} {at // len(texts) or ''}"] for at in range(n))


def peak_megabytes(command):
    """Run a process to its end, and give the most memory that it had, in MB of 1,000,000 bytes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with exit code {process.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return usage.ru_maxrss * unit / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=100_000)
    n = parser.parse_args().texts
    print(f"{date.today()}, {machine()}; {n:,} texts that all differ, MB")
    for model, precision in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            write_texts(Path(folder) / "texts.csv", n)
            command = [sys.executable, "-m", "semscale", "rate", f"{folder}/texts.csv", "--text", "text"]
            command += ["--scale", "quality", "--embedder", model, "--precision", precision, "--no-cache"]
            print(f"{model:20} {precision:6} {peak_megabytes(command):6.0f}", flush=True)
    print("to reach: e5-small exact 700")


if __name__ == "__main__":
    main()
