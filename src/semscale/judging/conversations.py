"""Conversations with a judge's model: their replies, their order, and the verdict on an item."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from semscale.chat.decision_formats import DecisionRequest
from semscale.chat.decisions import AnyDecisionCall, DecisionCall, form_evidence, is_final, join_answers
from semscale.chat.messages import (
    Call,
    CallError,
    DecisionAnswer,
    FailureKind,
    Message,
    Reply,
    Request,
    standard_error,
)
from semscale.chat.negotiation import Evidence
from semscale.chat.pacing import UnreadableReplies
from semscale.json_reading import parse_json
from semscale.judging.replies import ReplyReading
from semscale.judging.templates import Rubric, Template
from semscale.judging.verdict import (
    Distribution,
    Provenance,
    Verdict,
    empirical_distribution,
    level_probabilities,
    likeliest,
    most_frequent,
    with_mass,
)
from semscale.types import Status

_DECLINED = "the judge declined to give a score"
_UNPARSABLE = "no reply contains exactly one score"

UNREAD = frozenset({"unparsable", "empty"})
"""Statuses of replies that neither state a score nor decline to give one, and are asked for again."""


@dataclass
class Conversation:
    """A conversation with a chat model about one item.

    Attributes:
        request: the next request to send, or the last one sent.
        replies: all replies, in order of arrival.
        reading: what was read from the last reply; ``None`` without a reply.
        failure: why the last request has no reply; ``None`` if it has one.
        criterion: index of the criterion in question, if there are several and each is asked about by itself.
        answers: answers of a decision by the criteria's names; ``None`` without an answer, and for prose.
    """

    request: Request | DecisionCall
    replies: list[Reply] = field(default_factory=list)
    reading: ReplyReading | None = None
    failure: CallError | None = None
    criterion: int = 0
    answers: Mapping[str, DecisionAnswer] | None = None

    @property
    def decision(self) -> AnyDecisionCall | None:
        """The call of a decision; ``None`` for prose."""
        return self.request if isinstance(self.request, AnyDecisionCall) else None

    def add(self, reply: Reply, read: Callable[[Call, Reply], ReplyReading]) -> None:
        """Add a reply, and read its score, or its answers if it is a decision."""
        self.replies.append(reply)
        if self.decision is None:
            self.reading = read(self.request, reply)
        else:
            self.answers = self.decision.answers(reply)

    @property
    def is_waiting(self) -> bool:
        """True if there is neither a reply nor a failure."""
        return self.failure is None and self.reading is None and self.answers is None

    @property
    def is_unread(self) -> bool:
        """True if the last reply neither states a score nor declines to give one."""
        return self.failure is None and self.reading is not None and self.reading.status in UNREAD

    @property
    def outcome(self) -> CallError | Mapping[str, DecisionAnswer]:
        """The failure, or the answers of a decision; empty without either."""
        return self.failure or self.answers or {}

    @property
    def form_evidence(self) -> tuple[Evidence, str]:
        """Evidence of the outcome about the request's form, and the reason of a refusal."""
        return form_evidence([self.outcome])

    @property
    def ignored_schema(self) -> bool:
        """True if a reply that had to follow a schema is not JSON, unless it was cut off."""
        return self.request.parameters.schema is not None and not all(
            reply.finish_reason == "length" or _is_json(reply.text) for reply in self.replies
        )

    def can_read(self, reply: Reply, read: Callable[[Call, Reply], ReplyReading]) -> bool:
        """Return whether a reply has an answer, if only that the model declines to give a score."""
        if self.decision is None:
            return read(self.request, reply).status not in UNREAD
        return is_final(self.decision.answers(reply))

    def correct(self, messages: tuple[Message, ...]) -> None:
        """Add messages to a request in prose, which makes it a new request for the ledger."""
        if isinstance(self.request, Request):
            self.request = replace(self.request, messages=(*self.request.messages, *messages))


_OPEN_AT_FIRST = 8  # conversations until a reply could be read, so that a model that none suits is cheap


