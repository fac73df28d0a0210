"""The likeliest next tokens of a local model, from a beam search of one step.

The engine gives the log-probability of the token that it chose, and of no other. A beam search of k beams and
one step ends in the k likeliest tokens, each with its own log-probability as score.
"""

import math
from collections.abc import Sequence

from semscale.chat.messages import Parameters
from semscale.chat.replies import TokenLogprob


def asks_for_next_token(asked: Parameters) -> bool:
    """Whether a request is for one token, the likeliest, and the probabilities of others in its place."""
    return (
        asked.max_tokens == 1 and bool(asked.top_logprobs) and not asked.temperature and asked.schema is None
    )


def beam_settings(k: int) -> dict[str, int]:
    """Settings of the engine's search for the k likeliest tokens."""
    return {"max_new_tokens": 1, "num_beams": k, "num_return_sequences": k}


def likeliest_tokens(texts: Sequence[str], logprobs: Sequence[float]) -> TokenLogprob:
    """Join the beams of a search of one step; tokens with the same text add up.

    Args:
        texts: of the beams, at least one.
        logprobs: their scores, natural logarithms of probabilities.

    Example:
        >>> found = likeliest_tokens(["A", "B", "A"], [math.log(0.5), math.log(0.25), math.log(0.125)])
        >>> found.token, round(math.exp(found.logprob), 3), [text for text, _ in found.top]
        ('A', 0.625, ['A', 'B'])
    """
    shares: dict[str, float] = {}
    for text, logprob in zip(texts, logprobs, strict=True):
        shares[text] = shares.get(text, 0.0) + math.exp(logprob)
    ranked = sorted(shares.items(), key=lambda pair: -pair[1])
    top = tuple((text, min(0.0, math.log(share))) for text, share in ranked if share > 0)
    return TokenLogprob(*top[0], top)
