"""Coded answers: decisions at thresholds, calibration on hand-coded answers, and the table of results."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from semscale.coding.chat_codes import ChatCodes, ask_about_cells, ask_about_codes
from semscale.coding.code_shares import CodeCounts, CodedSample, CodeShare, HandLabels, code_shares
from semscale.coding.codebook import ANSWER_COLUMNS, Codebook, load_codebook
from semscale.coding.coder import Coder, CodeScores, with_children
from semscale.coding.labels import HandCodes, hand_codes, majority, mean_codes
from semscale.coding.reasons import Reason
from semscale.coding.sentiment import SentimentRater, are_positive, sentiment_rater
from semscale.coding.settings import BY_LIKENESS, CodeKeywords, CodeSettings
from semscale.errors import InputError
from semscale.scales import Scale
from semscale.settings import takes
from semscale.signature import Signature
from semscale.stats.calibration import (
    FEWEST_OF_EACH,
    FEWEST_TUNING,
    FOLDS,
    CalibrationFigures,
    PlattCurve,
    calibration_figures,
    fit_platt,
    out_of_fold_scores,
    random_folds,
    tune_weights,
    weighted_mean,
)
from semscale.stats.correlations import roc_area
from semscale.stats.intervals import Estimate, IntervalPlan
from semscale.stats.sampling import SampleDesign, labels_hash, validate_inclusion
from semscale.store.columns import as_list
from semscale.store.missing_codes import missing_keys
from semscale.text_preparation import TextPreparation
from semscale.types import Floats, Integers, Mask, ObjectArray, Progress, Status, Statuses

if TYPE_CHECKING:
    from semscale.chat.runner import Running
    from semscale.embedding.embedder import Embedder
    from semscale.judging.settings import Method

UNSURE = "unsure"
"""Reason of an answer without a code and with a code between the thresholds."""


WITHOUT_ANSWER = (Status.MISSING, Status.EMPTY, Status.NOT_TEXT)
"""Statuses of cells that are no answer."""


class CodingOutcome(StrEnum):
    """Outcome of an answer."""

    CODED = "coded"  # at least one code
    OTHER = "other"  # no code, and none that is near
    CANNOT_TELL = "cannot-tell"  # between the thresholds, or nothing to read
    NO_ANSWER = "no-answer"  # the cell is missing, blank, a code for a missing answer, or no text


def decide(values: Floats, settings: Sequence[CodeSettings]) -> Floats:
    """Decide about each code of each answer.

    Args:
        values: shape (n, k), probabilities or likenesses; NaN where there is none.
        settings: thresholds for each code.

    Returns:
        Shape (n, k): 1 assigned, 0 not assigned, NaN for undecided or missing values.

    Examples:
        >>> decide(np.array([[0.9], [0.3], [0.1], [np.nan]]), [CodeSettings()])[:, 0].tolist()
        [1.0, nan, 0.0, nan]
    """
    high = np.array([thresholds.given_from for thresholds in settings])
    low = np.array([thresholds.unsure_from for thresholds in settings])
    return np.where(values >= high, 1.0, np.where(values < low, 0.0, np.nan))


def settings_per_code(
    calibrations: "Sequence[CodeCalibration]", settings: CodeSettings
) -> list[CodeSettings]:
    """Return the settings of each code: ``BY_LIKENESS`` for codes that are not calibrated."""
    return [BY_LIKENESS if calibration.curve is None else settings for calibration in calibrations]


@takes(CodeSettings)
def code(  # noqa: PLR0913 - answers, codes, and what is known beside them
    answers: object,
    codebook: Codebook | str | Path,
    *,
    human: object = None,
    inclusion: object = None,
    embedder: "str | Path | Embedder | None" = None,
    chat_model: object = None,
    question: str | None = None,
    method: "Method" = "decision",
    running: "Running | None" = None,
    plan: IntervalPlan | None = None,
    progress: Progress | None = None,
    **settings: Unpack[CodeKeywords],
) -> "Coding":
    """Assign the codes of a codebook to open answers, in one call.

    Args:
        answers: shape (n,), a list or a series; a cell may be missing or not text.
        codebook: the codes, or the path of their YAML file.
        human: shape (n,), codes assigned by hand to some answers: names separated by semicolons, or ``none``;
            a missing cell was not coded. Codes with enough hand-coded answers get probabilities.
        inclusion: shape (n,), probability with which each answer was drawn for hand coding; by default all
            are equal.
        embedder: the embedding model; by default the default model.
        chat_model: a chat model that is asked about every sentence as well; see ``load_chat_model``.
        question: the survey question, for the chat model.
        method: form of the chat model's replies, ``decision`` or ``prose``.
        running: how calls to the chat model are made.
        plan: coverage of intervals, and the seed of folds.
        progress: called while texts are embedded, and as replies come.
        settings: fields of ``CodeSettings``.

    Returns:
        Codes in the order of the answers.

    Warns:
        TextWarning: answers have reasoning of a model or HTML, which the settings keep.

    Raises:
        InputError: a codebook that cannot be read, codes that are too similar, an unknown hand code, columns
            of unequal length, or thresholds out of range.
        InterruptedRunError: a cap was reached; the chat model's replies are stored.
        ModelError: the embedding model cannot be run.

    Examples:
        >>> from semscale.coding import Code, Codebook
        >>> price = Code("price", "The product is expensive or cheap.", ("It costs too much.",))
        >>> battery = Code("battery", "How long the battery lasts.", ("The battery dies fast.",))
        >>> coding = code(["The battery is empty by noon.", None], Codebook("phones", (price, battery)))
        >>> coding.to_frame().select("outcome", "price", "battery").rows()
        [('coded', 0, 1), ('no-answer', None, None)]
    """
    book = codebook if isinstance(codebook, Codebook) else load_codebook(codebook)
    chosen = CodeSettings(**settings)
    cells = TextPreparation.from_settings(chosen).prepare_and_warn(as_list(answers, "answers"))
    hand = None
    if human is not None:
        columns = [as_list(human, "human")]
        weights = None if inclusion is None else np.array(as_list(inclusion, "inclusion"), dtype=np.float64)
        for name, n in (
            ("human", len(columns[0])),
            ("inclusion", len(cells if weights is None else weights)),
        ):
            if n != len(cells):
                raise InputError(name, f"must have {len(cells)} rows as answers has, got {n}")
        hand = HandCodes(hand_codes(columns, book, ["human"]), ("human",), weights)
    elif inclusion is not None:
        raise InputError("inclusion", "belongs to `human`: give the hand codes as well")
    missing = missing_keys(chosen.missing)
    coder, positions = Coder(book, embedder=embedder).adapt([cells], missing=missing), None
    rater = sentiment_rater(chosen.sentiment, coder.embedder, coder.language)
    if hand is not None:
        coded = np.flatnonzero(hand.coded)
        positions = positions_among(coded, np.arange(len(cells)))
        seed = (plan or IntervalPlan()).seed
        labelled = [cells[row] for row in coded.tolist()]
        means = mean_codes(hand.codes)[coded]
        coder = coder.learn(labelled, means, seed=seed, missing=missing, progress=progress)
    scores = coder.score(cells, hand_coded=positions, missing=missing, progress=progress)
    asked = None
    if chat_model is not None:
        ask = partial(
            ask_about_codes, chat_model, book,
            question=question, method=method, running=running, progress=progress,
        )  # fmt: skip
        asked = ask_about_cells(ask, cells, missing)
    return code_answers(
        scores, hand=hand, asked=asked, rater=rater, settings=chosen, plan=plan, progress=progress
    )


@dataclass(frozen=True, repr=False)
class Coding:
    """Codes of n answers.

    Attributes:
        codebook: k codes.
        likeness: shape (n, k), the basis of decisions about codes that are not calibrated.
        probability: shape (n, k), 0 to 1; NaN if a code is not calibrated or an answer could not be read.
        held_out: shape (n, k), the probabilities of ``CodeCalibration.out_of_fold``: for hand-coded answers
            by curves fitted without them.
        text_status: shape (n,), whether an answer could be read, and if not, why.
        calibrations: one for each code.
        hand: hand codes; ``None`` without any.
        settings: thresholds of probabilities; codes that are not calibrated use ``BY_LIKENESS``.
        signature: what was applied.
        asked: a chat model's probabilities; ``None`` if none was asked.
        evidence: shape (n, k), text of the unit with the strongest evidence for each code; ``None`` if units
            are unknown.
        reasons: shape (n, k), the ``Reason`` of each code; likewise.
        sentiment: shape (n, k), ratings of the units with each assigned code; NaN elsewhere. ``None`` if
            nothing was rated.
        scale: the scale of these ratings; likewise.
    """

    codebook: Codebook
    likeness: Floats
    probability: Floats
    held_out: Floats
    text_status: Statuses
    calibrations: "tuple[CodeCalibration, ...]"
    hand: HandCodes | None
    settings: CodeSettings
    signature: Signature
    asked: ChatCodes | None = None
    evidence: ObjectArray | None = None
    reasons: ObjectArray | None = None
    sentiment: Floats | None = None
    scale: Scale | None = None

    def __len__(self) -> int:
        return len(self.text_status)

    def __repr__(self) -> str:
        return f"Coding(n={len(self):,}, n_read={self.n_read:,}, codes={len(self.codebook.codes)})"

    @cached_property
    def n_read(self) -> int:
        """Number of answers whose text was read."""
        return int(self.readable.sum())

    @cached_property
    def is_calibrated(self) -> Mask:
        """Mask of codes that have probabilities, shape (k,)."""
        return np.array([calibration.curve is not None for calibration in self.calibrations], dtype=np.bool_)

    @property
    def given_from(self) -> list[float]:
        """Lowest value at which each code is assigned, shape (k,)."""
        return [settings.given_from for settings in self._applied]

    @property
    def values(self) -> Floats:
        """The basis of decisions, shape (n, k): probabilities, or likenesses of codes without them."""
        return np.where(self.is_calibrated, self.probability, self.likeness)

    @cached_property
    def assigned(self) -> Floats:
        """Decisions, shape (n, k): 1 assigned, 0 not assigned, NaN if unsure or unreadable."""
        return decide(self.values, self._applied)

    @property
    def held_out_assigned(self) -> Floats:
        """Decisions, shape (n, k), for hand-coded answers by curves that were fitted without them."""
        return decide(self.held_out, self._applied)

    @cached_property
    def outcome(self) -> ObjectArray:
        """Outcome of each answer, shape (n,), each a ``CodingOutcome``."""
        outcome: ObjectArray = np.full(len(self.assigned), None, dtype=object)
        outcome[:] = CodingOutcome.OTHER
        outcome[self._is_unsure | ~self.readable] = CodingOutcome.CANNOT_TELL
        outcome[(self.assigned == 1).any(axis=1)] = CodingOutcome.CODED
        for status in WITHOUT_ANSWER:
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
    def counts(self) -> Mapping[str, int]:
        """Answers by outcome, the most frequent first."""
        return dict(Counter(map(str, self.outcome)).most_common())

    @property
    def readable(self) -> Mask:
        """Mask of answers whose text was read, shape (n,): the base of all shares."""
        return np.asarray(self.text_status == Status.SCORED, dtype=np.bool_)

    @property
    def positive(self) -> Floats | None:
        """Sentiment, shape (n, k): 1 on the good half of the scale, 0 on the other, NaN without a rating."""
        if self.sentiment is None or self.scale is None:
            return None
        return are_positive(self.sentiment, self.scale)

    def sample(
        self,
        design: SampleDesign = SampleDesign(),  # noqa: B008 - a frozen value
        *,
        hand: HandLabels | None = None,
        drawn: Mask | None = None,
    ) -> CodedSample:
        """Return the decisions as input for shares; for the arguments see ``CodedSample``."""
        return CodedSample(
            self.assigned,
            self.readable,
            design,
            hand,
            drawn,
            probability=self.probability,
            sentiment=self.sentiment,
            positive=self.positive,
        )

    def shares(self, *, interval: float = 0.95) -> tuple[CodeShare, ...]:
        """Return the share of answers with each of k codes, not corrected by hand codes.

        Args:
            interval: coverage of the intervals.
        """
        everybody = np.zeros(len(self.assigned), np.int64)
        counts, sample = CodeCounts(len(self.codebook.codes), n_groups=1), self.sample()
        counts.add(everybody, sample)
        return code_shares(sample, self.codebook.names, everybody, counts, interval=interval)

    def to_frame(self) -> pl.DataFrame:
        """Return the codes as a table: outcome, reason, and for each code its decision and its value.

        Returns:
            Columns ``outcome`` and ``reason``; ``chat_status`` where a chat model was asked, null for answers
            that it was not asked about; for each code ``<code>`` (1, 0 or null), ``<code>_p``, or
            ``<code>_likeness`` where it is not calibrated, ``<code>_evidence``, the sentence or clause that
            decided, and ``<code>_reason``, both null if the code is not assigned or unsure; and
            ``<code>_sentiment``, null if the code is not assigned.
        """
        outcome, reason, chat_status = ANSWER_COLUMNS
        columns: dict[str, Any] = {outcome: _strings(self.outcome), reason: _strings(self.reason)}
        if self.asked is not None:
            columns[chat_status] = _strings(self.asked.status)
        for position, name in enumerate(self.codebook.names):
            assigned = pl.Series(self.assigned[:, position], nan_to_null=True).cast(pl.Int8)
            kind = "p" if self.is_calibrated[position] else "likeness"
            columns[name] = assigned
            columns[f"{name}_{kind}"] = pl.Series(self.values[:, position], nan_to_null=True)
            for kind, texts in (("evidence", self.evidence), ("reason", self.reasons)):
                if texts is not None:
                    cells = texts[:, position].copy()
                    cells[self.assigned[:, position] == 0] = None
                    columns[f"{name}_{kind}"] = _strings(cells)
            if self.sentiment is not None:
                columns[f"{name}_sentiment"] = pl.Series(self.sentiment[:, position], nan_to_null=True)
        return pl.DataFrame(columns)

    @property
    def _applied(self) -> list[CodeSettings]:
        return settings_per_code(self.calibrations, self.settings)

    @property
    def _is_unsure(self) -> Mask:
        is_undecided = np.isnan(self.assigned).any(axis=1) & ~(self.assigned == 1).any(axis=1)
        return np.asarray(self.readable & is_undecided)


@dataclass(frozen=True)
class FittedCodes:
    """Rules for coding a table's answers, fitted to its m hand-coded answers.

    Attributes:
        codebook: k codes.
        rows: shape (m,), numbers of the hand-coded answers in their table, from 0, ascending.
        hand: their codes; ``None`` without hand codes.
        calibrations: from score to probability, one for each code.
        sources: weights of likeness and a chat model's probability; ``None`` if none was asked.
        settings: thresholds of probabilities; codes that are not calibrated use ``BY_LIKENESS``.
        signature: signature of the rules.
        rater: rater of units; ``None`` without sentiment.
    """

    codebook: Codebook
    rows: Integers
    hand: HandCodes | None
    calibrations: "tuple[CodeCalibration, ...]"
    sources: "JoinedSources | None"
    settings: CodeSettings
    signature: Signature
    rater: SentimentRater | None = None

    def code(self, scores: CodeScores, rows: Integers, asked: ChatCodes | None = None) -> Coding:
        """Code some answers of the table.

        Args:
            scores: scores of n answers.
            rows: shape (n,), their numbers in the table, from 0.
            asked: a chat model's probabilities for these answers, if one was asked.
        """
        positions = self.positions(rows)
        joined, evidence, reasons = scores.likeness, scores.evidence, scores.reasons
        if asked is not None and self.sources is not None:
            both = self.sources.combine(scores.likeness, asked.probability, positions)
            joined = with_children(both, self.codebook)
            leads = self.sources.model_leads(scores.likeness, asked)
            evidence = None if evidence is None else np.where(leads, asked.units, evidence)
            reasons = None if reasons is None else np.where(leads, Reason.CHAT_MODEL, reasons)
        columns = list(zip(self.calibrations, _log_odds(joined).T, strict=True))
        return Coding(
            self.codebook,
            joined,
            np.column_stack([calibration.probability(column) for calibration, column in columns]),
            np.column_stack(
                [
                    likeness if calibration.curve is None else calibration.out_of_fold(column, positions)
                    for (calibration, column), likeness in zip(columns, joined.T, strict=True)
                ]
            ),
            scores.text_status,
            self.calibrations,
            None if self.hand is None else self.hand.align(positions),
            self.settings,
            self.signature,
            asked,
            evidence,
            reasons,
            scores.sentiment,
            None if self.rater is None else self.rater.scale,
        )

    def rate(
        self,
        scores: CodeScores,
        rows: Integers,
        asked: ChatCodes | None = None,
        progress: Progress | None = None,
    ) -> CodeScores:
        """Add the sentiment of assigned codes to scores that have units; for the arguments see ``code``."""
        if self.rater is None or scores.units is None:
            return scores
        is_assigned = self.code(scores, rows, asked).assigned == 1
        units = scores.units if asked is None else asked.coded_units(scores.units)
        return replace(scores, sentiment=self.rater.rate(units, is_assigned, progress))

    def positions(self, rows: Integers) -> Integers:
        """Return the position of each row among the hand-coded rows, shape (n,); -1 for others."""
        return positions_among(self.rows, rows)


def positions_among(known: Integers, rows: Integers) -> Integers:
    """Return the position of each row among known rows, which ascend; -1 for others.

    Examples:
        >>> positions_among(np.array([2, 5]), np.array([5, 3, 2])).tolist()
        [1, -1, 0]
    """
    if not len(known):
        return np.full(len(rows), -1, np.int64)
    nearest = np.minimum(np.searchsorted(known, rows), len(known) - 1)
    return np.where(known[nearest] == rows, nearest, -1)


def fit_codes(
    scores: CodeScores,
    rows: Integers,
    *,
    hand: HandCodes | None = None,
    asked: ChatCodes | None = None,
    rater: SentimentRater | None = None,
    settings: CodeSettings | None = None,
    plan: IntervalPlan | None = None,
) -> FittedCodes:
    """Fit the rules for coding a table to its hand-coded answers.

    Args:
        scores: scores of the m hand-coded answers only.
        rows: shape (m,), their numbers in the table, from 0, ascending.
        hand: hand codes.
        asked: a chat model's probabilities for all answers of the table; ``None`` if none was asked.
        rater: rater of the units with codes.
        settings: thresholds of probabilities.
        plan: coverage of intervals, and the seed of folds.

    Raises:
        InputError: no hand-coded answer can be read.
    """
    plan, settings = plan or IntervalPlan(), settings or CodeSettings()
    m, k = scores.likeness.shape
    people = np.full((0, m, k), np.nan) if hand is None else hand.codes
    labels = mean_codes(people)
    if hand is not None and not (~np.isnan(labels) & ~np.isnan(scores.likeness)).any():
        raise InputError("labels", f": no answer that can be read was coded in {', '.join(hand.people)}")
    joined, sources = scores.likeness, None
    if asked is not None:
        stated = asked.probability[rows]
        stand_in = mean_asked(asked.probability)
        sources = join_sources(scores.likeness, stated, labels, stand_in=stand_in, seed=plan.seed)
        both = sources.combine(scores.likeness, stated, np.arange(m))
        joined = with_children(both, scores.codebook)
    calibrations = tuple(
        calibrate_code(column, people[:, :, code], interval=plan.interval, seed=plan.seed)
        for code, column in enumerate(_log_odds(joined).T)
    )
    signed = settings.signature_fields()
    if not any(calibration.curve is not None for calibration in calibrations):
        for threshold in ("given_from", "unsure_from"):  # uncalibrated codes have their own thresholds
            del signed[threshold]
    if hand is not None:
        signed["labels"] = labels_hash(rows, np.nan_to_num(labels, nan=-1.0), hand.inclusion)
        signed["inclusion"] = hand.inclusion is not None
    signature = scores.signature.plus(Signature.of("code", **signed))
    if asked is not None:
        signature = signature.with_settings("asked", dict(asked.signature.fields))
    if rater is not None:
        signature = signature.plus(Signature.of("sentiment", **rater.settings))
    return FittedCodes(scores.codebook, rows, hand, calibrations, sources, settings, signature, rater)


def code_answers(
    scores: CodeScores,
    *,
    hand: HandCodes | None = None,
    asked: ChatCodes | None = None,
    rater: SentimentRater | None = None,
    settings: CodeSettings | None = None,
    plan: IntervalPlan | None = None,
    progress: Progress | None = None,
) -> Coding:
    """Turn scores into codes, with probabilities for codes with enough hand-coded answers.

    Args:
        scores: scores of n answers.
        hand: hand codes.
        asked: a chat model's probabilities, from ``ask_about_codes``.
        rater: rater of the units with codes, if the scores have any.
        settings: thresholds of probabilities.
        plan: coverage of intervals, and the seed of folds.
        progress: called while units are embedded.

    Raises:
        InputError: no hand-coded answer can be read, or a probability of its draw is missing.
    """
    rows = np.zeros(0, np.int64)
    if hand is not None:
        if hand.inclusion is not None:
            validate_inclusion(hand.inclusion, hand.coded)
        rows = np.flatnonzero(hand.coded)
    fitted = fit_codes(
        scores.some(rows),
        rows,
        hand=None if hand is None else hand.align(rows),
        asked=asked,
        rater=rater,
        settings=settings,
        plan=plan,
    )
    rows = np.arange(len(scores.likeness))
    return fitted.code(fitted.rate(scores, rows, asked, progress), rows, asked)


def _log_odds(likeness: Floats) -> Floats:
    """Return the scores of likenesses for a logistic curve: their log odds, at most 7 in size."""
    clipped = np.clip(likeness, _LEAST_ODDS, 1 - _LEAST_ODDS)
    odds: Floats = np.log(clipped / (1 - clipped))
    return odds


_LEAST_ODDS = 0.001


def _strings(values: ObjectArray) -> pl.Series:
    return pl.Series([None if value is None else str(value) for value in values], dtype=pl.String)


@dataclass(frozen=True)
class CodeCalibration:
    """Curves from the score of one code to its probability, fitted to m hand-coded answers.

    Attributes:
        curve: curve from score to probability, fitted to all labels; ``None`` if there are too few.
        n_with: number of labels with the code.
        n_without: number of labels without the code.
        figures: quality of probabilities on held-out answers; ``None`` without a curve.
        area: probability that an answer with the code has a higher score than one without it; ``None``
            without a curve.
        fold_curves: curves of five folds, each fitted without the fold's labels; empty without a curve.
        fold: shape (m,), fold of each answer; -1 without a score or a label.
    """

    curve: PlattCurve | None
    n_with: int
    n_without: int
    figures: CalibrationFigures | None = None
    area: Estimate | None = None
    fold_curves: tuple[PlattCurve, ...] = field(default=(), repr=False, compare=False)
    fold: Integers = field(default_factory=lambda: np.zeros(0, np.int64), repr=False, compare=False)

    def probability(self, scores: Floats) -> Floats:
        """Compute probabilities (n,) of scores (n,) by the curve of all labels; NaN without a curve."""
        return np.full(len(scores), np.nan) if self.curve is None else self.curve.probability(scores)

    def out_of_fold(self, scores: Floats, hand_coded: Integers) -> Floats:
        """Compute the input of corrected shares, shape (n,).

        It is the probability by a curve that was fitted without the answer if the answer is hand-coded, and
        otherwise the mean over the fold curves. Without a curve it is the score itself.

        Args:
            scores: shape (n,).
            hand_coded: shape (n,), position of each answer among the m hand-coded ones; -1 for others.

        References:
            Zrnic and Candes (2024), Cross-prediction-powered inference, doi 10.1073/pnas.2322083121.
        """
        if not self.fold_curves:
            return scores
        values: Floats = np.mean([curve.probability(scores) for curve in self.fold_curves], axis=0)
        fold = np.where(hand_coded < 0, -1, self.fold[hand_coded])
        for part, curve in enumerate(self.fold_curves):
            values[fold == part] = curve.probability(scores[fold == part])
        return values


def calibrate_code(scores: Floats, hand: Floats, *, interval: float = 0.95, seed: int = 0) -> CodeCalibration:
    """Fit Platt's curve of one code, and the curves of five folds for figures on held-out answers.

    Each person's code of an answer is one label; labels of one answer are always in the same fold.

    Args:
        scores: shape (m,), on any scale; NaN if missing.
        hand: shape (c, m), 1 with the code, 0 without, NaN if the person did not code the answer; c may be 0.
        interval: coverage of the figures' intervals.
        seed: seed of the folds.

    References:
        Platt (1999), see ``fit_platt``.
    """
    person, row = np.nonzero(~np.isnan(hand) & ~np.isnan(scores))
    labels, values = hand[person, row], scores[row]
    n_with, n_without = int((labels == 1).sum()), int((labels == 0).sum())
    rows_with, rows_without = (len(np.unique(row[labels == label])) for label in (1.0, 0.0))
    if min(rows_with, rows_without) < FEWEST_OF_EACH:
        return CodeCalibration(None, n_with, n_without)
    fold = random_folds(len(row), groups=row, folds=FOLDS, seed=seed)
    fold_curves = tuple(
        fit_platt(values[fold != part], labels[fold != part]) for part in range(int(fold.max()) + 1)
    )
    held_out = np.empty(len(row))
    for part, curve in enumerate(fold_curves):
        held_out[fold == part] = curve.probability(values[fold == part])
    fold_of_answer: Integers = np.full(len(scores), -1, np.int64)
    fold_of_answer[row] = fold
    return CodeCalibration(
        fit_platt(values, labels),
        n_with,
        n_without,
        calibration_figures(held_out, labels, clusters=row.astype(np.int64), interval=interval, seed=seed),
        roc_area(values[labels == 1], values[labels == 0], interval=interval),
        fold_curves,
        fold_of_answer,
    )


@dataclass(frozen=True)
class JoinedSources:
    """Weights that join likeness and a chat model's probability into one score of each of k codes.

    Attributes:
        stand_in: shape (k,), mean of the model's probabilities, used for answers without one; NaN if the
            model stated none.
        weights: shape (k, 2), weights of likeness and probability.
        held_out: shape (m, k), scores of m hand-coded answers by weights tuned without them; NaN if weights
            were not tuned.
    """

    stand_in: Floats
    weights: Floats
    held_out: Floats

    def model_leads(self, likeness: Floats, asked: ChatCodes) -> Mask:
        """Return where the model's sentence decides, shape (n, k).

        There the model finds the code in a sentence, and its probability adds more to the score than likeness
        does.

        Args:
            likeness: shape (n, k), NaN where there is none.
            asked: the model's probabilities and sentences.
        """
        is_larger = asked.probability * self.weights[:, 1] > likeness * self.weights[:, 0]
        return np.asarray(is_larger & asked.has_code)

    def combine(self, likeness: Floats, asked: Floats, hand_coded: Integers) -> Floats:
        """Join both sources, shape (n, k).

        Args:
            likeness: shape (n, k), NaN where there is none.
            asked: shape (n, k), the model's probabilities, likewise.
            hand_coded: shape (n,), position of each answer among the m hand-coded ones; -1 for others.
        """
        filled = np.where(np.isnan(asked), self.stand_in, asked)
        scores: Floats = np.full(likeness.shape, np.nan)
        for code, weights in enumerate(self.weights):
            scores[:, code] = weighted_mean(np.stack([likeness[:, code], filled[:, code]]), weights)
            if not weights[0]:
                scores[np.isnan(asked[:, code]), code] = np.nan
        if len(self.held_out):
            held_out = np.where((hand_coded < 0)[:, None], np.nan, self.held_out[hand_coded])
            scores = np.where(np.isnan(held_out), scores, held_out)
        scores[np.isnan(likeness)] = np.nan
        return scores


def join_sources(
    likeness: Floats, asked: Floats, labels: Floats, *, stand_in: Floats, seed: int = 0
) -> JoinedSources:
    """Find weights that join likeness and a chat model's probability into one score of each code.

    The score is their weighted mean. Weights are tuned if there are at least 40 hand-coded answers, five of
    them with the code and five without; a hand-coded answer's score uses weights tuned without it. Otherwise
    both weights are equal. Answers without a probability are ranked by likeness.

    Args:
        likeness: shape (m, k), of hand-coded answers; NaN if missing.
        asked: shape (m, k), the model's probabilities, likewise.
        labels: shape (m, k), share of people who gave the code; NaN for uncoded answers.
        stand_in: shape (k,), result of ``mean_asked`` for all answers.
        seed: seed of the folds.
    """
    weights, held_out = np.ones((likeness.shape[1], 2)), np.full(likeness.shape, np.nan)
    filled = np.where(np.isnan(asked) & ~np.isnan(likeness), stand_in, asked)
    for code in range(likeness.shape[1]):
        sources, human = np.stack([likeness[:, code], filled[:, code]]), majority(labels[:, code])
        coded = human[~np.isnan(human) & ~np.isnan(likeness[:, code])]
        fewer = min(coded.sum(), len(coded) - coded.sum())
        if len(coded) >= FEWEST_TUNING and fewer >= FEWEST_OF_EACH:
            held_out[:, code] = out_of_fold_scores(sources, human, seed=seed)
            weights[code] = tune_weights(sources, human, seed=seed).weights
    return JoinedSources(stand_in, weights, held_out)


def mean_asked(asked: Floats) -> Floats:
    """Average a chat model's probabilities of each code, shape (k,); NaN for a code without any.

    Args:
        asked: shape (n, k), 0 to 1; NaN if the model stated none.
    """
    by_code = np.ascontiguousarray(asked.T)  # so that the order of summing does not depend on the layout
    stated = ~np.isnan(by_code)
    means: Floats = np.full(len(by_code), np.nan)
    sums = np.where(stated, by_code, 0.0).sum(axis=1)
    np.divide(sums, stated.sum(axis=1), out=means, where=stated.any(axis=1))
    return means
