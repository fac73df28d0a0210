"""Stated shares of a population: checks, and raking of a joint distribution to its margins."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from semscale.errors import InputError
from semscale.messages import shortened
from semscale.stats.survey.raking import rake
from semscale.types import Floats

_ROUNDING = 0.005
_PERCENT = 100.0


@dataclass(frozen=True)
class JointShares:
    """Shares of all combinations of some attributes' levels.

    Attributes:
        levels: for each of d attributes its levels, in the order of the axes.
        shares: shape (k1, ..., kd), at least 0, sum 1.
    """

    levels: Mapping[str, tuple[str, ...]]
    shares: Floats

    def margin(self, attribute: str) -> Floats:
        """Give the shares of one attribute's levels, shape (k,)."""
        axis = list(self.levels).index(attribute)
        others = tuple(place for place in range(self.shares.ndim) if place != axis)
        margin: Floats = self.shares.sum(axis=others)
        return margin


def checked_shares(name: str, levels: Mapping[str, float]) -> dict[str, float]:
    """Check the shares of an attribute's levels, and make them sum to exactly 1.

    Args:
        name: of the attribute, for messages.
        levels: shares, which sum to 1, or to 100 where they are percentages; rounding of .005 is let pass.

    Raises:
        InputError: no level, a share below 0, or another sum.

    Example:
        >>> checked_shares("age", {"young": 40, "old": 60})
        {'young': 0.4, 'old': 0.6}
    """
    if not levels:
        raise InputError(f"margin {name!r} has no levels: write each level with its share")
    wrong = next((level for level, share in levels.items() if not 0 <= share < float("inf")), None)
    if wrong is not None:
        raise InputError(f"margin {name!r}: the share of {wrong!r} must be >= 0, got {levels[wrong]:g}")
    total = float(np.sum(list(levels.values())))
    if not any(abs(total - whole) <= _ROUNDING * whole for whole in (1.0, _PERCENT)):
        raise InputError(f"the shares of margin {name!r} must sum to 1, or to 100, got {total:g}")
    return {level: share / total for level, share in levels.items()}


def joint_shares(rows: Sequence[Mapping[str, Any]]) -> JointShares:
    """Read a joint distribution from its rows.

    Args:
        rows: each with a level for every attribute, and ``share``; combinations that are not listed have 0.

    Raises:
        InputError: a row without an attribute of the others or with one more, a combination twice, or shares
            that do not sum to 1 or 100.

    Example:
        >>> rows = [{"sex": "f", "age": "old", "share": 60}, {"sex": "m", "age": "old", "share": 40}]
        >>> joint_shares(rows).margin("sex").tolist()
        [0.6, 0.4]
    """
    names = [name for name in rows[0] if name != "share"]
    if not names:
        raise InputError("a row of joint needs attributes beside its share, such as age: 18-34")
    levels: dict[str, dict[str, int]] = {name: {} for name in names}
    cells: dict[tuple[int, ...], float] = {}
    for number, row in enumerate(rows, start=1):
        if set(row) != {*names, "share"}:
            raise InputError(
                f"row {number} of joint must have {', '.join(names)} and share, "
                f"got {', '.join(map(str, row))}"
            )
        for name in names:
            if not isinstance(row[name], str):
                raise InputError(
                    f"{name} in row {number} of joint must be text, in quotes if it reads like a number or "
                    f"like yes and no, got {shortened(row[name])}"
                )
        place = tuple(levels[name].setdefault(row[name], len(levels[name])) for name in names)
        if place in cells:
            raise InputError(f"row {number} of joint repeats {', '.join(str(row[name]) for name in names)}")
        cells[place] = _number(row["share"], number)
    checked = checked_shares("joint", {str(place): share for place, share in cells.items()})
    shares = np.zeros([len(each) for each in levels.values()])
    for place, share in zip(cells, checked.values(), strict=True):
        shares[place] = share
    return JointShares({name: tuple(each) for name, each in levels.items()}, shares)


def raked(joint: JointShares, margins: Mapping[str, Mapping[str, float]]) -> JointShares:
    """Rake a joint distribution to stated margins, by iterative proportional fitting.

    Combinations with a share of 0 keep it.

    Args:
        joint: where to begin.
        margins: shares of levels by attribute; each attribute is one of the joint distribution's.

    Raises:
        InputError: margins that cannot be met; the message names the attribute and the level.

    References:
        Deming and Stephan (1940), Annals of Mathematical Statistics 11, 427-444,
        doi:10.1214/aoms/1177731829.

    Example:
        >>> rows = [{"sex": sex, "age": age, "share": 25} for sex in "fm" for age in ("young", "old")]
        >>> raked(joint_shares(rows), {"sex": {"f": 0.6, "m": 0.4}}).shares.round(6).tolist()
        [[0.3, 0.3], [0.2, 0.2]]
    """
    targets = {name: _target(joint, name, levels) for name, levels in margins.items()}
    if not targets:
        return joint
    cells = np.nonzero(joint.shares)
    columns = {
        name: np.array(levels, dtype=object)[place]
        for (name, levels), place in zip(joint.levels.items(), cells, strict=True)
        if name in targets
    }
    found = rake(columns, targets, weights=joint.shares[cells], total=1.0, allow_unmet=True)
    if found.unmet:
        worst = found.unmet[0]
        raise InputError(
            f"margin {worst.margin!r} cannot be met beside the other margins: {worst.category!r} is to have "
            f"{worst.target:.3g} of the panel and comes to {worst.reached:.3g}; joint has no people for some "
            "combinations that the margins need"
        )
    shares = np.zeros_like(joint.shares)
    shares[cells] = found.weights
    return JointShares(joint.levels, shares)


def _number(share: object, row: int) -> float:
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share < float("inf"):
        raise InputError(f"the share in row {row} of joint must be a number >= 0, got {shortened(share)}")
    return float(share)


def _target(joint: JointShares, name: str, levels: Mapping[str, float]) -> dict[Hashable, float]:
    known = joint.levels[name]
    for level, share in levels.items():
        place = known.index(level) if level in known else None
        has_none = place is None or joint.margin(name)[place] == 0
        if share > 0 and has_none:
            raise InputError(
                f"margin {name!r} cannot be met: {level!r} is to have {share:.3g} of the panel, and no row "
                "of joint with a share above 0 has it"
            )
    return {level: levels.get(level, 0.0) for level in known if joint.margin(name)[known.index(level)]}
