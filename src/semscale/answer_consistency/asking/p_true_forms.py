"""In which form a model is asked whether an answer is right: a token's probabilities, else a decision."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from semscale.answer_consistency.asking.waiting_line import P_TRUE, Place
from semscale.answer_consistency.white_box.p_true import p_true, shown_answers
from semscale.chat.calls.parameter_form import LEFT_OUT
from semscale.chat.decisions.answers import answers_in
from semscale.chat.decisions.deciding import DecidingChat, call_of
from semscale.chat.decisions.decision_calls import NOT_TAKEN, TRIED_ITEMS
from semscale.chat.decisions.questions import DecisionRequest, PredicateQuestion
from semscale.chat.messages import Request
from semscale.chat.outcomes import OutcomeStatus, RequestOutcome
from semscale.chat.replies import FailureKind
from semscale.signature import Signature

TOKENS = "tokens"
"""The form of an answer's probability that is read from the token True or False."""

_NAME, _FIELD = "right", "p_true_form"
_QUESTION = PredicateQuestion("Is the proposed answer to the question correct? Wording does not matter.")
_SHOWING = NOT_TAKEN | {FailureKind.MALFORMED}


def decision_forms(model: object) -> tuple[str, ...]:
    """List the forms of typed decisions that a model may take; none for one that only chats."""
    return tuple(model.deciders) if isinstance(model, DecidingChat) else ()


def p_true_decision(prompt: str, answer: str, samples: Sequence[str], form: str) -> Request:
    """Build the decision that asks whether an answer is right.

    Args:
        prompt: the question.
        answer: the answer to be judged.
        samples: other answers, shown before it.
        form: of the decision, one of ``decision_forms``.
    """
    return call_of(DecisionRequest.of(shown_answers(prompt, answer, samples), {_NAME: _QUESTION}), form)


@dataclass
class FormTrials:
    """What replies have shown of the forms in which a model may be asked; one for all parts of a run.

    Attributes:
        lacks_tokens: whether a reply came without log-probabilities.
        failures: how often each form failed, counted up to ``TRIED_ITEMS`` at once if it is not known.
        taken: the forms that were taken.
    """

    lacks_tokens: bool = False
    failures: Counter[str] = field(default_factory=Counter)
    taken: set[str] = field(default_factory=set)


class PTrueForms:
    """Decides how each answer's P(True) is asked for, by what the replies to earlier answers had.

    The model is asked for one word with log-probabilities. Where a reply has none, it is asked for a typed
    decision in each form that it may take, until one is taken, and further answers go there at once. A form
    that fails for the first three answers, or that the endpoint has no path for, is not tried again, and the
    token counts after all.

    Args:
        forms: of typed decisions, the one to try first at the beginning.
        replies: outcomes of all places, as they come.
        trials: what earlier replies of the run have shown; nothing unless given.
    """

    def __init__(
        self,
        forms: Sequence[str],
        replies: Mapping[Place, RequestOutcome],
        trials: FormTrials | None = None,
    ) -> None:
        self._forms, self._replies = forms, replies
        self._trials = FormTrials() if trials is None else trials

    def note(self, place: Place) -> None:
        """Note what the reply to a place shows of its form."""
        outcome, form, trials = self._replies[place], self._form(place), self._trials
        if form is None:
            trials.lacks_tokens |= outcome.reply is not None and not outcome.reply.logprobs
        elif outcome.status is not OutcomeStatus.FAILED:
            trials.taken.add(form)
        else:
            is_unknown = outcome.failure is not None and outcome.failure.kind is FailureKind.UNSUPPORTED
            trials.failures[form] += TRIED_ITEMS if is_unknown else 1

    def next_place(self, item: int) -> Place | None:
        """Give the place where an answer is asked about next; ``None`` where nothing is left to ask.

        Args:
            item: an answer that P(True) is wanted for.
        """
        by_token, trials = self._replies.get((item, P_TRUE)), self._trials
        if by_token is not None and (by_token.reply is None or by_token.reply.logprobs):
            return None
        if by_token is None and not (trials.lacks_tokens and self._forms):
            return item, P_TRUE
        for number, form in enumerate(self._forms, 1):
            place = item, P_TRUE - number
            outcome = self._replies.get(place)
            if outcome is not None and outcome.status is not OutcomeStatus.FAILED:
                return None
            if outcome is None and (form in trials.taken or trials.failures[form] < TRIED_ITEMS):
                return place
        return (item, P_TRUE) if by_token is None else None

    def request(self, place: Place, prompt: str, answer: str, samples: Sequence[str]) -> Request | None:
        """Build the decision of a place; ``None`` where the place is that of a token."""
        form = self._form(place)
        return None if form is None else p_true_decision(prompt, answer, samples, form)

    def value(self, item: int) -> tuple[float, str | None]:
        """Give an answer's P(True), 0 to 1, NaN without one, and the form that it comes from."""
        by_token = self._replies.get((item, P_TRUE))
        value = p_true(by_token.reply.logprobs if by_token is not None and by_token.reply else None)
        if not math.isnan(value):
            return value, TOKENS
        for number, form in enumerate(self._forms, 1):
            outcome = self._replies.get((item, P_TRUE - number))
            if outcome is not None and outcome.reply is not None:
                found = answers_in(outcome.reply)[_NAME]
                return (found.masses[1], form) if found.masses else (math.nan, None)
        return math.nan, None

    def counts(self, items: Iterable[int]) -> dict[str, int]:
        """Count answers by the form that their P(True) comes from."""
        found = Counter(form for form in (self.value(item)[1] for item in items) if form is not None)
        return dict(sorted(found.items()))

    def is_trial(self, place: Place) -> bool:
        """Tell whether a call only showed that its form is not taken, so that it counts for nothing."""
        failure = self._replies[place].failure
        return self._form(place) is not None and failure is not None and failure.kind in _SHOWING

    def places(self, item: int) -> list[Place]:
        """List the places where an answer was asked about."""
        every = [(item, P_TRUE - number) for number in range(len(self._forms) + 1)]
        return [place for place in every if place in self._replies]

    def _form(self, place: Place) -> str | None:
        return None if place[1] == P_TRUE else self._forms[P_TRUE - place[1] - 1]


def with_p_true_forms(signature: Signature, forms: Mapping[str, int]) -> Signature:
    """Say in a signature in which forms P(True) was asked for, where one was a typed decision.

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
