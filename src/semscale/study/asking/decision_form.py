"""Finds out in which form a model takes typed decisions, if it takes them at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from semscale.chat.costs.budget import Spent
from semscale.chat.decisions.deciding import DecidingChat
from semscale.chat.decisions.form_trials import try_form, why_beyond
from semscale.chat.decisions.loading import forms_of
from semscale.chat.decisions.questions import DecisionRequest
from semscale.chat.runner import Runner


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
        why = why_beyond(model, requests, form)
        if why is None:
            return DecisionForm(form, beyond)
        beyond[form] = str(why)
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
        beyond = why_beyond(model, requests, form)
        if beyond is not None:
            not_taken[form] = str(beyond)
            continue
        trial = await try_form(requests, form, runner)
        spent, runner = spent.plus(trial.spent), trial.runner
        if trial.why is None:
            return DecisionForm(form, not_taken), runner, spent
        not_taken[form] = trial.why
    return DecisionForm(None, not_taken), runner, spent
