"""Sentiment by topic: agreement with people on restaurant reviews, and its cost.

Run with ``python bench/code_sentiment.py --polarity FILE``. People marked the polarity of each topic in each
sentence: the training reviews of restaurants of SemEval-2016 task 5, subtask 1 (Pontiki et al. 2016,
``ABSA16_Restaurants_Train_SB1_v2.xml``, from https://alt.qcri.org/semeval2016/task5/, for research use).
``FILE`` is a CSV with a row for each topic of a sentence, in four columns:

- ``review``: the ``rid`` of the ``Review``
- ``sentence``: position of the ``sentence`` in its review, from 0
- ``topic``: the entity before the ``#`` of an ``Opinion``'s ``category``, in lower case (``ambience``,
  ``drinks``, ``food``, ``location``, ``restaurant``, ``service``), and ``price`` if ``PRICES`` follows it
- ``polarity``: ``positive``, ``neutral``, ``negative``, or ``mixed`` if opinions in a sentence differ

The text that is rated was chosen on every other review, the other half is reported. Reported on whole reviews
as well: the polarity of a topic is that of the majority of its sentences, and the share of positive ones is
compared with that of people.

Two further tables are about hurried answers. The first has names of topics, which judge nothing: those of the
eight domains on which the rule for them was chosen, and of restaurants. The second has pairs of short
sentences on different topics, one praised and one blamed, without any punctuation.
"""

import csv
import json
import random
from pathlib import Path
from time import perf_counter

import numpy as np

from coded_domains import learning_domains, restaurants
from measuring import Options
from semscale import load_embedder
from semscale.coding.coder import Coder
from semscale.coding.coding import code_answers
from semscale.coding.sentiment import SentimentRater, sentiment_rater
from semscale.coding.units import CodedUnit
from semscale.coding.words import words_in
from semscale.rating.rater import Rater
from semscale.stats.correlations import roc_area
from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL
from shared_data import shared_data

MIDDLE = 3.0
LENGTHS, PAIRS = range(2, 7), 400  # words of a sentence; pairs of sentences
VALUES = {"positive": 1, "neutral": 0, "negative": -1, "mixed": 0}


def polarities(domain, path):
    """Return people's polarity of each code of each sentence, shape (m, k): 1, 0, -1, or NaN if unmarked."""
    folder = shared_data("topics")
    with (folder / "restaurants.csv").open(encoding="utf-8", newline="") as file:
        reviews = [(row["review"], len(json.loads(row["sentences"]))) for row in csv.DictReader(file)]
    first = dict(zip([name for name, _ in reviews], np.cumsum([0, *(n for _, n in reviews)]), strict=False))
    marked = np.full(domain.codes.shape, np.nan)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            sentence = first[row["review"]] + int(row["sentence"])
            marked[sentence, domain.codebook.names.index(row["topic"])] = VALUES[row["polarity"]]
    return marked


def agreement(ratings, people):
    """Return area, accuracy and share of positive ratings of the pairs that people marked clearly."""
    clear = (np.abs(people) == 1) & ~np.isnan(ratings)
    ratings, positive = ratings[clear], people[clear] == 1
    area = roc_area(ratings[positive], ratings[~positive]).value
    return (
        area,
        ((ratings > MIDDLE) == positive).mean(),
        (ratings > MIDDLE).mean(),
        positive.mean(),
        len(ratings),
    )


def of_sentences(domain, people, coder):
    """Print agreement by model and by the text that is rated, for each half of the reviews."""
    sentences, codes = np.nonzero(~np.isnan(people))
    texts = [domain.sentences[row] for row in sentences]
    evidence = coder.score(domain.sentences).evidence[sentences, codes]
    clauses = [text if clause is None else clause for text, clause in zip(texts, evidence, strict=True)]
    marked, is_odd = people[sentences, codes], domain.answers[sentences] % 2 == 1
    differs = np.array([len(set(people[row][~np.isnan(people[row])])) > 1 for row in sentences])
    print(f"{'model':20} {'rated':9} reviews     n  area  correct  positive  people  correct, if mixed")
    for model in (DEFAULT_RATING_MODEL, DEFAULT_MODEL):
        rater = Rater("quality", embedder=load_embedder(model))
        whole, part = rater.rate(texts).mean, rater.rate(clauses).mean
        rated = {"sentence": whole, "clause": part, "mean": np.nanmean([whole, part], axis=0)}
        for half, rows in (("odd", is_odd), ("even", ~is_odd)):
            for name, values in rated.items():
                area, correct, share, people_share, n = agreement(values[rows], marked[rows])
                mixed = agreement(values[rows & differs], marked[rows & differs])[1]
                print(
                    f"{model:20} {name:9} {half:7} {n:5} {area:5.3f} {correct:8.1%} {share:9.1%} "
                    f"{people_share:7.1%} {mixed:8.1%}"
                )


