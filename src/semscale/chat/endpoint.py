"""Models behind OpenAI-compatible endpoints: OpenAI, Azure, vLLM, Ollama, LM Studio, ..."""

import asyncio
import email.utils
import json
import math
import os
import re
import time
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit
from weakref import WeakKeyDictionary

from semscale.chat.decision_formats import (
    DECISIONS_LIMITS,
    DECISIONS_PATH,
    DecisionAnswers,
    DecisionRequest,
    decisions_answers,
    decisions_body,
    why_unreadable,
)
from semscale.chat.messages import (
    CallError,
    FailureKind,
    Message,
    Parameters,
    Reply,
    Request,
    TextPart,
    TokenLogprob,
    Usage,
    validate_reply,
)
from semscale.chat.refused_parameters import RESPONSE_FORMAT, parse_refused_parameters
from semscale.chat.stated_errors import is_filtered, read_error
from semscale.endpoints import KEY_VARIABLE, OPENAI, account_headers, validate_address
from semscale.errors import InputError
from semscale.extras import require
from semscale.json_reading import parse_json
from semscale.reasoning import reasoning_of
from semscale.signature import Signature
from semscale.weights.folders import is_offline

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_NO_KEY = "none"  # local servers need no key, but the client requires one


class EndpointChat:
    """A chat model behind an OpenAI-compatible endpoint, which may also take decisions.

    The key comes from the environment only. Redirects are not followed, so only the endpoint is contacted.
    A call is sent once; the :class:`~semscale.chat.runner.Runner` waits and repeats calls.

    Args:
        model: the model's name at the endpoint.
        base_url: the endpoint's address, such as ``http://localhost:11434/v1``; by default
            ``OPENAI_BASE_URL``, or else OpenAI's address.
        key_variable: the environment variable that holds the key; most local servers need none. With ``None``
            no key is sent.
        timeout: seconds after which a call made without a runner fails.
        hint: appended to the message about a missing key.

    Raises:
        InputError: the address is invalid or contains a secret.
        MissingExtraError: the extra ``api`` is not installed.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key_variable: str | None = KEY_VARIABLE,
        timeout: float = 600.0,
        hint: str = "",
    ) -> None:
        named = base_url or os.environ.get("OPENAI_BASE_URL")
        if timeout <= 0:
            raise InputError("timeout", f"must be > 0 seconds, got {timeout}")
        self._is_named = bool(named)
        self._base_url = validate_address(named or OPENAI, "chat:base_url")
        require("api")
        self._model = model
        self._key_variable = key_variable
        self._timeout = timeout
        self._hint = hint
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
        address = urlsplit(self._base_url)
        port = f"/{address.port}" if address.port else ""
        return Signature.of(
            "chat",
            model=self._model.replace(":", "@").replace("|", "_"),
            engine="openai",
            endpoint=f"{address.hostname}{port}{address.path.rstrip('/')}".replace(":", "_").replace(
                "|", "_"
            ),
        )

    def check_run(self, *, stores_replies: bool) -> None:
        """Check that calls can be sent; see :class:`~semscale.chat.chat_model.ChatModel`.

        Raises:
            InputError: OpenAI's own endpoint has no key, or may not be contacted; or the variable that was
                named for another endpoint's key is not set.
        """
        if self._is_named:
            # Most local servers need no key, so only a variable that somebody chose must be set.
            if self._key_variable not in {None, KEY_VARIABLE} and not os.environ.get(self._key_variable):
                raise InputError(
                    f"{self._key_variable} is not set; set it, or leave out `chat:key_variable` if the "
                    "endpoint needs no key"
                )
            return
        if is_offline():
            raise InputError(
                "SEMSCALE_OFFLINE is set, so OpenAI is not contacted; name it with `chat:base_url`"
            )
        if not (self._key_variable and os.environ.get(self._key_variable)):
            variable = self._key_variable or KEY_VARIABLE
            raise InputError(
                f"{variable} is not set; set it, or name another endpoint with `chat:base_url`{self._hint}"
            )

    async def complete(self, request: Request) -> Reply:
        """Send one request; see :class:`~semscale.chat.chat_model.ChatModel`."""
        body = request_body(self._model, request, limit_name=self._limit_name)
        text, scrubber = await self.post("/chat/completions", body)
        return parse_reply(text, scrubber, model=self._model)

    limits = DECISIONS_LIMITS
    """Sizes of decisions; see :class:`~semscale.chat.decision_formats.DecisionModel`."""

    async def decide(self, request: DecisionRequest) -> DecisionAnswers:
        """Send one request; see :class:`~semscale.chat.decision_formats.DecisionModel`.

        An endpoint answers 404 if it lacks this path, or if it does not know the model. Both are
        ``unsupported``; a chat call distinguishes them.
        """
        name, path = self.name, DECISIONS_PATH
        try:
            text, scrubber = await self.post(path, decisions_body(name, request))
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

    async def post(self, path: str, body: dict[str, object]) -> "tuple[str, Scrubber]":
        """Send a body once to a path below the endpoint's address.

        Returns:
            The answer's text, and the scrubber that removes the key from it.

        Raises:
            CallError: there is no answer with status 200.
        """
        client, scrubber = self._loop_client()
        try:
            # Take the raw text: the client's own parsing takes longer than the rest of a call.
            text = await client.post(path, body=body, cast_to=str, options={"follow_redirects": False})
        except Exception as error:  # the client does not wrap exceptions of its transport and its parser
            failure = failure_of(
                error, scrubber, model=self._model, address=self._base_url, variable=self._key_variable
            )
        else:
            return text, scrubber
        raise failure  # outside the handler: the client's exception, with a key in it, is not chained

    async def aclose(self) -> None:
        """Close the connections of the running event loop; the next call opens new ones."""
        held = self._clients.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held[0].close()

    def _loop_client(self) -> "tuple[AsyncOpenAI, Scrubber]":
        """Return the client of the running event loop, as connections cannot be shared between loops."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self.check_run(stores_replies=False)
            from openai import AsyncOpenAI, DefaultAioHttpClient

            key = os.environ.get(self._key_variable, "") if self._key_variable else ""
            client = AsyncOpenAI(
                api_key=key or _NO_KEY,
                default_headers=account_headers(self._key_variable, key or _NO_KEY),
                base_url=self._base_url,
                max_retries=0,
                timeout=self._timeout,
                http_client=DefaultAioHttpClient(timeout=self._timeout),
            )
            self._clients[loop] = (client, Scrubber([key]))
        return self._clients[loop]

    def __repr__(self) -> str:
        return f"EndpointChat({self._model!r}, base_url={self._base_url!r})"


