import json

import pytest

from semscale.errors import InputError
from semscale.matching.cliniqlink import load_submission, read_task, reply_text


def write(folder, name="short", **content):
    (folder / f"{name}.json").write_text(json.dumps(content))
    return folder / f"{name}.json"


def test_tasks_are_loaded_in_order_and_absent_tasks_left_out(tmp_path):
    write(tmp_path, "short", inputs=[{"answer": "a"}], responses=["b"])
    write(tmp_path, "true_false", inputs=[], responses=[])
    assert list(load_submission(tmp_path)) == ["true_false", "short"]


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (" a ", "a"),
        ([{"generated_text": "a"}], "a"),
        ([[{"text": "a"}], "b"], "a b"),
        (None, ""),
        ({"other": 1}, ""),
        (5, "5"),
    ],
)
def test_replies_are_unwrapped(reply, text):
    assert reply_text(reply) == text


@pytest.mark.parametrize(("reply", "text"), [("<think>a\nb</think>c", "c"), ("<think>never ends", "")])
def test_task_replies_have_no_reasoning(tmp_path, reply, text):
    path = tmp_path / "short.json"
    path.write_text(json.dumps({"inputs": [{}], "responses": [reply]}))
    assert read_task(path).replies == [text]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"inputs": [{}], "responses": []}, "got 1 inputs and 0 responses"),
        ({"inputs": [{}]}, "must hold a list 'responses'"),
        ({"inputs": ["a"], "responses": ["b"]}, "input 1 must be an object, got str"),
    ],
)
def test_a_file_that_is_not_as_it_should_be_is_named(tmp_path, content, problem):
    with pytest.raises(InputError, match=rf"short\.json.*{problem}"):
        read_task(write(tmp_path, **content))


def test_a_file_of_another_kind_is_named(tmp_path):
    (tmp_path / "short.json").write_text("[1, 2")
    with pytest.raises(InputError, match=r"short\.json cannot be read"):
        load_submission(tmp_path)
    (tmp_path / "short.json").write_text("[]")
    with pytest.raises(InputError, match=r"short\.json must hold an object .* got a list"):
        load_submission(tmp_path)


def test_folder_without_tasks_and_missing_folder_have_different_messages(tmp_path):
    with pytest.raises(InputError, match=r"holds none of the task files true_false\.json"):
        load_submission(tmp_path)
    with pytest.raises(InputError, match="is not a folder"):
        load_submission(tmp_path / "nowhere")
