"""Pictures of a self-test: what a gate detects by kind and share, and how often it cries wolf."""

import math
from collections.abc import Sequence

from semscale.damage.damages import DAMAGES
from semscale.drift.self_testing.results import SelfTest, SelfTestRow
from semscale.report.charts.forest import TOLERATED, ForestRow, forest
from semscale.report.charts.labels import NARROW_LIMIT
from semscale.report.charts.matrix import matrix
from semscale.report.charts.palette import MUTED, sequential
from semscale.report.drift_words import metric_label
from semscale.report.figures import Figure, Swatch, Table
from semscale.report.wording import (
    MISSING,
    count,
    listed,
    one_line,
    percent,
    percent_bracket,
    percent_with_interval,
)

_HEADS = ("Change", "Items changed", "Failed", "Passed", "Undecided", "Draws", "Items a draw", "Found by")


def alpha_of(result: SelfTest) -> float:
    """Give the share of false alarms that the gate was set to put up with."""
    return float(dict(result.signature.fields).get("alpha", 0.05))


def detections_figure(result: SelfTest) -> Figure | None:
    """Draw how often each damage was detected, by the share of items damaged; ``None`` without damage."""
    kinds = list(dict.fromkeys(row.kind for row in result.detections))
    shares = sorted({row.share for row in result.detections})
    if not kinds:
        return None
    found = {(row.kind, row.share): row for row in result.detections}
    cells = [[found.get((kind, share)) for share in shares] for kind in kinds]
    said = (
        f"{kind}: {listed([_said(row) for row in row_of if row])}"
        for kind, row_of in zip(kinds, cells, strict=True)
    )
    return Figure.drawn(
        lambda width: matrix(
            [[_colour(row) for row in row_of] for row_of in cells],
            [[_text(row, narrow=width < NARROW_LIMIT) for row in row_of] for row_of in cells],
            [one_line(kind) for kind in kinds],
            [percent(share, 0) for share in shares],
            width=width,
            title="share of items damaged",
        ),
        f"Share of draws in which the gate failed. {'; '.join(said)}.",
        rows_table(result.detections),
        caption="Percent of draws in which the gate failed, with the 95 % interval that the number of draws "
        "leaves; each row a kind of damage, each column the share of items that were damaged. "
        "Dark is detected. Damage to few items is diluted by the others, as in real runs.",
        legend=(
            Swatch(sequential(0.0), "never detected"),
            Swatch(sequential(0.5), "every other time"),
            Swatch(sequential(1.0), "always"),
        ),
    )


def false_alarms_figure(result: SelfTest) -> Figure | None:
    """Draw how often the gate failed for harmless changes, beside what it may; ``None`` without any."""
    drawn = [row for row in result.false_alarms if not math.isnan(row.failed.value)]
    if not drawn:
        return None
    alpha = alpha_of(result)
    rows = [
        ForestRow(
            name=change_label(row),
            drift=row.failed.value,
            low=row.failed.low,
            high=row.failed.high,
            noise=0.0,
            margin=alpha,
            outcome=None,
            text=percent_with_interval(row.failed),
            short_text=percent(row.failed.value),
        )
        for row in drawn
    ]
    return Figure.drawn(
        lambda width: forest(rows, "share of draws in which the gate failed", width=width, percent=True),
        f"False alarms, {percent(alpha, 0)} allowed. "
        + "; ".join(f"{row.name} {row.text}" for row in rows)
        + ".",
        rows_table(result.false_alarms),
        caption="None of these changes makes the outputs worse, so a gate should not fail. The line is the "
        "95 % interval that the number of draws leaves.",
        legend=(
            Swatch(MUTED, "share of draws in which it failed", "dot"),
            Swatch(TOLERATED, f"at most {percent(alpha, 0)} are allowed"),
        ),
    )


def rows_table(rows: Sequence[SelfTestRow]) -> Table:
    """Lay rows out with every share and its interval."""
    return Table(
        _HEADS,
        tuple(
            (
                one_line(row.kind),
                percent(row.share, 0),
                *(
                    f"{percent(one.value)} {percent_bracket(one)}"
                    for one in (row.failed, row.passed, row.undecided)
                ),
                count(row.n_draws),
                count(row.items),
                MISSING if row.detected_by is None else metric_label(row.detected_by),
            )
            for row in rows
        ),
    )


def change_label(row: SelfTestRow) -> str:
    """Name a change with the share of items that it was made to."""
    kind = one_line(row.kind)
    return kind if row.kind in {"identity", "rerun"} else f"{kind}, {percent(row.share, 0)} of items"


def change_meaning(kind: str) -> str:
    """Say what a change does."""
    own = {
        "identity": "Nothing was changed.",
        "rerun": "The baseline's model was asked once more, unchanged.",
    }
    return own.get(kind) or (DAMAGES[kind].meaning if kind in DAMAGES else "")


def _said(row: SelfTestRow) -> str:
    return f"{percent(row.failed.value, 0)} at {percent(row.share, 0)} damaged"


def _colour(row: SelfTestRow | None) -> str:
    return "#ffffff" if row is None or math.isnan(row.failed.value) else sequential(row.failed.value)


def _text(row: SelfTestRow | None, *, narrow: bool) -> str:
    if row is None or math.isnan(row.failed.value):
        return MISSING
    rate = f"{100 * row.failed.value:.0f}"
    return rate if narrow else f"{rate} [{100 * row.failed.low:.0f}, {100 * row.failed.high:.0f}]"
