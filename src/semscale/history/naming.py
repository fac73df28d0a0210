"""Finding what somebody means by a short or mistyped name."""

import difflib
from collections.abc import Sequence

from semscale.errors import UnknownNameError
from semscale.history.runs import named

SHORTEST = 4
"""How many characters of an id name it, if no other begins alike."""

_NEAR = 3


def find_id(name: str, ids: Sequence[str], what: str) -> str:
    """Find the id that is a name, or begins with it.

    Args:
        name: the id, or at least its first 4 characters.
        ids: those there are.
        what: they name, such as ``run``.

    Returns:
        The id.

    Raises:
        UnknownNameError: none is meant, or more than one.

    Example:
        >>> find_id("5a1f", ["5a1f0c", "77aa21"], "run")
        '5a1f0c'
    """
    if name in ids:
        return name
    alike = [each for each in ids if each.startswith(name)]
    if len(alike) > 1 and len(name) >= SHORTEST:
        raise UnknownNameError(
            f"{what} {name!r} is ambiguous: {named(alike)} begin with it; give more characters"
        )
    if alike and len(name) < SHORTEST:
        raise UnknownNameError(
            f"{what} must be an id or at least its first {SHORTEST} characters, got {name!r}"
        )
    if not alike:
        raise UnknownNameError(f"unknown {what} {name[:60]!r}{near(name, ids)}")
    return alike[0]


def near(name: str, known: Sequence[str]) -> str:
    """Ask whether a name that is near was meant, as the end of a sentence; or say that there is none at all.

    Example:
        >>> near("fedback", ["feedback"]), near("x", [])
        (": did you mean 'feedback'?", ': the history has none')
    """
    if not known:
        return ": the history has none"
    # An id is long, so what is short is held against as many of its characters.
    starts = {each[: max(len(name), SHORTEST)]: each for each in reversed(known)}
    found = difflib.get_close_matches(name, list(starts), n=_NEAR, cutoff=0.5)
    return (
        f": did you mean {named(starts[each] for each in found)}?" if found else f" (known: {named(known)})"
    )
