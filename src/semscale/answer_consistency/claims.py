"""Long answers judged claim by claim, by passages that should support them or by other samples."""

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, Unpack

import numpy as np
import polars as pl

from semscale.answer_consistency.pairs import CONTRADICTED, contradicting
from semscale.answer_consistency.samples import (
    distinct_entailments,
    read_texts,
    without_declining,
)
from semscale.answer_consistency.settings import ClaimKeywords, ClaimSettings
from semscale.chat.declining import gives_no_answer
from semscale.embedding.texts import text_status
from semscale.guards.findings import Finding
from semscale.matching.entailment import (
    CONTRADICTION,
    ENTAILMENT,
    EntailmentModel,
    load_entailment_model,
    sentences_with_text,
)
from semscale.matching.matcher import Matcher
from semscale.matching.matches import Matches
from semscale.matching.pairs import CorpusDependent
from semscale.results.estimates import Estimates, EstimateSettings, estimate_values
from semscale.results.result import FLOATS, STATUSES, Result, records
from semscale.settings import takes
from semscale.signature import Signature
from semscale.text_preparation import TextPreparation
from semscale.types import Floats, Progress, Status, Statuses, are_scored

SUPPORTS = 0.6
"""Score by ``calibrated`` from which a sentence supports a claim.

With the second sentence judged by the first, it supports 94 % of the STS-B dev pairs that people rate 4 or
more of 5, and 4 % of those rated 2 or less.
"""
RELATED = 0.3
"""Score from which a sentence and a claim have one subject, so that a guard's finding is a contradiction.

It finds contradictions in 5 % of the STS-B dev pairs rated below 1, and in 2 % of those rated 4 or more.
"""
MORE_LIKELY = 0.5
"""Probability from which a claim is entailed, or contradicted, by an entailment model."""

_CONTRADICT = ("negation", "opposite", "number", "name")  # guards whose findings contradict a claim


