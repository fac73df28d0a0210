"""The report on a self-test: whether a gate notices damage and leaves harmless changes alone."""

import math

from semscale.drift.self_testing.results import SelfTest, SelfTestRow
from semscale.report.figures import Table
from semscale.report.page import render
from semscale.report.self_test_figures import (
    alpha_of,
    change_label,
    change_meaning,
    detections_figure,
    false_alarms_figure,
)
from semscale.report.wording import MISSING, count, counted, listed, one_line, percent, percent_bracket

_TARGET = 0.95


def self_test_page(result: SelfTest) -> str:
    """Write the report on a self-test.

    The document needs no network and runs no script.

    Args:
        result: how often the gate failed, for each kind of change and share of items.

    Returns:
        A whole HTML document.
    """
    return render(
        "self_test.html.j2",
        title="Would this gate notice?",
        figures=_headline(result),
        reading=_reading(result),
        facts=_facts(result),
        detections=detections_figure(result),
        false_alarms=false_alarms_figure(result),
        alpha=percent(alpha_of(result), 0),
        changes=_changes(result),
        not_drawn=_not_drawn(result),
        settings=[(name, one_line(value)) for name, value in result.signature.fields],
        signature=str(result.signature),
        version=result.signature.version,
    )


def _headline(result: SelfTest) -> list[tuple[str, str, str]]:
    """Give the two figures that matter: the least detection of full damage, and the most false alarms."""
    shown = []
    full = _at_full_damage(result)
    if full:
        least = min(full, key=lambda row: row.failed.value)
        named = (
            "every kind of damage"
            if _are_equal(full)
            else f"the least detected damage, {one_line(least.kind)}"
        )
        shown.append(_figure(least, f"of draws detected: {named}, to all items"))
    alarms = _drawn(result.false_alarms)
    if alarms:
        most = max(alarms, key=lambda row: row.failed.value)
        named = (
            "every harmless change" if _are_equal(alarms) else f"the most of any change, {change_label(most)}"
        )
        shown.append(_figure(most, f"of draws with a false alarm: {named}"))
    return shown


def _are_equal(rows: list[SelfTestRow]) -> bool:
    return len({row.failed.value for row in rows}) == 1 < len(rows)


def _figure(row: SelfTestRow, unit: str) -> tuple[str, str, str]:
    return percent(row.failed.value), percent_bracket(row.failed), unit


def _reading(result: SelfTest) -> list[str]:
    said = []
    full = _at_full_damage(result)
    if full:
        strong = [row for row in full if row.failed.value >= _TARGET]
        said.append(
            f"Where all items are damaged, {count(len(strong))} of {counted(len(full), 'kind')} of damage "
            f"are detected in at least {percent(_TARGET, 0)} of draws."
        )
        weak = [one_line(row.kind) for row in full if row.failed.value < _TARGET]
        said += [f"Detected less often: {listed(weak)}."] if weak else []
    alarms, alpha = _drawn(result.false_alarms), alpha_of(result)
    beyond = [change_label(row) for row in alarms if row.failed.low > alpha]
    above = [change_label(row) for row in alarms if row.failed.value > alpha >= row.failed.low]
    if alarms and not beyond and not above:
        said.append(f"No harmless change raises more than {percent(alpha, 0)} false alarms.")
    said += (
        [f"More than {percent(alpha, 0)} false alarms, beyond chance: {listed(beyond)}."] if beyond else []
    )
    said += [f"Above {percent(alpha, 0)}, within chance of the draws: {listed(above)}."] if above else []
    if not result.n_reruns:
        said.append("Without a rerun of the baseline, false alarms say nothing about the model's own noise.")
    return said or ["Nothing was drawn."]


def _facts(result: SelfTest) -> list[tuple[str, str]]:
    rows = result.rows
    return [
        ("Items a draw", _range([row.items for row in rows])),
        ("Draws of each change", _range([row.n_draws for row in rows if row.n_draws])),
        ("Kinds of damage", count(len({row.kind for row in result.detections}))),
        ("Harmless changes", count(len({row.kind for row in result.false_alarms}))),
        ("Reruns", count(result.n_reruns) if result.n_reruns else "none"),
    ]


def _changes(result: SelfTest) -> Table:
    """Say what each change does, and which metric found it first."""
    rows = []
    for kind in dict.fromkeys(row.kind for row in result.rows):
        of_kind = [row for row in result.rows if row.kind == kind]
        rows.append(
            (
                one_line(kind),
                count(max(row.n_eligible for row in of_kind)),
                "should fail" if of_kind[0].is_harmful else "should not fail",
                change_meaning(kind),
            )
        )
    return Table(("Change", "Items it can be made to", "The gate", "What it does"), tuple(rows))


def _not_drawn(result: SelfTest) -> str:
    """Name the changes that no item could undergo."""
    return listed(list(dict.fromkeys(one_line(row.kind) for row in result.rows if not row.n_draws)))


def _at_full_damage(result: SelfTest) -> list[SelfTestRow]:
    drawn = _drawn(result.detections)
    greatest = max((row.share for row in drawn), default=0.0)
    return [row for row in drawn if row.share == greatest == 1.0]


def _drawn(rows: tuple[SelfTestRow, ...]) -> list[SelfTestRow]:
    return [row for row in rows if not math.isnan(row.failed.value)]


def _range(values: list[int]) -> str:
    if not values:
        return MISSING
    low, high = min(values), max(values)
    return count(low) if low == high else f"{count(low)} to {count(high)}"
