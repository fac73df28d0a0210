"""Damage to lists of outputs: reordered, one left out, swapped between items, truncated, or removed."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from semscale.history.items import Item, Output
from semscale.matching.entailment import sentences_of

Outputs = tuple[Output, ...]


def shuffled(item: Item, rng: np.random.Generator) -> Outputs | None:
    """Put the outputs into another order; ``None`` if all orders are the same."""
    if len({output.text for output in item.outputs}) < 2:  # noqa: PLR2004 - nothing to put in order
        return None
    while True:
        order = tuple(item.outputs[at] for at in rng.permutation(len(item.outputs)))
        if [output.text for output in order] != [output.text for output in item.outputs]:
            return order


def dropped(item: Item, rng: np.random.Generator) -> Outputs | None:
    """Leave one output out; for a single output, leave out the last half of its sentences.

    Returns:
        The remaining outputs; ``None`` for a single output of one sentence, as nothing would remain.
    """
    if len(item.outputs_with_text) == 1:
        return _rewritten_single(item)
    out = int(rng.choice([at for at, output in enumerate(item.outputs) if not output.is_silent]))
    return item.outputs[:out] + item.outputs[out + 1 :]


def shuffled_and_dropped(item: Item, rng: np.random.Generator) -> Outputs | None:
    """Leave one output out, and put the others, if there are any, into another order."""
    left = dropped(item, rng)
    if left is None:
        return None
    return shuffled(replace(item, outputs=left), rng) or left


def silenced(item: Item, rng: np.random.Generator) -> Outputs:  # noqa: ARG001 - as all damage is called
    """Leave all outputs out."""
    return ()


def swapped(items: Sequence[Item], rng: np.random.Generator) -> list[Outputs | None]:
    """Give every item the outputs of another one; ``None`` if these are the same, or there is no other item.

    Outputs move along one random cycle through all items that have a text (Sattolo's algorithm), so no item
    keeps its own.
    """
    speaking = [at for at, item in enumerate(items) if item.outputs_with_text]
    cycle = list(speaking)
    for at in range(len(cycle) - 1, 0, -1):
        other = int(rng.integers(at))
        cycle[at], cycle[other] = cycle[other], cycle[at]
    given: list[Outputs | None] = [None] * len(items)
    for at, source in zip(speaking, cycle, strict=True):
        if _texts(items[source]) != _texts(items[at]):
            given[at] = items[source].outputs
    return given


def truncated(text: str) -> str | None:
    """Keep the first third of a text's words, at least one; ``None`` for a text of one word.

    Example:
        >>> truncated("The plug is hot and it smells.")
        'The plug is'
    """
    words = list(re.finditer(r"\S+", text))
    kept = math.ceil(len(words) / 3)
    return text[: words[kept - 1].end()] if kept < len(words) else None


def _rewritten_single(item: Item) -> Outputs | None:
    text = item.outputs_with_text[0].text or ""
    pieces = sentences_of(text)
    if len(pieces) < 2:  # noqa: PLR2004 - no half to leave
        return None
    kept = "".join(pieces[: math.ceil(len(pieces) / 2)])
    return tuple(output if output.is_silent else replace(output, text=kept) for output in item.outputs)


def _texts(item: Item) -> list[str]:
    return sorted(output.text or "" for output in item.outputs_with_text)
