"""Coded answers: probabilities by hand-coded rows, decisions, and the table of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from semscale.coding.asked_codes import AskedCodes
from semscale.coding.chat_codes import join_sources
from semscale.coding.code_calibration import CodeCalibration, calibrate_code
from semscale.coding.codebook import CodeFrame
from semscale.coding.coder import CodeScores
from semscale.coding.coding_decisions import BY_LIKENESS, CodeDecisions, Thresholds, decide
from semscale.coding.hand_codes import mean_codes
from semscale.coding.prototypes import with_children
from semscale.coding.summary.code_shares import HandSample
from semscale.errors import InputError
from semscale.signature import Signature
from semscale.stats.calibration.labels_hash import labels_hash
from semscale.stats.calibration.sample_design import checked_inclusion
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.writing import PREFIX, formula_safe
from semscale.types import Floats, Mask, ObjectArray, Statuses


@dataclass(frozen=True)
class HandCodes:
    """What people coded.

    Attributes:
        codes: shape (c, n, k) of c people, as ``hand_codes`` gives them.
        people: names of their columns.
        inclusion: shape (n,), probability with which answers were drawn for them; ``None`` for all alike.
    """

    codes: Floats
    people: tuple[str, ...]
    inclusion: Floats | None = None


@dataclass(frozen=True)
class Coding:
    """Codes of n answers.

    Attributes:
        codebook: k codes.
        likeness: shape (n, k), what decisions are made of where a code is not calibrated.
        probability: shape (n, k), NaN where a code is not calibrated or an answer could not be read.
        text_status: shape (n,), whether an answer could be read, and if not, why.
        decisions: what was decided.
        held_out: the same for hand-coded answers by curves that were fitted without them.
        calibrations: one for each code.
        hand: what people coded; ``None`` where nobody did.
        sample: the same for corrected shares.
        thresholds: of probabilities; codes that are not calibrated have ``BY_LIKENESS``.
        signature: what was applied.
        asked: what a chat model said as well; ``None`` where none was asked.
    """

    codebook: CodeFrame
    likeness: Floats
    probability: Floats
    text_status: Statuses
    decisions: CodeDecisions
    held_out: CodeDecisions
    calibrations: tuple[CodeCalibration, ...]
    hand: HandCodes | None
    sample: HandSample | None
    thresholds: Thresholds
    signature: Signature
    asked: AskedCodes | None = None

    @property
    def values(self) -> Floats:
        """What decisions are made of, shape (n, k): probabilities, or likenesses of codes without them."""
        return np.where(self.is_calibrated, self.probability, self.likeness)

    @property
    def given_from(self) -> Floats:
        """The value from which each code is given, shape (k,)."""
        return np.where(self.is_calibrated, self.thresholds.given, BY_LIKENESS.given)

    @property
    def is_calibrated(self) -> np.ndarray:
        """Which codes have probabilities, shape (k,)."""
        return np.array([one.curve is not None for one in self.calibrations], dtype=np.bool_)

    def to_frame(self) -> pl.DataFrame:
        """Lay the codes out: outcome, reason, and for each code its decision and what that was made of.

        Returns:
            Columns ``semscale_outcome`` and ``semscale_reason``; ``semscale_chat_status`` where a chat model
            was asked, null for answers that it was not asked about; for each code ``semscale_<code>`` (1, 0
            or null) and ``semscale_<code>_p``, or ``semscale_<code>_likeness`` where it is not calibrated.
        """
        columns: dict[str, Any] = {
            f"{PREFIX}outcome": _words(self.decisions.outcome),
            f"{PREFIX}reason": _words(self.decisions.reason),
        }
        if self.asked is not None:
            columns[f"{PREFIX}chat_status"] = _words(self.asked.status)
        for place, (name, made) in enumerate(zip(self.codebook.names, self.is_calibrated, strict=True)):
            given = pl.Series(self.decisions.given[:, place], nan_to_null=True).cast(pl.Int8)
            columns[f"{PREFIX}{name}"] = given
            kind, values = ("p", self.probability) if made else ("likeness", self.likeness)
            columns[f"{PREFIX}{name}_{kind}"] = pl.Series(values[:, place], nan_to_null=True)
        return pl.DataFrame(columns)


def code_answers(  # noqa: PLR0913 - what is known beside the scores
    scores: CodeScores,
    *,
    hand: HandCodes | None = None,
    asked: AskedCodes | None = None,
    thresholds: Thresholds | None = None,
    plan: IntervalPlan | None = None,
) -> Coding:
    """Turn scores into codes, with probabilities where enough answers were coded by hand.

    Args:
        scores: of n answers.
        hand: what people coded.
        asked: what a chat model said about the n answers, as ``ask_about_codes`` gives it.
        thresholds: where decisions by probability change.
        plan: coverage of intervals, and the seed of folds.

    Raises:
        InputError: no answer that was coded by hand can be read, or a probability of its draw is missing.
    """
    plan, used = plan or IntervalPlan(), thresholds or Thresholds()
    n, k = scores.likeness.shape
    people = np.full((0, n, k), np.nan) if hand is None else hand.codes
    labels = mean_codes(people)
    if hand is not None and not (~np.isnan(labels) & ~np.isnan(scores.likeness)).any():
        raise InputError(f"labels: no answer that can be read was coded in {', '.join(hand.people)}")
    joined = scores.likeness
    if asked is not None:
        both = join_sources(scores.likeness, asked.probability, labels, seed=plan.seed)
        joined = with_children(both, scores.codebook)
    fitted = [
        calibrate_code(joined[:, place], people[:, :, place], interval=plan.interval, seed=plan.seed)
        for place in range(k)
    ]
    probability = np.column_stack([one.probability for one in fitted])
    held_out = np.column_stack([one.held_out for one in fitted])
    made = tuple(one.calibration for one in fitted)
    calibrated = np.array([one.curve is not None for one in made])
    applied = [used if one else BY_LIKENESS for one in calibrated]
    return Coding(
        scores.codebook,
        joined,
        probability,
        scores.text_status,
        decide(np.where(calibrated, probability, joined), scores.text_status, applied),
        decide(held_out, scores.text_status, applied),
        made,
        hand,
        None if hand is None else _sample(held_out, labels, hand.inclusion),
        used,
        _signature(scores, hand, labels, used, None if asked is None else asked.signature),
        asked,
    )


def other_run(  # noqa: PLR0913 - both runs, and how messages name them
    table: pl.DataFrame,
    codebook: CodeFrame,
    texts: Sequence[Any],
    column: str,
    name: str,
    *,
    no_text: Mask | None = None,
) -> Floats:
    """Read the decisions of another run from the table that it wrote.

    Args:
        table: with n rows.
        codebook: k codes.
        texts: the n answers of this run.
        column: of the answers.
        name: the table's name in messages.
        no_text: shape (n,), where a cell was no text, such as a number, so that it is not compared.

    Returns:
        Shape (n, k), 1, 0 or NaN; NaN throughout for a code that the other run did not have.

    Raises:
        InputError: other answers, or none of the codes.
    """
    written = table[column].to_list() if column in table.columns else []
    if no_text is not None and len(written) == len(no_text):
        written = [None if skipped else cell for cell, skipped in zip(written, no_text, strict=True)]
    if column not in table.columns or not _same_texts(written, texts):
        raise InputError(
            f"other_run: {name} must have the same answers in the same order in its column '{column}'"
        )
    has_code = [f"{PREFIX}{code}" in table.columns for code in codebook.names]
    if not any(has_code):
        raise InputError(
            f"other_run: {name} has no column {PREFIX}{codebook.names[0]} and no other code: give the table "
            "that `code --out` wrote"
        )
    found: Floats = np.full((table.height, len(codebook.names)), np.nan)
    for place, code in enumerate(codebook.names):
        if has_code[place]:
            cells = table[f"{PREFIX}{code}"].cast(pl.Float64, strict=False)
            found[:, place] = cells.fill_null(float("nan")).to_numpy()
    return found


def _words(values: ObjectArray) -> pl.Series:
    return pl.Series([None if each is None else str(each) for each in values], dtype=pl.String)


def _same_texts(written: Sequence[Any], texts: Sequence[Any]) -> bool:
    """Compare answers with those of a table; CSV has an apostrophe before what a spreadsheet would run."""
    given = [None if text is None else str(text) for text in texts]
    safe = formula_safe(pl.DataFrame({"text": given}, schema={"text": pl.String}))["text"].to_list()
    found = [None if text is None else str(text) for text in written]
    return len(found) == len(given) and all(map(_is_either, found, given, safe))


def _is_either(found: str | None, given: str | None, safe: str | None) -> bool:
    return (found or "") in (given or "", safe or "")


def _sample(held_out: Floats, labels: Floats, inclusion: Floats | None) -> HandSample:
    drawn = None
    if inclusion is not None:
        drawn = checked_inclusion(inclusion, np.asarray(~np.isnan(labels).all(axis=1)))
    return HandSample(held_out, labels, drawn)


def _signature(
    scores: CodeScores, hand: HandCodes | None, labels: Floats, used: Thresholds, asked: Signature | None
) -> Signature:
    said: dict[str, object] = {"given_from": used.given, "unsure_from": used.unsure}
    if hand is not None:
        rows = np.flatnonzero(~np.isnan(labels).all(axis=1))
        drawn = None if hand.inclusion is None else hand.inclusion[rows]
        said |= {
            "labels": labels_hash(rows, np.nan_to_num(labels[rows], nan=-1.0), drawn),
            "inclusion": hand.inclusion is not None,
        }
    signature = scores.signature.extended(Signature.of("code", **said))
    return signature if asked is None else signature.with_settings("asked", dict(asked.fields))
