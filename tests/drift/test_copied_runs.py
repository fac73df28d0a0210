"""Reruns that repeat another run: they are left out of the noise, unless the model is said to be constant."""

import numpy as np
import pytest
from tests.support.made_up_losses import candidate_losses, compared

from semscale.drift.comparison import compare
from semscale.drift.copied_runs import nearly_equal, without_copies
from semscale.drift.decision import decide
from semscale.drift.settings import GateSettings
from semscale.errors import InputError
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.history.stored_comparison import Outcome

TERMS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven", "inlet", "jetty"]


def run(name, texts):
    """A run with an item for each text, which is also its id."""
    items = (Item(str(number), (Output(text),)) for number, text in enumerate(texts))
    return Run("exam", "model", tuple(items), id=name, rerun_of=None if name == "b" else "b")


def varied(seed, n=30, share=1.0):
    """Texts of four random words; those beyond a share of the items are the same for all seeds."""
    draws = np.random.default_rng(seed), np.random.default_rng(0)
    return [" ".join(draws[number >= share * n].choice(TERMS, 4)) for number in range(n)]


def retained_ids(baseline, *reruns, **settings):
    return [rerun.id for rerun in without_copies(baseline, reruns, **settings)[0]]


def test_reruns_that_vary_are_all_noise():
    assert retained_ids(run("b", varied(1)), run("r1", varied(2)), run("r2", varied(3))) == ["r1", "r2"]


@pytest.mark.parametrize("original", [1, 2])
def test_a_rerun_that_was_recorded_twice_counts_once(original):
    copied = [text.upper() + "!" for text in varied(original)]
    copied[4] = "a fresh answer instead"
    baseline, first, copy = run("b", varied(1)), run("r1", varied(2)), run("r2", copied)
    (result,) = without_copies(baseline, [first, copy])[1]
    assert retained_ids(baseline, first, copy) == ["r1"]
    assert (result.run, result.original) == ("r2", ["b", "r1"][original - 1])
    assert (result.n_equal, result.n, result.stands_out) == (29, 30, True)


def test_a_copy_of_the_baseline_is_left_out_if_a_second_rerun_varies():
    assert retained_ids(run("b", varied(1)), run("r1", varied(1)), run("r2", varied(2))) == ["r2"]


def test_equal_reruns_count_only_for_a_deterministic_model():
    runs = run("b", varied(1)), run("r1", varied(1)), run("r2", varied(1))
    assert retained_ids(*runs) == []
    assert retained_ids(*runs, deterministic=True) == ["r1", "r2"]


@pytest.mark.parametrize(("n_new", "is_copy"), [(3, True), (4, False)])
def test_runs_that_share_nine_tenths_of_the_items_are_copies(n_new, is_copy):
    # All runs share 27 or 26 of 30 items, and differ in the others.
    runs = [
        run(name, varied(seed, share=n_new / 30))
        for seed, name in enumerate(("b", "r1", "r2", "r3"), start=1)
    ]
    assert retained_ids(*runs) == ([] if is_copy else ["r1", "r2", "r3"])
    assert retained_ids(*runs, deterministic=True) == ["r1", "r2", "r3"]


def test_a_copy_is_left_out_of_a_deterministic_model_if_another_rerun_varies():
    assert retained_ids(
        run("b", varied(1)), run("r1", varied(1)), run("r2", varied(2)), deterministic=True
    ) == ["r2"]


def test_few_equal_items_make_no_copy():
    texts = varied(2)
    texts[:10] = varied(1)[:10]
    assert retained_ids(run("b", varied(1)), run("r1", texts), run("r2", varied(3))) == ["r1", "r2"]


