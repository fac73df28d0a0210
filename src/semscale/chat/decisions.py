"""Typed decisions: questions with a probability for each possible answer instead of a text to parse."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, cast

from semscale.chat.chat_model import ChatModel, Model
from semscale.chat.decision_formats import (
    LETTER_LIMITS,
    NO_LOGPROBS,
    ChoiceQuestion,
    DecisionAnswers,
    DecisionLimits,
    DecisionModel,
    DecisionRequest,
    LetterRequest,
    Option,
    PredicateQuestion,
    ScoreQuestion,
    average_answers,
    check_decision,
    find_fault,
    letter_request,
    question_record,
    rotations,
)
from semscale.chat.endpoint import EndpointChat
from semscale.chat.loading import load_chat_model
from semscale.chat.messages import (
    AnyModel,
    CallError,
    DecisionAnswer,
    FailureKind,
    Message,
    Parameters,
    Reply,
    Usage,
    estimate_tokens,
    hashable_messages,
)
from semscale.chat.negotiation import Evidence, Negotiation
from semscale.chat.runner import Runner, Running, run_to_end
from semscale.errors import InputError, ReplyError
from semscale.signature import Signature
from semscale.types import Progress, Status

__all__ = [
    "ChoiceQuestion",
    "DecisionAnswer",
    "DecisionAnswers",
    "DecisionLimits",
    "DecisionModel",
    "DecisionRequest",
    "DecisionRun",
    "NoDecisionsError",
    "Option",
    "PredicateQuestion",
    "ScoreQuestion",
    "decide",
]

_TOKENS_PER_ANSWER = 16  # reserved; endpoints report few or none


@dataclass(frozen=True)
class DecisionCall:
    """A call to a decision model: all questions of a request.

    Attributes:
        request: the questions and their input.
        form: name of the form.
    """

    request: DecisionRequest
    form: str
    parameters: ClassVar[Parameters] = Parameters()

    @property
    def messages(self) -> tuple[Message, ...]:
        """The input."""
        return self.request.messages

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The form and the questions, as JSON values."""
        questions = {name: question_record(question) for name, question in self.request.questions.items()}
        return {"decision": {"form": self.form, "questions": questions}}

    @property
    def content(self) -> list[Any]:
        """Input, form and questions; see :class:`~semscale.chat.messages.Call`."""
        return [hashable_messages(self.messages), self.fields]

    @property
    def most_tokens(self) -> Usage:
        """Greatest number of tokens; see :class:`~semscale.chat.messages.Call`."""
        prompt = estimate_tokens(self.messages, self.fields)
        return Usage(prompt, _TOKENS_PER_ANSWER * len(self.request.questions))

    async def send(self, model: AnyModel) -> Reply:
        """Send it once; see :class:`~semscale.chat.messages.Call`."""
        decided = await cast("DecisionModel", model).decide(self.request)
        fault = find_fault(
            decided, {name: len(question.options) for name, question in self.request.questions.items()}
        )
        if fault is not None:
            message = f"{model.name} answered with decisions that cannot be used: {fault}"
            raise CallError(message, kind=FailureKind.MALFORMED, raw=decided.raw, usage=decided.usage)
        return Reply("", decisions=decided.answers, usage=decided.usage, model=decided.model, raw=decided.raw)

    def answers(self, reply: Reply) -> Mapping[str, DecisionAnswer]:
        """Return the answers by the questions' names."""
        return reply.decisions or {}


AnyDecisionCall = DecisionCall | LetterRequest
"""A call about a decision: all its questions, or one of them in one order of its options."""


def decision_calls(request: DecisionRequest, form: str) -> Sequence[AnyDecisionCall]:
    """List the calls for a request: one, or with ``next-token`` one for each option of each question."""
    if form != NEXT_TOKEN:
        return [DecisionCall(request, form)]
    return [
        letter_request(request, name, order)
        for name, question in request.questions.items()
        for order in rotations(len(question.options))
    ]


def is_final(answers: Mapping[str, DecisionAnswer]) -> bool:
    """Return whether a reply has an answer, if only that the model declines to give one."""
    return any(answer.is_final for answer in answers.values())


DECISIONS = "decisions"
"""The form of an endpoint's decisions: OpenAI's ``POST /v1/decisions``."""

NEXT_TOKEN = "next-token"
"""The form of a chat model's decisions: probabilities of the options' letters."""

CUSTOM = "own"
"""The form of a user's own decision model."""


def load_deciding_model(model: object, *, base_url: str | None = None) -> Model:
    """Load a model for decisions.

    Args:
        model: an argument of :func:`~semscale.chat.load_chat_model`, or a ``DecisionModel``.
        base_url: address of an OpenAI-compatible endpoint.

    Raises:
        InputError, ModelError, MissingExtraError: as ``load_chat_model``, or an invalid signature.
    """
    if not isinstance(model, DecisionModel):
        return load_chat_model(model, base_url=base_url)
    if not isinstance(model.signature, Signature):
        raise InputError(
            f"the signature of a decision model must be a Signature, got {model.signature!r:.60}"
        )
    return model


