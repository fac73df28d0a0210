"""Guards' modes, read from the command line."""

from collections.abc import Iterable

from semscale.errors import InputError
from semscale.guards.registry import GUARDS


def guard_modes(written: Iterable[str]) -> dict[str, str]:
    """Read ``GUARD=MODE`` pairs; ``all`` stands for every guard that has no pair of its own.

    Raises:
        InputError: a pair without ``=``, or a guard that is given twice.

    Example:
        >>> guard_modes(["all=off", "number=warn"])["number"]
        'warn'
    """
    named: dict[str, str] = {}
    for pair in written:
        name, equals, mode = pair.partition("=")
        if not equals:
            raise InputError(f"--guard must be GUARD=MODE, such as number=off, got {pair!r}")
        if name in named:
            raise InputError(f"--guard {name} is given twice; it takes one mode")
        named[name] = mode
    modes = dict.fromkeys(GUARDS, named.pop("all")) if "all" in named else {}
    return modes | named
