"""Metrics that no gate can decide, as guards do not read the language of the outputs."""

from collections.abc import Sequence

import numpy as np

from semscale.drift.gate.decision import FEWEST_TO_PASS
from semscale.drift.measure.comparison import Comparison
from semscale.embedding.languages import ENGLISH, language_of
from semscale.history.items import Item
from semscale.types import Mask

_BY_GUARDS = ("contradictions", "changed_numbers")


def split_metrics(comparison: Comparison, names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split metrics into those that are tested and those that are left out of the decision.

    Guards read English alone. Their metrics are left out where fewer than 10 items have a value, the
    candidate loses nothing in these, and every other item has none because of the language that the baseline
    has itself. Nothing else is left out: a candidate that is silent, lacks a field or left the baseline's
    language loses something that the baseline has, and a similarity without a value means that the texts
    were not compared at all. At least one metric stays.

    Args:
        comparison: a candidate measured against the baseline.
        names: of the metrics that were chosen.

    Returns:
        Names of the tested metrics and of those left out, in their order.
    """
    foreign = _in_other_language(comparison) if set(names) & set(_BY_GUARDS) else None
    left_out = tuple(
        name for name in names if foreign is not None and _is_left_out(comparison, name, foreign)
    )
    tested = tuple(name for name in names if name not in left_out)
    return (tested, left_out) if tested else (tuple(names), ())


def left_out_cautions(comparison: Comparison, left_out: Sequence[str]) -> tuple[str, ...]:
    """Say which metrics are left out of the decision, and why."""
    n = len(comparison.baseline.items)
    return tuple(
        f"{comparison.metrics[name].label}: left out of the decision, as guards read English alone and "
        f"{_n_known(comparison, name) or 'none'} of {n} items {_have(comparison, name)} a value; judge it by "
        "people, or by a chat model (--judge-model)"
        for name in left_out
    )


def _is_left_out(comparison: Comparison, name: str, foreign: Mask) -> bool:
    """Tell whether only the outputs' language leaves a metric of guards without values."""
    if name not in _BY_GUARDS:
        return False
    losses = comparison.losses(name)
    known = ~np.isnan(losses)
    mute = np.array([not item.outputs_with_text for item in comparison.baseline.items], dtype=bool)
    explained = known | foreign | mute
    is_rare = bool(foreign[~known].any()) and known.sum() < FEWEST_TO_PASS
    return is_rare and bool(explained.all()) and not losses[known].any()


def _in_other_language(comparison: Comparison) -> Mask:
    """Tell for each item whether its outputs stay in the baseline's languages, none clearly English before.

    Returns:
        Shape (n,); false for an item that the candidate answers in a language that the baseline never has.
    """
    before = [_languages(item) for item in comparison.baseline.items]
    usual = frozenset[str]().union(*before)
    now = map(_languages, comparison.candidate.items)
    return np.array(
        [
            bool(ours | theirs) and ENGLISH not in ours and theirs <= usual
            for ours, theirs in zip(before, now, strict=True)
        ],
        dtype=bool,
    )


def _languages(item: Item) -> frozenset[str]:
    """Give the clear languages of an item's outputs."""
    found = (language_of(output.text or "") for output in item.outputs_with_text)
    return frozenset(one for one in found if one is not None)


def _n_known(comparison: Comparison, name: str) -> int:
    return int((~np.isnan(comparison.losses(name))).sum())


def _have(comparison: Comparison, name: str) -> str:
    return "has" if _n_known(comparison, name) == 1 else "have"
