"""Files of a comparison beside its report: a table of items, JUnit XML, a Markdown summary."""

import polars as pl

from semscale.cli.drift.command_options import GateOutputs
from semscale.cli.outputs import Outputs
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.store.atomic import replacing
from semscale.store.writing import write_table


def write_files(summary: DriftSummary, outputs: Outputs) -> None:
    """Write the files that were asked for; JUnit XML and the summary only if there is a decision."""
    decision = summary.decision
    if outputs.out is not None:
        write_table(item_table(summary), outputs.out)
    if decision is None or not isinstance(outputs, GateOutputs):
        return
    if outputs.junit is not None:
        from semscale.report.ci import junit_xml

        with replacing(outputs.junit) as temporary:
            temporary.write_text(junit_xml(summary, decision), encoding="utf-8", newline="\n")
    if outputs.summary is not None:
        from semscale.report.ci import job_summary
        from semscale.report.markdown import markdown

        with outputs.summary.open("a", encoding="utf-8", newline="\n") as file:
            file.write(markdown(job_summary(summary, decision)))


def item_table(summary: DriftSummary) -> pl.DataFrame:
    """Lay out every item: its groups, its loss and drift in each metric, and what both runs gave.

    Returns:
        Columns ``id``, ``group_...`` for each kind, ``status``, ``harm``, ``..._loss`` and ``..._drift`` for
        each metric, ``baseline`` and ``candidate``; null where an item has no value.
    """
    comparison = summary.comparison
    items = comparison.baseline.items
    columns = [pl.Series("id", [item.id for item in items])]
    for kind in comparison.baseline.group_kinds:
        columns.append(pl.Series(f"group_{kind}", [item.groups.get(kind) for item in items], dtype=pl.String))
    columns.append(pl.Series("status", [str(status) for status in comparison.measured.status]))
    columns.append(pl.Series("harm", summary.harm.of_items).fill_nan(None))
    for metric in comparison.metrics:
        columns.append(pl.Series(f"{metric}_loss", comparison.losses(metric)).fill_nan(None))
        columns.append(pl.Series(f"{metric}_drift", comparison.drifts(metric)).fill_nan(None))
    for name, run in (("baseline", comparison.baseline), ("candidate", comparison.candidate)):
        texts = [[output.text for output in item.outputs] for item in run.items]
        columns.append(pl.Series(name, texts, dtype=pl.List(pl.String)))
    return pl.DataFrame(columns)
