"""Forecasts of a study: its calls, tokens and cost, and the caps that would end a run early."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain

from semscale.chat.budget import Forecast, PriceTable, forecast
from semscale.chat.chat_model import Model
from semscale.chat.decisions import NEXT_TOKEN, form_error, forms_of
from semscale.chat.ledger import ContentKeys, Ledger
from semscale.chat.messages import BYTES_PER_TOKEN, Call, Reply
from semscale.chat.settings import Budget
from semscale.study.interviews import (
    Interview,
    Kind,
    Prompts,
    ReplyKey,
    is_answer,
    plan_interviews,
    plan_stops,
)
from semscale.study.questionnaire import ModelChoice, StudyDesign


async def forecast_study(
    design: StudyDesign,
    choice: ModelChoice,
    model: Model,
    ledger: Ledger,
    prices: PriceTable | None = None,
) -> Forecast:
    """Forecast the calls of a study; replies missing in the ledger count with their greatest length.

    Args:
        design: of the study.
        choice: settings of the model.
        model: model that would answer.
        ledger: outcomes of earlier calls.
        prices: prices of models; by default the user's price table.
    """
    prompts, keys = Prompts(design, choice), ContentKeys(model)
    stops = plan_stops(design.questionnaire, design.n_interviews, seed=design.seed)

    async def forecast_form(form: str | None) -> Forecast:
        # One ledger query covers a step of all interviews.
        interviews = plan_interviews(prompts, stops, form=form)
        requests = (_requests(prompts, interview, keys, ledger) for interview in interviews)
        flat = chain.from_iterable(await asyncio.gather(*requests))
        return await forecast(flat, model, prices=prices, ledger=ledger)

    decisions = prompts.first_decisions()
    forms = (form for form in forms_of(model) if form_error(model, decisions, form) is None)
    form = next(forms, None) if decisions else None
    result = await forecast_form(form)
    if form in {None, NEXT_TOKEN} or NEXT_TOKEN not in forms_of(model):
        return result
    return replace(result, stand_ins=(await forecast_form(NEXT_TOKEN)).less(result))


async def _requests(prompts: Prompts, interview: Interview, keys: ContentKeys, ledger: Ledger) -> list[Call]:
    """Return all requests of an interview, with invented replies if the ledger has none."""
    requests: list[Call] = []
    while not interview.is_done:
        step = interview.step()
        requests += step.requests
        known = await ledger.find(keys.of(step.requests[0])) if step.decision is None else None
        reply = known.text if isinstance(known, Reply) else _longest_reply(prompts, step.key)
        if prompts.may_be_rated(step.key) and is_answer(reply):
            requests += prompts.rating(step.key, reply).requests
        interview.add_reply(reply)
    return requests


def _longest_reply(prompts: Prompts, key: ReplyKey) -> str:
    """Return an invented reply of the greatest length; all differ, so that no request repeats another."""
    if key.kind is not Kind.TEXT:
        return max(prompts.asked.questions[key.question].labels, key=len)
    return f"{key}".ljust(round(prompts.max_tokens * BYTES_PER_TOKEN), "x")


def reached_caps(forecasts: Mapping[str, Forecast], budget: Budget, n: int) -> Iterator[str]:
    """State which caps would end the run early, of which models, and how many of n personas they allow.

    Args:
        forecasts: by model.
        budget: the part of each model.
        n: number of personas.
    """
    caps = {name: "; ".join(forecast.beyond(budget)) for name, forecast in forecasts.items()}
    reached = {name: cap for name, cap in caps.items() if cap}
    if not reached:
        return
    allowed = {
        name: f"about {personas_within(forecasts[name], budget, n):,} of {n:,} personas" for name in reached
    }
    if len(forecasts) == 1:
        name, cap = next(iter(reached.items()))
        effect = f" ({cap}): it allows {allowed[name]}"
    else:
        listed = ", ".join(f"{name} {allowed[name]} ({cap})" for name, cap in reached.items())
        effect = f", as each of {len(forecasts)} models may use an equal part: it allows {listed}"
    remedy = "Raise it in the file or by an option, or make the panel smaller."
    yield f"A cap would end the run early{effect}. {remedy}"


def personas_within(whole: Forecast, budget: Budget, n: int) -> int:
    """Return the number of personas, of n, that can answer everything within a budget, at equal cost each.

    Args:
        whole: the forecast for all n personas.
        budget: caps on sent calls; replies in the ledger are free.
        n: number of personas.

    Examples:
        >>> from semscale.chat.messages import Usage
        >>> whole = Forecast(60, 20, 0, 40, Usage(400, 400), 0, None, "", "")
        >>> personas_within(whole, Budget(calls=10), 30)  # 20 answered before and 10 more, of 60
        15
    """
    needed = ((budget.calls, whole.calls), (budget.tokens, whole.most.tokens), (budget.money, whole.money))
    shares = [cap / need for cap, need in needed if cap is not None and need]
    sent = min([1.0, *shares]) * whole.calls
    distinct = whole.answered + whole.calls
    return n if not distinct else int(n * (whole.answered + sent) / distinct + 1e-9)
