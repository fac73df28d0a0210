"""Runs measured with the real model: what must lose nothing, and what must lose most."""

from dataclasses import replace

import numpy as np
import pytest

from semscale.drift.measure.meter import DriftMeter
from semscale.errors import InputError, UnknownNameError
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.matching.bertscore import BertScorer
from semscale.matching.matcher import Matcher
from semscale.types import Status

ANSWERS = [
    ["The bulb is lit because the circuit is closed.", "Give the voltage of the battery, too."],
    ["You named two of the three stages.", "The order of the stages is right.", "Write whole sentences."],
    ["A clear introduction."],
    ["The dosage of 5 mg is correct.", "It is not safe to use it at night."],
    [],
]
CREDITS = [[1.0, 0.0], [0.5, 1.0, -0.5], [2.0], [1.0, 0.5], []]


def run(answers, credits=CREDITS, **settings):
    items = tuple(
        Item(
            f"item-{at}",
            tuple(Output(text, {"credits": value}) for text, value in zip(texts, values, strict=False)),
        )
        for at, (texts, values) in enumerate(zip(answers, credits, strict=True))
    )
    return Run(**{"dataset": "exam", "model": "old", "items": items, **settings})


@pytest.fixture(scope="module")
def meter():
    return DriftMeter(cache=False)


@pytest.fixture(scope="module")
def baseline():
    return run(ANSWERS)


def losses(meter, baseline, candidate):
    return meter.measure(baseline, [candidate])[0].losses


def test_the_same_outputs_lose_nothing(meter, baseline):
    (measured,) = meter.measure(baseline, [baseline])
    assert [str(status) for status in measured.status] == ["scored"] * 4 + ["empty"]
    for name, values in measured.losses.items():
        assert values[:4].tolist() == [0.0] * 4, name
        assert np.isnan(values[4]), name
    assert [(pair.item, pair.baseline, pair.candidate) for pair in measured.pairs[:3]] == [
        (0, 0, 0),
        (0, 1, 1),
        (1, 0, 0),
    ]
    assert measured.pairs[0].scores == {"match": 1.0, "bertscore_f1": 1.0, "cosine": 1.0}


def test_the_order_of_outputs_changes_no_bit(meter, baseline):
    edited = run([[text.replace("is", "was") for text in texts] for texts in ANSWERS])
    turned = replace(edited, items=tuple(replace(item, outputs=item.outputs[::-1]) for item in edited.items))
    first, second = meter.measure(baseline, [edited, turned])
    assert first.losses["match"][0] > 0
    for name in first.losses:
        np.testing.assert_array_equal(first.losses[name], second.losses[name])
    of_three = [(pair.baseline, pair.candidate) for pair in second.pairs if pair.item == 1]
    assert of_three == [(0, 2), (1, 1), (2, 0)]


def test_equal_texts_are_paired_by_their_numbers(meter):
    old = run([["Well done.", "Well done."]], [[0.0, 1.0]])
    new = run([["Well done.", "Well done."]], [[1.0, 0.0]])
    (measured,) = meter.measure(old, [new])
    assert [(pair.baseline, pair.candidate) for pair in measured.pairs] == [(0, 1), (1, 0)]
    assert measured.losses["credits_difference"].tolist() == [0.0]


def test_a_silent_candidate_is_the_worst_case(meter, baseline):
    silent = run([["  ", None], [], [""], [], []], [[1.0, 1.0], [], [1.0], [], []])
    (measured,) = meter.measure(baseline, [silent])
    assert {name: values[0] for name, values in measured.losses.items()} == {
        **dict.fromkeys(("match", "bertscore_f1", "cosine", "contradictions", "changed_numbers"), 1.0),
        **dict.fromkeys(("output_count", "length", "silence"), 1.0),
        "credits_difference": 2.5,  # from -.5 to 2
    }
    assert measured.status[0] is Status.SCORED
    assert measured.pairs[0].candidate is None
    for name, metric in measured.metrics.items():
        assert np.all(measured.losses[name][:4] == metric.span)


def test_a_candidate_that_speaks_where_the_baseline_is_silent(meter, baseline):
    found = losses(meter, baseline, run([*ANSWERS[:4], ["A word too much."]], [*CREDITS[:4], [1.0]]))
    assert [found[name][4] for name in ("match", "silence", "output_count", "length")] == [1.0] * 4
    assert found["credits_difference"][4] == 2.5
    assert np.isnan(found["contradictions"][4])


