"""The self-test: draws, decisions about them, and their counts."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from semscale.damage import DAMAGES
from semscale.drift.comparison import RunPool
from semscale.drift.metrics import TEXT_METRICS
from semscale.drift.settings import LIMITS, GateSettings
from semscale.drift.simulation import SelfTest, SelfTestRow, self_test
from semscale.errors import InputError, UnknownNameError
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.signature import Signature
from semscale.stats.intervals import wilson_interval

DETERMINISTIC = GateSettings(deterministic=True)
METRICS = {name: TEXT_METRICS[name] for name in ("lost_content", "fewer_outputs", "changed_numbers")}


class WordMeter:
    """Measures without a model: words in which items differ, and the number of outputs."""

    def __init__(self):
        self.calls = 0

    def measure_pool(self, runs, order, *, n_reruns=0, progress=None):
        self.calls += 1
        if progress:
            progress("comparing items", 1, 1)
        n, k = len(runs[0].items), len(runs)
        losses = {name: np.full((n, k, k), np.nan) for name in METRICS}
        for first, second in order:
            for item, (old, new) in enumerate(zip(runs[first].items, runs[second].items, strict=True)):
                longest = max(1, len(old.outputs), len(new.outputs))
                fewer = (len(old.outputs) - len(new.outputs)) / longest
                values = {"lost_content": 1 - self._shared(old, new), "changed_numbers": 0.0}
                for name, value in values.items():
                    losses[name][item, first, second] = losses[name][item, second, first] = value
                losses["fewer_outputs"][item, first, second] = fewer
                losses["fewer_outputs"][item, second, first] = -fewer
        return RunPool(runs, METRICS, losses, Signature.of("drift"))

    @staticmethod
    def _shared(old, new):
        left, right = (
            {word for output in item.outputs for word in (output.text or "").split()} for item in (old, new)
        )
        return len(left & right) / max(1, len(left | right))


def run_of(n, **settings):
    items = tuple(
        Item(f"{at}", (Output(f"It is word{at} of mine{at}."), Output(f"The end{at} was near{at}.")))
        for at in range(n)
    )
    return Run(**({"dataset": "words", "model": "model-a", "items": items} | settings))


def quick(baseline=None, **settings):
    settings = {"meter": WordMeter(), "draws": 20, "items": 20, "shares": (1.0,)} | settings
    return self_test(baseline or run_of(24), **settings)


def test_swapped_items_are_noticed_and_shuffled_items_are_not():
    result = quick(kinds=["swap", "shuffle"], reruns=[run_of(24)], settings=DETERMINISTIC)
    assert result.row("swap").failed.value == 1
    assert result.row("swap").detected_by == "lost_content"
    assert result.row("shuffle").passed.value == 1
    assert result.row("shuffle").detected_by is None
    assert result.row("shuffle").by_metric == {}


def test_without_a_rerun_drift_is_undecided_and_hard_limits_fail():
    result = quick(kinds=["swap", "silence"])
    assert result.row("identity", 0.0).passed.value == 1
    assert result.row("swap").undecided.value == 1
    assert result.row("silence").failed.value == 1
    assert result.row("silence").detected_by == "limit silenced"


def test_by_default_a_tenth_a_third_and_all_are_damaged():
    rows = self_test(run_of(24), meter=WordMeter(), draws=1, items=30, kinds=["swap"]).detections
    assert [row.share for row in rows] == [0.1, pytest.approx(1 / 3), 1.0]


def test_all_kinds_and_shares_have_a_row_and_harmless_kinds_come_first():
    result = quick(shares=(0.5, 1.0), draws=2)
    assert [(row.kind, row.share) for row in result.false_alarms] == [
        ("identity", 0.0),
        *((kind, share) for kind in ("shuffle", "paraphrase") for share in (0.5, 1.0)),
    ]
    assert {row.kind for row in result.detections} == {
        name for name, kind in DAMAGES.items() if kind.is_harmful
    }
    assert len(result.rows) == 1 + 2 * len(DAMAGES)


def test_counts_add_up_and_intervals_are_wilsons():
    # A quarter of lost outputs is noticed in some draws and not in others.
    result = quick(kinds=["drop"], shares=(0.1, 0.25), draws=40)
    for row in result.rows:
        rates = [row.failed, row.passed, row.undecided]
        assert sum(rate.value for rate in rates) == pytest.approx(1)
        for rate in rates:
            expected = binomtest(round(rate.value * 40), 40).proportion_ci(method="wilson")
            assert (rate.low, rate.high) == pytest.approx((expected.low, expected.high))


def test_a_kind_that_no_item_can_have_has_no_rates():
    row = quick(kinds=["numbers"], baseline=Run("words", "m", (Item("1", (Output("No number"),)),))).row(
        "numbers"
    )
    assert (row.n_eligible, row.n_draws, row.detected_by) == (0, 0, None)
    assert np.isnan([row.failed.value, row.passed.value, row.undecided.value]).all()


def test_the_frame_has_all_rows_and_null_if_nothing_was_drawn():
    frame = quick(kinds=["numbers", "swap"], baseline=run_of(4), draws=3).to_frame()
    assert frame.columns[:6] == ["kind", "is_harmful", "share", "items", "n_eligible", "n_draws"]
    assert frame["kind"].to_list() == ["identity", "numbers", "swap"]
    assert frame["failed_low"].null_count() == 1  # "word1" holds no number
    assert frame["detected_by"].null_count() == 3  # without a rerun, swapping is undecided


def test_all_draws_are_measured_in_a_single_call_and_progress_is_complete():
    meter, steps = WordMeter(), []
    quick(meter=meter, kinds=["swap"], draws=5, progress=lambda *step: steps.append(step))
    assert meter.calls == 1
    assert steps[0] == ("comparing items", 1, 1)
    assert steps[-1] == ("deciding draws", 10, 10)  # identity and swap, 5 draws each


def test_a_seed_makes_draws_reproducible_and_is_in_the_signature():
    first, same, other = (quick(kinds=["drop"], shares=(0.25,), seed=seed) for seed in (1, 1, 2))
    assert first.rows == same.rows
    assert first.signature == same.signature
    assert first.signature.differences(other.signature)["damage_seed"] == ("1", "2")


def reworded(run, replacement):
    items = tuple(
        Item(item.id, tuple(Output(output.text.replace(*replacement)) for output in item.outputs))
        for item in run.items
    )
    return Run(run.dataset, run.model, items)


def test_false_alarms_are_unknown_with_a_single_rerun():
    # Two of ten words differ at every item: a loss of .2.
    result = quick(run_of(24), reruns=[reworded(run_of(24), ("is", "be"))], kinds=["swap"])
    row = result.row("rerun", 0.0)
    assert (result.n_reruns, row.n_draws) == (1, 0)
    assert np.isnan([row.failed.value, row.passed.value, row.undecided.value]).all()
    assert result.row("swap").failed.value == 1


@pytest.mark.exhaustive
def test_any_of_the_baseline_and_two_reruns_may_be_the_candidate():
    baseline = run_of(24)
    first, second = reworded(baseline, ("is", "be")), reworded(baseline, ("was", "be"))
    both = quick(baseline, reruns=[first, second], kinds=["swap"], draws=100)
    assert [row.kind for row in both.false_alarms] == ["rerun"]
    # At each item chance says which of the three is the candidate: on average there is no drift.
    assert both.row("rerun", 0.0).failed.value <= 0.05
    assert both.row("swap").failed.value == 1


def test_a_reordered_rerun_is_realigned():
    baseline = run_of(24)
    backwards = Run("words", "model-a", baseline.items[::-1])
    result = quick(baseline, reruns=[backwards] * 2, kinds=["swap"], settings=DETERMINISTIC)
    assert result.row("rerun", 0.0).passed.value == 1


def test_equal_reruns_are_left_out_and_named_unless_the_model_is_deterministic():
    baseline = run_of(24)
    reruns = [replace(baseline, id=f"{number}" * 32, rerun_of=baseline.id) for number in (1, 2)]
    result = quick(baseline, reruns=reruns, kinds=["swap"], draws=1)
    assert result.n_reruns == 0
    assert [(copy.run[0], copy.n_equal, copy.n) for copy in result.copies] == [("1", 24, 24), ("2", 24, 24)]
    assert quick(baseline, reruns=reruns, kinds=["swap"], draws=1, settings=DETERMINISTIC).n_reruns == 2


def test_a_rerun_that_says_nothing_is_refused():
    baseline = run_of(6)
    silent = replace(baseline, items=tuple(replace(item, outputs=()) for item in baseline.items))
    with pytest.raises(InputError, match="has no output in any item"):
        quick(baseline, reruns=[silent], kinds=["swap"])


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"kinds": ["scramble"]}, UnknownNameError, "scramble"),
        ({"kinds": []}, UnknownNameError, "none"),
        ({"items": 0}, InputError, "items must be at least 1"),
        ({"draws": 0}, InputError, "draws must be at least 1"),
        ({"shares": [0.5, 1.5]}, InputError, r"shares .* \[1.5\]"),
        ({"shares": []}, InputError, "shares"),
        ({"seed": -1}, InputError, "seed"),
    ],
)
def test_bad_settings_are_named(settings, error, message):
    with pytest.raises(error, match=message):
        quick(**settings)


def test_a_row_that_is_not_there_is_named():
    with pytest.raises(UnknownNameError, match="swap at 1"):
        quick(kinds=["swap"], draws=1).row("swap", 0.5)


def test_all_items_are_drawn_by_default():
    assert quick(run_of(7), items=None, kinds=["swap"], draws=1).row("swap").items == 7


def test_the_self_test_uses_the_configured_gate():
    # All items are damaged, and half of each is dropped: with all limits off and a margin of nearly the worst
    # case nothing fails.
    off = dict.fromkeys(LIMITS, "off")
    reruns = [run_of(24), run_of(24)]
    margins = ({}, {"lost_content": 0.9, "fewer_outputs": 0.9})
    rates = [
        quick(kinds=["drop"], reruns=reruns, settings=DETERMINISTIC.with_values(margins=margin, limits=off))
        for margin in margins
    ]
    assert [result.row("drop").failed.value for result in rates] == [1, 0]


def test_silence_in_a_tenth_of_the_items_fails_in_every_draw():
    reruns = [run_of(24), run_of(24)]
    result = quick(kinds=["silence"], shares=(0.1,), reruns=reruns, settings=DETERMINISTIC)
    assert result.row("silence", 0.1).failed.value == 1
    assert result.row("silence", 0.1).by_metric["limit silenced"] == 1
    assert result.row("rerun", 0.0).failed.value == 0


def test_must_pass_items_and_slices_are_left_out_as_draws_take_items_apart():
    settings = GateSettings(must_pass=["1"], slices={"exercise": {"6715": {}}})
    assert quick(kinds=["swap"], settings=settings, draws=2).row("identity", 0.0).failed.value == 0


NOTHING = wilson_interval(0, 0)


def row(kind, *, is_harmful, share=1.0, failed=0, n=4, by_metric=None):
    shares = [wilson_interval(hits, n) for hits in (failed, n - failed, 0)] if n else [NOTHING] * 3
    return SelfTestRow(kind, is_harmful, share, 30, 30, n, *shares, by_metric or {})


SELF_TEST = SelfTest(
    (
        row("shuffle", is_harmful=False),
        row("negate", is_harmful=True, share=0.5, failed=3, by_metric={"match": 0.25, "silence": 0.75}),
        row("negate", is_harmful=True, failed=4, n=0),
    ),
    0,
    Signature.of("self-test"),
)


def test_harmless_and_harmful_rows():
    assert [row.kind for row in SELF_TEST.false_alarms] == ["shuffle"]
    assert [(row.kind, row.share) for row in SELF_TEST.detections] == [("negate", 0.5), ("negate", 1.0)]


def test_the_metric_that_failed_most_often():
    assert SELF_TEST.row("negate", 0.5).detected_by == "silence"
    assert SELF_TEST.row("shuffle").detected_by is None


def test_json_states_the_level_of_intervals():
    assert SELF_TEST.record()["interval"] == 0.95
