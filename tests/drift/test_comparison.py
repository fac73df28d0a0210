"""Runs measured with the real model: unchanged outputs, the worst cases, reruns and changed datasets."""

from dataclasses import replace

import numpy as np
import pytest
from tests.support.made_up_losses import compared, run_of

from semscale.drift.comparison import DriftMeter, compare
from semscale.drift.metrics import field_metrics
from semscale.errors import InputError, UnknownNameError
from semscale.history.items import Item, Output, digest_items
from semscale.history.runs import Run
from semscale.matching.bertscore import BertScorer
from semscale.matching.matcher import Matcher
from semscale.types import Status

NAN = np.nan
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
            f"item-{number}",
            tuple(Output(text, {"credits": value}) for text, value in zip(texts, values, strict=False)),
        )
        for number, (texts, values) in enumerate(zip(answers, credits, strict=True))
    )
    return Run(**{"dataset": "exam", "model": "old", "items": items, **settings})


EDITED = [[text.replace("is", "was") for text in texts] for texts in ANSWERS]


@pytest.fixture(scope="module")
def meter():
    return DriftMeter(cache=False)


@pytest.fixture(scope="module")
def baseline():
    return run(ANSWERS)


def losses(meter, baseline, candidate):
    measured = meter.measure(baseline, candidate)
    return {name: measured.losses(name) for name in measured.metrics}


def assert_equal_losses(left, right):
    assert left.pairs == right.pairs
    for name in left.pair_losses:
        np.testing.assert_array_equal(left.pair_losses[name], right.pair_losses[name])


def test_the_same_outputs_lose_nothing(meter, baseline):
    measured = meter.measure(baseline, baseline)
    assert [str(status) for status in measured.status] == ["scored"] * 4 + ["empty"]
    for name in measured.metrics:
        assert measured.losses(name)[:4].tolist() == [0.0] * 4, name
        assert np.isnan(measured.losses(name)[4]), name
    pairs = [(pair.item, pair.baseline, pair.candidate) for pair in measured.pairs]
    assert sorted(pairs)[:3] == [(0, 0, 0), (0, 1, 1), (1, 0, 0)]
    assert set(measured.pairs[0].scores.values()) == {1.0}


def test_the_order_of_outputs_changes_no_bit(meter, baseline):
    edited = run(EDITED)
    turned = replace(edited, items=tuple(replace(item, outputs=item.outputs[::-1]) for item in edited.items))
    first, second = losses(meter, baseline, edited), losses(meter, baseline, turned)
    assert first["match"][0] > 0
    for name in first:
        np.testing.assert_array_equal(first[name], second[name])
    pairs = meter.measure(baseline, turned).pairs
    of_item = {(pair.baseline, pair.candidate) for pair in pairs if pair.item == 1}
    assert of_item == {(0, 2), (1, 1), (2, 0)}


def test_equal_texts_are_paired_by_their_numbers(meter):
    old = run([["Well done.", "Well done."]], [[0.0, 1.0]])
    new = run([["Well done.", "Well done."]], [[1.0, 0.0]])
    measured = meter.measure(old, new)
    assert [(pair.baseline, pair.candidate) for pair in measured.pairs] == [(0, 1), (1, 0)]
    assert measured.losses("credits_difference").tolist() == [0.0]


def test_a_silent_candidate_is_the_worst_case(meter, baseline):
    silent = run([["  ", None], [], [""], [], []], [[1.0, 1.0], [], [1.0], [], []])
    measured = meter.measure(baseline, silent)
    better = {"added_content": 0.0, "credits_change": 0.0, "more_outputs": -1.0}
    of_pairs = {"contradictions", "changed_numbers"}
    assert all(np.isnan(measured.losses(name)).all() for name in of_pairs)
    for name, metric in measured.metrics.items():
        if name in of_pairs:
            continue
        assert np.all(measured.losses(name)[:4] == better.get(name, metric.span)), name
    assert measured.metrics["credits_difference"].span == 2.5  # from -.5 to 2
    assert measured.status[0] is Status.SCORED
    assert measured.pairs[0].candidate is None


