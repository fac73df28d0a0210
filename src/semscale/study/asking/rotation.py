"""Orders of concepts and questions: balanced Latin squares, random orders, or one order for all."""

from typing import Literal

import numpy as np

Rotation = Literal["latin-square", "random", "none"]
Order = tuple[int, ...]
"""The number of what stands at each place, from 0."""


def balanced_square(k: int) -> tuple[Order, ...]:
    """List orders of k things: each stands at each place equally often, and follows each other equally often.

    Args:
        k: how many things, at least 1.

    Returns:
        k orders for an even k, 2 k for an odd one above 1.

    References:
        Williams (1949), Australian Journal of Scientific Research A 2, 149-168, doi:10.1071/CH9490149.

    Example:
        >>> balanced_square(4)
        ((0, 3, 1, 2), (1, 0, 2, 3), (2, 1, 3, 0), (3, 2, 0, 1))
    """
    if k == 1:
        return ((0,),)
    first = [place // 2 if place % 2 == 0 else k - (place + 1) // 2 for place in range(k)]
    rows = [tuple((start + place) % k for place in first) for start in range(k)]
    if k % 2:
        rows += [row[::-1] for row in rows]
    return tuple(rows)


def orders(k: int, n: int, rotation: Rotation, rng: np.random.Generator) -> list[Order]:
    """Give each of n interviews an order of k things.

    With ``latin-square`` every full block of interviews has all orders of the square, in random order.

    Args:
        k: how many things.
        n: how many interviews.
        rotation: how orders are chosen.
        rng: decides what is random.
    """
    if rotation == "none":
        return [tuple(range(k))] * n
    if rotation == "random":
        return [tuple(rng.permutation(k).tolist()) for _ in range(n)]
    square = balanced_square(k)
    drawn: list[Order] = []
    while len(drawn) < n:
        drawn += [square[row] for row in rng.permutation(len(square))]
    return drawn[:n]