def test_figures_of_one_item(meter, baseline):
    # Item 0: one of two outputs is left; item 3: 5 mg became 7 mg, .5 credits became 1.
    answers = [ANSWERS[0][:1], *ANSWERS[1:3], ["The dosage of 7 mg is correct.", ANSWERS[3][1]], []]
    new = run(answers, [[1.0], *CREDITS[1:3], [1.0, 1.0], []])
    (measured,) = meter.measure(baseline, [new])
    found = measured.losses
    assert found["match"][0] == found["bertscore_f1"][0] == found["cosine"][0] == 0.5
    assert found["output_count"][0] == 0.5
    assert found["length"][0] == 37 / 83  # 46 characters of 46 + 37
    assert found["credits_difference"][0] == (0 + 2.5) / 2
    assert found["contradictions"][3] == 0.5
    assert found["credits_difference"][3] == 0.25
    changed = next(pair for pair in measured.pairs if pair.findings)
    assert (changed.item, changed.findings[0].prediction.text, changed.findings[0].reference.text) == (
        3,
        "7 mg",
        "5 mg",
    )
    lacking = [(pair.baseline, pair.candidate) for pair in measured.pairs if pair.item == 0]
    assert lacking == [(0, 0), (1, None)]


def test_scores_are_those_of_the_instruments(meter, baseline, embedder):
    changed = [
        [text.replace("is", "is not") + " " + extra for text in texts]
        for texts, extra in zip(
            ANSWERS, ("Really.", "At least I think so.", "That is good.", "No.", ""), strict=True
        )
    ]
    (measured,) = meter.measure(baseline, [run(changed)])
    pairs = [
        (pair, changed[pair.item][pair.candidate], ANSWERS[pair.item][pair.baseline])
        for pair in measured.pairs
    ]
    ours, theirs = [text for _, text, _ in pairs], [text for _, _, text in pairs]
    corpus = [text for texts in ANSWERS for text in texts]
    expected = {
        "match": Matcher("calibrated", corpus=corpus).match(ours, theirs).score,
        "bertscore_f1": BertScorer().score(ours, theirs).f1,
        "cosine": np.einsum("ij,ij->i", embedder.embed(ours).vectors, embedder.embed(theirs).vectors),
    }
    for name, values in expected.items():
        # States are rounded to 16 bits, about 4 decimals.
        np.testing.assert_allclose([pair.scores[name] for pair, _, _ in pairs], values, atol=2e-4)
    assert min(expected["match"]) < 0.9


def test_pairing_by_position(baseline):
    turned = replace(
        baseline, items=tuple(replace(item, outputs=item.outputs[::-1]) for item in baseline.items)
    )
    (measured,) = DriftMeter(pairing="position", cache=False).measure(baseline, [turned])
    assert measured.losses["match"][0] > 0.3
    assert measured.losses["match"][2] == 0.0
    assert measured.losses["credits_difference"][:2].tolist() == [1.0, (1.0 + 0 + 1.0) / 3]


def test_a_number_depends_on_no_cache_and_no_company(baseline, tmp_path):
    new = run([[text.replace("is", "was") for text in texts] for texts in ANSWERS])
    other = run([["Something else."]] * 5, [[1.0]] * 5)
    plain = DriftMeter(cache=False).measure(baseline, [new])[0]
    filling, reading = (DriftMeter(cache=tmp_path).measure(baseline, [other, new])[1] for _ in range(2))
    assert (tmp_path / "states.sqlite").exists()
    for name in plain.losses:
        np.testing.assert_array_equal(plain.losses[name], filling.losses[name])
        np.testing.assert_array_equal(plain.losses[name], reading.losses[name])
    assert plain.signature == reading.signature
    assert plain.pairs == reading.pairs


def test_only_what_will_be_read_again_is_kept(baseline, tmp_path, monkeypatch):
    rerun = run(
        [["The bulb shines."], ["Two of three."], ["Clear."], ["5 mg is right."], []], rerun_of=baseline.id
    )
    new = run([["Seen once."]] * 5, [[1.0]] * 5)
    DriftMeter(cache=tmp_path).measure(baseline, [rerun, new])
    again = DriftMeter(cache=tmp_path)
    encode, wanted = again.encoder.encode_groups, []

    def noting(tokens, groups, *, layer):
        groups = list(groups)
        wanted.extend(len(tokens.of(int(text))) for group in groups for text in group)
        return encode(tokens, groups, layer=layer)

    monkeypatch.setattr(again.encoder, "encode_groups", noting)
    again.measure(baseline, [rerun, new])
    assert wanted == [5]  # [CLS] seen once . [SEP]


def test_duplicates_are_irrelevant(meter, baseline):
    new = run([[text.upper() + "!" for text in texts[:1]] for texts in ANSWERS])
    twice = [
        replace(
            each, items=tuple(replace(item, id=f"{item.id}-{copy}") for copy in "ab" for item in each.items)
        )
        for each in (baseline, new)
    ]
    once = losses(meter, baseline, new)
    for name, values in losses(meter, *twice).items():
        np.testing.assert_array_equal(values, np.tile(once[name], 2))


