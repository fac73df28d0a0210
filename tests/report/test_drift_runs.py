"""Documents about several runs: history, trend, plans, self-tests and verifications."""

import re
from dataclasses import replace
from datetime import timedelta
from xml.etree import ElementTree

import numpy as np
import pytest
from made_up import START, comparison, run, spread_out, stored_comparison

from semscale.damage import DAMAGES
from semscale.drift.nights.history_summary import DatasetHistory, HistorySummary
from semscale.drift.nights.trend import trends
from semscale.drift.runs import ApprovedBaseline, RecordedRun
from semscale.drift.self_testing.results import SelfTest, SelfTestRow
from semscale.drift.sizing.plan import plan_gate
from semscale.history.chain import Flaw, Merged, Verification
from semscale.history.items import Item, Output
from semscale.history.runs import Approval, RunSummary
from semscale.history.stored_comparison import StoredCheck
from semscale.report.chart_kit import ACCENT
from semscale.report.document import Count, Number, estimate_cell
from semscale.report.drift_runs import (
    TABLED_RUNS,
    approved_document,
    change_label,
    history_document,
    plan_document,
    readings,
    recorded_document,
    self_test_document,
    trend_document,
    verification_document,
)
from semscale.report.formatting import cell_text
from semscale.report.html import page
from semscale.report.markdown import markdown
from semscale.report.plane_charts import MOST_RUNS, Course, Mark, Timeline, courses
from semscale.report.row_charts import TOLERATED
from semscale.report.terminal import print_document
from semscale.signature import Signature
from semscale.stats.intervals import wilson_interval

APPROVAL = Approval("b" * 32, "answers", "Ann", "read them", START, START + timedelta(days=90))


@pytest.fixture
def screen(capsys):
    def shown(document):
        print_document(document)
        return capsys.readouterr().out.splitlines()

    return shown


def listed(n, *, approval=APPROVAL, is_stale=False, compared=0, name="answers"):
    runs = [
        RunSummary(
            f"{day:08d}" + "0" * 24, name, "model-b", START + timedelta(days=day), None, None, None, 3, "s"
        )
        for day in range(n)
    ]
    kept = [stored_comparison({"match": 0.1, "silence": 0.0}, day=day) for day in range(compared)]
    followed = trends(kept) if kept else None
    return DatasetHistory(name, tuple(runs), approval, is_stale, tuple(kept), followed)


def test_versions_of_a_dataset_are_numbered_and_listed(screen):
    old, new = "0123456789ab", "ba9876543210"
    runs = [
        RunSummary(f"{day:032d}", "exam", "m", START + timedelta(days=day), None, None, None, n, signature)
        for day, (n, signature) in enumerate(
            [(3, f"semscale 0|run|inputs:{old}"), (4, f"semscale 0|run|inputs:{new}"), (3, f"x|inputs:{old}")]
        )
    ]
    dataset = DatasetHistory("exam", tuple(runs), None, False, (), None)
    assert dataset.record()["versions"] == [
        {"version": old, "items": 3, "runs": 2, "since": START},
        {"version": new, "items": 4, "runs": 1, "since": START + timedelta(days=1)},
    ]
    shown = screen(history_document(HistorySummary("h.sqlite", (dataset,))))
    assert [line.split("  ")[-2].strip() for line in shown if "2026-01-0" in line] == [
        "1 (01234567)",
        "2 (ba987654)",
        "1 (01234567)",
    ]


def test_a_recorded_run_is_counted(screen):
    items = (
        Item("1", (Output("Yes.", {"credits": 1.0}), Output("No.")), groups={"topic": "a"}),
        Item("2", (Output(" "),), groups={"topic": "b"}),
    )
    recorded = RecordedRun(run(2, items=items, note="first"), "team.sqlite")
    assert (recorded.n_outputs, recorded.n_silent, recorded.without_number) == (2, 1, {"credits": 1})
    lines = [line.split(maxsplit=1) for line in screen(recorded_document(recorded))]
    assert ["outputs", "2"] in lines
    assert ["silent", "1"] in lines
    (table,) = recorded_document(recorded).sections[0].blocks
    assert [value for _, value in table.rows if isinstance(value, Count)] == [Count(2), Count(2), Count(1)]
    assert ["fields", "credits (missing in 1 output)"] in lines
    assert ["groups", "topic (2)"] in lines
    assert ["note", "first"] in lines
    assert repr(recorded) == "RecordedRun(model='model-a', dataset='answers', items=2)"