def forms_of(model: Model) -> tuple[str, ...]:
    """List the forms of decisions for a model, in the order to try them."""
    forms = []
    if isinstance(model, DecisionModel):
        forms.append(DECISIONS if isinstance(model, EndpointChat) else CUSTOM)
    if isinstance(model, ChatModel):
        forms.append(NEXT_TOKEN)
    return tuple(forms)


def limits_of(model: Model, form: str) -> DecisionLimits:
    """Return a model's limits in a form."""
    return LETTER_LIMITS if form == NEXT_TOKEN else cast("DecisionModel", model).limits


@dataclass(frozen=True)
class DecisionRun:
    """Answers to n requests.

    Attributes:
        answers: for each request the answers by the questions' names, each with probabilities or a reason.
        form: form of the answers: ``decisions``, ``own``, or ``next-token`` for the probabilities of the
            options' letters.
        refused_forms: reasons why the model did not accept forms that were tried before, by their names.
    """

    answers: tuple[dict[str, DecisionAnswer], ...]
    form: str
    refused_forms: dict[str, str]

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of questions ``answered``, ``refused``, or without a usable answer (``unusable``).

        ``normalised`` counts the answered ones whose probabilities did not sum to 1, except letters, which
        never sum to 1, as other tokens are possible.
        """
        counts = dict.fromkeys(("answered", "refused", "unusable", "normalised"), 0)
        for answer in (answer for answers in self.answers for answer in answers.values()):
            counts["answered" if answer.masses else "refused" if answer.refused else "unusable"] += 1
            counts["normalised"] += answer.is_normalised and self.form != NEXT_TOKEN
        return counts

    @property
    def reason(self) -> str:
        """The most frequent reason for an unusable answer; empty if all are usable."""
        answers = (answer for by_name in self.answers for answer in by_name.values())
        reasons = Counter(answer.reason for answer in answers if not answer.masses and not answer.refused)
        return reasons.most_common(1)[0][0] if reasons else ""


def decide(
    model: object,
    requests: Sequence[DecisionRequest],
    *,
    base_url: str | None = None,
    running: Running | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> DecisionRun:
    """Ask typed questions; the first requests find out which form the model accepts.

    For an endpoint, the forms are OpenAI's Decisions, then the probabilities of the next token, as for any
    chat model. A single request may be refused for its content, so up to three requests are tried before a
    form counts as not accepted.

    Args:
        model: an endpoint's or a chat model's name, a chat model, or a decision model.
        requests: at least one.
        base_url: address of an OpenAI-compatible endpoint.
        running: how calls are made; the defaults of ``Running`` without it.
        progress: called as replies come.
        settings: fields of ``Running`` to replace: ``limits``, ``budget``, ``ledger``, ...

    Returns:
        The answers to each request, with probabilities from 0 to 1.

    Raises:
        InputError: no request, or one that no form can carry.
        ReplyError: the model accepts none of the forms, or no call can succeed.
        InterruptedRunError: a cap was reached; finished requests are in the ledger.

    Examples:
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
        raise InputError("requests", "must hold at least one, got none")
    deciding = load_deciding_model(model, base_url=base_url)
    errors = [form_error(deciding, requests, form) for form in forms_of(deciding)]
    if None not in errors:
        raise next(filter(None, errors))
    return run_to_end(decide_with(deciding, requests, Runner(deciding, running, **settings), progress))


