"""The quality scale with all-MiniLM-L6-v2 against people: 3,704 sentences of reviews, 20 ratings each."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr

from semscale.embedding.texts import is_wordless
from semscale.rating.rater import Rater
from semscale.types import Status

REVIEWS = Path(__file__).parents[2] / "examples" / "product_reviews.csv"
CHOSEN_ON = 0  # seed of the half on which bench/anchors.py chose the anchor sets

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def reviews():
    with REVIEWS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    readable = [row for row in rows if not is_wordless(row["text"])]
    assert len(rows) - len(readable) == 4  # three times "!", once "..."
    return readable


@pytest.fixture(scope="module")
def human(reviews):
    return np.array([float(row["human_mean"]) for row in reviews])


@pytest.fixture(scope="module")
def ratings(reviews, embedder):
    return Rater("quality", embedder=embedder, floor=None).rate([row["text"] for row in reviews])


def other_half(reviews):
    review = np.array([row["review"] for row in reviews])
    names = np.unique(review)
    np.random.default_rng(CHOSEN_ON).shuffle(names)
    return ~np.isin(review, names[: len(names) // 2])


def test_on_the_half_on_which_nothing_was_chosen(reviews, human, ratings):
    rows = other_half(reviews)
    assert 1500 < rows.sum() < 2200
    assert pearsonr(ratings.mean[rows], human[rows])[0] >= 0.58


def test_on_all_reviews(human, ratings):
    assert pearsonr(ratings.mean, human)[0] >= 0.58


def test_all_sets_together_correlate_better_than_any_single_set(reviews, human, ratings):
    rows = other_half(reviews)
    alone = [pearsonr(means[rows], human[rows])[0] for means in ratings.set_means.T]
    assert pearsonr(ratings.mean[rows], human[rows])[0] > max(alone)


def test_the_floor_rejects_few_sentences_that_have_an_opinion(reviews, human, embedder):
    rated = Rater("quality", embedder=embedder).rate([row["text"] for row in reviews])
    rejected = np.array([status == Status.OFF_TOPIC for status in rated.status])
    # At most 5 % of texts that people rated, and fewer of those with a clear opinion (1.5 or more from 0).
    assert 0 < rejected.mean() < 0.05
    assert rejected[np.abs(human) >= 1.5].mean() < rejected.mean()
