"""Rulers that read anchors: text metrics with the real model, judges, and tables of anchors."""

from dataclasses import replace

import numpy as np
import pytest
from tests.judging.conftest import Scripted, material, plain_running
from tests.support.moved_encoder import MovedEncoder

from semscale.chat.runner import Running
from semscale.drift.anchors import (
    JudgeRuler,
    Moved,
    TextRuler,
    check_ruler,
    keep_check,
    read_anchors,
    record_anchors,
    ruler_tests,
    with_ruler,
)
from semscale.drift.columns import AnchorColumns
from semscale.drift.comparison import DriftMeter, compare
from semscale.drift.decision import decide
from semscale.drift.summary import DriftSummary
from semscale.errors import InputError
from semscale.history.anchor_sets import AnchorPair, AnchorReadings, AnchorSet
from semscale.history.history import open_history
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.history.stored_comparison import Outcome
from semscale.judging.judge import Judge
from semscale.store.reading import open_table

TEXTS = [
    ("The bulb is lit because the circuit is closed.", "The circuit is closed, so the bulb is lit."),
    ("You named two of the three stages.", "You did not name two of the three stages."),
    ("The dosage of 5 mg is correct.", "The dosage of 50 mg is correct."),
    ("A clear introduction.", "A clear introduction."),
    ("The order of the stages is right.", "The stages come in the right order."),
    ("Write whole sentences.", "Use complete sentences."),
    ("Give the voltage of the battery.", "What is the voltage of the battery?"),
    ("It is safe to use it at night.", "Bananas are yellow."),
    ("Divide by four before you add.", "First divide by four, then add."),
    ("Cite where this figure comes from.", "Name the source of this figure."),
]
PAIRS = [AnchorPair(str(at), *both) for at, both in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def meter():
    return DriftMeter(cache=False)


@pytest.fixture(scope="module")
def reference(meter):
    return TextRuler(meter).readings(PAIRS)


def test_readings_are_the_metrics_of_all_pairs(meter, reference):
    assert list(reference) == ["match", "bertscore_f1", "cosine", "contradictions", "changed_numbers"]
    assert [reference[name][3] for name in reference] == [1.0, 1.0, 1.0, 0.0, 0.0]
    assert reference["contradictions"][1] == 1.0
    assert reference["changed_numbers"].tolist() == [0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert reference["match"].argmin() == 7


def test_reading_twice_moves_nothing_and_settings_of_a_baseline_are_no_part_of_the_signature(
    meter, reference
):
    again = TextRuler(meter).readings(PAIRS)
    for name, values in reference.items():
        assert np.abs(again[name] - values).max() < 1e-5, name
    assert TextRuler(meter).signature == meter.signature
    assert TextRuler(DriftMeter(meter.encoder, fields={"credits": "higher"})).signature == meter.signature
    assert TextRuler(meter).rounding == 1e-4


def test_bfloat16_may_round_more(meter):
    ruler = TextRuler(DriftMeter(precision="fast", cache=False))
    used = dict(ruler.signature.fields)["precision"]
    assert ruler.rounding == (2.0**-8 if "bfloat16" in used else 1e-4)


def test_a_model_that_moved_under_its_name_is_seen_in_its_first_run_past_a_cache(meter, reference, tmp_path):
    texts = [Output(text) for both in TEXTS for text in both]
    run = Run("anchors", "m", (Item("1", tuple(texts)),))
    DriftMeter(meter.encoder, cache=tmp_path).measure(run, run)  # now every text is in the cache
    moved = DriftMeter(MovedEncoder(meter.encoder._engine), cache=tmp_path)
    assert TextRuler(moved).signature == TextRuler(meter).signature
    entry = AnchorReadings("a", "exam", "s", reference, "r", is_reference=True)
    tests = ruler_tests([entry], TextRuler(moved).readings(PAIRS), 1e-4)
    seen = {test.reading: test.has_moved for test in tests}
    # Guards read words, not states, so that they stay.
    assert seen == {
        "match": True,
        "bertscore_f1": True,
        "cosine": True,
        "contradictions": False,
        "changed_numbers": False,
    }


def anchors(n):
    """An anchor set of n pairs."""
    pairs = tuple(AnchorPair(str(number), f"It is {number}.", f"So {number}.") for number in range(n))
    return AnchorSet("answers", "pairs", pairs)


def judge_of(say):
    return Judge(Scripted(say, takes_logprobs=False))


def test_a_reading_is_the_expected_score_against_the_reference():
    model = Scripted(lambda request: "Score: 4" if "So 3." in material(request) else "Score: 1")
    ruler = JudgeRuler(Judge(model), running=plain_running())
    readings = ruler.readings(anchors(10).pairs)["judge"]
    # On a scale of 1 to 5, by hand: 4 is .75 and 1 is 0.
    assert readings.tolist() == [0.75 if at == 3 else 0.0 for at in range(10)]
    assert {"It is 3." in str(request.messages) for request in model.requests} == {True, False}


def test_an_anchor_without_a_judge_score_has_no_reading():
    ruler = JudgeRuler(
        judge_of(lambda request: "Hm." if "So 3." in material(request) else "Score: 5"),
        running=plain_running(),
    )
    assert np.isnan(ruler.readings(anchors(10).pairs)["judge"]).tolist() == [at == 3 for at in range(10)]


@pytest.mark.exhaustive
def test_a_judge_that_was_exchanged_under_its_name_is_seen(tmp_path):
    rng = np.random.default_rng(4)

    def says(lift):
        return lambda _: f"Score: {rng.choice([2, 3, 3, 4]) + lift}"

    with open_history(str(tmp_path / "history.sqlite")) as history:
        record_anchors(history, anchors(60), JudgeRuler(judge_of(says(0)), running=plain_running()))
        moved = []
        for number in range(1, 7):
            ruler = JudgeRuler(judge_of(says(int(number > 3))), running=plain_running())
            check = check_ruler(history, "answers", ruler)
            keep_check(history, check, str(number))
            moved.append(check.has_moved)
    assert moved[:3] == [False] * 3
    assert moved[-1]
    assert "judge by 0.2" in check.sentence  # one level of five is .25, less what chance made of it


def test_a_ledger_is_never_used(tmp_path):
    model = Scripted(lambda _: "Score: 5")
    ruler = JudgeRuler(Judge(model), running=Running(ledger=tmp_path / "ledger.sqlite"))
    for _ in range(2):
        ruler.readings(anchors(10).pairs)
    assert len(model.requests) == 20
    assert list(tmp_path.iterdir()) == []


def test_too_few_repeats_are_refused():
    with pytest.raises(InputError, match="repeats must be at least 2, which show the judge's noise, got 1"):
        JudgeRuler(judge_of(lambda _: "Score: 5"), repeats=1)


TOPICS = ("the circuit", "the first stage", "your essay", "the proof", "the graph", "this program")
FEEDBACK = [f"Your answer about {topic} in part {part} is right." for topic in TOPICS for part in range(1, 6)]
FEEDBACK_PAIRS = tuple(
    AnchorPair(str(at), text, text.replace("is right", "is correct")) for at, text in enumerate(FEEDBACK[:12])
)


def run(texts, **settings):
    items = tuple(Item(str(at), (Output(text),)) for at, text in enumerate(texts))
    return Run("answers", "model", items, **settings)


BASELINE = run(FEEDBACK)
WORSE = run([text if at % 3 else "Nothing to say here." for at, text in enumerate(FEEDBACK)])
SAME = replace(BASELINE, id="candidate")


@pytest.fixture
def history(tmp_path, meter):
    with open_history(str(tmp_path / "history.sqlite")) as opened:
        record_anchors(opened, AnchorSet("answers", "pairs", FEEDBACK_PAIRS), TextRuler(meter))
        yield opened


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("candidate", "is_moved", "moved", "outcome"),
    [
        (WORSE, False, Moved.SYSTEM, Outcome.FAIL),
        (SAME, True, Moved.RULER, Outcome.UNDECIDED),
        (WORSE, True, Moved.BOTH, Outcome.FAIL),
        (SAME, False, Moved.NEITHER, Outcome.PASS),
    ],
)
def test_the_cause_of_a_change_is_ruler_system_or_both(history, meter, candidate, is_moved, moved, outcome):
    used = DriftMeter(MovedEncoder(meter.encoder._engine), cache=False) if is_moved else meter
    reruns = [replace(BASELINE, id=f"rerun-{at}", rerun_of=BASELINE.id) for at in range(3)]
    comparison = compare(BASELINE, candidate, reruns=reruns, meter=used, deterministic=True)
    check = check_ruler(history, "answers", TextRuler(used))
    summary = DriftSummary(comparison, with_ruler(decide(comparison), check), ruler=check)
    assert (summary.moved, summary.decision.outcome) == (moved, outcome)


def read_table(path, **columns):
    return read_anchors(open_table(path), AnchorColumns(**columns))


def test_a_table_is_read_with_its_labels(written):
    path = written("id,reference,output,score\na,Yes.,No.,1\n,Up.,Down.,4\nc,In.,Out.,\n")
    first, second, third = read_table(path, label="score", label_range=(1, 5))
    assert (first.id, first.reference, first.output, first.label) == ("a", "Yes.", "No.", 0.0)
    assert (second.id, second.label) == ("2", 0.75)
    assert third.label is None


def test_json_lines_with_other_columns(written):
    path = written([{"right": "Yes.", "said": "No."}], "anchors.jsonl")
    (pair,) = read_table(path, reference="right", output="said")
    assert (pair.id, pair.reference, pair.output, pair.label) == ("1", "Yes.", "No.", None)


def test_an_empty_text_is_left_to_the_set_to_refuse(written):
    (pair,) = read_table(written("reference,output\nYes.,\n"))
    assert pair.output == ""


@pytest.mark.parametrize("label", ["7", "good", "nan", "-1"])
def test_a_label_outside_the_scale_is_refused_with_its_row(written, label):
    path = written(f"reference,output,score\nA.,B.,1\nA.,B.,{label}\n")
    with pytest.raises(
        InputError, match=r"data row 2: column 'score' has the label .*from 0 to 1; .*--human-range"
    ):
        read_table(path, label="score")


def test_more_rows_than_anchors_may_have_are_refused(written):
    path = written("reference,output\n" + "A.,B.\n" * 501)
    with pytest.raises(InputError, match="has more than 500 rows: anchors are read in every run"):
        read_table(path)


@pytest.mark.parametrize("missing", ["reference", "output", "label"])
def test_a_missing_column_is_refused(written, missing):
    with pytest.raises(InputError, match="nowhere"):
        read_table(written("reference,output\nA.,B.\n"), **{missing: "nowhere"})


def test_a_range_needs_labels_and_rises():
    with pytest.raises(InputError, match="label_range belongs to label"):
        AnchorColumns(label_range=(1, 5))
    for wrong in ((5, 1), (1, 1), (0, float("inf"))):
        with pytest.raises(InputError, match="label_range must rise, such as 1,5"):
            AnchorColumns(label="score", label_range=wrong)
