"""Models that decide: endpoints, LangChain's, a user's own, or any chat model."""

import json
import re
import sys
from collections.abc import Mapping
from typing import Any

from semscale.chat.chat_model import ChatModel, check_run
from semscale.chat.decisions.formats import (
    FORMATS,
    LETTER_LIMITS,
    state_of,
    systemone_answers,
    systemone_question,
)
from semscale.chat.decisions.questions import (
    DecisionAnswers,
    DecisionLimits,
    DecisionModel,
    DecisionRequest,
    as_reply,
    question_from,
    question_record,
    what_is_wrong,
    why_unreadable,
)
from semscale.chat.endpoint import EndpointChat, clean_json, usage_in
from semscale.chat.failures import Scrubber, environment_secrets, failure_of
from semscale.chat.langchain import Identity
from semscale.chat.loading import load_chat_model
from semscale.chat.messages import Parameters, Request
from semscale.chat.replies import CallError, FailureKind, Reply
from semscale.errors import InputError
from semscale.signature import Signature

_FIELD = "decision"
_TOKENS_A_QUESTION = 16
"""Tokens set aside for an answer; endpoints state few or none."""


class DecidingChat:
    """A chat model that also answers decisions, in each form that it may know.

    Args:
        deciders: decision models by the names of their forms, the one to try first at the top.
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
        """The model's signature; a request says in which form it is sent."""
        return self._main.signature

    async def complete(self, request: Request) -> Reply:
        """Send one request; see :class:`~semscale.chat.chat_model.ChatModel`."""
        asked = request.parameters.extra.get(_FIELD)
        if isinstance(asked, Mapping):
            return await self._decided(self.deciders[asked["form"]], _decision(request, asked))
        if self.chat is None:
            raise CallError(f"{self.name} takes decisions only", kind=FailureKind.UNSUPPORTED)
        return await self.chat.complete(request)

    async def _decided(self, decider: DecisionModel, asked: DecisionRequest) -> Reply:
        found = await decider.decide(asked)
        wrong = what_is_wrong(found, {name: len(each.options) for name, each in asked.questions.items()})
        if wrong is not None:
            said = f"{self.name} answered with decisions that cannot be used: {wrong}"
            raise CallError(said, kind=FailureKind.MALFORMED, raw=found.raw, usage=found.usage)
        return as_reply(found)

    def check_run(self, *, stores_replies: bool) -> None:
        """Check that calls can be sent, and replies stored; see ``ChatModel``."""
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
        request: what is asked.
        form: name of one of its deciders.
    """
    questions = {name: question_record(asked) for name, asked in request.questions.items()}
    extra = {_FIELD: {"form": form, "questions": questions}}
    return Request(request.messages, Parameters(max_tokens=_TOKENS_A_QUESTION * len(questions), extra=extra))


def _decision(request: Request, asked: Mapping[str, Any]) -> DecisionRequest:
    questions = {name: question_from(record) for name, record in asked["questions"].items()}
    return DecisionRequest(request.messages, questions)


_CUT = 65_536  # characters kept of a page


class EndpointDecisions:
    """The decisions of an endpoint; they share the connections of its chat model.

    Args:
        chat: the chat model behind the endpoint.
        format_name: one of ``FORMATS``.
    """

    def __init__(self, chat: EndpointChat, format_name: str = "decisions") -> None:
        self._chat = chat
        self._format = FORMATS[format_name]

    @property
    def name(self) -> str:
        """The model's name at the endpoint."""
        return self._chat.name

    @property
    def signature(self) -> Signature:
        """The model's name and the endpoint."""
        return self._chat.signature

    @property
    def limits(self) -> DecisionLimits:
        """What the format allows."""
        return self._format.limits

    async def decide(self, request: DecisionRequest) -> DecisionAnswers:
        """Send one request; see :class:`~semscale.chat.decisions.questions.DecisionModel`.

        An endpoint without this path answers 404, as it does for a model that it does not know; both are
        ``unsupported``, and a chat call tells them apart.
        """
        name, path = self.name, self._format.path
        try:
            text, scrubber = await self._chat.post(path, self._format.body(name, request))
        except CallError as error:
            if error.kind is not FailureKind.UNKNOWN_MODEL:
                raise
            said = f"{name}: the endpoint has no {path}, or not for this model"
            raise CallError(said, kind=FailureKind.UNSUPPORTED, raw=error.raw) from None
        if text.lstrip()[:1] == "<":
            said = f"{name}: the endpoint answers with a page at {path}"
            raise CallError(said, kind=FailureKind.UNSUPPORTED, raw=scrubber.reply(text[:_CUT]))
        body, raw = clean_json(text, scrubber, model=name)
        fields: Mapping[str, Any] = body if isinstance(body, dict) else {}
        usage = usage_in(fields, "input_tokens", "output_tokens")
        if "answers" not in fields:
            said = f"{name}: what the endpoint answers at {path} has no answers in it"
            raise CallError(said, kind=FailureKind.UNSUPPORTED, raw=raw, usage=usage)
        try:
            answers = self._format.answers(fields, request)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            said = f"{name} answered with decisions that cannot be read: {why_unreadable(error)}"
            raise CallError(scrubber.line(said), kind=FailureKind.MALFORMED, raw=raw, usage=usage) from None
        return DecisionAnswers(answers, usage, str(fields.get("model") or name), raw)

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self._chat.aclose()