class Support(StrEnum):
    """Verdict on a claim from other texts."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not-found"
    UNREAD = "unread"  # the model cannot read the claim, or none of the sentences


_RANK = {Support.CONTRADICTED: 0, Support.NOT_FOUND: 1, Support.SUPPORTED: 2, Support.UNREAD: 3}


@dataclass(frozen=True)
class ClaimVerdict:
    """One claim with its verdict.

    Attributes:
        claim: a sentence of the answer.
        verdict: verdict from the other texts.
        value: its contribution to the answer's score, 0 to 1; NaN if it was not read. With passages, it is 1
            if the claim is supported, else 0; with samples, it is the mean over samples.
        score: support of the claim by the deciding sentence, 0 to 1; NaN if nothing could be compared.
        sentence: the deciding sentence; the nearest one for a claim that is not found. ``None`` without one.
        text: number of its text among the texts of the call, from 0; -1 without one.
        reason: reason for a contradiction, or, for a claim that is not found, the finding that prevents
            support by the nearest sentence; ``None`` otherwise, and with an entailment model.
    """

    claim: str
    verdict: Support
    value: float = np.nan
    score: float = np.nan
    sentence: str | None = None
    text: int = -1
    reason: str | None = None


CLAIMS = records(ClaimVerdict)


@dataclass(frozen=True, repr=False)
class JudgedAnswers(Result):
    """Claims of n answers.

    Attributes:
        score: shape (n,), mean value of each answer's read claims, 0 to 1; NaN without any.
        status: shape (n,), each a ``Status``.
        claims: claims of each answer, in their order; empty without a score.
        signature: the settings that were applied.
    """

    score: Annotated[Floats, FLOATS]
    status: Annotated[Statuses, STATUSES]
    claims: Annotated[tuple[tuple[ClaimVerdict, ...], ...], CLAIMS.private]
    signature: Signature

    @property
    def values(self) -> tuple[tuple[float, ...], ...]:
        """Values of the claims of each answer, 0 to 1."""
        return tuple(tuple(claim.value for claim in claims) for claims in self.claims)

    def count(self, verdict: Support) -> list[int]:
        """Count each answer's claims with a verdict."""
        return [sum(claim.verdict is verdict for claim in claims) for claims in self.claims]

    def supported_share(self) -> Floats:
        """Return the share of each answer's claims that are supported, shape (n,), without unread ones.

        With samples, a claim is supported if each sample supports it.
        """
        supported = np.array(self.count(Support.SUPPORTED), np.float64).reshape(-1)
        read = np.array([*map(len, self.claims)], np.float64).reshape(-1) - self.count(Support.UNREAD)
        share: Floats = np.full(len(read), np.nan)
        np.divide(supported, read, out=share, where=are_scored(self.status) & (read > 0))
        return share

    def lowest(self) -> list[tuple[str, float] | None]:
        """Return the claim of each answer with the lowest value, and that value; ``None`` without a score."""
        read = [
            [(verdict.claim, verdict.value) for verdict in claims if not np.isnan(verdict.value)]
            for claims in self.claims
        ]
        return [min(claims, key=lambda claim: claim[1], default=None) for claims in read]

    def worst(self, n: int = 10) -> list[tuple[int, ClaimVerdict, float]]:
        """List the claims with the lowest values, each with its answer's number, from 0, and its value.

        With equal values, contradicted claims come first, then claims that are not found.
        """
        read = [
            (answer, claim, claim.value)
            for answer, claims in enumerate(self.claims)
            for claim in claims
            if not np.isnan(claim.value)
        ]
        return sorted(read, key=lambda row: (row[2], _RANK[row[1].verdict], row[0]))[:n]

    def estimate(self, **settings: Unpack[EstimateSettings]) -> Estimates:
        """Estimate the mean score of all answers and of each group, with intervals.

        Args:
            settings: ``by``, ``weights``, ``respondents``, and settings of the intervals; see
                ``EstimateSettings``.

        Raises:
            InputError: a column of the wrong length, a wrong weight, or a setting out of range.
        """
        return estimate_values(
            {"score": self.score},
            self.status,
            bounds={"score": (0.0, 1.0)},
            signature=self.signature,
            **settings,
        )

    def extra_columns(self) -> list[pl.Series]:
        """Return the claims, and counts of those with each verdict; counts are null without a score.

        Claims are lists of structs, with ``text`` numbered from 1.
        """
        (claims,) = CLAIMS.write(self.claims, "claims")
        text = pl.field("text")
        shown = pl.element().struct.with_fields(
            pl.field("value").fill_nan(None),
            pl.field("score").fill_nan(None),
            pl.when(text >= 0).then(text + 1),
        )
        scored = are_scored(self.status)
        return [
            claims.list.eval(shown),
            *(
                pl.Series(
                    str(verdict).replace("-", "_"),
                    [n if known else None for n, known in zip(self.count(verdict), scored, strict=True)],
                    dtype=pl.Int64,
                )
                for verdict in (Support.SUPPORTED, Support.CONTRADICTED, Support.NOT_FOUND)
            ),
        ]


