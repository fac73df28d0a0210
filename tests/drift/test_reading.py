"""Runs read from tables and from Athena's files."""

import json
from datetime import UTC, datetime

import polars as pl
import pytest

from semscale.drift.columns import RunColumns
from semscale.drift.reading import is_table, read_items, read_run, read_runs
from semscale.errors import InputError, UnknownNameError

CREDITS = RunColumns(fields=("credits",))


def outline(items):
    """Each item as (id, input, [(text, fields)], groups)."""
    return [
        (
            item.id,
            item.input,
            [(output.text, dict(output.fields)) for output in item.outputs],
            dict(item.groups),
        )
        for item in items
    ]


EXPECTED = [
    ("7", "Why?", [("Because.", {"credits": 1.0}), ("Or not.", {"credits": 0.5})], {"topic": "a"}),
    ("8", None, [(None, {})], {"topic": "b"}),
]


def test_csv_and_tsv_hold_lists_as_json(written):
    rows = [
        ("id", "input", "output", "credits", "topic"),
        ("7", "Why?", '"[""Because."", ""Or not.""]"', '"[1, 0.5]"', "a"),
        ("8", "", "", "", "b"),
    ]
    columns = RunColumns(fields=("credits",), by=("topic",))
    for separator, name in ((",", "a.csv"), ("\t", "a.tsv")):
        path = written("".join(separator.join(row) + "\n" for row in rows), name)
        assert outline(read_items(path, columns=columns)) == EXPECTED


def test_parquet_holds_lists_of_texts_and_of_structs(tmp_path):
    columns = RunColumns(fields=("credits",), by=("topic",))
    shared = {"id": [7.0, 8.0], "input": ["Why?", None], "topic": ["a", "b"]}
    texts, structs = tmp_path / "texts.parquet", tmp_path / "structs.parquet"
    outputs = {"output": [["Because.", "Or not."], [None]], "credits": [[1.0, 0.5], None]}
    pl.DataFrame(shared | outputs).write_parquet(texts)
    held = [
        [{"text": "Because.", "credits": 1.0}, {"text": "Or not.", "credits": 0.5}],
        [{"text": None, "credits": None}],
    ]
    pl.DataFrame(shared | {"output": held}).write_parquet(structs)
    assert outline(read_items(texts, columns=columns)) == EXPECTED
    assert outline(read_items(structs, columns=columns)) == EXPECTED


def test_excel_ids_are_the_same_names_as_in_text(tmp_path):
    path = tmp_path / "answers.xlsx"
    pl.DataFrame({"id": [7, 8], "output": ["Yes.", None], "credits": [1.5, None]}).write_excel(path)
    expected = [("7", None, [("Yes.", {"credits": 1.5})], {}), ("8", None, [(None, {})], {})]
    assert outline(read_items(path, columns=CREDITS)) == expected


def test_json_lines_in_the_documented_shape_need_no_columns(written):
    path = written(
        [
            {
                "id": 7,
                "input": "Why?",
                "outputs": [{"text": "Because.", "credits": 1.0}, "Or not.", None],
                "groups": {"topic": "a", "year": 2024},
            },
            {"id": 8.0, "outputs": [], "groups": {"topic": None}},
            {"id": "x", "input": None, "outputs": None},
        ],
        "answers.jsonl",
    )
    assert (
        outline(read_items(path))
        == [
            (
                "7",
                "Why?",
                [("Because.", {"credits": 1.0}), ("Or not.", {}), (None, {})],
                {"topic": "a", "year": "2024"},
            ),
            ("8", None, [], {}),
            ("x", None, [(None, {})], {}),
        ]
        or outline(read_items(path))[1][0] == "8.0"
    )


