"""The document of a plan: the drift that a gate finds with a number of items, and the items that it needs."""

from semscale.drift.sizing.plan import GatePlan, MetricPlan
from semscale.report.document.blocks import DataTable, Paragraph
from semscale.report.document.document import Document, Section
from semscale.report.document.values import Cell, Count, Number
from semscale.report.drift.tables import metric_cell
from semscale.report.formatting import capitalised, counted, number, plain


def plan_document(plan: GatePlan) -> Document:
    """Turn a plan into a document."""
    asked = any(one.drift is not None for one in plan.metrics)
    within = [one.metric for one in plan.metrics if one.drift is not None and one.drift <= one.margin]
    said = f"a drift within its margin is not to fail, whatever the number of items: {', '.join(within)}"
    heads = ("metric", "spread", "margin", "finds from", "items for the margin", "items to pass",
             *(("drift", "items for it") if asked else ()))  # fmt: skip
    table = DataTable(heads, tuple(_row(one, asked=asked) for one in plan.metrics), brief_title="By metric")
    sources = tuple(dict.fromkeys(f"spread: {one.source}" for one in plan.metrics))
    notes = (Paragraph(f"{capitalised(one)}.", "note") for one in sources)
    return Document(
        kind="plan for a drift gate",
        name="Plan for the drift gate",
        title="How many items does it take?",
        source=(),
        signature=None,
        counting=(
            f"{counted(plan.n_items, 'item')}, {counted(plan.n_tests, 'test')}, power {plain(plan.power)}; "
            f"strictest level {number(plan.alpha, 4)}",
        ),
        reading=(
            f"With {counted(plan.n_items, 'item')}, {counted(plan.n_tests, 'test')} and a power of "
            f"{plain(plan.power)} the gate finds the drifts in the table.",
        ),
        facts=(
            ("Items", Count(plan.n_items)),
            ("Tests", Count(plan.n_tests)),
            ("Power", Number(plan.power, None)),
            ("Strictest level", Number(plan.alpha, 4)),
        ),
        cautions=(*([said] if within else []), *plan.cautions),
        sections=(Section("metrics", "By metric", (table, *notes)),),
        notes=sources,
    )


def _row(one: MetricPlan, *, asked: bool) -> tuple[Cell, ...]:
    row: tuple[Cell, ...] = (
        metric_cell(one.metric),
        Number(one.sd, 3),
        Number(one.margin, 3),
        Number(one.detectable, 3),
        Count(one.items_for_margin),
        Count(one.items_to_pass),
    )
    return (*row, Number(one.drift, 3), Count(one.items_for_drift)) if asked else row
