"""Frequency of findings by guard and kind, and processor time of all guards by the length of texts.

Run with ``python bench/guards.py``. Paraphrases are the pairs of STS-B dev that people rated 4.5 and more;
answers are the training answers of Beetle, each compared with its nearest reference by the default model. No
test file is read.
"""

import csv
import time

import numpy as np

from beetle import read_answers
from measuring import Options, machine, spread
from semscale import load_embedder
from semscale.guards.registry import FINDING_KINDS, GUARDS, Guards, finding_counts
from semscale.guards.text import read_text
from shared_data import shared_data

PARAPHRASE = 4.5
EITHER = "negation or opposite"
LENGTHS = (100, 1_000, 5_000, 20_000, 60_000)
"""Lengths of texts in characters: from one sentence to the longest text that a service accepts."""


def paraphrases():
    with shared_data("stsb", "dev.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if float(row["similarity_0_5"]) >= PARAPHRASE]
    return [(row["sentence1"], row["sentence2"]) for row in rows]


def nearest_pairs(answers, model):
    embedder = load_embedder(model)
    references = sorted({text for listed in answers.references for text in listed})
    place = {text: at for at, text in enumerate(references)}
    cosines = embedder.embed(answers.answer).vectors @ embedder.embed(references).vectors.T
    return [
        (answer, max(listed, key=lambda text, row=row: row[place[text]]))
        for answer, listed, row in zip(answers.answer, answers.references, cosines, strict=True)
    ]


def rates(pairs):
    """Return the percentage of pairs with a finding, by guard and by kind."""
    counts = [finding_counts(Guards().check(*pair)) for pair in pairs]
    kinds = {kind: 100 * np.mean([count[kind] > 0 for count in counts]) for kind in FINDING_KINDS}
    guards = {
        name: 100 * np.mean([any(count[f"{name}:{kind}"] for kind in guard.kinds) for count in counts])
        for name, guard in GUARDS.items()
    }
    either = {EITHER: 100 * np.mean([flips(*pair) for pair in pairs])}
    return guards | either | kinds


def flips(answer, reference):
    """Tell whether a pair has a finding of a negated word or an opposite."""
    return any(GUARDS[name].check(answer, reference) for name in ("negation", "opposite"))


def flips_every_reference(answers, grade):
    """Return the percentage of a grade's answers with such a finding against every reference."""
    return 100 * np.mean(
        [
            all(flips(answer, reference) for reference in references)
            for answer, references, given in zip(
                answers.answer, answers.references, answers.grade, strict=True
            )
            if given == grade
        ]
    )


def speeds(pairs, turns):
    """Return pairs per second of processor time with new texts, and with texts that were read before."""
    new, known = [], []
    for _ in range(turns):
        for speed, clear in ((new, True), (known, False)):
            if clear:
                read_text.cache_clear()
            start = time.process_time()
            for pair in pairs:
                Guards().check(*pair)
            speed.append(len(pairs) / (time.process_time() - start))
    return new, known


def milliseconds_by_length(pairs, turns):
    """Return the least processor time of all guards on two new texts of a length, in milliseconds."""
    for size in LENGTHS:
        texts = [" ".join(listed)[:size] for listed in zip(*(pairs * (1 + size // 1000)), strict=True)]
        spent = []
        for turn in range(turns):
            start = time.process_time()
            Guards().check(*(f"{text} {turn}" for text in texts))
            spent.append(1000 * (time.process_time() - start))
        yield size, min(spent)


def main():
    parser = Options(__doc__)
    parser.add_argument("--model", default="all-MiniLM-L6-v2")
    parser.add_size("--turns", 5, quick=1)
    parser.add_size("--pairs", None, quick=40, help="at most so many of each kind; all unless given")
    settings = parser.parse_args()
    answers = read_answers("training", settings.pairs)
    pairs = nearest_pairs(answers, settings.model)
    columns = {
        "identical": [(text, text) for text in answers.answer],
        "paraphrases": paraphrases()[: settings.pairs],
    }
    for grade in ("correct", "contradictory", "incorrect"):
        columns[grade] = [pair for pair, given in zip(pairs, answers.grade, strict=True) if given == grade]
    print(machine())
    print("percentage of pairs with a finding; in brackets the pairs")
    print(f"{'':30s}", *(f"{f'{name} ({len(listed)})':>22s}" for name, listed in columns.items()))
    table = {name: rates(listed) for name, listed in columns.items()}
    for row in (*GUARDS, EITHER, *FINDING_KINDS):
        print(f"{row:30s}", *(f"{table[name][row]:22.1f}" for name in columns))
    for grade in ("correct", "contradictory", "incorrect"):
        print(f"{EITHER} against every reference, {grade}: {flips_every_reference(answers, grade):.1f}")
    new, known = speeds(pairs, settings.turns)
    for size, spent in milliseconds_by_length(columns["paraphrases"], settings.turns):
        print(f"two texts of {size:,} characters: {spent:.2f} ms")
    print(f"pairs/s: answers new {spread(new, 0)}, all texts known {spread(known, 0)}")


if __name__ == "__main__":
    main()
