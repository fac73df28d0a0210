"""AUC of paraphrases against flips for each method, and findings of the guards, by kind of flip.

Run with ``python bench/flips.py``; ``--model NAME`` uses another model than the default, ``--nli NAME``
adds ``entailment`` by that model, and ``--show`` prints the pairs with errors. It reads every
``data/flips_*.csv``: pairs that are nearly alike but differ in meaning in one respect (``flip``), and pairs
with the same meaning in other words (``paraphrase``). The rules were written by looking at
``flips_dev.csv``, and penalties were fitted to it.
"""

import csv
import time
from pathlib import Path

import numpy as np

from beetle import auc
from measuring import Options, machine
from semscale.guards.registry import Guards
from semscale.guards.text import read_text
from semscale.weights.known import DEFAULT_MODEL
from validity import methods

FOLDER = Path(__file__).parent / "data"
METHODS = ("null: length", "null: word overlap", "cosine", "bertscore", "calibrated", "entailment")


def read_half(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def findings_either_way(rows):
    """Return the findings of each pair in both directions."""
    guards = Guards()
    return [
        guards.check(row["text_a"], row["text_b"]) + guards.check(row["text_b"], row["text_a"])
        for row in rows
    ]


def seconds_a_pair(rows, turns):
    """Return the smallest processor time of all guards on a pair of new texts, in seconds."""
    guards, spent = Guards(), []
    for _ in range(turns):
        read_text.cache_clear()
        start = time.process_time()
        for row in rows:
            guards.check(row["text_a"], row["text_b"])
        spent.append((time.process_time() - start) / len(rows))
    return min(spent)


def print_half(rows, scorers):
    """Print one line per kind: AUC of each method, share of flips found, and false alarms."""
    first, second = [row["text_a"] for row in rows], [row["text_b"] for row in rows]
    scores = {name: score(first, second) for name, score in scorers.items()}
    kind, same = (
        np.array([row["kind"] for row in rows]),
        np.array([row["label"] == "paraphrase" for row in rows]),
    )
    found = np.array([bool(findings) for findings in findings_either_way(rows)])
    print("| kind | " + " | ".join(f"AUC of {name}" for name in scores) + " | flips found | false alarms |")
    print("|---|" + "---|" * (len(scores) + 2))
    for name in (*dict.fromkeys(kind.tolist()), "all"):
        of = (kind == name) | (name == "all")
        figures = [f"{auc(same[of], values[of]):.3f}" for values in scores.values()]
        counts = [f"{found[of & rows_of].sum()} of {(of & rows_of).sum()}" for rows_of in (~same, same)]
        print(f"| {name} | " + " | ".join(figures + counts) + " |")


def print_wrong(rows):
    for row, findings in zip(rows, findings_either_way(rows), strict=True):
        if bool(findings) == (row["label"] == "paraphrase"):
            kinds = sorted({f"{one.guard}:{one.kind}" for one in findings})
            print(row["label"], row["kind"], "|", row["text_a"], "|", row["text_b"], *kinds)


def main():
    parser = Options(__doc__)
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--nli", help="an entailment model, which is measured, too")
    parser.add_size("--turns", 5, quick=1)
    parser.add_size("--pairs", None, quick=5, help="at most so many of each file; all unless given")
    parser.add_argument("--show", action="store_true", help="for the half on which rules are developed")
    settings = parser.parse_args()
    print(machine())
    if not settings.nli:
        print("entailment: not measured, no model is named (--nli NAME, or make bench-validity NLI=NAME)")
    known = methods(settings.model, settings.nli)
    scorers = {name: known[name] for name in METHODS if name in known}
    for path in sorted(FOLDER.glob("flips_*.csv")):
        rows = read_half(path)[: settings.pairs]
        print(f"\n{path.stem}, {settings.model}\n")
        print_half(rows, scorers)
        print(f"\nguards: {1000 * seconds_a_pair(rows, settings.turns):.3f} ms of processor time a new pair")
        if settings.show:
            print_wrong(rows)


if __name__ == "__main__":
    main()
