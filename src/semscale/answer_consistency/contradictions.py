"""Contradictions between an answer and its samples, which guards and a model of entailment report.

By a model of entailment, a sample contradicts the answer if the model's probability of contradiction is above
.5 in one of the two directions: the answer as premise of the sample, or the sample as premise of the answer.
Of a text of several sentences the most contradicted one counts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from semscale.answer_consistency.samples import SentenceEntailment, distinct_entailments
from semscale.answer_consistency.short_answers import SAME_ANSWER, ShortAnswerGuard
from semscale.guards.findings import Finding, Span
from semscale.guards.registry import GUARDS
from semscale.matching.entailment import CONTRADICTION, EntailmentModel
from semscale.matching.pairs import Pairs
from semscale.types import Floats, Mask

CONTRADICTING = frozenset(
    {
        "negation:negated-prediction",
        "negation:negated-reference",
        "opposite:opposed",
        "opposite:reversed-order",
        "number:other-value",
        "number:other-unit",
        "number:other-bound",
        "number:other-label",
        "answer:other-answer",
        "answer:opposite-verdict",
    }
)
"""Kinds of findings by which a sample contradicts the answer; to say more or less is no contradiction."""

_EXCHANGED = frozenset({"name:missing-name", "name:invented-name"})  # both together are a contradiction
_SHORT_ANSWERS = ShortAnswerGuard()

CONTRADICTS_ABOVE = 0.5
"""Probability of contradiction above which a sample contradicts the answer: more likely than not."""
ENTAILED = "entailment"
"""Name of the findings of a model of entailment."""


@dataclass(frozen=True)
class Contradiction:
    """Something in one sample that contradicts the answer.

    Attributes:
        sample: number of the sample among all of the item, from 0.
        finding: what contradicts; its ``prediction`` lies in the answer, its ``reference`` in the sample.
    """

    sample: int
    finding: Finding


def guard_findings(
    pairs: Pairs,
    guards: Sequence[str],
    cosine: Floats,
    guarded: Mask,
    *,
    same_answer: float = SAME_ANSWER,
    differing: Floats | None = None,
) -> list[tuple[Finding, ...]]:
    """List for each pair the findings of guards that contradict the answer; equal pairs are checked once.

    Args:
        pairs: p pairs of an answer (``prediction``) and a sample (``reference``).
        guards: names of the guards that check them.
        cosine: shape (p,), of their vectors; NaN where it is not known.
        guarded: shape (p,), whether guards check the pair: they read English alone.
        same_answer: cosine from which two short answers count as wordings of one, which depends on the model.
        differing: shape (p,), cosine of the words in which two short answers of one wording differ; NaN where
            there are none, or where it is not known.

    Returns:
        p tuples, empty where nothing contradicts, and where guards do not check.
    """
    known: dict[tuple[int, int], tuple[Finding, ...]] = {}
    findings: list[tuple[Finding, ...]] = []
    differing = np.full(len(pairs.item), np.nan) if differing is None else differing
    for row, key in enumerate(zip(pairs.prediction.tolist(), pairs.reference.tolist(), strict=True)):
        if not guarded[row]:
            findings.append(())
            continue
        if key not in known:
            texts = pairs.texts[key[0]], pairs.texts[key[1]]
            cosines = float(cosine[row]), float(differing[row])
            known[key] = _check(*texts, guards, cosines, same_answer) if key[0] != key[1] else ()
        findings.append(known[key])
    return findings


def _check(
    answer: str, sample: str, guards: Sequence[str], cosines: tuple[float, float], same_answer: float
) -> tuple[Finding, ...]:
    findings = [
        finding for name in guards if name in GUARDS for finding in GUARDS[name].check(answer, sample)
    ]
    if _SHORT_ANSWERS.name in guards:
        cosine, differing = cosines
        findings += _SHORT_ANSWERS.check(answer, sample, cosine, same_answer, differing_cosine=differing)
    return tuple(map(_reworded, contradicting(findings)))


def contradicting(findings: Sequence[Finding]) -> list[Finding]:
    """Select the findings that are contradictions.

    Those of ``CONTRADICTING`` are; a name is if another name replaces it.

    Args:
        findings: all of one pair.
    """
    kinds = [f"{finding.guard}:{finding.kind}" for finding in findings]
    contradict = CONTRADICTING | _EXCHANGED if {*kinds} >= _EXCHANGED else CONTRADICTING
    return [finding for finding, kind in zip(findings, kinds, strict=True) if kind in contradict]


def _reworded(finding: Finding) -> Finding:
    """Speak of the answer and the sample; quotations stay."""
    pieces = finding.reason.split('"')
    pieces[::2] = [
        piece.replace("prediction", "answer").replace("reference", "sample") for piece in pieces[::2]
    ]
    return replace(finding, reason='"'.join(pieces))


def contradiction_probabilities(pairs: Pairs, model: EntailmentModel) -> Floats:
    """Give how probable it is that answers and samples contradict each other, in one call to the model.

    Args:
        pairs: p pairs of an answer (``prediction``) and a sample (``reference``).
        model: of entailment; one that judges sentence by sentence gives the most contradicted sentence.

    Returns:
        Shape (p,), the greater probability of the two directions; 0 for equal texts, and NaN for two that the
        model cannot read.

    Raises:
        InputError: the model gives no probabilities.
    """
    apart = np.flatnonzero(pairs.prediction != pairs.reference)  # texts are distinct
    answers = [pairs.texts[text] for text in pairs.prediction[apart].tolist()]
    samples = [pairs.texts[text] for text in pairs.reference[apart].tolist()]
    premises, hypotheses = answers + samples, samples + answers
    if isinstance(model, SentenceEntailment):
        both = model.contradictions(premises, hypotheses)
    else:
        both = distinct_entailments(model, premises, hypotheses)[:, CONTRADICTION]
    probability: Floats = np.zeros(len(pairs.item))
    probability[apart] = np.maximum(both[: len(apart)], both[len(apart) :])
    return probability


def entailed_findings(pairs: Pairs, probability: Floats) -> list[tuple[Finding, ...]]:
    """List for each pair the contradiction by a model of entailment, if there is one.

    Args:
        pairs: p pairs of an answer and a sample.
        probability: shape (p,), as ``contradiction_probabilities`` gives it; NaN is no contradiction.

    Returns:
        p tuples, each empty or with one finding about both texts as a whole.
    """
    rows = zip(pairs.prediction.tolist(), pairs.reference.tolist(), probability.tolist(), strict=True)
    return [_entailed(pairs.texts[answer], pairs.texts[sample], value) for answer, sample, value in rows]


def _entailed(answer: str, sample: str, probability: float) -> tuple[Finding, ...]:
    if math.isnan(probability) or probability <= CONTRADICTS_ABOVE:
        return ()
    reason = f"The model of entailment gives a contradiction a probability of {probability:.2f}."
    spans = (Span(0, len(text), text) for text in (answer, sample))
    return (Finding(ENTAILED, "contradiction", reason, *spans),)
