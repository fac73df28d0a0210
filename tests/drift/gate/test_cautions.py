import math
from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison

from semscale.drift.gate.cautions import gate_cautions
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.measured import AlignedPair
from semscale.history.items import Item, Output
from semscale.signature import Signature
from semscale.weights.known import KNOWN

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
    return gate_cautions(made, (), GateSettings())


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


def test_pairs_that_guards_pass_over_are_counted():
    made = comparison({"match": np.zeros(12)}, reruns=[{"match": np.zeros(12)}])
    e5 = KNOWN["e5-small"]
    signature = Signature.of("drift", guards="negation", model=f"e5-small#{e5.sums[e5.weights][:12]}")
    item = Item("item-0", (Output("Der Akku hält zwei Tage, und das Gerät ist leise."),))
    other = Item("item-0", (Output("The battery lasts two days, and the device is quiet."),))
    made = replace(
        made,
        baseline=replace(made.baseline, items=(other, *made.baseline.items[1:])),
        candidate=replace(made.candidate, items=(item, *made.candidate.items[1:])),
        measured=replace(
            made.measured,
            pairs=(AlignedPair(0, 0, 0, {"match": 0.8}), AlignedPair(1, 0, 0, {"match": 1.0})),
            signature=signature,
        ),
    )
    passed_over, across = gate_cautions(made, (), GateSettings())
    assert passed_over.startswith("guards read English alone: they did not look at 1 of 2 pairs")
    assert across.startswith(
        "in 1 of 2 pairs of outputs the texts are in different languages: match compares"
    )


def test_changed_outputs_in_a_language_that_the_model_does_not_read_are_counted():
    made = comparison({"match": np.zeros(12)}, reruns=[{"match": np.zeros(12)}])
    minilm = KNOWN["all-MiniLM-L6-v2"]
    signature = Signature.of("drift", model=f"{minilm.name}#{minilm.sums[minilm.weights][:12]}")
    long, short = "Der Akku hält zwei Tage, und das Gerät ist leise.", "Der Akku hält nur einen Tag lang."
    ours = (Item("item-0", (Output(long),)), Item("item-1", (Output(long),)))
    theirs = (Item("item-0", (Output(short),)), Item("item-1", (Output(long),)))
    made = replace(
        made,
        baseline=replace(made.baseline, items=(*ours, *made.baseline.items[2:])),
        candidate=replace(made.candidate, items=(*theirs, *made.candidate.items[2:])),
        measured=replace(
            made.measured,
            pairs=tuple(AlignedPair(place, 0, 0, {"match": 0.8}) for place in range(3)),
            signature=signature,
        ),
    )
    # The second pair is of equal texts, which need not be read; the third is English.
    (foreign,) = gate_cautions(made, (), GateSettings())
    assert foreign == (
        "in 1 of 3 pairs of outputs a text is in a language that all-MiniLM-L6-v2 does not read: their "
        "similarity says little; choose a model that reads it (--embedder e5-small)"
    )


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
    (caution,) = gate_cautions(made, (), GateSettings())
    assert caution.startswith("credits: in 2 of 11 pairs of outputs only one has a number (NaN is none)")
    assert "2.5, the worst case" in caution


def test_reruns_that_are_silent_where_the_baseline_speaks_are_named():
    silence = {"silence": np.zeros(12)}
    partly = {"silence": np.r_[np.ones(2), np.zeros(10)]}
    (caution,) = gate_cautions(comparison(silence, reruns=[silence, partly]), (), GateSettings())
    assert caution.startswith("in 2 of 12 items only one of baseline and rerun says anything")
    assert gate_cautions(comparison(silence, reruns=[silence]), (), GateSettings()) == []


def of_significance(made, **settings):
    asked = GateSettings(replicates=500, **settings)
    return [caution for caution in decide(made, asked).cautions if caution.startswith("too few items")]


def beside_a_rerun(losses, **settings):
    """The candidate with these losses, and a rerun that loses nothing."""
    return comparison(losses, reruns=[{name: np.zeros(len(one)) for name, one in losses.items()}], **settings)


def test_tests_that_cannot_fail_are_named_with_the_items_that_are_enough():
    # 2 ** -3 / 2 = .0625. Two tests: the stricter needs p < .025; 2 ** -5 / 2 = .0156 is the first below it.
    (said,) = of_significance(beside_a_rerun({"match": [1.0] * 3, "silence": [1.0] * 3}))
    assert said == (
        "too few items for most drifts to fail in 'match', 'silence': where all of 3 items differ, p is "
        "0.0625 with one rerun; 5 items are enough"
    )


@pytest.mark.parametrize(("correction", "n_cautions"), [("holm", 1), ("bh", 0)])
def test_what_can_fail_depends_on_the_correction(correction, n_cautions):
    # Two equal p-values of 2 ** -4 / 2 = .031: Holm doubles them, Benjamini and Hochberg leave them.
    made = beside_a_rerun({"match": [1.0] * 4, "silence": [1.0] * 4})
    assert len(of_significance(made, correction=correction)) == n_cautions


def test_groups_that_cannot_fail_are_named():
    groups = {"topic": ["a"] * 30 + ["b"] * 3}
    (said,) = of_significance(beside_a_rerun({"match": np.ones(33)}, groups=groups), by=("topic",))
    assert "fail in 'topic b': where all of 3 items differ, p is 0.0625" in said


def test_what_cannot_be_tested_without_a_rerun_is_not_called_short_of_items():
    assert of_significance(comparison({"match": [1.0] * 3})) == []
