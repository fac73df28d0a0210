"""The kinds of damage and harmless changes, and their application to a share of a run's items."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from semscale.damage import lists
from semscale.damage.negation import negated
from semscale.damage.numbers import renumbered
from semscale.damage.paraphrase import paraphrased
from semscale.errors import InputError, UnknownNameError
from semscale.history.items import Item, Output
from semscale.history.runs import Run, new_id, now
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
        changes: returns each item's new outputs, or ``None`` for an item that cannot be changed this way.
    """

    name: str
    meaning: str
    is_harmful: bool
    changes: Changes


def damaged(run: Run, kind: str, *, share: float = 1.0, seed: int = 0) -> tuple[Run, npt.NDArray[np.bool_]]:
    """Damage a share of a run's items.

    Items that cannot be changed this way, such as texts without a number for damage to numbers, stay
    unchanged. Of the others, a share is drawn, rounded half up; a greater share damages the same items and
    more. Numbers that came with outputs (credits) stay with their outputs.

    Args:
        run: the run; it is not changed.
        kind: one of ``DAMAGES``.
        share: share of the items that can be damaged, 0 to 1.
        seed: seed of all random choices; the same one gives the same outputs.

    Returns:
        A new run with another id and a note of the damage; and which items were damaged, shape (n,).

    Raises:
        UnknownNameError: no damage has this name.
        InputError: the share is outside 0 to 1, or the seed is invalid.

    Example:
        >>> run = Run("faq", "model-a", (Item("1", (Output("It is hot."),)), Item("2", (Output("Yes"),))))
        >>> worse, which = damaged(run, "negate")
        >>> worse.items[0].outputs[0].text, which.tolist()
        ('It is not hot.', [True, False])
    """
    if kind not in DAMAGES:
        raise UnknownNameError(f"kind must be one of {', '.join(DAMAGES)}, got {kind!r}")
    if not 0 <= share <= 1:
        raise InputError(f"share must lie between 0 and 1, got {share}")
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


DAMAGES: Mapping[str, Damage] = {
    damage.name: damage
    for damage in (
        Damage("shuffle", "The outputs in another order.", False, _each_item(lists.shuffled)),
        Damage(
            "drop",
            "One output left out; of a single output the last half of its sentences.",
            True,
            _each_item(lists.dropped),
        ),
        Damage(
            "shuffle-drop",
            "One output left out and the others in another order.",
            True,
            _each_item(lists.shuffled_and_dropped),
        ),
        Damage("swap", "The outputs of another item.", True, lists.swapped),
        Damage(
            "negate",
            "Each sentence says the opposite: a negation put in, or one taken out.",
            True,
            _each_text(lambda text, _: negated(text)),
        ),
        Damage(
            "numbers",
            "Every number replaced by a clearly different one.",
            True,
            _each_text(lambda text, _: renumbered(text)),
        ),
        Damage(
            "truncate",
            "Only the first third of each output's words.",
            True,
            _each_text(lambda text, _: lists.truncated(text)),
        ),
        Damage(
            "paraphrase",
            "Other words, spelling and punctuation for the same.",
            False,
            _each_text(paraphrased),
        ),
        Damage("silence", "No output at all.", True, _each_item(lists.silenced)),
    )
}
"""All kinds of damage by name."""
