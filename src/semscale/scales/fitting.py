"""Finding the scale of the library whose labels a question's answers are."""

from collections.abc import Iterable
from functools import cache

from semscale.scales.library import load_scale, scale_names

_FEWEST = 3  # two answers, such as agree and disagree, are a choice rather than a scale


def fitting_scale(answers: Iterable[str]) -> str | None:
    """Name the scale of the library whose labels all answers are, with the fewest labels left over.

    Case and white space do not count, and "neutral" is a label such as "neither agree nor disagree".

    Args:
        answers: different answers, in words.

    Returns:
        The name of a scale; ``None`` for fewer than three answers, or if one is no label.

    Example:
        >>> fitting_scale(["Agree", "disagree", "Neutral"]), fitting_scale(["Tea", "Coffee", "Water"])
        ('agreement', None)
    """
    said = {_folded(one) for one in answers}
    if len(said) < _FEWEST:
        return None
    fitting = [(len(labels - said), name) for name, labels in _labels() if said <= labels]
    return min(fitting)[1] if fitting else None


def scale_caution(question: str, answers: Iterable[str]) -> tuple[str, ...]:
    """Say that answers without an order are labels of a scale, and how to name it; nothing if none fits.

    Args:
        question: its name.
        answers: different answers, in words.
    """
    scale = fitting_scale(answers)
    if scale is None:
        return ()
    return (
        f"‘{question}’ is taken for a choice without an order, but its answers are labels of the scale "
        f'{scale}; study tables --scale "{question}={scale}" gives their mean and top 2',
    )


@cache
def _labels() -> tuple[tuple[str, frozenset[str]], ...]:
    """The labels of each scale of the library."""
    return tuple((name, _with_neutral(load_scale(name).labels)) for name in scale_names())


def _with_neutral(labels: Iterable[str]) -> frozenset[str]:
    folded = {_folded(one) for one in labels}
    is_neutral = sum(one.startswith("neither ") for one in folded) == 1
    return frozenset(folded | {"neutral"} if is_neutral else folded)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
