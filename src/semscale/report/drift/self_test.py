"""The document of a self-test: whether a gate notices damage and leaves harmless changes alone."""

import math
from collections.abc import Iterator, Sequence

from semscale.damage.damages import DAMAGES
from semscale.drift.self_testing.results import SelfTest, SelfTestRow
from semscale.report.charts.forest import TOLERATED, ForestRow, forest
from semscale.report.charts.matrix import MatrixCell, matrix
from semscale.report.charts.palette import MUTED, sequential
from semscale.report.document.blocks import Block, DataTable, Figure, Paragraph, Swatch
from semscale.report.document.document import Document, Rates, Section
from semscale.report.document.values import Cell, Count, Quoted, Share, WithInterval, Words
from semscale.report.drift.tables import metric_cell
from semscale.report.formatting import (
    MISSING,
    count,
    counted,
    coverage,
    listed,
    percent,
    percent_with_interval,
)
from semscale.report.settings import signature_fields

_TARGET = 0.95
_OWN = {
    "identity": "Nothing was changed.",
    "rerun": "The baseline's model was asked once more, unchanged.",
}
_MUST_NOT = "False alarms: what must not fail"
_HOW = (
    "Each change was made to every item that it can be made to, and measured once. Then items were drawn "
    "again and again; a share of them brought the losses of their changed version, and the gate decided. The "
    "intervals say how far the number of draws leaves a rate open, not how other datasets would do."
)

_FEW_RUNS = {
    0: (
        "Without a rerun of the baseline, false alarms say nothing about the model's own noise. The gate "
        "then fails only for lost outputs, and damage to texts stays undecided.",
    ),
    1: (
        "One rerun cannot be candidate and reference at once: false alarms of an unchanged model are not "
        "known, and other rates lack its noise. Record a second rerun.",
    ),
}
"""What is not known from so few reruns."""


def self_test_document(result: SelfTest) -> Document:
    """Turn a self-test into a document."""
    rows = result.rows
    items, draws = max((row.items for row in rows), default=0), max((row.n_draws for row in rows), default=0)
    reruns = counted(result.n_reruns, "rerun") if result.n_reruns else "no rerun"
    intervals = f"{coverage(result.interval)}, Wilson's score interval over draws"
    return Document(
        kind="self-test of a drift gate",
        name="Self-test of the drift gate",
        title="Would this gate notice?",
        source=(),
        signature=result.signature,
        lead=Rates(tuple(_headline(result)), result.interval, digits=1) if rows else None,
        counting=(
            f"{counted(items, 'item')} a gate, {counted(draws, 'gate')} for each line, "
            f"{reruns} of the baseline",
        ),
        reading=tuple(_reading(result)) or ("Nothing was drawn.",),
        facts=(
            ("Items a draw", _range([row.items for row in rows])),
            ("Draws of each change", _range([row.n_draws for row in rows if row.n_draws])),
            ("Kinds of damage", Count(len({row.kind for row in result.detections}))),
            ("Harmless changes", Count(len({row.kind for row in result.false_alarms}))),
            ("Reruns", Count(result.n_reruns)),
        ),
        cautions=_FEW_RUNS.get(result.n_reruns, ()),
        sections=tuple(_sections(result)),
        notes=(f"intervals: {intervals}",) if rows else (),
        settings=(("Intervals", intervals), *signature_fields(result.signature)),
    )


def change_label(row: SelfTestRow) -> str:
    """Name a change with the share of items that it was made to."""
    return row.kind if row.kind in _OWN else f"{row.kind}, {percent(row.share, 0)} of items"


