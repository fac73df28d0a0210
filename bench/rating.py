"""Rating of a million embeddings: Semscale compared with a simple NumPy version of the guide's algorithm.

Run with ``python bench/rating.py``; both versions take turns in one process, on the same arrays. Peak memory
beyond the input is measured in a new process for each version.
"""

import argparse
import platform
import resource
import subprocess
import sys
import time

import numpy as np

from measuring import Options
from semscale.rating.readouts import ssr_ratings

SETS, POINTS, DIMENSIONS = 6, 5, 384


def straightforward(responses, anchors):
    """Rate by the guide's four steps for each anchor set, then average over sets."""
    pmfs = []
    for sentences in anchors:
        likert = sentences.T
        left = responses / np.linalg.norm(responses, axis=1)[:, None]
        right = likert / np.linalg.norm(likert, axis=0)[None, :]
        cos = (1 + left @ right) / 2
        cos_min = cos.min(axis=1)[:, None]
        numerator = cos - cos_min
        denominator = cos.sum(axis=1)[:, None] - likert.shape[1] * cos_min
        pmfs.append(numerator / denominator)
    return np.mean(pmfs, axis=0)


def semscale_form(responses, anchors):
    return ssr_ratings(responses, anchors).pmf


FORMS = {"straightforward": straightforward, "semscale": semscale_form}


def inputs(n):
    rng = np.random.default_rng(0)
    responses = np.empty((n, DIMENSIONS), dtype=np.float32)
    for start in range(0, n, 50_000):
        part = responses[start : start + 50_000]
        rng.standard_normal(out=part, dtype=np.float32)
    anchors = rng.standard_normal((SETS, POINTS, DIMENSIONS), dtype=np.float32)
    return responses, anchors


def peak_bytes():
    """Return the peak memory of this process in bytes; macOS counts in bytes, Linux in kibibytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if platform.system() == "Darwin" else peak * 1024


def report_peak(form, n):
    """Print the peak memory of a version beyond its input."""
    responses, anchors = inputs(n)
    FORMS[form](responses[:1000], anchors)
    before = peak_bytes()
    FORMS[form](responses, anchors)
    print(peak_bytes() - before)


def peak_of(form, n):
    command = [sys.executable, __file__, "--peak-of", form, "--rows", str(n)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def seconds_of(form, responses, anchors):
    started = time.perf_counter()
    FORMS[form](responses, anchors)
    return time.perf_counter() - started


def compare_forms(n, rounds):
    responses, anchors = inputs(n)
    some = slice(0, min(n, 100_000))
    difference = np.abs(
        straightforward(responses[some], anchors) - semscale_form(responses[some], anchors)
    ).max()
    times = {form: [] for form in FORMS}
    for _ in range(rounds):
        for form, taken in times.items():
            taken.append(seconds_of(form, responses, anchors))
    ratios = np.array(times["straightforward"]) / np.array(times["semscale"])
    print(
        f"{n:,} embeddings x {SETS} sets x {POINTS} points, {DIMENSIONS} dimensions, float32, {rounds} rounds"
    )
    for form, taken in times.items():
        print(f"  {form:<16} {np.median(taken):7.2f} s   ({min(taken):.2f} to {max(taken):.2f})")
    print(f"  ratio            {np.median(ratios):7.1f}     ({ratios.min():.1f} to {ratios.max():.1f})")
    print(f"  largest difference of a mass: {difference:.1e}")


def main():
    parser = Options(__doc__)
    parser.add_size("--rows", 1_000_000, quick=2000)
    parser.add_size("--rounds", 5, quick=1)
    parser.add_argument("--peak-of", choices=FORMS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peak_of:
        report_peak(options.peak_of, options.rows)
        return
    # First, while this process is small, as a new process starts with the peak of its parent.
    for form in FORMS:
        print(f"  peak memory beyond the input, {form:<16} {peak_of(form, options.rows) / 2**20:8,.0f} MiB")
    compare_forms(options.rows, options.rounds)


if __name__ == "__main__":
    main()
