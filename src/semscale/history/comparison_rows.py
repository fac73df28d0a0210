"""Conversion between comparisons and database rows of comparisons, figures and scores."""

import hashlib
import json
import math
from collections.abc import Iterable

import numpy as np

from semscale.history.check_json import dump_checks, load_checks
from semscale.history.column_values import Found, Row, aware, plain
from semscale.history.stored_comparison import StoredComparison, StoredFigure
from semscale.types import Floats

_PACKED = np.dtype("<f8")
_MEASURES = ("loss", "drift", "low", "high", "margin")


def comparison_rows(comparison: StoredComparison) -> tuple[Row, list[Row], list[Row]]:
    """Convert a comparison into its row, the rows of its figures, and the rows of its scores."""
    figures = [_figure_row(comparison.id, place, figure) for place, figure in enumerate(comparison.figures)]
    packed = [(metric, pack(values)) for metric, values in comparison.scores.items()]
    scores: list[Row] = [
        {"comparison_id": comparison.id, **plain(metric=metric), "packed": body} for metric, body in packed
    ]
    texts = plain(
        id=comparison.id,
        baseline_id=comparison.baseline_id,
        candidate_id=comparison.candidate_id,
        model=comparison.model,
        dataset=comparison.dataset,
        signature=comparison.signature,
        outcome=None if comparison.outcome is None else str(comparison.outcome),
    )
    compared = aware("compared", comparison.compared)
    row: Row = {**texts, "compared": compared, "digest": _digest(figures, packed)}
    row["checks"] = dump_checks(comparison.checks)
    return row, figures, scores


def read_comparison(
    found: Found, figures: Iterable[Found], *, candidate_digest: str | None = None
) -> StoredComparison:
    """Build a comparison, without its scores, from its row and the rows of its figures."""
    return StoredComparison(
        baseline_id=found["baseline_id"],
        candidate_id=found["candidate_id"],
        model=found["model"],
        dataset=found["dataset"],
        signature=found["signature"],
        outcome=found["outcome"],
        figures=tuple(_read_figure(figure) for figure in figures),
        compared=found["compared"],
        id=found["id"],
        candidate_digest=candidate_digest,
        checks=load_checks(found["checks"]),
    )


def pack(values: Floats) -> bytes:
    """Pack scores, shape (n,), into little-endian 64-bit floats.

    Example:
        >>> unpack(pack(np.array([0.5, np.nan])))
        array([0.5, nan])
    """
    return np.asarray(values, dtype=_PACKED).tobytes()


def unpack(packed: bytes) -> Floats:
    """Unpack scores from :func:`pack`, shape (n,)."""
    return np.frombuffer(packed, dtype=_PACKED).astype(np.float64)


def _digest(figures: list[Row], scores: list[tuple[str, bytes]]) -> str:
    found = hashlib.sha256(json.dumps(figures).encode())
    for metric, packed in sorted(scores):
        found.update(f"\n{metric}\n".encode())
        found.update(packed)
    return found.hexdigest()


def _figure_row(comparison_id: str, position: int, figure: StoredFigure) -> Row:
    kind, name = figure.group or (None, None)
    texts = plain(metric=figure.metric, group_kind=kind, group_name=name)
    measures = {measure: _or_null(getattr(figure, measure)) for measure in _MEASURES}
    counts = {"n": int(figure.n), "n_left_out": int(figure.n_left_out)}
    return {"comparison_id": comparison_id, "position": position, **texts, **measures, **counts}


def _read_figure(found: Found) -> StoredFigure:
    measures = {measure: _or_nan(found[measure]) for measure in _MEASURES}
    group = None if found["group_kind"] is None else (found["group_kind"], found["group_name"])
    return StoredFigure(
        metric=found["metric"], group=group, n=found["n"], n_left_out=found["n_left_out"], **measures
    )


def _or_null(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else float(value)
