"""Token probabilities from cells and replies, and measures of answers and samples from them."""

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from semscale.answer_consistency.samples import distinct_entailments
from semscale.chat.messages import TokenLogprob, answer_tokens
from semscale.errors import InputError, RowError
from semscale.json_reading import parse_json
from semscale.matching.entailment import ENTAILMENT, NEUTRAL, EntailmentModel
from semscale.matching.pairs import Pairs, pair_up
from semscale.reasoning import split_reasoning
from semscale.store.columns import as_list
from semscale.store.missing_codes import is_missing
from semscale.types import Floats, Integers

Tokens = Sequence[TokenLogprob]
"""The tokens of a text, at least one."""

SampleTokens = Sequence[Sequence[Tokens | None]]
"""The tokens of each answer's samples; ``None`` for a sample with unknown tokens."""

_SHOWN = 60
_LEAST_LOGPROB = -1e9  # some endpoints write minus infinity
_FEWEST_ALTERNATIVES = 2


def min_probability(tokens: Tokens) -> float:
    """Return the probability of the least likely token, 0 to 1.

    References:
        Manakul, Liusie and Gales (2023), arXiv 2303.08896.

    Examples:
        >>> round(min_probability([TokenLogprob("a", math.log(0.5)), TokenLogprob("b", math.log(0.2))]), 6)
        0.2
    """
    return math.exp(min(token.logprob for token in tokens))


def normalised_probability(tokens: Tokens) -> float:
    """Return the geometric mean of the tokens' probabilities, exp(mean log p), 0 to 1.

    References:
        Malinin and Gales (2021), arXiv 2002.07650.

    Examples:
        >>> round(normalised_probability([TokenLogprob("a", math.log(0.5)), TokenLogprob("b", 0.0)]) ** 2, 6)
        0.5
    """
    return math.exp(math.fsum(token.logprob for token in tokens) / len(tokens))


def sequence_probability(tokens: Tokens) -> float:
    """Return the product of the tokens' probabilities, 0 to 1, which falls with the length of the answer.

    Examples:
        >>> round(sequence_probability([TokenLogprob("a", math.log(0.5))] * 2), 6)
        0.25
    """
    return math.exp(math.fsum(token.logprob for token in tokens))


def first_token_probability(tokens: Tokens) -> float:
    """Return the probability of the first token, 0 to 1: a baseline for other measures."""
    return math.exp(tokens[0].logprob)


def mean_token_negentropy(tokens: Tokens) -> float:
    """Return the mean over tokens of 1 - entropy of the k likeliest tokens / log k.

    Tokens with fewer than two alternatives are left out.

    Returns:
        The mean, 0 to 1; NaN if no token has two alternatives.

    References:
        Scalena et al. (2025), arXiv 2510.11170; uqlm 0.6.
    """
    negentropies = _negentropies(tokens)
    return float(np.mean(negentropies)) if negentropies else math.nan


def min_token_negentropy(tokens: Tokens) -> float:
    """Return the minimum over tokens instead of the mean of ``mean_token_negentropy``, 0 to 1."""
    return min(_negentropies(tokens), default=math.nan)


def probability_margin(tokens: Tokens) -> float:
    """Return the mean over tokens of the likeliest token's probability minus the second one's.

    Returns:
        The mean, 0 to 1; NaN if no token has two alternatives.

    References:
        Farr et al. (2024), arXiv 2408.08217; uqlm 0.6.
    """
    margins = [shares[0] - shares[1] for shares in map(_alternatives, tokens) if len(shares) > 1]
    return float(np.mean(margins)) if margins else math.nan


def _alternatives(token: TokenLogprob) -> list[float]:
    """Return the probabilities of the likeliest tokens at a position, the greatest first."""
    return sorted((math.exp(logprob) for _, logprob in token.top), reverse=True)


def _negentropies(tokens: Tokens) -> list[float]:
    listed = (np.array(_alternatives(token)) for token in tokens)
    return [_negentropy(shares / shares.sum()) for shares in listed if len(shares) >= _FEWEST_ALTERNATIVES]


def _negentropy(shares: Floats) -> float:
    positive = shares[shares > 0]
    return float(1 + (positive * np.log(positive)).sum() / np.log(len(shares)))


