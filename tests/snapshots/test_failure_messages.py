"""What a failed snapshot says, where no model has to be asked."""

import math

import pytest

from semscale.history.items import Output
from semscale.snapshots.compare_outputs import Breach, SnapshotComparison, SnapshotPair
from semscale.snapshots.fixture import describe_outputs, explain_failure


class NoMeter:
    """Equal texts are explained without a model."""


def explained(pair=None, approved=("A.",), actual=("A.",), breaches=()):
    outputs = [tuple(Output(text) for text in side) for side in (approved, actual)]
    return explain_failure(SnapshotComparison(*outputs, (pair,) if pair else (), breaches), NoMeter())


def test_number_changes_show_before_and_after():
    left, right = Output("A.", {"credits": 1.0, "weight": 2.0}), Output("A.", {"credits": 0.5})
    breaches = (Breach("max_credits_difference", 0.25, 0.5), Breach("max_weight_difference", 0, math.nan))
    compared = SnapshotComparison((left,), (right,), (SnapshotPair(0, 0, breaches=breaches),))
    assert explain_failure(compared, NoMeter()) == [
        "  credits was 1 and is 0.5 now, max_credits_difference is 0.25",
        "  weight was 2 and is none now, max_weight_difference is 0",
        "  same text: A. (credits 1, weight 2)",
    ]


@pytest.mark.parametrize(
    ("breach", "message"),
    [
        (Breach("min_match", 0.45, 0.4499), "  match 0.44, min_match is 0.45"),
        (Breach("min_cosine", 0.8, -0.004), "  cosine -0.01, min_cosine is 0.8"),
        (
            Breach("wording", 0.75, 0.95),
            "  a contradiction in nearly the same words (without it, the match is 0.95)",
        ),
        (Breach("guards", 0, 2), "  guards found 2, and guards is 'fail'"),
        (
            Breach("min_match", 0.45, math.nan),
            "  match has no value, as the model does not read one of the texts, min_match is 0.45",
        ),
    ],
)
def test_breach_message_names_the_value_and_the_limit(breach, message):
    assert explained(SnapshotPair(0, 0, breaches=(breach,)))[0] == message


def test_unpaired_outputs_are_shown_by_position():
    lines = explained(
        SnapshotPair(1, 0),
        approved=("A.", "B."),
        actual=("B.", " "),
        breaches=(Breach("max_unpaired", 0, 2),),
    )
    assert lines == [
        "outputs without a partner: 2, max_unpaired is 0",
        "missing: approved output 1 of 2",
        "  A.",
        "extra: now output 2 of 2",
        "  (no text)",
    ]


def test_long_texts_are_wrapped_under_their_label():
    lines = describe_outputs([Output("First line\n\n" + "word " * 30), Output("Second.", {"credits": 1.0})])
    assert lines[:2] == ["  1. First line", "     "]
    assert lines[2].startswith("     word")
    assert lines[-1] == "  2. Second. (credits 1)"
    assert max(map(len, lines)) <= 100
    assert describe_outputs([]) == ["  (no output)"]