def test_a_rerun_with_the_outputs_of_its_original_is_a_caution():
    rerun = run(2, rerun_of="c" * 32)
    assert recorded_document(RecordedRun(rerun, "h.sqlite")).cautions == ()
    (said,) = recorded_document(RecordedRun(rerun, "h.sqlite", repeats_original=True)).cautions
    assert said.startswith("This rerun has the outputs of its original, word for word")


def test_an_approval_names_who_and_until_when(screen):
    approved = ApprovedBaseline(run(2, id="b" * 32, rerun_of="c" * 32), APPROVAL)
    lines = screen(approved_document(approved))
    assert lines[:4] == [
        "Baseline  answers",
        "bbbbbbbb  model-a  2026-01-01 00:00 UTC",
        "approved by Ann, until 2026-04-01 00:00 UTC: read them",
        "It was recorded as a rerun of cccccccc.",
    ]
    for shown in (page(approved_document(approved)), markdown(approved_document(approved))):
        for said in ("bbbbbbbb  model-a", "approved by Ann, until 2026-04-01 00:00 UTC: read them"):
            assert said.replace("  ", " ") in shown.replace("  ", " ")
    silent = run(1, items=(Item("1", (Output(None),)),))
    (caution,) = approved_document(ApprovedBaseline(silent, APPROVAL)).cautions
    assert caution.startswith("No item of it says anything")


def test_the_latest_runs_come_first_and_others_are_counted(screen):
    lines = screen(history_document(HistorySummary("h.sqlite", (listed(25),))))
    first = lines.index("Runs, the latest first") + 2
    assert [line[:8] for line in lines[first : first + 3]] == ["00000024", "00000023", "00000022"]
    assert "... and 5 more runs; --json has all" in lines
    assert "answers  25 runs, 0 comparisons" in lines


def test_a_page_has_the_latest_200(read_page):
    shown = read_page(page(history_document(HistorySummary("h.sqlite", (listed(230, compared=3),)))))
    shown.assert_harmless()
    assert "How “answers” developed" in shown.text
    assert "The latest 200; the history has 30 earlier ones." in shown.text
    assert "00000030" in shown.text  # of 230, counted from 0, the first that is shown
    assert "00000029" not in shown.text


def test_what_is_missing_or_expired_is_said(screen):
    none, old = listed(1, approval=None, name="quiz"), listed(1, is_stale=True)
    merged = {"other.sqlite": Merged(1, 0, 2)}
    lines = screen(history_document(HistorySummary("h.sqlite", (none, old), merged)))
    assert lines[:2] == ["History  h.sqlite", "taken in from other.sqlite: 1 run, 0 approvals, 2 comparisons"]
    assert "no baseline: semscale drift approve RUN --approved-by NAME --why REASON" in lines
    document = history_document(HistorySummary("h.sqlite", (listed(9, compared=3),), merged))
    for shown in (page(document), markdown(document)):
        assert "taken in from other.sqlite: 1 run" in shown
    assert any(line.startswith("baseline bbbbbbbb") and line.endswith("(expired)") for line in lines)


def test_a_revision_is_shown_as_its_author_wrote_it():
    revision = "v1_*beta*"
    dataset = listed(1)
    runs = tuple(replace(one, revision=revision) for one in dataset.runs)
    kept = history_document(HistorySummary("h.sqlite", (replace(dataset, runs=runs),)))
    recorded = recorded_document(RecordedRun(run(1, revision=revision), "h.sqlite"))
    for document in (kept, recorded):
        assert f"`{revision}`" in markdown(document)


def test_an_empty_history_says_what_to_do(screen):
    lines = screen(history_document(HistorySummary("h.sqlite", ())))
    assert lines == ["History  h.sqlite", "It holds no run yet: semscale drift record OUTPUTS --model NAME"]


