"""Coded answers: probabilities by hand-coded rows, decisions, and the table of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from semscale.coding.asked_codes import AskedCodes
from semscale.coding.chat_codes import JoinedSources, join_sources, mean_asked
from semscale.coding.code_calibration import CodeCalibration, CodeCurves, calibrate_code
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
from semscale.store.writing import PREFIX
from semscale.types import Floats, Integers, Mask, ObjectArray, Statuses


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

    def placed(self, places: Integers) -> "HandCodes":
        """Lay the codes of n answers out as those of m answers, NaN where nobody coded.

        Args:
            places: shape (m,), place of each answer among the n; -1 for others.
        """
        coded = places >= 0
        codes: Floats = np.full((len(self.codes), len(places), self.codes.shape[2]), np.nan)
        codes[:, coded] = self.codes[:, places[coded]]
        drawn: Floats | None = None
        if self.inclusion is not None:
            drawn = np.full(len(places), np.nan)
            drawn[coded] = self.inclusion[places[coded]]
        return HandCodes(codes, self.people, drawn)

    def some(self, rows: Integers | Mask) -> "HandCodes":
        """Keep some of the answers."""
        drawn = None if self.inclusion is None else self.inclusion[rows]
        return HandCodes(self.codes[:, rows], self.people, drawn)


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
        return _given_from(self.calibrations, self.thresholds)

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


@dataclass(frozen=True)
class FittedCodes:
    """How answers are coded, as found from the m of them that people coded.

    Attributes:
        codebook: k codes.
        rows: shape (m,), numbers of the hand-coded answers in their table, from 0, ascending.
        hand: their codes; ``None`` where nobody coded.
        curves: from score to probability, one for each code.
        sources: how a chat model's word counts; ``None`` where none was asked.
        thresholds: of probabilities; codes that are not calibrated have ``BY_LIKENESS``.
        signature: what is applied.
    """

    codebook: CodeFrame
    rows: Integers
    hand: HandCodes | None
    curves: tuple[CodeCurves, ...]
    sources: JoinedSources | None
    thresholds: Thresholds
    signature: Signature

    @property
    def given_from(self) -> Floats:
        """The value from which each code is given, shape (k,)."""
        return _given_from([curves.calibration for curves in self.curves], self.thresholds)

    def code(self, scores: CodeScores, rows: Integers, asked: AskedCodes | None = None) -> Coding:
        """Code some answers of the table.

        Args:
            scores: of n answers.
            rows: shape (n,), their numbers in the table, from 0.
            asked: what a chat model said about these answers, where it was asked.
        """
        places = self.places(rows)
        joined = scores.likeness
        if asked is not None and self.sources is not None:
            both = self.sources.joined(scores.likeness, asked.probability, places)
            joined = with_children(both, self.codebook)
        columns = list(zip(self.curves, joined.T, strict=True))
        probability = np.column_stack([curves.probability(column) for curves, column in columns])
        held_out = np.column_stack([curves.held_out(column, places) for curves, column in columns])
        made = tuple(curves.calibration for curves in self.curves)
        calibrated = np.array([one.curve is not None for one in made])
        applied = [self.thresholds if one else BY_LIKENESS for one in calibrated]
        hand = None if self.hand is None else self.hand.placed(places)
        return Coding(
            self.codebook,
            joined,
            probability,
            scores.text_status,
            decide(np.where(calibrated, probability, joined), scores.text_status, applied),
            decide(held_out, scores.text_status, applied),
            made,
            hand,
            None if hand is None else HandSample(held_out, mean_codes(hand.codes), hand.inclusion),
            self.thresholds,
            self.signature,
            asked,
        )

    def places(self, rows: Integers) -> Integers:
        """Give the place of each row among the hand-coded ones, shape (n,); -1 for others."""
        if not len(self.rows):
            return np.full(len(rows), -1, np.int64)
        near = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        return np.where(self.rows[near] == rows, near, -1)


def fit_codes(  # noqa: PLR0913 - what is known of the hand-coded answers
    scores: CodeScores,
    rows: Integers,
    *,
    hand: HandCodes | None = None,
    asked: AskedCodes | None = None,
    stand_in: Floats | None = None,
    thresholds: Thresholds | None = None,
    plan: IntervalPlan | None = None,
) -> FittedCodes:
    """Find from hand-coded answers how the answers of their table are to be coded.

    Args:
        scores: of the m hand-coded answers, and of no others.
        rows: shape (m,), their numbers in the table, from 0, ascending.
        hand: what people coded.
        asked: what a chat model said about them; ``None`` where none was asked.
        stand_in: shape (k,), ``mean_asked`` of all answers; goes with ``asked``.
        thresholds: where decisions by probability change.
        plan: coverage of intervals, and the seed of folds.

    Raises:
        InputError: no answer that was coded by hand can be read.
    """
    plan, used = plan or IntervalPlan(), thresholds or Thresholds()
    m, k = scores.likeness.shape
    people = np.full((0, m, k), np.nan) if hand is None else hand.codes
    labels = mean_codes(people)
    if hand is not None and not (~np.isnan(labels) & ~np.isnan(scores.likeness)).any():
        raise InputError(f"labels: no answer that can be read was coded in {', '.join(hand.people)}")
    joined, sources = scores.likeness, None
    if asked is not None and stand_in is not None:
        sources = join_sources(scores.likeness, asked.probability, labels, stand_in=stand_in, seed=plan.seed)
        both = sources.joined(scores.likeness, asked.probability, np.arange(m))
        joined = with_children(both, scores.codebook)
    curves = tuple(
        calibrate_code(joined[:, place], people[:, :, place], interval=plan.interval, seed=plan.seed)
        for place in range(k)
    )
    signature = _signature(scores, rows, hand, used, None if asked is None else asked.signature)
    return FittedCodes(scores.codebook, rows, hand, curves, sources, used, signature)


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
    rows = np.zeros(0, np.int64)
    if hand is not None:
        coded: Mask = np.asarray(~np.isnan(hand.codes).all(axis=(0, 2)))
        if hand.inclusion is not None:
            checked_inclusion(hand.inclusion, coded)
        rows = np.flatnonzero(coded)
    fitted = fit_codes(
        scores.some(rows),
        rows,
        hand=None if hand is None else hand.some(rows),
        asked=None if asked is None else asked.some(rows),
        stand_in=None if asked is None else mean_asked(asked.probability),
        thresholds=thresholds,
        plan=plan,
    )
    return fitted.code(scores, np.arange(len(scores.likeness)), asked)


def _given_from(calibrations: Sequence[CodeCalibration], thresholds: Thresholds) -> Floats:
    calibrated = np.array([one.curve is not None for one in calibrations], dtype=np.bool_)
    return np.where(calibrated, thresholds.given, BY_LIKENESS.given)


def _words(values: ObjectArray) -> pl.Series:
    return pl.Series([None if each is None else str(each) for each in values], dtype=pl.String)


def _signature(
    scores: CodeScores, rows: Integers, hand: HandCodes | None, used: Thresholds, asked: Signature | None
) -> Signature:
    said: dict[str, object] = {"given_from": used.given, "unsure_from": used.unsure}
    if hand is not None:
        labels = np.nan_to_num(mean_codes(hand.codes), nan=-1.0)
        said |= {
            "labels": labels_hash(rows, labels, hand.inclusion),
            "inclusion": hand.inclusion is not None,
        }
    signature = scores.signature.extended(Signature.of("code", **said))
    return signature if asked is None else signature.with_settings("asked", dict(asked.fields))
