"""Distinct texts are counted whatever the parts."""

from semscale.rating import distinct_texts
from semscale.rating.distinct_texts import DistinctCount


def test_distinct_texts_are_counted_over_parts():
    distinct = DistinctCount()
    for part in range(10):
        distinct.add([f"text {n}" for n in range(part, part + 100)])
    assert distinct.count == 109  # texts 0 to 108


def test_too_many_distinct_texts_are_not_counted(monkeypatch):
    monkeypatch.setattr(distinct_texts, "MAX_DISTINCT", 10)
    distinct = DistinctCount()
    distinct.add([str(n) for n in range(10)])
    assert distinct.count == 10
    distinct.add(["one more"])
    assert distinct.count is None
    distinct.add(["a"])
    assert distinct.count is None


def test_halves_of_surrogate_pairs_are_counted_as_what_the_model_reads():
    distinct = DistinctCount()
    distinct.add(["good\ud83d", "good\ufffd", "good"])
    assert distinct.count == 2
