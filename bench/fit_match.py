"""Fit of the weights of the preset ``calibrated`` on Beetle's training answers, for ``calibrated.yaml``.

Run with ``python bench/fit_match.py`` to compare with the file, or with ``--write``. Each model of ``MODELS``
gets separate weights; ``--model NAME`` fits only one of them. The only other data are the product reviews of
the examples, for the floors of small corpora. An answer's score is the score of its best reference, so
fitting alternates between choosing the best references and minimising the logistic loss of correct against
other answers. The penalties of the guards in ``CLAIMS`` are fitted to ``bench/data/flips_dev.csv`` instead,
because very few answers of Beetle have their findings: the logistic loss of paraphrases against flips, with
all else fixed. The bounds were chosen before the test files were read.
"""

import csv
import sys
from pathlib import Path

import numpy as np
import yaml
from scipy.optimize import minimize

from beetle import Answers, auc, read_answers
from measuring import Options
from semscale.embedding.loading import load_token_encoder
from semscale.guards.registry import FINDING_KINDS, GUARDS, Guards, finding_counts
from semscale.matching.calibrated import UNRELATED_PAIRS, above_floor, combine, layer_similarities
from semscale.matching.pairs import best_pairs, draw_unrelated_pairs, pair_up
from semscale.matching.words import TokenizedTexts, WordLayers, WordWeights

HERE = Path(__file__).parent
MODELS = ("all-MiniLM-L6-v2", "e5-small")
WEIGHTS = HERE.parent / "src" / "semscale" / "matching" / "calibrated.yaml"
REVIEWS = HERE.parent / "examples" / "product_reviews.csv"

# Chosen by hand among few values, on the training answers.
STOP_WEIGHT = 0.15
SUBJECT_WEIGHT, PRONOUN_WEIGHT = 0.5, 0.05
GROUPS = {
    "negation": ("negation:negated-prediction", "negation:negated-reference"),
    "opposite": ("opposite:opposed", "opposite:reversed-order"),
    "number in conflict": (
        "number:other-value",
        "number:other-unit",
        "number:other-bound",
        "number:other-label",
    ),
    "number on one side": (
        "number:missing-number",
        "number:added-number",
        "number:missing-label",
        "number:added-label",
    ),
    "name": ("name:missing-name", "name:invented-name"),
}
CLAIMS = {
    name: tuple(f"{name}:{kind}" for kind in GUARDS[name].kinds)
    for name in ("roles", "quantity", "certainty", "exclusivity", "order", "condition")
}
ALL_GROUPS = GROUPS | CLAIMS
# Short answers of one domain would need a higher weight of words and harder penalties than texts in general.
SHARE_BOUNDS = [(0.1, 0.2), (0.3, 0.6), (0.3, 0.7)]
# The last one, for names, is set by hand: only .2 % of Beetle's pairs have such a finding.
PENALTY_BOUNDS = [(0.0, 0.45)] * (len(GROUPS) - 1) + [(0.1, 0.1)]
# A flip shares nearly all its words with the other text, a paraphrase about half: .45 would leave it above.
CLAIM_BOUNDS = [(0.0, 0.9)] * len(CLAIMS)
BOUNDS = SHARE_BOUNDS + PENALTY_BOUNDS + CLAIM_BOUNDS
NO_CLAIMS = np.zeros(len(CLAIMS))
START = [0.2, 0.3, 0.5, *[0.1] * len(GROUPS)]
FLIPS = HERE / "data" / "flips_dev.csv"
FLIP_FOLDS = 2
ROUNDS, FOLDS, SEED = 5, 8, 0
PLACES = 2

HEADER = """\
# Weights of the preset "calibrated", which bench/fit_match.py fits to the training answers of Beetle
# (SemEval-2013 task 7) and, for claims, to flips_dev.csv, one model after the other. Models that are not
# named here have those of the first.
# Run the script instead of editing this file: a hash of a model's values stands in every signature.
"""


def measured_pairs(answers, layers, encoder):
    """Return the raw layers of all pairs, the floors of the references, and the pairs."""
    pairs = pair_up(answers.answer, answers.references)
    corpus = sorted({pairs.texts[text] for text in pairs.reference})
    read = TokenizedTexts(pairs.texts, encoder)
    own = np.array([pairs.texts.index(text) for text in corpus])
    weights = WordWeights.over((read.words_of(at) for at in own.tolist()), stop=STOP_WEIGHT)
    drawn = own[draw_unrelated_pairs(corpus, UNRELATED_PAIRS, SEED)]
    floors = layer_means(layers.measure(read, drawn[:, 0], drawn[:, 1], weights))
    return pairs, layers.measure(read, pairs.prediction, pairs.reference, weights), floors


