"""Addresses and keys of OpenAI-compatible endpoints, for chat models and embedding models."""

import os
import re
from typing import Any
from urllib.parse import SplitResult, urlsplit

from semscale.errors import InputError
from semscale.messages import shorten

OPENAI = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
"""Environment variable with the key of an endpoint, unless another one is named."""


def account_headers(key_variable: str | None, key: str) -> dict[str, Any]:
    """Return headers for OpenAI's client that keep the user's account from other endpoints.

    The client sends the organisation, the project and ``OPENAI_CUSTOM_HEADERS`` of the environment to any
    endpoint. They belong to the account of ``OPENAI_API_KEY``, so they go only where that key goes.

    Args:
        key_variable: environment variable with the endpoint's key; ``None`` if it gets none.
        key: the key, or a word in its place.
    """
    from openai import Omit

    if key_variable == KEY_VARIABLE:
        return {}
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    names = [line.partition(":")[0].strip() for line in lines if ":" in line]
    left_out = {name: Omit() for name in ("OpenAI-Organization", "OpenAI-Project", *names)}
    return {name: omit for name, omit in left_out.items() if name.lower() != "authorization"} | {
        "Authorization": f"Bearer {key}"
    }


_AZURE = (".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com")
_OF_VERSION = frozenset({"", "/openai", "/models"})
"""Paths that Azure serves only with a version in the query."""

_ROUTES = (
    (re.compile(r"(?:/(?:chat/)?completions|(?<!api)/(?:responses|messages|embeddings))/?\Z"), ""),
    (re.compile(r"\A/api/(?:chat|generate|embed|embeddings|tags)/?\Z"), "/v1"),  # of Ollama
    (re.compile(r"/models/[^/]+:\w+\Z"), "/openai"),  # of Google
)
"""Ends of paths that are routes, and the end of the endpoint's address in their place."""


def validate_address(address: str, parameter: str) -> str:
    """Check an endpoint's address, and return it without a slash at its end.

    Args:
        address: such as ``http://localhost:11434/v1``.
        parameter: the parameter with the address, for messages.

    Raises:
        InputError: it is no address, contains a secret, goes on to a route such as ``/chat/completions``, or
            is Azure's address of one deployment.
    """
    try:
        parts = urlsplit(address)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets without an address in them, or a port that is none
        is_address = False
    if not is_address or not address.isprintable() or " " in address:
        shown = shorten(re.sub("//.*@", "//...@", address, flags=re.DOTALL))  # without a password
        raise InputError(parameter, f"must be an address such as http://localhost:11434/v1, got {shown}")
    if _is_versioned_azure(parts):
        location = parts.netloc.rpartition("@")[2]
        rule = f"must be {parts.scheme}://{location}/openai/v1 for Azure, without a deployment and a version"
        raise InputError(parameter, f"{rule}; the deployment's name is the model")
    if parts.username or parts.password or parts.query or parts.fragment:
        shown = f"{parts.scheme}://{parts.hostname}"
        raise InputError(
            parameter,
            f"must have neither a user nor a query, got one with {shown}; keys come from variables",
        )
    base = parts.path
    for route, end in _ROUTES:
        base = route.sub(end, base)
    if base != parts.path:
        suggested = f"{parts.scheme}://{parts.netloc}{base}"
        raise InputError(parameter, f"must end before its route: {suggested}, got {shorten(address)}")
    return address.rstrip("/")


def _is_versioned_azure(parts: SplitResult) -> bool:
    """Return whether an address is one that Azure answers only with a version in the query."""
    if "api-version=" in parts.query:
        return True
    path = parts.path.rstrip("/").lower()
    is_azure = f".{parts.hostname}".endswith(_AZURE)
    return "/openai/deployments/" in path or (is_azure and (path in _OF_VERSION or "/deployments/" in path))
