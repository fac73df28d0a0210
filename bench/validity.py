"""Agreement of each matching method with people, on STS-B dev and Beetle's two test files.

Run with ``python bench/validity.py``; ``--model NAME`` uses another model than the default, and
``--nli NAME`` adds ``entailment`` by that model. Intervals are percentiles of a bootstrap of pairs (STS-B) or
whole questions (Beetle); the weights of ``calibrated`` were fitted on Beetle's training file, by
``fit_match.py``.
"""

import csv
import re
from datetime import date

import numpy as np
from scipy.stats import spearmanr

from beetle import auc, read_answers
from measuring import Options, machine
from semscale import consistency
from semscale.embedding.loading import load_token_encoder
from semscale.guards.registry import GUARDS, Guards
from semscale.matching.calibrated import CalibratedMatch
from semscale.matching.matcher import match, match_with
from semscale.weights.known import DEFAULT_MODEL
from shared_data import shared_data

TESTS = ("test-unseen-answers", "test-unseen-questions")
SAME = 5.0  # "the two sentences are completely equivalent, as they mean the same thing"
UNRELATED, SEED = 500, 0
SAMPLES = 3


def length_null(predictions, references):
    return best_of(predictions, references, lambda ours, theirs: min(ours, theirs, key=len), len)


def overlap_null(predictions, references):
    return best_of(
        predictions, references, lambda ours, theirs: set(ours) & set(theirs), lambda all_: len(set(all_))
    )


def best_of(predictions, references, shared, size):
    """Return the shared part as a share of both texts, for the best of several references."""

    def one(prediction, reference):
        ours, theirs = (re.findall(r"\w+", text.lower()) for text in (prediction, reference))
        return 2 * size(shared(ours, theirs)) / max(1, size(ours) + size(theirs))

    pairs = zip(predictions, references, strict=True)
    return np.array([max(one(prediction, each) for each in listed(given)) for prediction, given in pairs])


def listed(references):
    return [references] if isinstance(references, str) else references


def methods(model, nli=None):
    """Return the methods as functions from predictions and references to scores."""

    def named(name):
        return lambda predictions, references: (
            match(predictions, references, method=name, embedder=model).score
        )

    unguarded = CalibratedMatch(load_token_encoder(model), guards=Guards())
    return {
        "null: length": length_null,
        "null: word overlap": overlap_null,
        "cosine": named("cosine"),
        "bertscore": named("bertscore"),
        "cliniqlink-doc": named("cliniqlink-doc"),
        "cliniqlink-code": named("cliniqlink-code"),
        "calibrated, no guards": lambda *pairs: match_with(unguarded, *pairs).score,
        "calibrated": named("calibrated"),
        **({"entailment": lambda *pairs: match(*pairs, "entailment", nli=nli).score} if nli else {}),
    }


def interval(figure, clusters, replicates):
    """Return the 95 % interval of a figure by a bootstrap of clusters."""
    members = [np.flatnonzero(clusters == name) for name in np.unique(clusters)]
    rng = np.random.default_rng(SEED)
    drawn = [
        figure(np.concatenate([members[at] for at in rng.integers(len(members), size=len(members))]))
        for _ in range(replicates)
    ]
    return np.nanquantile(drawn, [0.025, 0.975])


def cell(figure, rows, clusters, replicates):
    low, high = interval(figure, clusters, replicates)
    return f"{figure(rows):.3f} ({low:.3f} to {high:.3f})"