def test_figures_of_a_single_item_by_hand(meter, baseline):
    # Item 0: one of two outputs is left; item 3: 5 mg became 7 mg, .5 credits became 1.
    answers = [ANSWERS[0][:1], *ANSWERS[1:3], ["The dosage of 7 mg is correct.", ANSWERS[3][1]], []]
    measured = meter.measure(baseline, run(answers, [[1.0], *CREDITS[1:3], [1.0, 1.0], []]))
    of_items = {name: measured.losses(name) for name in measured.metrics}
    for name in ("match", "bertscore_f1", "cosine", "lost_content", "fewer_outputs", "output_count"):
        assert of_items[name][0] == 0.5, name
    assert of_items["added_content"][0] == 0.0
    assert of_items["length"][0] == 37 / 83  # 46 characters of 46 + 37
    assert of_items["credits_difference"][0] == (0 + 2.5) / 2
    assert of_items["contradictions"][3] == 0.5
    assert of_items["credits_difference"][3] == 0.25
    changed = next(pair for pair in measured.pairs if pair.findings)
    finding = changed.findings[0]
    assert (changed.item, finding.prediction.text, finding.reference.text) == (3, "7 mg", "5 mg")
    assert [(pair.baseline, pair.candidate) for pair in measured.pairs if pair.item == 0] == [
        (0, 0),
        (1, None),
    ]


def test_half_of_a_text_loses_content_and_an_added_sentence_adds_some(meter):
    whole = "You correctly explain that water enters the cell by osmosis. It bursts as it has no wall."
    half = "You correctly explain that water enters the cell by osmosis."
    long, short = run([[whole]], [[1.0]]), run([[half]], [[1.0]])
    lost, added = losses(meter, long, short), losses(meter, short, long)
    assert (lost["lost_content"][0] > 0.2, lost["added_content"][0] < 0.1) == (True, True)
    assert (added["added_content"][0] > 0.2, added["lost_content"][0] < 0.1) == (True, True)


@pytest.mark.exhaustive
def test_scores_are_those_of_the_instruments(meter, baseline, embedder):
    ends = ("Really.", "At least I think so.", "That is good.", "No.", "")
    changed = [
        [text.replace("is", "is not") + " " + end for text in texts]
        for texts, end in zip(ANSWERS, ends, strict=True)
    ]
    measured = meter.measure(baseline, run(changed))
    new = [changed[pair.item][pair.candidate] for pair in measured.pairs]
    old = [ANSWERS[pair.item][pair.baseline] for pair in measured.pairs]
    corpus = [text for texts in ANSWERS for text in texts]
    bertscore = BertScorer().score(new, old)
    expected = {
        "match": Matcher("calibrated", corpus=corpus).match(new, old).score,
        "bertscore_f1": bertscore.f1,
        "cosine": np.einsum("ij,ij->i", embedder.embed(new).vectors, embedder.embed(old).vectors),
    }
    for name, values in expected.items():
        # States are rounded to 16 bits, about 4 decimals.
        np.testing.assert_allclose([pair.scores[name] for pair in measured.pairs], values, atol=2e-4)
    assert min(expected["match"]) < 0.9


def test_pairing_by_position(baseline):
    turned = replace(
        baseline, items=tuple(replace(item, outputs=item.outputs[::-1]) for item in baseline.items)
    )
    measured = losses(DriftMeter(pairing="position", cache=False), baseline, turned)
    assert measured["match"][0] > 0.3
    assert measured["match"][2] == 0.0
    assert measured["credits_difference"][:2].tolist() == [1.0, (1.0 + 0 + 1.0) / 3]


def test_a_number_does_not_depend_on_cache_or_reruns(baseline, tmp_path):
    new, other = run(EDITED), run([["Something else."]] * 5, [[1.0]] * 5)
    plain = DriftMeter(cache=False).measure(baseline, new)
    for _ in range(2):  # filling the cache, then reading it
        measured = DriftMeter(cache=tmp_path).measure(baseline, new, [other])
        assert measured.pairs == plain.pairs
        for name in plain.metrics:
            np.testing.assert_array_equal(measured.losses(name), plain.losses(name))
    assert (tmp_path / "states.sqlite").exists()


