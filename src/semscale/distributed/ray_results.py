"""Results of Ray's tasks: an error of Semscale arrives as it is, and others are said in one line."""

import re
from typing import Any

from semscale.errors import SemscaleError

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LONGEST = 200


def result_of(reference: Any) -> Any:  # noqa: ANN401 - what a task returns
    """Wait for a task, and give what it returned.

    Raises:
        SemscaleError: the task raised it.
    """
    import ray

    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, SemscaleError):
            raise error.cause from None
        raise


def said(error: BaseException) -> str:
    r"""Say in one line, without the colours of a screen, what Ray says over many.

    Example:
        >>> said(ValueError("\x1b[36mray::report()\x1b[39m\n  no such file"))
        'ray::report() no such file'
    """
    words = " ".join(_COLOUR.sub("", str(error)).split()) or type(error).__name__
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}..."