def read_stsb():
    with shared_data("stsb", "dev.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    human = np.array([float(row["similarity_0_5"]) for row in rows])
    return [row["sentence1"] for row in rows], [row["sentence2"] for row in rows], human


def unrelated(predictions, references, groups):
    """Return random pairs of a prediction with the references of another group."""
    rng = np.random.default_rng(SEED)
    pairs = rng.integers(len(predictions), size=(4 * UNRELATED, 2))
    pairs = pairs[groups[pairs[:, 0]] != groups[pairs[:, 1]]][:UNRELATED]
    return [predictions[at] for at in pairs[:, 0]], [listed(references[at])[0] for at in pairs[:, 1]]


def print_agreement(scorers, stsb, beetle, replicates):
    first, second, human = stsb
    tests = {name: answers for name, answers in beetle.items() if name in TESTS}
    columns = ["STS-B dev"] + [
        f"{name[5:]}, {task}" for name in tests for task in ("or not", "or contradictory")
    ]
    print("| method | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns))
    for method, score in scorers.items():
        each = np.arange(len(human))
        scores = score(first, second)
        cells = [cell(lambda at, s=scores: spearmanr(s[at], human[at])[0], each, each, replicates)]
        for answers in tests.values():
            scores = score(answers.answer, answers.references)
            for rows in (np.arange(len(scores)), np.flatnonzero(answers.decided)):
                figure = lambda at, s=scores[rows], c=answers.correct[rows]: auc(c[at], s[at])  # noqa: E731
                cells.append(cell(figure, np.arange(len(rows)), answers.question[rows], replicates))
        print(f"| {method} | " + " | ".join(cells) + " |", flush=True)


def print_floors(scorers, stsb, beetle):
    first, second, human = stsb
    training = beetle["training"]
    drawn = {
        "STS-B": unrelated(first, second, np.arange(len(human))),
        "Beetle": unrelated(training.answer, training.references, training.question),
    }
    same = sorted(set(first))[:UNRELATED]
    print("\n| method | unrelated, STS-B | unrelated, Beetle | identical |\n|---|---|---|---|")
    for method, score in scorers.items():
        means = [f"{np.nanmean(score(*pairs)):.3f}" for pairs in drawn.values()]
        print(f"| {method} | " + " | ".join(means) + f" | {np.nanmin(score(same, same)):.3f} |", flush=True)


def print_consistency(model, training):
    """Print how well ``consistency`` separates right from wrong answers, with right answers as samples."""
    samples = [references[:SAMPLES] for references in training.references]
    score = consistency(training.answer, samples, embedder=model, seed=SEED).score
    areas = []
    for grade in ("incorrect", "contradictory"):
        rows = np.isin(training.grade, ("correct", grade))
        areas.append(f"{grade} {auc(training.correct[rows], score[rows]):.3f}")
    print(f"\nconsistency, Beetle training, {SAMPLES} samples: AUC of correct against {', '.join(areas)}")


def print_alarms(stsb, beetle):
    first, second, human = stsb
    alike = np.flatnonzero(human == SAME)
    texts = sorted({*first, *second})
    answers = beetle["training"]
    pairs = {
        "identical": list(zip(texts, texts, strict=True)),
        f"paraphrases ({SAME:g} of 5)": [(first[at], second[at]) for at in alike],
        "unlike (at most 1 of 5)": [(first[at], second[at]) for at in np.flatnonzero(human <= 1)],
    }
    for grade in ("correct", "contradictory"):
        rows = np.flatnonzero(answers.grade == grade)
        pairs[f"Beetle training, {grade}"] = [(answers.answer[at], answers.references[at][0]) for at in rows]
    print("\n| pairs | n | " + " | ".join(GUARDS) + " | any |\n|---|---|" + "---|" * (len(GUARDS) + 1))
    for name, listed_pairs in pairs.items():
        found = np.array([[bool(guard.check(*pair)) for guard in GUARDS.values()] for pair in listed_pairs])
        shares = [*found.mean(axis=0), found.any(axis=1).mean()]
        print(f"| {name} | {len(found)} | " + " | ".join(f"{100 * share:.1f} %" for share in shares) + " |")


def main():
    parser = Options(__doc__)
    parser.add_size("--replicates", 1000, quick=5, help="of the bootstrap")
    parser.add_size("--pairs", None, quick=40, help="at most so many of each set; all unless given")
    parser.add_size(
        "--model", [DEFAULT_MODEL, "e5-small"], quick=[DEFAULT_MODEL], help="of vectors and states"
    )
    parser.add_argument("--nli", help="an entailment model, which is measured, too")
    parser.add_argument("--only", action="append", help="of these methods alone the agreement with people")
    chosen = parser.parse_args()
    stsb = [column[: chosen.pairs] for column in read_stsb()]
    beetle = {name: read_answers(name, chosen.pairs) for name in ("training", *TESTS)}
    for model in chosen.model:
        report(model, stsb, beetle, chosen)
    if not chosen.only:
        print_alarms(stsb, beetle)


def report(model, stsb, beetle, chosen):
    """Print each method's agreement with people, and its scores of unrelated texts."""
    scorers = {
        name: score
        for name, score in methods(model, chosen.nli).items()
        if not chosen.only or name in chosen.only
    }
    print(f"\n{date.today()}, {machine()}, {model}\n")
    if not chosen.nli:
        print("entailment: not measured, no model is named (--nli NAME, or make bench-validity NLI=NAME)\n")
    print_agreement(scorers, stsb, beetle, chosen.replicates)
    if not chosen.only:
        print_floors(scorers, stsb, beetle)
        print_consistency(model, beetle["training"])


if __name__ == "__main__":
    main()
