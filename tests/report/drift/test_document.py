"""The report on drift says what decided, shows what changed, survives every shape, and runs nothing."""

from dataclasses import replace

import numpy as np
import pytest
from made_up_drift import LOSSES, approval_of, comparison_of, decision_about

from semscale.drift.gate.decision import GateDecision, Outcome
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.measured import MeasuredRun
from semscale.history.items import Item, Output
from semscale.report.document import Count, Words
from semscale.report.drift import drift_document
from semscale.report.formatting import number
from semscale.report.html import page
from semscale.report.terminal import print_document
from semscale.types import Status

ATTACK = '<script>alert("x")</script> {{ 7 * 7 }} </style>\x00'
HALF_A_MEGABYTE = 500_000


@pytest.fixture(scope="module")
def compared():
    return comparison_of(60)


@pytest.fixture(scope="module")
def decided(compared):
    return decision_about(compared, cautions=["Random text passes min_bertscore_f1."])


def page_of(compared, decision, approval=None):
    return page(drift_document(DriftSummary(compared, decision, approval)))


@pytest.fixture(scope="module")
def source(compared, decided):
    return page_of(compared, decided, approval_of(compared))


@pytest.fixture
def parsed(source, read_page):
    return read_page(source)


def test_it_is_one_harmless_small_document(parsed):
    parsed.assert_harmless()
    assert len(parsed.source.encode()) < HALF_A_MEGABYTE


def test_the_head_says_what_the_gate_came_to_and_by_which_figures(parsed, decided):
    head = parsed.text.split("What was compared")[0]
    assert "Failed" in head
    worst = max(
        (test for test in decided.tests if test.group is None and test.outcome is Outcome.FAIL),
        key=lambda test: test.drift.value / test.margin,
    )
    drift, behind = worst.drift, "over 3 runs " if worst.metric in {"match", "cosine"} else ""
    assert f"+{number(drift.value, 3)} [{number(drift.low, 3)}, {number(drift.high, 3)}]" in head
    assert f"margin {number(worst.margin, 3)} ({behind}p = 0.003, 59 items)" in head  # .0004 * 8 = .0032
    assert "max_avg_credits_drift: 0.310 where the limit is 0.250" in head
    assert "Random text passes min_bertscore_f1." in head


def test_the_facts_count_items_silence_and_reruns(parsed, decided):
    n = len(decided.tests)
    failed = sum(test.outcome is Outcome.FAIL for test in decided.tests)
    undecided = sum(test.outcome is Outcome.UNDECIDED for test in decided.tests)
    facts = f"Items60Left out1Silent2Reruns2Tests{n}Tests failed{failed}Tests undecided{undecided}"
    assert facts in parsed.text


def test_a_page_counts_the_items_read_in_windows(compared):
    windows = np.ones(60, np.int64)
    windows[:3] = 2
    measured = replace(compared.measured, windows=windows)
    document = drift_document(DriftSummary(replace(compared, measured=measured), None))
    assert ("Read in windows", Count(3)) in document.facts
    assert "Read in windows" not in dict(drift_document(DriftSummary(compared, None)).facts)


def test_both_runs_and_the_approval_are_stated(parsed):
    runs = parsed.text.split("What was compared")[1].split("How far each metric")[0]
    for said in (
        "model-a",
        "model-b",
        "b" * 32,
        "c" * 32,
        "4f5a6b7",
        "shorter prompt",
        "Ada",
        "checked by hand",
    ):
        assert said in runs
    assert "2026-05-31" in runs  # 90 days after 2 March


def test_an_expired_approval_is_called_expired(compared, read_page):
    approval = approval_of(compared)
    old = replace(approval, expires=approval.approved)
    assert "(expired)" in read_page(page_of(compared, None, old)).text


