import json

import numpy as np
import pytest

from semscale.matching.cliniqlink import evaluate_submission

WHY = "Explanation: the vein carries no oxygen."
STEPS = ["- Step 3 is wrong.", f"- {WHY}"]
TASKS = {
    "true_false": ([{"answer": "True"}, {"answer": "False"}], ["True", "True"]),
    "short": (
        [{"question": "Where?", "answer": "in the heart"}, {"question": "Why?", "answer": "it beats"},
         {"question": "How?", "answer": "slowly"}, {"question": "When?"}],
        ["in the heart", "why?", "", "now"],
    ),
    "multi_hop_inverse": (
        [{"incorrect_reasoning_step": STEPS}] * 2,
        [f"Step 3. {WHY}", f"Step 4. {WHY}"],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("submission")
    for name, (inputs, replies) in TASKS.items():
        (folder / f"{name}.json").write_text(json.dumps({"inputs": inputs, "responses": replies}))
    return evaluate_submission(folder, method="cliniqlink-code")


def test_closed_tasks_are_scored_by_rule(scores):
    assert scores.tasks[0].task == "true_false"
    assert scores.tasks[0].estimate.value == 0.5


def test_an_echo_and_silence_score_0_and_an_item_without_an_answer_is_left_out(scores):
    short = scores.tasks[1]
    assert scores.items["score"].to_list()[2:6] == [1.0, 0.0, 0.0, None]
    assert short.estimate.value == pytest.approx(1 / 3)
    assert (short.estimate.n, short.estimate.n_left_out, short.n_invalid) == (3, 1, 1)


def test_step_off_by_1_scores_70_percent(scores):
    inverse = scores.tasks[2]
    assert scores.items["score"].to_list()[6:] == pytest.approx([1.0, 0.7])
    assert inverse.figures == {"step_accuracy": 0.5}


def test_every_task_counts_the_same_overall(scores):
    assert scores.overall == pytest.approx(np.mean([0.5, 1 / 3, 0.85]))


def test_the_signature_is_the_match_s(scores):
    assert scores.signature.instrument == "match"
    assert dict(scores.signature.fields)["method"] == "cliniqlink-code"


def test_items_that_state_nothing_are_left_out_and_answers_of_several_parts_are_joined(tmp_path):
    inputs = [{"question": "q", "answer": None}, {"question": "p"}, {"answer": ["in the", "heart"]}]
    content = {"inputs": inputs, "responses": ["None", "x", "in the heart"]}
    (tmp_path / "short.json").write_text(json.dumps(content))
    result = evaluate_submission(tmp_path, method="cliniqlink-code")
    assert result.items["score"].to_list() == [None, None, 1.0]
    content = {"inputs": inputs[:2], "responses": ["None", "x"]}
    (tmp_path / "short.json").write_text(json.dumps(content))
    assert evaluate_submission(tmp_path, method="cliniqlink-code").tasks[0].estimate.n_left_out == 2