class Turns:
    """Requests of conversations in the order of sending: corrections first, then further conversations.

    Args:
        conversations: those without a reply, and those whose last reply cannot be read.
        correct: adds a correction to a conversation.
        corrections: maximum number of corrections of a conversation.
        unreadable: counter of unreadable replies; until one could be read, few conversations are open.

    Attributes:
        sent: conversations in the order in which their requests were sent.
    """

    def __init__(
        self,
        conversations: Iterable[Conversation],
        correct: Callable[[Conversation], None],
        corrections: int,
        unreadable: UnreadableReplies,
    ) -> None:
        self.sent: list[Conversation] = []
        self._correct, self._corrections, self._unreadable = correct, corrections, unreadable
        self._first, self._again = deque[Conversation](), deque[Conversation]()
        self._n_open = 0
        self._changed = asyncio.Event()
        for conversation in conversations:
            if conversation.is_waiting:
                self._first.append(conversation)
            elif conversation.is_unread and self._can_correct(conversation):
                self._n_open += 1
                self._again.append(conversation)

    def __len__(self) -> int:
        return len(self.sent) + len(self._first) + len(self._again)

    def settle(self, conversation: Conversation) -> None:
        """Note that the last request of a conversation has a reply or failure; it may need a correction."""
        if conversation.is_unread and self._can_correct(conversation):
            self._again.append(conversation)
        else:
            self._n_open -= 1
        self._changed.set()

    async def __aiter__(self) -> AsyncIterator[Call]:
        while self._n_open or self._first:
            conversation = self._following()
            if conversation is None:
                self._changed.clear()
                await self._changed.wait()
                continue
            self.sent.append(conversation)
            yield conversation.request

    def _following(self) -> Conversation | None:
        if self._again:
            conversation = self._again.popleft()
            self._correct(conversation)
            return conversation
        if self._first and (self._unreadable.has_read or self._n_open < _OPEN_AT_FIRST):
            self._n_open += 1
            return self._first.popleft()
        return None

    def _can_correct(self, conversation: Conversation) -> bool:
        return len(conversation.replies) <= self._corrections


def _is_json(text: str) -> bool:
    try:
        parse_json(text)
    except json.JSONDecodeError:
        return False
    return True


def aggregate_replies(
    conversations: Sequence[Conversation], template: Template, *, corrections: int, stopped: str | None
) -> Verdict:
    """Aggregate the conversations in prose about one item, one for each sample, into a verdict.

    Args:
        conversations: with all replies and failures.
        template: the judge's template.
        corrections: maximum number of corrections of a conversation.
        stopped: why asking stopped early, or ``None``.
    """
    replies = tuple(reply.transcript for conversation in conversations for reply in conversation.replies)
    if stopped is not None and any(
        conversation.is_waiting or (conversation.is_unread and len(conversation.replies) <= corrections)
        for conversation in conversations
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
    """Build the verdict of one conversation, with the probabilities of the score's tokens if available."""
    distribution: Distribution = ((score, 1.0),)
    provenance, covered, reply = Provenance.SINGLE, float("nan"), replies[-1]
    if reply.logprobs and reading.span is not None:
        probabilities = level_probabilities(reply.text, reply.logprobs, reading.span, template)
        stated = with_mass(template.scores, probabilities[0]) if probabilities else ()
        # Tokens without any mass on the level that was read are not those of the score.
        if probabilities and score in dict(stated):
            distribution, provenance, covered = stated, Provenance.LOGPROBS, probabilities[1]
    texts = tuple(reply.transcript for reply in replies)
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
        request: the request, with a question for each criterion.
        conversations: the calls about the item, with their results.
        stopped: why asking stopped early, or ``None``.
    """
    replies = tuple(reply.transcript for conversation in conversations for reply in conversation.replies)
    if stopped is not None and any(conversation.is_waiting for conversation in conversations):
        return [Verdict.without_score(Status.UNFINISHED, stopped, replies)] * len(rubric.criteria)
    outcomes = [conversation.outcome for conversation in conversations]
    answers = join_answers(request, outcomes)
    failed = any(
        isinstance(outcome, CallError) and outcome.kind is not FailureKind.REFUSED for outcome in outcomes
    )
    provenance = Provenance.DECISION if len(conversations) == 1 else Provenance.NEXT_TOKEN
    verdicts = []
    for criterion in rubric.criteria:
        answer = answers[criterion.name]
        if answer.masses:
            verdicts.append(_verdict_from_decision(answer, criterion.template, provenance, replies))
        else:
            status = Status.REFUSED if answer.refused else Status.FAILED if failed else Status.UNPARSABLE
            reason = _DECLINED if answer.refused else answer.reason
            verdicts.append(Verdict.without_score(status, reason, replies))
    return verdicts


def _verdict_from_decision(
    answer: DecisionAnswer, template: Template, provenance: Provenance, replies: tuple[str, ...]
) -> Verdict:
    scores = np.array([level.score for level in template.levels])
    order = np.argsort(scores, kind="stable")
    distribution = with_mass(scores[order], np.array(answer.masses)[order])
    return Verdict(
        score=likeliest(distribution, sum(score * mass for score, mass in distribution)),
        distribution=distribution,
        provenance=provenance,
        covered=answer.covered,
        explanation="",
        replies=replies,
        status=Status.SCORED,
        order_bias=answer.order_bias,
        standard_error=answer.standard_error(scores.tolist()),
    )
