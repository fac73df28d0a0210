"""One judge's verdict on one item, and how replies, decisions and criteria become one."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from semscale.chat.decisions.answers import DecisionAnswer, standard_error
from semscale.chat.decisions.decision_calls import joined_answers
from semscale.chat.decisions.questions import DecisionRequest
from semscale.chat.replies import CallError, FailureKind, Reply
from semscale.judging.asking import Conversation
from semscale.judging.replies import ReplyReading
from semscale.judging.templates import Rubric, Template
from semscale.judging.token_probabilities import level_probabilities
from semscale.results.reasons import reason_words
from semscale.types import Floats, Status

Distribution = tuple[tuple[float, float], ...]
"""Scores with their masses."""

_DECLINED = "the judge declined to give a score"
_UNPARSABLE = "no reply states one score beyond doubt"


class Provenance(StrEnum):
    """The source of a distribution over levels."""

    DECISION = "decision"  # probabilities that a decision model gave for the levels
    NEXT_TOKEN = "next-token"  # probabilities of the levels' letters, averaged over orders of the levels
    LOGPROBS = "logprobs"  # probabilities of the tokens at the score's position
    SAMPLES = "samples"  # shares of several replies
    SINGLE = "single"  # one reply: all mass on the level that it states


_LEAST_KNOWN_FIRST = tuple(reversed(Provenance))
_WORST_FIRST = (Status.UNFINISHED, Status.FAILED, Status.UNPARSABLE, Status.REFUSED)

REPLIED = (Status.SCORED, Status.UNPARSABLE, Status.REFUSED)
"""Statuses of items about which a call brought a reply, even a refusal."""

ASKED = (*REPLIED, Status.FAILED)
"""Statuses of items about which a call was made."""


@dataclass(frozen=True)
class Verdict:
    """One judge's score for one item, with every raw reply.

    Attributes:
        score: the level that was stated, from 0 to 1; of several samples the most frequent one, of equally
            frequent ones the one nearest to their mean, then the lowest. NaN where there is none.
        distribution: scores with their masses, which sum to 1; only those with mass. Empty for no score.
        provenance: source of the distribution; ``None`` where there is none.
        covered: with ``samples`` the share of replies that state a level; with ``decision``, ``next-token``
            and ``logprobs`` the probability that all levels had together before normalisation; NaN otherwise.
        explanation: the judge's explanation, of the first reply that states the score.
        replies: every raw reply, those that could not be read included, in the order in which they came.
        status: why there is a score, or none.
        reason: the error where there is none.
        order_bias: with ``next-token`` how far the order of the levels moves the distribution, 0 to 1; NaN
            otherwise.
        standard_error: of ``expected``, from the readings that it is the mean of: the orders of the levels
            with ``next-token``, the replies with ``samples``. It estimates how far other readings would
            differ, not whether the judge is right. NaN, not known, for one reading and where all are equal.
        criteria: verdicts by each criterion of a rubric of several, in their order; empty for a template.
        weights: of these criteria.
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

        NaN for no score, for one reply without probabilities, and for several criteria: their mixture shows
        how the levels share the mass, and not how sure the judge is of the combined score.
        """
        if not self.distribution or self.provenance is Provenance.SINGLE or self.criteria:
            return float("nan")
        return max(mass for _, mass in self.distribution)

    @property
    def deviation(self) -> float:
        """Standard deviation of the score, 0 to 0.5; NaN where there is no distribution.

        Of several criteria, assumed independent, it is the root of the sum of w^2 times each variance.
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

    def record(self) -> dict[str, Any]:
        """Return the fields by name, in types of JSON; ``from_record`` reads them back."""
        return asdict(self)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Verdict":
        """Read a verdict back from what ``record`` returned.

        Example:
            >>> verdict = Verdict.without_score(Status.FAILED, "no reply")
            >>> Verdict.from_record(verdict.record()).status
            <Status.FAILED: 'failed'>
        """
        provenance = record["provenance"]
        return cls(
            **{
                **record,
                "distribution": tuple((score, mass) for score, mass in record["distribution"]),
                "provenance": None if provenance is None else Provenance(provenance),
                "replies": tuple(record["replies"]),
                "status": Status(record["status"]),
                "criteria": tuple(map(cls.from_record, record["criteria"])),
                "weights": tuple(record["weights"]),
            }
        )

    @classmethod
    def without_score(cls, status: Status, reason: str = "", replies: Sequence[str] = ()) -> "Verdict":
        """Make a verdict that states why there is no score."""
        return cls(float("nan"), (), None, float("nan"), "", tuple(replies), status, reason)

    @classmethod
    def without_item(cls, status: Status) -> "Verdict":
        """Make a verdict that states why a row cannot be judged."""
        return cls.without_score(status, reason_words(status, "the question or the answer") or "")


def aggregate_replies(
    conversations: Sequence[Conversation], template: Template, *, stopped: str | None
) -> Verdict:
    """Aggregate the conversations in prose about one item, one for each sample, into a verdict.

    Args:
        conversations: with all replies and failures.
        template: what the judge was asked.
        stopped: why asking stopped early, or ``None``.
    """
    replies = tuple(reply.text for conversation in conversations for reply in conversation.replies)
    if stopped is not None and any(
        conversation.is_waiting or conversation.is_unread for conversation in conversations
    ):
        return Verdict.without_score(Status.UNFINISHED, stopped, replies)
    scored = {
        index: conversation.reading
        for index, conversation in enumerate(conversations)
        if conversation.failure is None and conversation.reading and conversation.reading.score is not None
    }
    scores = [reading.score for reading in scored.values() if reading.score is not None]
    if not scores:
        return _without_score(conversations, replies)
    if len(conversations) == 1:
        return _single_verdict(scores[0], scored[0], conversations[0].replies, template)
    score = most_frequent(scores)
    return Verdict(
        score=score,
        distribution=empirical_distribution(scores),
        provenance=Provenance.SAMPLES,
        covered=len(scores) / len(conversations),
        explanation=next(reading.explanation for reading in scored.values() if reading.score == score),
        replies=replies,
        status=Status.SCORED,
        standard_error=standard_error(scores),
    )