def _headline(result: SelfTest) -> Iterator[tuple[WithInterval, str]]:
    """Give the two figures that matter: the least detection of full damage, and the most false alarms."""
    full, alarms = _at_full_damage(result), _drawn(result.false_alarms)
    if full:
        least = min(full, key=lambda row: row.failed.value)
        all_alike = "every kind of damage"
        named = all_alike if _are_equal(full) else f"the least detected damage, {least.kind}"
        yield WithInterval.of(least.failed, 1, is_share=True), f"of draws detected: {named}, to all items"
    if alarms:
        most = max(alarms, key=lambda row: row.failed.value)
        all_alike = "every harmless change"
        named = all_alike if _are_equal(alarms) else f"the most of any change, {change_label(most)}"
        yield WithInterval.of(most.failed, 1, is_share=True), f"of draws with a false alarm: {named}"


def _reading(result: SelfTest) -> Iterator[str]:
    full, alarms, allowed = _at_full_damage(result), _drawn(result.false_alarms), percent(result.alpha, 0)
    if full:
        weak = [row.kind for row in full if row.failed.value < _TARGET]
        yield (
            f"Where all items are damaged, {count(len(full) - len(weak))} of {counted(len(full), 'kind')} of "
            f"damage are detected in at least {percent(_TARGET, 0)} of draws."
        )
        if weak:
            yield f"Detected less often: {listed(weak)}."
    beyond = [change_label(row) for row in alarms if row.failed.low > result.alpha]
    above = [change_label(row) for row in alarms if row.failed.value > result.alpha >= row.failed.low]
    if alarms and not beyond and not above:
        yield f"No harmless change raises more than {allowed} false alarms."
    if beyond:
        yield f"More than {allowed} false alarms, beyond chance: {listed(beyond)}."
    if above:
        yield f"Above {allowed}, within chance of the draws: {listed(above)}."


def _sections(result: SelfTest) -> Iterator[Section]:
    alarms, detections = result.false_alarms, result.detections
    if detections:
        yield Section("detections", "What it detects", (_detections_figure(result),))
    if alarms:
        drawn = _false_alarms_figure(result) if _drawn(alarms) else _rate_table(alarms, _MUST_NOT)
        yield Section("alarms", "False alarms", (drawn,))
    not_drawn = listed(list(dict.fromkeys(row.kind for row in result.rows if not row.n_draws)))
    unknown: list[Block] = [
        Paragraph(f"No item can be changed in these ways, so nothing is known of them: {not_drawn}.", "note")
    ]
    changes = [Paragraph(_HOW, "note"), _changes_table(result), *(unknown if not_drawn else [])]
    yield Section("changes", "What was done to the outputs", tuple(changes))


def _detections_figure(result: SelfTest) -> Figure:
    """Draw how often each damage was detected, by the share of items damaged."""
    rows = result.detections
    kinds = list(dict.fromkeys(row.kind for row in rows))
    shares = sorted({row.share for row in rows})
    found = {(row.kind, row.share): row for row in rows}
    cells = [[found.get((kind, share)) for share in shares] for kind in kinds]
    drawn, heads = [list(map(_cell, row_of)) for row_of in cells], [percent(share, 0) for share in shares]
    said = (
        f"{kind}: {listed([_said(row) for row in row_of if row])}"
        for kind, row_of in zip(kinds, cells, strict=True)
    )
    return Figure(
        "detections",
        lambda width: matrix(drawn, kinds, heads, width=width, title="share of items damaged"),
        f"Share of draws in which the gate failed. {'; '.join(said)}.",
        _rate_table(rows, "Detection: what must fail"),
        caption=f"Percent of draws in which the gate failed, with the {coverage(result.interval)} interval "
        "that the number of draws leaves; each row a kind of damage, each column the share of items that "
        "were damaged. Strong blue is detected. Damage to few items is diluted by the others, as in real "
        "runs.",
        legend=(
            Swatch(sequential(0.0), "never detected"),
            Swatch(sequential(0.5), "every other time"),
            Swatch(sequential(1.0), "always"),
        ),
        style="heat",
    )


