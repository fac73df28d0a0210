"""Summaries of more judged rows than are kept."""

import json

import polars as pl
import pytest
from tests.judging.conftest import Scripted, material, plain_running
from tests.schema_check import check_json

from semscale.judging.judge import Judge
from semscale.judging.judge_columns import JudgeColumns
from semscale.judging.panel import Panel
from semscale.judging.summary import JudgeCollector
from semscale.report.json_encoding import to_json
from semscale.report.judging.figures import human_table
from semscale.report.judging.words import cautions
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.writing import PREFIX

N, LABELLED, KEPT = 600, 80, 200
# The first answers are labelled, each one level above what its judges say at most.
ANSWERS = [f"{1 + row % 5}" for row in range(N)]
LABELS = [f"{min(5, 2 + row % 5)}" if row < LABELLED else None for row in range(N)]
LABELS[:20] = [f"[{label}, {1 + row % 3}]" for row, label in enumerate(LABELS[:20])]  # by two people


def judge(name, harsh=0):
    def say(request):
        level = int(material(request).split()[0])
        return "no idea" if level == 3 and not harsh else f"Score: {max(1, level - harsh)}"

    return Judge(Scripted(say, name=name))


@pytest.fixture(scope="module")
def verdicts():
    return Panel([judge("kind"), judge("harsh", 1)]).judge(["q"] * N, ANSWERS, running=plain_running())


@pytest.fixture(scope="module")
def summed(verdicts):
    """A function that sums the panel's verdicts up in parts, keeping some rows."""
    rows = pl.DataFrame({
        "question": ["q"] * N,
        "answer": ANSWERS,
        "human": LABELS,
        "p": [0.5] * N,
        "by": ["north", "south"] * (N // 2),
    })  # fmt: skip
    found = verdicts.part_frame().rename(lambda name: PREFIX + name)
    biases = pl.Series(f"{PREFIX}judge_1_order_bias", [row / 997 for row in range(N)])
    frame = pl.concat([rows, found.with_columns(biases)], how="horizontal")
    signatures = [own.signature for own in verdicts.judges]

    def summary(most, size=250, *, inclusion=None):
        columns = JudgeColumns("question", "answer", human="human", inclusion=inclusion, by="by")
        templates = {name: own.template for name, own in zip(verdicts.names, verdicts.judges, strict=True)}
        collector = JudgeCollector(templates, columns, IntervalPlan(), most=most)
        for start in range(0, N, size):
            collector.add(frame[start : start + size])
        return collector.summary("t.csv", signatures, verdicts.signature, None, [(), ()])

    return summary


def test_estimates_counts_and_labels_are_of_all_rows(summed):
    whole, part = summed(N), summed(KEPT)
    assert (whole.sampled, part.sampled, part.n) == (None, KEPT, N)
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
    whole, part = summed(N), summed(KEPT)
    for name, severity in part.severities.items():
        assert severity.value == pytest.approx(whole.severities[name].value, abs=0.05)
    (kappa,), (expected,) = part.agreement.values(), whole.agreement.values()
    assert kappa.value == pytest.approx(expected.value, abs=0.1)


@pytest.mark.parametrize("inclusion", [None, "p"])
def test_a_labelled_row_counts_once_in_the_corrected_mean(summed, inclusion):
    whole, part = (summed(most, inclusion=inclusion).human.corrected for most in (N, KEPT))
    # the judge's own mean stands in two tables of the report, and is the same in both
    mean = summed(KEPT, inclusion=inclusion).mean_expected
    assert (part.naive.value, part.naive.low, part.naive.high, part.naive.n) == (
        mean.value, mean.low, mean.high, N,
    )  # fmt: skip
    assert part.n_labelled == whole.n_labelled == LABELLED
    # levels stand a quarter apart; a mean of 200 of 600 rows has a standard error of about .02
    assert part.value == pytest.approx(whole.value, abs=0.06)
    assert part.naive.value == pytest.approx(whole.naive.value, abs=0.06)


def test_the_size_of_parts_changes_nothing(summed):
    for most in (N, KEPT):
        first, second = (json.loads(summed(most, size).to_json()) for size in (N, 77))
        assert {**first, "created": 0} == {**second, "created": 0}


def test_the_report_and_json_say_what_is_made_from_a_sample(summed):
    part, whole = summed(KEPT), summed(N)
    check_json(to_json(part, cautions=(), out=None, report=None, figures=None))
    assert (part.record()["sampled"], whole.record()["sampled"]) == (KEPT, None)
    assert (
        "Made from a random sample of 200 of the 600 rows, and from all with a human label: histograms, "
        "severities, agreement of judges and the corrected mean. All else is of all rows."
    ) in cautions(part)
    meanings = [row[2].text for row in human_table(part).rows]
    assert meanings[0].startswith("what people would give to the 600 rows with a score")
    assert meanings[1].startswith("of the 600 rows with a score")
    assert not any("random sample of" in caution for caution in cautions(whole))
