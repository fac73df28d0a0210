"""Verdicts from typed decisions: the probabilities of each criterion's levels."""

from collections.abc import Sequence

import numpy as np

from semscale.chat.decisions.answers import DecisionAnswer
from semscale.chat.decisions.decision_calls import joined_answers
from semscale.chat.decisions.questions import DecisionRequest
from semscale.chat.replies import CallError, FailureKind
from semscale.judging.asking import Conversation
from semscale.judging.decisions.rubric import Rubric
from semscale.judging.prompts.template import Template
from semscale.judging.verdict import Provenance, Verdict, with_mass
from semscale.types import Status

_REFUSED = "the judge declined to give a score"


def decided_verdicts(
    rubric: Rubric, asked: DecisionRequest, conversations: Sequence[Conversation], *, stopped: str | None
) -> list[Verdict]:
    """Make the verdicts on one item, one for each criterion.

    Args:
        rubric: the criteria.
        asked: a request with a question for each criterion.
        conversations: the calls about the item, with what came back.
        stopped: why no more was asked, or ``None``.
    """
    replies = tuple(reply.text for each in conversations for reply in each.replies)
    if stopped is not None and any(each.is_waiting for each in conversations):
        return [Verdict.without_score(Status.UNFINISHED, stopped, replies)] * len(rubric.criteria)
    found = [each.failure if each.failure is not None else each.answers or {} for each in conversations]
    answers = joined_answers(asked, found)
    failures = [each for each in found if isinstance(each, CallError)]
    failed = any(failure.kind is not FailureKind.REFUSED for failure in failures)
    provenance = Provenance.DECISION if len(conversations) == 1 else Provenance.NEXT_TOKEN
    return [
        _verdict(answers[criterion.name], criterion.template, provenance, replies, failed=failed)
        for criterion in rubric.criteria
    ]


def _verdict(
    answer: DecisionAnswer,
    template: Template,
    provenance: Provenance,
    replies: tuple[str, ...],
    *,
    failed: bool,
) -> Verdict:
    if not answer.masses:
        status = Status.REFUSED if answer.refused else Status.FAILED if failed else Status.UNPARSABLE
        return Verdict.without_score(status, _REFUSED if answer.refused else answer.reason, replies)
    scores = np.array([level.score for level in template.levels])
    order = np.argsort(scores, kind="stable")
    distribution = with_mass(scores[order], np.array(answer.masses)[order])
    mean = sum(score * mass for score, mass in distribution)
    most = max(mass for _, mass in distribution)
    likeliest = [score for score, mass in distribution if mass == most]
    return Verdict(
        score=min(likeliest, key=lambda score: (abs(score - mean), score)),
        distribution=distribution,
        provenance=provenance,
        covered=answer.covered,
        explanation="",
        replies=replies,
        status=Status.SCORED,
        order_bias=answer.order_bias,
        standard_error=answer.standard_error(scores.tolist()),
    )
