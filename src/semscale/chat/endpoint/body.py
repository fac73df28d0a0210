"""Bodies of requests in the format of OpenAI's chat interface."""

from typing import Any
from urllib.parse import urlsplit

from semscale.chat.messages import Message, Parameters, Request, TextPart

_PLAIN = ("temperature", "top_p", "seed")
_NEW_LIMIT = ("openai.com", "openai.azure.com", "services.ai.azure.com")
"""Hosts whose newer models refuse the older name of the limit on tokens, ``max_tokens``."""


def request_body(model: str, request: Request, *, limit_name: str = "max_tokens") -> dict[str, Any]:
    """Write the body of a call.

    Args:
        model: the model's name at the endpoint.
        request: the request.
        limit_name: the endpoint's name for the limit on a reply's tokens.

    Example:
        >>> request_body("m", Request.of("Hello", temperature=0.0, max_tokens=5))["max_tokens"]
        5
    """
    messages = [_message(message) for message in request.messages]
    return {"model": model, "messages": messages, **_settings(request.parameters, limit_name)}


def limit_name_at(base_url: str) -> str:
    """Return an endpoint's name for the limit on a reply's tokens.

    Example:
        >>> limit_name_at("http://localhost:11434/v1"), limit_name_at("https://api.openai.com/v1")
        ('max_tokens', 'max_completion_tokens')
    """
    host = urlsplit(base_url).hostname or ""
    return "max_completion_tokens" if host.endswith(_NEW_LIMIT) else "max_tokens"


def _message(message: Message) -> dict[str, Any]:
    if message.n_images == 0:
        return {"role": message.role, "content": message.text}
    parts: list[dict[str, Any]] = [
        {"type": "text", "text": part.text}
        if isinstance(part, TextPart)
        else {"type": "image_url", "image_url": {"url": part.url}}
        for part in message.content
    ]
    return {"role": message.role, "content": parts}


def _settings(parameters: Parameters, limit_name: str) -> dict[str, Any]:
    settings: dict[str, Any] = {
        name: getattr(parameters, name) for name in _PLAIN if getattr(parameters, name) is not None
    }
    if parameters.max_tokens is not None:
        settings[limit_name] = parameters.max_tokens
    if parameters.stop:
        settings["stop"] = list(parameters.stop)
    if parameters.top_logprobs is not None:
        settings |= {"logprobs": True, "top_logprobs": parameters.top_logprobs}
    if parameters.schema is not None:
        asked = {"name": "reply", "schema": dict(parameters.schema), "strict": True}
        settings["response_format"] = {"type": "json_schema", "json_schema": asked}
    return settings | dict(parameters.extra)