def test_every_metric_stands_with_interval_margin_p_and_n(parsed, decided):
    tests = parsed.text.split("All items (95\N{NO-BREAK SPACE}% interval)")[1].split("Thresholds")[0]
    for test in decided.tests:
        if test.group is None:
            digits = 2 if test.metric == "credits_difference" else 3
            assert f"[{number(test.drift.low, digits)}, {number(test.drift.high, digits)}]" in tests
    assert '<b class="flag fail">fail</b>' in parsed.source
    assert "59" in tests


def test_pictures_say_in_words_what_they_show(parsed):
    tags = [tag for tag, _ in parsed.tags]
    assert tags.count("figure") == tags.count("figcaption") == 4  # metrics, spread, one metric by group, map
    labels = [picture["aria-label"] for picture in parsed.all("svg")]
    assert "match +0." in labels[0]
    assert "failed" in labels[0]


def test_the_item_with_the_greatest_harm_comes_first(parsed):
    changed = parsed.text.split("What changed")[1]
    # the two silent items have the worst loss in every metric: items 57 and 58, before the one left out
    shown = [part[:3] for part in changed.split("item-")[1:3]]
    assert set(shown) == {"057", "058"}
    assert "the candidate says nothing here" in changed


def test_outputs_stand_side_by_side_with_findings_fields_and_what_is_missing(parsed):
    changed = parsed.text.split("What changed")[1]
    assert "missing: no output corresponds" in changed
    assert "the candidate's output is extra" in changed
    assert "1 → 1.5 (+0.5)" in changed  # credits of the first pair
    before, after = (
        "Please cite where the figure of 12 % comes from.",
        "Please cite where the figure comes from.",
    )
    assert (len(before), len(after)) == (48, 40)
    assert "48 → 40 (−8)" in changed
    assert {attributes["class"] for attributes in parsed.all("mark")} == {"negation", "number"}
    assert '<mark class="negation">none</mark>' in parsed.source
    assert '<mark class="number">40</mark>' in parsed.source


def test_the_signature_and_the_left_out_item_stand_there(parsed, decided):
    assert str(decided.signature) in parsed.text
    assert "item-059" in parsed.text.split("What was left out")[1]


def test_hostile_words_are_shown_not_run(read_page):
    hostile = comparison_of(12, text=ATTACK)
    decision = decision_about(hostile, cautions=[ATTACK])
    shown = read_page(page_of(hostile, decision, approval_of(hostile, ATTACK)))
    shown.assert_harmless()
    assert '<script>alert("x")</script> {{ 7 * 7 }} </style>␀' in shown.text


@pytest.mark.parametrize(
    "settings",
    [
        {"n": 1, "groups": 0, "reruns": 0, "silent": 0, "left_out": 0},
        {"n": 2, "groups": 1, "reruns": 1, "silent": 1, "left_out": 1},
        {"n": 30, "reruns": 0, "metrics": ("silence",)},
        {"n": 200, "groups": 40, "kinds": ("exercise", "language")},
        {"n": 20, "text": "x" * 3000},
        {"n": 20, "text": "שלום " * 400},
        {"n": 20, "text": "<&😀" * 1500},
        {
            "n": 30,
            "metrics": (*LOSSES, *(f"{name}_difference" for name in "abcd")),
        },
    ],
)
@pytest.mark.parametrize("gated", [True, False])
def test_every_shape_makes_a_small_page(settings, gated, read_page):
    compared = comparison_of(**settings)
    shown = read_page(page_of(compared, decision_about(compared) if gated else None))
    assert ("exceeds the margin" in shown.text) <= gated
    shown.assert_harmless()
    assert len(shown.source.encode()) < HALF_A_MEGABYTE


def test_items_without_any_value_make_a_page(read_page):
    silent = comparison_of(3, silent=0, left_out=3)
    for decision in (None, decision_about(silent, thresholds=False)):
        shown = read_page(page_of(silent, decision))
        shown.assert_harmless()
        assert "–" in shown.text
    assert "No item has a value" in read_page(page_of(silent, None)).text


