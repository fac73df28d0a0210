"""Measures of one answer from the probabilities of its tokens."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from semscale.answer_consistency.white_box.p_true import p_true
from semscale.chat.replies import TokenLogprob
from semscale.types import Floats

Tokens = Sequence[TokenLogprob]
"""The tokens of an answer, at least one."""

NULL = "first_token_probability"
"""The measure that others should beat."""
_FEWEST_ALTERNATIVES = 2


def min_probability(tokens: Tokens) -> float:
    """Give the probability of the least likely token.

    References:
        Manakul, Liusie and Gales (2023), arXiv 2303.08896.

    Example:
        >>> round(min_probability([TokenLogprob("a", math.log(0.5)), TokenLogprob("b", math.log(0.2))]), 6)
        0.2
    """
    return math.exp(min(token.logprob for token in tokens))


def normalised_probability(tokens: Tokens) -> float:
    """Give the geometric mean of the tokens' probabilities: exp(mean log p).

    References:
        Malinin and Gales (2021), arXiv 2002.07650.

    Example:
        >>> round(normalised_probability([TokenLogprob("a", math.log(0.5)), TokenLogprob("b", 0.0)]) ** 2, 6)
        0.5
    """
    return math.exp(_mean_logprob(tokens))


def sequence_probability(tokens: Tokens) -> float:
    """Give the product of the tokens' probabilities, which falls with the length of the answer.

    Example:
        >>> round(sequence_probability([TokenLogprob("a", math.log(0.5))] * 2), 6)
        0.25
    """
    return math.exp(math.fsum(token.logprob for token in tokens))


def first_token_probability(tokens: Tokens) -> float:
    """Give the probability of the first token: a baseline that other measures should beat."""
    return math.exp(tokens[0].logprob)


def mean_token_negentropy(tokens: Tokens) -> float:
    """Give the mean over tokens of 1 - entropy of the k likeliest tokens / log k.

    Tokens for which fewer than two alternatives came do not count.

    Returns:
        0 to 1; NaN where no token counts.

    References:
        Scalena et al. (2025), arXiv 2510.11170; uqlm 0.6.
    """
    found = _negentropies(tokens)
    return float(np.mean(found)) if len(found) else math.nan


def min_token_negentropy(tokens: Tokens) -> float:
    """Give the least over tokens of 1 - entropy of the k likeliest tokens / log k; as the mean otherwise."""
    found = _negentropies(tokens)
    return float(np.min(found)) if len(found) else math.nan


def probability_margin(tokens: Tokens) -> float:
    """Give the mean over tokens of the likeliest token's probability less the second one's.

    Returns:
        0 to 1; NaN where no token has two alternatives.

    References:
        Farr et al. (2024), arXiv 2408.08217; uqlm 0.6.
    """
    margins = [found[0] - found[1] for found in map(_alternatives, tokens) if len(found) > 1]
    return float(np.mean(margins)) if margins else math.nan


@dataclass(frozen=True)
class TokenMeasure:
    """One measure of an answer's tokens.

    Attributes:
        about: what it is, in one sentence.
        value: gives an answer its value; NaN where its tokens do not allow one.
        bounds: least and greatest value.
    """

    about: str
    value: Callable[[Tokens], float]
    bounds: tuple[float, float] = (0.0, 1.0)


TOKEN_MEASURES: dict[str, TokenMeasure] = {
    "min_probability": TokenMeasure("probability of the answer's least likely token", min_probability),
    "normalised_probability": TokenMeasure(
        "geometric mean of the probabilities of the answer's tokens", normalised_probability
    ),
    "sequence_probability": TokenMeasure(
        "product of the probabilities of the answer's tokens", sequence_probability
    ),
    "first_token_probability": TokenMeasure(
        "probability of the answer's first token, a null", first_token_probability
    ),
    "mean_token_negentropy": TokenMeasure(
        "1 - entropy of the likeliest tokens / its maximum, mean over the answer's tokens",
        mean_token_negentropy,
    ),
    "min_token_negentropy": TokenMeasure(
        "1 - entropy of the likeliest tokens / its maximum, least over the answer's tokens",
        min_token_negentropy,
    ),
    "probability_margin": TokenMeasure(
        "the likeliest token's probability less the second one's, mean over the answer's tokens",
        probability_margin,
    ),
}
"""Every measure of tokens by its name."""


ASKED_MEASURES: dict[str, TokenMeasure] = {
    "p_true": TokenMeasure("probability of True where the model is asked whether its answer is right", p_true)
}
"""Measures of the tokens with which the model says whether its answer is right."""


def measure_tokens(answers: Sequence[Tokens | None], names: Iterable[str]) -> dict[str, Floats]:
    """Compute measures of n answers' tokens.

    Args:
        answers: the tokens of each; ``None``, or none, where they are not known.
        names: among ``TOKEN_MEASURES``.

    Returns:
        For each measure its values, shape (n,); NaN where tokens are not known.

    Example:
        >>> measure_tokens([[TokenLogprob("Paris", 0.0)], None], ["min_probability"])["min_probability"]
        array([ 1., nan])
    """
    return {
        name: np.array(
            [TOKEN_MEASURES[name].value(tokens) if tokens else np.nan for tokens in answers], np.float64
        )
        for name in names
    }


def _mean_logprob(tokens: Tokens) -> float:
    return math.fsum(token.logprob for token in tokens) / len(tokens)


def _alternatives(token: TokenLogprob) -> list[float]:
    """Give the probabilities of the likeliest tokens at a place, the greatest first."""
    return sorted((math.exp(logprob) for _, logprob in token.top), reverse=True)


def _negentropies(tokens: Tokens) -> list[float]:
    found = (np.array(_alternatives(token)) for token in tokens)
    return [_negentropy(shares / shares.sum()) for shares in found if len(shares) >= _FEWEST_ALTERNATIVES]


def _negentropy(shares: Floats) -> float:
    kept = shares[shares > 0]
    return float(1 + (kept * np.log(kept)).sum() / np.log(len(shares)))
