import numpy as np
import pytest
from made_up import comparison

from semscale.drift.gate.thresholds import check_thresholds, read_thresholds, threshold_cautions
from semscale.drift.measure.metrics import field_metric
from semscale.errors import InputError, UnknownNameError

# Means: match loss .3, so a similarity of .7; bertscore .2, so .8; credits .5 of 2.5.
LOSSES = {
    "match": [0.2, 0.4, 0.3],
    "bertscore_f1": [0.2, 0.2, np.nan],
    "output_count": [0.0, 0.0, 0.3],
    "credits_difference": [0.0, 0.5, 1.0],
}


def checked(limits, **settings):
    made = comparison(LOSSES, **settings)
    return check_thresholds(made, read_thresholds(made, limits))


@pytest.mark.parametrize(
    ("name", "limit", "metric", "value", "passed"),
    [
        ("min_match", 0.7, "match", 0.7, True),
        ("min_match", 0.71, "match", 0.7, False),
        ("max_match", 0.7, "match", 0.7, True),
        ("min_bertscore_f1", 0.8, "bertscore_f1", 0.8, True),
        ("max_output_count", 0.1, "output_count", 0.1, True),
        ("max_output_count", 0.05, "output_count", 0.1, False),
        ("max_credits_difference", 0.5, "credits_difference", 0.5, True),
        ("max_avg_credit_drift", 0.4, "credits_difference", 0.5, False),
        ("max_avg_credits_drift", 3.0, "credits_difference", 0.5, True),
    ],
)
def test_limits_are_in_the_terms_people_know(name, limit, metric, value, passed):
    (check,) = checked({name: limit})
    assert (check.name, check.metric, check.limit, check.passed) == (name, metric, limit, passed)
    assert check.value == pytest.approx(value)


def test_a_candidate_without_a_value_does_not_pass():
    made = comparison({"match": [np.nan, np.nan]})
    (check,) = check_thresholds(made, read_thresholds(made, {"min_match": 0.0}))
    assert np.isnan(check.value)
    assert not check.passed


def test_a_field_called_credit_is_found_first():
    metrics = {
        "credit_difference": field_metric("credit", 2.0),
        "credits_difference": field_metric("credits", 2.0),
    }
    made = comparison({"credit_difference": [0.1], "credits_difference": [0.9]}, metrics=metrics)
    (threshold,) = read_thresholds(made, {"max_avg_credit_drift": 1.0})
    assert threshold.metric.name == "credit_difference"


@pytest.mark.parametrize(
    ("limits", "error", "message"),
    [
        ({"min_mtch": 0.5}, UnknownNameError, "unknown threshold 'min_mtch': did you mean 'min_match'?"),
        ({"match": 0.5}, UnknownNameError, "unknown threshold 'match'"),
        ({"min_cosine": 0.5}, InputError, "min_cosine asks for cosine, which was not measured"),
        (
            {"max_avg_points_drift": 1},
            InputError,
            "max_avg_points_drift needs the numeric field 'points', which the runs lack",
        ),
        ({"max_points_difference": 1}, InputError, "needs the numeric field 'points'"),
        ({"min_match": 1.2}, InputError, "min_match must lie within what match can be, 0 to 1, got 1.2"),
        (
            {"max_output_count": -0.1},
            InputError,
            "max_output_count must lie within what output_count can be, 0 to 1, got -0.1",
        ),
        ({"max_credits_difference": -1}, InputError, "can be, at least 0, got -1"),
        (
            {"max_avg_credit_drift": 2, "max_credits_difference": 1},
            InputError,
            "max_avg_credit_drift 2 and max_credits_difference 1 contradict each other: keep one limit for",
        ),
        (
            {"min_match": 0.8, "max_match": 0.7},
            InputError,
            "min_match 0.8 and max_match 0.7 contradict each other",
        ),
        (
            {"max_match": 0.7, "min_match": 0.8},
            InputError,
            "max_match 0.7 and min_match 0.8 contradict each other",
        ),
    ],
)
def test_refuses_limits_that_mean_nothing(limits, error, message):
    with pytest.raises(error) as raised:
        checked(limits)
    assert message in str(raised.value)


def test_two_names_with_one_limit_agree():
    assert (
        len(
            checked(
                {"max_avg_credit_drift": 1, "max_credits_difference": 1, "min_match": 0.1, "max_match": 0.9}
            )
        )
        == 4
    )


def test_no_field_at_all():
    made = comparison({"match": [0.1]})
    with pytest.raises(InputError, match="there is no numeric field: record runs with it"):
        read_thresholds(made, {"max_avg_credit_drift": 1})


@pytest.mark.parametrize(
    ("limits", "cautions"),
    [
        # Text of another item loses .25: a similarity of .75 passes a limit of .7, and does not one of .8.
        (
            {"min_bertscore_f1": 0.7},
            [
                "min_bertscore_f1 0.7 lets text pass that has nothing to do with the item: such text "
                "has 0.75 on average"
            ],
        ),
        ({"min_bertscore_f1": 0.8}, []),
        (
            {"max_avg_credit_drift": 3.0},
            ["max_avg_credit_drift 3 cannot fail: the worst loss of credits_difference in this data is 2.5"],
        ),
        ({"max_avg_credit_drift": 2.0}, []),
        ({"min_match": 0.0}, ["min_match 0 cannot fail: the worst similarity of match in this data is 0"]),
        # What does as the baseline has 1, and fails; what is silent has 0, and passes.
        (
            {"max_match": 0.9},
            ["max_match 0.9 lets the worst pass, a similarity of 0: against drift take min_match"],
        ),
        # Other items' text has as many outputs, and is no wiser for it.
        ({"max_output_count": 0.1}, []),
    ],
)
def test_cautions(limits, cautions):
    made = comparison(LOSSES, floors={"bertscore_f1": 0.25, "output_count": 0.0})
    assert threshold_cautions(made, read_thresholds(made, limits)) == cautions


def test_a_threshold_that_reruns_fail_is_named():
    made = comparison({"match": [0.1, 0.1]}, reruns=[{"match": [0.3, 0.1]}])
    assert threshold_cautions(made, read_thresholds(made, {"min_match": 0.8})) == []
    assert threshold_cautions(made, read_thresholds(made, {"min_match": 0.85})) == [
        "min_match 0.85 fails the baseline's own reruns, which have 0.8 on average: an unchanged model would "
        "fail it, too"
    ]
