"""Decisions as chat calls, so that runs pace, cap, repeat and keep them like any other call."""

from collections.abc import Mapping
from typing import Any

from semscale.chat.chat_model import ChatModel
from semscale.chat.decisions.answers import as_reply, what_is_wrong
from semscale.chat.decisions.decision_model import DecisionModel
from semscale.chat.decisions.questions import DecisionRequest, question_from, question_record
from semscale.chat.messages import Parameters, Request
from semscale.chat.replies import CallError, FailureKind, Reply
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
