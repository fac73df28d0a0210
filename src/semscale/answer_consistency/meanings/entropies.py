"""Entropies of the meanings of m texts, each turned so that 1 is full agreement and 0 is none."""

import numpy as np
from scipy.special import logsumexp

from semscale.types import Floats, Integers

KERNEL_TIME = 0.3
"""How far heat spreads in ``kernel_agreement``."""
_ZERO = 1e-12


def cluster_entropy(counts: Integers) -> float:
    """Discrete semantic entropy: minus the sum of p log p over the shares p of the clusters, in nats.

    Args:
        counts: shape (k,), texts in each cluster, at least 1.

    References:
        Farquhar et al. (2024), doi 10.1038/s41586-024-07421-0, discrete semantic entropy.

    Example:
        >>> round(cluster_entropy(np.array([2, 2])), 3)  # log 2
        0.693
    """
    return share_entropy(counts / counts.sum())


def share_entropy(shares: Floats) -> float:
    """Give minus the sum of p log p over shares p that sum to 1, in nats; shares of 0 add nothing."""
    kept = shares[shares > 0]
    return float(-(kept * np.log(kept)).sum())


def semantic_negentropy(counts: Integers) -> float:
    """1 - semantic entropy / log m: 1 if all m texts mean the same, 0 if each means something else.

    Args:
        counts: shape (k,), texts in each cluster; m >= 2 in all.

    References:
        Bouchard and Chauhan (2025), arXiv 2504.19254.

    Example:
        >>> semantic_negentropy(np.array([2, 2]))  # log 2 / log 4 = 1/2
        0.5
    """
    return 1.0 - cluster_entropy(counts) / float(np.log(counts.sum()))


def sets_agreement(counts: Integers) -> float:
    """(m - k) / (m - 1) for k meanings of m texts: 1 for one meaning, 0 for m.

    Args:
        counts: shape (k,), texts in each cluster; m >= 2 in all.

    References:
        Number of semantic sets: Lin, Trivedi and Sun (2024), arXiv 2305.19187.

    Example:
        >>> sets_agreement(np.array([3, 1, 1]))  # (5 - 3) / 4
        0.5
    """
    return float((counts.sum() - len(counts)) / (counts.sum() - 1))


def neighbour_agreement(similarity: Floats) -> float:
    """Semantic nearest neighbour entropy (SNNE), turned round and scaled to 0 to 1.

    SNNE is minus the mean over texts i of log sum over texts j of exp(similarity of i and j), with a
    temperature of 1. It is least, -(1 + log m), where all similarities are 1, and greatest,
    -log(e + m - 1), where all but those of a text with itself are 0; the value is its place between.

    Args:
        similarity: shape (m, m), 0 to 1, 1 on the diagonal; m >= 2.

    References:
        Nguyen, Payani and Mirzasoleiman (2025), arXiv 2506.00245.

    Example:
        >>> neighbour_agreement(np.ones((3, 3))), round(neighbour_agreement(np.eye(3)), 9)
        (1.0, 0.0)
    """
    m = len(similarity)
    entropy = -float(np.mean(logsumexp(similarity, axis=1)))
    least, greatest = -(1 + np.log(m)), -np.log(np.e + m - 1)
    return float(np.clip((greatest - entropy) / (greatest - least), 0.0, 1.0))


def kernel_agreement(similarity: Floats, *, time: float = KERNEL_TIME) -> float:
    """Kernel language entropy (KLE), turned round and scaled to 0 to 1.

    The similarities are the weights of a graph with Laplacian L. Its heat kernel exp(-time * L), divided by
    the root of the diagonal on either side and by m, has eigenvalues that sum to 1; KLE is their entropy. It
    is log m for a graph without edges, and least where all weights are 1; the value is its place between.

    From the paper are the heat kernel of the unnormalised Laplacian, its division by the diagonal and by m,
    and the entropy. Ours are three things. The paper's weights are 0 to 2: for each direction of two texts 1
    if one entails the other, and .5 if it neither entails nor contradicts; here they are the similarities, so
    that cosines will do. The time of .3 is what McCabe et al. take for it; the authors' code has .4 where
    none is given. And the authors divide the entropy by log m, so that full agreement is not 0.

    Args:
        similarity: shape (m, m), 0 to 1, symmetric; m >= 2. The diagonal does not count.
        time: how far heat spreads, above 0.

    References:
        Nikitin et al. (2024), arXiv 2405.20003, and their code,
        github.com/AlexanderVNikitin/kernel-language-entropy. McCabe et al. (2025), arXiv 2509.14478, and
        theirs, github.com/lucasmccabe/esa.

    Example:
        >>> round(kernel_agreement(np.ones((3, 3))), 9), round(kernel_agreement(np.eye(3)), 9)
        (1.0, 0.0)
    """
    m = len(similarity)
    greatest = float(np.log(m))
    least = _von_neumann(np.ones((m, m)), time)
    return float(np.clip((greatest - _von_neumann(similarity, time)) / (greatest - least), 0.0, 1.0))


def alphabet_size(counts: Integers, similarity: Floats) -> float:
    """Estimate how many meanings the model would give if it were asked for ever.

    The larger of two estimates. By Good and Turing: the k meanings that were seen, divided by the share of
    all answers that they cover, 1 - (meanings seen once) / m. By the graph of similarities: the sum of 1 - e
    over eigenvalues e below 1 of its normalised Laplacian.

    That the larger one counts is from the paper by McCabe et al. Where every meaning was seen once they take
    the graph alone, which gives m at most: fewer than for texts of which two mean the same. So that more
    meanings never give a smaller size, m - 1 of them count here as seen once, as with Chao and Shen, so that
    1 / m is covered.

    Args:
        counts: shape (k,), texts in each cluster, m in all.
        similarity: shape (m, m), 0 to 1, symmetric, 1 on the diagonal.

    Returns:
        At least 1.

    References:
        McCabe et al. (2025), arXiv 2509.14478, and their code, github.com/lucasmccabe/esa. Spectral estimate:
        Lin, Trivedi and Sun (2024), arXiv 2305.19187. Chao and Shen (2003), doi 10.1023/A:1026096204727.

    Example:
        >>> alphabet_size(np.array([3]), np.ones((3, 3))), alphabet_size(np.array([1, 1]), np.eye(2))
        (1.0, 4.0)
    """
    m, once = int(counts.sum()), int((counts == 1).sum())
    covered = 1 - min(once, m - 1) / m
    degrees = similarity.sum(axis=1)
    laplacian = np.eye(m) - similarity / np.sqrt(np.outer(degrees, degrees))
    spectral = float(np.maximum(1 - np.linalg.eigvalsh(laplacian), 0.0).sum())
    return float(max(len(counts) / covered, round(spectral, 9), 1.0))


def _von_neumann(similarity: Floats, time: float) -> float:
    m = len(similarity)
    weights = similarity * (1 - np.eye(m))
    values, vectors = np.linalg.eigh(np.diag(weights.sum(axis=1)) - weights)
    kernel = (vectors * np.exp(-time * values)) @ vectors.T
    roots = np.sqrt(np.diag(kernel))
    shares = np.linalg.eigvalsh(kernel / np.outer(roots, roots) / m)
    return share_entropy(shares[shares > _ZERO])
