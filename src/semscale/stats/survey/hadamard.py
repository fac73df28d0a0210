"""Hadamard matrices: signs whose rows are orthogonal, for balanced halves of a sample."""

import numpy as np

from semscale.types import Floats


def hadamard_matrix(least: int) -> Floats:
    """Make the smallest Hadamard matrix of at least this order that the constructions here reach.

    They are Sylvester's doubling and Paley's two, with prime numbers; beyond 48 some orders are left out, and
    the next one is taken.

    Args:
        least: the order, at least 1.

    Returns:
        Shape (k, k) of 1 and -1, ``H H' = k I``; the first row is 1 throughout.

    References:
        Paley (1933), Journal of Mathematics and Physics 12, 311-320, doi 10.1002/sapm1933121311.

    Example:
        >>> hadamard_matrix(2).tolist()
        [[1.0, 1.0], [1.0, -1.0]]
    """
    order = least
    while (made := _of_order(order)) is None:
        order += 1
    # Columns with a sign of their own leave the rows orthogonal.
    return np.asarray(made * made[0])


def _of_order(order: int) -> Floats | None:
    """A Hadamard matrix of this order, or ``None`` where no construction gives one."""
    if order == 1:
        return np.ones((1, 1))
    if order % 2:
        return None
    half = _of_order(order // 2)
    if half is not None:
        return np.kron(np.array([[1.0, 1.0], [1.0, -1.0]]), half)
    if order % 4 == 0 and _is_prime(order - 1):
        return _skew(order - 1) + np.eye(order)
    if order % 4 == 0 and order // 2 % 4 == 2 and _is_prime(order // 2 - 1):  # noqa: PLR2004 - 1 mod 4
        core = _bordered(order // 2 - 1)
        first, second = np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([[1.0, -1.0], [-1.0, -1.0]])
        return np.kron(core, first) + np.kron(np.eye(len(core)), second)
    return None


def _skew(prime: int) -> Floats:
    """Paley's first matrix less the identity, for a prime that is 3 mod 4."""
    matrix = _bordered(prime)
    matrix[1:, 0] = -1
    return matrix


def _bordered(prime: int) -> Floats:
    """Quadratic residues of differences, with a row and a column of ones around."""
    squares = np.zeros(prime, dtype=bool)
    squares[np.arange(1, prime) ** 2 % prime] = True
    residue = np.where(squares, 1.0, -1.0)
    residue[0] = 0
    numbers = np.arange(prime)
    matrix = np.zeros((prime + 1, prime + 1))
    matrix[0, 1:] = matrix[1:, 0] = 1
    matrix[1:, 1:] = residue[(numbers[:, None] - numbers) % prime]
    return matrix


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))
