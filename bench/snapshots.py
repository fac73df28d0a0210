"""Shares of texts with the same meaning that a snapshot passes, and of others that it fails, by threshold.

Run with ``python bench/snapshots.py``. Pairs of STS-B dev that people rated 4 and more have the same meaning,
pairs rated 2 and less do not; pairs between are left out. In ``examples/drift``, the rerun and the good
candidate have the baseline's meaning in other words; each text is paired as in a snapshot. Negated and
renumbered texts are texts of the baseline and of STS-B, damaged as in ``semscale drift plan --self-test``.
Texts cut to their first half are tested with ``max_lost_content`` only, and so are texts with the same
meaning.
"""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from measuring import Options, machine
from semscale.damage.rewriting import change_numbers, negate
from semscale.history.items import Output
from semscale.snapshots.compare_outputs import SnapshotMeter, compare_outputs
from semscale.snapshots.settings import settle
from shared_data import shared_data

ROOT = Path(__file__).parents[1]
THRESHOLDS = (0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65)
LOST = (0.15, 0.2, 0.25, 0.3, 0.35)
FEWEST_WORDS = 6


def outputs_of(run: str, items: int | None) -> list[list[str]]:
    lines = (ROOT / "examples" / "drift" / f"{run}.jsonl").read_text(encoding="utf-8").splitlines()
    return [[output["text"] for output in json.loads(line)["outputs"]] for line in lines[:items]]


def paired(baseline, run, meter):
    """Return the pairs that snapshots of the baseline's items would form with a run's outputs."""
    pairs = []
    for ours, theirs in zip(baseline, run, strict=True):
        compared = compare_outputs([Output(o) for o in ours], [Output(t) for t in theirs], settle(), meter)
        pairs += [(ours[pair.approved], theirs[pair.actual]) for pair in compared.pairs]
    return pairs


def other_comments(baseline):
    """Return pairs of every comment and the next one on the same answer."""
    return [(one, other) for texts in baseline for one, other in zip(texts, texts[1:], strict=False)]


def damaged(texts: Sequence[str], change) -> list[tuple[str, str]]:
    changed = ((text, change(text)) for text in texts)
    return [(text, other) for text, other in changed if other is not None]


def first_half(text: str) -> str | None:
    words = text.split()
    if len(words) < FEWEST_WORDS:
        return None
    return " ".join(words[: (len(words) + 1) // 2]).rstrip(",;:") + "."


def share_passing(pairs, settings, meter):
    """Return the percentage of pairs that pass with each of several settings."""
    passed = [
        [compare_outputs([Output(ours)], [Output(theirs)], each, meter).passed for each in settings]
        for ours, theirs in pairs
    ]
    return 100 * np.mean(passed, axis=0)


def print_table(title, limits, kinds, settings, meter):
    print(f"percentage with the right result, by {title}")
    print(f"{'':34}{'pairs':>6}", *(f"{limit:6.2f}" for limit in limits))
    for kind, pairs in kinds.items():
        passing = share_passing(pairs, settings, meter)
        right = passing if kind.startswith("same") else 100 - passing
        print(f"{kind:34}{len(pairs):6}", *(f"{each:6.1f}" for each in right))


def main():
    parser = Options(__doc__)
    parser.add_size("--pairs", None, quick=5, help="at most so many of each kind; all unless given")
    parser.add_argument("--guards", default="weigh", help="as snapshots take it")
    given = parser.parse_args()
    meter = SnapshotMeter()
    with shared_data("stsb", "dev.csv").open(encoding="utf-8", newline="") as file:
        rated = [(float(r["similarity_0_5"]), r["sentence1"], r["sentence2"]) for r in csv.DictReader(file)]
    baseline = outputs_of("baseline", given.pairs)
    texts = [text for comments in baseline for text in comments] + [one for _, one, _ in rated[:600]]
    kinds = {
        "same: STS-B, rated 4 and more": [(one, other) for score, one, other in rated if score >= 4],
        "same: example, rerun": paired(baseline, outputs_of("rerun", given.pairs), meter),
        "same: example, good candidate": paired(baseline, outputs_of("candidate_good", given.pairs), meter),
        "other: STS-B, rated 2 and less": [(one, other) for score, one, other in rated if score <= 2],
        "other: example, another comment": other_comments(baseline),
        "other: negated": damaged(texts, negate),
        "other: a number changed": damaged(texts, change_numbers),
    }
    cut = {
        "other: example, first half": damaged([one for comments in baseline for one in comments], first_half),
        "other: STS-B, first half": damaged([one for _, one, _ in rated[:400]], first_half),
    }
    kinds, cut = ({kind: pairs[: given.pairs] for kind, pairs in each.items()} for each in (kinds, cut))
    same = {kind: pairs for kind, pairs in kinds.items() if kind.startswith("same")}
    by_match = [
        settle({"min_match": limit, "guards": given.guards, "max_lost_content": 1}) for limit in THRESHOLDS
    ]
    by_loss = [settle({"min_match": 0, "guards": "off", "max_lost_content": limit}) for limit in LOST]
    print(machine())
    print_table("min_match", THRESHOLDS, kinds, by_match, meter)
    print_table("max_lost_content", LOST, same | cut, by_loss, meter)


if __name__ == "__main__":
    main()
