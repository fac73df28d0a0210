"""Hard limits: changes that must never pass, even in few items; they are counted by item.

Each limit compares the candidate's outputs for an item with the baseline's. If a rerun of the baseline shows
the same change at that item, the item is excused. A limit is broken if more items break it than it allows; no
statistical test is involved.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from semscale.chat.declining import declines_to_answer
from semscale.drift.comparison import Comparison
from semscale.drift.runs import number_of
from semscale.drift.settings import ASKED_FIELDS, LIMITS, MISSING, GateSettings, Group
from semscale.embedding.texts import has_emoji, is_wordless
from semscale.guards.number_guard import CHANGED_KINDS, figure_findings, number_findings, read_numbers
from semscale.guards.quantities import read_quantities
from semscale.guards.text import is_english_script, read_text
from semscale.history.items import Item, Output
from semscale.history.stored_comparison import GateCheck, Outcome
from semscale.matching.pairs import guards_read
from semscale.results.languages import ENGLISH, language_of
from semscale.types import Mask

_ROUNDING = 1e-9
_NAMED = 5  # items that a sentence names
_NO_WORDS = frozenset({"null", "nan", "undefined"})  # placeholders that programs write for a missing text
_UNIT_LENGTH = 20  # characters of a sentence or clause that can be boilerplate
_REPEATS = 3  # items that share a unit from which on it is boilerplate
_PARTS = re.compile(r"(?<=[.!?;:,。!?])\s+|\n+")
_AS_AI = re.compile(r"\bas an? (?:ai|artificial|(?:large )?language)\b", re.IGNORECASE)


LIMIT_PHRASES: Mapping[str, tuple[str, str]] = {
    MISSING: ("items", "are missing"),
    "silenced": ("items", "lost all outputs"),
    "refused": ("items", "were refused by the model"),
    "lost_outputs": ("items", "lost more than half of their outputs"),
    "lost_fields": ("items with fields", "lost a field, such as credits, that all outputs had"),
    "cut_off": ("items", "end in the middle of a sentence"),
    "language": ("items", "switched to another language"),
    "boilerplate": ("items", "contain boilerplate that the baseline never had"),
    "changed_numbers": ("items with numbers", "state other numbers"),
}
"""Phrases for each limit: the items that can break it, and the change in items that break it."""

LIMIT_TITLES: Mapping[str, str] = {
    MISSING: "missing items",
    "silenced": "items that lost all outputs",
    "refused": "items that the model refused",
    "lost_outputs": "items that lost more than half of their outputs",
    "lost_fields": "items that lost a field, such as credits",
    "cut_off": "items that end in the middle of a sentence",
    "language": "items in another language",
    "boilerplate": "items with boilerplate that the baseline never had",
    "changed_numbers": "items with other numbers",
}
"""What each limit counts, for readers who also see how many are allowed."""


def limit_check(
    name: str,
    allowed: float,
    n: int,
    items: tuple[str, ...] = (),
    excused: tuple[str, ...] = (),
    group: Group | None = None,
    *,
    is_default: bool = False,
) -> GateCheck:
    """Check a hard limit, over all items or the items of a slice.

    The limit passes if the number of items that break it is within the allowance, or if no item can break it.
    If some items break it within the default allowance, it is undecided.

    Args:
        name: one of ``LIMITS``.
        allowed: number of items that may break it, or a share of items if below 1.
        n: number of items that can break it.
        items: ids of the items that break it.
        excused: ids of items that would break it, but for which a rerun of the baseline shows the same
            change.
        group: kind and name of the slice; ``None`` for all items.
        is_default: true if ``allowed`` is the default of ``LIMITS``.

    Examples:
        >>> limit_check("silenced", 0, 30, ("cells-10", "history-06")).sentence
        '2 of 30 items lost all outputs (limit 0): cells-10, history-06'
    """
    outcome = Outcome.PASS
    if len(items) > most_allowed(allowed, n):
        outcome = Outcome.FAIL
    elif is_default and items:
        outcome = Outcome.UNDECIDED
    about, phrase = LIMIT_PHRASES[name]
    where = "" if group is None else f" of {' '.join(group)}"
    shown = f"{100 * allowed:g} %" if 0 < allowed < 1 else f"{allowed:g}"
    sentence = f"{len(items)} of {n} {about}{where} {phrase} (limit {shown})"
    if items:
        more = f" and {len(items) - _NAMED} more" if len(items) > _NAMED else ""
        sentence = f"{sentence}: {', '.join(items[:_NAMED])}{more}"
    return GateCheck(
        "limit",
        name,
        outcome,
        sentence,
        group=group,
        value=float(len(items)),
        allowed=allowed,
        items=items,
        excused=excused,
        n=n,
    )


def most_allowed(allowed: float, n: int) -> float:
    """Return the number of n items that may break a limit; an allowance below 1 is a share of n.

    Examples:
        >>> most_allowed(0, 24), round(most_allowed(0.25, 24), 6), most_allowed(2, 24)
        (0, 6.0, 2)
    """
    return allowed * n + _ROUNDING if 0 < allowed < 1 else allowed


@dataclass(frozen=True)
class BrokenItems:
    """Masks of the items that break a limit, each of shape (n,).

    Attributes:
        counted: true if the item can break the limit.
        broken: true if the item breaks it.
        excused: true if the item would break it, but a rerun of the baseline shows the same change.
    """

    counted: Mask
    broken: Mask
    excused: Mask


def check_limits(
    comparison: Comparison, settings: GateSettings, broken: Mapping[str, BrokenItems]
) -> tuple[GateCheck, ...]:
    """Check the active limits over all items and in slices.

    A limit of a slice replaces the overall limit for its items; the overall limit then counts only other
    items.

    Args:
        comparison: the runs.
        settings: settings of the gate.
        broken: masks of the items that break each limit, from ``broken_items``.
    """
    checks = []
    in_force = {**LIMITS, **settings.limits}
    if not isinstance(in_force[MISSING], str):
        lost = comparison.matching.lost
        n = len(comparison.baseline.items) + comparison.matching.n_left_out
        checks.append(limit_check(MISSING, float(in_force[MISSING]), n, lost))
    ids = np.array([item.id for item in comparison.baseline.items], dtype=object)
    for name, items in broken.items():
        for allowed, inside, group in _allowances(comparison, settings, name):
            if isinstance(allowed, str):  # off
                continue
            n = int((items.counted & inside).sum())
            broken_ids, excused = (
                tuple(ids[mask & inside].tolist()) for mask in (items.broken, items.excused)
            )
            is_default = group is None and name not in settings.limits
            checks.append(
                limit_check(name, float(allowed), n, broken_ids, excused, group, is_default=is_default)
            )
    return tuple(checks)


def _allowances(
    comparison: Comparison, settings: GateSettings, name: str
) -> Iterator[tuple[float | str, Mask, Group | None]]:
    """Yield allowance and items of a limit: each group with a separate limit, then all other items."""
    rest = np.ones(len(comparison.baseline.items), dtype=bool)
    for group, own in settings.groups:
        if name in own.limits:
            inside = comparison.members(group[0])[group[1]]
            rest &= ~inside
            yield own.limits[name], inside, group
    yield settings.limits.get(name, LIMITS[name]), rest, None


def broken_items(comparison: Comparison) -> dict[str, BrokenItems]:
    """Return the items that break each limit except ``missing``, by the limit's name."""
    baseline = comparison.baseline.items
    candidate, *reruns = (
        [_without_wordless(before, after) for before, after in zip(baseline, run.items, strict=True)]
        for run in (comparison.candidate, *comparison.reruns)
    )
    references = [baseline, *reruns]
    found = {
        name: _by_item(baseline, candidate, reruns, breaks)
        for name, breaks in (
            ("silenced", _is_silenced),
            ("refused", _is_refused),
            ("lost_outputs", _loses_outputs),
            ("lost_fields", _loses_fields),
            ("cut_off", _is_cut_off),
        )
    }
    found["language"] = _in_other_language(references, candidate)
    found["boilerplate"] = _with_boilerplate(references, candidate)
    found["changed_numbers"] = _find_number_changes(comparison, references, candidate)
    return found