_PLAIN = ("temperature", "top_p", "seed")
_NEW_LIMIT = ("openai.com", "openai.azure.com", "services.ai.azure.com")
"""Hosts whose newer models refuse the older name of the limit on tokens, ``max_tokens``."""


def request_body(model: str, request: Request, *, limit_name: str = "max_tokens") -> dict[str, Any]:
    """Write the body of a call.

    Args:
        model: the model's name at the endpoint.
        request: the request.
        limit_name: the endpoint's name for the limit on a reply's tokens.

    Examples:
        >>> request_body("m", Request.of("Hello", temperature=0.0, max_tokens=5))["max_tokens"]
        5
    """
    messages = [{"role": message.role, "content": content_of(message)} for message in request.messages]
    return {"model": model, "messages": messages, **sampling_settings(request.parameters, limit_name)}


def limit_name_at(base_url: str) -> str:
    """Return an endpoint's name for the limit on a reply's tokens.

    Examples:
        >>> limit_name_at("http://localhost:11434/v1"), limit_name_at("https://api.openai.com/v1")
        ('max_tokens', 'max_completion_tokens')
    """
    host = urlsplit(base_url).hostname or ""
    return "max_completion_tokens" if host.endswith(_NEW_LIMIT) else "max_tokens"


def content_of(message: Message) -> str | list[dict[str, Any]]:
    """Write the content of a message: its text, or its parts if it has images.

    Examples:
        >>> content_of(Message("user", "Hello"))
        'Hello'
    """
    if message.n_images == 0:
        return message.text
    return [
        {"type": "text", "text": part.text}
        if isinstance(part, TextPart)
        else {"type": "image_url", "image_url": {"url": part.url}}
        for part in message.content
    ]


def sampling_settings(parameters: Parameters, limit_name: str = "max_tokens") -> dict[str, Any]:
    """Write the set parameters by OpenAI's names, which LangChain's models also accept."""
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
"""Maximum number of characters in a reply: an endpoint that sends more is broken."""


def parse_reply(text: str, scrubber: "Scrubber", *, model: str) -> Reply:
    """Parse the body of an answer with status 200.

    Args:
        text: the body of the answer.
        scrubber: removes the key if the endpoint echoes it.
        model: name of the model, for messages.

    Raises:
        CallError: the body is not JSON, lacks a choice or its text, is a refusal, or is far too long.
    """
    body, raw = clean_json(text, scrubber, model=model)
    return _reply(body, raw, scrubber, model)


