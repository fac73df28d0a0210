"""Typed decisions: questions with a probability for each possible answer instead of a text to parse."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from semscale.chat.chat_model import ChatModel, check_run, load_chat_model
from semscale.chat.decision_formats import (
    DECISIONS_LIMITS,
    DECISIONS_PATH,
    LETTER_LIMITS,
    ChoiceQuestion,
    DecisionAnswer,
    DecisionAnswers,
    DecisionLimits,
    DecisionModel,
    DecisionRequest,
    Option,
    Order,
    PredicateQuestion,
    ScoreQuestion,
    answers_in,
    as_reply,
    average_answers,
    check_decision,
    decisions_answers,
    decisions_body,
    find_fault,
    letter_masses,
    next_token_request,
    question_from,
    question_record,
    rotations,
    why_unreadable,
)
from semscale.chat.endpoint import EndpointChat, clean_json, usage_in
from semscale.chat.messages import CallError, FailureKind, Parameters, Reply, Request
from semscale.chat.negotiation import Evidence, Negotiation
from semscale.chat.runner import Runner, run_apart
from semscale.chat.settings import Spent
from semscale.errors import InputError, ReplyError
from semscale.signature import Signature

__all__ = [
    "ChoiceQuestion",
    "DecisionAnswer",
    "DecisionAnswers",
    "DecisionLimits",
    "DecisionModel",
    "DecisionRequest",
    "DecisionRun",
    "Option",
    "PredicateQuestion",
    "ScoreQuestion",
    "decide",
]

_FIELD = "decision"
_TOKENS_A_QUESTION = 16
"""Tokens reserved for an answer; endpoints report few or none."""


class DecidingChat:
    """A chat model that also answers decisions, in one or more forms.

    Args:
        deciders: decision models by the names of their forms, in the order to try them.
        chat: answers everything else; ``None`` for a model that only decides.
    """

    def __init__(self, deciders: Mapping[str, DecisionModel], chat: ChatModel | None) -> None:
        self.deciders, self.chat = dict(deciders), chat

    @property
    def _main(self) -> ChatModel | DecisionModel:
        return next(iter(self.deciders.values())) if self.chat is None else self.chat

    @property
    def name(self) -> str:
        """The model's name."""
        return self._main.name

    @property
    def signature(self) -> Signature:
        """The model's signature; the form is part of each request."""
        return self._main.signature

    async def complete(self, request: Request) -> Reply:
        """Send one request; see :class:`~semscale.chat.chat_model.ChatModel`."""
        asked = request.parameters.extra.get(_FIELD)
        if isinstance(asked, Mapping):
            return await self._decide(self.deciders[asked["form"]], _decision(request, asked))
        if self.chat is None:
            raise CallError(f"{self.name} takes decisions only", kind=FailureKind.UNSUPPORTED)
        return await self.chat.complete(request)

    async def _decide(self, decider: DecisionModel, asked: DecisionRequest) -> Reply:
        answers = await decider.decide(asked)
        wrong = find_fault(
            answers, {name: len(question.options) for name, question in asked.questions.items()}
        )
        if wrong is not None:
            message = f"{self.name} answered with decisions that cannot be used: {wrong}"
            raise CallError(message, kind=FailureKind.MALFORMED, raw=answers.raw, usage=answers.usage)
        return as_reply(answers)

    def check_run(self, *, stores_replies: bool) -> None:
        """Check that calls can be sent and replies can be stored; see ``ChatModel``."""
        check_run(self._main, stores_replies=stores_replies)

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        for model in (*self.deciders.values(), self.chat):
            close = getattr(model, "aclose", None)
            if close is not None:
                await close()

    def __repr__(self) -> str:
        return f"DecidingChat({self.name!r}, forms={list(self.deciders)})"


def call_of(request: DecisionRequest, form: str) -> Request:
    """Write a decision as a request to a ``DecidingChat``.

    Args:
        request: the decision request.
        form: name of the form, one of the model's deciders.
    """
    questions = {name: question_record(asked) for name, asked in request.questions.items()}
    extra = {_FIELD: {"form": form, "questions": questions}}
    return Request(request.messages, Parameters(max_tokens=_TOKENS_A_QUESTION * len(questions), extra=extra))


def _decision(request: Request, asked: Mapping[str, Any]) -> DecisionRequest:
    questions = {name: question_from(record) for name, record in asked["questions"].items()}
    return DecisionRequest(request.messages, questions)


_CUT = 65_536  # characters kept of a page