def monte_carlo_probability(item: Integers, of_answers: Floats, of_samples: Floats) -> Floats:
    """Average the known probabilities of each answer and its samples.

    Args:
        item: shape (p,), the answer of each usable sample, from 0.
        of_answers: shape (n,), probabilities of the answers; NaN if unknown.
        of_samples: shape (p,), probabilities of the samples; NaN if unknown.

    Returns:
        Shape (n,), 0 to 1; NaN if no sample's probability is known.

    References:
        Kuhn, Gal and Farquhar (2023), arXiv 2302.09664, predictive probability; uqlm 0.6.
    """
    n, is_known = len(of_answers), ~np.isnan(of_samples)
    n_known = np.bincount(item[is_known], minlength=n)
    total = np.bincount(item[is_known], weights=of_samples[is_known], minlength=n)
    total = total + np.nan_to_num(of_answers)
    mean: Floats = np.full(n, np.nan)
    np.divide(total, n_known + ~np.isnan(of_answers), out=mean, where=n_known > 0)
    return mean


def confident_consistency(similarity: Floats, probability: Floats) -> Floats:
    """Multiply the similarity of answers to their samples by the probability of the answers.

    Args:
        similarity: shape (n,), 0 to 1.
        probability: shape (n,), 0 to 1.

    References:
        CoCoA: Vashurin et al. (2025), arXiv 2502.04964; uqlm 0.6.
    """
    return similarity * probability


def density_of_pairs(
    pairs: Pairs, weights: Floats, entailment: EntailmentModel, prompts: Sequence[str] | None = None
) -> Floats:
    """Compute the semantic density of each answer, with one call of the entailment model.

    Args:
        pairs: p pairs of an answer (``prediction``) and a usable sample (``reference``), of n items.
        weights: shape (p,), probability of each sample; NaN if unknown.
        entailment: entailment model.
        prompts: n texts placed before answer and sample, as in the paper; left out by default.

    Returns:
        Shape (n,), 0 to 1; NaN where missing.
    """
    opening = [""] * pairs.n_items if prompts is None else [f"{prompt}\n" for prompt in prompts]
    items = pairs.item.tolist()
    premises, hypotheses = (
        [f"{opening[item]}{pairs.texts[text]}" for item, text in zip(items, texts.tolist(), strict=True)]
        for texts in (pairs.prediction, pairs.reference)
    )
    relations = distinct_entailments(entailment, premises, hypotheses)
    bounds = np.searchsorted(pairs.item, np.arange(pairs.n_items + 1)).tolist()
    slices = map(slice, bounds[:-1], bounds[1:])
    return np.array([semantic_density(relations[rows], weights[rows]) for rows in slices], np.float64)


