"""Probabilities of a template's levels, from the probabilities of tokens where the score stands."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.chat.replies import TokenLogprob
from semscale.judging.templates import Template
from semscale.types import Floats

_ROUNDING = 1e-3
_LEADING = " \t\n\r\"'*:`_([{▁Ġ"


@dataclass(frozen=True)
class LevelProbabilities:
    """Probabilities of a template's levels.

    Attributes:
        masses: shape (k,), probabilities of the template's scores, renormalised to sum to 1.
        covered: their sum before, 0 to 1; the rest went to tokens that state no level or could state several.
    """

    masses: Floats
    covered: float


def level_probabilities(
    reply: str, tokens: Sequence[TokenLogprob], span: tuple[int, int], template: Template
) -> LevelProbabilities | None:
    """Find the tokens that state the score, and the probabilities of the levels that they could have stated.

    The score's place is where the parser found it, never a fixed number of tokens. A token that can begin
    several levels ("1" of 1 and 10, "Completely" of two labels) counts for none of them, unless it is the
    one that was chosen: then the tokens after it decide.

    Args:
        reply: the text.
        tokens: its tokens, each with the likeliest alternatives.
        span: where the level stands in the reply.
        template: what the judge was asked.

    Returns:
        The probabilities; ``None`` where the tokens are not those of the reply, or their log-probabilities
        give no probability between 0 and 1.
    """
    first = _token_at(reply, tokens, span[0])
    if first is None:
        return None
    forms = level_forms(template)
    masses, prefix, chosen = np.zeros(len(forms)), "", 1.0
    for token in tokens[first:]:
        _attribute(masses, prefix, chosen, token, forms)
        if len(_meant(prefix + token.token, forms)) <= 1:
            break
        prefix, chosen = prefix + token.token, chosen * math.exp(token.logprob)
    else:
        stated = prefix.strip(_LEADING).casefold()
        masses[[stated in names for names in forms]] += chosen
    covered = float(masses.sum())
    if not 0 < covered <= 1 + _ROUNDING:
        return None
    return LevelProbabilities(masses / covered, min(covered, 1.0))


def _attribute(
    masses: Floats, prefix: str, chosen: float, token: TokenLogprob, forms: list[frozenset[str]]
) -> None:
    """Give the probability of each alternative of a token to the level that it can only mean."""
    shares = dict(token.top)
    shares.setdefault(token.token, token.logprob)
    for text, logprob in shares.items():
        meant = _meant(prefix + text, forms)
        if len(meant) == 1:
            masses[meant.pop()] += chosen * math.exp(logprob)


def level_forms(template: Template) -> list[frozenset[str]]:
    """All ways to state each level, in small letters, in the order of the template's scores."""
    if template.highest is not None:
        return [frozenset({str(number)}) for number in range(template.highest + 1)]
    ordered = sorted(template.levels, key=lambda level: level.score)
    return [
        frozenset(name.casefold() for name in (level.shown, level.label, *level.also, *level.keyed))
        for level in ordered
    ]


def _meant(text: str, forms: list[frozenset[str]]) -> set[int]:
    """Levels that a text can be the beginning of, or that it states."""
    said = text.lstrip(_LEADING).casefold()
    return {place for place, names in enumerate(forms) if any(_agrees(said, name) for name in names)}


def _agrees(said: str, name: str) -> bool:
    if name.startswith(said):
        return True
    return said.startswith(name) and not said[len(name)].isalnum()


def _token_at(reply: str, tokens: Sequence[TokenLogprob], place: int) -> int | None:
    joined = "".join(token.token for token in tokens)
    shift = joined.find(reply)
    if shift < 0 or not reply:
        return None
    end = 0
    for number, token in enumerate(tokens):
        end += len(token.token)
        if end > place + shift:
            return number
    return None
