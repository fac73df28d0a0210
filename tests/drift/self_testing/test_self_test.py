"""The self-test: what is drawn, what the gate is shown, and how its decisions are counted."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import SIGNATURE, measured, metrics_of, run
from scipy.stats import binomtest

from semscale.damage import DAMAGES
from semscale.drift.gate.settings import GateSettings
from semscale.drift.limits.kinds import LIMITS
from semscale.drift.measure.measured import MeasuredRun
from semscale.drift.self_testing.draws import Draw, Versions, compare_drawn, draw_items
from semscale.drift.self_testing.self_test import self_test
from semscale.errors import InputError, UnknownNameError
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.types import Status

NAN = np.nan
METRICS = metrics_of(["match", "output_count"])


class WordMeter:
    """Measures without a model: words in which items differ, and the number of outputs."""

    def __init__(self):
        self.calls = 0

    def measure_pairs(self, baseline, others, further, *, progress=None):
        self.calls += 1
        if progress:
            progress("comparing items", 1, 1)
        pairs = [*((baseline, other) for other in others), *((others[i], others[j]) for i, j in further)]
        return [self._one(*pair) for pair in pairs]

    def _one(self, baseline, other):
        pairs = list(zip(baseline.items, other.items, strict=True))
        losses = {
            "match": np.array([1 - self._shared(*pair) for pair in pairs]),
            "output_count": np.array([1 - len(new.outputs) / max(1, len(old.outputs)) for old, new in pairs]),
        }
        status = np.full(len(pairs), Status.SCORED, dtype=object)
        return MeasuredRun(METRICS, losses, status, (), SIGNATURE)

    @staticmethod
    def _shared(old, new):
        ours, theirs = (
            {word for output in item.outputs for word in (output.text or "").split()} for item in (old, new)
        )
        return len(ours & theirs) / max(1, len(ours | theirs))


def run_of(n, **settings):
    items = tuple(
        Item(f"{at}", (Output(f"It is word{at} of mine{at}."), Output(f"The end{at} was near{at}.")))
        for at in range(n)
    )
    return Run(**({"dataset": "words", "model": "model-a", "items": items} | settings))


def quick(baseline=None, **settings):
    settings = {"meter": WordMeter(), "draws": 20, "items": 20, "shares": (1.0,)} | settings
    return self_test(baseline or run_of(24), **settings)


def test_swapped_items_are_noticed_and_shuffled_ones_are_not():
    found = quick(kinds=["swap", "shuffle"], reruns=[run_of(24)])
    assert found.row("swap").failed.value == 1
    assert found.row("swap").detected_by == "match"
    assert found.row("shuffle").passed.value == 1
    assert found.row("shuffle").detected_by is None
    assert found.row("shuffle").by_metric == {}


def test_without_a_rerun_what_texts_lose_is_undecided_and_lost_outputs_fail():
    found = quick(kinds=["swap", "drop"])
    assert found.row("identity", 0.0).passed.value == 1
    assert found.row("swap").undecided.value == 1
    assert found.row("drop").failed.value == 1
    assert found.row("drop").detected_by == "output_count"


def test_by_default_a_tenth_a_third_and_all_are_damaged():
    rows = self_test(run_of(24), meter=WordMeter(), draws=1, items=30, kinds=["swap"]).detections
    assert [row.share for row in rows] == [0.1, pytest.approx(1 / 3), 1.0]


def test_each_kind_and_share_has_a_row_and_harmless_ones_come_first():
    found = quick(shares=(0.5, 1.0), draws=2)
    assert [(row.kind, row.share) for row in found.false_alarms] == [
        ("identity", 0.0),
        *((kind, share) for kind in ("shuffle", "paraphrase") for share in (0.5, 1.0)),
    ]
    assert {row.kind for row in found.detections} == {
        name for name, kind in DAMAGES.items() if kind.is_harmful
    }
    assert len(found.rows) == 1 + 2 * len(DAMAGES)


def test_counts_add_up_and_intervals_are_wilsons():
    # A quarter of lost outputs is noticed in some draws and not in others.
    found = quick(kinds=["drop"], shares=(0.1, 0.25), draws=40)
    for row in found.rows:
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


def test_the_frame_has_a_row_each_and_null_where_nothing_was_drawn():
    frame = quick(kinds=["numbers", "swap"], baseline=run_of(4), draws=3).to_frame()
    assert frame.columns[:6] == ["kind", "is_harmful", "share", "items", "n_eligible", "n_draws"]
    assert frame["kind"].to_list() == ["identity", "numbers", "swap"]
    assert frame["failed_low"].null_count() == 1  # "word1" holds no number
    assert frame["detected_by"].null_count() == 3  # without a rerun, swapping is undecided


def test_everything_is_measured_in_one_call_and_progress_reaches_its_end():
    meter, steps = WordMeter(), []
    quick(meter=meter, kinds=["swap"], draws=5, progress=lambda *step: steps.append(step))
    assert meter.calls == 1
    assert steps[0] == ("comparing items", 1, 1)
    assert steps[-1] == ("deciding draws", 10, 10)  # identity and swap, 5 draws each


def test_a_seed_says_it_all_and_stands_in_the_signature():
    one, same, other = (quick(kinds=["drop"], shares=(0.25,), seed=seed) for seed in (1, 1, 2))
    assert one.rows == same.rows
    assert one.signature == same.signature
    assert one.signature.differences(other.signature)["damage_seed"] == ("1", "2")


def reworded(run, words):
    items = tuple(
        Item(item.id, tuple(Output(output.text.replace(*words)) for output in item.outputs))
        for item in run.items
    )
    return Run(run.dataset, run.model, items)


def test_false_alarms_of_an_unchanged_model_are_not_known_from_one_rerun():
    # Two of ten words differ at every item: a loss of .2.
    found = quick(run_of(24), reruns=[reworded(run_of(24), ("is", "be"))], kinds=["swap"])
    row = found.row("rerun", 0.0)
    assert (found.n_reruns, row.n_draws) == (1, 0)
    assert np.isnan([row.failed.value, row.passed.value, row.undecided.value]).all()
    assert found.row("swap").failed.value == 1


@pytest.mark.exhaustive
def test_of_two_reruns_and_the_baseline_each_may_be_the_candidate():
    baseline = run_of(24)
    other, same = reworded(baseline, ("is", "be")), reworded(baseline, ("is", "is"))
    both = quick(baseline, reruns=[other, same], kinds=["swap"], draws=100)
    assert [row.kind for row in both.false_alarms] == ["rerun"]
    # At each item chance says which of the three is the candidate: on average there is no drift.
    assert both.row("rerun", 0.0).failed.value <= 0.05
    assert both.row("swap").failed.value == 1


def test_a_rerun_in_another_order_is_put_right():
    baseline = run_of(24)
    backwards = Run("words", "model-a", baseline.items[::-1])
    assert quick(baseline, reruns=[backwards] * 2, kinds=["swap"]).row("rerun", 0.0).passed.value == 1


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


def test_all_items_are_drawn_from_by_default_of_none():
    assert quick(run_of(7), items=None, kinds=["swap"], draws=1).row("swap").items == 7


@given(st.integers(0, 10), st.integers(0, 999))
def test_damaged_items_come_from_those_that_can_be(n_damaged, seed):
    can_be = np.zeros((2, 6), dtype=bool)
    can_be[0, 1] = can_be[1, 4] = True
    draw = draw_items(can_be, items=10, n_damaged=n_damaged, rng=np.random.default_rng(seed))
    assert draw.are_damaged.tolist() == [True] * n_damaged + [False] * (10 - n_damaged)
    damaged_places = zip(draw.roles[:n_damaged, 0].tolist(), draw.items[:n_damaged].tolist(), strict=True)
    assert set(damaged_places) <= {(0, 1), (1, 4)}
    assert len(draw.items) == 10
    assert set(draw.items) <= set(range(6))
    # Each of the two runs has one role.
    assert all(sorted(row) == [0, 1] for row in draw.roles.tolist())


def versions_of(pairs, damaged_pairs):
    """Versions with these losses in match, each of shape (v, v, 3): of the second run against the first."""
    groups = {"topic": ["a", "b", "c"]}
    losses = np.array([pairs, damaged_pairs], dtype=np.float64)
    v = losses.shape[1]
    runs = tuple(run(3, groups=groups) for _ in range(v))
    hurt = tuple(run(3, groups=groups, model="damaged") for _ in range(v))
    status = np.where(np.isnan(losses), Status.EMPTY, Status.SCORED).astype(object)
    template = measured({"match": np.zeros(3)})
    return Versions((runs, hurt), {"match": losses}, status, np.ones((v, 3), dtype=bool), template)


def test_drawn_items_bring_their_losses_groups_and_statuses():
    # Two runs: the second against the first is the only pair, and its unchanged version is the rerun.
    versions = versions_of([[[0, 0, 0], [0.1, 0.2, NAN]], [[0.1, 0.2, NAN], [0, 0, 0]]],
                           [[[0, 0, 0], [0.7, 0.8, 0.9]], [[0.7, 0.8, 0.9], [0, 0, 0]]])  # fmt: skip
    draw = Draw(np.array([2, 0, 2, 0]), np.array([[1, 0]] * 4), np.array([True, True, False, False]))
    drawn = compare_drawn(versions, draw)
    np.testing.assert_array_equal(drawn.losses("match"), [0.9, 0.7, NAN, 0.1])
    np.testing.assert_array_equal(drawn.expected("match"), [NAN, 0.1, NAN, 0.1])
    assert [item.groups["topic"] for item in drawn.baseline.items] == ["c", "a", "c", "a"]
    assert drawn.measured.status.tolist() == [Status.SCORED, Status.SCORED, Status.EMPTY, Status.SCORED]
    assert len({item.id for item in drawn.candidate.items}) == 4


def test_at_each_item_candidate_baseline_and_rerun_are_the_runs_that_were_drawn():
    # Three runs: .1 apart are the first and second, .2 the first and third, .4 the second and third.
    pairs = np.zeros((3, 3, 3))
    for (one, two), loss in {(0, 1): 0.1, (0, 2): 0.2, (1, 2): 0.4}.items():
        pairs[one, two] = pairs[two, one] = loss
    versions = versions_of(pairs, pairs + 0.5)
    draw = Draw(np.arange(3), np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1]]), np.array([False, False, True]))
    drawn = compare_drawn(versions, draw)
    np.testing.assert_allclose(drawn.losses("match"), [0.1, 0.4, 0.7])
    np.testing.assert_allclose(drawn.mean_losses("match"), [0.15, 0.25, 0.8])
    np.testing.assert_allclose(drawn.expected("match"), [0.4, 0.2, 0.1])


def test_the_baseline_by_itself_has_no_rerun():
    versions = versions_of(np.zeros((1, 1, 3)), np.full((1, 1, 3), 0.9))
    drawn = compare_drawn(
        versions, Draw(np.array([0, 1]), np.zeros((2, 1), dtype=int), np.array([True, False]))
    )
    assert drawn.reruns == ()
    assert drawn.losses("match").tolist() == [0.9, 0.0]


def test_the_gate_is_the_one_that_is_configured():
    # Half of each item is dropped: with a margin of the worst case no drift is material, and no limit looks.
    off = dict.fromkeys(LIMITS, "off")
    rates = [
        quick(kinds=["drop"], settings=GateSettings(material_share=share, limits=off))
        for share in (0.05, 1.0)
    ]
    assert [found.row("drop").failed.value for found in rates] == [1, 0]


def test_silence_in_a_tenth_of_the_items_fails_in_every_draw():
    found = quick(kinds=["silence"], shares=(0.1,), reruns=[run_of(24), run_of(24)])
    assert found.row("silence", 0.1).failed.value == 1
    assert found.row("silence", 0.1).by_metric["limit silenced"] == 1
    assert found.row("rerun", 0.0).failed.value == 0


def test_must_pass_items_and_slices_are_left_out_as_draws_take_items_apart():
    settings = GateSettings(must_pass=["1"], slices={"exercise": {"6715": {}}})
    assert quick(kinds=["swap"], settings=settings, draws=2).row("identity", 0.0).failed.value == 0
