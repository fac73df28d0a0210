"""JSON form of replies in the ledger."""

import json
from collections.abc import Mapping
from typing import Any

from semscale.chat.messages import Reply, TokenLogprob, Usage
from semscale.json_reading import parse_json


def dump_reply(reply: Reply) -> str:
    """Write a reply as JSON."""
    usage, logprobs = reply.usage, reply.logprobs
    return write_json(
        {
            "text": reply.text,
            "finish_reason": reply.finish_reason,
            "usage": usage and [usage.prompt_tokens, usage.completion_tokens],
            "logprobs": None if logprobs is None else [[one.token, one.logprob, one.top] for one in logprobs],
            "model": reply.model,
            "raw": reply.raw,
            **({"left_out": reply.left_out} if reply.left_out else {}),
            **({} if reply.seconds is None else {"seconds": reply.seconds}),
        }
    )


def write_json(content: Mapping[str, object]) -> str:
    r"""Write JSON that every database keeps: unpaired surrogates, which UTF-8 cannot hold, are escaped.

    Example:
        >>> print(write_json({"text": "né"}), write_json({"text": "\ud83d"}))
        {"text":"né"} {"text":"\ud83d"}
    """
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # an endpoint's JSON may name half of a pair, as a cut-off emoji is
        return json.dumps(content, separators=(",", ":"))
    return text


def load_reply(text: str) -> Reply:
    """Read a reply back.

    Raises:
        ValueError, KeyError, TypeError, AttributeError, OverflowError: :func:`dump_reply` did not write it.

    Example:
        >>> reply = Reply("4", usage=Usage(12, 1), logprobs=(TokenLogprob("4", -0.5, (("4", -0.5),)),))
        >>> load_reply(dump_reply(reply)) == reply
        True
    """
    stored = parse_json(text)
    usage, logprobs = stored["usage"], stored["logprobs"]
    return Reply(
        text=text_in(stored, "text"),
        finish_reason=text_in(stored, "finish_reason"),
        usage=None if usage is None else Usage(*map(int, usage)),
        logprobs=None if logprobs is None else tuple(_token(*one) for one in logprobs),
        model=text_in(stored, "model"),
        raw=text_in(stored, "raw"),
        left_out=tuple(map(str, stored.get("left_out", ()))),
        seconds=None if stored.get("seconds") is None else float(stored["seconds"]),
    )


def text_in(stored: Mapping[str, Any], key: str) -> str:
    """Take a text out of what was stored.

    Raises:
        KeyError, TypeError: there is none.
    """
    found = stored[key]
    if not isinstance(found, str):
        raise TypeError(f"{key} is no text")
    return found


def _token(token: str, logprob: float, top: list[tuple[str, float]]) -> TokenLogprob:
    return TokenLogprob(str(token), float(logprob), tuple((str(other), float(value)) for other, value in top))
