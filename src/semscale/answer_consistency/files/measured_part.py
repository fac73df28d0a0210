"""Writes measured items into the columns of a part of a table, and reads them back."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from semscale.answer_consistency.asking.asking import Replies
from semscale.answer_consistency.consistencies import Consistencies
from semscale.answer_consistency.files.columns import AnswerCells
from semscale.answer_consistency.scoring.contradictions import Contradiction
from semscale.guards.findings import Finding, Span
from semscale.signature import Signature
from semscale.store.columns import floats_in, statuses_in
from semscale.store.writing import PREFIX

SPANS = f"{PREFIX}contradiction_spans"
"""A column that a run keeps for itself: where contradictions stand in the answer and in the sample."""

TEXTS = f"{PREFIX}sample_texts"
"""Another one: the samples of each item, where they are no replies."""

_SIDES = {True: "above", False: "below", None: None}
_PLACES = pl.List(pl.List(pl.Int64))


def part_columns(found: Consistencies) -> pl.DataFrame:
    """Lay items out as the columns that a run adds: those of ``to_frame`` with the prefix, and spans."""
    columns = found.to_frame().rename(lambda name: PREFIX + name)
    spans = [[_places(one.finding) for one in each] for each in found.contradictions]
    return columns.with_columns(pl.Series(SPANS, spans, dtype=_PLACES))


def text_columns(cells: AnswerCells, replies: Replies | None) -> list[pl.Series]:
    """Lay out the samples of items; of replies also the answers, and the sides that were settled."""
    if replies is None:
        texts = [[None if cell is None else str(cell) for cell in each] for each in cells.samples]
        return [pl.Series(TEXTS, texts, dtype=pl.List(pl.String))]
    return [
        pl.Series(f"{PREFIX}answer", replies.answers, dtype=pl.String),
        pl.Series(f"{PREFIX}samples_asked", replies.samples, dtype=pl.List(pl.String)),
        pl.Series(f"{PREFIX}settled", [_SIDES[side] for side in replies.sides], dtype=pl.String),
    ]


def part_notes(found: Consistencies) -> dict[str, Any]:
    """List, as JSON has it, what the columns do not hold: names, floor and signature."""
    signature = found.signature
    return {
        "measures": list(found.measures),
        "nulls": list(found.nulls),
        "applied_floor": found.floor,
        "floor_from": found.floor_from,
        "signature": [signature.instrument, [list(named) for named in signature.fields]],
    }


def part_items(frame: pl.DataFrame, notes: Mapping[str, Any]) -> Consistencies:
    """Read items back from their columns and notes."""
    instrument, fields = notes["signature"]
    spans = frame[SPANS].to_list()
    shown = frame[f"{PREFIX}contradictions"].to_list()
    return Consistencies(
        measures={name: floats_in(frame[PREFIX + name]) for name in notes["measures"]},
        status=statuses_in(frame[f"{PREFIX}status"]),
        reasons=tuple(frame[f"{PREFIX}reason"].to_list()),
        n_samples=frame[f"{PREFIX}samples"].to_numpy(),
        samples_left_out=frame[f"{PREFIX}samples_left_out"].to_numpy(),
        windows=frame[f"{PREFIX}windows"].to_numpy(),
        nulls={name: floats_in(frame[PREFIX + name]) for name in notes["nulls"]},
        contradictions=tuple(
            tuple(_contradiction(one, place) for one, place in zip(each, places, strict=True))
            for each, places in zip(shown, spans, strict=True)
        ),
        floor=notes["applied_floor"],
        floor_from=notes["floor_from"],
        signature=Signature(instrument, tuple((name, value) for name, value in fields)),
        **_meanings(frame),
    )


def _meanings(frame: pl.DataFrame) -> dict[str, Any]:
    n, there = frame.height, f"{PREFIX}same_by" in frame.columns
    grounds = frame[f"{PREFIX}same_by"].to_list() if there else [None] * n
    return {
        "n_meanings": frame[f"{PREFIX}meanings"].fill_null(0).to_numpy() if there else np.zeros(n, np.int64),
        "same_by": np.array(grounds, dtype=object),
    }


def _places(finding: Finding) -> list[int | None]:
    sides = (finding.prediction, finding.reference)
    return [place for side in sides for place in ((None, None) if side is None else (side.start, side.end))]


def _contradiction(shown: Mapping[str, Any], places: Sequence[int | None]) -> Contradiction:
    finding = Finding(
        shown["guard"],
        shown["kind"],
        shown["reason"],
        _span(places[0], places[1], shown["answer"]),
        _span(places[2], places[3], shown["contradicting"]),
    )
    return Contradiction(shown["sample"], finding)


def _span(start: int | None, end: int | None, text: str | None) -> Span | None:
    return None if start is None or end is None else Span(start, end, text or "")
