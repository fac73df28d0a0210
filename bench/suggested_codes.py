"""Codes that ``code suggest`` proposes, compared with people's topics and with topics of other libraries.

Run with ``python bench/suggested_codes.py``. Restaurants: 350 reviews, 2,000 sentences, with topics that
people coded, in ``../shared/data/topics``. Thresholds were chosen on lounge reviews
(``constructs/lounge-*.csv``) and product reviews (``amazon_snippets``); the rules for the number of codes and
for general remarks were settled with results on the restaurant reviews in view, so their figures may flatter.
F1 is the mean over people's topics of the best one-to-one matching with the codes; ``codes and nets`` matches
with proposed nets as well. Deterministic for one seed; ``--seeds`` repeats it. BERTopic and Top2Vec get the
same sentences and clauses and the same vectors; their settings are the defaults, except for a seed and words
of Top2Vec from 20 occurrences on. Their topics are also reduced, by their own methods, to the number of codes
that were suggested. They need an environment with both (``--peer``).
"""

import csv
import json
import re
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

from measuring import Options
from semscale import load_embedder
from semscale.coding.suggesting import suggest
from semscale.text_units import sentences_in
from shared_data import shared_data

PEER_WORDS = 20  # fewest occurrences of a word that gets a vector for Top2Vec


def restaurant_reviews():
    """Return the sentences of each review and people's topics of each sentence."""
    with shared_data("topics", "restaurants.csv").open(encoding="utf-8", newline="") as file:
        return [json.loads(row["sentences"]) for row in csv.DictReader(file)]


def plain_texts(name):
    """Return the different texts of a set without topics: ``lounge`` or ``amazon``."""
    paths = {
        "lounge": [shared_data("constructs", f"lounge-{part}.csv") for part in ("comfort", "staff")],
        "amazon": [shared_data("amazon_snippets", "snippets.csv")],
    }
    texts = []
    for path in paths[name]:
        with path.open(encoding="utf-8", newline="") as file:
            texts += [row["text"] for row in csv.DictReader(file)]
    return list(dict.fromkeys(texts))


def matched_f1(topics, codes):
    """Return the mean F1 of topics (n, t) in the best one-to-one matching with codes (n, k), and each.

    A topic without a partner has 0.
    """
    both = topics.T.astype(float) @ codes
    f1 = 2 * both / np.maximum(topics.sum(axis=0)[:, None] + codes.sum(axis=0), 1)
    rows, columns = linear_sum_assignment(-f1)
    each = np.zeros(topics.shape[1])
    each[rows] = f1[rows, columns]
    return each.mean(), each


class Reviews:
    """Reviews with people's topics by sentence and by review.

    Attributes:
        texts: the reviews.
        sentences: the sentences of all reviews.
        review: shape (s,), the review of each sentence.
        names: people's topics.
        by_sentence, by_review: shapes (s, t) and (n, t).
    """

    def __init__(self, reviews):
        self.texts = [" ".join(text for text, _ in sentences) for sentences in reviews]
        self.sentences = [text for sentences in reviews for text, _ in sentences]
        self.review = np.repeat(np.arange(len(reviews)), [len(sentences) for sentences in reviews])
        marked = [set(topics) for sentences in reviews for _, topics in sentences]
        self.names = sorted(set().union(*marked))
        self.by_sentence = np.array([[name in some for name in self.names] for some in marked])
        self.by_review = self.of_reviews(self.by_sentence)

    def of_reviews(self, codes):
        """Return the codes of reviews (n, k) that have a sentence with the code (s, k)."""
        found = np.zeros((len(self.texts), codes.shape[1]), dtype=bool)
        np.logical_or.at(found, self.review, codes)
        return found

    def scores(self, codes):
        """Return F1 at the levels of sentences and of reviews, for codes of sentences (s, k)."""
        return matched_f1(self.by_sentence, codes), matched_f1(self.by_review, self.of_reviews(codes))


def with_nets(codes, nets):
    """Add a column for each net: any of its codes."""
    return np.concatenate([codes, *(codes[:, list(net)].any(axis=1)[:, None] for net in nets)], axis=1)


def suggested(reviews, embedder, seed):
    """Return the proposal for reviews, its codes of each sentence, and the seconds it took."""
    start = time.perf_counter()
    summary = suggest(reviews.texts, embedder, seed=seed)
    seconds = time.perf_counter() - start
    found, _ = summary.topics.assign(reviews.sentences, embedder)
    codes = np.zeros((len(found), len(summary.codes)), dtype=bool)
    for row, some in enumerate(found):
        codes[row, some] = True
    return summary, codes, seconds


