"""What comparing writes into files: a page, a table of items, JUnit XML, a Markdown summary."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from semscale.cli.outputs import check_report, write_page
from semscale.errors import InputError
from semscale.report.drift_items import harm
from semscale.store.atomic import check_writable, replacing
from semscale.store.writing import output_format, write_table

if TYPE_CHECKING:
    from semscale.drift.gate.decision import GateDecision
    from semscale.drift.measure.comparison import Comparison
    from semscale.history.runs import Approval


@dataclass(frozen=True)
class DriftOutputs:
    """Files that a comparison is written to.

    Attributes:
        report: a page for people.
        out: a table of items.
        junit: for a CI server.
        summary: Markdown, which is added to the file.
    """

    report: Path | None = None
    out: Path | None = None
    junit: Path | None = None
    summary: Path | None = None

    @property
    def named(self) -> dict[str, Path]:
        """The files that were asked for, by what they are."""
        paths = {"report": self.report, "table": self.out, "junit": self.junit, "summary": self.summary}
        return {name: path for name, path in paths.items() if path is not None}

    def check(self) -> None:
        """Check, before anything is read or loaded, that all can be written.

        Raises:
            InputError: an extension, file or folder that does not serve, or one file for two things.
        """
        check_report(self.report)
        if self.out is not None:
            output_format(self.out)
        for name, path in self.named.items():
            check_writable(path, "out" if name == "table" else name)
        places = [path.resolve() for path in self.named.values()]
        twice = [path for path in places if places.count(path) > 1]
        if twice:
            raise InputError(f"one file for each output, got {twice[0].name!r} for two: name another one")

    def write(
        self, comparison: "Comparison", decision: "GateDecision | None", approval: "Approval | None"
    ) -> None:
        """Write what was asked for."""
        if self.out is not None:
            write_table(item_table(comparison, decision), self.out)
        if self.report is not None:
            from semscale.report.drift_page import drift_page

            write_page(self.report, drift_page(comparison, decision, approval=approval))
        if decision is None:
            return
        if self.junit is not None:
            from semscale.report.junit import junit_xml

            with replacing(self.junit) as temporary:
                temporary.write_text(junit_xml(comparison, decision), encoding="utf-8", newline="\n")
        if self.summary is not None:
            from semscale.report.markdown import markdown_summary

            with self.summary.open("a", encoding="utf-8", newline="\n") as file:
                file.write(markdown_summary(comparison, decision))


def item_table(comparison: "Comparison", decision: "GateDecision | None") -> pl.DataFrame:
    """Lay out every item: its groups, its loss and drift in each metric, and what both runs gave.

    Returns:
        Columns ``id``, ``group_...`` for each kind, ``status``, ``harm``, ``..._loss`` and ``..._drift`` for
        each metric, ``baseline`` and ``candidate``; null where an item has no value.
    """
    items = comparison.baseline.items
    columns = [pl.Series("id", [item.id for item in items])]
    for kind in comparison.baseline.group_kinds:
        columns.append(pl.Series(f"group_{kind}", [item.groups.get(kind) for item in items], dtype=pl.String))
    columns.append(pl.Series("status", [str(status) for status in comparison.measured.status]))
    columns.append(pl.Series("harm", harm(comparison, decision)).fill_nan(None))
    for metric in comparison.metrics:
        columns.append(pl.Series(f"{metric}_loss", comparison.losses(metric)).fill_nan(None))
        columns.append(pl.Series(f"{metric}_drift", comparison.drifts(metric)).fill_nan(None))
    for name, run in (("baseline", comparison.baseline), ("candidate", comparison.candidate)):
        texts = [[output.text for output in item.outputs] for item in run.items]
        columns.append(pl.Series(name, texts, dtype=pl.List(pl.String)))
    return pl.DataFrame(columns)