class ClaimJudge:
    """Judges claims by the sentences of texts.

    Without an entailment model, the ``calibrated`` score measures whether a sentence supports all of the
    claim. The sentence supports the claim if the score is at least .6 and no guard finds a contradiction; it
    contradicts the claim if a guard finds one and the score is at least .3. Findings of these guards
    (negations, opposites, numbers, names) do not lower the score. Findings of other guards (such as swapped
    roles or quantity words) do, and may prevent support; then they are named. With a model, a sentence
    supports or contradicts a claim if the probability is above .5. If one sentence supports and another
    contradicts, the one with the higher value decides.

    Args:
        settings: fields of ``ClaimSettings``.

    Raises:
        InputError: a setting is not a model, or the corpus is not a list of texts.
    """

    @takes(ClaimSettings)
    def __init__(self, **settings: Unpack[ClaimKeywords]) -> None:
        chosen = ClaimSettings(**settings)
        self._scorer: EntailmentModel | Matcher
        if chosen.nli is not None:
            self._scorer = load_entailment_model(chosen.nli)
        else:
            self._scorer = Matcher(
                "calibrated",
                embedder=chosen.embedder,
                corpus=chosen.corpus,
                recall_share=0.0,
                guards=dict.fromkeys(_CONTRADICT, "warn"),  # findings of other guards lower the score
            )

    @property
    def uses_entailment(self) -> bool:
        """Return whether an entailment model is used."""
        return not isinstance(self._scorer, Matcher)

    def over(self, corpus: Sequence[str]) -> "ClaimJudge":
        """Return the judge with word weights and levels from a corpus instead of the texts of each call.

        Args:
            corpus: sentences; an entailment model estimates nothing from them.
        """
        other, scorer = copy(self), self._scorer
        if isinstance(scorer, Matcher) and isinstance(scorer.pair_method, CorpusDependent):
            other._scorer = scorer.with_method(scorer.pair_method.over(corpus))
        return other

    @property
    def signature(self) -> Signature:
        """The applied settings."""
        bounds = (
            {"more_likely": MORE_LIKELY}
            if self.uses_entailment
            else {"supports": SUPPORTS, "related": RELATED}
        )
        return Signature.of("claims", **bounds).plus(self._scorer.signature)

    def judge(
        self, claims: Sequence[str], texts: Sequence[Sequence[str | None]], progress: Progress | None = None
    ) -> list[ClaimVerdict]:
        """Judge each claim by its texts; all pairs of all claims are scored together.

        Args:
            claims: c sentences.
            texts: c lists of texts; ``None`` is ignored, but numbered.
            progress: called while texts are embedded.
        """
        sentences = [
            [
                (sentence, number)
                for number, text in enumerate(listed)
                if text is not None
                for sentence in sentences_with_text(text)
            ]
            for listed in texts
        ]
        premises = [sentence for listed in sentences for sentence, _ in listed]
        hypotheses = [
            claim for claim, listed in zip(claims, sentences, strict=True) for _ in range(len(listed))
        ]
        if not premises:
            return [ClaimVerdict(claim, Support.NOT_FOUND) for claim in claims]
        if isinstance(self._scorer, Matcher):
            scores = _scores_by_matching(self._scorer.match(hypotheses, premises, progress=progress))
        else:
            scores = _scores_by_entailment(distinct_entailments(self._scorer, premises, hypotheses))
        bounds = np.cumsum([0, *map(len, sentences)]).tolist()
        return [
            scores.verdict(claim, listed, slice(start, stop))
            for claim, listed, start, stop in zip(claims, sentences, bounds, bounds[1:], strict=False)
        ]


def _scores_by_entailment(relations: Floats) -> "_SentenceScores":
    entailed, denied = relations[:, ENTAILMENT], relations[:, CONTRADICTION]
    backing, denial = (np.where(share >= MORE_LIKELY, share, -1.0) for share in (entailed, denied))
    none = [None] * len(relations)
    return _SentenceScores(entailed, entailed, backing, denial, none, none)


def _scores_by_matching(matches: Matches) -> "_SentenceScores":
    score, findings = matches.score, matches.findings
    nearness = score / matches.components["findings"]  # the score before findings lowered it
    is_doubted = ~(score >= SUPPORTS) & (nearness >= SUPPORTS)  # a score of NaN does not support
    reasons = [_reason(contradicting(listed)) for listed in findings]
    doubts = [
        _reason([finding for finding in listed if finding.guard not in _CONTRADICT]) if doubted else None
        for listed, doubted in zip(findings, is_doubted.tolist(), strict=True)
    ]
    is_denied = np.array([reason is not None for reason in reasons], bool)
    backing = np.where((score >= SUPPORTS) & ~is_denied, score, -1.0)
    denial = np.where((score >= RELATED) & is_denied, score, -1.0)
    return _SentenceScores(score, nearness, backing, denial, reasons, doubts)


def _reason(findings: Sequence[Finding]) -> str | None:
    """Return the first finding's reason, worded for a claim and a sentence; ``None`` without a finding."""
    if not findings:
        return None
    return findings[0].reason.replace("prediction", "claim").replace("reference", "sentence")


