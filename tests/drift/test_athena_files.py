"""Athena's exercise files in both formats."""

import json
from datetime import UTC, datetime

import pytest

from semscale.drift.athena_files import (
    AthenaExercise,
    StatedTime,
    exercise_files,
    exercise_of,
    load_exercise,
    read_athena,
)
from semscale.errors import InputError

LISTED = {
    "id": 11,
    "title": "Trees",
    "baseline_info": {"model": "model-a", "approach": "basic", "generated_at": "2025-08-11T16:42:09"},
    "submissions": [
        {
            "id": 201,
            "text": "An oak is a tree.",
            "language": "ENGLISH",
            "score": 50,
            "feedbacks": [
                {"id": 1, "title": "Example", "description": "A fitting example.", "credits": 1, "meta": {}},
                {"id": 2, "title": None, "description": "Name another.", "credits": None},
            ],
        },
        {"id": 202, "text": "No idea.", "language": "ENGLISH"},
    ],
}
# As Athena's documentation has it: one object in the place of the list.
NESTED = {
    "id": 12,
    "submissions": {
        "id": 301,
        "text": "A fir is green.",
        "feedbacks": [{"description": "Somebody else's.", "credits": 9}],
        "baseline_feedback": {
            "timestamp": "2024-09-15T10:30:00Z",
            "model_version": "model-b",
            "feedback": [{"title": "Colour", "description": "Right.", "credits": 2.0}],
        },
    },
}


@pytest.fixture
def written(tmp_path):
    def write(content, name="exercise-11.json"):
        path = tmp_path / name
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_list_of_submissions_with_feedbacks(written):
    exercise = read_file(written(LISTED))
    first, second = exercise.items
    assert (exercise.id, exercise.model, exercise.generated) == ("11", "model-a", "2025-08-11T16:42:09")
    assert (first.id, first.input) == ("11/201", "An oak is a tree.")
    assert dict(first.groups) == {"exercise": "11", "language": "ENGLISH"}
    assert [(output.text, dict(output.fields)) for output in first.outputs] == [
        ("Example A fitting example.", {"credits": 1.0}),
        ("Name another.", {}),
    ]
    assert (second.id, second.outputs) == ("11/202", ())


def test_a_single_submission_may_have_baseline_feedback(written):
    for submissions in (NESTED["submissions"], [NESTED["submissions"]]):
        exercise = read_file(written(NESTED | {"submissions": submissions}))
        (item,) = exercise.items
        assert (exercise.model, exercise.generated) == ("model-b", "2024-09-15T10:30:00Z")
        assert dict(item.groups) == {"exercise": "12"}
        assert [(output.text, dict(output.fields)) for output in item.outputs] == [
            ("Colour Right.", {"credits": 2.0})
        ]


def test_files_of_both_shapes_form_a_single_dataset(written):
    paths = [written(LISTED, "a.json"), written(NESTED, "b.json")]
    both = read_athena(paths)
    assert [item.id for item in both.items] == ["11/201", "11/202", "12/301"]
    assert both.models == ("model-a", "model-b")
    assert both.generated == datetime(2025, 8, 11, 16, 42, 9, tzinfo=UTC)
    assert read_athena(paths[0].parent) == both
    assert exercise_files(paths[0].parent) == tuple(paths)


def test_the_latest_time_of_a_file_is_the_latest_in_utc():
    stated = ("2026-01-01T23:30:00-05:00", "2026-01-02T01:00:00Z", "2026-01-02T03:00:00+02:00")
    exercise = AthenaExercise("1", "a.json", (), times=tuple(StatedTime(text, "a.json") for text in stated))
    # In UTC: 04:30, 01:00 and 01:00 of January 2, whatever the texts begin with.
    assert exercise.generated == "2026-01-01T23:30:00-05:00"


def test_files_without_a_time_have_none(written):
    assert read_athena(written(LISTED | {"baseline_info": {"model": "m"}})).generated is None


def test_a_time_that_is_none_is_named(written):
    info = {"baseline_info": {"model": "m", "generated_at": "last summer"}}
    with pytest.raises(InputError, match=r"11\.json: baseline_info, 'generated_at' must be .* 'last summer'"):
        _ = read_athena(written(LISTED | info)).generated
    feedback = {"model": "m", "timestamp": "2024-13-01", "feedback": []}
    late = written(submission(baseline_feedback=feedback), "late.json")
    with pytest.raises(InputError, match=r"late\.json: submission 1, 'timestamp' must be .* '2024-13-01'"):
        _ = read_athena([written(LISTED), late]).generated


def read_file(path):
    return exercise_of(load_exercise(path), path.name)


