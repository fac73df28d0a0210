"""JSON form of replies in the ledger."""

import json

from semscale.chat.replies import Reply, TokenLogprob, Usage


def dump_reply(reply: Reply) -> str:
    """Write a reply as JSON."""
    usage, logprobs = reply.usage, reply.logprobs
    return json.dumps(
        {
            "text": reply.text,
            "finish_reason": reply.finish_reason,
            "usage": usage and [usage.prompt_tokens, usage.completion_tokens],
            "logprobs": None if logprobs is None else [[one.token, one.logprob, one.top] for one in logprobs],
            "model": reply.model,
            "raw": reply.raw,
            **({"left_out": reply.left_out} if reply.left_out else {}),
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def load_reply(text: str) -> Reply:
    """Read a reply back.

    Raises:
        ValueError, KeyError, TypeError: the text is not what :func:`dump_reply` wrote.

    Example:
        >>> reply = Reply("4", usage=Usage(12, 1), logprobs=(TokenLogprob("4", -0.5, (("4", -0.5),)),))
        >>> load_reply(dump_reply(reply)) == reply
        True
    """
    stored = json.loads(text)
    usage, logprobs = stored["usage"], stored["logprobs"]
    return Reply(
        text=stored["text"],
        finish_reason=stored["finish_reason"],
        usage=None if usage is None else Usage(*usage),
        logprobs=None if logprobs is None else tuple(_token(*one) for one in logprobs),
        model=stored["model"],
        raw=stored["raw"],
        left_out=tuple(stored.get("left_out", ())),
    )


def _token(token: str, logprob: float, top: list[tuple[str, float]]) -> TokenLogprob:
    return TokenLogprob(token, logprob, tuple((other, value) for other, value in top))
