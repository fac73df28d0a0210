"""Scores that are kept: only new pairs are scored, and the numbers do not change."""

import pytest

from semscale.drift.measure.compare_runs import compare
from semscale.drift.measure.meter import DriftMeter
from semscale.drift.metrics import PairScores
from semscale.drift.scoring import PairScoring, ScoreCache, StoredScoring
from semscale.history.items import Item, Output
from semscale.history.runs import Run

TEXTS = ["old", "again", "new"]  # the first two are the baseline's and its rerun's


class CountedScoring:
    """Scores a pair by its numbers, and notes which it was asked for."""

    def __init__(self):
        self.asked = []

    def score(self, pairs, cosines, readings):
        self.asked.append(list(pairs))
        return [
            PairScores({"match": ours + theirs / 10, "cosine": c})
            for (ours, theirs), c in zip(pairs, cosines, strict=True)
        ]


@pytest.fixture
def cache(tmp_path):
    cache = ScoreCache(tmp_path)
    yield cache
    cache.close()


def test_pairs_of_baseline_and_reruns_are_scored_once_and_in_order(cache):
    pairs, cosines = [(0, 2), (0, 1), (1, 2)], [0.5, 0.75, 0.25]
    for asked in ([pairs], [[(0, 2), (1, 2)]]):
        scoring = CountedScoring()
        stored = StoredScoring(scoring, cache, TEXTS, keep=2, signature="a meter")
        found = stored.score(pairs, cosines, {})
        stored.flush()
        assert scoring.asked == asked
        assert [one.scores["match"] for one in found] == [0.2, 0.1, 1.2]
        assert [one.scores["cosine"] for one in found] == cosines


def test_another_signature_or_side_is_another_pair(cache):
    StoredScoring(CountedScoring(), cache, TEXTS, keep=2, signature="a meter").score([(0, 1)], [1.0], {})
    for signature, pair in (("another", (0, 1)), ("a meter", (1, 0))):
        scoring = CountedScoring()
        StoredScoring(scoring, cache, TEXTS, keep=2, signature=signature).score([pair], [1.0], {})
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
        found = compare(baseline, night, reruns=[rerun], meter=meter)
        assert sum(scored) == expected
        for name in plain.metrics:
            assert found.drifts_by_role(name).tolist() == plain.drifts_by_role(name).tolist()
        assert found.reruns[0].pairs == plain.reruns[0].pairs
