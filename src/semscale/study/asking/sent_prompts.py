"""What was sent to the model, by the hash that stands beside each answer."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from semscale.chat.messages import Message, Request, TextPart

PROMPT_SCHEMA: dict[str, Any] = {
    "prompt": pl.String,
    "call": pl.Int64,
    "messages": pl.String,
    "parameters": pl.String,
    "sample": pl.Int64,
}
"""Columns of the table of prompts."""


def prompt_frame(sent: Mapping[str, Sequence[Request]]) -> pl.DataFrame:
    """Lay prompts out, a row for each call; a decision may take several.

    Args:
        sent: the calls of each prompt, by its hash.

    Returns:
        ``prompt`` (the hash), ``call`` from 1, ``messages`` and ``parameters`` as JSON, and ``sample``, the
        number that tells equal prompts apart. An image stands as its SHA-256, or as its address.
    """
    rows = [
        (
            prompt,
            call,
            json.dumps([_recorded(message) for message in request.messages], ensure_ascii=False),
            json.dumps(
                {name: value for name, value in vars(request.parameters).items() if value not in _NONE}
            ),
            request.sample,
        )
        for prompt, requests in sent.items()
        for call, request in enumerate(requests, start=1)
    ]
    return pl.DataFrame(rows, schema=PROMPT_SCHEMA, orient="row")


_NONE: tuple[object, ...] = (None, (), {})


def _recorded(message: Message) -> dict[str, Any]:
    parts = [
        {"text": part.text}
        if isinstance(part, TextPart)
        else {"image": f"sha256:{part.content_hash}" if part.url.startswith("data:") else part.url}
        for part in message.content
    ]
    return {"role": message.role, "content": parts}
