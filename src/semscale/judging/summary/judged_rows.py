"""Single judged items, read from the columns of a judged table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from semscale.judging.decisions.criterion_columns import CRITERION
from semscale.judging.verdict import Provenance, Verdict
from semscale.store.columns import floats_in, statuses_in
from semscale.store.writing import PREFIX
from semscale.types import Floats, Status, Statuses

_OF_THE_RUN = {False: ("masses", "deviation"), True: ("masses", "deviation", "covered", "order_bias")}


@dataclass(frozen=True)
class JudgedRow:
    """One item with its verdicts.

    Attributes:
        row: its place among all items, counted from 0.
        question: what was asked.
        answer: what was judged.
        expected: expected score, of a panel the mean; NaN where there is none.
        spread: highest less lowest score of a panel's judges; NaN for one judge.
        people: mean of people's labels, from 0 to 1; NaN where there is none.
        verdicts: what each judge said, by the judge's name.
        group: name of its group, if it has one.
        criteria: expected score by each criterion of a rubric; empty without one, and for a panel.
    """

    row: int
    question: object
    answer: object
    expected: float
    spread: float
    people: float
    verdicts: Mapping[str, Verdict]
    group: str | None = None
    criteria: Mapping[str, float] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """Lay everything out by name, for JSON, where rows count from 1."""
        return {
            "row": self.row + 1,
            "expected": self.expected,
            "question": self.question,
            "answer": self.answer,
            "group": self.group,
            "verdicts": [
                {
                    "judge": name,
                    "status": verdict.status,
                    "score": verdict.score,
                    "expected": verdict.expected,
                    "standard_error": verdict.standard_error,
                    "explanation": verdict.explanation or None,
                }
                for name, verdict in self.verdicts.items()
            ],
        }


@dataclass(frozen=True)
class JudgedColumns:
    """One judge's columns in the frame of a part, as ``Verdicts.part_frame`` and a panel's lay them out.

    Attributes:
        frame: the part.
        number: which judge of a panel, from 1; ``None`` for a judge alone.
    """

    frame: pl.DataFrame
    number: int | None = None

    def column(self, name: str) -> pl.Series:
        """Give a column by the name that it has for a judge alone."""
        if self.number is None:
            return self.frame[PREFIX + name]
        title = f"judge_{self.number}" if name == "expected" else f"judge_{self.number}_{name}"
        return self.frame[PREFIX + title]

    def floats(self, name: str) -> Floats:
        """Give a column of numbers, NaN where there is none."""
        return floats_in(self.column(name))

    def statuses(self) -> Statuses:
        """Give the status of each item."""
        return statuses_in(self.column("status"))

    def by_criterion(self, names: Iterable[str], place: int) -> dict[str, float]:
        """Read the expected score of one item by each criterion that has one."""
        found = {name: self.column(CRITERION + name)[place] for name in names}
        return {name: score for name, score in found.items() if score is not None}

    def verdict(self, place: int) -> Verdict:
        """Read one verdict."""
        names = (
            *("score", "masses", "provenance", "covered", "explanation"),
            *("replies", "status", "reason", "order_bias", "standard_error"),
        )
        cells = {name: self.column(name)[place] for name in names}
        provenance, masses = cells["provenance"], cells["masses"]
        return Verdict(
            score=_number(cells["score"]),
            distribution=tuple((float(score), float(mass)) for score, mass in masses),
            provenance=None if provenance is None else Provenance(provenance),
            covered=_number(cells["covered"]),
            explanation=cells["explanation"] or "",
            replies=tuple(cells["replies"]),
            status=Status(cells["status"]),
            reason=cells["reason"] or "",
            order_bias=_number(cells["order_bias"]),
            standard_error=_number(cells["standard_error"]),
        )


def private_columns(n_judges: int) -> tuple[str, ...]:
    """Name the columns of a part that only its run needs."""
    names = _OF_THE_RUN[n_judges > 1]
    if n_judges == 1:
        return tuple(PREFIX + name for name in names)
    return tuple(f"{PREFIX}judge_{number}_{name}" for number in range(1, n_judges + 1) for name in names)


def _number(cell: float | None) -> float:
    return float("nan") if cell is None else cell
