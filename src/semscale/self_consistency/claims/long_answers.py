"""Long answers split into claims, each judged by given passages, or by samples of the same answer."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.matching.entailment.probabilities import EntailmentModel
from semscale.matching.entailment.sentences import worded_sentences
from semscale.matching.unrelated import corpus_texts
from semscale.self_consistency.claims.claim_splitting import sentence_claims
from semscale.self_consistency.claims.claim_support import ClaimJudge, ClaimVerdict, Support
from semscale.self_consistency.claims.judged_answers import JudgedAnswers
from semscale.self_consistency.scoring.pair_measures import CONTRADICTED
from semscale.self_consistency.scoring.samples import given_texts
from semscale.signature import Signature
from semscale.store.columns import text_status
from semscale.types import Floats, Progress, Status, Statuses
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.embedding import Embedder


class Groundedness:
    """Says of each sentence of an answer whether given passages support or contradict it, and by what.

    Args:
        embedder: as ``ClaimJudge`` takes it.
        nli: likewise.
        corpus: sentences that the weights of words and the level of unrelated texts are estimated from; the
            passages of each call unless given. A model of entailment needs none.

    Raises:
        InputError: what is given is no model, or the corpus is no list of texts.
    """

    def __init__(
        self,
        *,
        embedder: "str | Path | Embedder" = DEFAULT_MODEL,
        nli: str | Path | EntailmentModel | None = None,
        corpus: Sequence[str] | None = None,
    ) -> None:
        self.claim_judge = _claim_judge(embedder, nli, corpus)

    @property
    def signature(self) -> Signature:
        """What is applied."""
        return grounding_signature(self.claim_judge)

    def judge(self, answers: object, passages: object, progress: Progress | None = None) -> JudgedAnswers:
        """Judge answers by passages.

        Args:
            answers: n texts.
            passages: n lists of texts, in which the answers should stand. Those that are missing, empty or no
                text are passed over; an answer without any has the status ``no-reference``.
            progress: called while texts are embedded.

        Returns:
            Claims with their verdicts; an answer's score is the share of its claims that are supported.

        Raises:
            InputError: lists of unequal length, or something other than a list where passages should be.
        """
        return grounded(answers, passages, self.claim_judge, progress)


class ClaimConsistency:
    """Splits long answers into sentences, and says how far samples of the same answer back each of them.

    A claim's value beside a sample is how far the sample's deciding sentence supports it; a sentence that
    contradicts it counts a tenth. Its value is the mean over samples, and its verdict is that of the sample
    in which it fares worst.

    Args:
        embedder: as ``ClaimJudge`` takes it.
        nli: likewise.
        corpus: as ``Groundedness`` takes it; the samples of each call unless given.

    Raises:
        InputError: what is given is no model.

    References:
        LUQ: Zhang et al. (2024), arXiv 2403.20279, whose claims are the sentences of an answer, too.
    """

    def __init__(
        self,
        *,
        embedder: "str | Path | Embedder" = DEFAULT_MODEL,
        nli: str | Path | EntailmentModel | None = None,
        corpus: Sequence[str] | None = None,
    ) -> None:
        self.claim_judge = _claim_judge(embedder, nli, corpus)

    @property
    def signature(self) -> Signature:
        """What is applied."""
        own = Signature.of("claim-consistency", contradicted=CONTRADICTED)
        return own.extended(self.claim_judge.signature)

    def measure(
        self, answers: object, samples: object = None, progress: Progress | None = None
    ) -> JudgedAnswers:
        """Measure answers by samples.

        Args:
            answers: n texts; without ``samples`` each a list whose first text is the answer.
            samples: n lists of texts. Those that are missing, empty or no text are passed over.
            progress: called while texts are embedded.

        Raises:
            InputError: lists of unequal length, or something other than a list where samples should be.
        """
        texts, lists, status = _usable(*given_texts(answers, samples), Status.TOO_FEW_SAMPLES)
        rows, claims = _claims(texts, status)
        counts = [len(lists[row]) for row in rows]
        beside = [claim for claim, n in zip(claims, counts, strict=True) for _ in range(n)]
        single = [[text] for row in rows for text in lists[row]]
        verdicts = self.claim_judge.judge(beside, single, progress)
        shares = np.array([_agreement(one) for one in verdicts], np.float64)
        bounds = np.cumsum([0, *counts])
        pieces = [slice(start, stop) for start, stop in zip(bounds, bounds[1:], strict=False)]
        worst = [_worst(verdicts[piece], shares[piece]) for piece in pieces]
        values = [_mean(shares[piece]) for piece in pieces]
        return _collected(rows, worst, values, status, self.signature)


def groundedness(
    answers: object,
    passages: object,
    *,
    embedder: "str | Path | Embedder" = DEFAULT_MODEL,
    nli: str | Path | EntailmentModel | None = None,
    progress: Progress | None = None,
) -> JudgedAnswers:
    """Judge answers by passages in one call; arguments and result are those of ``Groundedness``.

    Example:
        >>> found = groundedness(
        ...     ["The tower is in Paris. It was built in 1920."],
        ...     [["The Eiffel tower stands in Paris and was built in 1889."]],
        ... )
        >>> [str(claim.verdict) for claim in found.claims[0]], found.score.tolist()
        (['supported', 'contradicted'], [0.5])
    """
    return Groundedness(embedder=embedder, nli=nli).judge(answers, passages, progress)


def claim_consistency(
    answers: object,
    samples: object = None,
    *,
    embedder: "str | Path | Embedder" = DEFAULT_MODEL,
    nli: str | Path | EntailmentModel | None = None,
    progress: Progress | None = None,
) -> JudgedAnswers:
    """Measure claims by samples in one call; arguments and result are those of ``ClaimConsistency``."""
    return ClaimConsistency(embedder=embedder, nli=nli).measure(answers, samples, progress)


def grounded(
    answers: object, passages: object, judge: ClaimJudge, progress: Progress | None = None
) -> JudgedAnswers:
    """Judge answers by passages as ``Groundedness`` does, with a judge of single claims."""
    texts, lists, status = _usable(*given_texts(answers, passages, "passages"), Status.NO_REFERENCE)
    rows, claims = _claims(texts, status)
    verdicts = judge.judge(claims, [lists[row] for row in rows], progress)
    values = [_supported(one) for one in verdicts]
    return _collected(rows, verdicts, values, status, grounding_signature(judge))


def grounding_signature(judge: ClaimJudge) -> Signature:
    """Say what ``Groundedness`` applies with a judge of single claims."""
    return Signature.of("groundedness").extended(judge.signature)


def passage_sentences(answers: object, passages: object) -> list[list[str]]:
    """List for each answer the sentences that its claims are compared with; none where it is not judged."""
    _, lists, status = _usable(*given_texts(answers, passages, "passages"), Status.NO_REFERENCE)
    return [
        [sentence for text in each for sentence in worded_sentences(text)] if one is Status.SCORED else []
        for each, one in zip(lists, status, strict=True)
    ]


def _claim_judge(
    embedder: "str | Path | Embedder", nli: str | Path | EntailmentModel | None, corpus: Sequence[str] | None
) -> ClaimJudge:
    judge = ClaimJudge(embedder=embedder, nli=nli)
    return judge if corpus is None else judge.over(corpus_texts(corpus))


def _usable(
    originals: list[Any], cells: list[list[Any]], without: Status
) -> tuple[list[Any], list[list[str]], Statuses]:
    others = [[text for text in each if text_status(text) is Status.SCORED] for each in cells]
    status = np.array([text_status(text) for text in originals], dtype=object).reshape(-1)
    for row, each in enumerate(others):
        if status[row] is Status.SCORED and not each:
            status[row] = without
    return originals, others, status


def _claims(answers: Sequence[Any], status: Statuses) -> tuple[list[int], list[str]]:
    """Split the usable answers into sentences with letters or digits; for each the answer's row."""
    listed = [
        (row, sentence)
        for row, (text, one) in enumerate(zip(answers, status, strict=True))
        if one is Status.SCORED
        for sentence in sentence_claims(text)
    ]
    return [row for row, _ in listed], [sentence for _, sentence in listed]


