"""Decisions of an OpenAI-compatible endpoint, in one of two formats."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from semscale.chat.decisions import openai_format, systemone_format
from semscale.chat.decisions.answers import DecisionAnswer, DecisionAnswers, why_unreadable
from semscale.chat.decisions.decision_model import DecisionLimits
from semscale.chat.decisions.questions import DecisionRequest
from semscale.chat.endpoint.openai_endpoint import EndpointChat
from semscale.chat.endpoint.reply import clean_json, usage_in
from semscale.chat.replies import CallError, FailureKind
from semscale.signature import Signature

_CUT = 65_536  # characters kept of a page


@dataclass(frozen=True)
class DecisionFormat:
    """A format of requests and answers.

    Attributes:
        path: below the endpoint's address.
        limits: what an endpoint takes in it.
        body: writes a request, from the model's name.
        answers: reads what comes back; its errors say that it has another form.
    """

    path: str
    limits: DecisionLimits
    body: Callable[[str, DecisionRequest], dict[str, Any]]
    answers: Callable[[Mapping[str, Any], DecisionRequest], dict[str, DecisionAnswer]]


FORMATS = {
    "decisions": DecisionFormat(
        openai_format.PATH,
        openai_format.LIMITS,
        openai_format.decisions_body,
        openai_format.decisions_answers,
    ),
    "systemone": DecisionFormat(
        systemone_format.PATH,
        systemone_format.LIMITS,
        systemone_format.systemone_body,
        systemone_format.systemone_answers,
    ),
}
"""The formats that endpoints speak, the one to try first at the top."""


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
        """Send one request; see :class:`~semscale.chat.decisions.decision_model.DecisionModel`.

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
