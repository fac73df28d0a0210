"""Asks everything that a study needs, within one budget."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from semscale.chat.costs.budget import Spent
from semscale.chat.costs.prices import Price, PriceTable
from semscale.chat.decisions.deciding import DecidingChat
from semscale.chat.messages import Request
from semscale.chat.runner import Runner
from semscale.errors import InterruptedRunError
from semscale.judging.asking import Running
from semscale.study.asking.asking import StudyAsking
from semscale.study.asking.decision_form import DecisionForm, taken_form
from semscale.study.asking.replies import StudyReplies
from semscale.study.asking.run_facts import RunFacts
from semscale.study.design import StudyDesign
from semscale.types import Progress


@dataclass(frozen=True)
class AskedStudy:
    """What a run of calls brought.

    Attributes:
        replies: everything that came back.
        facts: what it took.
        spent: the same, as a budget counts it.
        sent: the calls of each prompt, by its hash.
    """

    replies: StudyReplies
    facts: RunFacts
    spent: Spent
    sent: Mapping[str, Sequence[Request]]


async def ask_study(
    design: StudyDesign, model: DecidingChat, running: Running, progress: Progress | None = None
) -> AskedStudy:
    """Ask all personas of a design.

    Args:
        design: what is asked, whom, and how.
        model: that answers.
        running: how calls are made.
        progress: called as replies come.

    Raises:
        ReplyError: no call can succeed.
    """
    runner = Runner(
        model,
        limits=running.limits,
        retries=running.retries,
        budget=running.budget,
        prices=running.prices,
        ledger=running.ledger,
    )
    form, spent, stopped = DecisionForm(), None, None
    if decisions := design.decisions:
        try:
            form, runner, spent = await taken_form(model, decisions, runner)
        except InterruptedRunError as error:
            stopped = str(error)
    asking = StudyAsking(design.prompts, design.questionnaire, design.interviews(form.name))
    if stopped is None:
        stopped = await asking.run(runner, design.most_calls(form.name), progress)
        spent = runner.spent if spent is None else spent.plus(runner.spent)
    price = (running.prices or PriceTable.load()).find(model.name)
    no_decisions = form.reason if decisions and form.name is None and stopped is None else None
    replies = StudyReplies(asking.heard, design.stops, no_decisions, price)
    spent = spent or runner.spent
    facts = _facts(model.name, spent, price)
    facts = replace(
        facts, form=form.name, not_taken=form.not_taken, stopped=stopped, left_out=replies.left_out
    )
    return AskedStudy(replies, facts, spent, asking.sent)


def _facts(model: str, spent: Spent, price: Price | None) -> RunFacts:
    currency = None if price is None else price.currency
    return RunFacts(model, spent.calls, spent.usage.tokens, spent.money, currency)
