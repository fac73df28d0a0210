"""Categories of which a short answer names a member, such as colours: two members are two answers."""

import tomllib
from collections.abc import Collection
from functools import cache
from importlib import resources


def differing_members(words: Collection[str], others: Collection[str]) -> tuple[str, str] | None:
    """Find a category of which two texts name different members only.

    Args:
        words: of one text, in lower case.
        others: of the other.

    Returns:
        The first such word of each; ``None`` where every category is named by one text alone, or some member
        of it by both.

    Example:
        >>> differing_members(["my", "bright", "red"], ["navy"])
        ('red', 'navy')
        >>> differing_members(["red", "or", "blue"], ["blue"]), differing_members(["gray"], ["grey"])
        (None, None)
    """
    for category in _categories():
        ours, theirs = (_named(each, category) for each in (words, others))
        if ours and theirs and not set(ours.values()) & set(theirs.values()):
            return next(iter(ours)), next(iter(theirs))
    return None


def shares_member(words: Collection[str], others: Collection[str]) -> bool:
    """Tell whether two texts name one member of a category, by words that may differ.

    Args:
        words: of one text, in lower case.
        others: of the other.

    Example:
        >>> shares_member(["light", "gray"], ["grey"]), shares_member(["gray"], ["white"])
        (True, False)
    """
    return any(
        set(_named(words, category).values()) & set(_named(others, category).values())
        for category in _categories()
    )


def _named(words: Collection[str], category: dict[str, int]) -> dict[str, int]:
    return {word: category[word] for word in words if word in category}


@cache
def _categories() -> tuple[dict[str, int], ...]:
    """Give each category's words with the number of the member that they name."""
    listed = resources.files("semscale.answer_consistency.scoring").joinpath("answer_categories.toml")
    lists: dict[str, str] = tomllib.loads(listed.read_text(encoding="utf-8"))
    return tuple(
        {word: number for number, member in enumerate(members.split("|")) for word in member.split()}
        for members in lists.values()
    )
