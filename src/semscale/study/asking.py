"""Asking a panel: the calls of all interviews within one budget, the form of decisions, and forecasts."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from itertools import chain

from semscale.chat.costs.budget import Budget, Spent
from semscale.chat.costs.forecast import Forecast, forecast
from semscale.chat.costs.prices import Price, PriceTable
from semscale.chat.costs.tokens import BYTES_PER_TOKEN
from semscale.chat.decisions.answers import DecisionAnswer
from semscale.chat.decisions.deciding import DecidingChat
from semscale.chat.decisions.form_trials import try_form, why_beyond
from semscale.chat.decisions.loading import NEXT_TOKEN, forms_of
from semscale.chat.decisions.questions import DecisionRequest
from semscale.chat.declining import declines_to_answer
from semscale.chat.ledger.content_key import ContentKeys
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.messages import Request
from semscale.chat.outcomes import RequestOutcome
from semscale.chat.replies import Reply
from semscale.chat.runner import Runner, Running
from semscale.errors import InterruptedRunError
from semscale.study.interviews import (
    Interview,
    Kind,
    Prompts,
    ReplyKey,
    Step,
    Stop,
    planned_interviews,
    planned_stops,
)
from semscale.study.questionnaire import OptionQuestion, Questionnaire, StudyDesign
from semscale.types import Progress

_CAP = re.compile(r"the cap of \S+ \w+")
_SPENT = re.compile(r"(?<=has no room for the next call): [^;]*")


@dataclass(frozen=True)
class RunFacts:
    """The calls and costs of a run, and how it ended.

    Attributes:
        model: name of the model that answered.
        calls: calls that this run sent; replies from the ledger need none.
        tokens: of these calls' prompts and replies.
        money: what they cost; ``None`` where no price is known.
        currency: of the money.
        form: of decisions; ``None`` where the model made none.
        not_taken: why forms of decisions were not taken, by their names.
        stopped: why not everything was asked, or ``None``.
        left_out: parameters that the model refused, so that it was asked without them.
        by_model: the same for each model, where several were asked; empty otherwise.
    """

    model: str
    calls: int = 0
    tokens: int = 0
    money: float | None = None
    currency: str | None = None
    form: str | None = None
    not_taken: Mapping[str, str] = field(default_factory=dict)
    stopped: str | None = None
    left_out: tuple[str, ...] = ()
    by_model: tuple["RunFacts", ...] = ()

    @classmethod
    def joined(cls, parts: Sequence["RunFacts"]) -> "RunFacts":
        """Sum up the facts of several models; money only where it is known of all of them in one currency.

        Args:
            parts: of each model, at least one.

        Example:
            >>> both = RunFacts.joined([RunFacts("a", calls=2, money=1.0), RunFacts("b", calls=3)])
            >>> both.model, both.calls, both.money
            ('a, b', 5, None)
        """
        if len(parts) == 1:
            return parts[0]
        money = [part.money for part in parts if part.money is not None]
        is_known = len(money) == len(parts) and len({part.currency for part in parts}) == 1
        return cls(
            ", ".join(part.model for part in parts),
            sum(part.calls for part in parts),
            sum(part.tokens for part in parts),
            sum(money) if is_known else None,
            parts[0].currency if is_known else None,
            stopped=_joined_reasons(parts),
            by_model=tuple(parts),
        )

    @property
    def models(self) -> tuple["RunFacts", ...]:
        """Facts of each model, also where there is one alone."""
        return self.by_model or (self,)


def _joined_reasons(parts: Sequence[RunFacts]) -> str | None:
    """State why not everything was asked of which models; a cap that several reached is named once.

    Example:
        >>> cap = "the cap of 9 tokens has no room for the next call"
        >>> parts = [RunFacts("a", stopped=f"{cap}: 4 spent"), RunFacts("b", stopped=f"{cap}: 8 spent")]
        >>> _joined_reasons(parts)
        'a and b: the cap of 9 tokens has no room for the next call'
    """
    by_cap: dict[str, list[RunFacts]] = {}
    for part in parts:
        if part.stopped is not None:
            cap = _CAP.match(part.stopped)
            by_cap.setdefault(part.stopped if cap is None else cap.group(), []).append(part)
    sentences = []
    for stopped in by_cap.values():
        *first, last = (part.model for part in stopped)
        models = f"{', '.join(first)} and {last}" if first else last
        # Each model has spent a different amount of its part.
        reason = str(stopped[0].stopped)
        sentences.append(f"{models}: {_SPENT.sub('', reason) if first else reason}")
    return "; ".join(sentences) or None


@dataclass(frozen=True)
class StopReply:
    """The outcome of one stop of an interview.

    Attributes:
        prompt: hash of the request, 40 hex digits; of the first call where a decision takes several.
        outcomes: of its calls.
        decisions: answers by the names of a decision's questions; empty for other kinds.
    """

    prompt: str
    outcomes: tuple[RequestOutcome, ...]
    decisions: Mapping[str, DecisionAnswer] = field(default_factory=dict)

    @property
    def undecided(self) -> DecisionAnswer | None:
        """The first decision without an answer, if any."""
        return next((answer for answer in self.decisions.values() if not answer.masses), None)

    @property
    def text(self) -> str | None:
        """The reply's text; ``None`` without one, and for a decision."""
        reply = self.outcomes[0].reply
        return None if reply is None or self.decisions else reply.text


