"""Lists of options in one cell, such as "Tea, Coffee": their separator, and the options."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import lgamma, log

from semscale.store.missing_codes import code_key
from semscale.survey.label_words import likely_languages, normalise_label, split_words

_SEPARATORS = (";", "|", "\n", ",")
"""What tools put between options, the least ambiguous first."""

_FEWEST_OPTIONS = 2
_FEWEST_ALONE = 2
_MOST_OPTIONS = 50
_MOST_PARTS = 4 * _MOST_OPTIONS  # an option may contain the separator, and be spelled differently
_MOSTLY = 0.75
_FEWEST_TIED = 2  # cells in which two parts occur together and never apart, so that they may be one option
_CHANCE = 0.05
_NAMES = re.compile(r"[\w.-]+(?: [\w.-]+)*")
_COMMA = re.compile(r"(?<!\d),|,(?!\d{3}(?!\d))")
"""A comma that does not divide the thousands of a number."""
_TIGHT_COMMA = re.compile(r"(?:(?<!\d),|,(?!\d{3}(?!\d)))(?!\s)")
_DECIMAL = re.compile(r"[+-]?\d+,\d+")


@dataclass(frozen=True)
class OptionList:
    """How the cells of a column list options.

    Attributes:
        separator: what stands between two options.
        options: the options, the most frequent first.
    """

    separator: str
    options: tuple[str, ...]

    def split(self, cell: str) -> tuple[str, ...]:
        """Return the options that a cell lists; an option may contain the separator.

        Examples:
            >>> OptionList(",", ("Tea", "Milk, fresh")).split("Milk, fresh, Tea")
            ('Milk, fresh', 'Tea')
        """
        return tuple(_longest_options(_parts(cell.split(self.separator)), self.separator, self._known))

    @property
    def _known(self) -> dict[str, str]:
        return {_key(option, self.separator): option for option in self.options}


def find_list(
    values: Mapping[str, int],
    *,
    known: Mapping[str, str] | None = None,
    are_codes: bool = False,
    has_blanks: bool = False,
) -> OptionList | None:
    """Find out whether a column's cells list options.

    They do if most parts of cells with several occur in different ones, alone or beside others, and there are
    fewer of them than cells, or two of them occur alone, or one beside others that several cells have. A part
    belongs to the option before it if it always follows that and begins in lower case, or so often that this
    is hardly by chance, or if it is in the same brackets. A comma that divides the thousands of a number is
    none between options.

    Args:
        values: number of cells with each value.
        known: labels of the values in the file, which the parts must be.
        are_codes: whether the tool writes numbers of options with a comma between them, so that ``1,2`` is no
            decimal number.
        has_blanks: whether the tool writes names of options, which have no blanks, with a blank between them.

    Returns:
        The separator and the options; ``None`` if cells do not list options.

    Examples:
        >>> find_list({"Tea": 3, "Tea, Coffee": 2, "Coffee, Juice": 1, "Tea, Coffee, Juice": 1})
        OptionList(separator=',', options=('Tea', 'Coffee', 'Juice'))
        >>> find_list({"1,2": 4, "1": 2, "3": 2}, are_codes=True).options
        ('1', '2', '3')
        >>> find_list({"1,2": 4, "1": 2, "3": 2})
        >>> find_list({"Tea;": 2, "Coffee;": 1}).options
        ('Tea', 'Coffee')
        >>> find_list({"Paris, France": 4, "Rome, Italy": 2, "Oslo, Norway": 2})
        >>> find_list({"Bus (city, night), Car": 3, "Car": 2, "Bus (city, night)": 1}).options
        ('Car', 'Bus (city, night)')
    """
    separators = (*_SEPARATORS, " ") if has_blanks and _are_names(values) else _SEPARATORS
    for separator in separators:
        if not any(separator in value for value in values):
            continue
        are_decimals = (
            separator == ","
            and not are_codes
            and all(_DECIMAL.fullmatch(value.strip()) or "," not in value for value in values)
        )
        if are_decimals:
            continue
        parted = _parts_of_all(values, separator, are_codes=are_codes)
        if not parted:
            continue
        known_keys = {_key(name, separator): name for name in known or {}}
        options_joined = _joined_options(parted, values, separator)
        joined = known_keys or _frequent_spellings(options_joined, parted, values, separator)
        listed = {value: tuple(_longest_options(parts, separator, joined)) for value, parts in parted.items()}
        are_numbers = are_codes and all(part.isdigit() for parts in parted.values() for part in parts)
        are_closed = separator == ";" and all(value.rstrip().endswith(separator) for value in values)
        if are_numbers or are_closed or _are_lists(listed, values, set(map(code_key, known or {}))):
            counts: Counter[str] = Counter()
            spelled: dict[str, str] = {}
            for value, options in listed.items():
                for option in options:
                    counts[spelled.setdefault(code_key(option), option)] += values[value]
            return OptionList(separator, tuple(option for option, _ in counts.most_common()))
    return None


def _parts_of_all(values: Collection[str], separator: str, *, are_codes: bool) -> dict[str, tuple[str, ...]]:
    """Return the parts of each value; nothing if there are more than options can have.

    If a tool writes commas without a blank, one before a blank belongs to an option, unless its parts are
    options themselves.
    """
    if separator != "," or are_codes:
        return _split_all(values, lambda value: value.split(separator))
    if not any(map(_TIGHT_COMMA.search, values)):
        return _split_all(values, _COMMA.split)
    tight = _split_all(values, _TIGHT_COMMA.split)
    options = {code_key(part) for parts in tight.values() for part in parts}
    is_parted = any(
        len(parts) > 1 and set(map(code_key, parts)) <= options
        for option in options
        if (parts := _parts(_COMMA.split(option)))
    )
    return _split_all(values, _COMMA.split) if is_parted else tight


def _split_all(values: Iterable[str], split: Callable[[str], list[str]]) -> dict[str, tuple[str, ...]]:
    parted: dict[str, tuple[str, ...]] = {}
    different: set[str] = set()
    for value in values:
        parted[value] = _parts(split(value))
        different.update(parted[value])
        if len(different) > _MOST_PARTS:
            return {}
    return parted


def _are_names(values: Collection[str]) -> bool:
    """Return whether values consist of names as ODK forms have them, and not of words such as "very good"."""
    if not all(map(_NAMES.fullmatch, values)):
        return False
    several = [split_words(normalise_label(value)) for value in values if " " in value]
    return not several or not likely_languages(several)


def _parts(wholes: Iterable[str]) -> tuple[str, ...]:
    """Return the parts that are not blank."""
    return tuple(part for whole in wholes if (part := whole.strip()))


def _are_lists(
    listed: Mapping[str, Sequence[str]], counts: Mapping[str, int], known: Collection[str]
) -> bool:
    """Return whether the parts of cells are options.

    Args:
        listed: the parts of each value.
        counts: number of cells with each value.
        known: normalised labels that the parts must be; empty if there are none.
    """
    values: Counter[str] = Counter()
    cells: Counter[str] = Counter()  # that list several options
    for value, options in listed.items():
        keys = {code_key(option) for option in options}
        values.update(keys)
        if len(keys) > 1:
            cells.update(dict.fromkeys(keys, counts[value]))
    repeated = [key for key, n in values.items() if n > 1]
    is_possible = len(values) >= _FEWEST_OPTIONS and len(repeated) <= _MOST_OPTIONS
    if not is_possible or not cells:
        return False
    if known:
        return set(values) <= set(known)
    alone = sum(len(options) == 1 for options in listed.values())
    # What people wrote beside "other" occurs once.
    are_repeated = sum(cells[key] for key in repeated) >= _MOSTLY * cells.total()
    are_few = len(values) < len(listed) or len(repeated) == len(values)
    are_mixed = alone >= _FEWEST_ALONE or (alone > 0 and len(repeated) >= _FEWEST_OPTIONS)
    return are_repeated and (are_few or are_mixed)


def _frequent_spellings(
    options: Sequence[str], parted: Mapping[str, Sequence[str]], values: Mapping[str, int], separator: str
) -> dict[str, str]:
    """Return the most frequent spelling of each option, by its normalised text."""
    counts: Counter[str] = Counter()
    for value, parts in parted.items():
        counts.update(dict.fromkeys(parts, values[value]))
    spellings: dict[str, str] = {}
    for option in sorted(options, key=lambda option: -counts[option]):
        spellings.setdefault(_key(option, separator), option)
    return spellings


def _joined_options(
    parted: Mapping[str, Sequence[str]], values: Mapping[str, int], separator: str
) -> list[str]:
    """Return the options, where several parts may be one.

    Args:
        parted: the parts of each value.
        values: number of cells with each value.
        separator: what stands between the parts.
    """
    followers: dict[str, set[str]] = {}
    leaders: dict[str, set[str]] = {}
    cells: Counter[str] = Counter()
    for value, parts in parted.items():
        keys = ["", *map(code_key, parts), ""]
        cells.update(dict.fromkeys(keys, values[value]))
        for first, second in pairwise(keys):
            followers.setdefault(first, set()).add(second)
            leaders.setdefault(second, set()).add(first)
    tied = {
        (left, right)
        for left, (right, *others) in ((left, [*rights]) for left, rights in followers.items())
        if left and right and not others and leaders[right] == {left}
    }
    frequent = {pair for pair in tied if cells[pair[0]] >= _FEWEST_TIED}
    if not _are_hardly_by_chance([cells[left] for left, _ in frequent], sum(values.values()), len(cells) - 1):
        frequent = set()
    are_capitalised = all(not parts[0][0].islower() for parts in parted.values() if parts)

    def are_one(first: str, second: str) -> bool:
        pair = code_key(first), code_key(second)
        return pair in frequent or (pair in tied and second[0].islower())

    options: dict[str, None] = {}
    for parts in parted.values():
        start = 0
        for stop in range(1, len(parts) + 1):
            option = _join(parts[start:stop], separator)
            is_open = option.count("(") > option.count(")") and any(")" in part for part in parts[stop:])
            may_follow = stop < len(parts) and (are_capitalised or not parts[start][0].islower())
            if is_open or (may_follow and are_one(parts[stop - 1], parts[stop])):
                continue
            options[option] = None
            start = stop
    return list(options)


def _are_hardly_by_chance(tied: Sequence[int], n: int, n_parts: int) -> bool:
    """Return whether pairs of parts are options, rather than two options that the same people chose.

    If people choose two options independently, those m of n who chose the one are those who chose the other
    with a probability of 1 to n over m.

    Args:
        tied: number of cells with each pair of parts that never occur apart.
        n: number of cells.
        n_parts: number of different parts, of which neighbours can be pairs.
    """
    log_chance = sum(lgamma(m + 1) + lgamma(n - m + 1) - lgamma(n + 1) for m in tied)
    return bool(tied) and log_chance + log(max(1, n_parts - 1)) <= log(_CHANCE)


def _join(parts: Sequence[str], separator: str) -> str:
    """Return several parts of a cell as one option."""
    return (separator if separator == " " else f"{separator} ").join(parts)


def _key(option: str, separator: str) -> str:
    """Return the normalised text of an option, regardless of blanks beside separators in it."""
    if separator == " ":
        return code_key(option)
    return separator.join(map(str.strip, code_key(option).split(separator)))


def _longest_options(parts: Sequence[str], separator: str, known: Mapping[str, str]) -> Iterator[str]:
    """Yield options from the parts of a cell; several parts that together are known are one option."""
    start = 0
    while start < len(parts):
        for stop in range(len(parts), start, -1):
            joined = _join(parts[start:stop], separator)
            key = _key(joined, separator)
            if stop == start + 1 or key in known:
                yield known.get(key, joined)
                start = stop
                break
