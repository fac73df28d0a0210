"""The example with two waves: rated by wave, and tabulated with the change between waves."""

import json
import runpy
from pathlib import Path

import polars as pl
import pytest

WAVES = Path(__file__).parents[2] / "examples" / "waves"
FILE = WAVES / "reviews.csv"
BY_WAVE = ("--wave", "wave", "--cluster", "review", "--json")


def change(ended):
    """The mean's line in the table by wave: the cell of W2, with its change from W1."""
    assert ended.code == 0
    table = next(entry for entry in json.loads(ended.out)["tables"] if entry["banner"] == "wave")
    assert [column["name"] for column in table["columns"]] == ["Total", "W1", "W2"]
    (line,) = (entry for entry in table["lines"] if entry["statistic"] == "mean")
    return line["cells"][-1]["change"]


def means_by_wave(frame, column):
    return dict(frame.group_by("wave").agg(pl.col(column).mean()).rows())


def test_the_file_is_the_stated_split():
    rows = pl.read_csv(FILE)
    assert rows.equals(runpy.run_path(str(WAVES / "split.py"))["waves"]().select(rows.columns))
    # Sentences of one review stay together.
    assert rows.group_by("review").agg(pl.col("wave").n_unique())["wave"].max() == 1
    assert dict(rows.group_by("wave").agg(pl.col("review").n_unique()).rows()) == {"W1": 53, "W2": 53}


def test_ratings_of_people_change_by_the_difference_of_means(semscale):
    difference = change(semscale("tables", FILE, "--question", "rating", "--numeric", "rating", *BY_WAVE))
    means = means_by_wave(pl.read_csv(FILE), "rating")
    assert difference["value"] == pytest.approx(means["W2"] - means["W1"])
    # A split by chance: no change beyond it.
    assert difference["low"] < 0 < difference["high"]
    assert difference["p"] > 0.05


def test_rated_texts_are_compared_between_waves(semscale, tmp_path):
    ended = semscale(
        *("rate", FILE, "--text", "text", "--scale", "quality", "--by", "wave", "--respondent", "review"),
        *("--out", "rated.csv", "--json"),
    )
    groups = {entry["group"]: entry for entry in json.loads(ended.out)["estimates"]["groups"]}
    means = means_by_wave(pl.read_csv(tmp_path / "rated.csv"), "semscale_mean")
    for wave in ("W1", "W2"):
        assert groups[wave]["figures"]["mean"]["value"] == pytest.approx(means[wave])
    difference = change(semscale("tables", "rated.csv", "--question", "text", *BY_WAVE))
    assert difference["value"] == pytest.approx(means["W2"] - means["W1"], abs=1e-6)