@dataclass(frozen=True)
class AskedStudy:
    """The replies of a panel that one model played.

    Attributes:
        replies: by their subject.
        stops: of each interview of a persona; the samples of a persona follow each other.
        no_decisions: why no decision was asked for; ``None`` where they were.
        price: of the model's tokens; ``None`` if unknown.
        facts: of the calls.
        spent: the same, as a budget counts it.
        sent: the calls of each prompt, by its hash.
    """

    replies: Mapping[ReplyKey, StopReply]
    stops: Sequence[Sequence[Stop]]
    no_decisions: str | None
    price: Price | None
    facts: RunFacts
    spent: Spent
    sent: Mapping[str, Sequence[Request]]


async def ask_study(
    design: StudyDesign, model: DecidingChat, running: Running, progress: Progress | None = None
) -> AskedStudy:
    """Ask all personas of a design.

    Args:
        design: of the study, with one model.
        model: that answers.
        running: how calls are made.
        progress: called as replies come.

    Raises:
        ReplyError: no call can succeed.
    """
    runner = running.runner(model)
    prompts = Prompts(design)
    form: str | None = None
    not_taken: Mapping[str, str] = {}
    spent, stopped = None, None
    if decisions := prompts.first_decisions():
        try:
            form, not_taken, runner, spent = await accepted_form(model, decisions, runner)
        except InterruptedRunError as error:
            stopped = str(error)
    stops = planned_stops(design.questionnaire, design.n_interviews, seed=design.plan.seed)
    asking = _Asking(prompts)
    if stopped is None:
        interviews = planned_interviews(prompts, stops, form=form)
        stopped = await asking.run(interviews, runner, prompts.most_calls(form), progress)
        spent = runner.spent if spent is None else spent.plus(runner.spent)
    spent = spent or runner.spent
    price = (running.prices or PriceTable.load()).find(model.name)
    outcomes = (outcome for reply in asking.replies.values() for outcome in reply.outcomes)
    answered = (outcome.reply for outcome in outcomes if outcome.reply is not None)
    facts = RunFacts(
        model=model.name,
        calls=spent.calls,
        tokens=spent.usage.tokens,
        money=spent.money,
        currency=None if price is None else price.currency,
        form=form,
        not_taken=not_taken,
        stopped=stopped,
        left_out=tuple(sorted({name for reply in answered for name in reply.left_out})),
    )
    no_decisions = None
    if decisions and form is None and stopped is None:
        reasons = "; ".join(f"{name}: {why}" for name, why in not_taken.items())
        no_decisions = "the model takes no decisions" + (f" ({reasons})" if reasons else "")
    return AskedStudy(asking.replies, stops, no_decisions, price, facts, spent, asking.sent)


# Calls


@dataclass
class _OpenStep:
    """A step whose calls are under way, and the interview that goes on after it."""

    step: Step
    interview: Interview | None
    outcomes: dict[int, RequestOutcome] = field(default_factory=dict)


