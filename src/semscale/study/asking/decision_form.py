"""Finds out in which form a model takes typed decisions, if it takes them at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from semscale.chat.costs.budget import Spent
from semscale.chat.decisions.deciding import DecidingChat
from semscale.chat.decisions.decision_calls import TRIED_ITEMS, decision_calls, may_lie_in_item, why_not_taken
from semscale.chat.decisions.decision_model import check_decision
from semscale.chat.decisions.loading import forms_of, limits_of
from semscale.chat.decisions.questions import DecisionRequest
from semscale.chat.runner import Runner
from semscale.errors import InputError


@dataclass(frozen=True)
class DecisionForm:
    """The form of a model's decisions.

    Attributes:
        name: of the form; ``None`` where the model takes none, or none was asked for.
        not_taken: why forms that were tried were not taken, by their names.
    """

    name: str | None = None
    not_taken: Mapping[str, str] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        """Why no decision can be asked for."""
        told = "; ".join(f"{name}: {why}" for name, why in self.not_taken.items())
        return f"the model takes no decisions ({told})" if told else "the model takes no decisions"


def first_form(model: DecidingChat, requests: Sequence[DecisionRequest]) -> DecisionForm:
    """Name the form that would be tried first, and why the ones before it do not hold the requests."""
    beyond: dict[str, str] = {}
    for form in forms_of(model):
        why = _beyond(model, requests, form)
        if why is None:
            return DecisionForm(form, beyond)
        beyond[form] = why
    return DecisionForm(None, beyond)


async def taken_form(
    model: DecidingChat, requests: Sequence[DecisionRequest], runner: Runner
) -> tuple[DecisionForm, Runner, Spent]:
    """Try the forms one after the other on the first requests, until the model takes one.

    Args:
        model: that decides.
        requests: at least one; up to three of them are sent, as one may be refused for what it says.
        runner: sends them.

    Returns:
        The form, a runner with what is left of the budget, and what was spent.

    Raises:
        InterruptedRunError: a cap was reached; replies are kept.
        ReplyError: no call can succeed.
    """
    not_taken: dict[str, str] = {}
    spent = runner.spent
    for form in forms_of(model):
        why = _beyond(model, requests, form)
        for request in requests[:TRIED_ITEMS] if why is None else ():
            calls = decision_calls(request, form)
            outcomes = await runner.collect([call.request for call in calls])
            spent, runner = spent.plus(runner.spent), runner.rest()
            found = [
                outcome.failure if outcome.reply is None else call.read(outcome.reply)
                for call, outcome in zip(calls, outcomes, strict=True)
            ]
            known = [each for each in found if each is not None]
            why = next(filter(None, map(why_not_taken, known)), None)
            if why is None or not all(map(may_lie_in_item, known)):
                break
        if why is None:
            return DecisionForm(form, not_taken), runner, spent
        not_taken[form] = why
    return DecisionForm(None, not_taken), runner, spent


def _beyond(model: DecidingChat, requests: Sequence[DecisionRequest], form: str) -> str | None:
    try:
        for request in requests:
            check_decision(request, limits_of(model, form), model.name)
    except InputError as error:
        return str(error)
    return None
