"""One judge's verdict on one item, the verdict of several criteria, and distributions over levels."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache

import numpy as np
from pydantic import TypeAdapter

from semscale.chat.messages import TokenLogprob
from semscale.judging.templates import Rubric, Template
from semscale.results.result import reason_words
from semscale.types import Floats, Status

Distribution = tuple[tuple[float, float], ...]
"""Scores with their masses."""


class Provenance(StrEnum):
    """The source of a distribution over levels."""

    DECISION = "decision"  # probabilities that a decision model gave for the levels
    NEXT_TOKEN = "next-token"  # probabilities of the levels' letters, averaged over orders of the levels
    LOGPROBS = "logprobs"  # probabilities of the tokens at the score's position
    SAMPLES = "samples"  # shares of several replies
    SINGLE = "single"  # one reply: all mass on the level that it states


_PROBABILITY_ROUNDING = 1e-3
_LEADING = " \t\n\r\"'*:`_([{▁Ġ"
_LEAST_KNOWN_FIRST = tuple(reversed(Provenance))
_WORST_FIRST = (Status.UNFINISHED, Status.FAILED, Status.UNPARSABLE, Status.REFUSED)

REPLIED = (Status.SCORED, Status.UNPARSABLE, Status.REFUSED)
"""Statuses of items with a reply, even a refusal."""

ASKED = (*REPLIED, Status.FAILED)
"""Statuses of items with a call."""


@dataclass(frozen=True)
class Verdict:
    """One judge's score for one item, with every raw reply.

    Attributes:
        score: the stated level, from 0 to 1; of several samples the most frequent level, then the one nearest
            to their mean, then the lowest. NaN without a score.
        distribution: scores with masses above 0, which sum to 1; empty without a score.
        provenance: source of the distribution; ``None`` without one.
        covered: with ``samples`` the share of replies that state a level; with ``decision``, ``next-token``
            and ``logprobs`` the total probability of all levels before normalisation; NaN otherwise.
        explanation: the judge's explanation in the first reply that states the score.
        replies: all raw replies in order of arrival, including unreadable ones.
        status: ``scored``, or why there is no score.
        reason: the error if there is no score.
        order_bias: with ``next-token`` the effect of the levels' order on the distribution, 0 to 1; NaN
            otherwise.
        standard_error: standard error of ``expected`` over the readings: the orders of the levels with
            ``next-token``, the replies with ``samples``. It measures the variation of readings, not whether
            the judge is right. NaN for one reading, and if all are equal.
        criteria: verdicts on each criterion of a rubric with several, in order; empty for a template.
        weights: weights of these criteria.
    """

    score: float
    distribution: Distribution
    provenance: Provenance | None
    covered: float
    explanation: str
    replies: tuple[str, ...]
    status: Status
    reason: str = ""
    order_bias: float = float("nan")
    standard_error: float = float("nan")
    criteria: "tuple[Verdict, ...]" = ()
    weights: tuple[float, ...] = ()

    @property
    def confidence(self) -> float:
        """Mass of the likeliest level, 0 to 1.

        NaN without a score, for one reply without probabilities, and for several criteria, whose mixture does
        not show how sure the judge is of the combined score.
        """
        if not self.distribution or self.provenance is Provenance.SINGLE or self.criteria:
            return float("nan")
        return max(mass for _, mass in self.distribution)

    @property
    def deviation(self) -> float:
        """Standard deviation of the score, 0 to 0.5; NaN where there is no distribution.

        For several criteria, assumed independent, it is the square root of the sum of w^2 times each
        variance.
        """
        if not self.distribution:
            return float("nan")
        if self.criteria:
            parts = zip(self.weights, self.criteria, strict=True)
            return math.sqrt(sum((weight * part.deviation) ** 2 for weight, part in parts))
        mean = self.expected
        return math.sqrt(sum(mass * (score - mean) ** 2 for score, mass in self.distribution))

    @property
    def expected(self) -> float:
        """Expected score, the mean of the distribution; NaN where there is none."""
        if not self.distribution:
            return float("nan")
        return float(sum(score * mass for score, mass in self.distribution))

    @classmethod
    def without_score(cls, status: Status, reason: str = "", replies: Sequence[str] = ()) -> "Verdict":
        """Build a verdict without a score, with the reason."""
        return cls(float("nan"), (), None, float("nan"), "", tuple(replies), status, reason)

    @classmethod
    def without_item(cls, status: Status) -> "Verdict":
        """Build the verdict of a row that cannot be judged, with the reason."""
        return cls.without_score(status, reason_words(status, "the question or the answer") or "")


@cache
def _verdict_lists() -> TypeAdapter[list[Verdict]]:
    return TypeAdapter(list[Verdict])


def verdicts_to_json(verdicts: Sequence[Verdict]) -> str:
    """Write verdicts as JSON, which ``verdicts_from_json`` reads back.

    Examples:
        >>> failed = Verdict.without_score(Status.FAILED, "no reply")
        >>> verdicts_from_json(verdicts_to_json([failed]))[0].status
        <Status.FAILED: 'failed'>
    """
    return json.dumps(_verdict_lists().dump_python(list(verdicts)))


def verdicts_from_json(text: str) -> list[Verdict]:
    """Read verdicts from the JSON of ``verdicts_to_json``."""
    return _verdict_lists().validate_python(json.loads(text))


def combine_criteria(rubric: Rubric, verdicts: Sequence[Verdict]) -> Verdict:
    """Combine the verdicts on one item by the rule that ``Rubric`` describes.

    Args:
        rubric: the criteria and their weights.
        verdicts: one for each criterion, in their order.
    """
    parts = tuple(verdicts)
    if len(parts) == 1:
        return parts[0]
    names, weights = list(rubric.weights), list(rubric.weights.values())
    replies = tuple(dict.fromkeys(reply for verdict in parts for reply in verdict.replies))
    unscored = [
        (name, verdict)
        for name, verdict in zip(names, parts, strict=True)
        if verdict.status is not Status.SCORED
    ]
    if unscored:
        name, verdict = min(unscored, key=lambda pair: _WORST_FIRST.index(pair[1].status))
        reason = f"criterion {name!r}: {verdict.reason}" if verdict.reason else f"criterion {name!r}"
        return replace(Verdict.without_score(verdict.status, reason, replies), criteria=parts)
    masses: dict[float, float] = {}
    for weight, verdict in zip(weights, parts, strict=True):
        for score, mass in verdict.distribution:
            masses[score] = masses.get(score, 0.0) + weight * mass
    provenances = [verdict.provenance for verdict in parts if verdict.provenance is not None]
    explanations = [
        f"{name}: {verdict.explanation}"
        for name, verdict in zip(names, parts, strict=True)
        if verdict.explanation
    ]
    errors = [weight * verdict.standard_error for weight, verdict in zip(weights, parts, strict=True)]
    return Verdict(
        score=float(np.dot(weights, [verdict.score for verdict in parts])),
        distribution=tuple(sorted(masses.items())),
        provenance=min(provenances, key=_LEAST_KNOWN_FIRST.index),
        covered=float(np.min([verdict.covered for verdict in parts])),  # NaN if any is NaN
        explanation="\n".join(explanations),
        replies=replies,
        status=Status.SCORED,
        order_bias=float(np.dot(weights, [verdict.order_bias for verdict in parts])),
        standard_error=math.hypot(*errors),
        criteria=parts,
        weights=tuple(weights),
    )


def empirical_distribution(scores: Sequence[float]) -> Distribution:
    """Return each distinct score with its share among the scores of several samples.

    Examples:
        >>> empirical_distribution([0.75, 1.0, 0.75, 0.5])
        ((0.5, 0.25), (0.75, 0.5), (1.0, 0.25))
    """
    levels, counts = np.unique(np.asarray(scores, dtype=np.float64), return_counts=True)
    return tuple(zip(levels.tolist(), (counts / counts.sum()).tolist(), strict=True))


def most_frequent(scores: Sequence[float]) -> float:
    """Return the most frequent score; of several the one nearest to the mean, then the lowest.

    Examples:
        >>> most_frequent([1.0, 0.5, 0.0, 0.5]), most_frequent([0.0, 0.75, 1.0])
        (0.5, 0.75)
    """
    return likeliest(empirical_distribution(scores), float(np.mean(scores)))


def likeliest(distribution: Distribution, mean: float) -> float:
    """Return the score with the greatest mass; of several the one nearest to the mean, then the lowest."""
    most = max(mass for _, mass in distribution)
    scores = [score for score, mass in distribution if mass == most]
    return min(scores, key=lambda score: (abs(score - mean), score))


def with_mass(scores: Floats, masses: Floats) -> Distribution:
    """Pair scores (k,) with their masses (k,), without those whose mass is 0."""
    return tuple((float(score), float(mass)) for score, mass in zip(scores, masses, strict=True) if mass > 0)


def level_probabilities(
    reply: str, tokens: Sequence[TokenLogprob], span: tuple[int, int], template: Template
) -> tuple[Floats, float] | None:
    """Return the probability of each level, from the alternatives of the score's tokens.

    The score's position is taken from the parsed reply. A token that can begin several levels ("1" of 1 and
    10, "Completely" of two labels) counts for none of them, unless the reply contains it: then the tokens
    after it decide.

    Args:
        reply: the text.
        tokens: its tokens, each with the likeliest alternatives.
        span: start and end of the level in the reply.
        template: what the judge was asked.

    Returns:
        Probabilities of the template's scores, shape (k,), which sum to 1, and their sum before
        normalisation, 0 to 1. ``None`` if the tokens do not match the reply, or a log-probability gives no
        probability between 0 and 1.
    """
    first = _token_at(reply, tokens, span[0])
    if first is None:
        return None
    forms = _level_names(template)
    masses, prefix, chosen = np.zeros(len(forms)), "", 1.0
    for token in tokens[first:]:
        _attribute(masses, prefix, chosen, token, forms)
        if len(_meant(prefix + token.token, forms)) <= 1:
            break
        prefix, chosen = prefix + token.token, chosen * math.exp(token.logprob)
    else:
        stated = prefix.strip(_LEADING).casefold()
        masses[[stated in names for names in forms]] += chosen
    covered = float(masses.sum())
    if not 0 < covered <= 1 + _PROBABILITY_ROUNDING:
        return None
    return masses / covered, min(covered, 1.0)


def _attribute(
    masses: Floats, prefix: str, chosen: float, token: TokenLogprob, forms: list[frozenset[str]]
) -> None:
    """Add the probability of each alternative of a token to the only level that it can mean."""
    shares = dict(token.top)
    shares.setdefault(token.token, token.logprob)
    for text, logprob in shares.items():
        meant = _meant(prefix + text, forms)
        if len(meant) == 1:
            masses[meant.pop()] += chosen * math.exp(logprob)


def _level_names(template: Template) -> list[frozenset[str]]:
    """List all names of each level, in small letters, in the order of the template's scores."""
    if template.highest is not None:
        return [frozenset({str(number)}) for number in range(template.highest + 1)]
    ordered = sorted(template.levels, key=lambda level: level.score)
    return [
        frozenset(name.casefold() for name in (level.shown, level.label, *level.also, *level.keyed))
        for level in ordered
    ]


def _meant(text: str, forms: list[frozenset[str]]) -> set[int]:
    """Return the levels that a text can be the beginning of, or that it states."""
    beginning = text.lstrip(_LEADING).casefold()
    return {level for level, names in enumerate(forms) if any(_agrees(beginning, name) for name in names)}


def _agrees(beginning: str, name: str) -> bool:
    if name.startswith(beginning):
        return True
    return beginning.startswith(name) and not beginning[len(name)].isalnum()


def _token_at(reply: str, tokens: Sequence[TokenLogprob], position: int) -> int | None:
    joined = "".join(token.token for token in tokens)
    shift = joined.find(reply)
    if shift < 0 or not reply:
        return None
    end = 0
    for index, token in enumerate(tokens):
        end += len(token.token)
        if end > position + shift:
            return index
    return None
