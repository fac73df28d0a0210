"""P(True): the probability that a model gives to its own answer, from a token or from a typed decision."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from semscale.chat.decision_formats import DecisionRequest, PredicateQuestion, answers_in
from semscale.chat.decisions import REJECTING, TRIED_ITEMS, DecidingChat, call_of
from semscale.chat.messages import FailureKind, OutcomeStatus, Request, RequestOutcome, TokenLogprob
from semscale.chat.refused_parameters import LEFT_OUT
from semscale.chat.runner import Runner
from semscale.errors import InputError
from semscale.signature import Signature
from semscale.types import Floats, Progress

Slot = tuple[int, int]
"""A request: the number of an item, and that of one of its samples, from 1; 0 is for its answer, ``P_TRUE``
and less for whether that is right."""

P_TRUE = -1
"""The slot of the call that asks the model whether an item's answer is right. Typed decisions about the same
have -2 and less."""

TOKENS = "tokens"
"""The form of an answer's probability that is read from the token True or False."""

_SYSTEM = (
    "You judge whether an answer to a question is correct. Wording does not matter. "
    "Reply with one word: True or False."
)
_TOP = 5
_YES, _NO = "true", "false"
_NAME, _FIELD = "right", "p_true_form"
_QUESTION = PredicateQuestion("Is the proposed answer to the question correct? Wording does not matter.")
_TELLING = REJECTING | {FailureKind.MALFORMED}  # failures that show that a form is not accepted


def p_true(tokens: Sequence[TokenLogprob] | None) -> float:
    """Read P(True) from a reply's first token with letters, if that is True or False.

    It is p(True) / (p(True) + p(False)), summed over the likeliest tokens at that position. Where only one of
    the two is among them, the other has what is left.

    Args:
        tokens: of the reply; ``None`` where they are not known.

    Returns:
        0 to 1; NaN where the first token with letters is another, such as "Not".

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
        answer: the answer to be judged.
        samples: other answers, shown before it; they make P(True) better calibrated.
    """
    text = f"{shown_answers(prompt, answer, samples)}\nIs the proposed answer True or False?"
    return Request.of(text, system=_SYSTEM, temperature=0.0, max_tokens=1, top_logprobs=_TOP)


def shown_answers(prompt: str, answer: str, samples: Sequence[str] = ()) -> str:
    """Lay out a question, other answers to it, and the answer that is to be judged.

    Examples:
        >>> print(shown_answers("Capital of France?", "Paris", ["Lyon", "Lyon", "Paris"]))
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
    """Ask a model whether each answer is right, and read P(True).

    Args:
        prompts: n questions.
        answers: n answers; a missing or empty one is not asked about.
        samples: n lists of other answers, or ``None``.
        runner: sends the requests.
        progress: called while replies come.

    Returns:
        Shape (n,), 0 to 1; NaN where no reply came, or none with probabilities. No typed decision is asked
        for instead, as ``Consistency.ask`` does.

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


def decision_forms(model: object) -> tuple[str, ...]:
    """List the forms of typed decisions that a model may accept; none for one that only chats."""
    return tuple(model.deciders) if isinstance(model, DecidingChat) else ()


@dataclass
class FormTrials:
    """Forms in which a model may be asked, as its replies have shown them; one for all parts of a run.

    Attributes:
        lacks_tokens: whether a reply came without log-probabilities.
        failures: how often each form failed, counted up to ``TRIED_ITEMS`` at once if it is not known.
        accepted: the forms that were accepted.
    """

    lacks_tokens: bool = False
    failures: Counter[str] = field(default_factory=Counter)
    accepted: set[str] = field(default_factory=set)


