"""Trials of the forms of decisions: whether a model takes one, shown by its first requests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from semscale.chat.costs.budget import Spent
from semscale.chat.decisions.answers import DecisionAnswer
from semscale.chat.decisions.deciding import DecidingChat
from semscale.chat.decisions.decision_calls import TRIED_ITEMS, decision_calls, may_lie_in_item, why_not_taken
from semscale.chat.decisions.decision_model import check_decision
from semscale.chat.decisions.loading import limits_of
from semscale.chat.decisions.questions import DecisionRequest
from semscale.chat.replies import CallError, FailureKind
from semscale.chat.runner import Runner
from semscale.errors import InputError

CallAnswers = list[Mapping[str, DecisionAnswer] | CallError]
"""What the calls about one request brought."""


@dataclass(frozen=True)
class FormTrial:
    """What the first requests in a form brought.

    Attributes:
        found: for each request that was sent, what its calls brought.
        why: why the form does not count as taken; ``None`` where it does.
        runner: with what is left of the budget.
        spent: on the trial.
    """

    found: list[CallAnswers]
    why: str | None
    runner: Runner
    spent: Spent


def why_beyond(model: DecidingChat, requests: Sequence[DecisionRequest], form: str) -> InputError | None:
    """Give the error of the first request that a form cannot hold; ``None`` where it holds all."""
    try:
        for request in requests:
            check_decision(request, limits_of(model, form), model.name)
    except InputError as error:
        return error
    return None


async def try_form(requests: Sequence[DecisionRequest], form: str, runner: Runner) -> FormTrial:
    """Send the first requests in a form, until one shows whether it is taken.

    Malformed answers to three, each asked for several times, show that it is not.

    Args:
        requests: at least one; up to three of them are sent, as one may be refused for what it says.
        form: of the decisions.
        runner: sends them.

    Raises:
        InterruptedRunError: a cap was reached; finished requests are in the ledger.
        ReplyError: no call can succeed.
    """
    found: list[CallAnswers] = []
    spent: list[Spent] = []
    why = None
    for request in requests[:TRIED_ITEMS]:
        found.append(await _tried(request, form, runner))
        spent.append(runner.spent)
        runner = runner.rest()
        why = next(filter(None, map(why_not_taken, found[-1])), None)
        shows_nothing = why is None and not _are_malformed(found[-1])
        if shows_nothing or not all(map(may_lie_in_item, found[-1])):
            break
    if why is None and len(found) == TRIED_ITEMS and _are_malformed(found[-1]):
        why = str(found[-1][0])
    return FormTrial(found, why, runner, reduce(Spent.plus, spent))


async def _tried(request: DecisionRequest, form: str, runner: Runner) -> CallAnswers:
    """Send one request; a run that ends as every answer is malformed shows that only of this form."""
    try:
        (found,) = await asked([request], form, runner)
    except CallError as failure:
        if failure.kind is not FailureKind.MALFORMED:
            raise
        return [failure]
    return found


def _are_malformed(found: CallAnswers) -> bool:
    return all(isinstance(each, CallError) and each.kind is FailureKind.MALFORMED for each in found)


async def asked(requests: Sequence[DecisionRequest], form: str, runner: Runner) -> list[CallAnswers]:
    """Send requests in a form, and give what the calls about each brought.

    Raises:
        InterruptedRunError, ReplyError: as ``try_form``.
    """
    calls = [decision_calls(request, form) for request in requests]
    flat = [call for each in calls for call in each]
    outcomes = await runner.collect([call.request for call in flat])
    found = iter(
        call.read(outcome.reply) if outcome.reply is not None else outcome.failure
        for call, outcome in zip(flat, outcomes, strict=True)
    )
    return [[each for _ in own if (each := next(found)) is not None] for own in calls]