def _by_item(
    baseline: Sequence[Item],
    candidate: Sequence[Item],
    reruns: Sequence[Sequence[Item]],
    breaks: Callable[[Item, Item], bool | None],
) -> BrokenItems:
    """Compare runs by item; ``breaks`` returns ``None`` for an item that cannot break the limit."""
    now = [breaks(before, after) for before, after in zip(baseline, candidate, strict=True)]
    by_rerun = _mask(
        any(breaks(before, rerun[item]) for rerun in reruns) for item, before in enumerate(baseline)
    )
    return BrokenItems(_mask(one is not None for one in now), _mask(now) & ~by_rerun, _mask(now) & by_rerun)


def _mask(values: Iterable[object]) -> Mask:
    return np.array([bool(value) for value in values], dtype=bool)


def _is_silenced(before: Item, after: Item) -> bool | None:
    return not after.outputs_with_text if before.outputs_with_text else None


def _is_refused(before: Item, after: Item) -> bool | None:
    """Return true if the candidate declines in all outputs and the baseline does not."""
    if not before.outputs_with_text or all(map(_declines, before.outputs_with_text)):
        return None
    return bool(after.outputs_with_text) and all(map(_declines, after.outputs_with_text))


def _declines(output: Output) -> bool:
    return declines_to_answer(output.text or "")


