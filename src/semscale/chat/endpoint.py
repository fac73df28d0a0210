"""Chat models behind OpenAI-compatible endpoints: OpenAI, Azure, vLLM, Ollama, LM Studio, ..."""

import asyncio
import json
import math
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from semscale.chat.failures import Scrubber, failure_of
from semscale.chat.messages import Message, Parameters, Request, TextPart
from semscale.chat.replies import CallError, FailureKind, Reply, TokenLogprob, Usage
from semscale.errors import InputError
from semscale.extras import require
from semscale.json_reading import parse_json
from semscale.signature import Signature
from semscale.weights.folders import is_offline

if TYPE_CHECKING:
    from openai import AsyncOpenAI


OPENAI = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
_NO_KEY = "none"  # local servers need no key, but the client requires one


class EndpointChat:
    """A chat model behind an OpenAI-compatible endpoint.

    The key comes from the environment only. Redirects are not followed, so only the endpoint is contacted.
    A call is sent once; the :class:`~semscale.chat.runner.Runner` waits and repeats.

    Args:
        model: the model's name there.
        base_url: the endpoint's address, such as ``http://localhost:11434/v1``; by default the one in
            ``OPENAI_BASE_URL``, or else OpenAI's.
        key_variable: the environment variable that holds the key; most local servers need none. With ``None``
            no key is sent.
        timeout: seconds after which a call made without a runner fails.

    Raises:
        InputError: the address is invalid or contains a secret, or OpenAI's own endpoint has no key.
        MissingExtraError: the extra ``api`` is not installed.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key_variable: str | None = KEY_VARIABLE,
        timeout: float = 600.0,
    ) -> None:
        named = base_url or os.environ.get("OPENAI_BASE_URL")
        if not named and not (key_variable and os.environ.get(key_variable)):
            said = f"{key_variable or KEY_VARIABLE} is not set; set it, or name another endpoint with"
            raise InputError(f"{said} base_url", in_shell=f"{said} --chat-url")
        if not named and is_offline():
            said = "SEMSCALE_OFFLINE is set, so OpenAI is not contacted; name it with"
            raise InputError(f"{said} base_url", in_shell=f"{said} --chat-url")
        if timeout <= 0:
            raise InputError(f"timeout must be > 0 seconds, got {timeout}")
        self._base_url = _checked_url(named or OPENAI)
        require("api")
        self._model = model
        self._key_variable = key_variable
        self._timeout = timeout
        self._limit_name = limit_name_at(self._base_url)
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[AsyncOpenAI, Scrubber]]
        self._clients = WeakKeyDictionary()

    @property
    def name(self) -> str:
        """The model's name at the endpoint."""
        return self._model

    @property
    def signature(self) -> Signature:
        """The model's name and the endpoint; endpoints do not state the hash of their weights."""
        place = urlsplit(self._base_url)
        port = f"/{place.port}" if place.port else ""
        return Signature.of(
            "chat",
            model=self._model.replace(":", "@").replace("|", "_"),
            engine="openai",
            endpoint=f"{place.hostname}{port}{place.path.rstrip('/')}".replace(":", "_").replace("|", "_"),
        )

    async def complete(self, request: Request) -> Reply:
        """Send one request; see :class:`~semscale.chat.chat_model.ChatModel`."""
        body = request_body(self._model, request, limit_name=self._limit_name)
        text, scrubber = await self.post("/chat/completions", body)
        return parse_reply(text, scrubber, model=self._model)

    async def post(self, path: str, body: dict[str, object]) -> tuple[str, Scrubber]:
        """Send a body once to a path below the endpoint's address.

        Returns:
            The answer's text, and what removes the key from it.

        Raises:
            CallError: there is no answer with status 200.
        """
        client, scrubber = self._connected()
        outcome = await self._sent(client, scrubber, path, body)
        if isinstance(outcome, CallError):
            raise outcome  # outside the handler: the client's exception, with a key in it, is not chained
        return outcome, scrubber

    async def aclose(self) -> None:
        """Close the connections of the running event loop; the next call opens new ones."""
        held = self._clients.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held[0].close()

    async def _sent(
        self, client: "AsyncOpenAI", scrubber: Scrubber, path: str, body: dict[str, object]
    ) -> str | CallError:
        try:
            # Take the raw text: the client's own parsing takes longer than the rest of a call.
            return await client.post(path, body=body, cast_to=str, options={"follow_redirects": False})
        except Exception as error:  # the client passes on exceptions of its transport and its parser
            return failure_of(
                error, scrubber, model=self._model, place=self._base_url, variable=self._key_variable
            )

    def _connected(self) -> "tuple[AsyncOpenAI, Scrubber]":
        """Return the client of the running event loop, as connections cannot be shared between loops."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            from openai import AsyncOpenAI, DefaultAioHttpClient

            key = os.environ.get(self._key_variable, "") if self._key_variable else ""
            client = AsyncOpenAI(
                api_key=key or _NO_KEY,
                base_url=self._base_url,
                max_retries=0,
                timeout=self._timeout,
                http_client=DefaultAioHttpClient(timeout=self._timeout),
            )
            self._clients[loop] = (client, Scrubber([key]))
        return self._clients[loop]

    def __repr__(self) -> str:
        return f"EndpointChat({self._model!r}, base_url={self._base_url!r})"


def _checked_url(text: str) -> str:
    place = urlsplit(text)
    if place.scheme not in {"http", "https"} or not place.hostname:
        said = "must be an address such as http://localhost:11434/v1"
        raise InputError(f"base_url {said}", in_shell=f"--chat-url {said}")
    if place.username or place.password or place.query or place.fragment:
        shown = f"{place.scheme}://{place.hostname}"
        said = f"must have neither a user nor a query, got one with {shown}; keys come from variables"
        raise InputError(f"base_url {said}", in_shell=f"--chat-url {said}")
    return text.rstrip("/")


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


_CUT = 65_536  # characters kept of an answer that cannot be parsed
_LONGEST = 1_000_000
"""Characters that no model writes in one reply: an endpoint that sends more is broken."""


def parse_reply(text: str, scrubber: Scrubber, *, model: str) -> Reply:
    """Parse the body of an answer with status 200.

    Args:
        text: the body of the answer.
        scrubber: removes the key if the endpoint echoes it.
        model: name of the model, for messages.

    Raises:
        CallError: the body is no JSON, lacks a choice or its text, is a refusal, or is far too long.
    """
    body, raw = clean_json(text, scrubber, model=model)
    return _reply(body, raw, scrubber, model)


def clean_json(text: str, scrubber: Scrubber, *, model: str) -> tuple[object, str]:
    """Parse JSON, and remove the key if the endpoint echoes it.

    Args:
        text: the body of an answer.
        scrubber: removes the key.
        model: name of the model, for messages.

    Returns:
        What the JSON holds, and its text.

    Raises:
        CallError: the body is no JSON.
    """
    try:
        body = parse_json(text)
    except ValueError:
        shown = scrubber.line(text, longest=80)
        raise CallError(
            f"{model} answered with text that is no JSON: {shown!r}",
            kind=FailureKind.MALFORMED,
            raw=scrubber.reply(text[:_CUT]),
        ) from None
    raw = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    clean = scrubber.reply(raw)
    if clean != raw:
        body = parse_json(clean)
    return body, clean


def _reply(body: object, raw: str, scrubber: Scrubber, model: str) -> Reply:
    fields: dict[str, Any] = body if isinstance(body, dict) else {}
    usage = usage_in(fields)

    def fail(kind: FailureKind, what: str) -> CallError:
        return CallError(f"{model} {scrubber.line(what)}", kind=kind, raw=raw[:_CUT], usage=usage)

    choices = fields.get("choices")
    if not isinstance(choices, list):
        said = fields.get("error")  # some endpoints report an error with status 200
        raise fail(FailureKind.MALFORMED, f"answered without choices{f': {said}' if said else ''}")
    if not choices:
        raise fail(FailureKind.EMPTY, "answered with an empty list of choices")
    try:
        message = choices[0]["message"]
        refusal, content = message.get("refusal"), message.get("content")
        reason = str(choices[0].get("finish_reason") or "stop")
        logprobs = token_logprobs(choices[0].get("logprobs"))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise fail(FailureKind.MALFORMED, f"answered with a choice that cannot be read: {error!r}") from None
    if refusal or reason == "content_filter":
        raise fail(FailureKind.REFUSED, f"refused: {refusal or 'stopped by its content filter'}")
    words = _text(content)
    if not words.strip():
        hint = "; max_tokens may be too small for it to begin" if reason == "length" else ""
        raise fail(FailureKind.SILENT, f"answered without text (finish reason {reason}){hint}")
    if len(words) > _LONGEST:
        raise fail(FailureKind.MALFORMED, f"answered with {len(words):,} characters of text")
    return Reply(words, reason, usage, logprobs, str(fields.get("model") or model), raw)


def _text(content: object) -> str:
    if isinstance(content, list):  # some endpoints return a list of parts
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def usage_in(
    body: Mapping[str, Any], prompt: str = "prompt_tokens", completion: str = "completion_tokens"
) -> Usage | None:
    """Read the tokens of a call; ``None`` where they are not stated.

    Args:
        body: of an answer.
        prompt: what the tokens of the prompt are called.
        completion: what those of the reply are called.
    """
    found = body.get("usage")
    try:
        return Usage(int(found[prompt]), int(found[completion]))  # type: ignore[index]
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def token_logprobs(found: object) -> tuple[TokenLogprob, ...] | None:
    """Parse the log-probabilities of a reply's tokens; ``None`` if there are none.

    Raises:
        KeyError, TypeError, ValueError: they do not have the format of OpenAI's interface.
    """
    tokens = found.get("content") if isinstance(found, dict) else None
    if not tokens:
        return None
    return tuple(
        TokenLogprob(
            str(token["token"]),
            _finite(token["logprob"]),
            tuple(
                (str(other["token"]), _finite(other["logprob"])) for other in token.get("top_logprobs") or ()
            ),
        )
        for token in tokens
    )


def _finite(value: str | float) -> float:
    number = float(value)
    if math.isnan(number) or number > 0.01:  # noqa: PLR2004  # rounding may lift a certainty above 0
        raise ValueError(f"a logarithm of a probability must be <= 0, got {value!r}")
    return min(number, 0.0)