@dataclass(frozen=True)
class _SentenceScores:
    """Scores of p sentences, each with its claim.

    Attributes:
        score: shape (p,), support of the claim, 0 to 1; NaN if one of the two cannot be read.
        nearness: shape (p,), the score before findings lowered it.
        backing: shape (p,), the score, if the sentence supports the claim; else -1.
        denial: shape (p,), the value of the contradiction, if it contradicts the claim; else -1.
        reasons: p reasons why it contradicts the claim.
        doubts: p findings that prevent support of the claim.
    """

    score: Floats
    nearness: Floats
    backing: Floats
    denial: Floats
    reasons: Sequence[str | None]
    doubts: Sequence[str | None]

    def verdict(self, claim: str, sentences: Sequence[tuple[str, int]], rows: slice) -> ClaimVerdict:
        """Decide about a claim by the rows of its sentences and the numbers of their texts."""
        if not sentences:
            return ClaimVerdict(claim, Support.NOT_FOUND)
        score, backing, denial = self.score[rows], self.backing[rows], self.denial[rows]
        if np.isnan(score).all():
            return ClaimVerdict(claim, Support.UNREAD)
        reason = None
        if backing.max() >= 0 and backing.max() >= denial.max():
            verdict, number = Support.SUPPORTED, int(backing.argmax())
        elif denial.max() >= 0:
            verdict, number = Support.CONTRADICTED, int(denial.argmax())
            reason = self.reasons[rows][number]
        else:
            verdict, number = Support.NOT_FOUND, int(np.nanargmax(self.nearness[rows]))
            reason = self.doubts[rows][number]
        sentence, text = sentences[number]
        return ClaimVerdict(
            claim, verdict, score=float(score[number]), sentence=sentence, text=text, reason=reason
        )


class Groundedness:
    """Judges whether passages support or contradict each sentence of an answer, and which passage.

    Args:
        settings: fields of ``ClaimSettings``.

    Raises:
        InputError: a setting is not a model, or the corpus is not a list of texts.
    """

    @takes(ClaimSettings)
    def __init__(self, **settings: Unpack[ClaimKeywords]) -> None:
        self.settings = ClaimSettings(**settings)
        self.claim_judge = ClaimJudge(**settings)

    @property
    def signature(self) -> Signature:
        """The applied settings."""
        applied = Signature.of("groundedness", **self.settings.signature_fields())
        return applied.plus(self.claim_judge.signature)

    def over(self, corpus: Sequence[str]) -> "Groundedness":
        """Return the instrument with estimates from a corpus, as ``ClaimJudge.over``."""
        other = copy(self)
        other.claim_judge = self.claim_judge.over(corpus)
        return other

    def sentences(self, answers: object, passages: object) -> list[list[str]]:
        """List the sentences of each answer's passages; none for an answer without claims."""
        return _ComparedAnswers.beside_passages(answers, passages).sentences()

    def judge(self, answers: object, passages: object, progress: Progress | None = None) -> JudgedAnswers:
        """Judge answers by passages.

        Args:
            answers: n texts.
            passages: n lists of texts that should support the answers. Passages that are missing, empty or
                not text are left out; an answer without any has the status ``no-reference``. An answer that
                declines, or states that it is not known, is ``refused``.
            progress: called while texts are embedded.

        Returns:
            Claims with their verdicts; an answer's score is the share of its claims that are supported.

        Raises:
            InputError: lists of unequal length, or passages that are not a list.
        """
        originals, lists = read_texts(answers, passages, "passages")
        preparation = TextPreparation.from_settings(self.settings)
        return self.judge_prepared(preparation.prepare(originals), preparation.prepare(lists), progress)

    def judge_prepared(
        self, answers: object, passages: object, progress: Progress | None = None
    ) -> JudgedAnswers:
        """Judge texts as they are, with the reasoning and HTML in them; otherwise as ``judge``."""
        compared = _ComparedAnswers.beside_passages(answers, passages)
        rows, claims = compared.claims()
        verdicts = [
            verdict
            if verdict.verdict is Support.UNREAD
            else replace(verdict, value=float(verdict.verdict is Support.SUPPORTED))
            for verdict in self.claim_judge.judge(claims, [compared.texts[row] for row in rows], progress)
        ]
        return compared.collect_verdicts(rows, verdicts, self.signature)


