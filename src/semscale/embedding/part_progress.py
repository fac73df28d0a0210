"""Progress of a part of the texts, told as progress of all of them."""

from semscale.types import Progress


def shifted(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Tell the progress of a part as that of all.

    Args:
        progress: called with the progress of all; ``None`` for nobody to tell.
        before: how many were done before the part began.
        total: how many all are.

    Example:
        >>> shifted(print, 8, 10)("embedding", 1, 2)
        embedding 9 10
    """
    if progress is None:
        return None
    return lambda stage, done, _: progress(stage, before + done, total)
