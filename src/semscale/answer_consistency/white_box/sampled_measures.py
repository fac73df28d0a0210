"""Measures that need the probabilities of an answer's samples: Monte Carlo probability, semantic density."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from semscale.answer_consistency.meanings.relations import distinct_entailments
from semscale.answer_consistency.white_box.semantic_density import semantic_density
from semscale.answer_consistency.white_box.token_scores import Tokens, normalised_probability
from semscale.matching.entailment.probabilities import EntailmentModel
from semscale.matching.pairs import Pairs
from semscale.types import Floats

MONTE_CARLO, DENSITY = "monte_carlo_probability", "semantic_density"


@dataclass(frozen=True)
class SampledMeasure:
    """One measure of an answer from the probabilities of its samples.

    Attributes:
        about: what it is, in one sentence.
        needs_entailment: whether it needs a model of entailment.
        bounds: least and greatest value.
    """

    about: str
    needs_entailment: bool = False
    bounds: tuple[float, float] = (0.0, 1.0)


SAMPLED_MEASURES: dict[str, SampledMeasure] = {
    MONTE_CARLO: SampledMeasure(
        "geometric mean of the probabilities of a text's tokens, mean over the answer and its samples"
    ),
    DENSITY: SampledMeasure(
        "share of the samples' probability that lies near what the answer means", needs_entailment=True
    ),
}
"""Every measure of samples' tokens by its name."""


SampleTokens = Sequence[Sequence[Tokens | None]]
"""For each answer the tokens of its samples; ``None`` for a sample whose tokens are not known."""


def measure_sampled(
    names: Iterable[str],
    pairs: Pairs,
    tokens: tuple[Sequence[Tokens | None] | None, SampleTokens],
    entailment: EntailmentModel | None = None,
    prompts: Sequence[str] | None = None,
) -> dict[str, Floats]:
    """Compute measures of n answers from the probabilities of their samples.

    The probability of a text is the geometric mean of those of its tokens. A sample without tokens does not
    count, and an answer has no value where none of its samples counts.

    Args:
        names: among ``SAMPLED_MEASURES``.
        pairs: p pairs of an answer (``prediction``) and a usable sample (``reference``).
        tokens: of the n answers, if they are known, and of their samples.
        entailment: for semantic density.
        prompts: n questions, which precede both texts in semantic density; left out unless given.

    Returns:
        For each measure its values, shape (n,), 0 to 1; NaN where there is none.
    """
    answers, samples = tokens
    weights = _sample_probabilities(pairs, samples)
    found: dict[str, Floats] = {}
    for name in names:
        if name == MONTE_CARLO:
            found[name] = _monte_carlo(pairs, weights, answers)
        elif entailment is not None:
            found[name] = _densities(pairs, weights, entailment, prompts)
    return found


def _sample_probabilities(pairs: Pairs, samples: SampleTokens) -> Floats:
    places = zip(pairs.item.tolist(), pairs.place.tolist(), strict=True)
    return np.array([_probability(samples[item][place]) for item, place in places], np.float64)


def _probability(tokens: Tokens | None) -> float:
    return normalised_probability(tokens) if tokens else np.nan


def _monte_carlo(pairs: Pairs, weights: Floats, answers: Sequence[Tokens | None] | None) -> Floats:
    """Average the probability of each answer and of its samples.

    References:
        Kuhn, Gal and Farquhar (2023), arXiv 2302.09664, predictive probability; uqlm 0.6.
    """
    n, known = pairs.n_items, ~np.isnan(weights)
    n_known = np.bincount(pairs.item[known], minlength=n)
    total = np.bincount(pairs.item[known], weights=weights[known], minlength=n)
    known_answers = [None] * n if answers is None else answers
    own = np.array([_probability(each) for each in known_answers], np.float64).reshape(n)
    has_own = ~np.isnan(own)
    mean: Floats = np.full(n, np.nan)
    np.divide(np.where(has_own, total + own, total), n_known + has_own, out=mean, where=n_known > 0)
    return mean


def _densities(
    pairs: Pairs, weights: Floats, entailment: EntailmentModel, prompts: Sequence[str] | None
) -> Floats:
    opening = [""] * pairs.n_items if prompts is None else [f"{prompt}\n" for prompt in prompts]
    items = pairs.item.tolist()
    texts = [
        [f"{opening[item]}{pairs.texts[text]}" for item, text in zip(items, side.tolist(), strict=True)]
        for side in (pairs.prediction, pairs.reference)
    ]
    relations = distinct_entailments(entailment, *texts) if items else np.zeros((0, 3))
    bounds = np.searchsorted(pairs.item, np.arange(pairs.n_items + 1))
    return np.array(
        [
            semantic_density(relations[low:high], weights[low:high])
            for low, high in zip(bounds[:-1], bounds[1:], strict=True)
        ],
        np.float64,
    ).reshape(pairs.n_items)