def _loses_outputs(before: Item, after: Item) -> bool | None:
    """Return true if under half of several outputs are left; ``None`` without outputs (see ``silenced``)."""
    n, left = len(before.outputs_with_text), len(after.outputs_with_text)
    return left < n / 2 if n > 1 and left else None


def _loses_fields(before: Item, after: Item) -> bool | None:
    fields = fields_of(before)
    if not fields or not after.outputs_with_text:
        return None
    left = {
        name
        for output in after.outputs_with_text
        for name in output.fields
        if not math.isnan(number_of(output, name))
    }
    return bool(fields - left)


def fields_of(item: Item) -> frozenset[str]:
    """Return the fields that all outputs with a text have, without costs of calls.

    Examples:
        >>> from semscale.history.items import Output
        >>> sorted(fields_of(Item("1", (Output("Good.", {"credits": 1.0, "cost": math.nan}),))))
        ['credits']
    """
    numbers = [
        {name for name in output.fields if not math.isnan(number_of(output, name))}
        for output in item.outputs_with_text
    ]
    return frozenset(set.intersection(*numbers)) - {*ASKED_FIELDS} if numbers else frozenset()


def _is_cut_off(before: Item, after: Item) -> bool | None:
    """Return true if an output lacks a mark at the end and all outputs of the baseline have one."""
    if not before.outputs_with_text or not all(map(_has_end, before.outputs_with_text)):
        return None
    return not all(map(_has_end, after.outputs_with_text))


def _has_end(output: Output) -> bool:
    """Return true if a text ends with a mark or symbol, rather than a letter, digit or comma."""
    text = (output.text or "").rstrip()
    return not (text[-1:].isalnum() or text.endswith((",", "-", "、", "，")))


def _in_other_language(references: Sequence[Sequence[Item]], candidate: Sequence[Item]) -> BrokenItems:
    """Find items with an output in a language that none of the baseline's and reruns' outputs has."""
    known = [
        {_language(output) for run in references for output in run[index].outputs_with_text} - {None}
        for index in range(len(candidate))
    ]
    used = [{_language(output) for output in item.outputs_with_text} - {None} for item in candidate]
    counted = _mask(known)
    broken = counted & _mask(now - before for now, before in zip(used, known, strict=True))
    return BrokenItems(counted, broken, np.zeros_like(counted))


def _language(output: Output) -> str | None:
    return language_of(output.text or "")


