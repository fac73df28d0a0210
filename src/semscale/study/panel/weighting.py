"""Weights of personas from a table, so that their attributes have stated shares."""

from collections.abc import Hashable, Mapping
from dataclasses import replace

import numpy as np

from semscale.errors import InputError
from semscale.messages import shortened
from semscale.stats.survey.raking import rake
from semscale.study.panel.margins import checked_shares
from semscale.study.panel.synthetic_panel import SyntheticPanel


def raked_panel(panel: SyntheticPanel, margins: Mapping[str, Mapping[str, float]]) -> SyntheticPanel:
    """Weigh personas by raking, so that the levels of some attributes have stated shares.

    Args:
        panel: the personas, all of which have these attributes.
        margins: by attribute, shares of its levels, which sum to 1 or 100.

    Returns:
        The same personas with weights whose mean is 1.

    Raises:
        InputError: an attribute that the panel lacks, a persona without it, a level without a share or
            without personas, or margins that cannot be met together.

    References:
        As ``semscale.stats.survey.raking.rake``.

    Example:
        >>> panel = SyntheticPanel(("a", "b", "c"), {"sex": ("f", "f", "m")}, "p.csv")
        >>> raked_panel(panel, {"sex": {"f": 0.5, "m": 0.5}}).weights
        (0.75, 0.75, 1.5)
    """
    panel.check([*margins])
    targets: dict[str, dict[Hashable, float]] = {}
    for name, levels in margins.items():
        shares = checked_shares(name, levels)
        _check_levels(panel, name, shares)
        targets[name] = dict(shares.items())
    columns = {name: np.array(panel.fields[name], dtype=object) for name in targets}
    found = rake(columns, targets, total=float(len(panel)), allow_unmet=True)
    if found.unmet:
        worst, n = found.unmet[0], len(panel)
        raise InputError(
            f"margin {worst.margin!r} cannot be met beside the other margins: {worst.category!r} is to have "
            f"{worst.target / n:.3g} of the panel and comes to {worst.reached / n:.3g}; {panel.source} has "
            "no personas for some combinations that the margins need"
        )
    return replace(panel, weights=tuple(found.weights.tolist()))


def _check_levels(panel: SyntheticPanel, name: str, levels: Mapping[str, float]) -> None:
    cells = panel.fields[name]
    row = next((row for row, cell in enumerate(cells, start=1) if not levels.get(str(cell))), None)
    if row is not None:
        raise InputError(
            f"margin {name!r} has no share for {shortened(cells[row - 1])}, which {panel.source} has in row "
            f"{row}: give it one above 0, or leave such personas out"
        )
    there = set(cells)
    lacking = next((level for level, share in levels.items() if share > 0 and level not in there), None)
    if lacking is not None:
        raise InputError(
            f"margin {name!r} cannot be met: {lacking!r} is to have {levels[lacking]:.3g} of the panel, and "
            f"no persona of {panel.source} has it"
        )
