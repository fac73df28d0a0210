"""Aggregates the replies about one item into its verdict."""

from collections.abc import Sequence

from semscale.chat.decisions.answers import standard_error
from semscale.chat.replies import FailureKind
from semscale.judging.asking import Conversation
from semscale.judging.prompts.template import Template
from semscale.judging.replies import ReplyReading
from semscale.judging.token_probabilities import level_probabilities
from semscale.judging.verdict import Provenance, Verdict, empirical_distribution, most_frequent, with_mass
from semscale.types import Status


def aggregate_verdict(
    conversations: Sequence[Conversation], template: Template, *, stopped: str | None
) -> Verdict:
    """Aggregate the conversations about one item, one for each sample, into a verdict.

    Args:
        conversations: with all replies and failures.
        template: what the judge was asked.
        stopped: why no more was asked, or ``None``.
    """
    replies = tuple(reply.text for conversation in conversations for reply in conversation.replies)
    if stopped is not None and any(_is_open(conversation) for conversation in conversations):
        return Verdict.without_score(Status.UNFINISHED, stopped, replies)
    read = [conversation for conversation in conversations if _reading(conversation) is not None]
    if not read:
        return _without_score(conversations, replies)
    if len(conversations) == 1:
        return _of_one(read[0], template, replies)
    scores = [
        reading.score
        for conversation in read
        if (reading := _reading(conversation)) and reading.score is not None
    ]
    score = most_frequent(scores)
    first = next(r for conversation in read if (r := _reading(conversation)) is not None and r.score == score)
    return Verdict(
        score=score,
        distribution=empirical_distribution(scores),
        provenance=Provenance.SAMPLES,
        covered=len(scores) / len(conversations),
        explanation=first.explanation,
        replies=replies,
        status=Status.SCORED,
        standard_error=standard_error(scores),
    )


def _of_one(conversation: Conversation, template: Template, replies: tuple[str, ...]) -> Verdict:
    reading, reply = conversation.reading, conversation.replies[-1]
    if reading is None or reading.score is None:
        return Verdict.without_score(Status.UNPARSABLE, "no reply states one score beyond doubt", replies)
    distribution: tuple[tuple[float, float], ...] = ((reading.score, 1.0),)
    provenance, covered = Provenance.SINGLE, float("nan")
    if reply.logprobs and reading.span is not None:
        probabilities = level_probabilities(reply.text, reply.logprobs, reading.span, template)
        stated = with_mass(template.scores, probabilities.masses) if probabilities else ()
        # Tokens that give nothing to the level that was read are not those of the score.
        if probabilities and reading.score in dict(stated):
            distribution, provenance, covered = stated, Provenance.LOGPROBS, probabilities.covered
    return Verdict(
        reading.score, distribution, provenance, covered, reading.explanation, replies, Status.SCORED
    )


def _without_score(conversations: Sequence[Conversation], replies: tuple[str, ...]) -> Verdict:
    failures = [conversation.failure for conversation in conversations if conversation.failure is not None]
    declined = any(failure.kind is FailureKind.REFUSED for failure in failures)
    if declined or any(
        conversation.reading and conversation.reading.status == "refused" for conversation in conversations
    ):
        said = next((str(failure) for failure in failures if failure.kind is FailureKind.REFUSED), "")
        return Verdict.without_score(Status.REFUSED, said or "the judge declined to give a score", replies)
    if len(failures) == len(conversations):
        return Verdict.without_score(Status.FAILED, str(failures[0]), replies)
    return Verdict.without_score(Status.UNPARSABLE, "no reply states one score beyond doubt", replies)


def _reading(conversation: Conversation) -> ReplyReading | None:
    """What a conversation's last reply says, if it states a score."""
    if conversation.failure is not None or conversation.reading is None or conversation.reading.score is None:
        return None
    return conversation.reading


def _is_open(conversation: Conversation) -> bool:
    return conversation.failure is None and (conversation.reading is None or conversation.unread)