def of_reviews(domain, people, coder):
    """Print agreement on topics of whole reviews, as ``semscale code`` assigns and rates them."""
    reviews = domain.texts()
    n = len(reviews)
    sums = np.zeros((n, people.shape[1]))
    np.add.at(sums, domain.answers, np.nan_to_num(people))
    is_marked = domain.in_answers((~np.isnan(people)).astype(float)) == 1
    majority = np.where(is_marked & (sums != 0), np.sign(sums), np.nan)
    for name, rater in (
        ("without", None),
        ("with", sentiment_rater("quality", coder.embedder, coder.language)),
    ):
        began = perf_counter()
        scores = Coder(domain.codebook, embedder=load_embedder(DEFAULT_MODEL)).adapt([reviews]).score(reviews)
        coding = code_answers(scores, rater=rater)
        print(f"{name} sentiment: {perf_counter() - began:.1f} s for {n} reviews")
    is_odd = np.arange(n) % 2 == 1
    for half, rows in (("odd", is_odd), ("even", ~is_odd)):
        area, correct, *_, pairs = agreement(coding.sentiment[rows].ravel(), majority[rows].ravel())
        print(f"\n{half} reviews, {pairs} topics people marked: area {area:.3f}, correct {correct:.1%}")
        print(f"{'code':12} answers  positive  people, same answers  people, all with the topic")
        for code, title in enumerate(domain.codebook.names):
            positive, true = coding.positive[rows, code], majority[rows, code]
            both = ~np.isnan(positive) & ~np.isnan(true)
            shares = (positive[both].mean(), (true[both] == 1).mean(), (true[~np.isnan(true)] == 1).mean())
            print(f"{title:12} {both.sum():7} {shares[0]:9.0%} {shares[1]:21.0%} {shares[2]:27.0%}")


def names_of_topics(domains):
    """Print the share of names of topics that are called positive by their rating, and by the coder."""
    names = sorted(
        {text for domain in domains for code in domain.codebook.codes for text in (code.name, *code.keywords)}
    )
    rater = SentimentRater("quality")
    print(f"{len(names):4} names of topics: positive if all are rated, positive, not rated")
    for form in ("{}", "the {}", "{}!!!"):
        texts = [form.format(name.upper() if "!" in form else name) for name in names]
        units = np.full((len(texts), 1), None, dtype=object)
        units[:, 0] = [(CodedUnit(text, text),) for text in texts]
        ratings = rater.rate(units, np.ones(units.shape, np.bool_))
        every = (Rater("quality").rate(texts).mean > MIDDLE).mean()
        print(f"{form:10} {every:6.0%} {(ratings > MIDDLE).mean():6.0%} {np.isnan(ratings).mean():6.0%}")


def unpunctuated_pairs(domain, people, coder):
    """Print how often both topics of two joined sentences have the polarity that people marked."""
    rng = random.Random(0)
    for half, odd in (("odd", True), ("even", False)):
        short = [
            (words_in(text), int(np.flatnonzero(~np.isnan(marks))[0]), marks[~np.isnan(marks)][0])
            for text, marks, answer in zip(domain.sentences, people, domain.answers, strict=True)
            if (answer % 2 == 1) == odd and (~np.isnan(marks)).sum() == 1 and len(words_in(text)) in LENGTHS
        ]
        pairs = [(a, b) for a in short for b in short if a[1] != b[1] and a[2] * b[2] < 0]
        pairs = rng.sample(pairs, min(PAIRS, len(pairs)))
        texts = [" ".join((*first[0], *second[0])) for first, second in pairs]
        rater = sentiment_rater("quality", coder.embedder, coder.language)
        coding = code_answers(coder.score(texts), rater=rater)
        right = [
            np.nan
            if np.isnan(coding.positive[row, code])
            else (coding.positive[row, code] == 1) == (mark > 0)
            for row, pair in enumerate(pairs)
            if (coding.assigned[row, [code for _, code, _ in pair]] == 1).all()
            for _, code, mark in pair
        ]
        print(
            f"{half} reviews: {len(right)} topics of unpunctuated pairs, {np.isnan(right).sum()} not rated, "
            f"{np.nanmean(right):.1%} of the others correct"
        )


def main():
    options = Options(__doc__)
    options.add_argument(
        "--polarity", type=Path, metavar="FILE", help="CSV of people's polarities, see above"
    )
    path = options.parse_args().polarity
    if path is None:
        print("skipped code_sentiment.py: it needs --polarity FILE; --help says how to make the file")
        return
    domain = restaurants()
    people = polarities(domain, path)
    coder = Coder(domain.codebook, embedder=load_embedder(DEFAULT_MODEL)).adapt([domain.sentences])
    of_sentences(domain, people, coder)
    of_reviews(domain, people, coder)
    names_of_topics(learning_domains())
    names_of_topics([domain])
    unpunctuated_pairs(domain, people, coder)


if __name__ == "__main__":
    main()
