import json
import multiprocessing

import pytest

from semscale.compat.athena import read_report, update_report
from semscale.errors import InputError

# An entry as Athena's document has it.
DOCUMENTED = {
    "timestamp": "2025-09-28 16:46:07",
    "exercise_id": 14676,
    "exercise_file": "sampled_exercise-14676.json",
    "baseline": {"model": "azure_openai_gpt-4o", "generated_at": "2025-08-28T10:54:05.805981"},
    "thresholds": {"min_bertscore_f1": 0.8, "max_avg_credit_drift": 3.0},
    "model_results": {"gpt-4o": {"avg_bertscore_f1": 0.871, "avg_credit_drift": 0.79, "passed": True}},
}


def entry(time):
    return DOCUMENTED | {"timestamp": time}


def test_earlier_entries_of_an_exercise_are_stored(tmp_path):
    path = tmp_path / "quality_drift_report.json"
    path.write_text(json.dumps({"exercises": {"14676": DOCUMENTED, "1": entry("a")}, "team": "x"}))
    update_report(path, {"14676": entry("second"), "2": entry("b")})
    update_report(path, {"14676": entry("third")})
    report = read_report(path)
    assert list(report["exercises"]) == ["14676", "1", "2"]
    newest = report["exercises"]["14676"]
    history = newest.pop("history")
    assert newest == entry("third")
    assert history == [entry("second"), DOCUMENTED]
    assert report["exercises"]["1"] == entry("a")
    assert report["team"] == "x"


def test_a_new_report_has_the_documented_form(tmp_path):
    path = tmp_path / "quality_drift_report.json"
    assert update_report(path, {"14676": DOCUMENTED}) == {"exercises": {"14676": DOCUMENTED}}
    assert json.loads(path.read_text()) == {"exercises": {"14676": DOCUMENTED}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"exercises": {', "is not valid JSON"),
        ("[]", "has no object 'exercises' of objects"),
        ('{"model_results": {}}', "has no object 'exercises' of objects"),
        ('{"exercises": {"1": 3}}', "has no object 'exercises' of objects"),
    ],
)
def test_an_invalid_report_is_refused_and_unchanged(tmp_path, content, message):
    path = tmp_path / "quality_drift_report.json"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        update_report(path, {"1": DOCUMENTED})
    assert path.read_text() == content


def test_a_report_that_is_not_there_or_cannot_be_written_is_named(tmp_path):
    with pytest.raises(InputError, match="report: .* cannot be read"):
        read_report(tmp_path / "nothing.json")
    with pytest.raises(InputError, match="the folder .* does not exist"):
        update_report(tmp_path / "no" / "report.json", {})


def write_often(path, name):
    for number in range(20):
        update_report(path, {"1": entry(f"{name}-{number}")})


@pytest.mark.exhaustive
def test_two_writers_lose_nothing(tmp_path):
    path = tmp_path / "quality_drift_report.json"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write_often, args=(path, name)) for name in ("a", "b")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(120)
    newest = read_report(path)["exercises"]["1"]
    times = [newest["timestamp"], *(record["timestamp"] for record in newest["history"])]
    assert sorted(times) == sorted(f"{name}-{number}" for name in "ab" for number in range(20))
    # Each writer's own entries stand in its order, the latest first.
    assert [time for time in times if time[0] == "a"] == [f"a-{number}" for number in range(19, -1, -1)]
