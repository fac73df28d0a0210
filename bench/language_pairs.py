"""Scores of right and wrong answers in six languages against an English reference.

Run with ``python bench/language_pairs.py``. ``language_pairs.csv`` has ten references, and for each of them a
right and a wrong answer in every language, written for this purpose. Wrong answers are about the same things,
and half of them state the contrary.
"""

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np

from beetle import auc
from measuring import Options
from semscale.matching.matcher import Matcher
from semscale.matching.pairs import pair_up

PAIRS = Path(__file__).parent / "language_pairs.csv"
MODELS = ("all-MiniLM-L6-v2", "e5-small")
METHODS = ("calibrated", "cosine", "bertscore")


def read_pairs():
    """Return references, each with a right and a wrong answer, by language."""
    pairs = defaultdict(list)
    with PAIRS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            pairs[row["language"]].append((row["reference"], row["right"], row["wrong"]))
    return pairs


def figures(score, rows):
    """Return the share of references whose right answer scores above the wrong one, and the AUC of all."""
    references, right, wrong = (list(column) for column in zip(*rows, strict=True))
    above, below = score(right, references), score(wrong, references)
    known = ~np.isnan(above) & ~np.isnan(below)
    labels = np.repeat([True, False], known.sum())
    area = auc(labels, np.concatenate([above[known], below[known]]))
    return f"{(above > below).sum()} of {len(rows)}, AUC {area:.2f}"


def main():
    options = Options(__doc__)
    options.add_size("--model", list(MODELS), quick=["e5-small"])
    options.add_size("--references", None, quick=2, help="at most so many; all unless given")
    chosen = options.parse_args()
    pairs = {language: rows[: chosen.references] for language, rows in read_pairs().items()}
    print("| method | model | " + " | ".join(pairs) + " |\n|---|---|" + "---|" * len(pairs))
    for method in METHODS:
        for model in chosen.model:
            matcher = Matcher(method, embedder=model)

            def score(answers, references, matcher=matcher):
                # Also score with a model that does not read the language, to show what its scores are worth.
                scored = matcher.pair_method.score(pair_up(answers, references))
                return np.where(scored.unread, np.nan, scored.score)

            cells = [figures(score, rows) for rows in pairs.values()]
            print(f"| `{method}` | {model} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
