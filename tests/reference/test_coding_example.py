"""The coding example: how well codes part sentences that have them from others, with the real model."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from semscale.coding.codebook import load_codebook
from semscale.coding.coder import Coder
from semscale.coding.coding import code_answers
from semscale.coding.labels import HandCodes, hand_codes

FOLDER = Path(__file__).parents[2] / "examples" / "coding"


@pytest.fixture(scope="module")
def table():
    return pl.read_csv(FOLDER / "reviews.csv")


@pytest.fixture(scope="module")
def coding(table, embedder):
    book = load_codebook(FOLDER / "codes.yaml")
    hand = hand_codes([table["hand_codes"].to_list()], book, ["hand_codes"])
    scores = Coder(book, embedder=embedder).score(table["text"].to_list())
    return code_answers(scores, hand=HandCodes(hand, ("hand_codes",)))


@pytest.fixture(scope="module")
def learned(table, embedder, coding):
    """Codes by a coder that has learned from the answers and the hand codes."""
    texts, means = table["text"].to_list(), coding.hand.codes[0]
    rows = np.flatnonzero(coding.hand.coded)
    positions = np.full(len(texts), -1)
    positions[rows] = np.arange(len(rows))
    coder = Coder(coding.codebook, embedder=embedder).adapt([texts])
    coder = coder.learn([texts[row] for row in rows], means[rows])
    return code_answers(coder.score(texts, hand_coded=positions), hand=coding.hand)


def test_the_example_is_as_its_readme_says(table):
    assert table.height == 1200
    assert table["hand_codes"].is_not_null().sum() == 240
    assert set(table["product"].unique()) == {"dvd player", "camera", "phone", "mp3 player"}


def mean_area(coding):
    return np.mean([calibration.area.value for calibration in coding.calibrations])


def test_areas_are_those_of_the_documentation(coding, learned):
    assert mean_area(coding) == pytest.approx(0.95, abs=0.01)
    assert mean_area(learned) == pytest.approx(0.96, abs=0.01)


def test_every_code_is_calibrated_and_better_than_its_share_alone(coding):
    for calibration in coding.calibrations:
        assert calibration.figures.brier.value < calibration.figures.brier_of_share


def test_likeness_without_labels_gives_codes_about_as_often_as_hands_do(coding):
    hand = coding.hand.codes[0]
    rows = ~np.isnan(hand).all(axis=1)
    ratio = (coding.likeness[rows] >= 0.5).sum() / np.nansum(hand[rows])
    assert 0.75 < ratio < 1.8  # as in the domains of docs/validity.md
