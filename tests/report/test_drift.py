"""The document of a comparison: every part of it, limits, the ruler and shifts."""

from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison
from made_up_checks import a_check
from made_up_drift import LOSSES, approval_of, comparison_of, decision_about

from semscale.drift.gate.decision import DriftTest, GateDecision, MeanShift, Outcome
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings
from semscale.drift.gate.stored_checks import stored_checks
from semscale.drift.limits.results import LimitCheck, MustPassCheck
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.measured import MeasuredRun
from semscale.drift.ruler.label_errors import label_error
from semscale.history.items import Item, Output
from semscale.report.ci import github_annotations, job_summary, junit_xml
from semscale.report.document import Count, Label
from semscale.report.drift import drift_document, limit_blocks, ruler_cautions, ruler_section, shift_notes
from semscale.report.drift_sentences import allowed_words, broken_limit_words, ids_words, must_pass_words
from semscale.report.formatting import cell_text, number
from semscale.report.html import page
from semscale.report.markdown import markdown
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


@pytest.mark.exhaustive
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
    assert "failed" not in shown.text.split("How to reproduce")[0].split("What changed")[0]


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
    assert (Label("French"), Count(0), Count(1), Label("–")) in section.blocks[0].rows


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


BROKEN = LimitCheck("silenced", 0, 39, ("item-037", "item-038"))


KEPT = LimitCheck("lost_fields", 2, 39, excused=("item-001",), group=("exercise", "ex-1"))


ITEM = MustPassCheck("item-037", ("lost all outputs",))


COMPARISON = comparison_of()


DECISION = replace(
    decision_about(COMPARISON),
    outcome=Outcome.FAIL,
    limits=(BROKEN, KEPT),
    must_pass=(ITEM, MustPassCheck("item-000")),
)


SUMMARY = DriftSummary(COMPARISON, DECISION)


STEP = "2 of 39 items with outputs have lost all outputs"


def test_limits_and_must_pass_items_are_tables():
    _, limits, items = limit_blocks(DECISION)
    assert [[cell_text(cell) for cell in row] for row in limits.rows] == [
        ["silenced", "2", "39", "none", "fail", "item-037, item-038", "0"],
        ["lost fields in exercise ex-1", "0", "39", "2", "pass", "", "1"],
    ]
    assert [[cell_text(cell) for cell in row] for row in items.rows] == [
        ["item-037", "fail", "lost all outputs"],
        ["item-000", "pass", ""],
    ]


def test_a_limit_that_looked_at_nothing_is_shown_as_not_checked():
    nothing = LimitCheck("changed_numbers", 0.25, 0)
    unknown = LimitCheck("changed_numbers", 0.25, 4, n_unchecked=3)
    decision = replace(DECISION, limits=(nothing, unknown, KEPT), must_pass=())
    summary = DriftSummary(COMPARISON, decision)
    _, limits = limit_blocks(decision)
    assert [cell_text(row[4]) for row in limits.rows] == ["not checked", "not checked", "pass"]
    assert [(one["passed"], one["outcome"]) for one in summary.record()["limits"]] == [
        (None, "not checked"), (None, "not checked"), (True, "pass"),
    ]  # fmt: skip
    xml = junit_xml(summary, decision)
    assert xml.count('<skipped message="not checked: limit changed_numbers: not checked, as ') == 2
    assert "as there are no items with numbers" in xml
    assert "as nothing is known of 3 items with numbers" in xml
    assert "not checked" in page(drift_document(summary))
    assert "not checked, as there are no items with numbers" in markdown(job_summary(summary, decision))
    assert [one.name for one in stored_checks(decision) if one.kind == "limit"] == ["lost_fields"]


def test_the_screen_names_slices():
    outside = LimitCheck("lost_fields", 0, 20, outside=(("exercise", "ex-1"),))
    _, limits = limit_blocks(replace(DECISION, limits=(outside, KEPT), must_pass=()))
    assert [row[0].brief for row in limits.rows] == [
        "lost_fields outside exercise ex-1",
        "lost_fields in exercise ex-1",
    ]


def test_must_pass_items_have_a_heading():
    assert "<h3>Must-pass items</h3>" in page(drift_document(SUMMARY))


def test_every_output_begins_with_the_next_step():
    document = drift_document(SUMMARY)
    assert document.next_step.startswith(STEP)
    first = markdown(job_summary(SUMMARY, DECISION)).splitlines()[0]
    assert STEP in first.replace("\\", "")
    assert page(document).index(STEP) < page(document).index("<h1>")
    assert STEP in junit_xml(SUMMARY, DECISION)
    assert STEP in github_annotations(SUMMARY, DECISION)[0]
    assert SUMMARY.record()["next_step"].startswith(STEP)


def test_limits_are_test_cases_and_annotations():
    xml = junit_xml(SUMMARY, DECISION)
    assert '<testcase classname="limit" name="silenced">' in xml
    assert '<testcase classname="limit" name="lost_fields in exercise ex-1">' in xml
    assert '<testcase classname="must_pass" name="item-037">' in xml
    lines = github_annotations(SUMMARY, DECISION)
    assert any(line.startswith("::error title=Limit silenced::limit silenced: 2 of 39") for line in lines)
    assert any("title=Must-pass item::item-037: lost all outputs" in line for line in lines)