class EndpointDecisions:
    """Decision model of an endpoint, which shares the connections of its chat model.

    Args:
        chat: the chat model behind the endpoint.
    """

    limits = DECISIONS_LIMITS

    def __init__(self, chat: EndpointChat) -> None:
        self._chat = chat

    @property
    def name(self) -> str:
        """The model's name at the endpoint."""
        return self._chat.name

    @property
    def signature(self) -> Signature:
        """The model's name and the endpoint."""
        return self._chat.signature

    async def decide(self, request: DecisionRequest) -> DecisionAnswers:
        """Send one request; see :class:`~semscale.chat.decision_formats.DecisionModel`.

        An endpoint answers 404 if it lacks this path, or if it does not know the model. Both are
        ``unsupported``; a chat call distinguishes them.
        """
        name, path = self.name, DECISIONS_PATH
        try:
            text, scrubber = await self._chat.post(path, decisions_body(name, request))
        except CallError as error:
            if error.kind is not FailureKind.UNKNOWN_MODEL:
                raise
            message = f"{name}: the endpoint has no {path}, or not for this model"
            raise CallError(message, kind=FailureKind.UNSUPPORTED, raw=error.raw) from None
        if text.lstrip()[:1] == "<":
            message = f"{name}: the endpoint returns a web page at {path}"
            raise CallError(message, kind=FailureKind.UNSUPPORTED, raw=scrubber.reply(text[:_CUT]))
        body, raw = clean_json(text, scrubber, model=name)
        fields: Mapping[str, Any] = body if isinstance(body, dict) else {}
        usage = usage_in(fields, "input_tokens", "output_tokens")
        if "answers" not in fields:
            message = f"{name}: the endpoint's reply at {path} contains no answers"
            raise CallError(message, kind=FailureKind.UNSUPPORTED, raw=raw, usage=usage)
        try:
            answers = decisions_answers(fields, request)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            message = f"{name} answered with decisions that cannot be read: {why_unreadable(error)}"
            raise CallError(
                scrubber.line(message), kind=FailureKind.MALFORMED, raw=raw, usage=usage
            ) from None
        return DecisionAnswers(answers, usage, str(fields.get("model") or name), raw)

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self._chat.aclose()


DECISIONS = "decisions"
"""The form of an endpoint's decisions: OpenAI's ``POST /v1/decisions``."""

NEXT_TOKEN = "next-token"
"""The form of a chat model's decisions: probabilities of the options' letters."""

CUSTOM = "own"
"""The form of a user's own decision model."""


def load_deciding_model(model: object, *, base_url: str | None = None) -> DecidingChat:
    """Load a model for decisions.

    Args:
        model: an argument of :func:`~semscale.chat.load_chat_model`, or a ``DecisionModel``.
        base_url: address of an OpenAI-compatible endpoint.

    Raises:
        InputError, ModelError, MissingExtraError: as ``load_chat_model``, or an invalid signature.
    """
    if isinstance(model, DecidingChat):
        return model
    if isinstance(model, DecisionModel):
        if not isinstance(model.signature, Signature):
            raise InputError(
                f"the signature of a decision model must be a Signature, got {model.signature!r:.60}"
            )
        return DecidingChat({CUSTOM: model}, model if isinstance(model, ChatModel) else None)
    chat = load_chat_model(model, base_url=base_url)
    if isinstance(chat, EndpointChat):
        return DecidingChat({DECISIONS: EndpointDecisions(chat)}, chat)
    return DecidingChat({}, chat)


def forms_of(model: DecidingChat) -> tuple[str, ...]:
    """List the forms of decisions for a model, in the order to try them."""
    return (*model.deciders, *(() if model.chat is None else (NEXT_TOKEN,)))


def limits_of(model: DecidingChat, form: str) -> DecisionLimits:
    """Return a model's limits in a form."""
    return LETTER_LIMITS if form == NEXT_TOKEN else model.deciders[form].limits


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
    model: object, requests: Sequence[DecisionRequest], *, base_url: str | None = None, **settings: Any
) -> DecisionRun:
    """Ask typed questions; the first requests find out which form the model accepts.

    For an endpoint, the forms are OpenAI's Decisions, then the probabilities of the next token, as for any
    chat model. A single request may be refused for its content, so up to three requests are
    tried before a form counts as not accepted.

    Args:
        model: an endpoint's or a chat model's name, a chat model, or a decision model.
        requests: at least one.
        base_url: address of an OpenAI-compatible endpoint.
        settings: settings of :class:`~semscale.chat.runner.Runner`: ``limits``, ``budget``, ``ledger``, ...

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
    if errors and None not in errors:
        raise next(filter(None, errors))
    return run_apart(_decide(deciding, requests, Runner(deciding, **settings)))


async def _decide(model: DecidingChat, requests: Sequence[DecisionRequest], runner: Runner) -> DecisionRun:
    chosen = await choose_form(model, requests, runner)
    if chosen.form is None:
        raise ReplyError("; ".join(f"{form}: {reason}" for form, reason in chosen.refused_forms.items()))
    rest = await send_decisions(requests[len(chosen.results) :], chosen.form, chosen.runner)
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
        runner: runner with the rest of the budget.
        spent: spending on all trials.
    """

    form: str | None
    refused_forms: dict[str, str]
    results: list[CallAnswers]
    runner: Runner
    spent: Spent


