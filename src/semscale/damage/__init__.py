"""Known changes to runs, harmful and harmless, for tests of a gate."""

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from semscale.damage.rewriting import change_numbers, negate, paraphrase, truncate
from semscale.errors import InputError, UnknownNameError
from semscale.history.items import Item, Output
from semscale.history.runs import Run, new_id, now
from semscale.matching.entailment import sentences_of
from semscale.stats.intervals import check_seed

Outputs = tuple[Output, ...]
Changes = Callable[[Sequence[Item], np.random.Generator], list[Outputs | None]]


@dataclass(frozen=True)
class Damage:
    """One kind of change.

    Attributes:
        name: its name in settings and tables.
        meaning: one sentence that describes the change.
        is_harmful: whether a gate should fail; shuffling and paraphrasing keep the meaning.
        changes: function that returns each item's new outputs, or ``None`` for an item that cannot be
            changed.
    """

    name: str
    meaning: str
    is_harmful: bool
    changes: Changes


def damage_run(
    run: Run, kind: str, *, share: float = 1.0, seed: int = 0
) -> tuple[Run, npt.NDArray[np.bool_]]:
    """Damage a share of a run's items.

    Some items cannot be changed, such as texts without a number by damage to numbers; they stay as they are.
    A share of the others is drawn, rounded half up. A greater share includes the items of a smaller one.
    Numbers that came with outputs (credits) stay with their outputs.

    Args:
        run: the run; it is not changed.
        kind: one of ``DAMAGES``.
        share: share of the items that can be damaged, 0 to 1.
        seed: seed of all random choices; equal seeds give equal outputs.

    Returns:
        A new run with another id and a note of the damage, and the mask of damaged items, shape (n,).

    Raises:
        UnknownNameError: no damage has this name.
        InputError: the share is outside 0 to 1, or the seed is invalid.

    Examples:
        >>> run = Run("faq", "model-a", (Item("1", (Output("It is hot."),)), Item("2", (Output("Yes"),))))
        >>> worse, which = damage_run(run, "negate")
        >>> worse.items[0].outputs[0].text, which.tolist()
        ('It is not hot.', [True, False])
    """
    if kind not in DAMAGES:
        raise UnknownNameError("kind", f"must be one of {', '.join(DAMAGES)}, got {kind!r}")
    if not 0 <= share <= 1:
        raise InputError("share", f"must lie between 0 and 1, got {share}")
    check_seed(seed)
    rngs = [np.random.default_rng([seed, zlib.crc32(f"{kind} {part}".encode())]) for part in ("how", "which")]
    changed = _item_changes(DAMAGES[kind], run.items, rngs[0])
    can_be = np.flatnonzero([outputs is not None for outputs in changed])
    drawn = rngs[1].permutation(can_be)[: int(share * len(can_be) + 0.5)]
    which = np.zeros(len(run.items), dtype=np.bool_)
    which[drawn] = True
    items = tuple(
        replace(item, outputs=outputs) if hit and outputs is not None else item
        for item, outputs, hit in zip(run.items, changed, which, strict=True)
    )
    note = f"damaged on purpose: {kind}, {int(which.sum())} of {len(items)} items, seed {seed}, from {run.id}"
    return replace(run, items=items, id=new_id(), recorded=now(), rerun_of=None, note=note), which


def _item_changes(damage: Damage, items: Sequence[Item], rng: np.random.Generator) -> list[Outputs | None]:
    """Apply a damage to all items; items without text stay unchanged."""
    changed = damage.changes(items, rng)
    return [outputs if item.outputs_with_text else None for item, outputs in zip(items, changed, strict=True)]


def _each_item(change: Callable[[Item, np.random.Generator], Outputs | None]) -> Changes:
    return lambda items, rng: [change(item, rng) if item.outputs_with_text else None for item in items]


def _each_text(change: Callable[[str, np.random.Generator], str | None]) -> Changes:
    """Change every text that can be changed; an item counts as changed if one of its texts is."""

    def outputs(item: Item, rng: np.random.Generator) -> Outputs | None:
        texts = [None if output.is_silent else change(output.text or "", rng) for output in item.outputs]
        if all(text is None for text in texts):
            return None
        pairs = zip(item.outputs, texts, strict=True)
        return tuple(output if text is None else replace(output, text=text) for output, text in pairs)

    return _each_item(outputs)