def semantic_density(relations: Floats, weights: Floats) -> float:
    """Compute the sum of weight times kernel over the samples, divided by the sum of weights.

    The kernel is Epanechnikov's, 1 - the expected squared distance of answer and sample. The squared distance
    is 0 if the answer entails the sample, 1/2 if it is neutral to it and 1 if it contradicts it, so that the
    kernel is p(entailment) + p(neutral) / 2.

    Args:
        relations: shape (m, 3), probabilities of entailment, neutrality and contradiction of answer and
            sample; NaN if they cannot be read.
        weights: shape (m,), probability of each sample, at least 0; NaN if unknown.

    Returns:
        The density, 0 to 1; NaN if no sample has both, or all weights are 0.

    References:
        Qiu and Miikkulainen (2024), arXiv 2405.13845. There, equal samples are used once; here, as in uqlm,
        each sample is used.

    Examples:
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
    """Compute the semantic density of each answer from lists of texts.

    Args:
        answers: n texts; a missing or empty one has no density.
        samples: n lists of texts; missing and empty ones are left out.
        weights: probabilities of the samples of each answer, NaN if unknown.
        entailment: entailment model, called once.
        prompts: n texts placed before answer and sample, as in the paper; left out by default.

    Returns:
        Shape (n,), 0 to 1; NaN where missing.

    Raises:
        InputError: lists of unequal length.
    """
    n = len(answers)
    for name, column in (("samples", samples), ("weights", weights), ("prompts", prompts)):
        if column is not None and len(column) != n:
            raise InputError(name, f"must have {n} entries, one for each answer, got {len(column)}")
    for item, (texts, masses) in enumerate(zip(samples, weights, strict=True)):
        if len(texts) != len(masses):
            raise InputError(
                f"weights[{item}]", f"must have {len(texts)} entries, one for each sample, got {len(masses)}"
            )
    pairs = pair_up(list(answers), [list(texts) for texts in samples])
    rows = zip(pairs.item.tolist(), pairs.place.tolist(), strict=True)
    masses = np.array([weights[item][sample] for item, sample in rows], np.float64)
    return density_of_pairs(pairs, masses, entailment, prompts)


@dataclass(frozen=True)
class AnswerTokens:
    """Probabilities of the tokens of n answers and their samples, as a model reported them.

    Attributes:
        answers: tokens of each answer, ``None`` for an answer with unknown tokens; ``None`` if all are
            unknown.
        samples: tokens of each answer's samples, likewise.
        p_true: shape (n,), P(True) of the answers, NaN if unknown; ``None`` if not requested.
        prompts: n questions, placed before both texts in semantic density; ``None`` to leave them out.
    """

    answers: Sequence[Tokens | None] | None = None
    samples: SampleTokens | None = None
    p_true: Floats | None = None
    prompts: Sequence[str] | None = None

    @classmethod
    def read(
        cls, logprobs: object, sample_logprobs: object, prompts: object, samples: Sequence[Sequence[object]]
    ) -> "AnswerTokens":
        """Parse tokens and questions.

        Args:
            logprobs: n lists of log-probabilities, as ``read_tokens`` accepts them, or ``None``.
            sample_logprobs: n lists with such a list for each sample, or ``None``.
            prompts: n questions, or ``None``.
            samples: n lists of samples.

        Raises:
            InputError: lists of unequal length, or something other than log-probabilities.
        """
        n = len(samples)
        questions = None if prompts is None else as_list(prompts, "prompts")
        if questions is not None and len(questions) != n:
            raise InputError("prompts", f"must have {n} rows, one for each answer, got {len(questions)}")
        return cls(
            None if logprobs is None else read_tokens(logprobs, n),
            None if sample_logprobs is None else read_sample_tokens(sample_logprobs, list(map(len, samples))),
            None,
            None if questions is None else [str(prompt or "") for prompt in questions],
        )

    def without_reasoning(self) -> "AnswerTokens":
        """Return the tokens of the answers alone, where the tokens' texts begin with reasoning."""
        answers = None if self.answers is None else list(map(_answer_part, self.answers))
        samples = None if self.samples is None else [list(map(_answer_part, row)) for row in self.samples]
        return replace(self, answers=answers, samples=samples)

    def answer_probabilities(self, n: int) -> Floats:
        """Return the geometric mean of the token probabilities of n answers, shape (n,), NaN if unknown."""
        return np.array(list(map(_probability, self.answers or [None] * n)), np.float64).reshape(n)

    def sample_probabilities(self, pairs: Pairs) -> Floats:
        """Return the geometric mean of the token probabilities of samples.

        Args:
            pairs: p pairs of an answer and a usable sample (``reference``).

        Returns:
            Shape (p,), 0 to 1; NaN if unknown.
        """
        rows = zip(pairs.item.tolist(), pairs.place.tolist(), strict=True)
        samples = self.samples or []
        return np.array([_probability(samples[item][sample]) for item, sample in rows], np.float64)


def _answer_part(tokens: Tokens | None) -> Tokens | None:
    """Return the tokens after the reasoning; all if there is none, or if their texts are unknown."""
    reasoning_and_answer = "".join(token.token for token in tokens or ())
    answer = split_reasoning(reasoning_and_answer)[1]
    return tokens if answer == reasoning_and_answer else answer_tokens(tuple(tokens or ()), answer)


def _probability(tokens: Tokens | None) -> float:
    return normalised_probability(tokens) if tokens else math.nan


