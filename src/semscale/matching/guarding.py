"""Findings for items that are matched already: the guards look at the pair that each score is from."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from semscale.matching.findings import Finding
from semscale.matching.guards import Guards
from semscale.matching.matches import Matches
from semscale.types import Progress

_REPORTED = 500


@runtime_checkable
class Guarded(Protocol):
    """A method whose scores take findings into account."""

    @property
    def guards(self) -> Guards:
        """The guards that it asks."""
        ...


def with_findings(
    matches: Matches,
    predictions: Sequence[Any],
    references: Sequence[Sequence[Any]],
    guards: Guards,
    progress: Progress | None = None,
) -> Matches:
    """Let the guards look at every pair that was scored; the scores stay what they are.

    Args:
        matches: of n items.
        predictions: n cells, as they were matched.
        references: n lists of cells, likewise.
        guards: which guards look.
        progress: called as items are looked at.

    Returns:
        The matches with findings for every item, none where there is no score.
    """
    found: list[tuple[Finding, ...]] = []
    for item, place in enumerate(matches.reference.tolist()):
        pair = None if place < 0 else (predictions[item], references[item][place])
        found.append(() if pair is None else tuple(guards.check(*pair)))
        if progress and item % _REPORTED == 0:
            progress("looking for findings", item, len(matches))
    return replace(matches, findings=tuple(found))
