"""Athena's whole analysis, on exercises made up here."""

import copy
import json
from dataclasses import replace

import pytest

from semscale.compat.athena import (
    AnalysisSettings,
    NewBaseline,
    read_report,
    run_quality_drift_analysis,
)
from semscale.drift.reading import read_run
from semscale.errors import InputError

FEEDBACK = {
    71: [
        {"title": "Cause", "description": "You name the cause of the change.", "credits": 1.0},
        {"title": "Effect", "description": "An example of the effect is missing.", "credits": 0.0},
    ],
    72: [{"title": "Style", "description": "The spelling is careless in places.", "credits": -0.5}],
    81: [
        {"title": "Roots", "description": "Roots take up water, as you say.", "credits": 2.0},
        {"title": "Leaves", "description": "Leaves do not grow in winter.", "credits": 0.5},
        {"title": "Bark", "description": "Bark protects the trunk.", "credits": 0.5},
    ],
}


def exercise(number, *submissions, **more):
    listed = [{"id": id_, "text": f"Text {id_}.", "feedbacks": FEEDBACK[id_]} for id_ in submissions]
    info = {"model": "gpt-4o", "generated_at": "2025-08-28T10:54:05"}
    return {"id": number, "title": "T", "submissions": listed, "baseline_info": info} | more


def same(_exercise, submission):
    return FEEDBACK[submission["id"]]


def turned(_exercise, submission):
    return FEEDBACK[submission["id"]][::-1]


def first(_exercise, submission):
    return FEEDBACK[submission["id"]][:1]


def silent(_exercise, _submission):
    return []


@pytest.fixture
def folder(tmp_path):
    samples = tmp_path / "samples"
    samples.mkdir()
    for content in (exercise(7, 71, 72), exercise(8, 81)):
        path = samples / f"sampled_exercise-{content['id']}.json"
        path.write_text(json.dumps(content))
    return samples


def worst(credit_range):
    return {"avg_bertscore_f1": 0.0, "avg_credit_drift": credit_range, "passed": False}


def results(result, exercise_id):
    return result.exercises[exercise_id]["model_results"]


def test_reordered_feedback_passes_and_missing_feedback_fails(folder, tmp_path, capsys):
    report = tmp_path / "quality_drift_report.json"
    result = run_quality_drift_analysis(
        folder, {"same": same, "turned": turned, "first": first, "silent": silent}, report=report
    )
    perfect = {"avg_bertscore_f1": 1.0, "avg_credit_drift": 0.0, "passed": True}
    assert results(result, "7")["same"] == results(result, "7")["turned"] == perfect
    assert results(result, "8")["turned"] == perfect
    # In 7 credits range from -.5 to 1: F1 (1/2 + 1) / 2; 71 differs by (0 + 1.5) / 2, 72 by 0.
    assert results(result, "7")["first"] == {
        "avg_bertscore_f1": 0.75,
        "avg_credit_drift": 0.38,
        "passed": False,
    }
    # In 8 from 0 to 2, one of three: 1/3, and (0 + 2 + 2) / 3.
    assert results(result, "8")["first"] == {
        "avg_bertscore_f1": 0.333,
        "avg_credit_drift": 1.33,
        "passed": False,
    }
    assert results(result, "7")["silent"] == worst(1.5)
    assert results(result, "8")["silent"] == worst(2.0)
    assert (result.passed, result.exit_code) == (False, 1)
    cannot_fail = "max_avg_credit_drift 3 cannot fail: the worst loss of credits_difference in this data is"
    assert result.cautions == (f"exercise 7: {cannot_fail} 1.5", f"exercise 8: {cannot_fail} 2")
    assert read_report(report)["exercises"] == result.exercises
    assert capsys.readouterr().out == ""