def read_tokens(
    cells: object, n: int, *, first: int = 0, parameter: str = "logprobs"
) -> list[tuple[TokenLogprob, ...] | None]:
    """Parse the tokens of n answers.

    Args:
        cells: n lists, one for each answer, of log-probabilities as numbers, of mappings with ``logprob`` and
            perhaps ``token`` and ``top_logprobs`` as OpenAI gives them, or of ``TokenLogprob``; or the JSON
            text of such a list. The tokens of a missing or empty one are unknown.
        n: number of answers.
        first: row of the first cell among all answers, from 0.
        parameter: the name of the column, for messages.

    Raises:
        InputError: a number of cells other than n, an invalid cell, or a probability above 1.

    Examples:
        >>> read_tokens([[-0.5], None, '[{"token": "Paris", "logprob": -0.1}]'], 3)[2][0].token
        'Paris'
    """
    listed = as_list(cells, parameter)
    if len(listed) != n:
        raise InputError(parameter, f"must have {n} rows, one for each answer, got {len(listed)}")
    return [_tokens(cell, parameter, row) for row, cell in enumerate(listed, first)]


def read_sample_tokens(
    cells: object, n_samples: Sequence[int], *, first: int = 0
) -> list[list[tuple[TokenLogprob, ...] | None]]:
    """Parse the tokens of the samples of n answers.

    Args:
        cells: n lists with an entry for each sample, as ``read_tokens`` accepts them; the tokens of all
            samples of a missing list are unknown.
        n_samples: number of samples of each answer.
        first: row of the first answer among all answers, from 0.

    Raises:
        InputError: lists of other lengths, or an entry that is not a list of log-probabilities.

    Examples:
        >>> read_sample_tokens([[[-0.5], None], None], [2, 1])[0][0][0].logprob
        -0.5
    """
    name = "sample_logprobs"
    listed = as_list(cells, name)
    if len(listed) != len(n_samples):
        raise InputError(name, f"must have {len(n_samples)} rows, one for each answer, got {len(listed)}")
    tokens: list[list[tuple[TokenLogprob, ...] | None]] = []
    for row, (cell, n) in enumerate(zip(listed, n_samples, strict=True), first):
        if _is_empty(cell):
            tokens.append([None] * n)
            continue
        content = _content(cell)
        if isinstance(content, str | bytes) or not isinstance(content, Sequence) or len(content) != n:
            raise RowError(
                f"`{name}` must hold a list for each of {n} samples, got {str(cell)[:_SHOWN]!r} in {{row}}",
                row,
            )
        tokens.append([_tokens(entry, name, row) for entry in content])
    return tokens


def _tokens(cell: object, parameter: str, row: int) -> tuple[TokenLogprob, ...] | None:
    """Parse the tokens of one text; ``None`` for an empty cell."""
    if _is_empty(cell):
        return None
    content = _content(cell)
    if isinstance(content, Mapping):  # OpenAI's {"content": [...]}
        content = content.get("content")
    if isinstance(content, Sequence) and not isinstance(content, str | bytes):
        with suppress(ValueError):  # the list has an entry that is no token
            return tuple(map(_token, content)) or None
    owner = "answer" if parameter == "logprobs" else "sample"
    raise RowError(
        f"`{parameter}` must hold for each {owner} a list of log-probabilities of at most 0, or of "
        f'objects with "logprob", or be empty, got {str(cell)[:_SHOWN]!r} in {{row}}',
        row,
    )


def _is_empty(cell: object) -> bool:
    return is_missing(cell) or (isinstance(cell, str) and not cell.strip())


def _content(cell: object) -> object:
    """Return a cell, parsed if it is JSON; ``None`` for another text."""
    if not isinstance(cell, str):
        return cell
    try:
        return parse_json(cell)
    except json.JSONDecodeError:
        return None


def _token(entry: Any) -> TokenLogprob:
    if isinstance(entry, TokenLogprob):
        return entry
    fields = entry if isinstance(entry, Mapping) else {"logprob": entry}
    top = tuple(
        (str(other.get("token", "")), _logprob(other.get("logprob")))
        for other in fields.get("top_logprobs") or ()
    )
    return TokenLogprob(str(fields.get("token", "")), _logprob(fields.get("logprob")), top)


def _logprob(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value) or value > 0:
        raise ValueError
    return max(float(value), _LEAST_LOGPROB)
