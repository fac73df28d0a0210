"""The calls that answer one decision, in the form that a model takes, and the answers that they bring."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from semscale.chat.decisions.answers import DecisionAnswer, answers_in
from semscale.chat.decisions.deciding import call_of
from semscale.chat.decisions.loading import NEXT_TOKEN
from semscale.chat.decisions.next_token import Order, averaged, letter_masses, next_token_request, rotations
from semscale.chat.decisions.questions import DecisionRequest
from semscale.chat.messages import Request
from semscale.chat.replies import CallError, FailureKind, Reply

NOT_TAKEN = frozenset({FailureKind.REJECTED, FailureKind.UNSUPPORTED, FailureKind.BROKEN})
"""Failures after which a request may be taken in another form."""

_OF_ITEM = frozenset({FailureKind.REJECTED, FailureKind.BROKEN, FailureKind.MALFORMED})
TRIED_ITEMS = 3
"""Items that are tried in a form before it counts as not taken, as one may be refused for what it says."""

NO_LOGPROBS = "the model gives no log-probabilities"


@dataclass(frozen=True)
class DecisionCall:
    """One call about a request: all its questions, or one of them in one order of its options.

    Attributes:
        request: what is sent.
        question: name of the one question; ``None`` for all.
        order: of its options, where it is one.
    """

    request: Request
    question: str | None = None
    order: Order = ()

    def read(self, reply: Reply) -> dict[str, DecisionAnswer]:
        """Read the answers; one without log-probabilities has no masses, and says so."""
        if self.question is None:
            return answers_in(reply)
        found = letter_masses(reply, self.order)
        return {self.question: DecisionAnswer(reason=NO_LOGPROBS) if found is None else found}


def decision_calls(request: DecisionRequest, form: str) -> tuple[DecisionCall, ...]:
    """List the calls about a request: one, or with ``next-token`` one for each option of each question."""
    if form != NEXT_TOKEN:
        return (DecisionCall(call_of(request, form)),)
    return tuple(
        DecisionCall(next_token_request(request, question, order), name, order)
        for name, question in request.questions.items()
        for order in rotations(len(question.options))
    )


def why_not_taken(found: Mapping[str, DecisionAnswer] | CallError) -> str | None:
    """Say why a call shows that its form is not taken; ``None`` where it does not show that."""
    if isinstance(found, CallError):
        return str(found) if found.kind in NOT_TAKEN else None
    return next((answer.reason for answer in found.values() if answer.reason == NO_LOGPROBS), None)


def may_lie_in_item(found: Mapping[str, DecisionAnswer] | CallError) -> bool:
    """Whether a call failed so that the item may be the reason and not the form, as by a content policy."""
    return isinstance(found, CallError) and found.kind in _OF_ITEM


def joined_answers(
    request: DecisionRequest, found: Sequence[Mapping[str, DecisionAnswer] | CallError]
) -> dict[str, DecisionAnswer]:
    """Join what the calls about a request brought into one answer for each question.

    Args:
        request: what was asked.
        found: for each of its ``decision_calls`` the answers, or why there are none.
    """
    failure = next((each for each in found if isinstance(each, CallError)), None)
    if len(found) == 1:
        if isinstance(found[0], CallError):
            return {name: _failed(found[0]) for name in request.questions}
        return dict(found[0])
    answers = {}
    for name, question in request.questions.items():
        own = [each[name] for each in found if not isinstance(each, CallError) and name in each]
        joined = averaged(own, len(question.options))
        lost = failure is not None and len(own) < len(question.options)
        answers[name] = _failed(failure) if lost and failure is not None else joined
    return answers


def _failed(failure: CallError) -> DecisionAnswer:
    refused = failure.kind is FailureKind.REFUSED
    return DecisionAnswer(reason=str(failure), refused=refused, failed=not refused)
