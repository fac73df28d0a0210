"""Why an item has no consistency, in words."""

import numpy as np

from semscale.answer_consistency.asking.asking import Replies
from semscale.answer_consistency.meanings.meaning_measures import MEANING_MEASURES
from semscale.answer_consistency.scoring.pair_measures import PAIR_MEASURES
from semscale.answer_consistency.scoring.samples import SampledAnswers
from semscale.answer_consistency.white_box.mixed_measures import MIXED_MEASURES
from semscale.answer_consistency.white_box.sampled_measures import SAMPLED_MEASURES
from semscale.answer_consistency.white_box.token_scores import TOKEN_MEASURES
from semscale.results.reasons import reason_words
from semscale.types import Floats, Status

Reasons = tuple[str | None, ...]
"""One for each item; ``None`` where it has a value."""

NO_ANSWER = "the model declined to answer, or said that it does not know"
_NO_WORDS = "no token that counts stands in the answer or in any sample"
_UNREAD = "the model of entailment cannot read the answer, or a sample"
_NO_LOGPROBS = "the log-probabilities of the answer's tokens are not known"
_NO_SAMPLE_LOGPROBS = "the log-probabilities of the samples' tokens are not known"
_NO_P_TRUE = (
    "the model gave no log-probabilities for True or False and no typed decision, or its reply opened with "
    "another word"
)


def no_value_words(measure: str) -> str:
    """Say why an answer with samples has no value of a measure."""
    if measure in PAIR_MEASURES:
        return _NO_WORDS
    if measure in MEANING_MEASURES:
        return _UNREAD
    if measure in SAMPLED_MEASURES:
        return _NO_SAMPLE_LOGPROBS
    return _NO_LOGPROBS if measure in {**TOKEN_MEASURES, **MIXED_MEASURES} else _NO_P_TRUE


def measuring_reasons(taken: SampledAnswers, score: Floats, measure: str) -> Reasons:
    """Say why items have no value of the first measure.

    Args:
        taken: n answers with their samples.
        score: shape (n,), values of the first measure; NaN where there is none.
        measure: its name.
    """
    reasons = [reason_words(status, "the answer") for status in taken.status]
    for item in np.flatnonzero(taken.status == Status.OTHER_LANGUAGE).tolist():
        reasons[item] = reason_words(Status.OTHER_LANGUAGE, "the answer, or every sample,")
    for item in np.flatnonzero(taken.status == Status.REFUSED).tolist():
        reasons[item] = NO_ANSWER
    for item in np.flatnonzero(taken.status == Status.TOO_FEW_SAMPLES).tolist():
        n = int(taken.n_samples[item])
        declined = f"; {left_out} declined to answer" if (left_out := int(taken.n_declined[item])) else ""
        usable = f"{n or 'no'} sample{'s are' if n > 1 else ' is'} usable"
        reasons[item] = f"{usable}, {taken.fewest} needed{declined}"
    for item in np.flatnonzero((taken.status == Status.SCORED) & np.isnan(score)).tolist():
        reasons[item] = no_value_words(measure)
    return tuple(reasons)


def asking_reasons(replies: Replies, measured: Reasons) -> Reasons:
    """Say why prompts have no value: what kept the answer from coming, or else why it cannot be measured.

    Args:
        replies: to n prompts.
        measured: n reasons from measuring the answers that came.
    """
    rows = zip(replies.status, replies.reasons, measured, strict=True)
    return tuple(_asking_reason(replies.counts.stopped, *row) for row in rows)


def _asking_reason(
    stopped: str | None, status: Status, failure: str | None, measured: str | None
) -> str | None:
    if status is Status.SCORED:
        return f"{measured}: {failure}" if measured and failure else measured
    if status in {Status.FAILED, Status.REFUSED}:
        return failure or reason_words(status, "the question")
    return stopped if status is Status.UNFINISHED and stopped else reason_words(status, "the question")
