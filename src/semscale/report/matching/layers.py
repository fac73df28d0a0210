"""The document of calibrated BERTScore layers: what unrelated texts score at each of them."""

from typing import TYPE_CHECKING

from semscale.report.chart_kit import ACCENT, MUTED
from semscale.report.document import (
    Cell,
    Count,
    DataTable,
    Document,
    Figure,
    Number,
    Quoted,
    Section,
    Swatch,
    WithInterval,
)
from semscale.report.formatting import capitalised, counted, number
from semscale.report.matching.document import BERTSCORE
from semscale.report.parts import signature_fields
from semscale.report.row_charts import DotRow, dots
from semscale.report.sentences import interval_methods

if TYPE_CHECKING:
    from semscale.matching.bertscore_layers import LayerCalibration

_DIGITS = 3


def calibration_document(calibration: "LayerCalibration") -> Document:
    """Turn the calibration of a model's layers into a document."""
    human, plan = calibration.human, calibration.plan
    drawn = f"{counted(calibration.n_pairs, 'random pair')} of {counted(calibration.n_texts, 'text')}"
    best = []
    if human and plan:
        left_out = f", {human.n_left_out:,} left out" if human.n_left_out else ""
        judged = f"{counted(human.n, 'judged pair')}{left_out}"
        intervals = interval_methods(plan, {"": "bootstrap"}, "judged pairs")
        best = [f"best layer: {human.best_layer} ({judged}); intervals: {intervals}"]
    return Document(
        kind="BERTScore calibration",
        name="BERTScore layers",
        title=("What unrelated texts score at each layer of ", Quoted(calibration.model.split("#")[0])),
        source=(Quoted(calibration.source),),
        signature=calibration.signature,
        counting=(drawn,),
        reading=tuple(f"{capitalised(said)}." for said in (drawn, *best)),
        sections=(Section("layers", "Layer by layer", (_layers(calibration),)),),
        notes=tuple(best),
        settings=signature_fields(calibration.signature),
        citations=(BERTSCORE,),
    )


def _layers(calibration: "LayerCalibration") -> Figure:
    human = calibration.human
    rows: list[tuple[Cell, ...]] = []
    drawn: list[DotRow] = []
    for layer, (means, errors) in enumerate(zip(calibration.baseline, calibration.error, strict=True)):
        agreement = [human.spearman[layer]] if human else []
        figures = [Number(float(value), 4) for value in (*means, errors[2])]
        rows.append((Count(layer), *figures, *(WithInterval.of(one, _DIGITS) for one in agreement)))
        drawn.append(DotRow(f"layer {layer}", (float(means[2]), *(one.value for one in agreement))))
    agrees = ["Spearman with people"] if human else []
    legend = [Swatch(MUTED, "F1 of random pairs"), Swatch(ACCENT, "Spearman with people")][: 1 + len(agrees)]
    described = "; ".join(f"{row.name} {', '.join(map(number, row.means))}" for row in drawn)
    return Figure(
        "layers",
        lambda width: dots(drawn, [one.colour for one in legend], title="", width=width),
        f"{' and '.join(one.label for one in legend)}, layer by layer. {described}.",
        DataTable(("layer", "precision", "recall", "F1", "error of F1", *agrees), tuple(rows)),
        caption="Random pairs have nothing to do with each other: a score says something only above theirs.",
        legend=tuple(legend),
    )
