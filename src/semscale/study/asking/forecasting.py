"""Forecasts the calls of a study before anything is sent, and how far a budget goes."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import chain

from semscale.chat.costs.budget import Budget
from semscale.chat.costs.forecast import Forecast, forecast
from semscale.chat.costs.tokens import BYTES_PER_TOKEN
from semscale.chat.decisions.deciding import DecidingChat
from semscale.chat.decisions.loading import NEXT_TOKEN, forms_of
from semscale.chat.ledger.content_key import ContentKeys
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.messages import Request
from semscale.chat.replies import Reply
from semscale.study.asking.asking import StudyAsking
from semscale.study.asking.decision_form import first_form
from semscale.study.asking.interviews import Interview, Kind, Step
from semscale.study.design import StudyDesign


async def forecast_study(design: StudyDesign, model: DecidingChat, ledger: Ledger) -> Forecast:
    """Forecast the calls of a study; replies that the ledger lacks count as long as they may be.

    Args:
        design: what is asked, whom, and how.
        model: that would answer.
        ledger: outcomes of earlier calls.
    """
    form = first_form(model, design.decisions).name if design.decisions else None
    found = await _forecast(design, model, ledger, form)
    if form in {None, NEXT_TOKEN} or NEXT_TOKEN not in forms_of(model):
        return found
    stand_ins = await _forecast(design, model, ledger, NEXT_TOKEN)
    return replace(found, stand_ins=stand_ins.less(found))


def personas_within(found: Forecast, budget: Budget, n: int) -> int:
    """Say of how many of n personas a budget lets everything be asked; all personas cost about the same.

    Args:
        found: the forecast for all n personas.
        budget: caps on what is sent; what the ledger has is free.
        n: how many personas there are.

    Example:
        >>> from semscale.chat.replies import Usage
        >>> whole = Forecast(60, 20, 0, 40, Usage(400, 400), 0, None, "", "")
        >>> personas_within(whole, Budget(calls=10), 30)  # 20 answered before and 10 more, of 60
        15
    """
    needed = ((budget.calls, found.calls), (budget.tokens, found.most.tokens), (budget.money, found.money))
    shares = [cap / need for cap, need in needed if cap is not None and need]
    sent = min([1.0, *shares]) * found.calls
    distinct = found.answered + found.calls
    return n if not distinct else int(n * (found.answered + sent) / distinct + 1e-9)


async def _forecast(design: StudyDesign, model: DecidingChat, ledger: Ledger, form: str | None) -> Forecast:
    """Forecast all interviews; the ledger is asked for a step of all of them at once."""
    interviews, keys = design.interviews(form), ContentKeys(model)
    asking = StudyAsking(design.prompts, design.questionnaire, interviews)

    async def requests(interview: Interview) -> list[Request]:
        return [each async for each in _requests(design, asking, interview, keys, ledger)]

    every = await asyncio.gather(*map(requests, interviews))
    return await forecast(chain.from_iterable(every), model, ledger=ledger)


async def _requests(
    design: StudyDesign, asking: StudyAsking, interview: Interview, keys: ContentKeys, ledger: Ledger
) -> AsyncIterator[Request]:
    """Give all requests of an interview, with made-up replies where the ledger has none."""
    while not interview.is_done:
        step = interview.step()
        for request in step.requests:
            yield request
        known = await ledger.find(keys.of(step.requests[0])) if step.decision is None else None
        said = known.text if isinstance(known, Reply) else _made_up(design, step)
        rating = asking.rating_step(step.asked, said)
        if rating is not None:
            yield rating.requests[0]
        interview.hear(said)


def _made_up(design: StudyDesign, step: Step) -> str:
    """Write a reply as long as it may be; all differ, so that no request is a repetition."""
    if step.asked.kind is not Kind.WORDS:
        return max(design.questionnaire.questions[step.asked.question].scale.labels, key=len)
    return f"{step.asked}".ljust(round(design.plan.model.max_tokens * BYTES_PER_TOKEN), "x")
