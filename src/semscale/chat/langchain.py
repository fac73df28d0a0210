"""An adapter for LangChain's chat models; LangChain itself is not imported."""

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from semscale.chat.endpoint import (
    Scrubber,
    content_of,
    environment_secrets,
    failure_of,
    sampling_settings,
    text_of,
    token_logprobs,
    usage_in,
)
from semscale.chat.messages import (
    CallError,
    FailureKind,
    Reply,
    Request,
    validate_reply,
)
from semscale.chat.stated_errors import is_filtered
from semscale.errors import InputError
from semscale.reasoning import reasoning_of
from semscale.signature import Signature

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

_SECRET = re.compile(r"key|token$|secret|password|credential", re.IGNORECASE)


def is_langchain(model: object) -> bool:
    """Return whether an object has the methods of a LangChain chat model."""
    return all(callable(getattr(model, name, None)) for name in ("ainvoke", "agenerate", "bind"))


class LangChainChat:
    """A LangChain chat model that answers Semscale's requests.

    The model's own settings apply unless a request sets them. Turn the model's retries off
    (``max_retries=0``), so that only the runner repeats calls.

    Args:
        model: any ``BaseChatModel``.
    """

    def __init__(self, model: "BaseChatModel") -> None:
        self._model = model
        self._identity = Identity(model)
        self._scrubber = Scrubber([*environment_secrets(), *_secrets_of(model)])

    @property
    def name(self) -> str:
        """The model's name, or LangChain's kind of the model if it has no name."""
        return self._identity.name or str(getattr(self._model, "_llm_type", type(self._model).__name__))

    @property
    def signature(self) -> Signature:
        """Name, kind, class and settings of the model, without keys."""
        return self._identity.signature(self.name, getattr(self._model, "_llm_type", "chat"), self._scrubber)

    def check_run(self, *, stores_replies: bool) -> None:
        """Check that stored replies cannot be confused with another model's; see ``ChatModel``.

        Raises:
            InputError: replies are stored, and nothing distinguishes this model from others.
        """
        if stores_replies:
            self._identity.check()

    async def complete(self, request: Request) -> Reply:
        """Send one request; see :class:`~semscale.chat.chat_model.ChatModel`."""
        if request.parameters.schema is not None:
            raise CallError(
                f"{self.name}: LangChain has no uniform way to ask for a schema", kind=FailureKind.UNSUPPORTED
            )
        messages = [{"role": message.role, "content": content_of(message)} for message in request.messages]
        arguments = sampling_settings(request.parameters)
        return self._reply(await _invoke(self._model, messages, self._scrubber, self.name, **arguments))

    def _reply(self, answer: "BaseMessage") -> Reply:
        about: dict[str, Any] = dict(getattr(answer, "response_metadata", None) or {})
        usage = usage_in({"usage": getattr(answer, "usage_metadata", None)}, "input_tokens", "output_tokens")
        text = self._scrubber.reply(text_of(getattr(answer, "content", answer)))
        reason = str(about.get("finish_reason") or about.get("stop_reason") or "stop")
        refusal = (getattr(answer, "additional_kwargs", None) or {}).get("refusal")
        if refusal or is_filtered(reason):
            stated = self._scrubber.line(str(refusal or reason))
            raise CallError(f"{self.name} refused: {stated}", kind=FailureKind.REFUSED, raw=text, usage=usage)
        raw = self._scrubber.reply(json.dumps({"content": text, "response_metadata": about}, default=str))
        model = str(about.get("model_name") or self.name)
        logprobs = token_logprobs(about.get("logprobs"))
        further = getattr(answer, "additional_kwargs", None) or {}
        reasoning = self._scrubber.reply(
            reasoning_of({**further, "content": getattr(answer, "content", answer)})
        )
        reply = Reply(text, reason, usage, logprobs, model, raw, reasoning=reasoning)
        instead = "a tool call" if getattr(answer, "tool_calls", None) else ""
        return validate_reply(reply, model=self.name, instead=instead)

    def __repr__(self) -> str:
        return f"LangChainChat({self.name!r})"


async def _invoke(
    model: Any,
    content: object,
    scrubber: Scrubber,
    name: str,
    **arguments: object,
) -> Any:
    """Call a LangChain model once.

    Raises:
        CallError: the model raised an exception.
    """
    try:
        return await model.ainvoke(content, **arguments)
    except Exception as error:  # every integration raises its own
        failure = failure_of(error, scrubber, model=name)
    raise failure  # outside the handler, so that no exception with a key in it is chained to it


