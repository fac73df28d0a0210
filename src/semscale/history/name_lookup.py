"""Finding what somebody means by a short or mistyped name."""

from collections.abc import Mapping, Sequence

from semscale.errors import UnknownNameError
from semscale.history.runs import SHOWN_OF_ID, named
from semscale.messages import nearest_names

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
            f"{what} {name!r} is ambiguous: {named(_short(alike))} begin with it; give more characters"
        )
    if alike and len(name) < SHORTEST:
        raise UnknownNameError(
            f"{what} must be an id or at least its first {SHORTEST} characters, got {name!r}"
        )
    if not alike:
        raise UnknownNameError(f"unknown {what} {name[:60]!r}{near_id(name, ids)}")
    return alike[0]


def near_id(name: str, ids: Sequence[str]) -> str:
    """Ask whether an id that is near was meant, as ``near`` does, and show ids as short as tables do.

    Example:
        >>> near_id("zzzz", ["102e35c70a2d4f13", "77aa210990214c0a"])
        " (known: '102e35c7', '77aa2109')"
    """
    return near(name, ids, shown=dict(zip(ids, _short(ids), strict=True)))


def _short(ids: Sequence[str]) -> list[str]:
    """Cut ids to eight characters, or to as many as tell them apart."""
    longest = max(map(len, ids), default=0)
    cuts = ([each[:length] for each in ids] for length in range(SHOWN_OF_ID, longest))
    return next((cut for cut in cuts if len(set(cut)) == len(set(ids))), list(ids))


def near(name: str, known: Sequence[str], shown: Mapping[str, str] | None = None) -> str:
    """Ask whether a name that is near was meant, as the end of a sentence; or say that there is none at all.

    Args:
        name: as somebody wrote it.
        known: names that there are.
        shown: how each of them is written; as it is unless given.

    Example:
        >>> near("fedback", ["feedback"]), near("x", [])
        (": did you mean 'feedback'?", ': the history has none')
    """
    if not known:
        return ": the history has none"
    # An id is long, so what is short is held against as many of its characters.
    starts = {each[: max(len(name), SHORTEST)]: each for each in reversed(known)}
    found = nearest_names(name, starts, n=_NEAR)
    written = shown or dict(zip(known, known, strict=True))
    if found:
        return f": did you mean {named(written[starts[each]] for each in found)}?"
    return f" (known: {named(written[each] for each in known)})"
