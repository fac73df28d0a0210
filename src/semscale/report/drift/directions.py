"""Which fields' directions nobody gave, so that their names decided."""

from collections.abc import Iterator

from semscale.drift.gate.drift_summary import DriftSummary
from semscale.report.formatting import one_line


def direction_notes(summary: DriftSummary) -> Iterator[str]:
    """Say of each field whose direction was assumed what counts as better, and how to have it otherwise."""
    for metric in summary.comparison.metrics.values():
        if metric.is_assumed:
            field = one_line(metric.unit)
            yield (
                f"{field}: {metric.direction} is better, which its name says; with --direction "
                f"{field}=either any change counts"
            )