_NAME_FIELDS = ("model_name", "model", "model_id", "deployment_name", "name")
_WITHOUT_EFFECT = frozenset(
    {
        "cache",
        "callbacks",
        "custom_get_token_ids",
        "disable_streaming",
        "max_retries",
        "metadata",
        "output_version",
        "profile",
        "rate_limiter",
        "request_timeout",
        "tags",
        "timeout",
        "verbose",
    }
)
"""Settings that do not affect replies, so that a run with other values still uses the stored replies."""


class Identity:
    """The identity of a LangChain model: its name, class and settings, without keys.

    The settings are ``_identifying_params`` if the model has them, otherwise all fields.

    Args:
        model: a chat model, or another runnable.

    Attributes:
        name: the model's name; may be empty.
        settings: class and settings as JSON.
    """

    def __init__(self, model: object) -> None:
        names = (getattr(model, field, None) for field in _NAME_FIELDS)
        self.name = next((name for name in names if isinstance(name, str) and name), "")
        self._class = f"{type(model).__module__}.{type(model).__qualname__}"
        self._opaque: str | None = None
        stated, fields = _identifying_params(model), _fields(model)
        if not stated and "<locals>" in self._class:
            self._opaque = "its class, which a function creates,"
        # The endpoint affects replies, and not all models state it in their settings.
        addresses = {name: _address(value) for name, value in fields.items() if _is_address(value)}
        settings = (stated or fields) | addresses
        for name in _WITHOUT_EFFECT & fields.keys():
            settings.pop(name, None)
        self.settings = json.dumps({"class": self._class, **self._plain(settings)}, sort_keys=True)

    def signature(self, name: str, engine: str, scrubber: Scrubber) -> Signature:
        """Return the signature of the model under a name, without keys."""
        return Signature.of(
            "chat",
            model=_signable(name),
            engine=_signable(f"langchain-{engine}"),
            settings=_signable(scrubber.reply(self.settings)),
        )

    def check(self) -> None:
        """Check that no other model can have the same identity by accident.

        Raises:
            InputError: the model has neither a name nor settings that identify it.
        """
        if self._opaque is not None and not self.name:
            raise InputError(
                f"{self._class} has neither model_name nor _identifying_params, and {self._opaque} cannot "
                "be compared with that of another model, whose stored replies it would get: give the model a "
                "model_name, or ask without a ledger"
            )

    def _plain(self, settings: Mapping[Any, Any]) -> dict[str, Any]:
        """Return settings as JSON values; of an object without fields only its type counts."""
        public = {str(name): value for name, value in settings.items() if not _SECRET.search(str(name))}
        return {name: self._plain_value(name, value) for name, value in public.items()}

    def _plain_value(self, name: str, value: object) -> object:
        if value is None or isinstance(value, str | int | float):
            return value
        if isinstance(value, list | tuple):
            return [self._plain_value(name, item) for item in value]
        if isinstance(value, Mapping):
            return self._plain(value)
        if hasattr(type(value), "model_fields"):
            nested = Identity(value)
            self._opaque = self._opaque or (None if nested.name else nested._opaque)
            return [nested.name, nested.settings]
        if not callable(getattr(value, "get_secret_value", None)):
            self._opaque = self._opaque or f"its setting {name!r}"
        return type(value).__name__


def _identifying_params(model: object) -> dict[str, Any]:
    try:
        return dict(getattr(model, "_identifying_params", None) or {})
    except Exception:  # a model's code may raise anything; then the fields identify the model
        return {}


def _fields(model: object) -> dict[str, Any]:
    declared = getattr(type(model), "model_fields", None)
    if declared is None:
        return {name: value for name, value in getattr(model, "__dict__", {}).items() if name[:1] != "_"}
    return {name: getattr(model, name, None) for name in declared}


def _is_address(value: object) -> bool:
    return isinstance(value, str) and re.match(r"https?://", value) is not None


def _address(value: str) -> str:
    """Return an address without user, password and query."""
    parts = urlsplit(value)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _secrets_of(model: object) -> list[str]:
    values = list(getattr(model, "__dict__", {}).values())
    return [
        value.get_secret_value() for value in values if callable(getattr(value, "get_secret_value", None))
    ]


def _signable(text: str) -> str:
    return re.sub(r"[|:]", "_", text)
