"""Summaries of judged items: estimates, samples of many rows, and reasons."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.judging.conftest import Scripted, material, plain_running
from tests.schema_check import check_json

from semscale.chat.messages import Reply, TokenLogprob
from semscale.judging.human_labels import label_table
from semscale.judging.judge import Judge, Panel
from semscale.judging.settings import JudgeColumns
from semscale.judging.summary import alike_reasons
from semscale.judging.verdicts import JudgeTally
from semscale.report.json_encoding import to_json
from semscale.report.judging import cautions, human_table
from semscale.stats.intervals import IntervalPlan

ANSWERS = [str(1 + row % 5) for row in range(40)]


def judge(name, harsh=0):
    return Judge(Scripted(lambda request: f"Score: {max(1, int(material(request)) - harsh)}", name=name))


@pytest.fixture(scope="module")
def verdicts():
    return Panel([judge("kind"), judge("harsh", 1)]).judge(["q"] * 40, ANSWERS, running=plain_running())


def summed_up(result, **settings):
    return result.summarize(["q"] * 40, ANSWERS, **settings)


def test_judge_intervals_use_the_settings_of_the_run(verdicts):
    summary = summed_up(verdicts, interval=0.5, seed=7, replicates=500)
    for name, single in zip(verdicts.names, verdicts.judges, strict=True):
        actual = summary.judge_estimates[name]
        assert (actual.interval, actual.seed, actual.replicates) == (0.5, 7, 500)
        assert actual.overall.mean == single.estimate(interval=0.5, seed=7, replicates=500).overall.mean
        # 50 % intervals are a third as wide as those of 95 % that come by default.
        usual = single.estimate().overall.mean
        assert actual.overall.mean.high - actual.overall.mean.low < 0.6 * (usual.high - usual.low)
    assert summary.estimates.interval == 0.5


def test_mean_score_and_mean_expected_score_are_means_of_their_columns():
    # Each reply states level 4, .75, to whose token the model gives .5; the other .5 is on level 2, .25.
    top = (("4", math.log(0.5)), ("2", math.log(0.5)))
    reply = Reply("4", logprobs=(TokenLogprob("4", math.log(0.5), top),))
    results = Judge(Scripted(lambda _: reply)).judge(["q"] * 3, ["a", "b", "c"], running=plain_running())
    assert results.expected.tolist() == pytest.approx([0.5] * 3)
    summary = results.summarize(["q"] * 3, ["a", "b", "c"])
    for estimates in (results.estimate(), summary.estimates, summary.judge_estimates["scripted"]):
        means = {name: figure.value for name, figure in estimates.overall.figures.items()}
        assert means == pytest.approx({"score": 0.75, "expected": 0.5})
        assert estimates.overall.mean.value == pytest.approx(0.75)
    lead = summary.document().lead
    assert (lead.name, lead.value.value) == ("mean score, from 0 to 1", pytest.approx(0.75))
    assert summary.mean_expected.value == pytest.approx(0.5)


def test_groups_are_estimated_for_the_panel_and_every_judge(verdicts):
    by = [None] * 10 + ["low", "high"] * 15
    summary = summed_up(verdicts, by=by)
    expected = verdicts.estimate(by=by).groups
    results = summary.estimates.groups
    assert [(group.group, group.n) for group in results] == [("low", 15), ("high", 15), (None, 10)]
    assert [group.mean for group in results] == [group.mean for group in expected]
    for name, single in zip(verdicts.names, verdicts.judges, strict=True):
        actual = summary.judge_estimates[name].groups
        assert [group.mean for group in actual] == [group.mean for group in single.estimate(by=by).groups]
    assert [item.group for item in summary.lowest] == [by[item.row] for item in summary.lowest]
    assert summed_up(verdicts).estimates.groups == ()


def test_the_only_judge_has_the_estimates_of_the_whole(verdicts):
    summary = summed_up(verdicts.judges[0])
    assert summary.judge_estimates["kind"] is summary.estimates


def test_rows_are_counted_by_the_language_of_the_answer():
    answers = ["Das ist leider überhaupt nicht sicher.", "It is not safe, and that is a pity.", "Paris", " "]
    results = Judge(Scripted(lambda _: "Score: 4")).judge(["q"] * 4, answers, running=plain_running())
    summary = results.summarize(["q"] * 4, answers)
    # The last answer is empty, so nothing is asked of it and nothing counted.
    assert summary.record()["languages"] == [
        {"language": "de", "rows": 1, "scored": 1, "unread": 0},
        {"language": "en", "rows": 1, "scored": 1, "unread": 0},
        {"language": None, "rows": 1, "scored": 1, "unread": 0},
    ]
    assert "languages" in {section.name for section in summary.document().sections}


N, LABELLED, SAMPLED = 600, 80, 200
# The first answers are labelled, each one level above what its judges say at most.
SAMPLE_ANSWERS = [f"{1 + row % 5}" for row in range(N)]
LABELS = [f"{min(5, 2 + row % 5)}" if row < LABELLED else None for row in range(N)]
LABELS[:20] = [f"[{label}, {1 + row % 3}]" for row, label in enumerate(LABELS[:20])]  # by two people


def sample_judge(name, harsh=0):
    def say(request):
        level = int(material(request).split()[0])
        return "no idea" if level == 3 and not harsh else f"Score: {max(1, level - harsh)}"

    return Judge(Scripted(say, name=name))


@pytest.fixture(scope="module")
def sample_verdicts():
    return Panel([sample_judge("kind"), sample_judge("harsh", 1)]).judge(
        ["q"] * N, SAMPLE_ANSWERS, running=plain_running()
    )


@pytest.fixture(scope="module")
def summed(sample_verdicts):
    """A function that sums the panel's verdicts up in parts, holding some rows."""
    first, second = sample_verdicts.judges
    biased = tuple(replace(verdict, order_bias=row / 997) for row, verdict in enumerate(first.verdicts))
    verdicts = replace(sample_verdicts, judges=(replace(first, verdicts=biased), second))
    labels, groups = label_table(LABELS, first.template), ["north", "south"] * (N // 2)
    shares = np.full(N, 0.5)

    def summary(most, size=250, *, inclusion=None):
        columns = JudgeColumns(
            question="question", answer="answer", human="human", inclusion=inclusion, by="by"
        )
        tally = JudgeTally(verdicts, columns, IntervalPlan(), most=most)
        for start in range(0, N, size):
            rows = slice(start, start + size)
            tally.add(
                verdicts[rows],
                ["q"] * len(verdicts[rows]),
                SAMPLE_ANSWERS[rows],
                labels=labels[rows],
                inclusion=None if inclusion is None else shares[rows],
                groups=groups[rows],
            )
        return tally.summary(verdicts, "t.csv")

    return summary


def test_estimates_counts_and_labels_are_of_all_rows(summed):
    whole, part = summed(N), summed(SAMPLED)
    assert (whole.sampled, part.sampled, part.n) == (None, SAMPLED, N)
    assert part.counts == whole.counts
    assert part.estimates == whole.estimates
    assert part.judge_estimates == whole.judge_estimates
    # the first judge cannot tell level 3, which is one of five
    assert part.judges["kind"].counts == {"scored": 480, "unparsable": 120}
    # 0 to 599, each divided by 997
    assert part.judges["kind"].order_bias == pytest.approx(299.5 / 997)
    assert part.signature == whole.signature
    assert part.mean_label == whole.mean_label
    assert part.human.judge_less_people == whole.human.judge_less_people
    assert part.human.kappa == whole.human.kappa
    assert part.human.ceiling == whole.human.ceiling
    assert part.human.ceiling.judge.n == 20
    assert part.human.ceiling.judge.n_left_out == N - 20
    assert part.effective_judges.value == whole.effective_judges.value


def test_figures_from_the_sample_are_near_those_of_all_rows(summed):
    whole, part = summed(N), summed(SAMPLED)
    for name, severity in part.severities.items():
        assert severity.value == pytest.approx(whole.severities[name].value, abs=0.05)
    (kappa,), (expected,) = part.agreement.values(), whole.agreement.values()
    assert kappa.value == pytest.approx(expected.value, abs=0.1)


@pytest.mark.exhaustive
@pytest.mark.parametrize("inclusion", [None, "p"])
def test_a_labelled_row_counts_once_in_the_corrected_mean(summed, inclusion):
    whole, part = (summed(most, inclusion=inclusion).human.corrected for most in (N, SAMPLED))
    # the judge's own mean stands in two tables of the report, and is the same in both
    mean = summed(SAMPLED, inclusion=inclusion).mean_expected
    assert (part.naive.value, part.naive.low, part.naive.high, part.naive.n) == (
        mean.value, mean.low, mean.high, N,
    )  # fmt: skip
    assert part.n_labelled == whole.n_labelled == LABELLED
    # levels stand a quarter apart; a mean of 200 of 600 rows has a standard error of about .02
    assert part.value == pytest.approx(whole.value, abs=0.06)
    assert part.naive.value == pytest.approx(whole.naive.value, abs=0.06)


@pytest.mark.exhaustive
def test_report_and_json_state_which_figures_come_from_a_sample(summed):
    part, whole = summed(SAMPLED), summed(N)
    check_json(to_json(part, part.document(), {"out": None, "report": [], "figures": None}))
    assert (part.record()["sampled"], whole.record()["sampled"]) == (SAMPLED, None)
    assert (
        "Computed from a random sample of 200 of the 600 rows, and from all rows with a human label: "
        "histograms, severities, agreement of judges and the corrected mean. All other figures are of all "
        "rows."
    ) in cautions(part)
    meanings = [row[2].text for row in human_table(part).rows]
    assert meanings[0].startswith("what people would give to the 600 rows with a score")
    assert meanings[1].startswith("of the 600 rows with a score")
    assert not any("random sample of" in caution for caution in cautions(whole))


def test_reasons_that_differ_in_numbers_are_merged():
    results = alike_reasons({"row 1 of 5": 1, "no reply": 2, "row 2 of 5": 3, "row 1": 1})
    assert results == {"row … of 5": 4, "no reply": 2, "row 1": 1}
    assert list(results) == ["row … of 5", "no reply", "row 1"]


def test_a_single_reason_is_as_it_came():
    assert alike_reasons({"HTTP 400: at most 1,024 tokens": 2}) == {"HTTP 400: at most 1,024 tokens": 2}