def layer_means(measured):
    return {name: float(values.mean()) for name, values in layer_similarities(measured, 0.5).items()}


def finding_groups(pairs):
    """Return each pair's groups of findings; conflicting numbers hide numbers on one side only."""
    guards = Guards()
    counts = [
        finding_counts(guards.check(pairs.texts[ours], pairs.texts[theirs]))
        for ours, theirs in zip(pairs.prediction, pairs.reference, strict=True)
    ]
    found = np.array(
        [[any(row[kind] for kind in kinds) for kinds in ALL_GROUPS.values()] for row in counts], float
    )
    found[:, 3] *= 1 - found[:, 2]
    return found


class Task:
    """Pairs with the inputs of their scores."""

    def __init__(self, answers, layers, encoder, found=None):
        self.answers = answers
        self.pairs, self.measured, self.floors = measured_pairs(answers, layers, encoder)
        self.found = finding_groups(self.pairs) if found is None else found

    def scores(self, settings, pairs=slice(None)):
        """Score pairs."""
        word_share, text_share, recall_share, *penalties = settings
        raw = layer_similarities(self.measured[pairs], recall_share)
        above = {name: above_floor(values, self.floors[name]) for name, values in raw.items()}
        shares = {"word": word_share, "context": 1 - word_share - text_share, "text": text_share}
        return combine(above, self.found[pairs] @ np.array(penalties), shares)

    def fit(self, items, claims):
        """Fit to some of the answers, with fixed penalties of claims."""
        fitted = np.array([*START, *claims, 10.0, -5.0])
        fixed = [(claim, claim) for claim in claims]
        correct = self.answers.correct[items].astype(float)
        for _ in range(ROUNDS):
            best = best_pairs(self.scores(fitted[:-2]), self.pairs.item)[items]

            def loss(at, best=best):
                odds = at[-2] * self.scores(at[:-2], best) + at[-1]
                return np.mean(np.logaddexp(0, odds) - correct * odds)

            bounds = [*SHARE_BOUNDS, *PENALTY_BOUNDS, *fixed, (0, None), (None, None)]
            fitted = minimize(loss, fitted, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-12}).x
        return fitted[:-2]

    def held_out(self, claims):
        """Score each answer with weights fitted to other questions' answers."""
        questions = np.unique(self.answers.question)
        order = np.random.default_rng(SEED).permutation(len(questions))
        fold = (order % FOLDS)[np.searchsorted(questions, self.answers.question)]
        scores = np.empty(len(fold))
        for each in range(FOLDS):
            all_scores = self.item_scores(self.fit(np.flatnonzero(fold != each), claims))
            scores[fold == each] = all_scores[fold == each]
        return scores

    def item_scores(self, settings):
        """Score answers by their best references."""
        scores = self.scores(settings)
        return scores[best_pairs(scores, self.pairs.item)]

    def aucs(self, scores):
        """Return the AUC of correct answers against all others, and against contradictory ones."""
        correct, decided = self.answers.correct, self.answers.decided
        return auc(correct, scores), auc(correct[decided], scores[decided])


class Flips(Task):
    """Paraphrases, which count as correct, and flips, which count as wrong."""

    def __init__(self, layers, encoder):
        with FLIPS.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        label = np.array(["correct" if row["label"] == "paraphrase" else "contradictory" for row in rows])
        answers = Answers(
            question=np.arange(len(rows)),
            asked=[""] * len(rows),
            answer=[row["text_a"] for row in rows],
            references=[[row["text_b"]] for row in rows],
            grade=label,
        )
        super().__init__(answers, layers, encoder)

    def claims(self, settings, rows):
        """Fit the penalties of claims to some pairs, with the other settings fixed."""
        others, correct = list(settings[: -len(CLAIMS)]), self.answers.correct[rows].astype(float)

        def loss(at):
            odds = at[-2] * self.scores([*others, *at[:-2]], rows) + at[-1]
            return np.mean(np.logaddexp(0, odds) - correct * odds)

        start = [*[0.5] * len(CLAIMS), 10.0, -5.0]
        bounds = [*CLAIM_BOUNDS, (0, None), (None, None)]
        return minimize(loss, start, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-12}).x[:-2]

    def held_out_auc(self, settings):
        """Return the AUC with the penalties for each half of the pairs fitted to the other half."""
        fold, scores = np.arange(len(self.answers.answer)) % FLIP_FOLDS, np.empty(len(self.answers.answer))
        for each in range(FLIP_FOLDS):
            claims = self.claims(settings, np.flatnonzero(fold != each))
            scores[fold == each] = self.scores([*settings[: -len(CLAIMS)], *claims])[fold == each]
        return auc(self.answers.correct, scores)


