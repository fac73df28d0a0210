"""Athena's two figures and its analyzer, beside what Athena's own script gives."""

import json
import math

import numpy as np
import pytest

from semscale.compat.athena import (
    QualityDriftAnalyzer,
    calculate_bertscore_similarity,
    calculate_credit_drift,
)
from semscale.errors import InputError, UnknownNameError
from semscale.matching.bertscore import bertscore

CAUSE = "You name the cause of the change."
EFFECT = "An example of the effect is missing."
STYLE = "The spelling is careless in places."
TEXTS = [CAUSE, EFFECT, STYLE]


def feedbacks(*credits, texts=TEXTS):
    return [{"title": "", "description": text, "credits": n} for text, n in zip(texts, credits, strict=False)]


def athenas_way(baseline, test):
    """Means over the shorter list, position by position, as the document has it."""
    n = min(len(baseline), len(test))
    scores = bertscore(test[:n], baseline[:n])
    return {name: float(np.mean(getattr(scores, name))) for name in ("precision", "recall", "f1")}


def test_pairing_by_position_reproduces_the_number_of_athena():
    test = [EFFECT, f"{CAUSE} Well done."]
    result = calculate_bertscore_similarity(TEXTS, test, pairing="position")
    assert result == pytest.approx(athenas_way(TEXTS, test), abs=1e-9)
    assert 0 < result["f1"] < 0.8


def test_order_changes_nothing_and_a_missing_text_scores_zero():
    for test in (TEXTS, TEXTS[::-1], [EFFECT, CAUSE, STYLE]):
        result = calculate_bertscore_similarity(TEXTS, test)
        assert result == pytest.approx({"precision": 1, "recall": 1, "f1": 1}, abs=1e-6)
    # One of three is there: 1 / 3. One is extra: 3 / 4.
    for test, expected in (([STYLE], 1 / 3), ([*TEXTS, "See page 3."], 3 / 4)):
        assert calculate_bertscore_similarity(TEXTS, test)["f1"] == pytest.approx(expected, abs=1e-6)


def test_precision_and_recall_are_those_of_the_test_text():
    longer = f"{CAUSE} It is a good one, and you explain it with a quotation from the text."
    result = calculate_bertscore_similarity([CAUSE], [longer])
    assert result["recall"] > result["precision"]


