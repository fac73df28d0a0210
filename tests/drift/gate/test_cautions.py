import math
from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison

from semscale.drift.gate.cautions import gate_cautions
from semscale.drift.measure.measured import AlignedPair
from semscale.history.items import Item, Output

REREAD = {"bertscore_f1": 1 - 1e-7}


def told(baseline, candidate, scores=REREAD):
    """Cautions about one item, whose two outputs are the same to the model."""
    made = comparison({"match": np.zeros(12)}, reruns=[{"match": np.zeros(12)}])

    def of(run, text):
        return replace(run, items=(Item("item-0", (Output(text),)), *run.items[1:]))

    measured = replace(made.measured, pairs=(AlignedPair(0, 0, 0, scores), AlignedPair(1, 0, None)))
    made = replace(
        made,
        baseline=of(made.baseline, baseline),
        candidate=of(made.candidate, candidate),
        measured=measured,
    )
    return gate_cautions(made, ())


def test_signs_that_the_model_does_not_know_are_named():
    (caution,) = told("Good \N{GRINNING FACE}", "Good \N{POUTING FACE}")
    assert caution.startswith("1 output differs from the baseline's only in signs")
    assert "choose a model that reads them (--embedder)" in caution


@pytest.mark.parametrize(
    ("baseline", "candidate", "scores"),
    [
        ("Good.", "Good.", REREAD),
        ("Déjà  vu.", "deja vu.", REREAD),
        ("Good \N{GRINNING FACE}", "Good \N{POUTING FACE}", {"bertscore_f1": 0.99}),
    ],
)
def test_equal_texts_and_differences_that_count_are_not(baseline, candidate, scores):
    assert told(baseline, candidate, scores) == []


def test_outputs_that_the_model_cannot_read_are_counted():
    nothing = {"match": math.nan, "bertscore_f1": math.nan, "cosine": math.nan}
    (caution,) = told("\N{THUMBS UP SIGN}", "\N{THUMBS DOWN SIGN}", nothing)
    assert caution.startswith("in 1 of 1 pairs of outputs the model cannot read one text or both")


def test_outputs_of_which_only_one_has_a_number_are_counted():
    zeros = {"match": np.zeros(12), "credits_difference": np.zeros(12)}
    made = comparison(zeros, reruns=[zeros])
    lacking = (
        Output("Answer 0.", {"credits": math.nan}),
        Output("Answer 1."),
        Output("Answer 2.", {"credits": 0}),
    )
    items = [
        replace(item, outputs=(output,)) for item, output in zip(made.candidate.items, lacking, strict=False)
    ]
    candidate = replace(made.candidate, items=(*items, *made.candidate.items[3:]))
    # The last output has no partner: its absence is no missing number.
    pairs = (*(AlignedPair(place, 0, 0) for place in range(11)), AlignedPair(11, 0, None))
    made = replace(made, candidate=candidate, measured=replace(made.measured, pairs=pairs))
    (caution,) = gate_cautions(made, ())
    assert caution.startswith("credits: in 2 of 11 pairs of outputs only one has a number (NaN is none)")
    assert "2.5, the worst case" in caution


def test_reruns_that_are_silent_where_the_baseline_speaks_are_named():
    silence = {"silence": np.zeros(12)}
    partly = {"silence": np.r_[np.ones(2), np.zeros(10)]}
    (caution,) = gate_cautions(comparison(silence, reruns=[silence, partly]), ())
    assert caution.startswith("in 2 of 12 items only one of baseline and rerun says anything")
    assert gate_cautions(comparison(silence, reruns=[silence]), ()) == []