def test_only_texts_that_are_read_again_are_stored(baseline, tmp_path, monkeypatch):
    answers = [["The bulb shines."], ["Two of three."], ["Clear."], ["5 mg is right."], []]
    rerun = run(answers, rerun_of=baseline.id)
    new = run([["Seen once."]] * 5, [[1.0]] * 5)
    DriftMeter(cache=tmp_path).measure(baseline, new, [rerun])
    again = DriftMeter(cache=tmp_path)
    encode, lengths = again.encoder.encode_groups, []

    def noting(tokens, groups, *, layer):
        groups = list(groups)
        lengths.extend(len(tokens.of(int(text))) for group in groups for text in group)
        return encode(tokens, groups, layer=layer)

    monkeypatch.setattr(again.encoder, "encode_groups", noting)
    again.measure(baseline, new, [rerun])
    assert lengths == [5]  # [CLS] seen once . [SEP]


def test_blocks_change_nothing(meter, baseline, monkeypatch):
    whole = meter.measure(baseline, run(EDITED), [baseline])
    monkeypatch.setattr("semscale.drift.alignment.FRESH_BYTES", 1)
    monkeypatch.setattr("semscale.drift.alignment.KEPT_BYTES", 1)
    assert_equal_losses(whole, meter.measure(baseline, run(EDITED), [baseline]))


@pytest.mark.exhaustive
def test_a_lower_layer_is_read_in_addition_to_the_last(meter, baseline):
    new, lower = run(EDITED), DriftMeter(cache=False, layer=3)
    last, third = meter.measure(baseline, new), lower.measure(baseline, new)
    np.testing.assert_array_equal(last.losses("match"), third.losses("match"))
    expected = BertScorer(layer=3).score([EDITED[2][0]], [ANSWERS[2][0]]).f1[0]
    assert 1 - third.losses("bertscore_f1")[2] == pytest.approx(expected, abs=2e-4)
    assert last.signature.differences(third.signature) == {"layer": ("6", "3")}


def test_floors_are_those_of_unrelated_outputs(meter, baseline):
    floors = meter.floors(baseline)
    assert set(floors) == set(meter.measure(baseline, baseline).metrics)
    assert 0.5 < floors["bertscore_f1"] < 1
    assert floors["match"] > 0.8
    assert floors == meter.floors(baseline)
    alone = meter.floors(run([["Alone."], []], [[1.0], []]))
    assert all(np.isnan(floor) for floor in alone.values())


def test_runs_without_any_text(meter):
    silent = run([[], [" "]], [[], [1.0]])
    measured = meter.measure(silent, silent)
    assert set(measured.status) == {Status.EMPTY}
    assert measured.pairs == ()


def test_texts_without_a_token(meter):
    # A zero-width space is no white space to Python and nothing to the tokenizer.
    old = run([["It is fine."], ["\u200b"]], [[1.0], [1.0]])
    odd = run([["\u200b"], ["\u200b"]], [[1.0], [1.0]])
    result = losses(meter, old, odd)
    assert result["match"].tolist() == result["bertscore_f1"].tolist() == [1.0, 0.0]


def test_outputs_that_the_model_cannot_read_are_not_alike(meter):
    # Read in neither run: nothing is known; in one: no similarity. Equal texts lose nothing, read or not.
    numbers = [[1.0]] * 4 + [[1.0, 1.0]]
    old = run([["👍"], ["👍"], ["It is good."], ["👍"], ["It is good.", "👍"]], numbers)
    new = run([["👎"], ["👍"], ["👎"], ["It is good."], ["It is good.", "👎"]], [[0.0]] * 4 + [[1.0, 1.0]])
    result = losses(meter, old, new)
    for name in ("match", "bertscore_f1", "cosine"):
        assert np.isnan(result[name][0]), name
        assert result[name][1:].tolist() == [0.0, 1.0, 1.0, 0.0], name
    assert result["credits_difference"][0] == 1.0  # numbers count whatever the texts
    assert result["output_count"].tolist() == [0.0] * 5


def test_progress_reaches_the_end(meter, baseline):
    steps = []
    meter.measure(baseline, baseline, [baseline], progress=lambda *step: steps.append(step))
    assert steps[-1] == ("comparing items", 15, 15)  # five items in three pairs of runs


def test_other_items_are_refused(meter, baseline):
    with pytest.raises(InputError, match="'item-4' in one of them only"):
        meter.measure(baseline, replace(baseline, items=baseline.items[:4]))
    with pytest.raises(InputError, match="another order"):
        meter.measure(baseline, replace(baseline, items=baseline.items[::-1]))


