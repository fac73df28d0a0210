"""A banner: the groups of respondents that stand beside each other at the head of a table."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.store.columns import groups_in
from semscale.tabulation.asked.wave_order import order_waves
from semscale.types import Integers

_MOST_GROUPS = 50
_NUMBER = re.compile(r"(?<!\w)-?\d+(?:\.\d+)?")  # not the 3 of mp3


@dataclass(frozen=True, eq=False)
class Banner:
    """Groups of respondents, in the order of a table's columns.

    Attributes:
        name: of the column.
        text: its description; the name where there is none.
        groups: names of the groups.
        codes: shape (n,), number of each respondent's group, -1 for none.
        is_wave: whether the groups are waves, in the order of time.
        order_from: what the order of waves was taken from, in a few words.
        answered_by: model whose answers these are; empty where people, one model or all models answered.
    """

    name: str
    text: str
    groups: tuple[str, ...]
    codes: Integers
    is_wave: bool = False
    order_from: str = ""
    answered_by: str = ""

    @property
    def title(self) -> str:
        """Its description, with the model that answered where there are several.

        Example:
            >>> Banner("age", "Age", (), np.array([-1]), answered_by="gpt-4o").title
            'Age (gpt-4o)'
        """
        return f"{self.text} ({self.answered_by})" if self.answered_by else self.text


def no_banner(n: int) -> Banner:
    """Make a banner without groups, so that a table has its total alone.

    Args:
        n: respondents.

    Example:
        >>> no_banner(2).groups
        ()
    """
    return Banner("", "", (), np.full(n, -1))


def read_banner(
    cells: pl.Series,
    *,
    text: str = "",
    labels: Mapping[str, str] | None = None,
    is_wave: bool = False,
    wave_order: Sequence[str] = (),
) -> Banner:
    """Read groups from a column; labelled values are called by their labels, and stand in their order.

    Args:
        cells: n values; missing and blank ones are in no group.
        text: description of the column.
        labels: words for values, by the value as a name.
        is_wave: whether the groups are waves, which ``order_waves`` puts in order.
        wave_order: all waves from the first to the last, where somebody says so.

    Raises:
        InputError: no group at all, more than 50, or an order that lacks a wave.
        UnknownNameError: an order with a wave that no row has.

    Example:
        >>> banner = read_banner(pl.Series("age", ["18 to 34", "under 18", None]))
        >>> banner.groups, banner.codes.tolist()
        (('under 18', '18 to 34'), [1, 0, -1])
    """
    role = "wave" if is_wave else "banner"
    names = groups_in(cells)
    names = names.set(names.str.strip_chars() == "", None)
    words = labels or {}
    known = names.drop_nulls().unique(maintain_order=True).to_list()
    if not known:
        raise InputError(f"{role}: column '{cells.name}' has no group: all its cells are empty")
    if len(known) > _MOST_GROUPS:
        raise InputError(
            f"{role}: column '{cells.name}' has {len(known):,} groups, and a table has at most "
            f"{_MOST_GROUPS}: make bands of numbers (--band) or groups of values (--group), and name the "
            "new column"
        )
    order_from = ""
    if is_wave:
        order = order_waves(known, words, wave_order)
        known, order_from = list(order.names), order.reason
    else:
        known = in_order(known, words)
    codes = names.replace_strict(known, list(range(len(known))), default=-1, return_dtype=pl.Int64)
    groups = tuple(words.get(name, name) for name in known)
    return Banner(cells.name, text or cells.name, groups, codes.fill_null(-1).to_numpy(), is_wave, order_from)


def in_order(names: Iterable[str], labels: Mapping[str, str]) -> list[str]:
    """Sort names: those with labels in the order of the labels, then by the first number, then by letters.

    Example:
        >>> in_order(["35 and over", "no", "under 18", "18 to 34"], {})
        ['under 18', '18 to 34', '35 and over', 'no']
    """
    places = {name: place for place, name in enumerate(labels)}
    return sorted(names, key=lambda name: (places.get(name, len(places)), _first_number(name), name))


def _first_number(name: str) -> float:
    found = _NUMBER.search(name)
    if found is None:
        return float(np.inf)
    # "under 18" stands before "18 to 34".
    return float(found.group()) - (0.5 if name.casefold().startswith(("under", "below", "<")) else 0.0)