def general_floors(layers, encoder):
    """Return floors from everyday texts, for corpora that are too small to compute floors."""
    with REVIEWS.open(encoding="utf-8", newline="") as file:
        texts = sorted({row["text"] for row in csv.DictReader(file)})
    read = TokenizedTexts(texts, encoder)
    weights = WordWeights.over((read.words_of(text) for text in range(len(texts))), stop=STOP_WEIGHT)
    drawn = draw_unrelated_pairs(texts, UNRELATED_PAIRS, SEED)
    return layer_means(layers.measure(read, drawn[:, 0], drawn[:, 1], weights))


def as_entries(settings, floors):
    """Convert one model's weights into the form of the file."""
    word_share, text_share, recall_share, *penalties = (round(float(value), PLACES) for value in settings)
    kinds = {
        kind: taken for kinds, taken in zip(ALL_GROUPS.values(), penalties, strict=True) for kind in kinds
    }
    context_share = round(1 - word_share - text_share, PLACES)
    return {
        "shares": {"word": word_share, "context": context_share, "text": text_share},
        "recall_share": recall_share,
        "stop_weight": STOP_WEIGHT,
        "subject_weight": SUBJECT_WEIGHT,
        "pronoun_weight": PRONOUN_WEIGHT,
        "penalties": {kind: kinds[kind] for kind in FINDING_KINDS},
        "floors": {name: round(floor, PLACES) for name, floor in floors.items()},
    }


def fitted_entries(name, answers, found):
    """Fit one model's weights, and print their quality."""
    encoder = load_token_encoder(name)
    layers = WordLayers(encoder, (SUBJECT_WEIGHT, PRONOUN_WEIGHT))
    task = Task(answers, layers, encoder, found)
    print(
        f"{name}\nfloors of the references: "
        + ", ".join(f"{at} {value:.3f}" for at, value in task.floors.items())
    )
    flips = Flips(layers, encoder)
    settings = task.fit(np.arange(len(answers.answer)), NO_CLAIMS)
    claims = flips.claims(settings, np.arange(len(flips.answers.answer)))
    print(f"flips, the other half held out: {flips.held_out_auc(settings):.3f}")
    held_out = task.aucs(task.held_out(claims))
    print(
        f"training, questions held out: correct or not {held_out[0]:.3f}, or contradictory {held_out[1]:.3f}"
    )
    settings = task.fit(np.arange(len(answers.answer)), claims)
    bounds = [f"{value:.3f} in {low}-{high}" for value, (low, high) in zip(settings, BOUNDS, strict=True)]
    for fitted, bound in zip(("word", "text", "recall", *ALL_GROUPS), bounds, strict=True):
        print(f"  {fitted}: {bound}")
    return as_entries(settings, general_floors(layers, encoder)), task.found


def main():
    parser = Options(__doc__)
    parser.add_argument("--write", action="store_true", help="write the file instead of comparing with it")
    parser.add_size(
        "--model", list(MODELS), quick=["all-MiniLM-L6-v2"], choices=MODELS, help="fit these alone"
    )
    parser.add_size("--answers", None, quick=400, help="at most so many; all unless given")
    chosen = parser.parse_args()
    answers, found = read_answers("training", chosen.answers), None
    written = yaml.safe_load(WEIGHTS.read_text(encoding="utf-8"))
    fitted = dict(written)
    for name in chosen.model:
        fitted[name], found = fitted_entries(name, answers, found)
    if chosen.answers:
        print("neither compared nor written, as not all answers were read")
    elif chosen.write:
        WEIGHTS.write_text(HEADER + yaml.safe_dump(fitted, sort_keys=False), encoding="utf-8")
    else:
        print("the file is what is fitted" if fitted == written else "the file is not what is fitted")
        sys.exit(0 if fitted == written else 1)


if __name__ == "__main__":
    main()