def test_blocks_change_nothing(meter, baseline, monkeypatch):
    new = run([[text.replace("is", "was") for text in texts] for texts in ANSWERS])
    whole = meter.measure(baseline, [new, baseline])
    monkeypatch.setattr("semscale.drift.alignment.FRESH_BYTES", 1)
    monkeypatch.setattr("semscale.drift.alignment.KEPT_BYTES", 1)
    for one, other in zip(whole, meter.measure(baseline, [new, baseline]), strict=True):
        assert one.pairs == other.pairs
        for name in one.losses:
            np.testing.assert_array_equal(one.losses[name], other.losses[name])


def test_another_layer_is_read_beside_the_last(baseline):
    new = run([[text.replace("is", "was") for text in texts] for texts in ANSWERS])
    (last,) = DriftMeter(cache=False).measure(baseline, [new])
    (lower,) = DriftMeter(cache=False, layer=3).measure(baseline, [new])
    np.testing.assert_array_equal(last.losses["match"], lower.losses["match"])
    texts = ANSWERS[2][0]
    expected = BertScorer(layer=3).score([new.items[2].outputs[0].text], [texts]).f1[0]
    assert 1 - lower.losses["bertscore_f1"][2] == pytest.approx(expected, abs=2e-4)
    assert last.signature.differences(lower.signature) == {"layer": ("6", "3")}


def test_floors_are_those_of_unrelated_outputs(meter, baseline):
    floors = meter.floors(baseline)
    assert set(floors) == set(meter.measure(baseline, [baseline])[0].metrics)
    assert 0.5 < floors["bertscore_f1"] < 1
    assert floors["match"] > 0.8
    assert floors["silence"] == 0
    assert floors == meter.floors(baseline)


def test_floors_of_one_speaking_item(meter):
    floors = meter.floors(run([["Alone."], []], [[1.0], []]))
    assert all(np.isnan(floor) for floor in floors.values())


def test_nobody_speaks(meter):
    silent = run([[], [" "]], [[], [1.0]])
    (measured,) = meter.measure(silent, [silent])
    assert set(measured.status) == {Status.EMPTY}
    assert measured.pairs == ()


def test_texts_without_a_token(meter):
    # A zero-width space is no white space to Python and nothing to the tokenizer.
    old, odd = (
        run([["It is fine."], ["\u200b"]], [[1.0], [1.0]]),
        run([["\u200b"], ["\u200b"]], [[1.0], [1.0]]),
    )
    found = losses(meter, old, odd)
    assert found["match"].tolist() == found["bertscore_f1"].tolist() == [1.0, 0.0]


def test_input_is_unchanged(meter, baseline):
    before = run(ANSWERS, id=baseline.id, recorded=baseline.recorded)
    meter.measure(baseline, [baseline])
    assert baseline == before


def test_progress_reaches_the_end(meter, baseline):
    seen = []
    meter.measure(baseline, [baseline, baseline], progress=lambda *each: seen.append(each))
    assert seen[-1] == ("comparing items", 10, 10)


def test_other_items_are_refused(meter, baseline):
    with pytest.raises(InputError, match="'item-4' in one of them only"):
        meter.measure(baseline, [replace(baseline, items=baseline.items[:4])])
    with pytest.raises(InputError, match="another order"):
        meter.measure(baseline, [replace(baseline, items=baseline.items[::-1])])


def test_settings_are_checked():
    with pytest.raises(UnknownNameError, match="pairing must be one of assignment, position, got 'best'"):
        DriftMeter(pairing="best")
    with pytest.raises(InputError, match="seed"):
        DriftMeter(seed=-1)


SIMILARITIES = ["match", "bertscore_f1", "cosine"]


def test_outputs_that_the_model_cannot_read_are_not_alike(meter):
    # Read in neither run: nothing is known; in one: no similarity. Equal texts lose nothing, read or not.
    baseline = run(
        [["👍"], ["👍"], ["It is good."], ["👍"], ["It is good.", "👍"]], [[1.0]] * 4 + [[1.0, 1.0]]
    )
    candidate = run(
        [["👎"], ["👍"], ["👎"], ["It is good."], ["It is good.", "👎"]], [[0.0]] * 4 + [[1.0, 1.0]]
    )
    (measured,) = meter.measure(baseline, [candidate])
    for name in SIMILARITIES:
        assert np.isnan(measured.losses[name][0]), name
        assert measured.losses[name][1:].tolist() == [0.0, 1.0, 1.0, 0.0], name
    assert measured.losses["credits_difference"][0] == 1.0  # numbers count whatever the texts
    assert measured.losses["output_count"].tolist() == [0.0] * 5
    assert measured.estimate().overall.basis("match").n == 4
