"""Long answers split into claims, each judged by given passages, or by samples of the same answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.answer_consistency.claims.claim_splitting import sentence_claims
from semscale.answer_consistency.claims.claim_support import ClaimJudge, ClaimVerdict, Support
from semscale.answer_consistency.claims.judged_answers import JudgedAnswers
from semscale.answer_consistency.scoring.pair_measures import CONTRADICTED
from semscale.answer_consistency.scoring.samples import given_texts, without_declining
from semscale.chat.declining import gives_no_answer
from semscale.matching.entailment.probabilities import EntailmentModel
from semscale.matching.entailment.sentences import worded_sentences
from semscale.matching.unrelated import corpus_texts
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
                text are passed over; an answer without any has the status ``no-reference``. One that declines
                to answer, or says that it is not known, is ``refused``.
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
    contradicts it counts a tenth. Its value is the mean over samples. Its verdict is that of the sample in
    which it fares worst: of one that contradicts it, else of the one that supports it least.

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
        return agreement_signature(self.claim_judge)

    def measure(
        self, answers: object, samples: object = None, progress: Progress | None = None
    ) -> JudgedAnswers:
        """Measure answers by samples.

        Args:
            answers: n texts; without ``samples`` each a list whose first text is the answer.
            samples: n lists of texts. Those that are missing, empty or no text, or that decline to answer,
                are passed over.
            progress: called while texts are embedded.

        Raises:
            InputError: lists of unequal length, or something other than a list where samples should be.
        """
        return agreeing(answers, samples, self.claim_judge, progress)


def groundedness(
    answers: object,
    passages: object,
    *,
    embedder: "str | Path | Embedder" = DEFAULT_MODEL,
    nli: str | Path | EntailmentModel | None = None,
    progress: Progress | None = None,
) -> JudgedAnswers:
    """Judge answers by passages in one call; result and further arguments are those of ``Groundedness``.

    Args:
        answers: n texts.
        passages: n lists of texts, one list for each answer.
        embedder: as ``Groundedness`` takes it.
        nli: likewise.
        progress: called while texts are embedded.

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
    given = _usable(*given_texts(answers, passages, "passages"), Status.NO_REFERENCE)
    rows, claims = _claims(given)
    found = judge.judge(claims, [given.texts[row] for row in rows], progress)
    verdicts = [_among_given(one, given.places[row]) for one, row in zip(found, rows, strict=True)]
    values = [_supported(one) for one in verdicts]
    return _collected(rows, verdicts, values, given.status, grounding_signature(judge))


def agreeing(
    answers: object, samples: object, judge: ClaimJudge, progress: Progress | None = None
) -> JudgedAnswers:
    """Measure answers by samples as ``ClaimConsistency`` does, with a judge of single claims."""
    originals, cells = given_texts(answers, samples)
    given = _usable(originals, without_declining(cells), Status.TOO_FEW_SAMPLES)
    rows, claims = _claims(given)
    counts = [len(given.texts[row]) for row in rows]
    beside = [claim for claim, n in zip(claims, counts, strict=True) for _ in range(n)]
    single = [[text] for row in rows for text in given.texts[row]]
    places = [[place] for row in rows for place in given.places[row]]
    found = judge.judge(beside, single, progress)
    verdicts = [_among_given(one, place) for one, place in zip(found, places, strict=True)]
    shares = np.array([_agreement(one) for one in verdicts], np.float64)
    bounds = np.cumsum([0, *counts])
    pieces = [slice(start, stop) for start, stop in zip(bounds, bounds[1:], strict=False)]
    worst = [_worst(verdicts[piece], shares[piece]) for piece in pieces]
    values = [_mean(shares[piece]) for piece in pieces]
    return _collected(rows, worst, values, given.status, agreement_signature(judge))


def agreement_signature(judge: ClaimJudge) -> Signature:
    """Say what ``ClaimConsistency`` applies with a judge of single claims."""
    return Signature.of("claim-consistency", contradicted=CONTRADICTED).extended(judge.signature)


def grounding_signature(judge: ClaimJudge) -> Signature:
    """Say what ``Groundedness`` applies with a judge of single claims."""
    return Signature.of("groundedness").extended(judge.signature)


def passage_sentences(answers: object, passages: object) -> list[list[str]]:
    """List for each answer the sentences that its claims are compared with; none where it is not judged."""
    return _usable(*given_texts(answers, passages, "passages"), Status.NO_REFERENCE).sentences()


def sample_sentences(answers: object, samples: object) -> list[list[str]]:
    """List for each answer the sentences of its samples, likewise."""
    originals, cells = given_texts(answers, samples)
    return _usable(originals, without_declining(cells), Status.TOO_FEW_SAMPLES).sentences()


def _claim_judge(
    embedder: "str | Path | Embedder", nli: str | Path | EntailmentModel | None, corpus: Sequence[str] | None
) -> ClaimJudge:
    judge = ClaimJudge(embedder=embedder, nli=nli)
    return judge if corpus is None else judge.over(corpus_texts(corpus))


@dataclass(frozen=True)
class _Given:
    """Answers, the usable texts beside each, the places of these among all that were given, and statuses."""

    answers: list[Any]
    texts: list[list[str]]
    places: list[list[int]]
    status: Statuses

    def sentences(self) -> list[list[str]]:
        return [
            [sentence for text in each for sentence in worded_sentences(text)]
            if one is Status.SCORED and sentence_claims(answer)
            else []
            for answer, each, one in zip(self.answers, self.texts, self.status, strict=True)
        ]


def _usable(answers: list[Any], cells: list[list[Any]], without: Status) -> _Given:
    places = [[at for at, text in enumerate(each) if text_status(text) is Status.SCORED] for each in cells]
    texts = [[each[at] for at in there] for each, there in zip(cells, places, strict=True)]
    status = np.array([_answer_status(text) for text in answers], dtype=object).reshape(-1)
    for row, each in enumerate(texts):
        if status[row] is Status.SCORED and not each:
            status[row] = without
    return _Given(answers, texts, places, status)


def _answer_status(answer: object) -> Status:
    """Say whether an answer can be judged; one that declines, or does not know, claims nothing."""
    status = text_status(answer)
    declined = status is Status.SCORED and gives_no_answer(str(answer))
    return Status.REFUSED if declined else status


def _claims(given: _Given) -> tuple[list[int], list[str]]:
    """Split the usable answers into sentences that state something; for each the answer's row."""
    listed = [
        (row, sentence)
        for row, (text, one) in enumerate(zip(given.answers, given.status, strict=True))
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


def _among_given(one: ClaimVerdict, places: Sequence[int]) -> ClaimVerdict:
    """Count the deciding text among all that were given, unusable ones included."""
    return one if one.text < 0 else replace(one, text=places[one.text])


def _worst(verdicts: Sequence[ClaimVerdict], shares: Floats) -> ClaimVerdict:
    """Take a verdict that contradicts the claim, else the one with the least support; unread ones last."""
    known = np.where(np.isnan(shares), np.inf, shares)
    denied = [one.verdict is Support.CONTRADICTED for one in verdicts]
    return verdicts[int(np.where(denied, known - 2, known).argmin())]


def _mean(values: Floats) -> float:
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else np.nan
