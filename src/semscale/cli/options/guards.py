"""Guards' modes, read from the command line."""

from collections.abc import Iterable

from semscale.errors import InputError
from semscale.guards.registry import GUARDS


def guard_modes(written: Iterable[str]) -> dict[str, str]:
    """Read ``GUARD=MODE`` pairs; ``all`` stands for every guard, and a later pair overrides an earlier one.

    Raises:
        InputError: a pair without ``=``.

    Example:
        >>> guard_modes(["all=off", "number=warn"])["number"]
        'warn'
    """
    modes: dict[str, str] = {}
    for pair in written:
        name, equals, mode = pair.partition("=")
        if not equals:
            raise InputError(f"--guard must be GUARD=MODE, such as number=off, got {pair!r}")
        modes |= dict.fromkeys(GUARDS if name == "all" else [name], mode)
    return modes