async def choose_form(model: DecidingChat, requests: Sequence[DecisionRequest], runner: Runner) -> ChosenForm:
    """Send the first requests in one form after the other, until the model accepts one.

    Args:
        model: the model that decides.
        requests: at least one; up to three of them are sent, as one may be refused for its content.
        runner: sends the requests.

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
    spent = runner.spent
    while (trial := negotiation.trial) is not None:
        form, index = trial
        answers = await _try_form(requests[index], form, runner)
        results[form].append(answers)
        negotiation.note(form, *form_evidence(answers))
        spent = spent.plus(runner.spent)
        runner = runner.rest()
    chosen = negotiation.form
    refused_forms = {
        refusal.form: refusal.reason for refusal in negotiation.refusals if refusal.form != chosen
    }
    return ChosenForm(chosen, refused_forms, [] if chosen is None else results[chosen], runner, spent)


def form_error(model: DecidingChat, requests: Sequence[DecisionRequest], form: str) -> InputError | None:
    """Return the error of the first request that a form cannot carry; ``None`` if it can carry all."""
    try:
        for request in requests:
            check_decision(request, limits_of(model, form), model.name)
    except InputError as error:
        return error
    return None


async def _try_form(request: DecisionRequest, form: str, runner: Runner) -> CallAnswers:
    """Send one request; if all answers are malformed, only this form counts as not accepted."""
    try:
        (results,) = await send_decisions([request], form, runner)
    except CallError as failure:
        if failure.kind is not FailureKind.MALFORMED:
            raise
        return [failure]
    return results


async def send_decisions(requests: Sequence[DecisionRequest], form: str, runner: Runner) -> list[CallAnswers]:
    """Send requests in a form, and return the results of each request's calls.

    Raises:
        InterruptedRunError, ReplyError: as ``choose_form``.
    """
    calls = [decision_calls(request, form) for request in requests]
    flat = [call for of_request in calls for call in of_request]

    def has_answer(index: int, reply: Reply) -> bool:
        return any(answer.masses or answer.refused for answer in flat[index].read(reply).values())

    outcomes = await runner.collect_readable([call.request for call in flat], has_answer)
    results = iter(
        call.read(outcome.reply) if outcome.reply is not None else outcome.failure
        for call, outcome in zip(flat, outcomes, strict=True)
    )
    return [[result for _ in of_request if (result := next(results)) is not None] for of_request in calls]


NO_LOGPROBS = "the model gives no log-probabilities"


@dataclass(frozen=True)
class DecisionCall:
    """One call about a request: all its questions, or one of them in one order of its options.

    Attributes:
        request: the request of the call.
        question: name of its question; ``None`` for all questions.
        order: order of the options, if the call is about one question.
    """

    request: Request
    question: str | None = None
    order: Order = ()

    def read(self, reply: Reply) -> dict[str, DecisionAnswer]:
        """Read the answers; without log-probabilities, an answer has no masses but a reason."""
        if self.question is None:
            return answers_in(reply)
        answer = letter_masses(reply, self.order)
        return {self.question: DecisionAnswer(reason=NO_LOGPROBS) if answer is None else answer}


def decision_calls(request: DecisionRequest, form: str) -> tuple[DecisionCall, ...]:
    """List the calls for a request: one, or with ``next-token`` one for each option of each question."""
    if form != NEXT_TOKEN:
        return (DecisionCall(call_of(request, form)),)
    return tuple(
        DecisionCall(next_token_request(request, question, order), name, order)
        for name, question in request.questions.items()
        for order in rotations(len(question.options))
    )


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
            return {name: _answer_of_failure(results[0]) for name in request.questions}
        return dict(results[0])
    answers = {}
    for name, question in request.questions.items():
        readings = [
            result[name] for result in results if not isinstance(result, CallError) and name in result
        ]
        joined = average_answers(readings, len(question.options))
        lost = failure is not None and len(readings) < len(question.options)
        answers[name] = _answer_of_failure(failure) if lost and failure is not None else joined
    return answers


def _answer_of_failure(failure: CallError) -> DecisionAnswer:
    refused = failure.kind is FailureKind.REFUSED
    return DecisionAnswer(reason=str(failure), refused=refused, failed=not refused)