def _collected(
    rows: Sequence[int],
    verdicts: Sequence[ClaimVerdict],
    values: Sequence[float],
    status: Statuses,
    signature: Signature,
) -> JudgedAnswers:
    claims: list[list[ClaimVerdict]] = [[] for _ in status]
    listed: list[list[float]] = [[] for _ in status]
    for row, verdict, value in zip(rows, verdicts, values, strict=True):
        claims[row].append(verdict)
        listed[row].append(value)
    score = np.array([_mean(np.array(each, np.float64)) for each in listed], np.float64).reshape(-1)
    found = status.copy()
    found[(status == Status.SCORED) & np.isnan(score)] = Status.WEIGHTLESS
    return JudgedAnswers(score, found, tuple(map(tuple, claims)), tuple(map(tuple, listed)), signature)


def _supported(one: ClaimVerdict) -> float:
    return np.nan if one.verdict is Support.UNREAD else float(one.verdict is Support.SUPPORTED)


def _agreement(one: ClaimVerdict) -> float:
    return one.score * (CONTRADICTED if one.verdict is Support.CONTRADICTED else 1.0)


def _worst(verdicts: Sequence[ClaimVerdict], shares: Floats) -> ClaimVerdict:
    known = np.where(np.isnan(shares), np.inf, shares)
    return verdicts[int(known.argmin())]


def _mean(values: Floats) -> float:
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else np.nan
