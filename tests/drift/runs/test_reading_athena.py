import json
from datetime import UTC, datetime

import pytest

from semscale.drift.runs.reading import read_items, read_run
from semscale.drift.runs.run_columns import RunColumns
from semscale.errors import InputError


def exercise(number, model="m1"):
    submission = {"id": number * 10, "text": "A tree.", "feedbacks": [{"description": "Good.", "credits": 1}]}
    info = {"model": model, "generated_at": f"2025-08-1{number}T10:00:00"}
    return json.dumps({"id": number, "submissions": [submission], "baseline_info": info})


def test_athenas_files_say_model_and_time_themselves(tmp_path, written):
    files = [written(exercise(number), f"exercise-{number}.json") for number in (1, 2)]
    for paths in (files, tmp_path):
        run = read_run(paths, dataset="exercises")
        assert [item.id for item in run.items] == ["1/10", "2/20"]
        assert run.model == "m1"
        assert run.recorded == datetime(2025, 8, 12, 10, tzinfo=UTC)
    assert read_run(files[0], model="other").model == "other"
    assert read_run(tmp_path).dataset == tmp_path.name


def test_athenas_own_field_and_groups_may_be_named(tmp_path, written):
    written(exercise(1), "1.json")
    columns = RunColumns(fields=("credits",), by=("exercise",))
    assert read_items(tmp_path, columns=columns) == read_items(tmp_path)


def test_athenas_files_of_two_models_need_a_name(tmp_path, written):
    files = [written(exercise(1), "1.json"), written(exercise(2, "m2"), "2.json")]
    with pytest.raises(InputError, match="several models, 'm1', 'm2'; name the run's"):
        read_run(files)
    assert read_run(files, model="mixed").dataset == "athena"
    for other in (RunColumns(fields=("points",)), RunColumns(by=("course",)), RunColumns(id="key")):
        with pytest.raises(InputError, match="columns applies to tables, .*field is 'credits' and"):
            read_run(tmp_path, columns=other)
    with pytest.raises(InputError, match="encoding applies to tables"):
        read_run(tmp_path, encoding="latin-1")


def test_the_format_can_be_said_where_the_name_does_not_tell(written):
    assert read_items(written(exercise(1), "export.txt"), format="athena")[0].id == "1/10"
    with pytest.raises(InputError, match="path must be one file"):
        read_items([written("id,output\n1,a\n")], format="csv")
