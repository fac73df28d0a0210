"""A gate asked every night, whose history tells the noise of the baseline's model."""

import json
from pathlib import Path

import numpy as np
import pytest

from semscale.drift.nights.night_noise import FEWEST_NIGHTS

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parents[2]
VERSIONS = [
    ROOT / "examples" / "drift" / "candidate_good.jsonl",
    *(ROOT / "bench" / "data" / f"feedback_rerun_{number}.jsonl" for number in (2, 3)),
]
ONE_METRIC = ("--metric", "match")


@pytest.fixture
def nights(tmp_path):
    """Files of honest nights: at each item one of three rewordings, another mixture each night."""
    lines = [path.read_text("utf-8").splitlines() for path in VERSIONS]
    rng, paths = np.random.default_rng(0), []
    for night in range(FEWEST_NIGHTS + 1):
        chosen = rng.integers(len(lines), size=len(lines[0]))
        mixed = [lines[which][place] for place, which in enumerate(chosen)]
        path = tmp_path / f"night-{night}.jsonl"
        path.write_text("\n".join(mixed) + "\n", encoding="utf-8")
        paths.append(path)
    return paths


def test_nights_of_the_same_model_tell_the_noise(semscale, approved, nights, tmp_path):
    *before, last = nights
    for path in before:
        found = json.loads(semscale("drift", "gate", path, "--model", "model-a", *ONE_METRIC, "--json").out)
    assert found["nights"] == len(before) - 1
    assert found["tests"][0]["nights_as_reruns"] == 0  # one night too few
    off = tmp_path / "off.yaml"
    off.write_text("noise_history: false\n")
    asked = ("drift", "gate", last, "--model", "model-a", *ONE_METRIC)
    for without in (("--gate", off), ("--no-noise-history",)):
        alone = json.loads(semscale(*asked, *without, "--json").out)
        assert (alone["nights"], alone["tests"][0]["nights_as_reruns"]) == (0, 0)
    found = json.loads(semscale(*asked, "--json").out)
    assert found["nights"] == len(before)
    assert 0 < found["tests"][0]["nights_as_reruns"] < 1.4
    assert found["tests"][0]["p_value"] == alone["tests"][0]["p_value"]
    shown = " ".join(semscale(*asked).out.split())
    assert "noise: 1 rerun here; 5 earlier runs of model-a count as" in shown
    other = json.loads(semscale("drift", "gate", last, "--model", "model-b", *ONE_METRIC, "--json").out)
    assert other["nights"] == len(before) + 1  # tonight's run of model-a is one of them now
