"""Adapter for LangChain chat models; LangChain itself is not imported."""

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from semscale.chat.endpoint import token_logprobs
from semscale.chat.failures import Scrubber, environment_secrets, failure_of
from semscale.chat.messages import Message, Request, TextPart
from semscale.chat.replies import CallError, FailureKind, Reply, Usage
from semscale.signature import Signature

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

_SECRET = re.compile(r"key|token$|secret|password|credential", re.IGNORECASE)
_PLAIN = ("temperature", "top_p", "seed", "max_tokens")
_FILTERED = frozenset({"content_filter", "SAFETY", "refusal"})


def is_langchain(model: object) -> bool:
    """Tell by its methods whether an object is a LangChain chat model."""
    return all(callable(getattr(model, name, None)) for name in ("ainvoke", "agenerate", "bind"))


class LangChainChat:
    """A LangChain chat model that answers Semscale's requests.

    The model's own settings apply wherever a request leaves them open. Turn its own retries off
    (``max_retries=0``), so that only the runner repeats calls.

    Args:
        model: any ``BaseChatModel``.
    """

    def __init__(self, model: "BaseChatModel") -> None:
        self._model = model
        self._settings = _identifying(model)
        self._scrubber = Scrubber([*environment_secrets(), *_secrets_of(model)])

    @property
    def name(self) -> str:
        """The model's name, or the kind of model that LangChain states if it has no name."""
        for field in ("model_name", "model", "model_id", "deployment_name"):
            found = getattr(self._model, field, None)
            if isinstance(found, str) and found:
                return found
        return str(getattr(self._model, "_llm_type", type(self._model).__name__))

    @property
    def signature(self) -> Signature:
        """Name, kind and the model's own settings, without keys."""
        settings = json.dumps(self._settings, sort_keys=True, default=lambda value: type(value).__name__)
        return Signature.of(
            "chat",
            model=_signable(self.name),
            engine=_signable(f"langchain-{getattr(self._model, '_llm_type', 'chat')}"),
            settings=_signable(self._scrubber.reply(settings)),
        )

    async def complete(self, request: Request) -> Reply:
        """Send one request; see :class:`~semscale.chat.chat_model.ChatModel`."""
        if request.parameters.schema is not None:
            raise CallError(
                f"{self.name}: LangChain has no uniform way to ask for a schema", kind=FailureKind.UNSUPPORTED
            )
        outcome = await self._asked(request)
        if isinstance(outcome, CallError):
            raise outcome  # outside the handler, so that no exception with a key in it is chained to it
        return self._reply(outcome)

    async def _asked(self, request: Request) -> "BaseMessage | CallError":
        messages = [{"role": message.role, "content": _content(message)} for message in request.messages]
        try:
            return await self._model.ainvoke(messages, **_arguments(request))
        except Exception as error:  # every integration raises its own
            return failure_of(error, self._scrubber, model=self.name)

    def _reply(self, answer: "BaseMessage") -> Reply:
        about: dict[str, Any] = dict(getattr(answer, "response_metadata", None) or {})
        usage = _usage(getattr(answer, "usage_metadata", None))
        text = self._scrubber.reply(_text(getattr(answer, "content", answer)))
        reason = str(about.get("finish_reason") or about.get("stop_reason") or "stop")
        refusal = (getattr(answer, "additional_kwargs", None) or {}).get("refusal")
        if refusal or reason in _FILTERED:
            said = self._scrubber.line(str(refusal or reason))
            raise CallError(f"{self.name} refused: {said}", kind=FailureKind.REFUSED, raw=text, usage=usage)
        if not text.strip():
            raise CallError(f"{self.name} answered without text", kind=FailureKind.SILENT, usage=usage)
        raw = self._scrubber.reply(json.dumps({"content": text, "response_metadata": about}, default=str))
        model = str(about.get("model_name") or self.name)
        return Reply(text, reason, usage, token_logprobs(about.get("logprobs")), model, raw)

    def __repr__(self) -> str:
        return f"LangChainChat({self.name!r})"


def _arguments(request: Request) -> dict[str, Any]:
    asked = request.parameters
    arguments = {name: getattr(asked, name) for name in _PLAIN if getattr(asked, name) is not None}
    if asked.stop:
        arguments["stop"] = list(asked.stop)
    if asked.top_logprobs is not None:
        arguments |= {"logprobs": True, "top_logprobs": asked.top_logprobs}
    return arguments | dict(asked.extra)


def _content(message: Message) -> str | list[dict[str, Any]]:
    if message.n_images == 0:
        return message.text
    return [
        {"type": "text", "text": part.text}
        if isinstance(part, TextPart)
        else {"type": "image_url", "image_url": {"url": part.url}}
        for part in message.content
    ]


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(part if isinstance(part, str) else str(part.get("text", "")) for part in content)
    return str(content)


def _usage(found: object) -> Usage | None:
    if not isinstance(found, Mapping) or not {"input_tokens", "output_tokens"} <= found.keys():
        return None
    return Usage(int(found["input_tokens"]), int(found["output_tokens"]))


def _identifying(model: "BaseChatModel") -> dict[str, Any]:
    try:
        found = dict(model._identifying_params)
    except Exception:  # foreign code may raise anything; name and kind then identify the model
        return {}
    return {name: value for name, value in found.items() if not _SECRET.search(name)}


def _secrets_of(model: object) -> list[str]:
    values = list(getattr(model, "__dict__", {}).values())
    return [
        value.get_secret_value() for value in values if callable(getattr(value, "get_secret_value", None))
    ]


def _signable(text: str) -> str:
    return re.sub(r"[|:]", "_", text)