def test_settings_are_checked():
    with pytest.raises(UnknownNameError, match="pairing must be one of assignment, position, got 'best'"):
        DriftMeter(pairing="best")
    with pytest.raises(InputError, match="seed"):
        DriftMeter(seed=-1)


@pytest.mark.parametrize(
    "setting",
    [
        {"seed": 1},
        {"pairing": "position"},
        {"layer": 3},
        {"guards": {"name": "off"}},
        {"fields": {"credits": "lower"}},
    ],
    ids=lambda setting: next(iter(setting)),
)
@pytest.mark.exhaustive
def test_every_setting_is_in_the_signature(baseline, setting):
    plain, other = (DriftMeter(cache=False, **options) for options in ({}, setting))
    assert plain.signature != other.signature
    assert plain.measure(baseline, baseline).signature != other.measure(baseline, baseline).signature


# Drift of made-up losses


def pair_of_runs(candidate, rerun, between, **settings):
    """One item and one rerun: losses of candidate and rerun against the baseline, and between these two."""
    losses = np.array([[[0.0, candidate, between], [candidate, 0.0, rerun], [between, rerun, 0.0]]])
    runs = [run_of(["A."], name) for name in ("new", "old", "old")]
    (name,) = settings.get("metrics", {"match": None})
    return compared(runs, {name: losses}, settings.get("metrics"))


def test_baseline_and_reruns_are_references_of_equal_standing():
    comparison = pair_of_runs(0.5, 0.2, 0.7)
    np.testing.assert_allclose(comparison.mean_losses("match"), [0.6])
    np.testing.assert_allclose(comparison.noise_losses("match"), [0.2])
    # The candidate's squared losses are .25 and .49, that of baseline and rerun .04: .37 - .04.
    drifts = [[0.33, -0.345, 0.015]]
    np.testing.assert_allclose(comparison.drifts_by_run("match"), drifts, atol=1e-5)
    np.testing.assert_allclose(comparison.losses("match"), [0.5])


def test_without_a_rerun_all_of_the_loss_is_drift():
    losses = np.array([[[0.0, 0.5], [0.5, 0.0]], [[0.0, NAN], [NAN, 0.0]]])
    comparison = compared([run_of(["A.", "B."], name) for name in ("new", "old")], {"match": losses})
    np.testing.assert_array_equal(comparison.drifts("match"), [0.25, NAN])  # .5 squared
    assert comparison.noise("match") is None


def test_two_runs_without_outputs_agree():
    np.testing.assert_allclose(pair_of_runs(NAN, 1.0, 1.0).mean_losses("match"), [0.5])
    assert np.isnan(pair_of_runs(NAN, NAN, NAN).drifts("match")).all()


def test_an_unknown_cost_of_a_rerun_is_no_cost_of_0():
    (costs,), (credits, _) = field_metrics("call_cost", 2.0), field_metrics("credits", 2.0)
    unknown = pair_of_runs(0.5, NAN, NAN, metrics={costs.name: costs})
    assert np.isnan(unknown.drifts(costs.name)).all()
    # A missing output of the rerun agrees with nothing: NaN pairs count 0.
    lost = pair_of_runs(0.5, NAN, 0.3, metrics={credits.name: credits})
    # Losses .5 and .3 of the candidate, and 0 between baseline and rerun.
    np.testing.assert_allclose(lost.drifts(credits.name), [0.4])


# Runs that are matched before they are measured


def three(*texts, **settings):
    items = tuple(Item(name, (Output(text),)) for name, text in zip("abc", texts, strict=True))
    return Run(**{"dataset": "exam", "model": "old", "items": items, **settings})


BASELINE = three("A clear introduction.", "Give the voltage, too.", "The order is right.")
SAME = [item.outputs[0].text for item in BASELINE.items]


def test_items_are_brought_into_order(meter):
    turned = replace(BASELINE, items=BASELINE.items[::-1], model="new")
    rerun = three("Clear introduction.", *SAME[1:], rerun_of=BASELINE.id)
    result = compare(BASELINE, turned, reruns=[rerun], meter=meter, floors=True)
    assert [item.id for item in result.candidate.items] == ["a", "b", "c"]
    assert result.losses("match").tolist() == [0.0] * 3
    assert result.noise_losses("match")[0] > 0
    assert result.noise("match") == pytest.approx(result.noise_losses("match")[0] / 3)
    assert set(result.floors) == set(result.metrics)


