"""Runs that repeat another run, as a file that is recorded twice or replies from a cache do.

Such a run is no new answer of the model. As a rerun it would make the noise of the model appear smaller than
it is, so that an unchanged candidate could fail.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from semscale.drift.exchange_test import exchange_test
from semscale.history.items import Item
from semscale.history.runs import Run, short_id
from semscale.types import Mask

_SAME_WORDS = 0.9  # least share of words in common of nearly equal outputs
_NEARLY_ALL = 0.9  # least share of items with nearly equal outputs in a copy
_LEAST_SHARE = 0.5  # the same if other runs differ more
_ALPHA = 0.01
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class CopiedRun:
    """A run that repeats an earlier run.

    Attributes:
        run: id of the run.
        original: id of the run that it repeats.
        role: role of the original: baseline, rerun or candidate.
        n_equal: number of items with nearly equal outputs.
        n: number of items with a text in either run.
        stands_out: true if other runs differ more; false if the model may always give the same answer.
    """

    run: str
    original: str
    role: Literal["baseline", "rerun", "candidate"]
    n_equal: int
    n: int
    stands_out: bool = True

    @property
    def sentence(self) -> str:
        """The finding in a sentence without a full stop."""
        original = f"rerun {short_id(self.original)}" if self.role == "rerun" else f"the {self.role}"
        start = f"rerun {short_id(self.run)} repeats {original} in {self.n_equal} of {self.n} items"
        more = ", far more than other runs do" if self.stands_out else ""
        return f"{start}{more}: recorded twice or from a cache, so it is left out of the noise"


def nearly_equal(left: Item, right: Item) -> bool:
    """Return true if two items have the same outputs but for at most a tenth of the words.

    Case, punctuation and the order of outputs and words do not matter. An item without words equals only
    another item without words.

    Examples:
        >>> from semscale.history.items import Output
        >>> first, second, third = (
        ...     Item("1", (Output(text),)) for text in ("It is right.", "it is  RIGHT", "It is wrong.")
        ... )
        >>> nearly_equal(first, second), nearly_equal(first, third)
        (True, False)
    """
    if left.outputs == right.outputs:
        return True
    words = [
        Counter(_WORD.findall(" ".join(output.text or "" for output in item.outputs).casefold()))
        for item in (left, right)
    ]
    total = words[0].total() + words[1].total()
    return bool(2 * (words[0] & words[1]).total() >= _SAME_WORDS * total)


def without_copies(
    baseline: Run, reruns: Sequence[Run], *, deterministic: bool = False
) -> tuple[list[Run], list[CopiedRun]]:
    """Separate reruns that repeat the baseline or an earlier rerun from the others.

    A run repeats another one if their outputs are nearly equal in at least 90 % of the items. Half of the
    items are enough if chance explains this in less than 1 % of cases: if all runs are new answers of one
    model, each pair of runs is equally likely to be the equal pair of an item (``exchange_test``, corrected
    for the number of pairs). The runs of a model that always gives the same answer are all equal, so none of
    them stands out.

    Args:
        baseline: a run.
        reruns: runs of the same items in the same order, oldest first.
        deterministic: true if the model always gives the same answer. Then only runs are copies that are
            equal in far more items than other runs.

    Returns:
        The reruns that show the noise, and the copies.

    Examples:
        >>> from semscale.history.items import Output
        >>> def run(name, *words):
        ...     items = (Item(str(n), (Output(f"{word} {n}"),)) for n, word in enumerate(words * 4))
        ...     return Run("exam", "model", tuple(items), id=name)
        >>> runs = run("b", "good", "fine", "right"), run("r1", "great", "nice", "true")
        >>> kept, copies = without_copies(runs[0], [runs[1], run("r2", "great", "nice", "true")])
        >>> [rerun.id for rerun in kept], [(copy.run, copy.original, copy.n_equal) for copy in copies]
        (['r1'], [('r2', 'r1', 12)])
        >>> same = [run(name, "good", "fine", "right") for name in ("r1", "r2")]
        >>> [rerun.id for rerun in without_copies(runs[0], same)[0]]
        []
        >>> [rerun.id for rerun in without_copies(runs[0], same, deterministic=True)[0]]
        ['r1', 'r2']
    """
    runs = (baseline, *reruns)
    equal = _equal_pairs(runs)
    distinct, copies = [0], []
    for number in range(1, len(runs)):
        pairs = (_copy(runs, equal, (earlier, number), deterministic=deterministic) for earlier in distinct)
        copy = next((copy for copy in pairs if copy is not None), None)
        if copy is None:
            distinct.append(number)
        else:
            copies.append(copy)
    return [runs[number] for number in distinct[1:]], copies


def repeats_of_candidate(candidate: Run, baseline: Run, reruns: Sequence[Run]) -> list[CopiedRun]:
    """Return the runs that repeat a candidate, though baseline and reruns do not repeat each other.

    Args:
        candidate: a run of the same items as the baseline, in the same order.
        baseline: the baseline.
        reruns: its reruns, without copies.
    """
    runs = (baseline, *reruns)
    among = list(_equal_pairs(runs).values())
    copies = []
    for run in runs if reruns else ():
        flags, n = _equal_items(run, candidate), _n_answered(run, candidate)
        if _stands_out(flags, among, n):
            copies.append(CopiedRun(run.id, candidate.id, "candidate", int(flags.sum()), n))
    return copies


def _equal_items(left: Run, right: Run) -> Mask:
    """Return the items with a text in which two runs are nearly equal, shape (n,)."""
    both = zip(left.items, right.items, strict=True)
    return np.array(
        [
            bool(first.outputs_with_text or second.outputs_with_text) and nearly_equal(first, second)
            for first, second in both
        ]
    )


def _n_answered(left: Run, right: Run) -> int:
    """Return the number of items with a text in either run."""
    both = zip(left.items, right.items, strict=True)
    return sum(bool(first.outputs_with_text or second.outputs_with_text) for first, second in both)


def _equal_pairs(runs: Sequence[Run]) -> dict[tuple[int, int], Mask]:
    pairs = combinations(range(len(runs)), 2)
    return {(first, second): _equal_items(runs[first], runs[second]) for first, second in pairs}


def _copy(
    runs: Sequence[Run],
    equal: dict[tuple[int, int], Mask],
    pair: tuple[int, int],
    *,
    deterministic: bool,
) -> CopiedRun | None:
    original, run = (runs[number] for number in pair)
    flags, n = equal[pair], _n_answered(original, run)
    others = [of_pair for other, of_pair in equal.items() if other != pair]
    stands_out = _stands_out(flags, others, n)
    if not stands_out and (deterministic or not n or flags.sum() < _NEARLY_ALL * n):
        return None
    role: Literal["baseline", "rerun"] = "rerun" if pair[0] else "baseline"
    return CopiedRun(run.id, original.id, role, int(flags.sum()), n, stands_out)


def _stands_out(flags: Mask, others: Sequence[Mask], n: int) -> bool:
    """Return true if a pair of runs is nearly equal in far more items than other pairs."""
    if not n or flags.sum() < _LEAST_SHARE * n:
        return False
    pairs = np.column_stack([flags, *others]).astype(float)
    return bool(exchange_test(pairs) < _ALPHA / pairs.shape[1])
