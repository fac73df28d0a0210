"""Contradictions between an answer and its samples that a model of entailment finds, in any language.

A sample contradicts the answer if the model's probability of contradiction is above .5 for one of the two
directions: the answer read as premise of the sample, or the sample as premise of the answer. Of a text of
several sentences the most contradicted one counts.
"""

from collections.abc import Sequence

import numpy as np

from semscale.answer_consistency.meanings.relations import distinct_entailments
from semscale.answer_consistency.meanings.sentence_entailment import SentenceEntailment
from semscale.answer_consistency.scoring.contradictions import PairTexts
from semscale.guards.findings import Finding, Span
from semscale.matching.entailment.probabilities import CONTRADICTION, EntailmentModel
from semscale.matching.pairs import Pairs
from semscale.types import Floats

CONTRADICTS_ABOVE = 0.5
"""Probability of contradiction above which a sample contradicts the answer: more likely than not."""
ENTAILED = "entailment"
"""Name of these findings."""


def contradiction_probabilities(pairs: Pairs, model: EntailmentModel) -> Floats:
    """Give how probable it is that answers and samples contradict each other, in one call to the model.

    Args:
        pairs: p pairs of an answer (``prediction``) and a sample (``reference``).
        model: of entailment; one that judges sentence by sentence gives the most contradicted sentence.

    Returns:
        Shape (p,), the greater probability of the two directions; 0 for equal texts, and NaN for two that the
        model cannot read.

    Raises:
        InputError: what the model gives is no probability.
    """
    apart = np.flatnonzero(pairs.prediction != pairs.reference)  # texts are distinct
    answers = [pairs.texts[text] for text in pairs.prediction[apart].tolist()]
    samples = [pairs.texts[text] for text in pairs.reference[apart].tolist()]
    premises, hypotheses = answers + samples, samples + answers
    if isinstance(model, SentenceEntailment):
        found = model.contradictions(premises, hypotheses)
    else:
        found = distinct_entailments(model, premises, hypotheses)[:, CONTRADICTION]
    probability: Floats = np.zeros(len(pairs.item))
    probability[apart] = np.maximum(found[: len(apart)], found[len(apart) :])
    return probability


def entailed_findings(pairs: PairTexts, probability: Floats) -> list[tuple[Finding, ...]]:
    """Say which samples contradict the answer by a model of entailment.

    Args:
        pairs: p pairs.
        probability: shape (p,), as ``contradiction_probabilities`` gives it.

    Returns:
        p tuples, each empty or with one finding about both texts as a whole.
    """
    found: Sequence[bool] = (probability > CONTRADICTS_ABOVE).tolist()
    rows = zip(pairs.answer.tolist(), pairs.sample.tolist(), probability.tolist(), found, strict=True)
    return [
        (_finding(pairs.texts[answer], pairs.texts[sample], value),) if contradicts else ()
        for answer, sample, value, contradicts in rows
    ]


def _finding(answer: str, sample: str, probability: float) -> Finding:
    reason = f"The model of entailment gives a contradiction a probability of {probability:.2f}."
    spans = (Span(0, len(text), text) for text in (answer, sample))
    return Finding(ENTAILED, "contradiction", reason, *spans)