def test_messages_are_an_input_regardless_of_key_order(written):
    message = {"role": "user", "content": "Why?"}
    turned = dict(reversed(message.items()))
    rows = [{"id": 1, "input": [message], "output": "a"}, {"id": 2, "input": [turned], "output": "b"}]
    first, second = read_items(written(rows, "answers.jsonl"))
    assert first.input == second.input == '[{"content": "Why?", "role": "user"}]'


def test_groups_in_a_cell_of_a_csv_are_json(written):
    path = written('id,outputs,groups\n1,a,"{""topic"": ""t"", ""year"": 2024}"\n2,b,\n')
    first, second = read_items(path)
    assert (dict(first.groups), dict(second.groups)) == ({"topic": "t", "year": "2024"}, {})


def test_kinds_of_groups_may_be_keys_of_objects_or_columns(written):
    rows = [{"id": 1, "outputs": ["a"], "groups": {"topic": "t"}, "year": 2024}]
    path = written(rows, "answers.jsonl")
    (item,) = read_items(path, columns=RunColumns(by=("topic", "year")))
    assert dict(item.groups) == {"topic": "t", "year": "2024"}
    with pytest.raises(InputError, match="by: .* has no column 'tipic'"):
        read_items(path, columns=RunColumns(by=("tipic",)))


def test_several_output_columns_join_in_their_order(written):
    path = written('key,b,a,n\n1,B,"[""A1"", ""A2""]","[1,2,3]"\n2,,A,"[1,2]"\n')
    columns = RunColumns(id="key", input=None, output=("a", "b"), fields=("n",))
    assert outline(read_items(path, columns=columns)) == [
        ("1", None, [("A1", {"n": 1.0}), ("A2", {"n": 2.0}), ("B", {"n": 3.0})], {}),
        ("2", None, [("A", {"n": 1.0}), (None, {"n": 2.0})], {}),
    ]


def test_rows_may_hold_a_single_output_on_request(written):
    path = written("id,input,output,credits,topic\nb,Q,one,1,x\na,P,three,,y\nb,,two,2,\nb,Q,,,x\n")
    columns = RunColumns(fields=("credits",), by=("topic",), long=True)
    assert outline(read_items(path, columns=columns)) == [
        ("b", "Q", [("one", {"credits": 1.0}), ("two", {"credits": 2.0}), (None, {})], {"topic": "x"}),
        ("a", "P", [("three", {})], {"topic": "y"}),
    ]


def test_the_order_of_the_file_is_preserved_over_batches(tmp_path, monkeypatch):
    monkeypatch.setattr("semscale.drift.reading._BATCH", 2)
    path = tmp_path / "answers.csv"
    pl.DataFrame({"id": list("edcba"), "output": list("EDCBA")}).write_csv(path)
    assert [(item.id, item.outputs[0].text) for item in read_items(path)] == list(
        zip("edcba", "EDCBA", strict=True)
    )
    path.write_text("id,output\na,A\nb,B\nc,C\nd,D\na,E\n")
    with pytest.raises(InputError, match="'a' in data rows 1 and 5"):
        read_items(path)


MALFORMED = [
    ("id,output\n1,a\n,b\n", None, "answers.csv, data row 2: column 'id' has no id; give every item an id"),
    ("id,output\n1,a\n  ,b\n", None, "data row 2: column 'id' has no id"),
    (
        "id,output\n1,a\n2,b\n1,c\n",
        None,
        "got '1' more than once, '1' in data rows 1 and 3; .*set long=True",
    ),
    (
        "key,output\n1,a\n",
        None,
        "id: .*answers.csv has no column 'id'; .*columns: key, output; .*--id COLUMN",
    ),
    ("id,answer\n1,a\n", None, "output: .* has no column 'output'; .*columns: id, answer"),
    ("id,output\n1,a\n", RunColumns(input="asked"), "input: .* no column 'asked'"),
    ("id,output\n1,a\n", RunColumns(by=("topic",)), "by: .* no column 'topic'"),
    ("id,output\n1,a\n", CREDITS, "field: .* no column 'credits'; .*columns: id, output"),
    (
        "id,output,credits\n1,a,one\n",
        CREDITS,
        "data row 1: column 'credits' must hold finite numbers, got 'one'",
    ),
    ('id,output,credits\n1,"[""a"",""b""]",1\n', CREDITS, "column 'credits' has 1 number for 2 outputs"),
    ("id,output\n", None, "has a header but no rows"),
    ("", None, "is empty"),
    ("id,output\n1,a,b\n", None, "line 2: 3 cells where the header has 2"),
    (
        "id,input,output\n1,P,a\n1,Q,b\n",
        RunColumns(long=True),
        "data row 2: another input for id '1' than in d",
    ),
    (
        "id,output,t\n1,a,x\n1,b,y\n",
        RunColumns(long=True, by=("t",)),
        "data row 2: another 't' for id '1' than in data row 1",
    ),
]


