"""Reruns that repeat another run: which are left out of the noise, and which belong to a constant model."""

import numpy as np
import pytest

from semscale.drift.comparison import compare
from semscale.drift.copied_runs import nearly_equal, repeated_run, without_copies
from semscale.history.items import Item, Output
from semscale.history.runs import Run

WORDS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven", "inlet", "jetty"]


def run(name, texts):
    """A run with an item for each text, which is also its id."""
    items = (Item(str(number), (Output(text),)) for number, text in enumerate(texts))
    return Run("exam", "model", tuple(items), id=name, rerun_of=None if name == "b" else "b")


def varied(seed, n=30, share=1.0):
    """Texts of four random words; those beyond a share of the items are the same for all seeds."""
    draws = np.random.default_rng(seed), np.random.default_rng(0)
    return [" ".join(draws[number >= share * n].choice(WORDS, 4)) for number in range(n)]


def kept(baseline, *reruns):
    return [rerun.id for rerun in without_copies(baseline, reruns)[0]]


def test_reruns_that_vary_are_all_noise():
    assert kept(run("b", varied(1)), run("r1", varied(2)), run("r2", varied(3))) == ["r1", "r2"]


@pytest.mark.parametrize("original", [1, 2])
def test_a_rerun_that_was_recorded_twice_counts_once(original):
    copied = [text.upper() + "!" for text in varied(original)]
    copied[4] = "a fresh answer instead"
    baseline, first, copy = run("b", varied(1)), run("r1", varied(2)), run("r2", copied)
    (found,) = without_copies(baseline, [first, copy])[1]
    assert kept(baseline, first, copy) == ["r1"]
    assert (found.run, found.original) == ("r2", ["b", "r1"][original - 1])
    assert (found.n_equal, found.n, found.is_left_out) == (29, 30, True)


def test_a_copy_of_the_baseline_is_left_out_if_another_rerun_varies():
    assert kept(run("b", varied(1)), run("r1", varied(1)), run("r2", varied(2))) == ["r2"]


def test_reruns_of_a_constant_model_are_all_noise_of_zero():
    assert kept(run("b", varied(1)), run("r1", varied(1)), run("r2", varied(1))) == ["r1", "r2"]


def test_reruns_of_a_model_that_mostly_repeats_itself_are_all_noise():
    # All runs share nine tenths of the items, and differ in the others.
    runs = [run(name, varied(seed, share=0.1)) for seed, name in enumerate(("b", "r1", "r2", "r3"), start=1)]
    assert kept(*runs) == ["r1", "r2", "r3"]


def test_few_equal_items_make_no_copy():
    texts = varied(2)
    texts[:10] = varied(1)[:10]
    assert kept(run("b", varied(1)), run("r1", texts), run("r2", varied(3))) == ["r1", "r2"]


def test_a_single_rerun_that_repeats_the_baseline_is_reported_and_stays():
    baseline, same = run("b", varied(1)), run("r1", varied(1))
    assert kept(baseline, same) == ["r1"]
    assert not repeated_run(baseline, [], same).is_left_out
    assert repeated_run(baseline, [], run("r1", varied(2))) is None


def test_items_without_a_text_are_equal_only_to_each_other():
    silent, text = Item("a", ()), Item("a", (Output("It is right."),))
    assert nearly_equal(silent, silent)
    assert not nearly_equal(silent, text)
    assert repeated_run(Run("e", "m", (silent,)), [], Run("e", "m", (silent,))) is None


class NoMeter:
    """A meter that returns what it was asked to compare."""

    def measure(self, baseline, candidate, reruns, **known):
        from made_up_losses import compared

        made = compared([candidate, baseline, *reruns])
        vars(made).update({name: known[name] for name in ("copies", "cautions")})
        return made


def test_a_comparison_leaves_copies_out_and_names_them():
    texts = [varied(seed) for seed in range(4)]
    baseline, candidate = run("b", texts[0]), Run("exam", "new", run("c", texts[1]).items)
    reruns = [run("r1", texts[2]), run("r2", texts[2])]
    found = compare(baseline, candidate, reruns=reruns, meter=NoMeter())
    assert [rerun.id for rerun in found.reruns] == ["r1"]
    (caution,) = found.cautions
    assert caution.startswith("rerun r2 repeats rerun r1 in 30 of 30 items, far more than other runs do")
    # A rerun that the candidate repeats says nothing about the candidate.
    repeated = Run("exam", "new", run("c", texts[3]).items)
    found = compare(baseline, repeated, reruns=[reruns[0], run("r3", texts[3])], meter=NoMeter())
    assert [rerun.id for rerun in found.reruns] == ["r1"]
    assert found.cautions[0].startswith("rerun r3 repeats the candidate in 30 of 30 items")
