"""Recognises in an endpoint's refusal the parameters that its model does not take."""

import re
from collections.abc import Iterator

from semscale.json_reading import parse_json

PARAMETERS = (
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "top_p",
    "seed",
    "stop",
    "logprobs",
    "top_logprobs",
)
_NAME = re.compile(rf"(?<![A-Za-z_])({'|'.join(PARAMETERS)})(?![A-Za-z_])")
_NOT_TAKEN = re.compile(
    r"""(not|n't|never) \s+ (be \s+)? (support|permit|allow|accept|recogni[sz]|known|available|implemented)
    | (unsupported|unknown|unrecogni[sz]ed|unexpected|forbidden|deprecated) (?![A-Za-z])
    | (extra|additional) \s+ (inputs|fields|propert|parameters)
    | (extra_forbidden|unsupported_(value|parameter)|unknown_parameter|cannot \s+ find \s+ field)
    | only \s+ (be \s+ set|[^.]{0,40} \s+ (is|are) \s+ (supported|allowed|permitted))
    | strictly \s+ positive | (greater|larger) \s+ than \s+ 0 (?![.\d])""",
    re.IGNORECASE | re.VERBOSE,
)
_BESIDE_THE_POINT = re.compile(
    r"\b(use|try|expected|did you mean|instead|consider)\b|'input':", re.IGNORECASE
)
_CLAUSE = re.compile(r"[.;]\s+|[\n}]")


def refused_parameters(body: str) -> tuple[str, ...]:
    """Name the parameters that a refusal says are not taken, in the order in which it names them.

    A value out of range, such as a limit on tokens that is too high, is no such refusal.

    Args:
        body: of an answer with a status such as 400 or 422, JSON or plain text.

    Returns:
        Names out of ``PARAMETERS``; empty if the refusal is about something else.

    Example:
        >>> refused_parameters('[{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]')
        ('seed',)
        >>> refused_parameters("max_tokens is not supported. Use max_completion_tokens instead.")
        ('max_tokens',)
        >>> refused_parameters("max_tokens must be at most 4096")
        ()
    """
    try:
        statements = list(_statements(parse_json(body)))
    except ValueError:
        statements = [("", body)]
    found = [name for place, words in statements for name in _named(place, words)]
    return tuple(dict.fromkeys(found))


def _statements(content: object) -> Iterator[tuple[str, str]]:
    """Yield what an answer says, each statement with the parameter that the answer puts beside it."""
    if isinstance(content, str):
        yield "", content
    elif isinstance(content, list):
        for part in content:
            yield from _statements(part)
    elif isinstance(content, dict):
        words = content.get("msg") or content.get("message")
        if isinstance(words, str):
            place = content.get("param") or content.get("loc") or ""
            kind = content.get("code") or content.get("type") or ""
            yield str(place), f"{words} {kind}"
        else:
            for part in content.values():
                yield from _statements(part)


def _named(place: str, words: str) -> list[str]:
    beside = _NAME.findall(place)
    if beside:
        return beside if _NOT_TAKEN.search(words) else []
    clauses = (_BESIDE_THE_POINT.split(clause, maxsplit=1)[0] for clause in _CLAUSE.split(words))
    return [name for clause in clauses if _NOT_TAKEN.search(clause) for name in _NAME.findall(clause)]
