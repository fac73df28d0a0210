"""What came of judging a table, estimated once as the run has it."""

import math

import pytest
from tests.judging.conftest import Scripted, material, plain_running

from semscale.chat.replies import Reply, TokenLogprob
from semscale.judging.judge import Judge
from semscale.judging.panel import Panel

ANSWERS = [str(1 + row % 5) for row in range(40)]


def judge(name, harsh=0):
    return Judge(Scripted(lambda request: f"Score: {max(1, int(material(request)) - harsh)}", name=name))


@pytest.fixture(scope="module")
def verdicts():
    return Panel([judge("kind"), judge("harsh", 1)]).judge(["q"] * 40, ANSWERS, running=plain_running())


def summed_up(result, **settings):
    return result.summarize(["q"] * 40, ANSWERS, **settings)


def test_every_judges_interval_is_made_as_the_run_has_it(verdicts):
    summary = summed_up(verdicts, interval=0.5, seed=7, replicates=500)
    for name, own in zip(verdicts.names, verdicts.judges, strict=True):
        ours = summary.judge_estimates[name]
        assert (ours.interval, ours.seed, ours.replicates) == (0.5, 7, 500)
        assert ours.overall.mean == own.estimate(interval=0.5, seed=7, replicates=500).overall.mean
        # 50 % intervals are a third as wide as those of 95 % that come by default.
        usual = own.estimate().overall.mean
        assert ours.overall.mean.high - ours.overall.mean.low < 0.6 * (usual.high - usual.low)
    assert summary.estimates.interval == 0.5


def test_mean_score_and_mean_expected_score_are_means_of_their_columns():
    # Each reply states level 4, .75, to whose token the model gives .5; the other .5 is on level 2, .25.
    top = (("4", math.log(0.5)), ("2", math.log(0.5)))
    reply = Reply("4", logprobs=(TokenLogprob("4", math.log(0.5), top),))
    found = Judge(Scripted(lambda _: reply)).judge(["q"] * 3, ["a", "b", "c"], running=plain_running())
    assert found.expected.tolist() == pytest.approx([0.5] * 3)
    summary = found.summarize(["q"] * 3, ["a", "b", "c"])
    for estimates in (found.estimate(), summary.estimates, summary.judge_estimates["scripted"]):
        means = {name: figure.value for name, figure in estimates.overall.figures.items()}
        assert means == pytest.approx({"score": 0.75, "expected": 0.5})
        assert estimates.overall.mean.value == pytest.approx(0.75)
    lead = summary.document().lead
    assert (lead.name, lead.value.value) == ("mean score, from 0 to 1", pytest.approx(0.75))
    assert summary.mean_expected.value == pytest.approx(0.5)


def test_groups_are_estimated_for_the_whole_and_for_each_judge(verdicts):
    by = [None] * 10 + ["low", "high"] * 15
    summary = summed_up(verdicts, by=by)
    expected = verdicts.estimate(by=by).groups
    found = summary.estimates.groups
    assert [(group.group, group.n) for group in found] == [(None, 10), ("low", 15), ("high", 15)]
    assert [group.mean for group in found] == [group.mean for group in expected]
    for name, own in zip(verdicts.names, verdicts.judges, strict=True):
        ours = summary.judge_estimates[name].groups
        assert [group.mean for group in ours] == [group.mean for group in own.estimate(by=by).groups]
    assert [item.group for item in summary.lowest] == [by[item.row] for item in summary.lowest]
    assert summed_up(verdicts).estimates.groups == ()


def test_the_only_judge_has_the_estimates_of_the_whole(verdicts):
    summary = summed_up(verdicts.judges[0])
    assert summary.judge_estimates["kind"] is summary.estimates


def test_rows_are_counted_by_the_language_of_the_answer():
    answers = ["Das ist leider überhaupt nicht sicher.", "It is not safe, and that is a pity.", "Paris", " "]
    found = Judge(Scripted(lambda _: "Score: 4")).judge(["q"] * 4, answers, running=plain_running())
    summary = found.summarize(["q"] * 4, answers)
    # The last answer is empty, so nothing is asked of it and nothing counted.
    assert summary.record()["languages"] == [
        {"language": "de", "rows": 1, "scored": 1, "unread": 0},
        {"language": "en", "rows": 1, "scored": 1, "unread": 0},
        {"language": None, "rows": 1, "scored": 1, "unread": 0},
    ]
    assert "languages" in {section.name for section in summary.document().sections}
