"""Topics of units: no sentiment, no general remarks, and no subject of the survey."""

import numpy as np
import pytest

from semscale.coding.suggesting import suggest
from semscale.coding.topics import TopicSpace, has_topic, sentiment_axes
from semscale.embedding.embedder import Embeddings
from semscale.errors import InputError
from semscale.signature import Signature

GOOD = {"good", "great", "excellent", "fantastic", "wonderful", "superb", "like", "well", "praise", "amazing"}
BAD = {"bad", "poor", "terrible", "failed", "nobody", "dislike", "complaints", "worthless", "displeased"}
AXES = ("soup", "waiter", "price", "back", "cafe")


class MoodEmbedder:
    """Embeds a text by five words and, three times as strongly, by praise and blame."""

    dimensions = len(AXES) + 2
    signature = Signature.of("embed", model="mood")

    def embed(self, texts, *, progress=None):
        rows = []
        for text in texts:
            words = text.lower().replace(".", " ").replace(",", " ").replace("return", "back").split()
            mood = sum(word in GOOD for word in words) - sum(word in BAD for word in words)
            rows.append([*(words.count(word) for word in AXES), 3 * np.sign(mood), 0.5])
        vectors = np.array(rows, dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return Embeddings(
            vectors, np.ones(len(texts), dtype=np.int64), np.zeros(len(texts), dtype=np.float32)
        )


@pytest.fixture
def embedder():
    return MoodEmbedder()


def reviews(*topics):
    """Write 20 good and 20 bad answers about each topic."""
    return [
        f"the {topic} was {mood} x{n}" for topic in topics for mood in ("great", "bad") for n in range(20)
    ]


def test_codes_are_topics_where_praise_and_blame_differ_most(embedder):
    cells = reviews("soup", "waiter", "price")
    vectors = embedder.embed(cells).vectors
    assert vectors[0] @ vectors[40] > vectors[0] @ vectors[20]  # the nearest answers have the same mood
    summary = suggest(cells, embedder)
    assert sorted(code.name for code in summary.codes) == ["price", "soup", "waiter"]
    assert [code.n for code in summary.codes] == [40, 40, 40]
    assert all(code.is_stable for code in summary.codes)


def test_sentiment_is_the_direction_in_which_general_anchors_differ(embedder):
    axes = sentiment_axes(embedder)
    mood = np.zeros(embedder.dimensions)
    mood[len(AXES)] = 1
    # The anchors differ in their mood and in how much of the axis that all texts share is left beside it.
    assert np.linalg.norm(axes @ mood) == pytest.approx(1)
    assert np.abs(axes[:, : len(AXES)]).max() < 1e-6
    space = TopicSpace.from_vectors(embedder.embed(reviews(*AXES)).vectors, axes)
    great, bad = space.project(embedder.embed(["great soup", "bad soup"]).vectors)
    assert great == pytest.approx(bad, abs=1e-6)


def test_general_remarks_are_no_code(embedder):
    cells = [*reviews("soup", "waiter"), *(f"I will be back x{n}" for n in range(60))]
    summary = suggest(cells, embedder)
    assert sorted(code.name for code in summary.codes) == ["soup", "waiter"]
    assert summary.n_without == 60


@pytest.mark.parametrize(("n_with", "expected"), [(50, ["cafe", "soup", "waiter"]), (80, ["soup", "waiter"])])
def test_a_word_of_three_in_four_answers_is_the_subject_and_no_code(embedder, n_with, expected):
    # Of 100 answers, n_with have a sentence about the cafe.
    cells = [
        f"the {topic} was x{n}" + f". A cafe in town {topic[0]}{n}" * (n % 10 < n_with / 10)
        for topic in ("soup", "waiter")
        for n in range(50)
    ]
    assert sorted(code.name for code in suggest(cells, embedder).codes) == expected


def test_too_many_topics_and_none_are_refused_with_a_remedy(embedder):
    with pytest.raises(InputError, match="most must be higher, as the answers show more than 2 topics"):
        suggest(reviews("soup", "waiter", "price"), embedder, most=2)
    with pytest.raises(InputError, match="do not differ"):
        suggest([f"nothing x{n}" for n in range(30)], embedder)


def test_a_unit_has_all_topics_that_are_nearly_as_near_as_the_nearest():
    # The bound is .25; .7 of the highest .6 is .42.
    projections = np.array([[0.6, 0.43, 0.41], [0.24, 0.2, 0.1], [0.26, 0.2, 0.1]])
    assert has_topic(projections).tolist() == [[True, True, False], [False] * 3, [True, False, False]]


def test_the_same_seed_gives_the_same_codes(embedder):
    first, second = (suggest(reviews("soup", "waiter", "price"), embedder, seed=4) for _ in range(2))
    assert first.codes == second.codes
    assert first.topics.nearness.tolist() == second.topics.nearness.tolist()