def test_a_silent_rerun_is_refused(meter):
    silent = three("", "", "", rerun_of=BASELINE.id)
    with pytest.raises(InputError, match="has no output in any item"):
        compare(BASELINE, three("", "", ""), reruns=[silent], meter=meter)


def test_outputs_that_all_equal_the_baselines_are_a_caution(meter):
    same = replace(BASELINE, model="new", id="")
    (caution,) = compare(BASELINE, same, meter=meter).cautions
    assert caution.startswith("all outputs equal the baseline's")
    other = three(SAME[0], "Give the voltage.", SAME[2], rerun_of=BASELINE.id)
    assert compare(BASELINE, same, reruns=[other], meter=meter).cautions == (caution,)
    # A model that always gives the same answer never varies: an equal candidate is nothing unusual.
    rerun = three(*SAME, rerun_of=BASELINE.id)
    assert compare(BASELINE, same, reruns=[rerun], deterministic=True, meter=meter).cautions == ()
    assert compare(BASELINE, same, reruns=[rerun], meter=meter).cautions[0] == caution
    assert compare(BASELINE, replace(other, rerun_of=None), meter=meter).cautions == ()


def test_a_rerun_that_equals_the_baseline_is_a_caution(meter):
    rerun = three(*SAME, rerun_of=BASELINE.id, id="1f2e3d4c" * 4)
    other = three("A start.", "Give the voltage.", "In order.", model="new")
    (caution,) = compare(BASELINE, other, reruns=[rerun], meter=meter).cautions
    assert caution.startswith("rerun 1f2e3d4c repeats the baseline in 3 of 3 items: recorded twice")
    assert compare(BASELINE, other, reruns=[rerun], deterministic=True, meter=meter).cautions == ()


def test_a_candidate_cannot_be_a_rerun_of_itself(meter):
    again = three("A start.", "Give the voltage.", "In order.", rerun_of=BASELINE.id)
    with pytest.raises(InputError, match="reruns must not include the candidate"):
        compare(BASELINE, again, reruns=[again], meter=meter)


def test_a_candidate_that_lacks_items_is_compared_in_the_common_items(meter):
    items = tuple(Item(word, (Output(f"Sentence {word} is clear."),)) for word in "abcdefghijkl")
    baseline = Run("exam", "old", items)
    rerun = replace(baseline, id="rerun", rerun_of=baseline.id)
    candidate = Run("exam", "new", (*items[:11], Item("new", (Output("Something else."),))))
    result = compare(baseline, candidate, reruns=[rerun], deterministic=True, meter=meter)
    assert result.losses("match").shape == (11,)
    assert (result.matching.lost, result.matching.new) == (("l",), ("new",))
    # It is measured as a candidate with all items: weights and floors are the whole baseline's.
    complete = compare(
        baseline, replace(candidate, items=items), reruns=[rerun], deterministic=True, meter=meter
    )
    assert result.signature.differences(complete.signature).keys() == {"common", "reruns"}
    np.testing.assert_array_equal(result.losses("match"), complete.losses("match")[:11])
    assert result.positions.tolist() == list(range(11))
    # A history knows the candidate with all its items.
    assert dict(result.signature.fields)["common"] == result.baseline.dataset_version
    assert result.outputs_digest == digest_items(candidate.items)


def test_reruns_belong_to_the_signature(meter):
    candidate = replace(BASELINE, id="candidate", model="new")
    texts = ("A start.", "Begin."), ("Start.", "Go.")
    first, second = (three(a, "Give the voltage.", c, rerun_of=BASELINE.id) for a, c in texts)
    names = {
        name: dict(compare(BASELINE, candidate, reruns=reruns, meter=meter).signature.fields).get("reruns")
        for name, reruns in {
            "none": [],
            "first": [first],
            "same": [replace(first, id="again")],
            "other": [second],
            "both": [first, second],
            "turned": [second, first],
        }.items()
    }
    assert names["none"] is None
    assert names["first"] == names["same"]
    assert names["both"] == names["turned"]
    assert (names["first"][:2], names["both"][:2]) == ("1#", "2#")
    assert len(set(names.values())) == 4