def _with_boilerplate(references: Sequence[Sequence[Item]], candidate: Sequence[Item]) -> BrokenItems:
    """Find items with a sentence or clause that only the candidate has, in several items.

    Boilerplate is shared by at least three items, or describes the writer as an AI.
    """
    before = {part for run in references for item in run for part in _parts_of(item)}
    new = [_parts_of(item) - before for item in candidate]
    repeated = {part for part, n in Counter(part for parts in new for part in parts).items() if n >= _REPEATS}
    names_ai = any(
        _AS_AI.search(output.text or "") for run in references for item in run for output in item.outputs
    )
    broken = _mask(parts & repeated or (not names_ai and any(map(_AS_AI.search, parts))) for parts in new)
    counted = _mask(item.outputs_with_text for item in candidate)
    return BrokenItems(counted, broken, np.zeros_like(counted))


def _parts_of(item: Item) -> frozenset[str]:
    return frozenset().union(*(_parts(output.text or "") for output in item.outputs_with_text))


@lru_cache(maxsize=2**16)
def _parts(text: str) -> frozenset[str]:
    """Split a text into sentences and clauses of at least 20 characters, in lower case."""
    parts = (part.strip(" .,;:!?").casefold() for part in _PARTS.split(text))
    return frozenset(part for part in parts if len(part) >= _UNIT_LENGTH)


def _find_number_changes(
    comparison: Comparison, references: Sequence[Sequence[Item]], candidate: Sequence[Item]
) -> BrokenItems:
    """Find items in which the candidate replaces a number of baseline and reruns by another number.

    The number differs from that of an aligned output of at least one of these runs, and equals no number of
    any of them in the item, as a rerun can lack the sentence with the number. An item is excused if one of
    these runs replaces a number of the others in the same way.
    """
    losses = np.nan_to_num(comparison.pair_losses["changed_numbers"], nan=0.0)
    runs = [[_text_of(item) for item in run] for run in (candidate, *references)]

    def changes(item: int, run: int, others: Sequence[int]) -> bool:
        rest = "\n".join(runs[other][item] for other in others)
        return bool((losses[item, others, run] > 0).any()) and _states_other_number(runs[run][item], rest)

    items, known = range(len(candidate)), range(1, len(runs))
    compared = _mask(now and before for now, before in zip(runs[0], runs[1], strict=True))
    changed = compared & _mask(changes(item, 0, known) for item in items)
    by_chance = _mask(
        any(changes(item, run, [other for other in known if other != run]) for run in known) for item in items
    )
    with_numbers = _mask(_states_number(runs[0][item]) or _states_number(runs[1][item]) for item in items)
    return BrokenItems(compared & with_numbers | changed, changed & ~by_chance, changed & by_chance)


def _text_of(item: Item) -> str:
    return "\n".join(output.text or "" for output in item.outputs_with_text)


def _states_other_number(text: str, others: str) -> bool:
    """Return true if a text replaces a number of other texts by a number that none of them has."""
    if guards_read(text, others) and all(map(is_english_script, (text, others))):
        findings = number_findings(read_text(text), read_text(others))
    else:
        findings = figure_findings(text, others, languages=(language_of(text), language_of(others)))
    return any(finding.kind in CHANGED_KINDS for finding in findings)


@lru_cache(maxsize=2**16)
def _states_number(text: str) -> bool:
    """Return true if a text contains a number, in digits or in words of a known language."""
    language = language_of(text)
    if language in {None, ENGLISH} and is_english_script(text):
        return any(not quantity.weak for quantity in read_quantities(read_text(text)))
    return bool(read_numbers(text, language).figures)


def _without_wordless(before: Item, after: Item) -> Item:
    """Treat outputs without words as missing if the baseline has words."""
    if not any(map(_has_words, before.outputs)) or all(map(_has_words, after.outputs)):
        return after
    return replace(after, outputs=tuple(output for output in after.outputs if _has_words(output)))


def _has_words(output: Output) -> bool:
    """Return true if a text has a letter, digit or emoji, and is not a placeholder such as "null"."""
    text = output.text or ""
    return text.strip().casefold() not in _NO_WORDS and (not is_wordless(text) or has_emoji(text))
