"""Chat models behind OpenAI-compatible endpoints: OpenAI, Azure, vLLM, Ollama, LM Studio, ..."""

import asyncio
import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from semscale.chat.endpoint.body import limit_name_at, request_body
from semscale.chat.endpoint.failures import failure_of
from semscale.chat.endpoint.reply import parse_reply
from semscale.chat.messages import Request
from semscale.chat.replies import CallError, Reply
from semscale.chat.secrets import Scrubber
from semscale.errors import InputError
from semscale.extras import require
from semscale.signature import Signature
from semscale.weights.places import is_offline

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OPENAI = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"


class EndpointChat:
    """A chat model behind an OpenAI-compatible endpoint.

    The key comes from the environment only. Redirects are not followed, so only the endpoint is contacted.
    A call is sent once; the :class:`~semscale.chat.runner.Runner` waits and repeats.

    Args:
        model: the model's name there.
        base_url: the endpoint's address, such as ``http://localhost:11434/v1``; by default the one in
            ``OPENAI_BASE_URL``, or else OpenAI's.
        key_variable: the environment variable that holds the key; most local servers need none.
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
        key_variable: str = KEY_VARIABLE,
        timeout: float = 600.0,
    ) -> None:
        named = base_url or os.environ.get("OPENAI_BASE_URL")
        if not named and not os.environ.get(key_variable):
            said = f"{key_variable} is not set; set it, or name another endpoint with"
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

            key = os.environ.get(self._key_variable) or ""
            client = AsyncOpenAI(
                api_key=key or "none",  # local servers need no key, but the client requires one
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