def test_json_has_the_checks():
    record = SUMMARY.record()
    assert record["limits"][0] == {
        "name": "silenced",
        "group": None,
        "allowed": 0,
        "n": 39,
        "n_broken": 2,
        "items": ("item-037", "item-038"),
        "excused": (),
        "passed": False,
        "outcome": "fail",
        "n_unchecked": 0,
        "p_value": None,
    }
    assert record["must_pass"][0] == {"id": "item-037", "passed": False, "reasons": ("lost all outputs",)}


def test_a_broken_limit_is_said_with_its_items():
    check = LimitCheck("changed_numbers", 0.25, 12, tuple("abcdefg"))
    assert broken_limit_words(check) == (
        "limit changed_numbers: 7 of 12 items with numbers have other numbers "
        "or none, 25\u00a0% may (a, b, c, d, e "
        "and 2 more)"
    )


def test_what_is_allowed_is_none_a_share_or_a_number():
    said = [allowed_words(LimitCheck("silenced", allowed, 9)) for allowed in (0, 0.5, 3)]
    assert said == ["none", "50\u00a0%", "3"]


def test_ids_are_shown_in_one_line_and_cut():
    assert ids_words(("a\nb",)) == "a b"
    assert len(ids_words(("x" * 500,))) < 100


def test_a_must_pass_item_says_why():
    assert must_pass_words(MustPassCheck("c", ("lost all outputs", "x"))) == "c: lost all outputs; x"
    assert must_pass_words(MustPassCheck("c")) == "c: nothing became worse"


def summary_of(check, outcome=Outcome.PASS):
    compared = comparison_of(20)
    return DriftSummary(compared, replace(decision_about(compared), outcome=outcome), ruler=check)


def test_without_anchors_there_is_no_section():
    assert list(ruler_section(summary_of(None))) == []
    assert list(ruler_cautions(summary_of(None))) == []


@pytest.mark.parametrize(
    ("status", "outcome", "said"),
    [
        ("kept", Outcome.FAIL, "are read as before. The system moved, and the ruler did not."),
        ("kept", Outcome.PASS, "are read as before. Neither the system nor the ruler moved."),
        ("kept", Outcome.UNDECIDED, "are read as before."),
        ("moved", Outcome.PASS, "The ruler moved; the gate shows nothing of the system."),
        ("moved", Outcome.FAIL, "The ruler moved, and the gate failed: whether the system moved, too,"),
        ("new", Outcome.PASS, "so that later runs can be checked."),
    ],
)
def test_one_sentence_says_what_moved(status, outcome, said):
    (section,) = ruler_section(summary_of(a_check(status), outcome))
    assert said in str(section.blocks[0])


def test_a_page_has_every_test_and_the_screen_has_them_where_the_ruler_moved():
    (kept,), (moved,) = (tuple(ruler_section(summary_of(a_check(status)))) for status in ("kept", "moved"))
    assert [kept.blocks[2].detail, moved.blocks[2].detail] == ["full", "both"]
    assert len(kept.blocks[2].rows) == 2


def test_errors_against_people_stand_beside_those_of_the_reference():
    now, before = (label_error("match", np.array([value] * 4), np.ones(4)) for value in (0.5, 0.75))
    (section,) = ruler_section(summary_of(a_check(errors=(now,), reference_errors=(before,))))
    (row,) = section.blocks[-1].rows
    # By hand: |0.5 - 1| now, |0.75 - 1| in the reference.
    assert (row[1].value, row[2].value) == (0.5, 0.25)


def test_another_ruler_is_a_caution_with_what_it_changed():
    check = a_check("new", declared={"layer": ("6", "5"), "x": (None, "y")}, apart={"match": 0.0312})
    (said,) = ruler_cautions(summary_of(check))
    assert said == (
        "another ruler than before reads the anchors (layer 6 → 5, x none → y); its readings lie apart from "
        "the former ones by match 0.0312 on average: do not compare figures of one with those of the other"
    )
    assert said in drift_document(summary_of(check)).cautions


@pytest.fixture
def decision() -> GateDecision:
    return decide(comparison({"output_count": [0.0] * 30}), GateSettings(replicates=100))


def with_test(decision: GateDecision, **changed: object) -> GateDecision:
    test: DriftTest = replace(decision.tests[0], shift=MeanShift(-0.01, 0.04, 0.02), **changed)
    return replace(decision, tests=(test,))


def test_a_pass_by_shift_is_explained(decision):
    assert list(shift_notes(with_test(decision, bound=0.07, tolerance=0.05))) == [
        "number of outputs passes by its shift: what is more and what is less differ by at most 0.040 "
        "(tolerated: 0.050), and the drift is at most 0.070 (tolerated: 1.5 × 0.050)"
    ]


def test_other_tests_need_no_word(decision):
    assert not list(shift_notes(with_test(decision, bound=0.04, tolerance=0.05)))
    undecided = with_test(decision, bound=0.07, tolerance=0.05, outcome=Outcome.UNDECIDED)
    assert not list(shift_notes(undecided))
    assert not list(shift_notes(None))
