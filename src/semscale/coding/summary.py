"""Summary of coded answers: counts added part by part, quotes, and all figures for JSON."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal

import numpy as np

from semscale.coding.chat_codes import ChatCodes
from semscale.coding.code_shares import (
    CodeCounts,
    CodeShare,
    Drivers,
    GroupTest,
    PairCounts,
    corrects_shares,
)
from semscale.coding.codebook import Codebook
from semscale.coding.coding import CodeCalibration, Coding
from semscale.coding.label_advice import LabelAdvice
from semscale.coding.settings import CodeSettings, CodingColumns
from semscale.errors import InputError
from semscale.presentable import Presentable
from semscale.results.summary import ForemostRows
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.agreement import AgreementEstimate
from semscale.stats.intervals import IntervalPlan
from semscale.stats.sampling import SampleDesign
from semscale.types import Floats, Integers

QUOTES = 3
"""Number of answers of each kind that are shown for a code."""


@dataclass(frozen=True)
class CodingAgreement:
    """Krippendorff's alpha (nominal) of each code; empty without a comparison.

    Attributes:
        people: decisions compared with the majority of hand codes.
        between_people: people compared with each other.
        runs: this run compared with another run.
        other_run: name of the other run.
        people_alone: as ``people``, of decisions without the chat model; empty if none was asked.
    """

    people: tuple[AgreementEstimate, ...]
    between_people: tuple[AgreementEstimate, ...]
    runs: tuple[AgreementEstimate, ...]
    other_run: str = ""
    people_alone: tuple[AgreementEstimate, ...] = ()


@dataclass(frozen=True)
class Quote:
    """An answer that is shown for a code.

    Attributes:
        row: row of the answer, from 1.
        text: the answer.
        value: its probability, or its likeness if the code is not calibrated.
        assigned: whether the code was assigned; ``None`` if undecided.
        kind: ``typical`` for one with the code and a high value; ``borderline`` for one near the threshold.
        evidence: the sentence or clause with the strongest evidence for the code; ``None`` if it is unknown,
            or the code is very unlike.
        reason: the ``Reason`` that decided about the evidence; likewise.
        sentiment: rating of the units with the code; ``None`` without one.
    """

    row: int
    text: str
    value: float
    assigned: bool | None
    kind: Literal["typical", "borderline"] = "typical"
    evidence: str | None = None
    reason: str | None = None
    sentiment: float | None = None


@dataclass(frozen=True)
class CodeChange:
    """Number of answers that gained or lost a code by a chat model.

    Attributes:
        code: name of the code.
        n_gained: number of answers that have the code with the chat model, and not without it.
        n_lost: number of answers that have it without the chat model only.
    """

    code: str
    n_gained: int
    n_lost: int


@dataclass(frozen=True, repr=False)
class CodingSummary(Presentable):
    """Figures of n coded answers.

    Attributes:
        source: name of the table.
        columns: names of its columns.
        settings: thresholds of probabilities, and the smallest base of a test.
        plan: how intervals are made.
        codebook: the codes.
        n: number of rows.
        sampled: size of the random sample behind corrected and weighted shares, their tests, agreement
            between runs and drivers; ``None`` if all rows are used. All other figures are over all rows.
        outcomes: rows by outcome.
        reasons: rows without a code by reason, except rows to which no code applies.
        shares: shares of all answers, one for each code.
        group_shares: shares of each code in each group of each column, groups in order of first appearance.
        tests: tests of differences between the groups of a column, one for each column and code.
        calibrations: one for each code.
        people: names of the columns of hand codes.
        n_hand: number of hand-coded answers.
        is_drawn: whether the inclusion probabilities of the hand-coded answers are known.
        agreement: agreement with people, between people and between runs.
        pairs: counts of pairs of codes in the same answer.
        quotes: for each code example answers: typical ones, the highest values first, then borderline ones,
            the nearest to the threshold first.
        drivers: relation of the codes to a rating; ``None`` without a rating.
        asked: a chat model's probabilities; ``None`` if none was asked.
        changes: what the chat model changed, one for each code; empty if none was asked.
        signature: what was applied.
        advice: what further hand-coded answers would bring; ``None`` without any, or if all are coded.
        scale: scale of sentiment; ``None`` if nothing was rated.
        unseen_codes: codes of ``missing`` that no answer has.
        chosen: codes and answers that slides quote, instead of typical ones, each with the unit that decided,
            or ``None``.
        input_notes: how the table was read, such as the rows that a condition left out.
        created: time of the coding.
    """

    source: str
    columns: CodingColumns
    settings: CodeSettings
    plan: IntervalPlan
    codebook: Codebook
    n: int
    sampled: int | None
    outcomes: Mapping[str, int]
    reasons: Mapping[str, int]
    shares: tuple[CodeShare, ...]
    group_shares: tuple[CodeShare, ...]
    tests: tuple[GroupTest, ...]
    calibrations: tuple[CodeCalibration, ...]
    people: tuple[str, ...]
    n_hand: int
    is_drawn: bool
    agreement: CodingAgreement
    pairs: PairCounts
    quotes: tuple[tuple[Quote, ...], ...]
    drivers: Drivers | None
    asked: ChatCodes | None
    changes: tuple[CodeChange, ...]
    signature: Signature
    advice: LabelAdvice | None = None
    scale: Scale | None = None
    unseen_codes: tuple[str, ...] = ()
    chosen: tuple[tuple[str, str, str | None], ...] = ()
    input_notes: tuple[str, ...] = ()
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        coded = self.outcomes.get("coded", 0)
        codes = len(self.codebook.codes)
        return f"CodingSummary(source={self.source!r}, n={self.n:,}, n_coded={coded:,}, codes={codes})"

    @property
    def n_readable(self) -> int:
        """Number of readable answers with a weight above 0: the base of all shares."""
        return self.shares[0].n_readable

    @property
    def corrects_shares(self) -> bool:
        """True if corrected shares are the main ones; with few hand codes, or none, counted ones are."""
        return corrects_shares(self.n_hand, self.n_readable)

    @property
    def not_calibrated(self) -> tuple[str, ...]:
        """Codes that have no probabilities."""
        pairs = zip(self.codebook.names, self.calibrations, strict=True)
        return tuple(name for name, calibration in pairs if calibration.curve is None)

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        return {
            "instrument": "code",
            "source": self.source,
            "column": self.columns.text,
            "created": self.created,
            "rows": self.n,
            "sampled": self.sampled,
            "readable": self.n_readable,
            "outcomes": self.outcomes,
            "reasons": self.reasons,
            "interval": self.plan.interval,
            "hand_coded": self.n_hand,
            "people": self.people,
            "asked": None if self.asked is None else self._chat_record(self.asked),
            "further_labels": None if self.advice is None else self.advice.record(),
            "given_from": self.settings.given_from,
            "unsure_from": self.settings.unsure_from,
            "sentiment_scale": None if self.scale is None else self.scale.name,
            "codes": [self._code_record(position) for position in range(len(self.codebook.codes))],
            "group_shares": [
                {
                    "by": share.by,
                    "group": share.group,
                    "readable": share.n_readable,
                    **_share_record(share),
                }
                for share in self.group_shares
            ],
            "tests": self.tests,
            "weight": self.columns.weight,
            "clusters": self.columns.respondent,
            "strata": self.columns.strata,
            "min_base": self.settings.min_base,
            "pairs": {"counts": self.pairs.counts, "lift": self.pairs.lift},
            "drivers": self.drivers,
            "signature": self.signature,
        }

    def _chat_record(self, asked: ChatCodes) -> dict[str, Any]:
        alphas = self.agreement.people_alone
        return {
            "model": asked.model,
            "form": asked.form,
            "counts": asked.counts,
            "partly": asked.n_partly,
            "lost": asked.lost,
            "refused_forms": asked.refusals,
            "calls": asked.spent.calls,
            "prompt_tokens": asked.spent.usage.prompt_tokens,
            "reply_tokens": asked.spent.usage.completion_tokens,
            "money": asked.spent.money,
            "currency": asked.currency or None,
            "replies": asked.spent.replies,
            "changes": [
                {
                    "code": change.code,
                    "n_gained": change.n_gained,
                    "n_lost": change.n_lost,
                    "alpha_without": alphas[position] if alphas else None,
                }
                for position, change in enumerate(self.changes)
            ],
        }

    def _code_record(self, position: int) -> dict[str, Any]:
        calibration, quotes = self.calibrations[position], self.quotes[position]
        figures = calibration.figures
        alphas = {
            "alpha_with_people": self.agreement.people,
            "alpha_between_people": self.agreement.between_people,
            "alpha_between_runs": self.agreement.runs,
        }
        return {
            **_share_record(self.shares[position]),
            "parent": self.codebook.codes[position].parent,
            "calibrated": calibration.curve is not None,
            "labels_with": calibration.n_with,
            "labels_without": calibration.n_without,
            "brier": None if figures is None else figures.brier,
            "brier_of_share": None if figures is None else figures.brier_of_share,
            "calibration_error": None if figures is None else figures.error,
            "area": calibration.area,
            **{name: estimates[position] if estimates else None for name, estimates in alphas.items()},
            "typical": [_quote_record(quote) for quote in quotes if quote.kind == "typical"],
            "borderline": [_quote_record(quote) for quote in quotes if quote.kind == "borderline"],
        }


def _share_record(share: CodeShare) -> dict[str, Any]:
    corrected = None
    if share.corrected is not None:
        corrected = {
            "value": share.corrected.value,
            "low": share.corrected.low,
            "high": share.corrected.high,
            "n": share.corrected.n_labelled,
            "method": share.corrected.method,
            "note": share.corrected.note,
        }
    return {
        "code": share.code,
        "n": share.n,
        "n_given": share.n_assigned,
        "n_unsure": share.n_unsure,
        "small_base": share.has_small_base,
        "counted": share.counted,
        "corrected": corrected,
        "sentiment": share.sentiment,
    }


def _quote_record(quote: Quote) -> dict[str, Any]:
    return {
        "row": quote.row,
        "text": quote.text,
        "evidence": quote.evidence,
        "reason": quote.reason,
        "sentiment": quote.sentiment,
        "value": quote.value,
        "given": quote.assigned,
    }


class CodeTallies:
    """Running counts of outcomes, codes by group and pairs of codes, with quotes, part by part.

    Args:
        codes: k names.
        thresholds: shape (k,), lowest values at which codes are assigned.

    Attributes:
        n: number of answers so far.
        outcomes: answers by outcome.
        reasons: answers without a code by reason.
        overall: counts of all answers as one group.
        names: for each column of groups, the number of each group by its name, in order of first appearance.
        by: for each column of groups, the groups' counts.
        pairs: counts of pairs of codes in the same answer.
        quotes: the answers to show.
    """

    def __init__(self, codes: Sequence[str], thresholds: Sequence[float]) -> None:
        self.n = 0
        self.outcomes, self.reasons = Counter[str](), Counter[str]()
        self.overall = CodeCounts(len(codes), 1)
        self.names: dict[str, dict[str | None, int]] = {}
        self.by: dict[str, CodeCounts] = {}
        self.pairs = PairCounts(len(codes))
        self.quotes = QuoteChoice(thresholds)

    def add(
        self,
        coding: Coding,
        texts: Sequence[Any],
        by: Mapping[str, Sequence[str | None]],
        weights: Floats | None,
    ) -> dict[str, Integers]:
        """Add the next answers.

        Args:
            coding: codes of m answers.
            texts: the m answers.
            by: names of their groups, by the column of groups.
            weights: shape (m,).

        Returns:
            The number of each answer's group, shape (m,), by the column of groups.
        """
        assigned, sample = coding.assigned, coding.sample(SampleDesign(weights))
        self.outcomes.update(map(str, coding.outcome))
        self.reasons.update(str(reason) for reason in coding.reason if reason is not None)
        self.overall.add(np.zeros(len(coding), np.int64), sample)
        self.pairs.add(assigned)
        shown = [str(text) if read else None for text, read in zip(texts, coding.readable, strict=True)]
        self.quotes.add(shown, coding, self.n)
        self.n += len(coding)
        groups: dict[str, Integers] = {}
        for column, names in by.items():
            known = self.names.setdefault(column, {})
            groups[column] = np.array([known.setdefault(name, len(known)) for name in names], np.int64)
            counts = self.by.setdefault(column, CodeCounts(assigned.shape[1]))
            counts.add(groups[column], sample)
        return groups

    def check_weights(self, weight: str) -> None:
        """Refuse weights that sum to 0 in all rows or in a group.

        Args:
            weight: name of the column of weights.

        Raises:
            InputError: the weights sum to 0.
        """
        if not self.overall.weight[0] > 0:
            raise InputError("weight", f": the weights in column '{weight}' sum to 0")
        for column, names in self.names.items():
            for name, group in names.items():
                if name is not None and not self.by[column].weight[group] > 0:
                    raise InputError(
                        "weight",
                        f": the weights of group '{name}' in column '{column}' sum to 0 over "
                        f"{self.by[column].rows[group]} rows",
                    )


class ChangeCounts:
    """Running counts of codes that answers gained or lost by a chat model, part by part.

    Args:
        codes: k names.
    """

    def __init__(self, codes: Sequence[str]) -> None:
        self._codes = codes
        self._gained: Integers = np.zeros(len(codes), np.int64)
        self._lost: Integers = np.zeros(len(codes), np.int64)

    def add(self, assigned: Floats, alone: Floats) -> None:
        """Add decisions (n, k) with and without the chat model: 1, 0, or NaN where a code is not decided."""
        self._gained += ((assigned == 1) & (alone != 1)).sum(axis=0)
        self._lost += ((assigned != 1) & (alone == 1)).sum(axis=0)

    def changes(self) -> tuple[CodeChange, ...]:
        """Return the counts of each code."""
        return tuple(
            CodeChange(code, int(gained), int(lost))
            for code, gained, lost in zip(self._codes, self._gained, self._lost, strict=True)
        )


class QuoteChoice:
    """Selection of answers to show for each of k codes, part by part; equal texts count once.

    Args:
        thresholds: shape (k,), lowest values at which codes are assigned.
    """

    def __init__(self, thresholds: Sequence[float]) -> None:
        self._thresholds = thresholds
        self._typical, self._nearest = (
            [ForemostRows[Quote](most, text=lambda quote: quote.text) for _ in thresholds]
            for most in (QUOTES, 2 * QUOTES)  # three of the nearest may be typical, and are not shown twice
        )

    def add(self, texts: Sequence[str | None], coding: Coding, first_row: int) -> None:
        """Add the next answers.

        Args:
            texts: m answers, ``None`` if unreadable.
            coding: their codes.
            first_row: row of the first of these answers, from 0.
        """
        readable = np.array([text is not None for text in texts], dtype=np.bool_)
        for code, threshold in enumerate(self._thresholds):
            column = np.where(readable, coding.values[:, code], np.nan)
            decisions = coding.assigned[:, code]
            quote = partial(_quote, texts, coding, code, first_row)
            self._typical[code].add(np.where(decisions == 1, -column, np.nan), first_row, quote)
            self._nearest[code].add(np.abs(column - threshold), first_row, quote)

    def quotes(self) -> tuple[tuple[Quote, ...], ...]:
        """Return the selected answers for each code, the typical ones first."""
        chosen = []
        for typical, nearest in zip(self._typical, self._nearest, strict=True):
            texts = {quote.text for quote in typical.items}
            others = [quote for quote in nearest.items if quote.text not in texts]
            borderline = (replace(quote, kind="borderline") for quote in others[:QUOTES])
            chosen.append((*typical.items, *borderline))
        return tuple(chosen)


def _quote(texts: Sequence[str | None], coding: Coding, code: int, first_row: int, index: int) -> Quote:
    """Return one of m answers, which can be read, as a quote for a code."""
    decision = coding.assigned[index, code]
    sentiment = np.nan if coding.sentiment is None else coding.sentiment[index, code]
    return Quote(
        first_row + index + 1,
        str(texts[index]),
        float(coding.values[index, code]),
        None if np.isnan(decision) else bool(decision == 1),
        evidence=None if coding.evidence is None else coding.evidence[index, code],
        reason=None if coding.reasons is None else coding.reasons[index, code],
        sentiment=None if np.isnan(sentiment) else float(sentiment),
    )
