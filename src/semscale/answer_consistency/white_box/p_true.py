"""P(True): how probable a model finds its own answer, from the token that says True or False."""

import math
from collections.abc import Sequence

import numpy as np

from semscale.chat.messages import Request
from semscale.chat.replies import TokenLogprob
from semscale.chat.runner import Runner
from semscale.errors import InputError
from semscale.types import Floats, Progress

_SYSTEM = (
    "You judge whether an answer to a question is correct. Wording does not matter. "
    "Reply with one word: True or False."
)
_TOP = 5
_YES, _NO = "true", "false"


def p_true(tokens: Sequence[TokenLogprob] | None) -> float:
    """Read P(True) from a reply's first token with letters, if it says True or False.

    It is p(True) / (p(True) + p(False)), summed over the likeliest tokens at that place. Where only one of
    the two is among them, the other has what is left.

    Args:
        tokens: of the reply; ``None`` where they are not known.

    Returns:
        0 to 1; NaN where the first token with letters says something else, such as "Not".

    References:
        Kadavath et al. (2022), arXiv 2207.05221.

    Example:
        >>> top = (("True", math.log(0.6)), (" False", math.log(0.2)))
        >>> round(p_true([TokenLogprob("True", math.log(0.6), top)]), 6)
        0.75
    """
    first = next((token for token in tokens or () if any(map(str.isalpha, _word(token.token)))), None)
    if first is None or _word(first.token) not in {_YES, _NO}:
        return math.nan
    shares = dict(first.top)
    shares.setdefault(first.token, first.logprob)
    yes, no = (
        math.fsum(math.exp(logprob) for text, logprob in shares.items() if _word(text) == word)
        for word in (_YES, _NO)
    )
    if not yes or not no:
        return min(yes, 1.0) if yes else max(1 - no, 0.0)
    return yes / (yes + no)


def p_true_request(prompt: str, answer: str, samples: Sequence[str] = ()) -> Request:
    """Build the request that asks whether an answer is right.

    Args:
        prompt: the question.
        answer: the answer to be judged.
        samples: other answers, shown before it; they make P(True) better calibrated.
    """
    asked = f"{shown_answers(prompt, answer, samples)}\nIs the proposed answer True or False?"
    return Request.of(asked, system=_SYSTEM, temperature=0.0, max_tokens=1, top_logprobs=_TOP)


def shown_answers(prompt: str, answer: str, samples: Sequence[str] = ()) -> str:
    """Lay out a question, other answers to it, and the answer that is to be judged.

    Example:
        >>> print(shown_answers("Capital of France?", "Paris", ["Lyon", "Lyon", "Paris"]))
        Question: Capital of France?
        Possible answer: Lyon
        Proposed answer: Paris
    """
    others = [text for text in dict.fromkeys(samples) if text.strip() and text != answer]
    shown = "".join(f"Possible answer: {text}\n" for text in others)
    return f"Question: {prompt}\n{shown}Proposed answer: {answer}"


async def ask_p_true(
    prompts: Sequence[str],
    answers: Sequence[str | None],
    samples: Sequence[Sequence[str]] | None,
    runner: Runner,
    progress: Progress | None = None,
) -> Floats:
    """Ask a model whether each answer is right, and read P(True).

    Args:
        prompts: n questions.
        answers: n answers; a missing or empty one is not asked about.
        samples: n lists of other answers, or ``None``.
        runner: sends the requests.
        progress: called while replies come.

    Returns:
        Shape (n,), 0 to 1; NaN where no reply came, or none with probabilities. No typed decision is asked
        for in their place, as ``Consistency.ask`` does.

    Raises:
        InputError: lists of unequal length.
        ReplyError: no call can succeed.
    """
    if len(prompts) != len(answers) or (samples is not None and len(samples) != len(prompts)):
        raise InputError("prompts, answers and samples must have equal lengths")
    rows = [row for row, answer in enumerate(answers) if answer and answer.strip()]
    requests = [
        p_true_request(prompts[row], str(answers[row]), () if samples is None else samples[row])
        for row in rows
    ]
    found: Floats = np.full(len(prompts), np.nan)
    for row, outcome in zip(rows, await runner.collect(requests, progress=progress), strict=True):
        found[row] = np.nan if outcome.reply is None else p_true(outcome.reply.logprobs)
    return found


def _word(text: str) -> str:
    return text.strip(" \t\n\"'*.▁Ġ").casefold()