class NoDecisionsError(ReplyError):
    """The model accepts no form of decisions.

    Attributes:
        refused_forms: reasons by the names of the forms.
    """

    def __init__(self, refused_forms: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{form}: {reason}" for form, reason in refused_forms.items()))
        self.refused_forms = dict(refused_forms)


async def decide_with(
    model: Model, requests: Sequence[DecisionRequest], runner: Runner, progress: Progress | None = None
) -> DecisionRun:
    """Ask typed questions with a runner; as ``decide``, for code that also sends other calls with it.

    Raises:
        NoDecisionsError: the model accepts none of the forms.
        InterruptedRunError, ReplyError: as ``choose_form``.
    """
    chosen = await choose_form(model, requests, runner, progress)
    if chosen.form is None:
        raise NoDecisionsError(chosen.refused_forms)
    rest = await send_decisions(requests[len(chosen.results) :], chosen.form, runner, progress)
    answers = map(join_answers, requests, [*chosen.results, *rest])
    return DecisionRun(tuple(answers), chosen.form, chosen.refused_forms)


CallAnswers = list[Mapping[str, DecisionAnswer] | CallError]
"""Results of the calls about one request."""


@dataclass(frozen=True)
class ChosenForm:
    """The form of decisions that a model accepts, found by the first requests.

    Attributes:
        form: name of the form; ``None`` if the model accepts none.
        refused_forms: reasons why the model did not accept forms that were tried before, by their names.
        results: for each request that was sent in the form, the results of its calls.
    """

    form: str | None
    refused_forms: dict[str, str]
    results: list[CallAnswers]


async def choose_form(
    model: Model, requests: Sequence[DecisionRequest], runner: Runner, progress: Progress | None = None
) -> ChosenForm:
    """Send the first requests in one form after the other, until the model accepts one.

    Args:
        model: the model that decides.
        requests: at least one; up to three of them are sent, as one may be refused for its content.
        runner: sends the requests.
        progress: called as replies come.

    Raises:
        InterruptedRunError: a cap was reached; finished requests are in the ledger.
        ReplyError: no call can succeed.
    """
    forms = forms_of(model)
    negotiation = Negotiation(*([form] for form in forms), n_items=len(requests))
    for form in forms:
        beyond = form_error(model, requests, form)
        if beyond is not None:
            negotiation.note(form, Evidence.FORM, str(beyond))
    results: dict[str, list[CallAnswers]] = {form: [] for form in forms}
    while (trial := negotiation.trial) is not None:
        form, index = trial
        answers = await _try_form(requests[index], form, runner, progress)
        results[form].append(answers)
        negotiation.note(form, *form_evidence(answers))
    chosen = negotiation.form
    refused_forms = {
        refusal.form: refusal.reason for refusal in negotiation.refusals if refusal.form != chosen
    }
    return ChosenForm(chosen, refused_forms, [] if chosen is None else results[chosen])


def form_error(model: Model, requests: Sequence[DecisionRequest], form: str) -> InputError | None:
    """Return the error of the first request that a form cannot carry; ``None`` if it can carry all."""
    try:
        for request in requests:
            check_decision(request, limits_of(model, form), model.name)
    except InputError as error:
        return error
    return None


async def _try_form(
    request: DecisionRequest, form: str, runner: Runner, progress: Progress | None
) -> CallAnswers:
    """Send one request; if all answers are malformed, only this form counts as not accepted."""
    try:
        (results,) = await send_decisions([request], form, runner, progress)
    except CallError as failure:
        if failure.kind is not FailureKind.MALFORMED:
            raise
        return [failure]
    return results


async def send_decisions(
    requests: Sequence[DecisionRequest], form: str, runner: Runner, progress: Progress | None = None
) -> list[CallAnswers]:
    """Send requests in a form, and return the results of each request's calls.

    Raises:
        InterruptedRunError, ReplyError: as ``choose_form``.
    """
    calls = [decision_calls(request, form) for request in requests]
    flat = [call for of_request in calls for call in of_request]
    outcomes = await runner.collect_readable(
        flat, lambda index, reply: is_final(flat[index].answers(reply)), progress=progress
    )
    results = iter(
        call.answers(outcome.reply) if outcome.reply is not None else outcome.failure
        for call, outcome in zip(flat, outcomes, strict=True)
    )
    return [[result for _ in of_request if (result := next(results)) is not None] for of_request in calls]


def form_evidence(results: CallAnswers) -> tuple[Evidence, str]:
    """Return the evidence of a request's calls about their form, and the reason of a refusal."""
    return max(map(_evidence, results), key=lambda evidence: evidence[0])


def _evidence(result: Mapping[str, DecisionAnswer] | CallError) -> tuple[Evidence, str]:
    if isinstance(result, CallError):
        return Evidence.from_failure(result), str(result)
    if any(answer.reason == NO_LOGPROBS for answer in result.values()):
        return Evidence.FORM, NO_LOGPROBS
    return Evidence.ACCEPTED, ""


def join_answers(
    request: DecisionRequest, results: Sequence[Mapping[str, DecisionAnswer] | CallError]
) -> dict[str, DecisionAnswer]:
    """Join the results of a request's calls into one answer for each question.

    Args:
        request: the request.
        results: for each of its ``decision_calls``, the answers or the failure.
    """
    failure = next((result for result in results if isinstance(result, CallError)), None)
    if len(results) == 1:
        if isinstance(results[0], CallError):
            return {name: answer_of_failure(results[0]) for name in request.questions}
        return dict(results[0])
    answers = {}
    for name, question in request.questions.items():
        readings = [
            result[name] for result in results if not isinstance(result, CallError) and name in result
        ]
        joined = average_answers(readings, len(question.options))
        lost = failure is not None and len(readings) < len(question.options)
        answers[name] = answer_of_failure(failure) if lost and failure is not None else joined
    return answers


def answer_of_failure(failure: CallError) -> DecisionAnswer:
    """Return the answer to a question whose call failed."""
    refused = failure.kind is FailureKind.REFUSED
    return DecisionAnswer(reason=str(failure), refused=refused, failed=not refused)


def decision_status(answer: DecisionAnswer) -> Status:
    """Return the status of an answer: ``scored``, ``refused``, ``failed`` or ``unparsable``."""
    if answer.masses:
        return Status.SCORED
    if answer.refused:
        return Status.REFUSED
    return Status.FAILED if answer.failed else Status.UNPARSABLE