def shuffle_outputs(item: Item, rng: np.random.Generator) -> Outputs | None:
    """Put the outputs into another order; ``None`` if every order gives the same list."""
    if len({output.text for output in item.outputs}) < 2:
        return None
    while True:
        order = tuple(item.outputs[at] for at in rng.permutation(len(item.outputs)))
        if [output.text for output in order] != [output.text for output in item.outputs]:
            return order


def drop_output(item: Item, rng: np.random.Generator) -> Outputs | None:
    """Leave one output out; for a single output, leave out the last half of its sentences.

    Returns:
        The remaining outputs; ``None`` for a single output of one sentence, as nothing would remain.
    """
    if len(item.outputs_with_text) == 1:
        return _rewritten_single(item)
    out = int(rng.choice([at for at, output in enumerate(item.outputs) if not output.is_silent]))
    return item.outputs[:out] + item.outputs[out + 1 :]


def shuffle_and_drop(item: Item, rng: np.random.Generator) -> Outputs | None:
    """Leave one output out and shuffle the others, if there are any."""
    left = drop_output(item, rng)
    if left is None:
        return None
    return shuffle_outputs(replace(item, outputs=left), rng) or left


def silence(item: Item, rng: np.random.Generator) -> Outputs:
    """Remove all outputs."""
    return ()


def swap_outputs(items: Sequence[Item], rng: np.random.Generator) -> list[Outputs | None]:
    """Give every item the outputs of another item; ``None`` if they are equal, or if there is no other item.

    Outputs move along one random cycle through all items that have a text (Sattolo's algorithm), so no item
    keeps its own outputs.
    """
    speaking = [at for at, item in enumerate(items) if item.outputs_with_text]
    cycle = list(speaking)
    for at in range(len(cycle) - 1, 0, -1):
        other = int(rng.integers(at))
        cycle[at], cycle[other] = cycle[other], cycle[at]
    exchanged: list[Outputs | None] = [None] * len(items)
    for at, source in zip(speaking, cycle, strict=True):
        if _texts(items[source]) != _texts(items[at]):
            exchanged[at] = items[source].outputs
    return exchanged


def _rewritten_single(item: Item) -> Outputs | None:
    text = item.outputs_with_text[0].text or ""
    pieces = sentences_of(text)
    if len(pieces) < 2:
        return None
    first = "".join(pieces[: math.ceil(len(pieces) / 2)])
    return tuple(output if output.is_silent else replace(output, text=first) for output in item.outputs)


def _texts(item: Item) -> list[str]:
    return sorted(output.text or "" for output in item.outputs_with_text)


DAMAGES: Mapping[str, Damage] = {
    damage.name: damage
    for damage in (
        Damage("shuffle", "The outputs in another order.", False, _each_item(shuffle_outputs)),
        Damage(
            "drop",
            "One output left out; of a single output the last half of its sentences.",
            True,
            _each_item(drop_output),
        ),
        Damage(
            "shuffle-drop",
            "One output left out and the others in another order.",
            True,
            _each_item(shuffle_and_drop),
        ),
        Damage("swap", "The outputs of another item.", True, swap_outputs),
        Damage(
            "negate",
            "Each sentence says the opposite: a negation put in, or one taken out.",
            True,
            _each_text(lambda text, _: negate(text)),
        ),
        Damage(
            "numbers",
            "Every number replaced by a clearly different one.",
            True,
            _each_text(lambda text, _: change_numbers(text)),
        ),
        Damage(
            "truncate",
            "Only the first third of each output's words.",
            True,
            _each_text(lambda text, _: truncate(text)),
        ),
        Damage(
            "paraphrase",
            "Other words, spelling and punctuation for the same.",
            False,
            _each_text(paraphrase),
        ),
        Damage("silence", "No output at all.", True, _each_item(silence)),
    )
}
"""All kinds of damage by name."""