class _CallQueue:
    """Calls that wait to be sent; those of the first personas go first, so that a cap leaves few half asked.

    Args:
        most: the largest number of calls; ``len(queue)``.

    Attributes:
        sent: steps in the order in which their calls were sent, each with the call's number in the step.
    """

    def __init__(self, most: int) -> None:
        self.sent: list[tuple[_OpenStep, int]] = []
        self._most = most
        self._number = 0
        self._waiting: asyncio.PriorityQueue[tuple[int, int, int, _OpenStep | None, int]] = (
            asyncio.PriorityQueue()
        )

    def __len__(self) -> int:
        return self._most

    def add(self, step: Step, interview: Interview | None = None) -> int:
        """Add the calls of a step, and return their number."""
        waiting = _OpenStep(step, interview)
        for part in range(len(step.requests)):
            self._number += 1
            self._waiting.put_nowait((0, step.key.persona, self._number, waiting, part))
        return len(step.requests)

    def expect_fewer(self, n: int) -> None:
        """Lower the expected number of calls."""
        self._most -= n

    def end(self) -> None:
        """End the queue after the calls that wait."""
        self._waiting.put_nowait((1, 0, 0, None, 0))

    async def __aiter__(self) -> AsyncIterator[Request]:
        while True:
            _, _, _, waiting, part = await self._waiting.get()
            if waiting is None:
                return
            self.sent.append((waiting, part))
            yield waiting.step.requests[part]


class _Asking:
    """Asks for all replies of a study; a reply adds the calls that follow from it: the next stop, a rating.

    Attributes:
        replies: by their subject.
        sent: the calls of each prompt, by its hash.
    """

    def __init__(self, prompts: Prompts) -> None:
        self.replies: dict[ReplyKey, StopReply] = {}
        self.sent: dict[str, tuple[Request, ...]] = {}
        self._prompts = prompts

    async def run(
        self, interviews: Sequence[Interview], runner: Runner, most: int, progress: Progress | None
    ) -> str | None:
        """Ask everything, and return why that was not possible, or ``None``."""
        queue, keys = _CallQueue(most), ContentKeys(runner.model)
        left = sum(queue.add(interview.step(), interview) for interview in interviews)
        if not left:
            queue.end()
        try:
            async with aclosing(runner.stream(queue, progress=progress)) as outcomes:
                async for outcome in outcomes:
                    open_step, part = queue.sent[outcome.index]
                    open_step.outcomes[part] = outcome
                    left -= 1
                    if len(open_step.outcomes) == len(open_step.step.requests):
                        prompt = keys.of(open_step.step.requests[0]).hex()
                        left += sum(queue.add(*further) for further in self._finish(open_step, prompt, queue))
                    if not left:
                        queue.end()
        except InterruptedRunError as error:
            return str(error)
        return None

    def _finish(
        self, open_step: _OpenStep, prompt: str, queue: _CallQueue
    ) -> Iterable[tuple[Step, Interview | None]]:
        """Store the reply, and return the steps that follow."""
        step, interview = open_step.step, open_step.interview
        outcomes = tuple(open_step.outcomes[part] for part in range(len(step.requests)))
        reply = StopReply(prompt, outcomes, step.decided(outcomes))
        self.replies[step.key] = reply
        self.sent[prompt] = step.requests
        questionnaire = self._prompts.design.questionnaire
        if _may_be_rated(questionnaire, step.key):
            if is_answer(reply.text):
                yield self._prompts.rating(step.key, str(reply.text)), None
            else:
                queue.expect_fewer(1)
        if interview is not None:
            question, text = questionnaire.questions[step.key.question], reply.text
            if reply.decisions:
                text = question.reply(reply.decisions) if reply.undecided is None else None
            interview.add_reply(text)
            if not interview.is_done:
                yield interview.step(), interview


def _may_be_rated(questionnaire: Questionnaire, key: ReplyKey) -> bool:
    return key.kind is Kind.TEXT and "flr" in questionnaire.questions[key.question].methods


def is_answer(text: str | None) -> bool:
    """Return whether a reply is more than white space, and does not decline to answer."""
    return text is not None and bool(text.strip()) and not declines_to_answer(text)


# The form of decisions