def _single_verdict(
    score: float, reading: ReplyReading, replies: Sequence[Reply], template: Template
) -> Verdict:
    """Make a verdict of one conversation, with the probabilities of the score's tokens if there are any."""
    distribution: Distribution = ((score, 1.0),)
    provenance, covered, reply = Provenance.SINGLE, float("nan"), replies[-1]
    if reply.logprobs and reading.span is not None:
        probabilities = level_probabilities(reply.text, reply.logprobs, reading.span, template)
        stated = _with_mass(template.scores, probabilities.masses) if probabilities else ()
        # Tokens without any mass on the level that was read are not those of the score.
        if probabilities and score in dict(stated):
            distribution, provenance, covered = stated, Provenance.LOGPROBS, probabilities.covered
    texts = tuple(reply.text for reply in replies)
    return Verdict(score, distribution, provenance, covered, reading.explanation, texts, Status.SCORED)


def _without_score(conversations: Sequence[Conversation], replies: tuple[str, ...]) -> Verdict:
    failures = [conversation.failure for conversation in conversations if conversation.failure is not None]
    refusals = [str(failure) for failure in failures if failure.kind is FailureKind.REFUSED]
    readings = [conversation.reading for conversation in conversations if conversation.reading]
    if refusals or any(reading.status == "refused" for reading in readings):
        reason = next(filter(None, refusals), _DECLINED)
        return Verdict.without_score(Status.REFUSED, reason, replies)
    if len(failures) == len(conversations):
        return Verdict.without_score(Status.FAILED, str(failures[0]), replies)
    return Verdict.without_score(Status.UNPARSABLE, _UNPARSABLE, replies)


def aggregate_decisions(
    rubric: Rubric, request: DecisionRequest, conversations: Sequence[Conversation], *, stopped: str | None
) -> list[Verdict]:
    """Aggregate the calls of decisions about one item into verdicts, one for each criterion.

    Args:
        rubric: the criteria.
        request: with a question for each criterion.
        conversations: the calls about the item, with what came back.
        stopped: why asking stopped early, or ``None``.
    """
    replies = tuple(reply.text for conversation in conversations for reply in conversation.replies)
    if stopped is not None and any(conversation.is_waiting for conversation in conversations):
        return [Verdict.without_score(Status.UNFINISHED, stopped, replies)] * len(rubric.criteria)
    outcomes = [conversation.failure or conversation.answers or {} for conversation in conversations]
    answers = joined_answers(request, outcomes)
    failed = any(
        isinstance(outcome, CallError) and outcome.kind is not FailureKind.REFUSED for outcome in outcomes
    )
    provenance = Provenance.DECISION if len(conversations) == 1 else Provenance.NEXT_TOKEN
    verdicts = []
    for criterion in rubric.criteria:
        answer = answers[criterion.name]
        if answer.masses:
            verdicts.append(_decided_verdict(answer, criterion.template, provenance, replies))
        else:
            status = Status.REFUSED if answer.refused else Status.FAILED if failed else Status.UNPARSABLE
            reason = _DECLINED if answer.refused else answer.reason
            verdicts.append(Verdict.without_score(status, reason, replies))
    return verdicts


def _decided_verdict(
    answer: DecisionAnswer, template: Template, provenance: Provenance, replies: tuple[str, ...]
) -> Verdict:
    scores = np.array([level.score for level in template.levels])
    order = np.argsort(scores, kind="stable")
    distribution = _with_mass(scores[order], np.array(answer.masses)[order])
    return Verdict(
        score=_likeliest(distribution, sum(score * mass for score, mass in distribution)),
        distribution=distribution,
        provenance=provenance,
        covered=answer.covered,
        explanation="",
        replies=replies,
        status=Status.SCORED,
        order_bias=answer.order_bias,
        standard_error=answer.standard_error(scores.tolist()),
    )


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
    """Assign each score its share among the scores of several samples.

    Example:
        >>> empirical_distribution([0.75, 1.0, 0.75, 0.5])
        ((0.5, 0.25), (0.75, 0.5), (1.0, 0.25))
    """
    levels, counts = np.unique(np.asarray(scores, dtype=np.float64), return_counts=True)
    return tuple(zip(levels.tolist(), (counts / counts.sum()).tolist(), strict=True))


def most_frequent(scores: Sequence[float]) -> float:
    """Return the score that was stated most often; of equals the one nearest to the mean, then the lowest.

    Example:
        >>> most_frequent([1.0, 0.5, 0.0, 0.5]), most_frequent([0.0, 0.75, 1.0])
        (0.5, 0.75)
    """
    return _likeliest(empirical_distribution(scores), float(np.mean(scores)))


def _likeliest(distribution: Distribution, mean: float) -> float:
    """Return the score with most mass; of equals the one nearest to the mean, then the lowest."""
    most = max(mass for _, mass in distribution)
    scores = [score for score, mass in distribution if mass == most]
    return min(scores, key=lambda score: (abs(score - mean), score))


def _with_mass(scores: Floats, masses: Floats) -> Distribution:
    """Pair scores (k,) with their masses (k,), without those whose mass is 0."""
    return tuple((float(score), float(mass)) for score, mass in zip(scores, masses, strict=True) if mass > 0)