def clean_json(text: str, scrubber: "Scrubber", *, model: str) -> tuple[object, str]:
    """Parse JSON, and remove the key if the endpoint echoes it.

    Args:
        text: the body of an answer.
        scrubber: removes the key.
        model: name of the model, for messages.

    Returns:
        The parsed JSON, and its text.

    Raises:
        CallError: the body is not JSON.
    """
    try:
        body = parse_json(text)
    except ValueError:
        shown = scrubber.line(text, longest=80)
        raise CallError(
            f"{model} answered with text that is not JSON: {shown!r}",
            kind=FailureKind.MALFORMED,
            raw=scrubber.reply(text[:_CUT]),
        ) from None
    raw = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    clean = scrubber.reply(raw)
    if clean != raw:
        body = parse_json(clean)
    return body, clean


def _reply(body: object, raw: str, scrubber: "Scrubber", model: str) -> Reply:
    fields: dict[str, Any] = body if isinstance(body, dict) else {}
    usage = usage_in(fields)

    def fail(kind: FailureKind, what: str) -> CallError:
        return CallError(f"{model} {scrubber.line(what)}", kind=kind, raw=raw[:_CUT], usage=usage)

    choices = fields.get("choices")
    if not isinstance(choices, list):
        stated = read_error(fields)  # some endpoints report an error with status 200
        reason = f": {stated.reason}" if stated.reason else ""
        raise fail(stated.kind or FailureKind.MALFORMED, f"answered without choices{reason}")
    if not choices:
        kind = FailureKind.REFUSED if read_error(fields).kind is FailureKind.REFUSED else FailureKind.EMPTY
        raise fail(kind, "answered with an empty list of choices")
    try:
        message = choices[0]["message"]
        refusal, content = message.get("refusal"), message.get("content")
        reason = str(choices[0].get("finish_reason") or "stop")
        logprobs = token_logprobs(choices[0].get("logprobs"))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise fail(FailureKind.MALFORMED, f"answered with a choice that cannot be read: {error!r}") from None
    if refusal or is_filtered(reason):
        raise fail(FailureKind.REFUSED, f"refused: {refusal or 'stopped by its content filter'}")
    text = text_of(content)
    if len(text) > _LONGEST:
        raise fail(FailureKind.MALFORMED, f"answered with {len(text):,} characters of text")
    named = str(fields.get("model") or model)
    reply = Reply(text, reason, usage, logprobs, named, raw, reasoning=reasoning_of(message))
    has_call = message.get("tool_calls") or message.get("function_call")
    return validate_reply(reply, model=model, instead="a tool call" if has_call else "")


def text_of(content: object) -> str:
    """Return the text of a message's content, which may be a list of parts; reasoning is left out.

    Examples:
        >>> text_of([{"type": "reasoning", "text": "2 + 2"}, {"type": "text", "text": "4"}]), text_of(None)
        ('4', '')
    """
    if isinstance(content, list):
        return "".join(map(text_of, content))
    if isinstance(content, Mapping):
        return str(content.get("text") or "") if content.get("type", "text") in _TEXT_PARTS else ""
    return content if isinstance(content, str) else ""


_TEXT_PARTS = ("text", "output_text")


def usage_in(
    body: Mapping[str, Any], prompt: str = "prompt_tokens", completion: str = "completion_tokens"
) -> Usage | None:
    """Read the tokens of a call; ``None`` if they are not stated.

    Args:
        body: body of the answer.
        prompt: name of the field with the prompt's tokens.
        completion: name of the field with the reply's tokens.
    """
    counts = body.get("usage")
    try:
        return Usage(int(counts[prompt]), int(counts[completion]))  # type: ignore[index]
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def token_logprobs(answer: object) -> tuple[TokenLogprob, ...] | None:
    """Parse the log-probabilities of a reply's tokens; ``None`` if there are none.

    Raises:
        KeyError, TypeError, ValueError: they do not have the format of OpenAI's interface.
    """
    tokens = answer.get("content") if isinstance(answer, dict) else None
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
    if math.isnan(number) or number > 0.01:  # rounding may lift a certainty above 0
        raise ValueError(f"a logarithm of a probability must be <= 0, got {value!r}")
    return min(number, 0.0)


