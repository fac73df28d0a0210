"""The error for an unknown setting names it and the nearest known setting."""

import pytest

import semscale
from semscale.answer_consistency.consistency import Consistency
from semscale.drift.comparison import DriftMeter
from semscale.drift.settings import GateSettings
from semscale.errors import InputError
from semscale.judging.judge import Judge, Panel, judge
from semscale.matching.bertscore import BertScorer
from semscale.matching.matcher import Matcher
from semscale.snapshots.compare_outputs import SnapshotMeter
from semscale.study.people_comparison import compare


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: semscale.Rater("quality", temperature=True), "temperature must be a number, got True"),
        (lambda: GateSettings(alpha=False), "alpha must be a number, got False"),
    ],
)
def test_a_boolean_is_refused_as_a_number(call, message):
    with pytest.raises(InputError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "owner", "wrong", "near"),
    [
        (semscale.Rater, "Rater", "scal", "scale"),
        (lambda **wrong: semscale.rate(["a"], **wrong), "rate", "temprature", "temperature"),
        (lambda **wrong: Matcher("cosine", **wrong), "Matcher", "corps", "corpus"),
        (lambda **wrong: semscale.match(["a"], ["a"], **wrong), "match", "sed", "seed"),
        (BertScorer, "BertScorer", "layers", "layer"),
        (lambda **wrong: semscale.bertscore(["a"], ["a"], **wrong), "bertscore", "rscale", "rescale"),
        (Consistency, "Consistency", "mesures", "measures"),
        (lambda **wrong: semscale.consistency(["a"], [["a"]], **wrong), "consistency", "flor", "floor"),
        (lambda **wrong: Judge("m", **wrong), "Judge", "rubrik", "rubric"),
        (lambda **wrong: judge([], [], chat_model="m", **wrong), "judge", "sampels", "samples"),
        (Panel, "Panel", "judge", "judges"),
        (lambda **wrong: semscale.code([], "codes.yaml", **wrong), "code", "given_fron", "given_from"),
        (lambda **wrong: semscale.crosstabs("t.csv", **wrong), "crosstabs", "bannrs", "banners"),
        (lambda **wrong: compare("a", "b", **wrong), "compare", "spilts", "splits"),
        (DriftMeter, "DriftMeter", "paring", "pairing"),
        (SnapshotMeter, "SnapshotMeter", "embeder", "embedder"),
    ],
)
def test_the_nearest_setting_is_named(call, owner, wrong, near):
    with pytest.raises(TypeError) as caught:
        call(**{wrong: 1})
    assert str(caught.value).startswith(f"{owner} has no setting {wrong!r}: did you mean {near!r}?")


def test_an_unknown_setting_without_a_near_name_lists_all_names():
    with pytest.raises(TypeError) as caught:
        BertScorer(bogus=1)
    known = "embedder, layer, idf, rescale, precision"
    assert str(caught.value) == f"BertScorer has no setting 'bogus' (known: {known})"
