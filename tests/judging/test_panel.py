"""Panels: figures of the judges that scored, whatever became of the others."""

import numpy as np
import pytest
from tests.judging.conftest import Scripted, material, plain_running

from semscale.chat.messages import CallError, FailureKind
from semscale.chat.settings import Budget
from semscale.errors import InputError
from semscale.judging.judge import Judge, Panel
from semscale.types import Status


def saying(table, name):
    return Judge(Scripted(lambda request: f"Score: {table[material(request)]}", name=name))


def three():
    return Panel(
        [
            saying({"a": 1, "b": 2, "c": 5}, "strict"),
            saying({"a": 2, "b": 4, "c": 5}, "mild"),
            saying({"a": 3, "b": "4 or 5", "c": 5}, "kind"),
        ]
    )


def test_panel_counts_judges_per_item(running):
    panel = three().judge(["q"] * 4, ["a", "b", "c", None], running=running)
    # a: 0, .25, .5; b: .25, .75 and none; c: 1, 1, 1; the last is missing.
    np.testing.assert_allclose(panel.mean, [0.25, 0.5, 1, np.nan])
    np.testing.assert_allclose(panel.median, [0.25, 0.5, 1, np.nan])
    np.testing.assert_allclose(panel.min, [0, 0.25, 1, np.nan])
    np.testing.assert_allclose(panel.max, [0.5, 0.75, 1, np.nan])
    np.testing.assert_allclose(panel.spread, [0.5, 0.5, 0, np.nan])
    assert panel.n_judges.tolist() == [3, 2, 3, 0]
    assert panel.counts == {Status.SCORED: 3, Status.MISSING: 1}
    assert panel.judges[2].counts == {Status.SCORED: 2, Status.MISSING: 1, Status.UNPARSABLE: 1}


def test_severity_is_relative_to_the_rest_of_the_panel_on_the_same_items(running):
    strict, mild, kind = three().judge(["q"] * 3, ["a", "b", "c"], running=running).severities()
    # strict: a 0 - .375, b .25 - .75, c 0: mean -.875/3. kind: a .5 - .125, c 0: mean .1875, b left out.
    assert strict.value == pytest.approx(-0.875 / 3)
    assert (kind.value, kind.n_left_out) == (pytest.approx(0.1875), 1)
    assert mild.value == pytest.approx((0.25 - 0.25 + 0.5 + 0) / 3)


def test_judges_that_always_agree_count_as_a_single_effective_judge(running):
    table = {"a": 1, "b": 3, "c": 5}
    panel = Panel([saying(table, "x"), saying(table, "y")]).judge(["q"] * 3, list("abc"), running=running)
    assert panel.effective_judges().value == pytest.approx(1)
    assert [pair.kappa.value for pair in panel.agreement()] == [1]


def test_failing_judge_does_not_stop_the_panel(running):
    broken = Judge(Scripted(lambda _: CallError("the key is wrong", kind=FailureKind.DENIED), name="broken"))
    panel = Panel([saying({"a": 4}, "fine"), broken]).judge(["q", None], ["a", "a"], running=running)
    assert panel.mean[0] == 0.75
    table = panel.to_frame()
    missing = "the question or the answer is missing"
    assert table["judge_1_reason"].to_list() == [None, missing]
    assert table["judge_2_reason"].to_list() == ["the key is wrong", missing]
    assert panel.n_judges.tolist() == [1, 0]
    assert panel.judges[1].counts == {Status.MISSING: 1, Status.FAILED: 1}
    assert panel.judges[1][0].reason == "the key is wrong"
    assert np.isnan(panel.spread).all()


def test_an_item_that_nobody_scores_says_why(running):
    panel = Panel([saying({"a": "hm"}, "x"), saying({"a": "hm"}, "y")]).judge(["q"], ["a"], running=running)
    assert panel.status.tolist() == [Status.UNPARSABLE]


def test_a_model_may_sit_twice(running):
    model = Scripted(lambda _: "Score: 4")
    panel = Panel([Judge(model), Judge(model, order="score-only")])
    verdicts = panel.judge(["q"], ["a"], running=running)
    assert panel.names == ("scripted (1)", "scripted (2)")
    assert verdicts.expected.tolist() == [[0.75, 0.75]]
    assert model.closed == 1


@pytest.mark.filterwarnings("ignore::semscale.errors.UnfinishedWarning")
def test_a_budget_is_divided():
    judges = [saying(dict.fromkeys("abcdef", 4), name) for name in "xy"]
    panel = Panel(judges).judge(["q"] * 6, list("abcdef"), running=plain_running(budget=Budget(calls=4)))
    assert [len(judge.model.requests) for judge in judges] == [2, 2]
    assert panel.counts == {Status.SCORED: 2, Status.UNFINISHED: 4}
    assert "cap" in panel.stopped


def test_the_order_of_judges_changes_no_figure(running):
    judges = three().judges
    once = Panel(judges).judge(["q"] * 3, list("abc"), running=running)
    turned = Panel(judges[::-1]).judge(["q"] * 3, list("abc"), running=running)
    for figure in ("mean", "median", "min", "max", "spread"):
        np.testing.assert_array_equal(getattr(once, figure), getattr(turned, figure))


def test_the_table_has_every_judge(running):
    frame = three().judge(["q"] * 3, list("abc"), running=running).to_frame()
    assert frame["judge_3"].to_list() == [0.5, None, 1.0]
    assert frame["judge_3_status"].to_list() == ["scored", "unparsable", "scored"]
    assert frame["judge_3_replies"].to_list()[1] == ["Score: 4 or 5"] * 3
    assert frame["mean"].to_list() == [0.25, 0.5, 1.0]


@pytest.mark.parametrize("judges", [[], None, ["gpt"], [Judge(Scripted(str))]])
def test_a_panel_has_two_judges_or_more(judges):
    with pytest.raises(InputError, match="judges must be a list of two or more Judge"):
        Panel(judges)