def test_the_metric_that_drifted_by_the_most_margins_is_named(screen):
    lines = screen(history_document(HistorySummary("h.sqlite", (listed(1, compared=2),))))
    (latest,) = [line for line in lines if line.startswith("2026-01-02 00:00  ")]
    assert latest.split()[-2:] == ["match", "+0.100"]  # .1 of a margin of .05; silence did not drift
    assert any(line.startswith("Trend over 2 runs against bbbbbbbb") for line in lines)


def test_where_nothing_became_worse_no_metric_is_named(screen):
    history = listed(1, compared=1)
    better = tuple(
        replace(kept, figures=tuple(replace(one, drift=-0.122) for one in kept.figures))
        for kept in history.comparisons
    )
    lines = screen(history_document(HistorySummary("h.sqlite", (replace(history, comparisons=better),))))
    (latest,) = [line for line in lines if line.startswith("2026-01-01 00:00  ") and "none" in line]
    assert latest.endswith("none")
    assert any("compared (UTC)" in line and line.endswith("greatest worsening") for line in lines)


LOSSES = {"match": spread_out(0.1, half=0.05), "silence": spread_out(0.0, half=0.0)}


def rows_of(plan):
    (section,) = plan_document(plan).sections
    return section.blocks[0].columns, section.blocks[0].rows


def test_cells_hold_the_numbers_of_the_plan():
    plan = plan_gate(comparison(LOSSES), power=0.9)
    columns, rows = rows_of(plan)
    assert columns == ("metric", "spread", "margin", "finds from", "items for the margin", "items to pass")
    match = plan.metrics[0]
    assert rows[0][1:] == (
        Number(match.sd, 3), Number(match.margin, 3), Number(match.detectable, 3),
        Count(match.items_for_margin), Count(match.items_to_pass),
    )  # fmt: skip


def test_a_drift_that_is_asked_about_has_its_columns():
    columns, rows = rows_of(plan_gate(comparison(LOSSES), drift={"match": 0.2}))
    assert columns[-2:] == ("drift", "items for it")
    assert rows[0][-2] == Number(0.2, 3)
    assert rows[1][-2:] == (Number(None, 3), Count(None))  # nothing was asked about silence


def test_what_is_not_to_fail_and_what_is_a_bound_is_said(capsys):
    document = plan_document(plan_gate(comparison(LOSSES), drift={"match": 0.04}))
    # The margin is .05; silence has no spread.
    assert document.cautions == (
        "a drift within its margin is not to fail, whatever the number of items: match",
        "nothing varied in silence, so that the spread is unknown: the numbers for it are the fewest items "
        "with which the gate fails or passes; to exclude that 5 % of items differ takes 59 that are all "
        "alike",
    )
    print_document(document)
    shown = capsys.readouterr().out
    assert "30 items, 2 tests, power 0.8; strictest level 0.0250" in shown  # .05 / 2
    assert "spread: drift of model model-b over 30 items (no rerun to take off)" in shown


SHARES = (0.1, 0.25, 0.5, 1.0)


