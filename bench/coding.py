"""Quality of codes: restaurant reviews that people coded, and the example's sentences.

Run with ``python bench/coding.py``. The first tables are about 350 reviews with 2,000 sentences
(``../shared/data/topics``), whose codebook was written before any result was seen: F1 of assigned codes
without hand codes and with some, counted shares, and the share of intervals of corrected shares that contain
the share that people gave. Answers of students (``../shared/data/beetle``) show whether codes with nearly the
same words are kept apart. The others are about the 240 hand codes of ``examples/coding``, which a language
model assigned, so the figures measure agreement with that model, not with people.
"""

import json
from pathlib import Path

import numpy as np
import polars as pl

from coded_domains import OTHER_WITHOUT_TOPIC, keyboard_noise, learning_domains, restaurants
from measuring import Options
from semscale import load_embedder
from semscale.coding.code_shares import (
    CodeCounts,
    HandLabels,
    code_alphas,
    code_shares,
)
from semscale.coding.codebook import Code, Codebook, load_codebook
from semscale.coding.coder import Coder
from semscale.coding.coding import code_answers
from semscale.coding.labels import (
    HandCodes,
    draw_answers,
    hand_codes,
    majority,
    mean_codes,
    probable_codes,
)
from semscale.embedding import RememberingEmbedder
from semscale.stats.calibration import FEWEST_OF_EACH
from semscale.weights.known import DEFAULT_MODEL
from shared_data import shared_data

EXAMPLE = Path(__file__).parents[1] / "examples" / "coding"

QUESTIONS = (
    "BULB_C_VOLTAGE_EXPLAIN_WHY1", "BULB_C_VOLTAGE_EXPLAIN_WHY6", "BULB_ONLY_EXPLAIN_WHY2",
    "BULB_ONLY_EXPLAIN_WHY4", "BULB_ONLY_EXPLAIN_WHY6", "BURNED_BULB_LOCATE_EXPLAIN_Q",
    "BURNED_BULB_PARALLEL_EXPLAIN_Q1", "BURNED_BULB_PARALLEL_WHY_Q",
)  # fmt: skip
"""Questions about circuits whose reference answers differ enough for a codebook."""

REFERENCES = 4  # at most, of a question

DRAWN, DRAWS = 100, 400
LABELS = (25, 50, 100)
COVERAGE_LABELS = 50
LONG_LIST = 1000  # sentences


class RememberingReader:
    """Keeps the evidence in long lists of sentences, which are read again and again."""

    def __init__(self, reader):
        self._reader, self._evidence = reader, {}

    def __getattr__(self, name):
        return getattr(self._reader, name)

    def read(self, sentences, clauses, progress=None):
        """Read the evidence in sentences, in each long list once."""
        if len(sentences) < LONG_LIST:
            return self._reader.read(sentences, clauses, progress)
        key = tuple(sentences)
        if key not in self._evidence:
            self._evidence[key] = self._reader.read(sentences, clauses, progress)
        return self._evidence[key]


def scores_of(true, assigned):
    """Return precision, recall and F1 over all codes."""
    hits = float((true * assigned).sum())
    return hits / assigned.sum(), hits / true.sum(), 2 * hits / (assigned.sum() + true.sum())


def people_coded_reviews(embedder, draws, coverage_draws):
    """Print the figures of the reviews of restaurants."""
    domain = restaurants()
    reviews = domain.texts()
    of_reviews = domain.in_answers(domain.codes)
    coder = Coder(domain.codebook, embedder=embedder)
    coder._reader = RememberingReader(coder._reader)
    adapted = coder.adapt([reviews])
    print(f"\n{'without hand codes':30} precision  recall  F1, of reviews   of sentences")
    for name, scorer in (("each answer by itself", coder), ("adapted to all answers", adapted)):
        whole, parts = (scorer.score(texts).likeness >= 0.5 for texts in (reviews, domain.sentences))
        figures = (*scores_of(of_reviews, whole), *scores_of(domain.codes, parts))
        print(f"{name:30}", *(f"{figure:9.3f}" for figure in figures))
    whole = code_answers(adapted.score(reviews))
    print(f"\n{'code':12} people  counted  unsure")
    for share, true in zip(whole.shares(), of_reviews.mean(axis=0), strict=True):
        print(f"{share.code:12} {true:6.1%}  {share.counted.value:7.1%}  {share.n_unsure:6}")
    print(f"\n{'hand-coded reviews':20} F1 of other reviews  of their sentences  ({draws} draws)")
    for n in LABELS:
        figures = [
            figures_with_labels(adapted, domain, reviews, of_reviews, n, seed) for seed in range(draws)
        ]
        means = np.mean(figures, axis=0)
        print(f"{n:20} {means[0]:19.3f}  {means[1]:18.3f}")
    covered, wide = zip(
        *(coverage(adapted, reviews, of_reviews, COVERAGE_LABELS, seed) for seed in range(coverage_draws)),
        strict=True,
    )
    print(
        f"\nintervals of 95 % of corrected shares, {COVERAGE_LABELS} hand-coded reviews, "
        f"{coverage_draws} draws: {np.nanmean(covered):.1%} contain the share in all reviews, "
        f"{np.nanmean(wide):.3f} wide"
    )