HIDDEN = "[key]"
SHORTEST_IN_REPLIES = 12
"""Shorter keys may be ordinary words, such as ``EMPTY`` for a local server, and stay in replies."""

_NAMED_LIKE_KEYS = re.compile(r".*(API_?KEY|TOKEN|SECRET|PASSWORD)", re.IGNORECASE)
_SHORTEST = 4


def environment_secrets() -> list[str]:
    """Return the values of environment variables with names that are typical of keys."""
    return [value for name, value in os.environ.items() if _NAMED_LIKE_KEYS.fullmatch(name)]


class Scrubber:
    """Remover of secrets from texts, plain or escaped for JSON, Python or a URL.

    Args:
        secrets: values to remove; those of fewer than four characters are ignored.

    Examples:
        >>> Scrubber(["sk-0123456789abcdef"]).line("Bearer sk-0123456789abcdef is wrong")
        'Bearer [key] is wrong'
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        ordered = sorted({secret for secret in secrets if len(secret) >= _SHORTEST}, key=len, reverse=True)
        self._short = tuple(dict.fromkeys(form for secret in ordered for form in _forms(secret)))
        long = [secret for secret in ordered if len(secret) >= SHORTEST_IN_REPLIES]
        self._long = tuple(dict.fromkeys(form for secret in long for form in _forms(secret)))

    def line(self, text: str, *, longest: int = 300) -> str:
        """Join a message into one line, remove secrets and shorten it."""
        for form in self._short:
            text = text.replace(form, HIDDEN)
        line = " ".join(text.split())
        return line if len(line) <= longest else f"{line[: longest - 3]}..."

    def reply(self, text: str) -> str:
        """Remove secrets from a reply and change nothing else."""
        for form in self._long:
            if form in text:
                text = text.replace(form, HIDDEN)
        return text

    def __repr__(self) -> str:
        return "Scrubber()"


def _forms(secret: str) -> list[str]:
    in_json = (json.dumps(secret, ensure_ascii=ascii)[1:-1] for ascii in (True, False))
    return [secret, *in_json, repr(secret)[1:-1], quote(secret, safe="")]


_BY_STATUS = {
    401: FailureKind.DENIED,
    402: FailureKind.NO_QUOTA,
    404: FailureKind.UNKNOWN_MODEL,
    408: FailureKind.SERVER,
    409: FailureKind.SERVER,
    425: FailureKind.SERVER,
    429: FailureKind.RATE_LIMITED,
    451: FailureKind.REFUSED,
    501: FailureKind.UNSUPPORTED,
}
_LEAST_SERVER_ERROR = 500
_REDIRECTS = range(300, 400)
_REMEDIES = {
    FailureKind.DENIED: "check the key in {variable}, and what it gives access to",
    FailureKind.UNKNOWN_MODEL: "check the model's name and the address {address}",
    FailureKind.NO_QUOTA: "the account has no credit left; add credit, or use another endpoint",
}


def failure_of(
    error: Exception,
    scrubber: Scrubber,
    *,
    model: str,
    address: str = "",
    variable: str | None = "its variable",
) -> CallError:
    """Convert an exception of a client library into a failure with a one-line message, without keys.

    Args:
        error: the exception; its ``status_code`` and ``response`` are read if it has them.
        scrubber: removes keys.
        model: name of the model, for messages.
        address: the endpoint's address, for messages.
        variable: the environment variable of the key, for messages; ``None`` if no key was sent.
    """
    status = _status(error)
    response = getattr(error, "response", None)
    if status is None:
        return _classify_error(error, scrubber, model, address)
    raw = _body(response, scrubber)
    stated, refused = read_error(raw), parse_refused_parameters(raw or str(error))
    by_code = read_error({"code": str(getattr(error, "code", ""))}).kind
    kind = _kind(status, by_code or stated.kind, refused)
    remedy = _REMEDIES.get(kind, "").format(variable=variable, address=address)
    if kind is FailureKind.DENIED and variable is None:
        remedy = "no key was sent; name the variable that holds the key of this endpoint"
    if status in _REDIRECTS:
        remedy = "the endpoint redirects; give the address that it redirects to"
    message = f"{model}: {_with_reason(_line(error, scrubber), stated.reason, raw, scrubber)}"
    retry_after = _retry_after(response)
    return CallError(
        f"{message}; {remedy}" if remedy else message,
        kind=kind,
        retry_after=stated.retry_after if retry_after is None else retry_after,
        raw=raw,
        refused=refused if kind in {FailureKind.REJECTED, FailureKind.UNSUPPORTED} else (),
    )


def _with_reason(line: str, reason: str, raw: str, scrubber: Scrubber) -> str:
    """Add the stated reason to a client's error if that lacks it, or else the beginning of a page."""
    shown = scrubber.line(reason or ("" if raw[:1] in {"{", "["} else raw), longest=300 if reason else 80)
    return line if shown in line else f"{line} - {shown}"


