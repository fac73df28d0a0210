"""Semantic density: how much of the probability of samples lies near what an answer means."""

from collections.abc import Sequence

import numpy as np

from semscale.answer_consistency.meanings.relations import distinct_entailments
from semscale.errors import InputError
from semscale.matching.entailment.probabilities import ENTAILMENT, NEUTRAL, EntailmentModel
from semscale.types import Floats


def semantic_density(relations: Floats, weights: Floats) -> float:
    """Give the sum of weight times kernel over the samples, divided by the sum of weights.

    The kernel is Epanechnikov's, 1 - the expected squared distance of answer and sample. The squared distance
    is 0 if the answer entails the sample, 1/2 if it is neutral to it and 1 if it contradicts it, so that the
    kernel is p(entailment) + p(neutral) / 2.

    Args:
        relations: shape (m, 3), probabilities of entailment, neutrality and contradiction of answer and
            sample; NaN where they cannot be read.
        weights: shape (m,), the probability of each sample, at least 0; NaN where it is not known.

    Returns:
        0 to 1; NaN where no sample has both, or all weights are 0.

    References:
        Qiu and Miikkulainen (2024), arXiv 2405.13845. They count equal samples once; here, as in uqlm, each
        sample counts.

    Example:
        >>> relations = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
        >>> round(semantic_density(relations, np.array([0.6, 0.2])), 6)  # (.6 * 1 + .2 * .5) / .8
        0.875
    """
    known = ~np.isnan(weights) & ~np.isnan(relations).any(axis=1)
    total = float(weights[known].sum())
    if total <= 0:
        return float("nan")
    kernel = relations[known, ENTAILMENT] + relations[known, NEUTRAL] / 2
    return float(weights[known] @ kernel / total)


def semantic_densities(
    answers: Sequence[str | None],
    samples: Sequence[Sequence[str | None]],
    weights: Sequence[Floats],
    entailment: EntailmentModel,
    prompts: Sequence[str] | None = None,
) -> Floats:
    """Give the semantic density of each answer; the model of entailment is asked once for all.

    Args:
        answers: n texts; a missing or empty one has no density.
        samples: n lists of texts; missing and empty ones are passed over.
        weights: for each answer the probabilities of its samples, NaN where they are not known.
        entailment: the model.
        prompts: n texts that precede answer and sample, as in the paper; unless they are left out.

    Returns:
        Shape (n,), 0 to 1; NaN where there is none.

    Raises:
        InputError: lists of unequal length.
    """
    _check_lengths(answers, samples, weights, prompts)
    places = [
        (item, at)
        for item, (answer, texts) in enumerate(zip(answers, samples, strict=True))
        for at, text in enumerate(texts)
        if _is_text(answer) and _is_text(text)
    ]
    opening = [""] * len(answers) if prompts is None else [f"{prompt}\n" for prompt in prompts]
    premises = [f"{opening[item]}{answers[item]}" for item, _ in places]
    hypotheses = [f"{opening[item]}{samples[item][at]}" for item, at in places]
    found = distinct_entailments(entailment, premises, hypotheses) if places else np.zeros((0, 3))
    masses = np.array([weights[item][at] for item, at in places], np.float64)
    items = np.array([item for item, _ in places], np.int64)
    density = [semantic_density(found[items == item], masses[items == item]) for item in range(len(answers))]
    return np.array(density, np.float64)


def _is_text(cell: object) -> bool:
    return isinstance(cell, str) and bool(cell.strip())


def _check_lengths(
    answers: Sequence[object],
    samples: Sequence[Sequence[object]],
    weights: Sequence[Floats],
    prompts: Sequence[object] | None,
) -> None:
    n = len(answers)
    for name, given in (("samples", samples), ("weights", weights), ("prompts", prompts)):
        if given is not None and len(given) != n:
            raise InputError(f"{name} must have {n} entries, one for each answer, got {len(given)}")
    for at, (texts, masses) in enumerate(zip(samples, weights, strict=True)):
        if len(texts) != len(masses):
            raise InputError(
                f"weights[{at}] must have {len(texts)} entries, one for each sample, got {len(masses)}"
            )