@pytest.mark.parametrize(("content", "columns", "message"), MALFORMED)
def test_malformed_tables_are_refused_with_file_and_row(written, content, columns, message):
    with pytest.raises(InputError, match=message) as refused:
        read_items(written(content), columns=columns)
    assert "answers.csv" in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ('{"id": 1, "outputs": ["a"]\n', "a.jsonl", "a.jsonl, line 1: no valid JSON"),
        ("[1]\n", "a.jsonl", "line 1: .* is not a JSON object"),
        (
            '{"id": 1, "outputs": ["a"], "groups": "x"}\n',
            "a.jsonl",
            "data row 1: column 'groups' must hold obj",
        ),
        ('{"id": 1, "outputs": [3, true]}\n', "a.jsonl", "data row 1: column 'outputs' holds True"),
        (b"PAR1 and then nothing", "a.parquet", "a.parquet cannot be read as Parquet"),
        (b"PK\x03\x04 and then nothing", "a.xlsx", "a.xlsx"),
        (b"id,output\n1,\x81\xfe\n", "a.csv", "a.csv, line 2: byte 0x81 is not valid"),
        ('{"id": 1}', "a.json", "a.json is JSON but no exercise of Athena, .*its keys are 'id'; .*jsonl"),
        ("id\n", "a.txt", "the extension '.txt'; say what it is with format"),
    ],
)
@pytest.mark.exhaustive
def test_corrupt_files_are_refused(written, content, name, message):
    with pytest.raises(InputError, match=message):
        read_items(written(content, name))


def test_a_file_that_is_not_there_and_an_unknown_format_are_refused(tmp_path, written):
    with pytest.raises(InputError, match="does not exist"):
        read_items(tmp_path / "nothing.csv")
    with pytest.raises(InputError, match="format must be one of csv, .*athena, got 'yaml'"):
        read_items(written("id,output\n1,a\n"), format="yaml")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"output": ()}, "output must name at least one column"),
        ({"output": ("id",)}, "column 'id' is named for two things"),
        ({"output": ("a", "a")}, "column 'a' is named for two things"),
        ({"fields": ("input",)}, "column 'input' is named for two things"),
        ({"by": ("t", "t")}, "column 't' is named for two things"),
    ],
)
def test_columns_that_do_not_go_together_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        RunColumns(**settings)


def test_a_column_that_groups_may_also_be_the_input(written):
    (item,) = read_items(written("id,input,output\n1,P,a\n"), columns=RunColumns(by=("input",)))
    assert (item.input, dict(item.groups)) == ("P", {"input": "P"})


def test_a_misspelt_column_is_answered_with_the_nearest(written):
    with pytest.raises(UnknownNameError, match="did you mean 'output'"):
        read_items(written("id,output\n1,a\n"), columns=RunColumns(output=("outptu",)))


