"""Scores of pairs: readings of texts, stored scores, and the hash of the files behind them."""

import sqlite3

import numpy as np
import pytest

from semscale.drift.comparison import DriftMeter, compare
from semscale.drift.metrics import PairScores
from semscale.drift.scoring import (
    SCORES_FILE,
    PairScoring,
    ScoreCache,
    StoredScoring,
    TextReadings,
    files_hash,
)
from semscale.embedding.cache import StateCache, round_states
from semscale.embedding.cross_encoder import pair_keys
from semscale.embedding.loading import load_token_encoder
from semscale.guards.findings import Finding, Span
from semscale.history.items import Item, Output
from semscale.history.runs import Run

FINDING = Finding("number", "other-value", "5 mg beside 50 mg", Span(3, 7, "5 mg"), None)
SCORES = PairScores({"match": 0.1 + 0.2, "cosine": float("nan")}, (FINDING,), unread=True, guarded=False)
KEYS = pair_keys("a meter", ["a", "b"], ["c", "d"])


@pytest.fixture
def cache(tmp_path):
    cache = ScoreCache(tmp_path)
    yield cache
    cache.close()


def test_stored_scores_are_read_back_exactly(cache):
    cache.put_many(KEYS[:1], [SCORES])
    result = cache.get_many(KEYS)
    assert list(result) == [0]
    assert result[0].scores["match"] == 0.30000000000000004
    assert result[0].scores["cosine"] != result[0].scores["cosine"]
    assert (result[0].findings, result[0].unread, result[0].guarded) == ((FINDING,), True, False)


def test_a_damaged_entry_counts_as_missing(cache, tmp_path):
    cache.put_many(KEYS, [SCORES, SCORES])
    cache.close()
    with sqlite3.connect(tmp_path / SCORES_FILE) as file:
        file.execute("UPDATE vectors SET body = replace(body, '0.3', '0.4') WHERE slot = 1")
    file.close()
    assert list(cache.get_many(KEYS)) == [1]


THREE_TEXTS = ["old", "again", "new"]  # the first two are the baseline's and its rerun's


class CountedScoring:
    """Scores a pair by its numbers, and notes which it was asked for."""

    def __init__(self):
        self.asked = []

    def score(self, pairs, cosines, readings):
        self.asked.append(list(pairs))
        return [
            PairScores({"match": first + second / 10, "cosine": c})
            for (first, second), c in zip(pairs, cosines, strict=True)
        ]


def test_pairs_of_baseline_and_reruns_are_scored_once_and_in_order(cache):
    pairs, cosines = [(0, 2), (0, 1), (1, 2)], [0.5, 0.75, 0.25]
    for asked in ([pairs], [[(0, 2), (1, 2)]]):
        scoring = CountedScoring()
        stored = StoredScoring(scoring, cache, THREE_TEXTS, keep=2, signature="a meter")
        result = stored.score(pairs, cosines, {})
        stored.flush()
        assert scoring.asked == asked
        assert [pair.scores["match"] for pair in result] == [0.2, 0.1, 1.2]
        assert [pair.scores["cosine"] for pair in result] == cosines


def test_pairs_of_a_different_signature_or_order_are_scored_anew(cache):
    StoredScoring(CountedScoring(), cache, THREE_TEXTS, keep=2, signature="a meter").score(
        [(0, 1)], [1.0], {}
    )
    for signature, pair in (("another", (0, 1)), ("a meter", (1, 0))):
        scoring = CountedScoring()
        StoredScoring(scoring, cache, THREE_TEXTS, keep=2, signature=signature).score([pair], [1.0], {})
        assert scoring.asked == [[pair]]


def run(model, *texts, rerun_of=None):
    items = tuple(Item(str(at), (Output(text),)) for at, text in enumerate(texts))
    return Run("doses", model, items, rerun_of=rerun_of)


def test_a_comparison_is_the_same_whether_pairs_were_stored_or_not(tmp_path, monkeypatch):
    baseline = run("old", "Take 5 mg at night.", "The bulb is lit.", "Good work.")
    rerun = run("old", "Take 5 mg every night.", "The bulb is on.", "Well done.", rerun_of=baseline.id)
    night = run("new", "Take 50 mg at night.", "The bulb is not lit.", "Good work.")
    scored = []
    score = PairScoring.score
    monkeypatch.setattr(
        PairScoring,
        "score",
        lambda self, pairs, *rest: scored.append(len(pairs)) or score(self, pairs, *rest),
    )
    plain = compare(baseline, night, reruns=[rerun], meter=DriftMeter(cache=False))
    n_plain, meter = sum(scored), DriftMeter(cache=tmp_path)
    assert n_plain == 8  # three pairs of runs with three items, of which one is equal
    for expected in (8, 4):  # stored: three pairs of baseline and rerun, and "Well done." beside "Good work."
        scored.clear()
        result = compare(baseline, night, reruns=[rerun], meter=meter)
        assert sum(scored) == expected
        for name in plain.metrics:
            assert np.array_equal(result.drifts_by_run(name), plain.drifts_by_run(name), equal_nan=True)
        assert result.pairs == plain.pairs


TEXTS = [
    *("No.", "It is safe.", "Nobody knows why, and nobody asks.", "Give 5 mg once a day, not twice."),
    *("The left lung is clear.", "word " * 700, "", "It is not safe.", "Cells stay small.", "Yes, at once."),
]
GROUPS = [np.array(group, np.int64) for group in ([0, 5], [], [7, 2, 1], [3], [8, 9, 4], [6, 0])]


@pytest.mark.exhaustive
@pytest.mark.parametrize("precision", ["exact", "fast"])
@pytest.mark.parametrize("layers", [[6], [2, 6]])
def test_groups_layers_and_the_disk_change_no_state(layers, precision, tmp_path):
    encoder = load_token_encoder("all-MiniLM-L6-v2", precision=precision)
    expected = {
        layer: [
            round_states(token_states.states) for token_states in encoder.token_states(TEXTS, layer=layer)
        ]
        for layer in layers
    }
    cache = StateCache(tmp_path)
    for state_cache in (None, cache, cache):  # without, filling, reading
        readings = TextReadings(encoder, layers, TEXTS, cache=state_cache, keep=len(TEXTS))
        readings.hold(np.array([1, 4]))
        result = list(readings.read(GROUPS))
        assert sorted(text for text, _ in result) == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
        for text, states in result:
            for layer, states_of_layer in zip(layers, states, strict=True):
                np.testing.assert_array_equal(states_of_layer, expected[layer][text])
    cache.close()


@pytest.fixture
def rules(tmp_path):
    folder = tmp_path / "guards"
    folder.mkdir()
    (folder / "negation.py").write_text("not")
    (folder / "words.yaml").write_text("never")
    return folder


def test_an_edit_or_a_name_changes_the_hash(rules):
    before = files_hash([rules])
    assert files_hash([rules]) == before
    (rules / "negation.pyc").write_text("compiled")
    assert files_hash([rules]) == before
    (rules / "words.yaml").write_text("seldom")
    edited = files_hash([rules])
    (rules / "words.yaml").rename(rules / "adverbs.yaml")
    assert len({before, edited, files_hash([rules])}) == 3


def test_content_does_not_run_over_into_the_next_file(rules):
    before = files_hash([rules])
    (rules / "negation.py").write_text("notwords.yaml:5:never")
    (rules / "words.yaml").unlink()
    assert files_hash([rules]) != before
