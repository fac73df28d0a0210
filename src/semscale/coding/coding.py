"""Coded answers: decisions at thresholds, probabilities learnt from hand-coded answers, and their table."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from semscale.coding.chat_codes import ChatCodes, JoinedSources, join_sources, mean_asked
from semscale.coding.codebook import Codebook
from semscale.coding.coder import CodeCalibration, CodeScores, calibrate_code, with_children
from semscale.coding.labels import HandCodes, mean_codes
from semscale.coding.settings import BY_LIKENESS, CodeSettings
from semscale.errors import InputError
from semscale.signature import Signature
from semscale.stats.calibration.labels_hash import labels_hash
from semscale.stats.calibration.sample_design import checked_inclusion
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.types import Floats, Integers, Mask, ObjectArray, Status, Statuses


class CodingOutcome(StrEnum):
    """Outcome of an answer."""

    CODED = "coded"  # at least one code
    OTHER = "other"  # no code, and none that is near
    CANNOT_TELL = "cannot-tell"  # between the thresholds, or nothing to read
    NO_ANSWER = "no-answer"  # the cell is missing or no text


UNSURE = "unsure"
"""Reason of an answer without a code for which some code lies between the thresholds."""


def decide(values: Floats, settings: Sequence[CodeSettings]) -> Floats:
    """Decide about each code of each answer.

    Args:
        values: shape (n, k), probabilities or likenesses; NaN where there is none.
        settings: with the thresholds, one for each code.

    Returns:
        Shape (n, k): 1 assigned, 0 not assigned, NaN where undecided or where there is no value.

    Example:
        >>> decide(np.array([[0.9], [0.4], [0.1], [np.nan]]), [CodeSettings()])[:, 0].tolist()
        [1.0, nan, 0.0, nan]
    """
    high = np.array([thresholds.given_from for thresholds in settings])
    low = np.array([thresholds.unsure_from for thresholds in settings])
    return np.where(values >= high, 1.0, np.where(values < low, 0.0, np.nan))


def applied_settings(calibrations: Sequence[CodeCalibration], settings: CodeSettings) -> list[CodeSettings]:
    """Return the settings of each code: those by likeness where it is not calibrated."""
    return [BY_LIKENESS if calibration.curve is None else settings for calibration in calibrations]


@dataclass(frozen=True)
class Coding:
    """Codes of n answers.

    Attributes:
        codebook: k codes.
        likeness: shape (n, k), the basis of decisions about codes that are not calibrated.
        probability: shape (n, k), NaN where a code is not calibrated or an answer could not be read.
        held_out: shape (n, k), for hand-coded answers probabilities by curves fitted without them, as
            ``CodeCalibration.held_out`` returns them.
        text_status: shape (n,), whether an answer could be read, and if not, why.
        calibrations: one for each code.
        hand: codes given by people; ``None`` without any.
        settings: with the thresholds of probabilities; codes that are not calibrated have ``BY_LIKENESS``.
        signature: what was applied.
        asked: probabilities by a chat model; ``None`` where none was asked.
    """

    codebook: Codebook
    likeness: Floats
    probability: Floats
    held_out: Floats
    text_status: Statuses
    calibrations: tuple[CodeCalibration, ...]
    hand: HandCodes | None
    settings: CodeSettings
    signature: Signature
    asked: ChatCodes | None = None

    @cached_property
    def is_calibrated(self) -> Mask:
        """Return which codes have probabilities, shape (k,)."""
        return np.array([calibration.curve is not None for calibration in self.calibrations], dtype=np.bool_)

    @property
    def given_from(self) -> list[float]:
        """Least value at which each of k codes is assigned."""
        return [settings.given_from for settings in self._applied]

    @property
    def values(self) -> Floats:
        """The basis of decisions, shape (n, k): probabilities, or likenesses of codes without them."""
        return np.where(self.is_calibrated, self.probability, self.likeness)

    @cached_property
    def assigned(self) -> Floats:
        """Decisions, shape (n, k): 1 assigned, 0 not assigned, NaN where unsure or nothing could be read."""
        return decide(self.values, self._applied)

    @property
    def held_out_assigned(self) -> Floats:
        """Decisions likewise; for hand-coded answers by curves that were fitted without them."""
        return decide(self.held_out, self._applied)

    @cached_property
    def outcome(self) -> ObjectArray:
        """Outcome of each answer, shape (n,), each a ``CodingOutcome``."""
        outcome: ObjectArray = np.full(len(self.assigned), None, dtype=object)
        outcome[:] = CodingOutcome.OTHER
        outcome[self._is_unsure | ~self.readable] = CodingOutcome.CANNOT_TELL
        outcome[(self.assigned == 1).any(axis=1)] = CodingOutcome.CODED
        for status in (Status.MISSING, Status.NOT_TEXT):
            outcome[self.text_status == status] = CodingOutcome.NO_ANSWER
        return outcome

    @cached_property
    def reason(self) -> ObjectArray:
        """Reason why an answer has no decision, shape (n,): a ``Status`` or ``unsure``; else ``None``."""
        reason: ObjectArray = np.full(len(self.assigned), None, dtype=object)
        reason[self._is_unsure] = UNSURE
        reason[~self.readable] = [str(status) for status in self.text_status[~self.readable]]
        return reason

    @property
    def readable(self) -> Mask:
        """Return which answers have a text that was read, shape (n,): the base of all shares."""
        return np.asarray(self.text_status == Status.SCORED, dtype=np.bool_)

    def to_frame(self) -> pl.DataFrame:
        """Return the codes as a table: outcome, reason, and for each code its decision and its value.

        Returns:
            Columns ``outcome`` and ``reason``; ``chat_status`` where a chat model was asked, null for answers
            that it was not asked about; for each code ``<code>`` (1, 0 or null) and ``<code>_p``, or
            ``<code>_likeness`` where it is not calibrated.
        """
        columns: dict[str, Any] = {
            "outcome": _strings(self.outcome),
            "reason": _strings(self.reason),
        }
        if self.asked is not None:
            columns["chat_status"] = _strings(self.asked.status)
        for position, name in enumerate(self.codebook.names):
            assigned = pl.Series(self.assigned[:, position], nan_to_null=True).cast(pl.Int8)
            kind = "p" if self.is_calibrated[position] else "likeness"
            columns[name] = assigned
            columns[f"{name}_{kind}"] = pl.Series(self.values[:, position], nan_to_null=True)
        return pl.DataFrame(columns)

    @property
    def _applied(self) -> list[CodeSettings]:
        return applied_settings(self.calibrations, self.settings)

    @property
    def _is_unsure(self) -> Mask:
        is_undecided = np.isnan(self.assigned).any(axis=1) & ~(self.assigned == 1).any(axis=1)
        return np.asarray(self.readable & is_undecided)


@dataclass(frozen=True)
class FittedCodes:
    """Way of coding the answers of a table, learnt from the m of them that people coded.

    Attributes:
        codebook: k codes.
        rows: shape (m,), numbers of the hand-coded answers in their table, from 0, ascending.
        hand: their codes; ``None`` where nobody coded.
        calibrations: from score to probability, one for each code.
        sources: how a chat model's probability counts; ``None`` where none was asked.
        settings: with the thresholds of probabilities; codes that are not calibrated have ``BY_LIKENESS``.
        signature: what is applied.
    """

    codebook: Codebook
    rows: Integers
    hand: HandCodes | None
    calibrations: tuple[CodeCalibration, ...]
    sources: JoinedSources | None
    settings: CodeSettings
    signature: Signature

    def code(self, scores: CodeScores, rows: Integers, asked: ChatCodes | None = None) -> Coding:
        """Code some answers of the table.

        Args:
            scores: of n answers.
            rows: shape (n,), their numbers in the table, from 0.
            asked: probabilities of these answers by a chat model, where one was asked.
        """
        positions = self.positions(rows)
        joined = scores.likeness
        if asked is not None and self.sources is not None:
            both = self.sources.joined(scores.likeness, asked.probability, positions)
            joined = with_children(both, self.codebook)
        columns = list(zip(self.calibrations, joined.T, strict=True))
        return Coding(
            self.codebook,
            joined,
            np.column_stack([calibration.probability(column) for calibration, column in columns]),
            np.column_stack([calibration.held_out(column, positions) for calibration, column in columns]),
            scores.text_status,
            self.calibrations,
            None if self.hand is None else self.hand.aligned(positions),
            self.settings,
            self.signature,
            asked,
        )

    def positions(self, rows: Integers) -> Integers:
        """Find the position of each row among the hand-coded ones, shape (n,); -1 for others."""
        if not len(self.rows):
            return np.full(len(rows), -1, np.int64)
        nearest = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        return np.where(self.rows[nearest] == rows, nearest, -1)


def fit_codes(  # noqa: PLR0913 - what is known about the hand-coded answers
    scores: CodeScores,
    rows: Integers,
    *,
    hand: HandCodes | None = None,
    asked: ChatCodes | None = None,
    stand_in: Floats | None = None,
    settings: CodeSettings | None = None,
    plan: IntervalPlan | None = None,
) -> FittedCodes:
    """Learn from hand-coded answers how the answers of their table are to be coded.

    Args:
        scores: of the m hand-coded answers, and of no others.
        rows: shape (m,), their numbers in the table, from 0, ascending.
        hand: codes given by people.
        asked: probabilities of these answers by a chat model; ``None`` where none was asked.
        stand_in: shape (k,), ``mean_asked`` of all answers; goes with ``asked``.
        settings: with the thresholds of probabilities.
        plan: coverage of intervals, and the seed of folds.

    Raises:
        InputError: no answer that was coded by hand can be read.
    """
    plan, settings = plan or IntervalPlan(), settings or CodeSettings()
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
    calibrations = tuple(
        calibrate_code(joined[:, code], people[:, :, code], interval=plan.interval, seed=plan.seed)
        for code in range(k)
    )
    signed = settings.signed()
    if hand is not None:
        signed["labels"] = labels_hash(rows, np.nan_to_num(labels, nan=-1.0), hand.inclusion)
        signed["inclusion"] = hand.inclusion is not None
    signature = scores.signature.extended(Signature.of("code", **signed))
    if asked is not None:
        signature = signature.with_settings("asked", dict(asked.signature.fields))
    return FittedCodes(scores.codebook, rows, hand, calibrations, sources, settings, signature)


def code_answers(  # noqa: PLR0913 - what is known beside the scores
    scores: CodeScores,
    *,
    hand: HandCodes | None = None,
    asked: ChatCodes | None = None,
    settings: CodeSettings | None = None,
    plan: IntervalPlan | None = None,
) -> Coding:
    """Turn scores into codes, with probabilities where enough answers were coded by hand.

    Args:
        scores: of n answers.
        hand: codes given by people.
        asked: probabilities by a chat model, as ``ask_about_codes`` returns them.
        settings: with the thresholds of probabilities.
        plan: coverage of intervals, and the seed of folds.

    Raises:
        InputError: no answer that was coded by hand can be read, or a probability of its draw is missing.
    """
    rows = np.zeros(0, np.int64)
    if hand is not None:
        if hand.inclusion is not None:
            checked_inclusion(hand.inclusion, hand.coded)
        rows = np.flatnonzero(hand.coded)
    fitted = fit_codes(
        scores.some(rows),
        rows,
        hand=None if hand is None else hand.aligned(rows),
        asked=None if asked is None else asked.some(rows),
        stand_in=None if asked is None else mean_asked(asked.probability),
        settings=settings,
        plan=plan,
    )
    return fitted.code(scores, np.arange(len(scores.likeness)), asked)


def _strings(values: ObjectArray) -> pl.Series:
    return pl.Series([None if value is None else str(value) for value in values], dtype=pl.String)