def answers_without_topic(embedder):
    """Print F1 of sentences, and the share of answers without a topic that get a code, in each domain."""
    noise, others = keyboard_noise(200), list(OTHER_WITHOUT_TOPIC)
    print(f"\n{'coded without a topic':22} noise  other answers  F1 of sentences")
    rows = []
    for domain in (restaurants(), *learning_domains()):
        coder = Coder(domain.codebook, embedder=embedder).adapt([domain.sentences])
        coded = [(coder.score(texts).likeness >= 0.5).any(axis=1).mean() for texts in (noise, others)]
        parts = coder.score(domain.sentences).likeness >= 0.5
        rows.append((*coded, scores_of(domain.codes, parts)[2]))
        print(f"{domain.name:22} {coded[0]:5.1%}  {coded[1]:13.1%}  {rows[-1][2]:15.3f}")
    means = np.mean(rows[1:], axis=0)
    print(f"{'mean of the others':22} {means[0]:5.1%}  {means[1]:13.1%}  {means[2]:15.3f}")


def draw_labels(of_reviews, n, seed):
    """Draw reviews for hand coding; return their positions among the drawn ones, and the hand codes."""
    rows = np.sort(np.random.default_rng(seed).choice(len(of_reviews), n, replace=False))
    positions = np.full(len(of_reviews), -1)
    positions[rows] = np.arange(n)
    return rows, positions


def figures_with_labels(coder, domain, reviews, of_reviews, n, seed):
    """Return F1 of reviews that were not hand-coded, and of their sentences, by probabilities."""
    rows, positions = draw_labels(of_reviews, n, seed)
    learned = coder.learn([reviews[row] for row in rows], of_reviews[rows], seed=seed)
    codes = np.full((1, *of_reviews.shape), np.nan)
    codes[0, rows] = of_reviews[rows]
    coding = code_answers(learned.score(reviews, hand_coded=positions), hand=HandCodes(codes, ("people",)))
    others = positions < 0
    sentences = others[domain.answers]
    parts = learned.score(domain.sentences).likeness >= 0.5
    return (
        scores_of(of_reviews[others], coding.assigned[others] == 1)[2],
        scores_of(domain.codes[sentences], parts[sentences])[2],
    )


def coverage(coder, reviews, of_reviews, n, seed):
    """Return which intervals contain the share of each code, and their widths; NaN without an interval."""
    rows, positions = draw_labels(of_reviews, n, seed)
    learned = coder.learn([reviews[row] for row in rows], of_reviews[rows], seed=seed)
    codes = np.full((1, *of_reviews.shape), np.nan)
    codes[0, rows] = of_reviews[rows]
    hand = HandCodes(codes, ("people",))
    coding = code_answers(learned.score(reviews, hand_coded=positions), hand=hand)
    everybody = np.zeros(len(reviews), np.int64)
    counts = CodeCounts(of_reviews.shape[1], n_groups=1)
    sample = coding.sample(hand=HandLabels(coding.held_out, mean_codes(codes)))
    counts.add(everybody, sample)
    shares = code_shares(sample, coding.codebook.names, everybody, counts)
    within, widths = [], []
    for share, true in zip(shares, of_reviews.mean(axis=0), strict=True):
        corrected = share.corrected
        is_estimated = corrected is not None and np.isfinite(corrected.low)
        within.append(float(corrected.low <= true <= corrected.high) if is_estimated else np.nan)
        widths.append(corrected.high - corrected.low if is_estimated else np.nan)
    return within, widths