class ClaimConsistency:
    """Splits long answers into sentences, and measures the support of each by samples of the same answer.

    A claim's value with one sample is its support by the sample's deciding sentence, divided by 10 if that
    contradicts it. Its value is the mean over samples. Its verdict is that of a sample that contradicts it,
    or else of the sample that supports it least.

    Args:
        settings: fields of ``ClaimSettings``.

    Raises:
        InputError: a setting is not a model, or the corpus is not a list of texts.

    References:
        LUQ: Zhang et al. (2024), arXiv 2403.20279, whose claims are the sentences of an answer, too.
    """

    @takes(ClaimSettings)
    def __init__(self, **settings: Unpack[ClaimKeywords]) -> None:
        self.settings = ClaimSettings(**settings)
        self.claim_judge = ClaimJudge(**settings)

    @property
    def signature(self) -> Signature:
        """The applied settings."""
        applied = Signature.of(
            "claim-consistency", contradicted=CONTRADICTED, **self.settings.signature_fields()
        )
        return applied.plus(self.claim_judge.signature)

    def over(self, corpus: Sequence[str]) -> "ClaimConsistency":
        """Return the instrument with estimates from a corpus, as ``ClaimJudge.over``."""
        other = copy(self)
        other.claim_judge = self.claim_judge.over(corpus)
        return other

    def sentences(self, answers: object, samples: object) -> list[list[str]]:
        """List the sentences of each answer's samples; none for an answer without claims."""
        return _ComparedAnswers.beside_samples(answers, samples).sentences()

    def measure(
        self, answers: object, samples: object = None, progress: Progress | None = None
    ) -> JudgedAnswers:
        """Measure answers by samples.

        Args:
            answers: n texts; without ``samples`` each a list whose first text is the answer.
            samples: n lists of texts. Samples that are missing, empty or not text, or that decline to answer,
                are left out.
            progress: called while texts are embedded.

        Raises:
            InputError: lists of unequal length, or samples that are not a list.
        """
        originals, lists = read_texts(answers, samples)
        preparation = TextPreparation.from_settings(self.settings)
        return self.measure_prepared(preparation.prepare(originals), preparation.prepare(lists), progress)

    def measure_prepared(
        self, answers: object, samples: object, progress: Progress | None = None
    ) -> JudgedAnswers:
        """Measure texts as they are, with the reasoning and HTML in them; otherwise as ``measure``."""
        compared = _ComparedAnswers.beside_samples(answers, samples)
        rows, claims = compared.claims()
        usable = [[(n, text) for n, text in enumerate(texts) if text is not None] for texts in compared.texts]
        beside = [
            (claim, number, text)
            for row, claim in zip(rows, claims, strict=True)
            for number, text in usable[row]
        ]
        judged = self.claim_judge.judge(
            [claim for claim, _, _ in beside], [[text] for _, _, text in beside], progress
        )
        verdicts = [
            verdict if verdict.text < 0 else replace(verdict, text=number)
            for verdict, (_, number, _) in zip(judged, beside, strict=True)
        ]
        values = np.array(
            [
                verdict.score * (CONTRADICTED if verdict.verdict is Support.CONTRADICTED else 1.0)
                for verdict in verdicts
            ],
            np.float64,
        )
        bounds = np.cumsum([0, *(len(usable[row]) for row in rows)]).tolist()
        worst = [
            replace(_worst(verdicts[piece], values[piece]), value=_mean(values[piece]))
            for piece in map(slice, bounds, bounds[1:])
        ]
        return compared.collect_verdicts(rows, worst, self.signature)


@takes(ClaimSettings)
def groundedness(
    answers: object, passages: object, progress: Progress | None = None, **settings: Unpack[ClaimKeywords]
) -> JudgedAnswers:
    """Judge answers by passages in one call; arguments and result are those of ``Groundedness``.

    Examples:
        >>> judged = groundedness(
        ...     ["The tower is in Paris. It was built in 1920."],
        ...     [["The Eiffel tower stands in Paris and was built in 1889."]],
        ... )
        >>> [str(claim.verdict) for claim in judged.claims[0]], judged.score.tolist()
        (['supported', 'contradicted'], [0.5])
    """
    return Groundedness(**settings).judge(answers, passages, progress)


@takes(ClaimSettings)
def claim_consistency(
    answers: object,
    samples: object = None,
    progress: Progress | None = None,
    **settings: Unpack[ClaimKeywords],
) -> JudgedAnswers:
    """Measure claims by samples in one call; arguments and result are those of ``ClaimConsistency``."""
    return ClaimConsistency(**settings).measure(answers, samples, progress)