def test_without_a_gate_nothing_is_called_passed_or_failed(compared, read_page):
    shown = read_page(page_of(compared, None))
    assert "No gate was asked" in shown.text
    assert "failed" not in shown.text.split("How to repeat")[0].split("What changed")[0]


def test_an_undecided_gate_says_how_many_items_would_decide(read_page):
    few = comparison_of(4, groups=0, silent=0, left_out=0, metrics=("match",))
    decision = replace(
        decision_about(few, thresholds=False, sequence=False), outcome=Outcome.UNDECIDED, tests=()
    )
    one = replace(decision_about(few).tests[0], outcome=Outcome.UNDECIDED, n_needed=133)
    shown = read_page(page_of(few, replace(decision, tests=(one,))))
    assert "Undecided" in shown.text
    assert "About 133 items would decide it" in shown.text
    assert "Items that would decide, about133" in shown.text


def test_a_pass_names_what_came_closest(read_page):
    calm = comparison_of(30, groups=0, metrics=("match", "cosine"), silent=0)
    decision = decision_about(calm, share=0.9, thresholds=False, sequence=False)
    shown = read_page(page_of(calm, decision))
    assert decision.outcome is Outcome.PASS
    assert "Passed" in shown.text
    assert "Every metric's drift lies below its margin." in shown.text
    assert "Closest to its margin: match" in shown.text
    assert "0.900" in shown.text


def test_nothing_worse_is_said_plainly(read_page):
    item = Item("a", (Output("Well argued."),))
    calm = comparison_of(1, groups=0, silent=0, left_out=0, metrics=("match",))
    same = Comparison(
        replace(calm.baseline, items=(item,)),
        replace(calm.candidate, items=(item,)),
        MeasuredRun(
            calm.metrics, {"match": np.zeros(1)}, np.array([Status.SCORED], object), (), calm.signature
        ),
    )
    shown = read_page(page_of(same, GateDecision(Outcome.PASS, (), (), (), (), calm.signature)))
    assert "No item lost more than the margin allows." in shown.text
    undecided = read_page(page_of(same, None)).text
    assert "No item came out worse." in undecided
    assert "No metric drifted for the worse; nearest to it: match 0.000" in undecided
    assert "Nothing: every item was compared." in shown.text


def test_page_and_screen_say_how_intervals_were_made(compared, capsys):
    summary = DriftSummary(compared, settings=GateSettings(interval=0.9, seed=3, replicates=500))
    print_document(summary.document())
    made = "90 %, 500 bootstrap resamples of items, seed 3"
    assert f"intervals: {made}" in capsys.readouterr().out
    assert made.replace(" %", "\N{NO-BREAK SPACE}%") in page(summary.document())


def test_outputs_are_counted_by_language_where_some_are_not_english(compared):
    english = drift_document(DriftSummary(compared, None))
    assert "languages" not in {section.name for section in english.sections}
    item = compared.candidate.items[0]
    french = replace(item, outputs=(replace(item.outputs[0], text="La batterie tient deux jours."),))
    candidate = replace(compared.candidate, items=(french, *compared.candidate.items[1:]))
    mixed = drift_document(DriftSummary(replace(compared, candidate=candidate), None))
    (section,) = (section for section in mixed.sections if section.name == "languages")
    # The made-up model is not known, so nobody can say what it reads.
    assert (Words("French"), Count(0), Count(1), Words("–")) in section.blocks[0].rows


def test_the_table_has_the_tolerance_that_a_test_passes_below(compared, decided, read_page):
    tests = tuple(replace(test, margin=0.05, tolerance=0.128) for test in decided.tests)
    table = read_page(page_of(compared, replace(decided, tests=tests))).text
    assert "Passes below" in table
    assert "0.128" in table
    assert "lie below the tolerance (“passes below” in the table)" in table


def test_a_loss_over_runs_stands_with_the_latest_and_since_when(parsed):
    # Made up: cosine lost .05, .3, .4 where .12 is allowed, and only the third run's evidence is enough.
    assert "beyond chance since run 3" in parsed.text
    assert "Latest" in parsed.text