def student_answers(embedder):
    """Print how often a right answer has the code of its question, whose examples are the references."""
    rows = pl.read_csv(shared_data("beetle", "training.csv")).filter(pl.col("accuracy") == "correct")
    codes, seen = [], set()
    for question in QUESTIONS:
        first = rows.row(rows["question_id"].index_of(question), named=True)
        references = [text for text in json.loads(first["reference_answers"]) if text.casefold() not in seen]
        seen.update(text.casefold() for text in references[:REFERENCES])
        codes.append(Code(question, first["question"], tuple(references[:REFERENCES])))
    rows = rows.filter(pl.col("question_id").is_in(QUESTIONS))
    numbers = np.array([QUESTIONS.index(question) for question in rows["question_id"]])
    true = np.eye(len(QUESTIONS))[numbers]
    likeness = Coder(Codebook("students", tuple(codes)), embedder=embedder).score(rows["answer"]).likeness
    read = ~np.isnan(likeness).any(axis=1)
    best = (likeness[read].argmax(axis=1) == numbers[read]).mean()
    f1 = scores_of(true[read], likeness[read] >= 0.5)[2]
    print(f"\n{read.sum()} answers of students to {len(codes)} questions: F1 {f1:.3f}, best code {best:.3f}")


def coded_rows(codebook):
    """Return the answers that were coded by hand, and their codes, shape (1, n, k)."""
    table = pl.read_csv(EXAMPLE / "reviews.csv").filter(pl.col("hand_codes").is_not_null())
    hand = hand_codes([table["hand_codes"].to_list()], codebook, ["hand_codes"])
    return table["text"].to_list(), hand


def how_codes_hold(codebook, texts, hand, embedder):
    """Print the figures of ``semscale code --human`` for each code."""
    coder = Coder(codebook, embedder=embedder).adapt([texts]).learn(texts, hand[0])
    scores = coder.score(texts, hand_coded=np.arange(len(texts)))
    coding = code_answers(scores, hand=HandCodes(hand, ("hand_codes",)))
    alphas = code_alphas(np.stack([coding.held_out_assigned, majority(mean_codes(hand))]))
    rows = []
    print(f"{'code':12} with  area  Brier  of the share  alpha            unsure")
    for code, made, alpha, decisions in zip(
        codebook.names, coding.calibrations, alphas, coding.held_out_assigned.T, strict=True
    ):
        brier, unsure = made.figures.brier.value, int(np.isnan(decisions).sum())
        rows.append((made.area.value, brier, made.figures.brier_of_share, alpha.value))
        print(
            f"{code:12} {made.n_with:4}  {made.area.value:.2f}  {brier:.3f}  "
            f"{made.figures.brier_of_share:12.3f}  {alpha.value:.2f} ({alpha.low:.2f} to {alpha.high:.2f})  "
            f"{unsure:4}"
        )
    means = np.mean(rows, axis=0)
    print(f"{'mean':12}       {means[0]:.3f}  {means[1]:.3f}  {means[2]:12.3f}  {means[3]:.2f}")


def draws_for_hand_coding(codebook, texts, hand, embedder):
    """Print the number of codes with too few answers on a sheet, and the error of corrected shares, by draw.

    The error is computed for answers that are drawn independently with these probabilities, from the distance
    of the hand codes to the forecast that the draw uses.
    """
    likeness = Coder(codebook, embedder=embedder).score(texts).likeness
    readable = ~np.isnan(likeness).any(axis=1)
    likeness, labels, n = likeness[readable], hand[0][readable], int(readable.sum())
    gaps = (labels - probable_codes(likeness)) ** 2
    print(f"{'drawn':8} {'codes with fewer than 5':>24} {'mean error of shares':>22}")
    for way, alike in (("random", True), ("unsure", False)):
        draws = [draw_answers(likeness, DRAWN, alike=alike, seed=seed) for seed in range(DRAWS)]
        few = np.mean([(labels[drawn.rows].sum(axis=0) < FEWEST_OF_EACH).sum() for drawn in draws])
        spread = 1 / draws[0].all_probabilities - 1
        print(f"{way:8} {few:24.2f} {np.sqrt((gaps * spread[:, None]).sum(axis=0) / n**2).mean():22.4f}")


def main():
    parser = Options(__doc__)
    parser.add_size("--model", ["all-MiniLM-L6-v2", "e5-small"], quick=["e5-small"])
    parser.add_size("--draws", 20, quick=1, help="of reviews for hand coding, for F1")
    parser.add_size("--coverage-draws", 500, quick=1, help="for intervals")
    given = parser.parse_args()
    codebook = load_codebook(EXAMPLE / "codes.yaml")
    texts, hand = coded_rows(codebook)
    for model in given.model:
        embedder = RememberingEmbedder(load_embedder(model))
        print(f"\n{model}: reviews of restaurants")
        people_coded_reviews(embedder, given.draws, given.coverage_draws)
        if model == DEFAULT_MODEL:
            answers_without_topic(embedder)
        student_answers(embedder)
        print(f"\n{model}: {len(texts)} answers, {len(codebook.codes)} codes")
        how_codes_hold(codebook, texts, hand, embedder)
        draws_for_hand_coding(codebook, texts, hand, embedder)


if __name__ == "__main__":
    main()