def print_scores(name, reviews, codes, n):
    sentence, review = reviews.scores(codes)
    cells = (f"{label} {value:.2f}" for label, value in zip(reviews.names, sentence[1], strict=True))
    print(f"{name:34} {n:5} {sentence[0]:9.3f} {review[0]:7.3f}   {', '.join(cells)}", flush=True)


def print_restaurants(embedder, seeds, python):
    """Print F1 with people's topics: of proposed codes, with nets, and of the other libraries."""
    reviews = Reviews(restaurant_reviews())
    print(f"{'':34} {'codes':>5} {'sentences':>9} {'reviews':>7}   F1 of each topic (sentences)")
    for seed in range(seeds):
        summary, codes, seconds = suggested(reviews, embedder, seed)
        print_scores(f"code suggest, seed {seed}", reviews, codes, len(summary.codes))
        print_scores(
            "  codes and nets",
            reviews,
            with_nets(codes, summary.nets),
            len(summary.codes) + len(summary.nets),
        )
        print(f"  {summary.n_stable} stable, {seconds:.1f} s")
    for library in ("BERTopic", "Top2Vec"):
        print_peer(library, reviews, embedder, python, len(summary.codes))


def print_peer(library, reviews, embedder, python, n_codes):
    """Print the figures of another library on the same clauses and vectors, and when reduced to n topics."""
    clauses = [
        (clause.text(text), number)
        for number, text in enumerate(reviews.sentences)
        for sentence in sentences_in(text)
        for clause in sentence.clauses
    ]
    texts = [text for text, _ in clauses]
    counts = Counter(word for text in texts for word in re.findall(r"[^\W\d_]{2,}", text.lower()))
    words = [word for word, n in counts.items() if n >= PEER_WORDS]
    content = {
        "texts": texts,
        "vectors": embedder.embed(texts).vectors.tolist(),
        "reduced": n_codes,
        "words": words,
        "word_vectors": embedder.embed(words).vectors.tolist(),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        script = Path(__file__).with_name("peers") / "topics_peer.py"
        try:
            ended = subprocess.run(
                [python, script, library, path], capture_output=True, text=True, check=True
            )
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{library}: not measured ({str(getattr(error, 'stderr', error) or error).strip()[-200:]})")
            return
    found = json.loads(ended.stdout.splitlines()[-1])
    for kind in ("all", "reduced"):
        labels = np.array(found[kind]["labels"])
        codes = np.zeros((len(reviews.sentences), int(labels.max(initial=-1)) + 1), dtype=bool)
        for label, (_, sentence) in zip(labels, clauses, strict=True):
            if label >= 0:
                codes[sentence, label] = True
        print_scores(f"{library} {found['version']}, {kind}", reviews, codes, codes.shape[1])
        for topic, some in list(found[kind]["words"].items())[:10]:
            print(f"    {topic}: {' '.join(some)}")


def print_codes(name, texts, embedder):
    """Print proposed codes of a set, to be judged by readers who know nothing about it."""
    summary = suggest(texts, embedder)
    covered = 1 - summary.n_without / summary.n_sampled
    print(
        f"\n{name}: {summary.n_stable} of {len(summary.codes)} codes stable, {covered:.0%} of answers coded, "
        f"nets {[list(codes) for codes in summary.named_nets.values()]}"
    )
    for code in summary.codes:
        print(f"  {code.share:4.0%} {code.shown_jaccard:.2f} {code.name:28} {', '.join(code.words)}")


def main():
    parser = Options(__doc__)
    parser.add_size("--model", ["all-MiniLM-L6-v2", "e5-small"], quick=["all-MiniLM-L6-v2"])
    parser.add_size("--seeds", 3, quick=1, help="repetitions with other random halves")
    parser.add_peer("BERTopic and Top2Vec")
    options = parser.parse_args()
    for model in options.model:
        embedder = load_embedder(model)
        print(f"\n{model}")
        print_restaurants(embedder, options.seeds, options.peer)
        reviews = Reviews(restaurant_reviews())
        for name in ("restaurants",) if options.quick else ("restaurants", "lounge", "amazon"):
            texts = reviews.texts if name == "restaurants" else plain_texts(name)
            print_codes(name, texts, embedder)


if __name__ == "__main__":
    main()
