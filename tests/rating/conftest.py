"""A small survey and a scale for tests of files, handed out by the fixture ``survey``."""

import random
import sys

import polars as pl
import pytest

from semscale.rating.rater import Rater
from semscale.rating.settings import RatingColumns
from semscale.scales import Scale
from semscale.store.reading import open_table

VOCABULARY = ["awful", "so so", "great", "bad", "middling", "lovely", "thing", "stuff", "shipping", "price"]


def some_scale():
    points = [{"value": value, "label": str(value)} for value in (1, 2, 3, 4)]
    sets = {
        "plain": ("awful thing", "so so thing", "great thing", "lovely lovely thing"),
        "other": ("bad stuff", "middling stuff", "great stuff", "lovely price"),
    }
    return Scale(
        name="mood", title="Mood", question="How?", provenance="a test", points=points, anchor_sets=sets
    )


def some_answers(n=60, seed=0):
    """Answers of a survey with everything that real ones have: repeats, blanks, missing cells."""
    rng = random.Random(seed)
    texts = [" ".join(rng.choices(VOCABULARY, k=rng.randint(1, 4))) for _ in range(n)]
    texts[3], texts[7], texts[8] = None, "  ", texts[1]
    return pl.DataFrame(
        {
            "id": [f"r{row}" for row in range(n)],
            "text": texts,
            "region": [rng.choice(["north", "south", None]) for _ in range(n)],
            "weight": [rng.choice(["1", "2.5", "0.5"]) for _ in range(n)],
            "person": [f"p{row // 3}" for row in range(n)],
            "human": [rng.choice(["1", "2", "[3, 4]", "[1, 2]", None]) for _ in range(n)],
        }
    )


ALL_COLUMNS = RatingColumns(text="text", by=("region",), weight="weight", respondent="person", human="human")


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def assert_same_estimates(got, expected):
    assert (got.method, got.seed, got.replicates, got.clustered, got.interval) == (
        expected.method, expected.seed, expected.replicates, expected.clustered, expected.interval,
    )  # fmt: skip
    assert [group.group for group in got.groups] == [group.group for group in expected.groups]
    for actual, other in zip([got.overall, *got.groups], [expected.overall, *expected.groups], strict=True):
        assert (actual.n, actual.left_out) == (other.n, other.left_out)
        for figure, same in zip(
            [actual.mean, actual.net, *actual.pmf], [other.mean, other.net, *other.pmf], strict=True
        ):
            assert (figure.value, figure.low, figure.high) == pytest.approx(
                (same.value, same.low, same.high), abs=1e-5, nan_ok=True
            )


class Failing:
    """An embedder that fails once, when it meets a text for the n-th time."""

    def __init__(self, inner, failure, after):
        self.inner, self.failure, self.left = inner, failure, after

    @property
    def dimensions(self):
        return self.inner.dimensions

    @property
    def signature(self):
        return self.inner.signature

    def embed(self, texts, *, progress=None):
        self.left -= 1
        if self.left == 0:
            raise self.failure
        return self.inner.embed(texts, progress=progress)


def failing_rater(toy_embedder, failure, after):
    after += 1  # the anchors of the scale of sentiment are embedded as well
    return Rater(some_scale(), embedder=Failing(toy_embedder, failure, after), floor=None)


@pytest.fixture(scope="session")
def survey():
    """The functions and classes of this file."""
    return sys.modules[__name__]


@pytest.fixture
def rater(toy_embedder):
    return Rater(some_scale(), embedder=toy_embedder, floor=None)


@pytest.fixture
def answers(tmp_path):
    frame = some_answers()
    path = tmp_path / "answers.parquet"
    frame.write_parquet(path)
    return open_table(path)