def test_a_run_has_the_stated_properties(written):
    path = written("id,output\n1,a\n")
    run = read_run(path, model="m", dataset="exam", rerun_of="abc", revision="1234567", note="first")
    assert (run.dataset, run.model, run.rerun_of, run.revision, run.note) == (
        "exam",
        "m",
        "abc",
        "1234567",
        "first",
    )
    assert read_run(path, model="m").dataset == "answers"
    assert read_run(path).model == "answers"
    assert read_run(path, default_model="other").model == "other"


def test_a_file_may_state_model_and_dataset_in_columns(written):
    path = written("id,output,model,dataset\n1,a,gpt-5,exam\n2,b,gpt-5,exam\n")
    run = read_run(path, default_model="other")
    assert (run.model, run.dataset) == ("gpt-5", "exam")
    assert read_run(path, model="m", dataset="d").model == "m"
    several = written("id,output,model\n1,a,gpt-5\n2,b,gpt-6\n")
    with pytest.raises(InputError, match="outputs of several models, 'gpt-5', 'gpt-6'; name the run's"):
        read_run(several)
    grouped = read_run(several, columns=RunColumns(by=("model",)))
    assert (grouped.model, grouped.items[0].groups) == ("answers", {"model": "gpt-5"})


def texts_of(runs):
    return [[output.text for item in run.items for output in item.outputs] for run in runs]


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        ("id,input,output\n1,P,a\n1,P,b\n2,Q,c\n2,,d\n", RunColumns()),
        ("id,input,output,output_2\n1,P,a,b\n2,Q,c,d\n", RunColumns()),
        ("id,input,output_1,output_2\n1,P,a,b\n2,Q,c,d\n", RunColumns()),
        ("id,input,x,y\n1,P,a,b\n2,Q,c,d\n", RunColumns(output=("x",), repeat=("y",))),
    ],
    ids=["rows", "a numbered column", "numbered columns", "named columns"],
)
def test_repeated_outputs_are_a_run_and_its_reruns(written, content, columns):
    path = written(content)
    runs = read_runs(path, model="m", columns=columns)
    assert texts_of(runs) == [["a", "c"], ["b", "d"]]
    assert [run.rerun_of for run in runs] == [None, runs[0].id]
    assert [item.input for item in runs[1].items] == ["P", "Q"]
    with pytest.raises(InputError, match="has 2 outputs of each item: read them as a run and its reruns"):
        read_run(path, model="m", columns=columns)


def test_repeated_rows_are_outputs_of_the_same_item_if_requested(written):
    path = written("id,output\n1,a\n1,b\n2,c\n2,d\n")
    (run,) = read_runs(path, columns=RunColumns(long=True))
    assert texts_of([run]) == [["a", "b", "c", "d"]]


def test_items_that_are_repeated_unequally_are_refused(written):
    path = written("id,output\n" + "1,a\n" * 3 + "2,b\n" * 2)
    with pytest.raises(InputError, match="got '1' 3 times, and others 2 times, '1' in data rows 1 and 2"):
        read_runs(path)
    path = written("id,input,output\n1,P,a\n1,Q,b\n")
    with pytest.raises(InputError, match="data row 2: another input for id '1' than in data row 1"):
        read_runs(path)


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


def test_the_default_field_and_groups_of_athena_may_be_named(tmp_path, written):
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


def test_the_format_can_be_stated_if_the_file_name_is_ambiguous(written):
    assert read_items(written(exercise(1), "export.txt"), format="athena")[0].id == "1/10"
    with pytest.raises(InputError, match="path must be one file"):
        read_items([written("id,output\n1,a\n")], format="csv")


@pytest.mark.parametrize(
    ("path", "format_", "expected"),
    [
        ("a.csv", None, True), ("a.unknown", None, True), ("-", None, True), ("a.JSON", None, False),
        (["a.json", "b.json"], None, False), (".", None, False), ("a.csv", "athena", False),
        ("a.json", "jsonl", True),
    ],
)  # fmt: skip
def test_tables_are_known_by_format_or_by_path(path, format_, expected):
    assert is_table(path, format_) is expected
