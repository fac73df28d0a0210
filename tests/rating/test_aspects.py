"""Scales about one aspect: vectors of texts by their parts, and texts that are not about it."""

import numpy as np
import pytest
from tests.conftest import ToyEmbedder

from semscale.embedding.embedder import ArrayEmbedder
from semscale.rating.anchors import unrelated_sentences
from semscale.rating.aspects import AspectReader, parts_of
from semscale.rating.rater import Rater
from semscale.scales.scale import Scale
from semscale.types import Status

RUDE = "The staff were rude, but the seats were wonderful."

LUNCH = "Lunch is served at noon."


def unit(*numbers):
    return np.array(numbers) / np.linalg.norm(numbers)


@pytest.fixture
def reader():
    """Staff lies along the first axis, and all unrelated sentences have a cosine of .5 with it."""
    vectors = {
        "the staff": (1.0, 0.0, 0.0),
        RUDE: (0.0, 1.0, 0.0),
        "The staff were rude": (0.8, 0.6, 0.0),
        "but the seats were wonderful.": (0.78, 0.0, np.sqrt(1 - 0.78**2)),
        LUNCH: (0.3, 0.0, np.sqrt(1 - 0.3**2)),
        **dict.fromkeys(unrelated_sentences(), (0.5, 0.0, np.sqrt(0.75))),
    }
    return AspectReader("the staff", "en", ArrayEmbedder(list(vectors), list(vectors.values())))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("All good here", ["All good here"]),
        ("Good, cheap, fast.", ["Good, cheap, fast."]),  # no clause has two words
        ("We came late; nobody cared - it was awful", ["We came late", "nobody cared", "it was awful"]),
        (
            "Rude staff at the desk and no seats left. Never again!",
            ["Rude staff at the desk", "and no seats left.", "Never again!"],
        ),
    ],
)
def test_parts_are_the_clauses_of_all_sentences(text, parts):
    assert parts_of(text) == parts


def test_a_text_is_a_third_itself_and_two_thirds_its_parts_by_their_nearness(reader):
    # Cosines .8 and .78 with the aspect: weights 1 and exp(-1), that is .7311 and .2689.
    embedded, is_about = reader.read([RUDE])
    parts = 0.731059 * np.array([0.8, 0.6, 0]) + 0.268941 * np.array([0.78, 0, np.sqrt(1 - 0.78**2)])
    assert embedded.vectors[0] == pytest.approx(unit(*(2 * parts + [0, 1, 0])), abs=1e-5)
    assert is_about.tolist() == [True]


def test_a_text_no_part_of_which_is_near_is_not_about_the_aspect(reader):
    assert reader.floor == pytest.approx(0.5)
    assert reader.read([LUNCH, RUDE])[1].tolist() == [False, True]


def test_a_text_is_the_same_alone_and_in_company(reader):
    together = reader.read([LUNCH, RUDE, LUNCH])[0].vectors
    assert together[1].tolist() == reader.read([RUDE])[0].vectors[0].tolist()
    assert together[0].tolist() == together[2].tolist()


def about_price(survey):
    return Scale(**{**survey.some_scale().model_dump(), "aspect": "price"})


def test_texts_that_are_not_about_the_aspect_have_no_rating_and_are_counted(survey):
    rater = Rater(about_price(survey), embedder=ToyEmbedder(), floor=None)
    ratings = rater.rate(["lovely price", "great thing", None, "price"])
    assert ratings.status.tolist() == [Status.SCORED, Status.NOT_ABOUT, Status.MISSING, Status.SCORED]
    assert np.isnan(ratings.pmf[1]).all()
    assert np.isnan(ratings.set_means[1]).all()
    assert ratings.summarize().counts[Status.NOT_ABOUT] == 1


def test_the_aspect_is_part_of_the_scale_s_hash_and_of_calibrations(survey):
    plain, about = survey.some_scale(), about_price(survey)
    assert plain.content_hash != about.content_hash
    assert Scale(**{**plain.model_dump(), "aspect": None}).content_hash == plain.content_hash
