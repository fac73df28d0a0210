"""Estimates of the tokens that a request will use."""

import json
import math

from semscale.chat.messages import Message, Request

BYTES_PER_TOKEN = 3.0
"""English takes about four bytes a token; three leaves room."""
TOKENS_PER_MESSAGE = 8
TOKENS_PER_IMAGE = 1500
ASSUMED_REPLY = 1024
"""Tokens set aside for a reply whose length is not limited."""


def estimated_prompt(request: Request) -> int:
    """Estimate the tokens of a prompt: a third of its bytes, 8 a message and 1,500 an image.

    Further fields of the endpoint, such as the questions of a decision, count by their bytes, too.

    Example:
        >>> estimated_prompt(Request.of("Is 7 prime?"))  # 11 bytes
        12
    """
    return sum(map(_estimated, request.messages)) + _estimated_fields(request)


def most_reply_tokens(request: Request) -> int:
    """Return the most tokens that a reply may have: ``max_tokens``, or 1,024 if it is not limited."""
    return request.parameters.max_tokens or ASSUMED_REPLY


def _estimated_fields(request: Request) -> int:
    extra = request.parameters.extra
    return math.ceil(len(json.dumps(dict(extra), default=str)) / BYTES_PER_TOKEN) if extra else 0


def _estimated(message: Message) -> int:
    size = len(message.text.encode("utf-8", "surrogatepass"))
    return math.ceil(size / BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE + TOKENS_PER_IMAGE * message.n_images