_MODULE = "langchain_core.decisions"
_KINDS = {"noul": "Noul", "choice": "Choice", "score": "Score"}


def is_classifier(model: object) -> bool:
    """Tell by its methods whether an object is a runnable that is no chat model."""
    return callable(getattr(model, "ainvoke", None)) and not callable(getattr(model, "agenerate", None))


class LangChainClassifier:
    """A LangChain decision model.

    A runnable of another kind works, too, if it takes ``{"state": text, "questions": {name: question}}`` and
    returns ``{"answers": {name: answer}}`` in the System One format.

    Args:
        model: a ``BaseDecisionModel``, or such a runnable.
    """

    limits = DecisionLimits()

    def __init__(self, model: Any) -> None:  # noqa: ANN401 - recognised by its methods
        self._model = model
        self._identity = Identity(model)
        self._scrubber = Scrubber(environment_secrets())

    @property
    def name(self) -> str:
        """The model's name, or the name of its class."""
        return self._identity.name or type(self._model).__name__

    @property
    def signature(self) -> Signature:
        """Name, class and settings, without keys."""
        return Signature.of(
            "chat",
            model=self.name.replace(":", "@").replace("|", "_"),
            engine=f"langchain-{type(self._model).__name__}",
            settings=re.sub(r"[|:]", "_", self._scrubber.reply(self._identity.settings)),
        )

    def check_run(self, *, stores_replies: bool) -> None:
        """Check that stored answers cannot be taken for those of another model; see ``ChatModel``."""
        if stores_replies:
            self._identity.check()

    async def decide(self, request: DecisionRequest) -> DecisionAnswers:
        """Send one request; see :class:`~semscale.chat.decisions.questions.DecisionModel`."""
        questions = {name: _question(systemone_question(asked)) for name, asked in request.questions.items()}
        outcome = await self._asked({"state": state_of(request), "questions": questions})
        if isinstance(outcome, CallError):
            raise outcome  # outside the handler, so that no exception with a key in it is chained to it
        raw = self._scrubber.reply(json.dumps(outcome, default=str, ensure_ascii=False))
        found = outcome.get("usage") or outcome.get("usage_metadata") or {}
        usage = usage_in({"usage": found}, "input_tokens", "output_tokens")
        try:
            answers = systemone_answers(outcome, request)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            said = f"{self.name} answered with decisions that cannot be read: {why_unreadable(error)}"
            raise CallError(
                self._scrubber.line(said), kind=FailureKind.MALFORMED, raw=raw, usage=usage
            ) from None
        return DecisionAnswers(answers, usage, str(outcome.get("model") or self.name), raw)

    async def _asked(self, content: Mapping[str, Any]) -> Mapping[str, Any] | CallError:
        try:
            answer = await self._model.ainvoke(content)
        except Exception as error:  # every integration raises its own
            return failure_of(error, self._scrubber, model=self.name)
        found = answer.model_dump() if hasattr(answer, "model_dump") else answer
        if isinstance(found, Mapping):
            return found
        said = f"{self.name} answered with {type(answer).__name__}, and not with answers"
        return CallError(said, kind=FailureKind.UNSUPPORTED)


def _question(written: dict[str, Any]) -> Any:  # noqa: ANN401 - LangChain's class, or a mapping
    """Make LangChain's question where its module is loaded, as it is with any of its decision models."""
    module = sys.modules.get(_MODULE)
    return written if module is None else getattr(module, _KINDS[written["type"]])(**written)


NEXT_TOKEN = "next-token"
"""The form of a chat model's decisions: probabilities of the options' letters."""

OWN = "own"
"""The form of a decision model that a user brings."""


def load_deciding_model(model: object, *, base_url: str | None = None) -> DecidingChat:
    """Load a model that decides.

    Args:
        model: what :func:`~semscale.chat.loading.load_chat_model` takes; a ``DecisionModel``; or LangChain's
            decision model.
        base_url: address of an OpenAI-compatible endpoint.

    Raises:
        InputError, ModelError, MissingExtraError: as ``load_chat_model``; or a signature that is none.
    """
    if isinstance(model, DecidingChat):
        return model
    if isinstance(model, DecisionModel):
        if not isinstance(model.signature, Signature):
            raise InputError(
                f"the signature of a decision model must be a Signature, got {model.signature!r:.60}"
            )
        return DecidingChat({OWN: model}, model if isinstance(model, ChatModel) else None)
    if is_classifier(model):
        return DecidingChat({"langchain": LangChainClassifier(model)}, None)
    chat = load_chat_model(model, base_url=base_url)
    if isinstance(chat, EndpointChat):
        return DecidingChat({name: EndpointDecisions(chat, name) for name in FORMATS}, chat)
    return DecidingChat({}, chat)


def forms_of(model: DecidingChat) -> tuple[str, ...]:
    """List the forms in which a model may decide, the one to try first at the beginning."""
    return (*model.deciders, *(() if model.chat is None else (NEXT_TOKEN,)))


def limits_of(model: DecidingChat, form: str) -> DecisionLimits:
    """Give what a model takes in a form."""
    return LETTER_LIMITS if form == NEXT_TOKEN else model.deciders[form].limits
