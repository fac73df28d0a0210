"""The two readouts of anchors, and which one applies."""

from typing import TYPE_CHECKING, Literal, get_args

from semscale.errors import InputError

if TYPE_CHECKING:
    from semscale.rating.readouts.array_checks import Semantics

Readout = Literal["ssr", "ordinal"]
"""How cosines with anchors become a rating: by the module ``ssr`` or ``ordinal``, beside this one."""

DEFAULT_READOUT: Readout = "ssr"


def chosen_readout(readout: Readout | None, semantics: "Semantics") -> Readout:
    """Return the readout that was named, or the default one; ``paper`` and ``guide`` belong to SSR.

    Raises:
        InputError: an unknown readout, or one to which the semantics does not belong.

    Example:
        >>> chosen_readout(None, "paper")
        'ssr'
    """
    if readout is not None and (not isinstance(readout, str) or readout not in get_args(Readout)):
        raise InputError(f"readout must be 'ssr' or 'ordinal', got {readout!r}")
    if semantics == "safe":
        return DEFAULT_READOUT if readout is None else readout
    if readout == "ordinal":
        raise InputError(
            f"semantics={semantics!r} belongs to readout='ssr', got readout='ordinal': leave out one of them",
            in_shell=f"--semantics {semantics} belongs to --readout ssr, got --readout ordinal: leave out "
            "one of them",
        )
    return "ssr"
