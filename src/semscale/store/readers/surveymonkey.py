"""Exports of SurveyMonkey: a second header row names the answers of each question."""

from collections import Counter
from collections.abc import Sequence

from semscale.store.column_labels import ColumnLabels

_OWN = ("respondent id", "collector id")
_ALONE = frozenset({"", "response", "open-ended response"})


def is_surveymonkey(names: Sequence[str], rows: Sequence[Sequence[object]]) -> bool:
    """Tell an export by SurveyMonkey's own columns, which have nothing in the second header row.

    Example:
        >>> is_surveymonkey(["Respondent ID", "Collector ID", "Why?"], [["", "", "Open-Ended Response"]])
        True
    """
    places = {name.strip().casefold().replace("_", " "): place for place, name in enumerate(names)}
    if not rows or not all(own in places for own in _OWN):
        return False
    second = _texts(rows[0], len(names))
    return any(second) and not any(second[places[own]] for own in _OWN)


def surveymonkey_columns(
    names: Sequence[str], answers: Sequence[object]
) -> tuple[list[str], dict[str, ColumnLabels]]:
    """Name the columns by their questions, and by their answers where a question has several columns.

    Args:
        names: the first header row: a question stands above the first of its columns only.
        answers: the second one.

    Returns:
        The names, none of them twice, and what each column stands for.

    Example:
        >>> surveymonkey_columns(["Why?", "Which?", ""], ["Open-Ended Response", "Tea", "Coffee"])[0]
        ['Why?', 'Which?: Tea', 'Which?: Coffee']
    """
    options = _texts(answers, len(names))
    starts = [place for place, name in enumerate(names) if name.strip() or not place]
    of = [max(start for start in starts if start <= place) for place in range(len(names))]
    sizes, columns, labels = Counter(of), [], {}
    taken: Counter[str] = Counter()
    for place, start in enumerate(of):
        question, option = names[start].strip(), options[place]
        is_alone = sizes[start] == 1 or option.casefold() in _ALONE
        name = question if is_alone or not option else f"{question}: {option}"
        taken[name] += 1
        name = name if taken[name] == 1 else f"{name} ({taken[name]})"
        columns.append(name)
        if option:
            shared = question if sizes[start] > 1 else ""
            labels[name] = ColumnLabels(label=question, question=shared, option=option)
    return columns, labels


def _texts(row: Sequence[object], width: int) -> list[str]:
    cells = ["" if cell is None else str(cell).strip() for cell in row]
    return [*cells, *[""] * (width - len(cells))]