@pytest.mark.parametrize("pairing", ["assignment", "position"])
@pytest.mark.parametrize("silent", [[], ["", "  "]])
def test_a_silent_side_is_the_worst_case(pairing, silent):
    zeros = {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    assert calculate_bertscore_similarity(TEXTS, silent, pairing=pairing) == zeros
    assert calculate_bertscore_similarity(silent, TEXTS, pairing=pairing) == zeros
    assert all(math.isnan(value) for value in calculate_bertscore_similarity(silent, []).values())


def test_credits_follow_their_texts():
    baseline = feedbacks(1.0, 0.0, -0.5)
    assert calculate_credit_drift(baseline, baseline[::-1])["max_drift"] == 0
    # By position: |1 - -.5|, 0, |-.5 - 1|: mean 1, standard deviation sqrt(.5).
    result = calculate_credit_drift(baseline, baseline[::-1], pairing="position")
    assert result == pytest.approx({"mean_drift": 1.0, "std_drift": 0.5**0.5, "max_drift": 1.5})


def test_feedback_without_a_partner_counts_the_range():
    baseline = feedbacks(1.0, 0.0, -0.5)
    # The range is -.5 to 1; one pair differs by 0, two have no partner: (0 + 1.5 + 1.5) / 3.
    result = calculate_credit_drift(baseline, baseline[1:2])
    assert result == pytest.approx({"mean_drift": 1.0, "std_drift": 0.5**0.5, "max_drift": 1.5})
    # A range of 6: (0 + 6 + 6) / 3.
    assert calculate_credit_drift(baseline, baseline[1:2], credit_range=6)["mean_drift"] == 4.0
    # Athena drops them.
    dropped = calculate_credit_drift(baseline, baseline[:1], pairing="position")
    assert dropped == {"mean_drift": 0.0, "std_drift": 0.0, "max_drift": 0.0}


@pytest.mark.parametrize("pairing", ["assignment", "position"])
def test_silence_is_never_zero_drift(pairing):
    for sides in ((feedbacks(1.0), []), ([], feedbacks(1.0))):
        worst = calculate_credit_drift(*sides, pairing=pairing)
        assert worst == {"mean_drift": math.inf, "std_drift": 0.0, "max_drift": math.inf}
        known = calculate_credit_drift(*sides, pairing=pairing, credit_range=2.5)
        assert known == {"mean_drift": 2.5, "std_drift": 0.0, "max_drift": 2.5}
    assert all(math.isnan(value) for value in calculate_credit_drift([], [], pairing=pairing).values())


def test_credits_without_texts_are_paired_by_their_size():
    baseline, test = [{"credits": 2}, {"credits": 0}], [{"credits": 0}, {"credits": 1.5}]
    # 2 with 1.5 and 0 with 0.
    assert calculate_credit_drift(baseline, test)["mean_drift"] == 0.25
    assert calculate_credit_drift(baseline, test, pairing="position")["mean_drift"] == 1.75


def test_missing_credits_are_not_zero():
    baseline, other = feedbacks(1.0, None), feedbacks(1.0, 0.0)
    # The range is 0 to 1: one pair differs by 0, in the other only one side has credits.
    assert calculate_credit_drift(baseline, other)["mean_drift"] == 0.5
    nothing = calculate_credit_drift(feedbacks(None), feedbacks(None))
    assert all(math.isnan(value) for value in nothing.values())


def test_wrong_settings_and_credits_are_refused():
    with pytest.raises(UnknownNameError, match="pairing must be one of assignment, position, got 'best'"):
        calculate_bertscore_similarity(TEXTS, TEXTS, pairing="best")
    with pytest.raises(UnknownNameError, match="pairing must be one of"):
        calculate_credit_drift([], [], pairing="best")
    with pytest.raises(InputError, match="credit_range must be above 0 and finite, got 0"):
        calculate_credit_drift([], [], credit_range=0)
    with pytest.raises(InputError, match="column 'credits' must hold finite numbers, got 'two'"):
        calculate_credit_drift(feedbacks("two"), feedbacks(1))


@pytest.fixture
def exercise(tmp_path):
    path = tmp_path / "exercise-7.json"
    submissions = [
        {"id": 71, "text": "a", "feedbacks": feedbacks(1.0, 0.0)},
        {"id": 72, "text": "b", "feedbacks": feedbacks(-1.0)},
        {"id": 73, "text": "c"},
    ]
    info = {"model": "old", "approach": "basic"}
    path.write_text(json.dumps({"id": 7, "submissions": submissions, "baseline_info": info}))
    return path


def test_the_analyzer_compares_a_single_submission(exercise):
    analyzer = QualityDriftAnalyzer()
    analyzer.load_baseline_feedbacks(str(exercise))
    assert analyzer.baseline_info == {"model": "old", "approach": "basic"}
    assert list(analyzer.baseline_feedbacks) == [71, 72, 73]
    analyzer.test_feedbacks[71] = feedbacks(1.0, 0.0)[::-1]
    same = analyzer.analyze_quality_drift(71)
    assert same["bertscore"]["f1"] == pytest.approx(1, abs=1e-6)
    assert same["credit_drift"] == {"mean_drift": 0.0, "std_drift": 0.0, "max_drift": 0.0}
    # Nothing was given for 72: the worst, with the range of all credits of the baseline, -1 to 1.
    silent = analyzer.analyze_quality_drift(72)
    assert silent["bertscore"]["f1"] == 0
    assert silent["credit_drift"]["mean_drift"] == 2.0
    assert math.isnan(analyzer.analyze_quality_drift(73)["credit_drift"]["mean_drift"])
    with pytest.raises(UnknownNameError, match="submission_id must be one that was loaded, got 99"):
        analyzer.analyze_quality_drift(99)


def test_the_analyzer_takes_athenas_pairing_and_a_range(exercise):
    analyzer = QualityDriftAnalyzer(pairing="position", credit_range=6)
    analyzer.load_baseline_feedbacks(exercise)
    analyzer.test_feedbacks[71] = feedbacks(1.0, 0.0)[::-1]
    result = analyzer.analyze_quality_drift(71)
    assert result["bertscore"]["f1"] < 0.8
    assert result["credit_drift"]["mean_drift"] == 1.0
    assert analyzer.analyze_quality_drift(72)["credit_drift"]["max_drift"] == 6