def _false_alarms_figure(result: SelfTest) -> Figure:
    """Draw how often the gate failed for harmless changes, beside what it may."""
    allowed = percent(result.alpha, 0)
    rows = [
        ForestRow(
            name=change_label(row),
            drift=row.failed.value,
            low=row.failed.low,
            high=row.failed.high,
            noise=0.0,
            margin=result.alpha,
            outcome=None,
            text=percent_with_interval(row.failed),
            short_text=percent(row.failed.value),
        )
        for row in _drawn(result.false_alarms)
    ]
    described = "; ".join(f"{row.name} {row.text}" for row in rows)
    return Figure(
        "false-alarms",
        lambda width: forest(rows, "share of draws in which the gate failed", width=width, percent=True),
        f"False alarms, {allowed} allowed. {described}.",
        _rate_table(result.false_alarms, _MUST_NOT),
        caption="None of these changes makes the outputs worse, so a gate should not fail. The line is the "
        f"{coverage(result.interval)} interval that the number of draws leaves.",
        legend=(
            Swatch(MUTED, "share of draws in which it failed", "dot"),
            Swatch(TOLERATED, f"at most {allowed} are allowed"),
        ),
    )


def _rate_table(rows: Sequence[SelfTestRow], title: str) -> DataTable:
    """Lay rows out with every share and its interval."""
    heads = ("change", "of items", "failed", "undecided", "passed", "found by", "draws", "items a draw")
    return DataTable(heads, tuple(map(_rate_row, rows)), brief_title=title, brief=6)


def _rate_row(row: SelfTestRow) -> tuple[Cell, ...]:
    why = "needs two reruns" if row.kind == "rerun" else "no item can be changed so"
    rates: tuple[Cell, ...] = (Words(why), Words(""), Words(""), Words(""))
    if row.n_draws:
        found = Words(MISSING) if row.detected_by is None else metric_cell(row.detected_by)
        failed = WithInterval.of(row.failed, is_share=True)
        rates = failed, Share(row.undecided.value), Share(row.passed.value), found
    return Quoted(row.kind), Share(row.share or None, 0), *rates, Count(row.n_draws), Count(row.items)


def _changes_table(result: SelfTest) -> DataTable:
    """Say what each change does."""
    rows = []
    for kind in dict.fromkeys(row.kind for row in result.rows):
        of_kind = [row for row in result.rows if row.kind == kind]
        gate = "should fail" if of_kind[0].is_harmful else "should not fail"
        meaning = _OWN.get(kind) or (DAMAGES[kind].meaning if kind in DAMAGES else "")
        eligible = Count(max(row.n_eligible for row in of_kind))
        rows.append((Quoted(kind), eligible, Words(gate), Words(meaning)))
    heads = ("change", "items it can be made to", "the gate", "what it does")
    return DataTable(heads, tuple(rows), explained=True, detail="full")


def _at_full_damage(result: SelfTest) -> list[SelfTestRow]:
    return [row for row in _drawn(result.detections) if row.share == 1.0]


def _drawn(rows: Sequence[SelfTestRow]) -> list[SelfTestRow]:
    return [row for row in rows if not math.isnan(row.failed.value)]


def _are_equal(rows: Sequence[SelfTestRow]) -> bool:
    return len({row.failed.value for row in rows}) == 1 < len(rows)


def _range(values: Sequence[int]) -> Cell:
    if not values:
        return Words(MISSING)
    low, high = min(values), max(values)
    return Count(low) if low == high else Words(f"{count(low)} to {count(high)}")


def _said(row: SelfTestRow) -> str:
    return f"{percent(row.failed.value, 0)} at {percent(row.share, 0)} damaged"


def _cell(row: SelfTestRow | None) -> MatrixCell:
    if row is None or math.isnan(row.failed.value):
        return MatrixCell("#ffffff", MISSING)
    rate, low, high = (f"{100 * share:.0f}" for share in (row.failed.value, row.failed.low, row.failed.high))
    return MatrixCell(sequential(row.failed.value), f"{rate} [{low}, {high}]", rate)