@dataclass(frozen=True)
class _ComparedAnswers:
    """Answers, the texts that their claims are compared with, and statuses.

    A text that cannot be compared is ``None``, so that texts keep their numbers.
    """

    answers: list[Any]
    texts: list[list[str | None]]
    status: Statuses

    @classmethod
    def beside_passages(cls, answers: object, passages: object) -> "_ComparedAnswers":
        return cls._compare(*read_texts(answers, passages, "passages"), Status.NO_REFERENCE)

    @classmethod
    def beside_samples(cls, answers: object, samples: object) -> "_ComparedAnswers":
        originals, cells = read_texts(answers, samples)
        return cls._compare(originals, without_declining(cells), Status.TOO_FEW_SAMPLES)

    @classmethod
    def _compare(cls, answers: list[Any], cells: list[list[Any]], without: Status) -> "_ComparedAnswers":
        texts = [
            [cell if text_status(cell) is Status.SCORED else None for cell in listed] for listed in cells
        ]
        status = np.array([_answer_status(answer) for answer in answers], dtype=object).reshape(-1)
        for row, listed in enumerate(texts):
            if status[row] is Status.SCORED and not any(listed):
                status[row] = without
        return cls(answers, texts, status)

    def claims(self) -> tuple[list[int], list[str]]:
        """Split the usable answers into sentences that state something, each with its answer's row."""
        listed = [
            (row, claim)
            for row, (text, status) in enumerate(zip(self.answers, self.status, strict=True))
            if status is Status.SCORED
            for claim in sentence_claims(text)
        ]
        return [row for row, _ in listed], [claim for _, claim in listed]

    def sentences(self) -> list[list[str]]:
        """Split the other texts of each answer with claims into sentences."""
        return [
            [sentence for text in texts if text is not None for sentence in sentences_with_text(text)]
            if status is Status.SCORED and sentence_claims(answer)
            else []
            for answer, texts, status in zip(self.answers, self.texts, self.status, strict=True)
        ]

    def collect_verdicts(
        self, rows: Sequence[int], verdicts: Sequence[ClaimVerdict], signature: Signature
    ) -> JudgedAnswers:
        """Collect the claims of each answer and their mean value; ``weightless`` if no claim was read."""
        claims: list[list[ClaimVerdict]] = [[] for _ in self.status]
        for row, verdict in zip(rows, verdicts, strict=True):
            claims[row].append(verdict)
        means = [_mean(np.array([claim.value for claim in listed], np.float64)) for listed in claims]
        score = np.array(means, np.float64).reshape(-1)
        status = self.status.copy()
        status[(status == Status.SCORED) & np.isnan(score)] = Status.WEIGHTLESS
        return JudgedAnswers(score, status, tuple(map(tuple, claims)), signature)


def _answer_status(answer: object) -> Status:
    """Return the status of an answer; an answer that declines, or does not know, has no claims."""
    status = text_status(answer)
    declined = status is Status.SCORED and gives_no_answer(str(answer))
    return Status.REFUSED if declined else status


def _worst(verdicts: Sequence[ClaimVerdict], shares: Floats) -> ClaimVerdict:
    """Choose a verdict that contradicts the claim, else the one with the least support, unread ones last."""
    known = np.where(np.isnan(shares), np.inf, shares)
    is_denied = [claim.verdict is Support.CONTRADICTED for claim in verdicts]
    return verdicts[int(np.where(is_denied, known - 2, known).argmin())]


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


_LIST_MARK = re.compile(r"(?:[-*•–—]|#{1,6})\s+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_REPLIES = frozenset((
    "absolutely", "agreed", "certainly", "correct", "course", "definitely", "exactly", "false", "fine",
    "good", "great", "hello", "hey", "hi", "incorrect", "indeed", "maybe", "no", "nope", "of", "ok",
    "okay", "oh", "perhaps", "please", "possibly", "probably", "right", "sure", "thank", "thanks",
    "true", "unfortunately", "very", "well", "wrong", "yeah", "yep", "yes", "you",
))  # fmt: skip


def sentence_claims(text: object) -> list[str]:
    """Split a text into the sentences that may state something; none for other cells.

    Markers of lists and headings are left out. A sentence such as "Yes." or "OK." states nothing and is left
    out, as is one without letters and digits.

    Examples:
        >>> sentence_claims("It is tall. It is old."), sentence_claims(None)
        (['It is tall.', 'It is old.'], [])
        >>> sentence_claims("Yes, of course. - It costs $5.")
        ['It costs $5.']
    """
    if not isinstance(text, str) or text_status(text) is not Status.SCORED:
        return []
    sentences = [_LIST_MARK.sub("", sentence, count=1) if _LIST_MARK.match(sentence) else sentence
                 for sentence in sentences_with_text(text)]  # fmt: skip
    return [
        sentence
        for sentence in sentences
        if any(map(str.isalnum, sentence)) and not _REPLIES.issuperset(_WORD.findall(sentence.casefold()))
    ]