def test_entries_have_the_documented_form(folder):
    result = run_quality_drift_analysis(folder, {"same": same})
    entry = dict(result.exercises["8"])
    assert len(entry.pop("timestamp")) == len("2025-09-28 16:46:07")
    assert entry == {
        "exercise_id": 8,
        "exercise_file": "sampled_exercise-8.json",
        "baseline": {"model": "gpt-4o", "generated_at": "2025-08-28T10:54:05"},
        "thresholds": {"min_bertscore_f1": 0.8, "max_avg_credit_drift": 3.0},
        "model_results": {"same": {"avg_bertscore_f1": 1.0, "avg_credit_drift": 0.0, "passed": True}},
    }
    assert (result.passed, result.exit_code) == (True, 0)
    assert result.comparisons["8"]["same"].baseline.model == "gpt-4o"


def test_pairing_of_athena_drops_missing_feedback_but_not_silence(folder):
    settings = AnalysisSettings(pairing="position")
    result = run_quality_drift_analysis(
        folder, {"turned": turned, "first": first, "silent": silent}, settings=settings
    )
    assert results(result, "8")["first"] == {"avg_bertscore_f1": 1.0, "avg_credit_drift": 0.0, "passed": True}
    # |2 - .5|, 0 and |.5 - 2|: 1.
    turned_8 = results(result, "8")["turned"]
    assert turned_8["avg_credit_drift"] == 1.0
    assert turned_8["avg_bertscore_f1"] < 0.8
    assert results(result, "8")["silent"] == worst(2.0)


def test_an_exercise_does_not_depend_on_other_files(folder):
    # Together credits range from -.5 to 2; in exercise 7 alone only to 1.
    together = run_quality_drift_analysis(folder, {"first": first, "silent": silent})
    for number in ("7", "8"):
        path = folder / f"sampled_exercise-{number}.json"
        alone = run_quality_drift_analysis(path, {"first": first, "silent": silent})
        assert results(alone, number) == results(together, number)


def test_thresholds_decide_and_too_low_thresholds_are_reported(folder):
    settings = AnalysisSettings(min_bertscore_f1=0.0, max_avg_credit_drift=1.0)
    result = run_quality_drift_analysis(folder, {"first": first}, settings=settings)
    assert results(result, "7")["first"]["passed"]
    assert not results(result, "8")["first"]["passed"]
    cannot_fail = "min_bertscore_f1 0 cannot fail: the worst similarity of bertscore_f1 in this data is 0"
    assert result.cautions == (f"exercise 7: {cannot_fail}", f"exercise 8: {cannot_fail}")
    low = AnalysisSettings(min_bertscore_f1=0.01, max_avg_credit_drift=None)
    (caution,) = run_quality_drift_analysis(folder, {"first": first}, settings=low).cautions
    assert caution.startswith("exercise 7: min_bertscore_f1 0.01 lets unrelated text pass")


