"""Bisection for the smallest number that is enough."""

from collections.abc import Callable


def smallest_enough(enough: Callable[[int], bool], least: int, most: int) -> int | None:
    """Find the smallest number that is enough, given that any greater one is enough, too.

    Args:
        enough: says whether a number is enough.
        least: smallest number that is tried.
        most: greatest number that is tried.

    Returns:
        The number; ``None`` where ``most`` is not enough or lies below ``least``.

    Example:
        >>> smallest_enough(lambda n: n * n >= 50, 1, 100), smallest_enough(lambda n: n > 100, 1, 100)
        (8, None)
    """
    if most < least or not enough(most):
        return None
    low, high = least - 1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
