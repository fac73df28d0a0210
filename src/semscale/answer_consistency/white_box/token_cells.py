"""Reads the log-probabilities of answers' tokens from cells of tables and from what chat models give."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from semscale.chat.replies import TokenLogprob
from semscale.errors import InputError, RowError
from semscale.json_reading import parse_json
from semscale.store.columns import as_list, is_missing

_SHOWN = 60


class _TokenCell(NamedTuple):
    """A cell, and where it was given, for messages."""

    cell: Any
    parameter: str
    place: int


def read_tokens(
    cells: object, n: int, *, first: int = 0, parameter: str = "logprobs"
) -> list[tuple[TokenLogprob, ...] | None]:
    """Read the tokens of n answers.

    Args:
        cells: n lists, one for each answer, of log-probabilities as numbers, of mappings with ``logprob`` and
            perhaps ``token`` and ``top_logprobs`` as OpenAI gives them, or of ``TokenLogprob``; or the JSON
            text of such a list. A missing or empty one means that the tokens are not known.
        n: how many answers there are.
        first: place of the first of them among all answers, from 0.
        parameter: the name of what is read, for messages.

    Raises:
        InputError: another number of cells, a cell that is no such list, or a probability above 1.

    Example:
        >>> read_tokens([[-0.5], None, '[{"token": "Paris", "logprob": -0.1}]'], 3)[2][0].token
        'Paris'
    """
    listed = as_list(cells, parameter)
    if len(listed) != n:
        raise InputError(f"{parameter} must have {n} rows, one for each answer, got {len(listed)}")
    return [_tokens(_TokenCell(cell, parameter, place)) for place, cell in enumerate(listed, first)]


def read_sample_tokens(
    cells: object, n_samples: Sequence[int], *, first: int = 0
) -> list[list[tuple[TokenLogprob, ...] | None]]:
    """Read the tokens of the samples of n answers.

    Args:
        cells: n lists with an entry for each sample, as ``read_tokens`` takes them; a missing list means that
            the tokens of none of these samples are known.
        n_samples: how many samples each answer has.
        first: place of the first answer among all answers, from 0.

    Raises:
        InputError: lists of other lengths, or an entry that is no list of log-probabilities.

    Example:
        >>> read_sample_tokens([[[-0.5], None], None], [2, 1])[0][0][0].logprob
        -0.5
    """
    listed = as_list(cells, "sample_logprobs")
    if len(listed) != len(n_samples):
        raise InputError(
            f"sample_logprobs must have {len(n_samples)} rows, one for each answer, got {len(listed)}"
        )
    return [
        _sample_tokens(cell, n, place)
        for place, (cell, n) in enumerate(zip(listed, n_samples, strict=True), first)
    ]


def _sample_tokens(cell: Any, n: int, place: int) -> list[tuple[TokenLogprob, ...] | None]:  # noqa: ANN401
    if is_missing(cell) or (isinstance(cell, str) and not cell.strip()):
        return [None] * n
    content = _parsed(cell) if isinstance(cell, str) else cell
    if isinstance(content, str | bytes) or not isinstance(content, Sequence) or len(content) != n:
        raise RowError(
            f"sample_logprobs must hold a list for each of {n} samples, got {str(cell)[:_SHOWN]!r} in "
            "{row}",
            place,
        )
    return [_tokens(_TokenCell(one, "sample_logprobs", place)) for one in content]


def _tokens(given: _TokenCell) -> tuple[TokenLogprob, ...] | None:
    cell = given.cell
    if is_missing(cell) or (isinstance(cell, str) and not cell.strip()):
        return None
    content = _parsed(cell) if isinstance(cell, str) else cell
    if isinstance(content, Mapping):  # OpenAI's {"content": [...]}
        content = content.get("content")
    if isinstance(content, str | bytes) or not isinstance(content, Sequence):
        raise _refused(given)
    return tuple(_token(one, given) for one in content) or None


def _parsed(text: str) -> object:
    try:
        return parse_json(text)
    except json.JSONDecodeError:
        return None


def _token(one: Any, cell: _TokenCell) -> TokenLogprob:  # noqa: ANN401 - any entry
    if isinstance(one, TokenLogprob):
        return one
    given = one if isinstance(one, Mapping) else {"logprob": one}
    top = tuple(
        (str(other.get("token", "")), _logprob(other.get("logprob"), cell))
        for other in given.get("top_logprobs") or ()
    )
    return TokenLogprob(str(given.get("token", "")), _logprob(given.get("logprob"), cell), top)


def _logprob(value: Any, cell: _TokenCell) -> float:  # noqa: ANN401 - any value
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value) or value > 0:
        raise _refused(cell)
    return max(float(value), -1e9)  # some endpoints write minus infinity


def _refused(given: _TokenCell) -> RowError:
    whose = "answer" if given.parameter == "logprobs" else "sample"
    return RowError(
        f"{given.parameter} must hold for each {whose} a list of log-probabilities of at most 0, or of "
        f'objects with "logprob", or be empty, got {str(given.cell)[:_SHOWN]!r} in {{row}}',
        given.place,
    )