async def accepted_form(
    model: DecidingChat, requests: Sequence[DecisionRequest], runner: Runner
) -> tuple[str | None, dict[str, str], Runner, Spent]:
    """Try the forms one after the other on the first requests, until the model takes one.

    Args:
        model: that decides.
        requests: at least one; up to three of them are sent, as one may be refused for its content.
        runner: sends them.

    Returns:
        The form, if any; why others were not taken; a runner with the rest of the budget; what was spent.

    Raises:
        InterruptedRunError: a cap was reached; replies are stored.
        ReplyError: no call can succeed.
    """
    not_taken: dict[str, str] = {}
    spent = runner.spent
    for form in forms_of(model):
        why = why_beyond(model, requests, form)
        if why is not None:
            not_taken[form] = str(why)
            continue
        trial = await try_form(requests, form, runner)
        spent, runner = spent.plus(trial.spent), trial.runner
        if trial.why is None:
            return form, not_taken, runner, spent
        not_taken[form] = trial.why
    return None, not_taken, runner, spent


# Forecasts


async def forecast_study(design: StudyDesign, model: DecidingChat, ledger: Ledger) -> Forecast:
    """Forecast the calls of a study; replies that the ledger lacks count with their greatest length.

    Args:
        design: of the study, with one model.
        model: that would answer.
        ledger: outcomes of earlier calls.
    """
    prompts = Prompts(design)
    decisions = prompts.first_decisions()
    forms = (form for form in forms_of(model) if why_beyond(model, decisions, form) is None)
    form = next(forms, None) if decisions else None
    result = await _forecast(prompts, model, ledger, form)
    if form in {None, NEXT_TOKEN} or NEXT_TOKEN not in forms_of(model):
        return result
    stand_ins = await _forecast(prompts, model, ledger, NEXT_TOKEN)
    return replace(result, stand_ins=stand_ins.less(result))


def personas_within(whole: Forecast, budget: Budget, n: int) -> int:
    """Return how many of n personas a budget lets answer everything; all cost about the same.

    Args:
        whole: the forecast for all n personas.
        budget: caps on what is sent; replies in the ledger are free.
        n: how many personas there are.

    Example:
        >>> from semscale.chat.replies import Usage
        >>> whole = Forecast(60, 20, 0, 40, Usage(400, 400), 0, None, "", "")
        >>> personas_within(whole, Budget(calls=10), 30)  # 20 answered before and 10 more, of 60
        15
    """
    needed = ((budget.calls, whole.calls), (budget.tokens, whole.most.tokens), (budget.money, whole.money))
    shares = [cap / need for cap, need in needed if cap is not None and need]
    sent = min([1.0, *shares]) * whole.calls
    distinct = whole.answered + whole.calls
    return n if not distinct else int(n * (whole.answered + sent) / distinct + 1e-9)


async def _forecast(prompts: Prompts, model: DecidingChat, ledger: Ledger, form: str | None) -> Forecast:
    """Forecast all interviews; the ledger is asked for a step of all of them at once."""
    design, keys = prompts.design, ContentKeys(model)
    stops = planned_stops(design.questionnaire, design.n_interviews, seed=design.plan.seed)

    async def requests(interview: Interview) -> list[Request]:
        return [request async for request in _requests(prompts, interview, keys, ledger)]

    interviews = planned_interviews(prompts, stops, form=form)
    by_interview = await asyncio.gather(*map(requests, interviews))
    return await forecast(chain.from_iterable(by_interview), model, ledger=ledger)


async def _requests(
    prompts: Prompts, interview: Interview, keys: ContentKeys, ledger: Ledger
) -> AsyncIterator[Request]:
    """Yield all requests of an interview, with made-up replies where the ledger has none."""
    while not interview.is_done:
        step = interview.step()
        for request in step.requests:
            yield request
        known = await ledger.find(keys.of(step.requests[0])) if step.decision is None else None
        reply = known.text if isinstance(known, Reply) else _longest_reply(prompts.design, step)
        if _may_be_rated(prompts.design.questionnaire, step.key) and is_answer(reply):
            yield prompts.rating(step.key, reply).requests[0]
        interview.add_reply(reply)


def _longest_reply(design: StudyDesign, step: Step) -> str:
    """Write a reply of the greatest length; all differ, so that no request repeats another."""
    if step.key.kind is not Kind.TEXT:
        question = design.questionnaire.questions[step.key.question]
        options = question.options if isinstance(question, OptionQuestion) else question.scale.labels
        return max(options, key=len)
    return f"{step.key}".ljust(round(design.plan.model.max_tokens * BYTES_PER_TOKEN), "x")
