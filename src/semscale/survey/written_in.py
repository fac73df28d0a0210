"""Texts that people wrote beside the options of a question, exported in the same column as the options."""

from collections.abc import Collection, Mapping

from semscale.store.missing_codes import code_key
from semscale.survey.number_codes import parse_number

WRITTEN = "other (written in)"
"""Name of the answers that are counted together, as few respondents wrote each of them."""

MAX_ANSWERS = 50
"""Greatest number of answers that get a line in a table, or are listed without a label in a description."""

_FEW, _SHARE = 5, 0.01


def written_in(counts: Mapping[str, int], options: Collection[str] = ()) -> frozenset[str]:
    """Return the texts that people wrote beside the options, if there are too many for a line each.

    These are texts of a single respondent, and of fewer than five who are less than 1 % of all. Numbers are
    codes of options.

    Args:
        counts: number of cells with each answer.
        options: options that are known, normalised by ``code_key``.

    Examples:
        >>> counts = {"Tea": 60, "Coffee": 40} | {f"herbs {n}": 1 for n in range(60)}
        >>> len(written_in(counts)), len(written_in({"Tea": 60, "herbs": 1}))
        (60, 0)
    """
    if len(counts) <= MAX_ANSWERS:
        return frozenset()
    fewest = min(_FEW, _SHARE * sum(counts.values()))
    return frozenset(
        answer
        for answer, n in counts.items()
        if (n == 1 or n < fewest) and code_key(answer) not in options and parse_number(answer) is None
    )
