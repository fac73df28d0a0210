"""Lookup of ids by their first characters, and suggestions for mistyped names."""

from collections.abc import Mapping, Sequence

from semscale.errors import UnknownNameError
from semscale.history.runs import SHOWN_OF_ID, named
from semscale.messages import nearest_names

SHORTEST = 4
"""The fewest characters of an id that can name it."""

_NEAR = 3


def find_id(name: str, ids: Sequence[str], what: str) -> str:
    """Find the id that equals a name or begins with it.

    Args:
        name: the id, or at least its first 4 characters.
        ids: all ids.
        what: what the ids name, such as ``run``, for messages.

    Returns:
        The id.

    Raises:
        UnknownNameError: the name fits no id or several.

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
    """Suggest similar ids like ``near``, with ids shortened as in tables.

    Example:
        >>> near_id("zzzz", ["102e35c70a2d4f13", "77aa210990214c0a"])
        " (known: '102e35c7', '77aa2109')"
    """
    return near(name, ids, shown=dict(zip(ids, _short(ids), strict=True)))


def _short(ids: Sequence[str]) -> list[str]:
    """Shorten ids to eight characters, or to as many as are needed to tell them apart."""
    longest = max(map(len, ids), default=0)
    cuts = ([each[:length] for each in ids] for length in range(SHOWN_OF_ID, longest))
    return next((cut for cut in cuts if len(set(cut)) == len(set(ids))), list(ids))


def near(name: str, known: Sequence[str], shown: Mapping[str, str] | None = None) -> str:
    """Return the end of a message that suggests a similar name, or says that the history has none.

    Args:
        name: the name that the user wrote.
        known: all names.
        shown: the form in which to show each name; by default unchanged.

    Example:
        >>> near("fedback", ["feedback"]), near("x", [])
        (": did you mean 'feedback'?", ': the history has none')
    """
    if not known:
        return ": the history has none"
    # Ids are long, so a short name is compared with as many of their first characters.
    starts = {each[: max(len(name), SHORTEST)]: each for each in reversed(known)}
    found = nearest_names(name, starts, n=_NEAR)
    written = shown or dict(zip(known, known, strict=True))
    if found:
        return f": did you mean {named(written[starts[each]] for each in found)}?"
    return f" (known: {named(written[each] for each in known)})"