def _kind(status: int, stated: FailureKind | None, refused: Collection[str]) -> FailureKind:
    """Return the kind of a failure by its status, and by the error that the answer states."""
    default = FailureKind.SERVER if status >= _LEAST_SERVER_ERROR else FailureKind.REJECTED
    kind = _BY_STATUS.get(status, default)
    if stated is FailureKind.NO_QUOTA and status < _LEAST_SERVER_ERROR:
        return stated
    if kind is not FailureKind.REJECTED:
        return kind
    if RESPONSE_FORMAT in refused:
        return FailureKind.UNSUPPORTED
    return FailureKind.REJECTED if stated is None or refused else stated


def _classify_error(error: Exception, scrubber: Scrubber, model: str, address: str) -> CallError:
    """Classify an error by its causes, as the client reports some broken connections as timeouts."""
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None and cause not in causes:
        causes.append(cause)
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return CallError(f"{model} did not answer in time", kind=FailureKind.TIMEOUT)
    names = " ".join(kind.__name__ for cause in causes for kind in type(cause).__mro__)
    if "Connect" in names or "Protocol" in names:
        reason = scrubber.line(_why_no_connection(causes))
        where = f" at {address}" if address else ""
        return CallError(f"{model} cannot be reached{where}: {reason}", kind=FailureKind.CONNECTION)
    return CallError(f"{model}: {_line(error, scrubber)}", kind=FailureKind.BROKEN)


def _why_no_connection(causes: list[BaseException]) -> str:
    """Return the reason of a failed connection: the innermost system error, else the innermost message."""
    for cause in reversed(causes):
        if isinstance(cause, OSError) and cause.strerror:
            # asyncio names the address instead of the reason.
            is_masked = cause.strerror.startswith("Connect call failed")
            return os.strerror(cause.errno) if is_masked and cause.errno else cause.strerror
    texts = [str(cause) for cause in causes if not isinstance(cause, RuntimeError)]
    return next((text for text in reversed(texts) if text), "connection lost")


def _status(error: Exception) -> int | None:
    response = getattr(error, "response", None)
    for holder, name in ((error, "status_code"), (response, "status_code"), (error, "http_status")):
        status = getattr(holder, name, None)
        if isinstance(status, int):
            return status
    return None


def _line(error: Exception, scrubber: Scrubber) -> str:
    cause = f" ({error.__cause__})" if error.__cause__ is not None and str(error.__cause__) else ""
    return scrubber.line(f"{error}{cause}" if str(error) else f"{type(error).__name__}{cause}")


def _retry_after(response: object) -> float | None:
    headers = getattr(response, "headers", None)
    if not isinstance(headers, Mapping):
        return None
    return read_retry_after({str(name).lower(): str(value) for name, value in headers.items()}, time.time())


def _body(response: object, scrubber: Scrubber) -> str:
    try:
        return scrubber.reply(str(getattr(response, "text", ""))[:65_536])
    except Exception:  # report the failure even if its body was not read or cannot be decoded
        return ""


def read_retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Read ``retry-after-ms``, else ``Retry-After`` in seconds or as a date.

    Args:
        headers: names in lower case.
        now: seconds since 1970, for a date without the endpoint's own time (``Date``).

    Returns:
        Seconds from now, at least 0; ``None`` if no header states them.

    References:
        RFC 9110, section 10.2.3.

    Examples:
        >>> read_retry_after({"retry-after-ms": "1500", "retry-after": "2"}, now=0.0)
        1.5
        >>> read_retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, now=50.0)
        10.0
        >>> read_retry_after({"retry-after": "soon"}, now=0.0) is None
        True
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        seconds = _number(headers.get(name))
        if seconds is not None:
            return max(0.0, seconds * unit)
    until = _moment(headers.get("retry-after"))
    if until is None:
        return None
    # Both times are from the endpoint's clock, as this machine's clock may be wrong by days.
    answered = _moment(headers.get("date"))
    return max(0.0, until - (now if answered is None else answered))


def _moment(text: str | None) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(text or "").timestamp()
    except (ValueError, TypeError):
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
