"""Parsing of replies from the JSON of OpenAI's chat interface."""

import json
import math
from collections.abc import Mapping
from typing import Any

from semscale.chat.replies import CallError, FailureKind, Reply, TokenLogprob, Usage
from semscale.chat.secrets import Scrubber
from semscale.json_reading import parse_json

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
