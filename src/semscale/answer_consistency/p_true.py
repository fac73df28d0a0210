"""P(True): the probability that a model assigns to its own answer, from a token or a typed decision."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from semscale.chat.chat_model import Model
from semscale.chat.decision_formats import DecisionRequest, PredicateQuestion
from semscale.chat.decisions import CUSTOM, DECISIONS, NEXT_TOKEN, DecisionCall, forms_of
from semscale.chat.messages import Call, DecisionAnswer, Reply, Request, RequestOutcome, TokenLogprob
from semscale.chat.negotiation import AGAINST, Evidence, Negotiation
from semscale.chat.pacing import UnreadableReplies
from semscale.chat.refused_parameters import LEFT_OUT
from semscale.chat.runner import Runner
from semscale.errors import InputError
from semscale.messages import shorten
from semscale.signature import Signature
from semscale.types import Floats, Progress

Slot = tuple[int, int]
"""A request: the number of an item, and the number of one of its samples, from 1; 0 for its answer,
``P_TRUE`` and below for P(True)."""

P_TRUE = -1
"""The slot of the call that asks the model whether an item's answer is right. Typed decisions about it have
slots from -2 down."""

TOKENS = "tokens"
"""The form of a probability from the token True or False."""

_SYSTEM = (
    "You judge whether an answer to a question is correct. Wording does not matter. "
    "Reply with one word: True or False."
)
_TOP = 5
_YES, _NO = "true", "false"
_NAME, _FIELD = "right", "p_true_form"
_QUESTION = PredicateQuestion("Is the proposed answer to the question correct? Wording does not matter.")
_DECISION_FORMS = (DECISIONS, CUSTOM)


def p_true(tokens: Sequence[TokenLogprob] | None) -> float:
    """Compute P(True) from a reply's first token with letters, if that is True or False.

    It is p(True) / (p(True) + p(False)), summed over the likeliest tokens at that position. If only one of
    the two is among them, the other gets the remaining probability.

    Args:
        tokens: tokens of the reply; ``None`` if unknown.

    Returns:
        P(True), 0 to 1; NaN if the first token with letters is another one, such as "Not".

    References:
        Kadavath et al. (2022), arXiv 2207.05221.

    Examples:
        >>> top = (("True", math.log(0.6)), (" False", math.log(0.2)))
        >>> round(p_true([TokenLogprob("True", math.log(0.6), top)]), 6)
        0.75
    """
    first = next((token for token in tokens or () if any(map(str.isalpha, _word(token.token)))), None)
    if first is None or _word(first.token) not in {_YES, _NO}:
        return math.nan
    shares = dict(first.top)
    shares.setdefault(first.token, first.logprob)
    yes, no = (
        math.fsum(math.exp(logprob) for text, logprob in shares.items() if _word(text) == word)
        for word in (_YES, _NO)
    )
    if not yes or not no:
        return min(yes, 1.0) if yes else max(1 - no, 0.0)
    return yes / (yes + no)


def _word(text: str) -> str:
    return text.strip(" \t\n\"'*.▁Ġ").casefold()


def p_true_request(prompt: str, answer: str, samples: Sequence[str] = ()) -> Request:
    """Build the request that asks whether an answer is right.

    Args:
        prompt: the question.
        answer: the answer to judge.
        samples: other answers, shown before it; they make P(True) better calibrated.
    """
    text = f"{format_answers(prompt, answer, samples)}\nIs the proposed answer True or False?"
    return Request.of(text, system=_SYSTEM, temperature=0.0, max_tokens=1, top_logprobs=_TOP)


def format_answers(prompt: str, answer: str, samples: Sequence[str] = ()) -> str:
    """Format a question, other answers to it, and the answer to judge.

    Examples:
        >>> print(format_answers("Capital of France?", "Paris", ["Lyon", "Lyon", "Paris"]))
        Question: Capital of France?
        Possible answer: Lyon
        Proposed answer: Paris
    """
    different = [text for text in dict.fromkeys(samples) if text.strip() and text != answer]
    shown = "".join(f"Possible answer: {text}\n" for text in different)
    return f"Question: {prompt}\n{shown}Proposed answer: {answer}"


async def ask_p_true(
    prompts: Sequence[str],
    answers: Sequence[str | None],
    samples: Sequence[Sequence[str]] | None,
    runner: Runner,
    progress: Progress | None = None,
) -> Floats:
    """Ask a model whether each answer is right, and return P(True).

    Args:
        prompts: n questions.
        answers: n answers; missing and empty ones are not sent.
        samples: n lists of other answers, or ``None``.
        runner: sends the requests.
        progress: called while replies come.

    Returns:
        P(True), shape (n,), 0 to 1; NaN without a reply that has probabilities. Unlike ``Consistency.ask``,
        it does not request a typed decision instead.

    Raises:
        InputError: lists of unequal length.
        ReplyError: no call can succeed.
    """
    if len(prompts) != len(answers) or (samples is not None and len(samples) != len(prompts)):
        raise InputError("prompts, answers and samples must have equal lengths")
    rows = [row for row, answer in enumerate(answers) if answer and answer.strip()]
    requests = [
        p_true_request(prompts[row], str(answers[row]), () if samples is None else samples[row])
        for row in rows
    ]
    values: Floats = np.full(len(prompts), np.nan)
    for row, outcome in zip(rows, await runner.collect(requests, progress=progress), strict=True):
        values[row] = np.nan if outcome.reply is None else p_true(outcome.reply.logprobs)
    return values


def decision_forms(model: Model) -> tuple[str, ...]:
    """List the forms of typed decisions that a model may accept; none for a model without decisions."""
    return tuple(form for form in forms_of(model) if form != NEXT_TOKEN)


@dataclass(frozen=True)
class FormTrials:
    """Forms of P(True) that a model accepts, as known from all replies of a run.

    Attributes:
        negotiation: the forms: a token with its probability, then typed decisions.
        unreadable: counter of replies without P(True).
    """

    negotiation: Negotiation[str] = field(
        default_factory=lambda: Negotiation([TOKENS], *([form] for form in _DECISION_FORMS))
    )
    unreadable: UnreadableReplies = field(default_factory=UnreadableReplies)

    @property
    def stopped(self) -> str | None:
        """The reason to send no further request; ``None`` unless 20 replies in a row lack P(True)."""
        if self.unreadable.reason is None:
            return None
        cause = f", such as {shorten(self.unreadable.example)}"
        has_decisions = any(map(self.negotiation.is_accepted, _DECISION_FORMS))
        if self.negotiation.is_refused(TOKENS) and not has_decisions:
            cause = ", as the model gives no log-probabilities"
        return (
            f"{self.unreadable.most} replies in a row have no P(True){cause}: leave out the measure p_true, "
            "or choose another model"
        )


class PTrueForms:
    """Chooses the form of each answer's P(True) request by negotiation.

    The first request is for one word with log-probabilities. If a reply has none, a typed decision is
    requested; further answers use it directly. If no form is left for an answer, the token is used.

    Args:
        forms: forms of typed decisions, in the order to try.
        replies: outcomes of all slots, filled by the caller.
        trials: trials of earlier replies of the run; none by default.
    """

    def __init__(
        self,
        forms: Sequence[str],
        replies: Mapping[Slot, RequestOutcome],
        trials: FormTrials | None = None,
    ) -> None:
        self._forms, self._replies = (TOKENS, *forms), replies
        self._trials = FormTrials() if trials is None else trials

    def note(self, slot: Slot) -> None:
        """Record the result of the reply to a slot for its form."""
        self._trials.negotiation.note(self._form(slot), self._evidence(slot))

    def note_readable(self, slot: Slot) -> None:
        """Count the reply to a slot as one with or without P(True); a declined decision counts as with it."""
        reply = self._replies[slot].reply
        if reply is None:
            return
        decision = _decision(reply)
        is_readable = not math.isnan(p_true(reply.logprobs)) if decision is None else decision.is_final
        self._trials.unreadable.note(reply, is_readable=is_readable)

    def next_slot(self, item: int) -> Slot | None:
        """Return the next slot for an answer; ``None`` if no request is left.

        Args:
            item: number of an answer for P(True).
        """
        sent = {self._form(slot): self._evidence(slot) for slot in self.slots(item)}
        if any(evidence not in AGAINST for evidence in sent.values()):
            return None
        left = (*self._trials.negotiation.forms, TOKENS)
        form = next((form for form in left if form in self._forms and form not in sent), None)
        return None if form is None else (item, P_TRUE - self._forms.index(form))

    def request(self, slot: Slot, prompt: str, answer: str, samples: Sequence[str]) -> Call:
        """Build the request of a slot: for a token, or for a typed decision.

        Args:
            slot: slot of the request.
            prompt: the question.
            answer: the answer to judge.
            samples: other answers, shown before it.
        """
        form = self._form(slot)
        if form == TOKENS:
            return p_true_request(prompt, answer, samples)
        shown = format_answers(prompt, answer, samples)
        return DecisionCall(DecisionRequest.of(shown, {_NAME: _QUESTION}), form)

    def value(self, item: int) -> tuple[float, str | None]:
        """Return an answer's P(True), 0 to 1, NaN without one, and its form."""
        by_token = self._replies.get((item, P_TRUE))
        value = p_true(by_token.reply.logprobs if by_token is not None and by_token.reply else None)
        if not math.isnan(value):
            return value, TOKENS
        for slot in self.slots(item):
            decision = _decision(self._replies[slot].reply)
            if decision is not None:
                return (decision.masses[1], self._form(slot)) if decision.masses else (math.nan, None)
        return math.nan, None

    def counts(self, items: Iterable[int]) -> dict[str, int]:
        """Count answers by the form of their P(True)."""
        forms = Counter(form for form in (self.value(item)[1] for item in items) if form is not None)
        return dict(sorted(forms.items()))

    def is_trial(self, slot: Slot) -> bool:
        """Return whether a call only showed that its form is not accepted, so that it is not counted."""
        return slot[1] < P_TRUE and self._evidence(slot) in AGAINST

    def slots(self, item: int) -> list[Slot]:
        """List the slots of an answer that were sent."""
        every = [(item, P_TRUE - number) for number in range(len(self._forms))]
        return [slot for slot in every if slot in self._replies]

    def _form(self, slot: Slot) -> str:
        return self._forms[P_TRUE - slot[1]]

    def _evidence(self, slot: Slot) -> Evidence:
        outcome = self._replies[slot]
        if outcome.reply is not None and self._form(slot) == TOKENS and not outcome.reply.logprobs:
            return Evidence.FORM
        return Evidence.from_failure(outcome.failure)


def _decision(reply: Reply | None) -> DecisionAnswer | None:
    """Return the typed decision in a reply; ``None`` if it has none."""
    return None if reply is None or reply.decisions is None else reply.decisions[_NAME]


def with_p_true_forms(signature: Signature, forms: Mapping[str, int]) -> Signature:
    """Add the forms of P(True) to a signature, if one was a typed decision.

    Args:
        signature: signature with the fields of a ``Sampling``.
        forms: number of answers by the form of their P(True).
    """
    if not set(forms) - {TOKENS}:
        return signature
    named = "+".join(sorted(forms))
    if _FIELD in dict(signature.fields):  # of one part alone
        signature = signature.with_values({_FIELD: named})
    else:
        signature = signature.plus(Signature.of("asked", **{_FIELD: named}))
    if TOKENS in forms:
        return signature
    return signature.with_values(dict.fromkeys(("p_true_temperature", "p_true_top_logprobs"), LEFT_OUT))