def test_a_single_rerun_that_repeats_the_baseline_is_left_out_and_named():
    (copy,) = without_copies(run("b", varied(1)), [run("r1", varied(1))])[1]
    assert (copy.run, copy.original, copy.n_equal, copy.n, copy.stands_out) == ("r1", "b", 30, 30, False)
    assert copy.sentence.endswith(
        "repeats the baseline in 30 of 30 items: recorded twice or from a cache, so it is left out of the "
        "noise"
    )
    assert retained_ids(run("b", varied(1)), run("r1", varied(2))) == ["r1"]


def test_items_without_a_text_equal_only_items_without_a_text():
    silent, text = Item("a", ()), Item("a", (Output("It is right."),))
    assert nearly_equal(silent, silent)
    assert not nearly_equal(silent, text)
    assert without_copies(Run("e", "m", (silent,)), [Run("e", "m", (silent,))])[1] == []


class NoMeter:
    """A meter that returns what it was asked to compare, with a loss of added content of the candidate."""

    encoder = guards = seed = None  # for references, which these runs lack

    def __init__(self, added=0.0):
        self.added = added

    def measure(self, baseline, candidate, reruns, **settings):
        runs = [candidate, baseline, *reruns]
        return compared(runs, {"added_content": candidate_losses(self.added, len(baseline.items), len(runs))})


def test_a_comparison_leaves_copies_out_and_names_them():
    texts = [varied(seed) for seed in range(4)]
    baseline, candidate = run("b", texts[0]), Run("exam", "new", run("c", texts[1]).items)
    reruns = [run("r1", texts[2]), run("r2", texts[2])]
    result = compare(baseline, candidate, reruns=reruns, meter=NoMeter())
    assert [rerun.id for rerun in result.reruns] == ["r1"]
    (caution,) = result.cautions
    assert caution.startswith("rerun r2 repeats rerun r1 in 30 of 30 items, far more than other runs do")
    # A rerun that the candidate repeats says nothing about the candidate.
    repeated = Run("exam", "new", run("c", texts[3]).items)
    result = compare(baseline, repeated, reruns=[reruns[0], run("r3", texts[3])], meter=NoMeter())
    assert [rerun.id for rerun in result.reruns] == ["r1"]
    assert result.cautions[0].startswith("rerun r3 repeats the candidate in 30 of 30 items")


def test_a_gate_whose_only_rerun_is_a_copy_decides_as_one_without_a_rerun():
    baseline, copy = run("b", varied(1)), run("r1", varied(1))
    candidate = Run("exam", "new", run("c", varied(2)).items)
    # The drift, .22 squared = .0484, exceeds the margin of .032; chance explains it unless there is a rerun.
    comparison = compare(baseline, candidate, reruns=[copy], meter=NoMeter(0.22))
    assert comparison.reruns == ()
    assert [copy.run for copy in comparison.copies] == ["r1"]
    assert decide(comparison).outcome is Outcome.UNDECIDED
    constant = compare(baseline, candidate, reruns=[copy], deterministic=True, meter=NoMeter(0.22))
    assert decide(constant, GateSettings(deterministic=True)).outcome is Outcome.FAIL
    assert ([rerun.id for rerun in constant.reruns], constant.copies) == (["r1"], ())
    assert ("deterministic", "yes") in constant.signature.fields
    assert "deterministic" not in dict(comparison.signature.fields)
    with pytest.raises(InputError, match=r"compare\(\.\.\., deterministic=True\)"):
        decide(comparison, GateSettings(deterministic=True))


def test_a_candidate_equal_to_the_baseline_is_expected_only_of_a_deterministic_model():
    baseline, copy = run("b", varied(1)), run("r1", varied(1))
    candidate = Run("exam", "new", run("c", varied(1)).items)
    cautions = compare(baseline, candidate, reruns=[copy], meter=NoMeter()).cautions
    assert [caution.partition(":")[0] for caution in cautions] == [
        "all outputs equal the baseline's",
        "rerun r1 repeats the baseline in 30 of 30 items",
    ]
    constant = compare(baseline, candidate, reruns=[copy], deterministic=True, meter=NoMeter())
    assert constant.cautions == ()
