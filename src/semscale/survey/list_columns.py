"""Columns whose cells list options: any number of them, or all in an order."""

from collections import Counter

from semscale.store.column_profile import ColumnProfile
from semscale.store.missing_codes import code_key
from semscale.survey.counted_columns import CountedColumns
from semscale.survey.description import MissingReason, Option, Question
from semscale.survey.lists import OptionList, find_list
from semscale.survey.marks import is_exclusive
from semscale.survey.number_codes import number_key, parse_number
from semscale.survey.written_in import WRITTEN

_LISTS_OF_CODES = frozenset({"Qualtrics"})
"""Tools that write the numbers of chosen options with a comma between them."""

_WITH_BLANKS = "KoboToolbox"
_FEWEST_CELLS = 30
_FEWEST_WRITTEN = 5  # texts beside "other" that are counted together
_FEWEST_ITEMS = 2
_FEWEST_RANKS = 3


def find_options(counted: CountedColumns, profile: ColumnProfile) -> OptionList | None:
    """Return how the cells of a column list options; ``None`` if they do not."""
    missing = _missing_in_lists(counted, profile)
    values = {value: n for value, n in profile.values.items() if value not in missing}
    return find_list(
        values,
        known=profile.labels.answers,
        are_codes=counted.export in _LISTS_OF_CODES,
        has_blanks=counted.export == _WITH_BLANKS,
    )


def describe_list(counted: CountedColumns, profile: ColumnProfile, listed: OptionList) -> Question:
    """Describe a column whose cells list options: any number of them, or all in an order."""
    labels = profile.labels.answers
    missing = _missing_in_lists(counted, profile)
    values = [value for value in profile.values if value not in missing]
    n = len(listed.options)
    are_ranked = n >= _FEWEST_RANKS and all(len(listed.split(value)) == n for value in values)
    written = _written_beside(profile.without(missing), listed)
    names = tuple(name for name in listed.options if code_key(name) not in written)
    if all(parse_number(name) is not None for name in names):
        names = tuple(sorted(names, key=number_key))
    options = tuple(
        Option(
            label=labels.get(name, name),
            value=name if name in labels else "",
            exclusive=is_exclusive(labels.get(name, name)),
        )
        for name in names
    )
    if written:
        options += (Option(label=WRITTEN, is_text=True),)
    return Question(
        name=profile.name,
        kind="ranking" if are_ranked and len(values) > 1 else "multiple",
        columns=(profile.name,),
        text=profile.labels.title,
        options=options,
        separator=listed.separator,
        missing=missing,
        source="inferred",
        reason=f"cells list options with {listed.separator!r} between them",
        confidence="medium",
    )


def _missing_in_lists(counted: CountedColumns, profile: ColumnProfile) -> dict[str, MissingReason]:
    """Return codes for no answer where cells list options; a number without a sign is an option."""
    codes = counted.codes(profile)
    return {value: reason for value, reason in codes.items() if (parse_number(value) or -1.0) < 0}


def _written_beside(profile: ColumnProfile, listed: OptionList) -> set[str]:
    """Return the parts of lists that people wrote beside "other": many that one cell has each."""
    cells: Counter[str] = Counter()
    for value, n in profile.values.items():
        cells.update(dict.fromkeys(map(code_key, listed.split(value)), n))
    once = {part for part, n in cells.items() if n == 1}
    is_known = profile.filled < _FEWEST_CELLS or len(once) < _FEWEST_WRITTEN or profile.labels.answers
    return set() if is_known or len(cells) - len(once) < _FEWEST_ITEMS else once