def submission(**changes):
    return {"id": 7, "submissions": [{"id": 1, "text": "a", "feedbacks": []} | changes]}


TRAILING_COMMA = '{"id": 1,\n "submissions": [],\n}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            TRAILING_COMMA,
            "exercise-11.json, line [23], column \\d+: no valid JSON .*a comma after the last entry",
        ),
        ("", "line 1, column 1: no valid JSON"),
        ("[1]", "is JSON but no exercise of Athena, .*: it is a list"),
        ("null", "is JSON but no exercise of Athena, .*: it is None"),
        ("7", "is JSON but no exercise of Athena, .*: it is 7"),
        ({"id": 1, "title": "x"}, "its keys are 'id', 'title'"),
        ({}, "its keys are none"),
        ({"submissions": []}, "the exercise has no id"),
        ({"id": 1, "submissions": []}, "'exercise-11.json': no submissions; there is nothing to read"),
        ({"id": 1, "submissions": ["a"]}, "'submissions' must be a list of objects"),
        ({"id": 1, "submissions": 3}, "'submissions' must be a list of objects, got 3"),
        ({"id": 1, "submissions": [{"text": "a"}]}, "a submission has no id"),
        (submission(text=3), "the text of submission 1 must be a text, got 3"),
        (submission(feedbacks="good"), "the feedback of submission 1 must be a list, got 'good'"),
        (submission(baseline_feedback=[]), "'baseline_feedback' of submission 1 must be an object"),
        (submission(feedbacks=["good"]), "feedback 1 of submission 1 must be an object with 'description'"),
        (
            submission(feedbacks=[{"description": "a", "credits": "two"}]),
            "feedback 1 .* a finite number of credits",
        ),
        (
            submission(feedbacks=[{"description": "a", "credits": 1e999}]),
            "a finite number .*inf}; correct it",
        ),
        (submission(feedbacks=[{"description": ["a"]}]), "feedback 1 of submission 1 must have texts"),
        (
            {"id": 1, "submissions": [{"id": 1}, {"id": 1}]},
            "submission '1/1' is already in exercise-11.json",
        ),
        (
            LISTED | {"submissions": [*LISTED["submissions"], NESTED["submissions"]]},
            "feedback of several models, 'model-a', 'model-b'",
        ),
    ],
)
def test_malformed_exercises_are_refused_in_a_single_line(written, content, message):
    with pytest.raises(InputError, match=message) as refused:
        read_athena(written(content))
    assert "\n" not in str(refused.value)


def test_files_that_are_not_there_are_named(tmp_path):
    with pytest.raises(InputError, match=r"nothing.json cannot be read \(No such file"):
        read_athena(tmp_path / "nothing.json")
    with pytest.raises(InputError, match="is a folder without .json files"):
        read_athena(tmp_path)
    with pytest.raises(InputError, match="must name at least one file"):
        read_athena([])


def test_bytes_that_are_no_text_are_named(tmp_path):
    (tmp_path / "a.json").write_bytes(b'{"id": "\xff"}')
    with pytest.raises(InputError, match=r"a.json is not UTF-8 \(byte 8\)"):
        read_athena(tmp_path)


def test_a_feedback_that_is_null_says_nothing(written):
    exercise = read_file(written(submission(feedbacks=[None, {"credits": 1}])))
    assert [(output.text, dict(output.fields)) for output in exercise.items[0].outputs] == [
        (None, {}),
        (None, {"credits": 1.0}),
    ]


@pytest.mark.parametrize(
    "text", ["2026-01-31T12:00:00", "2026-01-31T12:00:00Z", "2026-01-31T14:00:00+02:00", "2026-01-31 12:00"]
)
def test_times_are_read_as_utc(text):
    assert StatedTime(text, "a.json").read().isoformat() == "2026-01-31T12:00:00+00:00"


def test_an_invalid_time_is_reported_with_its_location():
    with pytest.raises(InputError, match=r"a\.json, 'timestamp' must be a time .* got 'yesterday'"):
        StatedTime("yesterday", "a.json, 'timestamp'").read()


def test_entries_with_a_time_are_listed_with_their_location():
    content = {
        "id": 1,
        "baseline_info": {"model": "m", "generated_at": "2026-01-31", "timestamp": "2026-01-01"},
        "submissions": [
            {"id": 1, "baseline_feedback": {"generated_at": "", "timestamp": "2026-02-01"}},
            {"id": 2, "baseline_feedback": {"model": "m"}},
        ],
    }
    assert [(time.text, time.where) for time in exercise_of(content, "a.json").times] == [
        ("2026-01-31", "a.json: baseline_info, 'generated_at'"),
        ("2026-02-01", "a.json: submission 1, 'timestamp'"),
    ]