def row(kind, failed, *, harmful=True, share=1.0, draws=200):
    left = draws - failed
    return SelfTestRow(
        kind, harmful, share, 30, 59 if draws else 0, draws,
        *(wilson_interval(n, draws) for n in (failed, left - left // 2, left // 2)), {"match": failed / 200},
    )  # fmt: skip


def result_of(rows, *, reruns=2, alpha=0.05):
    return SelfTest(tuple(rows), reruns, Signature.of("self-test", draws=200, seed=0), alpha)


@pytest.fixture
def shown_of(read_page):
    return lambda result: read_page(page(self_test_document(result)))


@pytest.fixture(scope="module")
def full():
    alarms = [row("rerun", 4, harmful=False, share=0.0), row("paraphrase", 6, harmful=False)]
    damage = [row(kind, int(200 * share), share=share) for kind in ("drop", "swap") for share in SHARES]
    return result_of([*alarms, *damage])


def test_it_is_one_harmless_document(full, shown_of):
    shown = shown_of(full)
    shown.assert_harmless()
    assert len(shown.source.encode()) < 500_000
    assert str(full.signature) in shown.text


def test_every_rate_stands_with_its_interval(full, shown_of):
    shown = shown_of(full)
    # Wilson's interval of 100 of 200 is .5 +- .0686, of 4 of 200 it is .0078 to .0503
    assert "50.0\u00a0% [43.1, 56.9]" in shown.text
    assert "2.0\u00a0% [0.8, 5.0]" in shown.text
    labels = [picture["aria-label"] for picture in shown.all("svg")]
    assert len(labels) == 4  # two pictures, each for wide and narrow screens
    assert "drop: 10\u00a0% at 10\u00a0% damaged" in labels[0]
    assert "False alarms, 5\u00a0% allowed. rerun 2.0\u00a0% [0.8, 5.0]" in labels[2]


def test_the_head_names_the_weakest_detection_and_the_most_false_alarms(full, shown_of):
    shown = shown_of(full)
    head = shown.text.split("What it detects")[0]
    assert "100.0\u00a0% 98.1\u00a0% to 100.0\u00a0%" in head
    assert "3.0\u00a0% 1.4\u00a0% to 6.4\u00a0%" in head
    assert "2 of 2 kinds of damage are detected in at least 95\u00a0% of draws" in head
    assert "No harmless change raises more than 5\u00a0% false alarms." in head


def test_weak_detection_and_too_many_alarms_are_named(shown_of):
    rows = [
        row("shuffle", 40, harmful=False),
        row("paraphrase", 11, harmful=False),
        row("negate", 120),
        row("swap", 200),
    ]
    head = shown_of(result_of(rows)).text.split("What it detects")[0]
    assert "Detected less often: negate." in head
    assert (
        "More than 5\u00a0% false alarms, beyond chance: shuffle, 100\u00a0% of items." in head
    )  # 20 %, low 15 %
    assert (
        "Above 5\u00a0%, within chance of the draws: paraphrase, 100\u00a0% of items." in head
    )  # 5.5 %, low 3.1 %


def test_without_a_rerun_the_page_says_what_is_not_known(shown_of):
    shown = shown_of(result_of([row("identity", 0, harmful=False, share=0.0)], reruns=0))
    shown.assert_harmless()
    assert "Without a rerun of the baseline" in shown.text
    assert "Nothing was changed." in shown.text


def test_a_change_that_no_item_can_undergo_is_no_zero(shown_of):
    shown = shown_of(result_of([row("numbers", 0, draws=0), row("swap", 200)]))
    shown.assert_harmless()
    assert "No item can be changed in these ways, so nothing is known of them: numbers." in shown.text
    assert "1 of 1 kind of damage" in shown.text


def test_one_rerun_is_too_few_to_draw_a_candidate_from(shown_of):
    shown = shown_of(result_of([row("rerun", 0, harmful=False, share=0.0, draws=0), row("swap", 200)]))
    assert "needs two reruns" in shown.text
    assert "no item can be changed so" not in shown.text


def test_every_kind_of_change_is_explained(shown_of):
    rows = [row(kind, 100, harmful=damage.is_harmful) for kind, damage in DAMAGES.items()]
    shown = shown_of(result_of(rows))
    for damage in DAMAGES.values():
        assert damage.meaning in shown.text


def test_nothing_drawn_makes_a_page(shown_of):
    shown = shown_of(result_of([]))
    shown.assert_harmless()
    assert "Nothing was drawn." in shown.text


def test_the_share_is_named_where_there_is_one():
    assert change_label(row("rerun", 1, harmful=False, share=0.0)) == "rerun"
    assert change_label(row("swap", 1, share=0.25)) == "swap, 25\u00a0% of items"


def test_page_and_screen_say_how_intervals_were_made(full, shown_of, capsys):
    narrow = replace(full, interval=0.9)
    made = "90 %, Wilson's score interval over draws"
    print_document(self_test_document(narrow))
    assert f"intervals: {made}" in capsys.readouterr().out
    shown = shown_of(narrow).text
    assert made.replace(" %", "\N{NO-BREAK SPACE}%") in shown
    assert shown.count("90\N{NO-BREAK SPACE}% interval") == 2
    assert "95\N{NO-BREAK SPACE}% interval" not in shown


pytest.importorskip("sqlalchemy")


HEAD = "ab" * 32


def test_what_holds_is_said_with_the_hash_to_note_down(capsys):
    print_document(verification_document(Verification("h.sqlite", 5, (), {"exam": (HEAD,)})))
    shown = capsys.readouterr().out
    assert HEAD in shown
    assert "can compute all hashes anew" in shown
    assert shown.splitlines()[-1] == "holds: 5 entries as stored"


def test_the_first_entry_that_does_not_hold_is_in_the_last_line(capsys, read_page):
    flaws = (
        Flaw("approval", "a1", "exam", "it has no seal"),
        Flaw("head", "<b>", None, "no seal has this hash"),
    )
    document = verification_document(Verification("h.sqlite", 5, flaws, {"exam": (HEAD,)}))
    print_document(document)
    shown = capsys.readouterr().out
    assert shown.splitlines()[-1] == (
        "changed: 2 entries do not hold, the first is approval 'a1': it has no seal"
    )
    read = read_page(page(document))
    read.assert_harmless()
    assert "no seal has this hash" in read.text


ATTACK = '<script>alert("x")</script> {{ 7 * 7 }} </style>\x00'


SVG = "{http://www.w3.org/2000/svg}"


LEVELS = {"match": 0.05, "bertscore_f1": 0.04, "credits_difference": 0.02}


def series(n=20, *, jump=0.0, noise=0.03, **settings):
    """One comparison a day; ``match`` jumps in the second half, where another model answers."""
    rng = np.random.default_rng(5)
    kept = []
    for day in range(n):
        late = day >= n // 2
        losses = {name: level + 0.002 * rng.standard_normal() for name, level in LEVELS.items()}
        losses["match"] += jump * late
        one = stored_comparison(losses, day=day, **({"model": "model-c" if late else "model-b"} | settings))
        figures = tuple(
            replace(
                figure,
                drift=figure.loss - noise,
                low=figure.loss - noise - 0.01,
                high=figure.loss - noise + 0.01,
            )
            for figure in one.figures
        )
        kept.append(replace(one, figures=figures, outcome="fail" if late and jump else "pass"))
    return kept


def page_of(kept, read_page):
    return read_page(page(trend_document(trends(kept))))


def test_it_is_one_harmless_document_with_every_run(read_page):
    shown = page_of(series(), read_page)
    shown.assert_harmless()
    assert "20 runs from 2026-01-01 to 2026-01-20" in shown.text
    for day in range(1, 21):
        assert f"2026-01-{day:02d} 00:00" in shown.text
    assert [tag for tag, _ in shown.tags].count("figure") == 1


def test_a_jump_is_dated_and_called_beyond_chance(read_page):
    kept = series(24, jump=0.3)
    shown = page_of(kept, read_page)
    head = shown.text.split("Run by run")[0]
    assert "Failed" in head
    assert "Over all runs more is lost than allowed, beyond chance: match" in head
    assert re.search(r"Changed level: match on 2026-01-13, 0\.0\d+ → 0\.3\d+ \(p < 0\.001\)", head)
    assert "Gate failed12 of 24" in shown.text
    assert "level before and after a change" in shown.text
    assert "1 “model-b” and 2 “model-c”" in shown.text


def test_calm_series_are_called_calm():
    said = readings(trends(series(12, model="model-b")))
    assert said[0] == "Over all runs no metric lost more than is allowed beyond chance."


def test_a_slow_rise_is_given_a_day():
    kept = [stored_comparison({"match": 0.02 + 0.01 * day}, day=day) for day in range(10)]
    said = " ".join(readings(trends(kept)))
    assert "Getting worse, a day: match by +0.0100 [0.0100, 0.0100]" in said  # exactly .01 a day


def test_runs_of_one_day_have_no_pace_a_day(read_page):
    kept = [stored_comparison({"match": 0.02 + 0.01 * run}, day=run) for run in range(10)]
    kept = [replace(one, compared=kept[0].compared + timedelta(hours=n)) for n, one in enumerate(kept)]
    assert "Getting worse: match (p < 0.001)" in " ".join(readings(trends(kept)))
    row = page_of(kept, read_page).text.split("p of evidence")[1]
    assert "+0.2400" not in row  # .01 an hour


def test_a_fall_is_no_harm():
    kept = [stored_comparison({"match": 0.2 - 0.01 * day}, day=day) for day in range(10)]
    assert "Getting better, a day: match by −0.0100" in " ".join(readings(trends(kept)))


def test_an_interval_is_that_of_the_drift_moved_by_what_reruns_lose():
    one = trends(series(4)).metrics["match"]
    loss, noise = one.losses[0], one.losses[0] - one.drifts[0]
    assert noise == pytest.approx(0.03)
    shown = cell_text(estimate_cell(one.loss(0), 3))
    assert shown == f"{loss:.3f} [{loss - 0.01:.3f}, {loss + 0.01:.3f}]"


def test_other_series_are_counted_and_named(read_page):
    kept = series(6)
    kept.append(replace(kept[0], id="elsewhere", signature="measured otherwise"))
    shown = page_of(kept, read_page)
    assert "Other series, left out1" in shown.text
    assert (
        "1 comparison of '00000000' is left out, because it was measured otherwise"
        in shown.text.split("Run by run")[0]
    )


def test_too_few_runs_for_a_trend_are_said_to_be(read_page):
    shown = page_of(series(2), read_page)
    shown.assert_harmless()
    assert "A trend or a change of level takes at least 4 runs." in shown.text
    assert "Trend and change of level" not in shown.text
    single = page_of(series(1), read_page)
    single.assert_harmless()
    assert "1 run on 2026-01-01" in single.text


def test_runs_without_a_value_or_a_gate_leave_gaps_not_zeros(read_page):
    kept = [replace(one, outcome=None) for one in series(8)]
    nan = float("nan")
    holes = tuple(replace(figure, loss=nan, drift=nan, low=nan, high=nan, n=0) for figure in kept[3].figures)
    kept[3] = replace(kept[3], figures=holes)
    kept[5] = replace(kept[5], figures=kept[5].figures[:1])
    shown = page_of(kept, read_page)
    shown.assert_harmless()
    row = shown.text.split("2026-01-04 00:00")[1].split("2026-01-03 00:00")[0]
    assert row.count("–") == 5  # the gate, its limits, and three metrics
    assert "what the gate said" not in shown.text


def test_hostile_names_are_shown_not_run(read_page):
    kept = [replace(one, model=f"{ATTACK}{day % 2}", dataset=ATTACK) for day, one in enumerate(series(5))]
    shown = page_of(kept, read_page)
    shown.assert_harmless()
    assert '<script>alert("x")</script> {{ 7 * 7 }} </style>␀' in shown.text


@pytest.mark.exhaustive
def test_years_of_runs_stay_a_small_page(read_page):
    rng = np.random.default_rng(0)
    names = (
        "match",
        "bertscore_f1",
        "cosine",
        "contradictions",
        "output_count",
        "length",
        "silence",
        "credits_difference",
    )
    kept = [
        stored_comparison(
            {name: abs(rng.normal(0.05, 0.02)) for name in names}, day=day, model=f"m{day // 40}"
        )
        for day in range(1000)
    ]
    shown = page_of(kept, read_page)
    shown.assert_harmless()
    assert len(shown.source.encode()) < 500_000
    assert f"The latest {MOST_RUNS} of 1,000 runs are drawn." in shown.text
    assert f"The latest {TABLED_RUNS} runs; 800 earlier ones are in the history." in shown.text


def test_runs_on_top_of_each_other_stand_at_equal_distances(read_page):
    kept = series(6)
    near = [
        replace(one, compared=kept[0].compared + timedelta(days=place // 3, seconds=place))
        for place, one in enumerate(kept)
    ]
    timeline = Timeline(tuple(one.compared for one in near), (None,) * 6, ())
    assert timeline.positions == [0, 1, 2, 3, 4, 5]  # four of five gaps are a second, one is a day
    assert "equal distances" in page_of(near, read_page).text
    by_day = Timeline(tuple(one.compared for one in kept), (None,) * 6, ())
    assert by_day.positions == [0, 24, 48, 72, 96, 120]
    assert by_day.ticks(3) == {0: "2026-01-01", 48: "2026-01-03", 120: "2026-01-06"}  # 2.5 rounds to even


def drawn(n=30, metrics=1, *, width=860, changes=(15,)):
    """The picture's paths and texts, for metrics with a loss of .1, an interval of .05 and a limit of .2."""
    times = tuple(START + timedelta(days=day) for day in range(n))
    timeline = Timeline(times, ("pass", "fail", "undecided", *(None,) * n)[:n], changes)
    level = np.full(n, 0.1)
    course = Course(
        "Match <b>",
        level,
        level - 0.05,
        level + 0.05,
        level * 0.5,
        level * 2,
        (15, 0.1, 0.1) if n > 15 else None,
    )
    root = ElementTree.fromstring(courses(timeline, [course] * metrics, width=width).document("trend"))
    return (
        root,
        [parent.attrib | path.attrib for parent in root.iter() for path in parent.findall(f"{SVG}path")],
        [text.text for text in root.iter(f"{SVG}text")],
    )


def test_the_picture_is_a_document_as_wide_as_asked():
    root, _, texts = drawn(width=348)
    assert (root.tag, root.get("width"), root.get("viewBox").split()[2]) == (f"{SVG}svg", "348", "348")
    assert "Match <b>" in texts
    assert "2026-01-30" in texts


def test_bands_go_from_end_to_end_however_many_runs_there_are():
    for n in (1, 30, 300):
        _, paths, _ = drawn(n, changes=())
        (margin,) = [path["d"] for path in paths if path.get("fill") == TOLERATED]
        xs = [float(corner.split(",")[0]) for corner in margin.strip("MZ").split("L")]
        assert (min(xs), max(xs)) == (46, 850)  # 860 pixels less 10 at the right
        assert len(xs) == 4  # it never changes, so there are no further corners


def test_values_lie_where_the_axis_says():
    _, paths, _ = drawn(changes=())
    (mean,) = [path["d"] for path in paths if path.get("stroke") == ACCENT and "L" in path["d"]]
    ys = {float(point.split(",")[1]) for point in mean.strip("M").split("L")}
    # top of the plot 42 + 20, height 118, axis to 1.06 * .2: 62 + 118 * (1 - .1 / .212) = 124.34
    assert ys == {124.34}


@pytest.mark.parametrize(("n", "changes", "pieces"), [(30, (), 1), (30, (15,), 2), (300, (15, 40), 3)])
def test_no_line_and_no_band_joins_two_models(n, changes, pieces):
    _, paths, _ = drawn(n, changes=changes)
    (mean,) = [path["d"] for path in paths if path.get("stroke-width") == "1.5" and "L" in path["d"]
               and path.get("stroke") == ACCENT and path["d"].count(",") == n]  # fmt: skip
    assert mean.count("M") == pieces
    if n > 60:  # of few runs each has an interval of its own
        (band,) = [path["d"] for path in paths if path.get("fill-opacity") == "0.22"]
        assert band.count("Z") == pieces


def test_a_trend_over_two_models_is_not_passed_in_green(read_page):
    found = trends(series(8))
    document = trend_document(found)
    assert (document.lead.text, document.lead.level) == ("2 models", "warn")
    assert "of the latest run, of “model-c”" in document.lead.about
    assert readings(found)[0] == (
        "The runs are of 2 models, and slopes are those of the latest one. Each model's latest run: "
        "“model-b” passed and “model-c” passed."
    )
    single = trend_document(trends(series(8, model="model-b")))
    assert (single.lead.text, single.lead.level) == ("passed", "pass")


def test_outcomes_differ_in_shape():
    _, paths, _ = drawn(3, changes=())
    strip = [path for path in paths if ",25" in path["d"] or path["d"].endswith("Z") and "l5,5" in path["d"]]
    assert [path.get("stroke-width") for path in strip] == ["8", "9", "6", None]  # dot, ring of two, diamond


def test_models_are_numbered_while_they_can_be_told_apart():
    assert {"1", "2"} <= set(drawn()[2])
    assert "1" not in drawn(60, changes=tuple(range(1, 60)))[2]


def test_dates_that_have_no_room_are_left_out():
    kept = [START, *(START + timedelta(days=99, hours=hour) for hour in (0, 5, 10, 15, 20))]
    timeline = Timeline(tuple(kept), (None,) * 6, ())
    assert timeline.is_even  # five of six lie within a day
    root = ElementTree.fromstring(courses(timeline, [], width=348).document("trend"))
    assert len(list(root.iter(f"{SVG}text"))) == 3


def test_a_metric_beyond_its_limit_is_marked_by_what_the_gate_said_of_the_run():
    # Losses .1 below and .3 beyond the limit of .2.
    loss = np.array([0.1, 0.3, 0.3, 0.3, 0.3, 0.1])
    flat = np.full(6, 0.2)
    course = Course("Match", loss, loss, loss, flat / 2, flat, None)
    assert course.marks(("fail", "fail", "undecided", "pass", None, None)) == [
        Mark.BELOW, Mark.FAILED, Mark.UNDECIDED, Mark.UNTESTED, Mark.UNTESTED, Mark.UNTESTED,
    ]  # fmt: skip


def legend_of(*outcomes, loss=0.3):
    kept = [
        stored_comparison({"match": loss}, day=day, outcome=outcome) for day, outcome in enumerate(outcomes)
    ]
    figure = trend_document(trends(kept)).sections[0].blocks[0]
    return [swatch.label for swatch in figure.legend]


def test_the_legend_names_what_occurs_and_calls_nothing_failed_that_did_not():
    assert any(text.startswith("failed") for text in legend_of("fail"))
    for outcomes in (("undecided",), (None,), ("undecided", None)):
        assert not any("failed" in text for text in legend_of(*outcomes))
    assert any(text.startswith("undecided") for text in legend_of("undecided"))
    assert "not tested by a gate" in legend_of(None)
    assert "not tested by a gate" not in legend_of("pass", loss=0.01)


def test_runs_of_a_moved_ruler_are_marked(read_page):
    kept = series(6)
    assert "moved" not in page_of(kept, read_page).text
    kept[2] = replace(kept[2], ruler_moved=True)
    shown = page_of(kept, read_page)
    shown.assert_harmless()
    assert "1 run was measured while the ruler had moved: '00000000'" in shown.text
    first, second, third = (
        shown.text.split(f"2026-01-0{day} 00:00")[1].split("2026")[0] for day in (4, 3, 2)
    )
    assert [row.count("moved") for row in (first, second, third)] == [0, 1, 0]


def test_broken_limits_stand_beside_their_runs_and_are_said():
    broken = (
        StoredCheck("limit", "silenced", False, None, 2.0, 0.0, ("q1", "q2")),
        StoredCheck("must_pass", "q1", False, reasons=("it lost all outputs",)),
    )
    held = (StoredCheck("limit", "silenced", True, None, 0.0, 0.0),)
    kept = [
        replace(stored_comparison(LEVELS, day=day, outcome="fail"), checks=checks)
        for day, checks in enumerate((None, held, broken, held))
    ]
    found = trends(kept)
    assert found.record()["broken"] == [None, [], ["silenced", "q1"], []]
    said = "Limits were broken in 1 of 3 runs, last on 2026-01-03: silenced (2 items), must-pass q1."
    assert said in readings(found)
    source = page(trend_document(found))
    assert "silenced (2 items), must-pass q1" in source
    assert "limits broken" in source.lower()


def test_no_broken_limit_is_not_worth_a_sentence():
    assert not [said for said in readings(trends(series())) if "Limits" in said]


def test_a_metric_that_improves_is_drawn_below_0():
    kept = [stored_comparison({"reference_match": loss}, day=day) for day, loss in enumerate((-0.3, 0.1))]
    found = trends(kept).metrics["reference_match"]
    assert found.loss(0).low == pytest.approx(-0.31)  # not cut at 0, as a loss of another metric is
    timeline = Timeline(tuple(kept.compared for kept in kept), (None, None), ())
    course = Course("Reference match", found.losses, found.lows, found.highs, found.noise, found.limits, None)
    root = ElementTree.fromstring(courses(timeline, [course], width=800).document("trend"))
    ticks = [text.text for text in root.iter(f"{SVG}text")]
    assert "−0.2" in ticks
    height = float(root.get("height"))
    ys = [float(y) for path in root.iter(f"{SVG}path") for y in re.findall(r",(-?[\d.]+)", path.get("d"))]
    assert 0 <= min(ys) <= max(ys) <= height