class PTrueForms:
    """Decides how each answer's P(True) is asked for, by what the replies to earlier answers had.

    The model is asked for one word with log-probabilities. Where a reply has none, it is asked for a typed
    decision in each form that it may accept, until one is accepted, and further answers go there at once. A
    form that fails for the first three answers, or that the endpoint has no path for, is not tried again, and
    the token counts after all.

    Args:
        forms: of typed decisions, the first to try at the beginning.
        replies: outcomes of all slots, as they come.
        trials: of earlier replies of the run; none unless given.
    """

    def __init__(
        self,
        forms: Sequence[str],
        replies: Mapping[Slot, RequestOutcome],
        trials: FormTrials | None = None,
    ) -> None:
        self._forms, self._replies = forms, replies
        self._trials = FormTrials() if trials is None else trials

    def note(self, slot: Slot) -> None:
        """Note what the reply to a slot shows of its form."""
        outcome, form, trials = self._replies[slot], self._form(slot), self._trials
        if form is None:
            trials.lacks_tokens |= outcome.reply is not None and not outcome.reply.logprobs
        elif outcome.status is not OutcomeStatus.FAILED:
            trials.accepted.add(form)
        else:
            is_unknown = outcome.failure is not None and outcome.failure.kind is FailureKind.UNSUPPORTED
            trials.failures[form] += TRIED_ITEMS if is_unknown else 1

    def next_slot(self, item: int) -> Slot | None:
        """Give the slot in which an answer is asked about next; ``None`` where nothing is left to ask.

        Args:
            item: an answer that P(True) is wanted for.
        """
        by_token, trials = self._replies.get((item, P_TRUE)), self._trials
        if by_token is not None and (by_token.reply is None or by_token.reply.logprobs):
            return None
        if by_token is None and not (trials.lacks_tokens and self._forms):
            return item, P_TRUE
        for number, form in enumerate(self._forms, 1):
            slot = item, P_TRUE - number
            outcome = self._replies.get(slot)
            if outcome is not None and outcome.status is not OutcomeStatus.FAILED:
                return None
            if outcome is None and (form in trials.accepted or trials.failures[form] < TRIED_ITEMS):
                return slot
        return (item, P_TRUE) if by_token is None else None

    def request(self, slot: Slot, prompt: str, answer: str, samples: Sequence[str]) -> Request:
        """Build the request of a slot: for a token, or for a typed decision.

        Args:
            slot: of the request.
            prompt: the question.
            answer: the answer to be judged.
            samples: other answers, shown before it.
        """
        form = self._form(slot)
        if form is None:
            return p_true_request(prompt, answer, samples)
        shown = shown_answers(prompt, answer, samples)
        return call_of(DecisionRequest.of(shown, {_NAME: _QUESTION}), form)

    def value(self, item: int) -> tuple[float, str | None]:
        """Give an answer's P(True), 0 to 1, NaN without one, and the form that it comes from."""
        by_token = self._replies.get((item, P_TRUE))
        value = p_true(by_token.reply.logprobs if by_token is not None and by_token.reply else None)
        if not math.isnan(value):
            return value, TOKENS
        for number, form in enumerate(self._forms, 1):
            outcome = self._replies.get((item, P_TRUE - number))
            if outcome is not None and outcome.reply is not None:
                decision = answers_in(outcome.reply)[_NAME]
                return (decision.masses[1], form) if decision.masses else (math.nan, None)
        return math.nan, None

    def counts(self, items: Iterable[int]) -> dict[str, int]:
        """Count answers by the form that their P(True) comes from."""
        forms = Counter(form for form in (self.value(item)[1] for item in items) if form is not None)
        return dict(sorted(forms.items()))

    def is_trial(self, slot: Slot) -> bool:
        """Tell whether a call only showed that its form is not accepted, so that it counts for nothing."""
        if slot[1] >= P_TRUE:
            return False
        failure = self._replies[slot].failure
        return failure is not None and failure.kind in _TELLING

    def slots(self, item: int) -> list[Slot]:
        """List the slots in which an answer was asked about."""
        every = [(item, P_TRUE - number) for number in range(len(self._forms) + 1)]
        return [slot for slot in every if slot in self._replies]

    def _form(self, slot: Slot) -> str | None:
        return None if slot[1] == P_TRUE else self._forms[P_TRUE - slot[1] - 1]


def with_p_true_forms(signature: Signature, forms: Mapping[str, int]) -> Signature:
    """Add to a signature the forms in which P(True) was asked for, where one was a typed decision.

    Args:
        signature: with the fields of a ``Sampling``'s.
        forms: answers by the form that their P(True) comes from.
    """
    if not set(forms) - {TOKENS}:
        return signature
    named = "+".join(sorted(forms))
    if _FIELD in dict(signature.fields):  # of one part alone
        signature = signature.replaced({_FIELD: named})
    else:
        signature = signature.extended(Signature.of("asked", **{_FIELD: named}))
    if TOKENS in forms:
        return signature
    return signature.replaced(dict.fromkeys(("p_true_temperature", "p_true_top_logprobs"), LEFT_OUT))
