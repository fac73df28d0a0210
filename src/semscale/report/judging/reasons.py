"""Why a judge's model did not take forms of asking, and why rows have no score."""

from typing import TYPE_CHECKING

from semscale.report.document import Cell, Count, DataTable, Quoted, Words

if TYPE_CHECKING:
    from semscale.judging.summary import JudgeSummary

_LONGEST_REASON = 300


def reasons_table(summary: "JudgeSummary") -> DataTable | None:
    """List forms that were not taken and reasons why rows have no score; ``None`` where there is neither.

    Of each status the five most frequent reasons are listed, in full on the screen, too: their ends differ.
    """
    rows: list[tuple[Cell, ...]] = []
    for name, own in summary.judges.items():
        found = [(f"{each.form}, not taken", each.n, each.reason) for each in own.not_taken]
        found += [(f"rows {status}", n, reason) for status, reason, n in own.frequent_reasons if reason]
        rows += [
            (Quoted(name), Words(what), Count(n), Quoted(reason, _LONGEST_REASON, wraps=True))
            for what, n, reason in found
        ]
    if not rows:
        return None
    columns = ("judge", "", "times", "reason")
    return DataTable(columns, tuple(rows), title="Reasons", noun="reason")
