"""Runs of many decisions, in the first form that the model takes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from semscale.chat.decisions.answers import DecisionAnswer
from semscale.chat.decisions.decision_calls import joined_answers
from semscale.chat.decisions.form_trials import asked, try_form, why_beyond
from semscale.chat.decisions.loading import NEXT_TOKEN, forms_of, load_deciding_model
from semscale.chat.decisions.questions import DecisionRequest
from semscale.chat.runner import Runner, run_apart
from semscale.errors import InputError, ReplyError


@dataclass(frozen=True)
class DecisionRun:
    """Answers to n requests.

    Attributes:
        answers: of each request, by the questions' names; each question has an answer, or a reason.
        form: in which the model decided: ``decisions``, ``systemone``, ``langchain``, ``own``, or
            ``next-token`` for the probabilities of the options' letters.
        not_taken: why forms that were tried before were not taken, by their names.
    """

    answers: tuple[dict[str, DecisionAnswer], ...]
    form: str
    not_taken: dict[str, str]

    @property
    def counts(self) -> dict[str, int]:
        """How many questions were ``answered``, ``refused``, or left without a usable answer (``unusable``).

        Of the answered ones ``normalised`` had probabilities that did not sum to 1; letters never do, as
        other tokens are possible, and are not counted.
        """
        found = Counter[str]()
        for answer in (answer for each in self.answers for answer in each.values()):
            found["answered" if answer.masses else "refused" if answer.refused else "unusable"] += 1
            found["normalised"] += answer.is_normalised and self.form != NEXT_TOKEN
        return {name: found[name] for name in ("answered", "refused", "unusable", "normalised")}

    @property
    def reason(self) -> str:
        """The most frequent reason why an answer is unusable; empty where none is."""
        answers = (answer for each in self.answers for answer in each.values())
        reasons = Counter(each.reason for each in answers if not each.masses and not each.refused)
        return reasons.most_common(1)[0][0] if reasons else ""


def decide(
    model: object, requests: Sequence[DecisionRequest], *, base_url: str | None = None, **settings: object
) -> DecisionRun:
    """Ask typed questions; the first requests find out which form the model takes.

    An endpoint is asked for OpenAI's Decisions, then in the System One format, and then, as any chat model,
    for the probabilities of the next token. One request may be refused for what it says, so up to three are
    tried before a form counts as not taken.

    Args:
        model: an endpoint's or a chat model's name, a chat model, a decision model, or LangChain's.
        requests: at least one.
        base_url: address of an OpenAI-compatible endpoint.
        settings: as :class:`~semscale.chat.runner.Runner` takes them: ``limits``, ``budget``, ``ledger``, ...

    Raises:
        InputError: no request, or one that no form can hold.
        ReplyError: the model takes none of the forms, or no call can succeed.
        InterruptedRunError: a cap was reached; finished requests are in the ledger.

    Example:
        >>> from semscale.chat.decisions import DecisionAnswers, DecisionLimits, PredicateQuestion
        >>> from semscale.signature import Signature
        >>> class Sure:
        ...     name, signature, limits = "sure", Signature.of("chat", model="sure"), DecisionLimits()
        ...     async def decide(self, request):
        ...         return DecisionAnswers({name: DecisionAnswer.of([0, 1]) for name in request.questions})
        >>> asked = DecisionRequest.of("It broke.", {"bad": PredicateQuestion("Is it a complaint?")})
        >>> decide(Sure(), [asked], ledger=False).answers[0]["bad"].masses
        (0.0, 1.0)
    """
    if not requests:
        raise InputError("requests must hold at least one, got none")
    deciding = load_deciding_model(model, base_url=base_url)
    beyond = {form: why_beyond(deciding, requests, form) for form in forms_of(deciding)}
    errors = {form: error for form, error in beyond.items() if error is not None}
    if len(errors) == len(beyond):
        raise next(iter(errors.values()))
    forms = [form for form, error in beyond.items() if error is None]
    runner = Runner(deciding, **settings)  # type: ignore[arg-type]  # it checks them itself
    return run_apart(_decided(requests, forms, runner, {form: str(error) for form, error in errors.items()}))


async def _decided(
    requests: Sequence[DecisionRequest], forms: Sequence[str], runner: Runner, not_taken: dict[str, str]
) -> DecisionRun:
    for form in forms:
        trial = await try_form(requests, form, runner)
        runner = trial.runner
        if trial.why is None:
            found = [*trial.found, *await asked(requests[len(trial.found) :], form, runner)]
            joined = map(joined_answers, requests, found)
            return DecisionRun(tuple(joined), form, not_taken)
        not_taken = {**not_taken, form: trial.why}
    raise ReplyError("; ".join(f"{form}: {why}" for form, why in not_taken.items()))
