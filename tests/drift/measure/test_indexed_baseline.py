"""A baseline's texts, fields and metrics, and the exchange of outputs between its items."""

import pytest
from made_up import run

from semscale.drift.measure.indexed_baseline import IndexedBaseline, exchanged
from semscale.history.items import Item, Output
from semscale.history.runs import Run


def run_of(*texts, **settings):
    items = tuple(Item(str(place), (Output(text),)) for place, text in enumerate(texts))
    return Run("answers", "model-a", items, **settings)


def test_the_baselines_texts_come_first_and_then_those_of_reruns():
    baseline = run_of("a", "b")
    candidate, rerun = run_of("c", "a"), run_of("a", "d", rerun_of=baseline.id)
    indexed = IndexedBaseline(baseline, [candidate, rerun], sort=False)
    assert indexed.texts == ["a", "b", "d", "c"]
    assert (indexed.own_texts, indexed.n_own, indexed.n_kept) == (["a", "b"], 2, 3)
    assert [texts.texts for texts in indexed.others[0]] == [(3,), (0,)]
    assert [texts.texts for texts in indexed.others[1]] == [(0,), (2,)]


def test_metrics_and_spans_of_numeric_fields():
    # Credits are 1 for each item, so with 0 their range is 1.
    indexed = IndexedBaseline(run(3), (), sort=False)
    assert indexed.fields == ("credits",)
    assert indexed.spans.tolist() == [1.0]
    assert indexed.metrics["credits_difference"].span == 1.0
    assert indexed.spans_name.startswith("1#")


def test_without_fields_there_is_nothing_to_name():
    indexed = IndexedBaseline(run_of("a"), (), sort=False)
    assert (indexed.fields, indexed.spans_name) == ((), None)


@pytest.mark.parametrize("seed", range(5))
def test_no_item_is_exchanged_with_itself(seed):
    indexed = IndexedBaseline(run_of("a", "b", None, "c", "d"), (), sort=False)
    items = exchanged(indexed, most=10, seed=seed)
    assert len(items.baseline) == 4  # the silent one takes no part
    (given,) = items.others
    assert sorted(texts.texts for texts in given) == sorted(texts.texts for texts in items.baseline)
    assert all(own.texts != other.texts for own, other in zip(items.baseline, given, strict=True))


def test_few_or_many_items_to_exchange():
    assert exchanged(IndexedBaseline(run_of("a", None), (), sort=False), most=10, seed=0) is None
    assert len(exchanged(IndexedBaseline(run_of(*"abcdef"), (), sort=False), most=3, seed=0).baseline) == 3