def test_candidates_come_from_files_and_runs_too(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    for path in folder.iterdir():
        content = json.loads(path.read_text())
        for submission in content["submissions"]:
            submission["feedbacks"] = submission["feedbacks"][:1]
        (other / path.name).write_text(json.dumps(content))
    run = read_run(other, dataset="anything")
    ids = [item.id for item in run.items]
    result = run_quality_drift_analysis(
        folder, {"files": other, "run": replace(run, items=run.items[::-1]), "call": first}
    )
    for number in ("7", "8"):
        by_source = results(result, number)
        assert by_source["files"] == by_source["run"] == by_source["call"]
    compared = [result.comparisons[number]["run"].candidate for number in ("7", "8")]
    assert [item.id for run in compared for item in run.items] == ids


def test_a_comparison_without_any_feedback_has_no_figure(folder):
    path = folder / "sampled_exercise-8.json"
    content = json.loads(path.read_text())
    content["submissions"][0]["feedbacks"] = []
    path.write_text(json.dumps(content))
    result = run_quality_drift_analysis(folder, {"first": first, "silent": silent})
    assert results(result, "8")["silent"] == {
        "avg_bertscore_f1": None,
        "avg_credit_drift": None,
        "passed": False,
    }
    # Where only the candidate speaks, its feedback has no partner.
    assert results(result, "8")["first"]["avg_bertscore_f1"] == 0.0


def test_a_missing_baseline_is_generated(folder):
    path = folder / "sampled_exercise-8.json"
    bare = {"id": 8, "title": "T", "submissions": [{"id": 81, "text": "Text 81."}]}
    path.write_text(json.dumps(bare))
    unchanged = (folder / "sampled_exercise-7.json").read_text()
    with pytest.raises(
        InputError, match="baseline must name the model or prompt that made it for 'sampled_exercise-8.json'"
    ):
        run_quality_drift_analysis(folder, {"same": same})
    result = run_quality_drift_analysis(folder, {"same": same}, baseline=NewBaseline("new", same))
    assert result.passed
    created = json.loads(path.read_text())
    assert created["submissions"] == [{"id": 81, "text": "Text 81.", "feedbacks": FEEDBACK[81]}]
    assert created["baseline_info"].pop("generated_at")
    assert created["baseline_info"] == {
        "model": "new",
        "approach": "basic",
        "description": "Baseline feedbacks generated by new using basic approach",
    }
    assert (folder / "sampled_exercise-7.json").read_text() == unchanged


def test_all_baselines_are_regenerated_on_request(folder):
    path = folder / "sampled_exercise-8.json"
    old = {"timestamp": "2024-09-15T10:30:00Z", "model_version": "gpt-4o", "feedback": FEEDBACK[81]}
    nested = {"id": 8, "submissions": {"id": 81, "text": "Text 81.", "baseline_feedback": old}}
    path.write_text(json.dumps(nested))
    created = NewBaseline("new", first, approach="short")
    result = run_quality_drift_analysis(folder, {"first": first}, baseline=created, regenerate_baseline=True)
    assert result.passed
    assert [result.exercises[number]["baseline"]["model"] for number in ("7", "8")] == ["new", "new"]
    (submission,) = json.loads(path.read_text())["submissions"]
    assert submission["baseline_feedback"]["feedback"] == FEEDBACK[81][:1]
    assert submission["baseline_feedback"]["model_version"] == "new"
    with pytest.raises(
        InputError, match="baseline must name the model or prompt that made it for .*-7.json', .*-8.json'"
    ):
        run_quality_drift_analysis(folder, {"first": first}, regenerate_baseline=True)


def test_a_baseline_that_fails_half_way_leaves_all_files_alone(folder):
    before = {path: path.read_text() for path in folder.iterdir()}

    def failing(_exercise, submission):
        if submission["id"] == 81:
            raise ConnectionError("no answer")
        return []

    for generate, error in ((failing, ConnectionError), (lambda *_: ["text"], InputError)):
        with pytest.raises(error):
            run_quality_drift_analysis(
                folder, {"same": same}, baseline=NewBaseline("new", generate), regenerate_baseline=True
            )
        assert {path: path.read_text() for path in folder.iterdir()} == before


def without_credits(content):
    stripped = copy.deepcopy(content)
    for submission in stripped["submissions"]:
        for feedback in submission["feedbacks"]:
            del feedback["credits"]
    return stripped


def test_missing_credits_are_named_unless_their_limit_is_off(tmp_path):
    path = tmp_path / "exercise-7.json"
    path.write_text(json.dumps(without_credits(exercise(7, 71, 72))))
    with pytest.raises(InputError, match="max_avg_credits_drift.*credits"):
        run_quality_drift_analysis(path, {"same": same})
    result = run_quality_drift_analysis(
        path, {"same": same}, settings=AnalysisSettings(max_avg_credit_drift=None)
    )
    assert results(result, "7")["same"] == {"avg_bertscore_f1": 1.0, "avg_credit_drift": None, "passed": True}
    assert result.exercises["7"]["thresholds"] == {"min_bertscore_f1": 0.8}


def test_candidates_that_do_not_fit_are_refused(folder, tmp_path):
    with pytest.raises(InputError, match="candidates must name at least one model"):
        run_quality_drift_analysis(folder, {})
    only = tmp_path / "only.json"
    only.write_text(json.dumps(exercise(7, 71, 72)))
    with pytest.raises(InputError, match="items: the candidate has no '8/81', which the baseline has"):
        run_quality_drift_analysis(folder, {"part": only})
    with pytest.raises(InputError, match="feedback 1 of submission 7/71 must be an object"):
        run_quality_drift_analysis(folder, {"texts": lambda *_: ["Well done."]})
