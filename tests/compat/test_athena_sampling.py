import json

import pytest

from semscale.compat.athena import sample_exercise, sample_exercises, score_bucket
from semscale.errors import InputError


def exercise(*scores, language="ENGLISH"):
    submissions = [
        {"id": number, "score": score, "language": language} for number, score in enumerate(scores)
    ]
    return {"id": 7, "title": "Trees", "submissions": submissions}


def ids(sampled):
    return [item["id"] for item in sampled["submissions"]]


@pytest.mark.parametrize(
    ("score", "bucket"),
    [(0, "0"), (0.1, "0-9"), (9.9, "0-9"), (10, "10-19"), (89, "80-89"), (99.5, "90-99"), (100.0, "100")],
)
def test_buckets(score, bucket):
    assert score_bucket(score) == bucket


@pytest.mark.parametrize("score", [-1, 100.5, float("nan"), "90", True, None])
def test_scores_outside_are_refused(score):
    with pytest.raises(InputError, match="score must be a number from 0 to 100, got"):
        score_bucket(score)


def test_a_submission_per_bucket_is_drawn_in_the_order_of_scores():
    everything = exercise(*range(100, -1, -1))
    sampled = sample_exercise(everything, seed=3)
    scores = [item["score"] for item in sampled["submissions"]]
    assert [score_bucket(score) for score in scores] == [
        *("0", "0-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70-79", "80-89", "90-99", "100")
    ]
    assert sampled["title"] == "Trees"
    assert len(everything["submissions"]) == 101


def test_the_draw_follows_its_seed_and_none_takes_the_first():
    item = exercise(*[55] * 50)
    assert ids(sample_exercise(item, seed=1)) == ids(sample_exercise(item, seed=1))
    assert len({ids(sample_exercise(item, seed=seed))[0] for seed in range(9)}) > 3
    assert ids(sample_exercise(item, seed=None)) == [0]


def test_only_scored_submissions_of_the_language_are_drawn():
    mixed = exercise(None, 50, None)
    mixed["submissions"] += exercise(60, language="GERMAN")["submissions"]
    assert ids(sample_exercise(mixed)) == [1]
    assert len(ids(sample_exercise(mixed, language=None))) == 2
    with pytest.raises(InputError, match="exercise 7 has no submission in FRENCH"):
        sample_exercise(mixed, language="FRENCH")
    with pytest.raises(InputError, match="exercise 7 has no submission with a score"):
        sample_exercise(exercise(None))


def test_files_are_sampled_into_a_folder(tmp_path):
    source = tmp_path / "exercises"
    source.mkdir()
    for number in (1, 2):
        content = exercise(10, 11, 95) | {"id": number, "title": "Bäume"}
        (source / f"exercise-{number}.json").write_text(json.dumps(content))
    written = sample_exercises(source, tmp_path / "samples", seed=None)
    assert [path.name for path in written] == ["sampled_exercise-1.json", "sampled_exercise-2.json"]
    assert ids(json.loads(written[0].read_text(encoding="utf-8"))) == [0, 2]
    assert "Bäume" in written[1].read_text(encoding="utf-8")


def test_nothing_is_written_if_a_file_cannot_be_sampled(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(exercise(10)))
    (tmp_path / "b.json").write_text(json.dumps(exercise(110)))
    with pytest.raises(InputError, match="got 110"):
        sample_exercises(tmp_path, tmp_path / "samples")
    assert not (tmp_path / "samples").exists()
