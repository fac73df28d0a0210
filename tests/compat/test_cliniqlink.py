"""The calls of the ClinIQLink evaluator."""

import json

import pytest

from semscale.compat.cliniqlink import ClinIQLinkSampleDatasetEvaluate
from semscale.errors import InputError
from semscale.matching.layered import combine_layers

OPTIONS = ["Apo B-48", "Apo C", "Apo E"]


@pytest.fixture(scope="module")
def evaluator(tmp_path_factory):
    folder = tmp_path_factory.mktemp("submission_output")
    tasks = {
        "true_false": ([{"answer": "True"}], ["true."]),
        "short": (
            [{"question": f"q{number}", "answer": f"the lung {number}"} for number in range(4)],
            ["the lung 0", "heart attack", "", "the kidney 3"],
        ),
    }
    for name, (inputs, replies) in tasks.items():
        (folder / f"{name}.json").write_text(json.dumps({"inputs": inputs, "responses": replies}))
    return ClinIQLinkSampleDatasetEvaluate(results_dir=folder, output_dir=folder / "evaluation_output")


def test_true_or_false(evaluator):
    assert evaluator.evaluate_true_false("True", " true. ") == 1
    assert evaluator.evaluate_true_false("True", "False") == 0


@pytest.mark.parametrize(
    ("prediction", "f1"),
    [
        (["A", "C"], 1),
        ("Apo B-48, Apo E", 1),
        ("A, nothing else", 0.5),  # precision 1/2, recall 1/2
        ("", 0),
    ],
)
def test_lists(evaluator, prediction, f1):
    assert evaluator.evaluate_list(["Apo B-48", "Apo E"], prediction, OPTIONS) == pytest.approx(f1)


def test_lists_without_options_are_compared_as_texts(evaluator):
    assert evaluator.evaluate_list(["lung", "heart"], "Heart, lung.") == 1
    assert evaluator.evaluate_list([], "lung") == 0


def test_open_answers_are_the_sum_of_their_layers(evaluator):
    texts = "the lung is enlarged", "an enlarged heart"
    layers = [
        getattr(evaluator, f"compute_{level}_level_similarity")(*texts)
        for level in ("word", "sentence", "paragraph")
    ]
    assert evaluator.evaluate_open_ended(*texts) == pytest.approx(combine_layers(*layers))
    # The cosine of cleaned texts less the baseline .3, which holds as there are fewer than 100 answers.
    assert layers[2] == pytest.approx(max((layers[1] - 0.3) / 0.7, 0))


def test_equal_answers_score_1_lists_are_joined_and_silence_is_0(evaluator):
    assert evaluator.evaluate_open_ended("Heart attack", "heart attack ") == 1
    assert evaluator.evaluate_open_ended(["heart", "attack"], "heart attack") == 1
    assert evaluator.evaluate_open_ended("heart", "") == 0
    assert evaluator.evaluate_open_ended("heart", None) == 0


def test_all_tasks_at_once(evaluator):
    results = evaluator.run_all_evaluations()
    written = json.loads((evaluator.output_dir / "overall_evaluation_results.json").read_text())
    assert written == results
    assert list(results) == ["true_false", "short", "overall"]
    assert results["true_false"]["average"] == 1
    # "the lung 0" scores 1, the missing reply 0 and is counted as invalid.
    assert (results["short"]["items"], results["short"]["invalid"]) == (4, 1)
    counts = results["short"]["histogram"]["counts"]
    assert (len(counts), sum(counts), counts[-1]) == (20, 4, 1)
    assert counts[0] >= 1
    assert results["overall"]["average"] == pytest.approx((1 + results["short"]["average"]) / 2)


def test_settings_out_of_range(tmp_path):
    with pytest.raises(InputError, match="run_mode must be container or local"):
        ClinIQLinkSampleDatasetEvaluate("docker")
    with pytest.raises(InputError, match="bin_width must be greater than 0"):
        ClinIQLinkSampleDatasetEvaluate(bin_width=0)
    with pytest.raises(InputError, match="is not a folder"):
        ClinIQLinkSampleDatasetEvaluate(results_dir=tmp_path / "none").run_all_evaluations()


def test_texts_that_the_model_cannot_read_are_compared_as_the_original_does(evaluator):
    # The model knows neither sign, so the cosine of the two is that of equal texts.
    assert evaluator.compute_sentence_level_similarity("👍", "👎") == pytest.approx(1.0)
