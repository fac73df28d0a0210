"""Measured answers that meet the filters of the page of answers, and the comparison of two runs."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from semscale.errors import InputError
from semscale.snapshots.regression_sets import questions_within
from semscale.types import Floats, Integers, Mask
from semscale.workbench.answer_cards import LONGEST
from semscale.workbench.answer_files import AnswerRun, ColumnChoice
from semscale.workbench.answer_labels import AnswerLabels
from semscale.workbench.runs import SHOWN, Found, position_in

if TYPE_CHECKING:
    from semscale.report.document import Marked
    from semscale.stats.intervals import MeanEstimate

SHOWS = {
    "": "all",
    "low": "score below 0.5",
    "disagree": "label and score differ",
    "contradiction": "contradiction found",
    "unscored": "without a score",
    "labelled": "labelled",
    "unlabelled": "not labelled",
    "set": "in the regression set",
}
"""Filters of the page, with their names in words."""

ORDERS = {
    "": "label differs, then lowest score",
    "worst": "lowest score",
    "doubt": "least certain score",
    "chance": "random order, score hidden",
    "row": "row of the file",
}
"""Orders of the page, with their names in words."""

COMPARED = {
    "": "changed scores, losses first",
    "losses": "losses",
    "wins": "wins",
    "ties": "equal scores",
    "texts": "changed texts",
}
"""Filters of a comparison, with their names in words."""

_SAME = 1e-9


class AnswerChoice(ColumnChoice):
    """Fields of the address that state what is shown.

    Attributes:
        file: path of the file; without one, all files are listed.
        other: file with another run of the same questions; empty without a comparison.
        show: one of ``SHOWS``, or of ``COMPARED`` in a comparison.
        order: one of ``ORDERS``.
        words: words to find.
        start: number of rows before the first that is shown.
    """

    file: str = ""
    other: str = ""
    show: str = ""
    order: str = ""
    words: str = ""
    start: str = ""

    @property
    def query(self) -> dict[str, str]:
        """The fields that are stated, for an address."""
        return {name: value for name, value in self.model_dump().items() if value}

    @property
    def is_blind(self) -> bool:
        """Whether scores are hidden until an answer has a label."""
        return self.order == "chance"

    @property
    def is_sample(self) -> bool:
        """Whether answers from the first one on are a random sample: only those with a label are left out."""
        return self.is_blind and self.show in ("", "unlabelled") and not self.words.strip()


def find_answers(
    run: AnswerRun,
    labels: AnswerLabels,
    choice: AnswerChoice,
    *,
    kept: Collection[int],
    contradicted: Mask | None,
) -> Found[int]:
    """Return the rows, from 0, that meet the filters of an address, in the chosen order.

    Args:
        run: the answers.
        labels: their labels.
        choice: the filters.
        kept: rows of the regression set.
        contradicted: shape (n,), whether a contradiction was found; ``None`` if it is not known.
    """
    scores, has_label = run.scores, ~np.isnan(labels.mean)
    meets: dict[str, Mask] = {
        "low": np.nan_to_num(scores, nan=1.0) < 0.5,
        "disagree": labels.disagreement > 0,
        "unscored": np.isnan(scores),
        "labelled": has_label,
        "unlabelled": ~has_label,
        "set": np.isin(np.arange(run.n), list(kept)),
    }
    if contradicted is not None:
        meets["contradiction"] = contradicted
    mask = meets.get(choice.show, np.ones(run.n, dtype=bool)) & _with_words(run, choice.words)
    order = _order(run, labels, choice.order)
    rows = order[mask[order]]
    start = position_in(choice.query, len(rows))
    shown = [int(row) for row in rows[start : start + SHOWN]]
    return Found(shown, len(rows), start, choice.query)


def _with_words(run: AnswerRun, words: str) -> Mask:
    if not words.strip():
        return np.ones(run.n, dtype=bool)
    found = run.searched.str.contains_any([words.strip()], ascii_case_insensitive=True)
    return np.asarray(found.fill_null(value=False).to_numpy(), dtype=bool)


def _order(run: AnswerRun, labels: AnswerLabels, order: str) -> Integers:
    if order == "row":
        return np.arange(run.n)
    if order == "chance":
        return labels.by_chance
    lowest = np.nan_to_num(run.scores, nan=2.0)  # answers without a score come last
    first = {"": labels.disagreement, "doubt": np.nan_to_num(run.doubt, nan=-1.0)}.get(order)
    return np.lexsort((lowest,) if first is None else (lowest, -first))


@dataclass(frozen=True)
class ComparedAnswer:
    """An answer in two runs.

    Attributes:
        row: its row in the first run, from 0.
        id: its ID, or its number.
        question: the question.
        before: the answer of the first run; words that only it has are marked.
        after: the answer of the second run, likewise.
        scores: the scores of both.
    """

    row: int
    id: str
    question: str
    before: "Marked | None"
    after: "Marked | None"
    scores: tuple[float, float]

    @property
    def difference(self) -> float:
        """Score of the second run minus that of the first; NaN without both."""
        return self.scores[1] - self.scores[0]


class RunComparison:
    """Two runs of the same questions.

    Args:
        first: one run.
        second: the other run.

    Raises:
        InputError: they have no question in common.
    """

    def __init__(self, first: AnswerRun, second: AnswerRun) -> None:
        self.first, self.second = first, second
        self._rows, self._others, self.matched_by = _matched(first, second)

    @property
    def n(self) -> int:
        """Number of questions in both."""
        return len(self._rows)

    @property
    def n_left_out(self) -> int:
        """Number of answers of the first run without a partner."""
        return self.first.n - self.n

    @property
    def has_one_measure(self) -> bool:
        """Tell whether the scores of both runs are of the same measure."""
        return (self.first.kind, self.first.score) == (self.second.kind, self.second.score)

    @cached_property
    def differences(self) -> Floats:
        """Shape (n,), score of the second run minus that of the first; NaN without both."""
        return self.second.scores[self._others] - self.first.scores[self._rows]

    @cached_property
    def mean(self) -> "MeanEstimate":
        """Mean difference, with its interval."""
        from semscale.stats.intervals import estimate_mean

        return estimate_mean(self.differences, bounds=(-1.0, 1.0))

    @cached_property
    def counts(self) -> dict[str, int]:
        """Number of losses, wins and equal scores of the second run, and of answers with another text."""
        return {name: int(mask.sum()) for name, mask in self._masks.items()}

    @cached_property
    def _masks(self) -> dict[str, Mask]:
        before, after = self.first.texts("answer"), self.second.texts("answer")
        places = zip(self._rows.tolist(), self._others.tolist(), strict=True)
        changed: Mask = np.array([before[row] != after[other] for row, other in places], dtype=bool)
        differences = np.nan_to_num(self.differences)
        return {
            "losses": differences < -_SAME,
            "wins": differences > _SAME,
            "ties": np.abs(self.differences) <= _SAME,
            "texts": changed,
        }

    def find(self, choice: AnswerChoice) -> Found[ComparedAnswer]:
        """Return the answers that meet the filters of an address, the greatest losses first."""
        masks = self._masks
        changed = masks["losses"] | masks["wins"]
        everything = changed if changed.any() else np.ones(self.n, dtype=bool)
        mask = masks.get(choice.show, everything) & _with_words(self.first, choice.words)[self._rows]
        order = np.argsort(np.nan_to_num(self.differences), kind="stable")
        order = order[::-1] if choice.show == "wins" else order
        places = order[mask[order]]
        start = position_in(choice.query, len(places))
        shown = [self._compared(int(place)) for place in places[start : start + SHOWN]]
        return Found(shown, len(places), start, choice.query)

    def _compared(self, place: int) -> ComparedAnswer:
        from semscale.report.drift_gate import differing

        row, other = int(self._rows[place]), int(self._others[place])
        texts = self.first.text(row, "answer"), self.second.text(other, "answer")
        before, after = differing(*texts, limit=LONGEST)
        scores = float(self.first.scores[row]), float(self.second.scores[other])
        question = self.first.text(row, "question")
        return ComparedAnswer(row, self.first.ids[row], question, before, after, scores)


def _matched(first: AnswerRun, second: AnswerRun) -> tuple[Integers, Integers, str]:
    """Return the rows of the same questions in both runs, and by what they were matched."""
    ids = "id" in first.columns and "id" in second.columns
    by_id = _pairs(first.ids, second.ids) if ids else []
    questions = [run.texts("question") for run in (first, second)]
    by_question = _pairs(*questions) or _pairs(
        questions_within(*questions), questions_within(*reversed(questions))
    )
    pairs, by = (by_id, "ID") if len(by_id) >= max(len(by_question), 1) else (by_question, "question")
    if not pairs and first.n == second.n and not (any(questions[0]) and any(questions[1])):
        pairs, by = [(row, row) for row in range(first.n)], "row"
    if not pairs:
        raise InputError(f"{second.name} has none of the questions of {first.name}, by ID or by text")
    rows, others = zip(*pairs, strict=True)
    return np.array(rows), np.array(others), by


def _pairs(left: list[str], right: list[str]) -> list[tuple[int, int]]:
    """Return the positions of equal texts that occur once on each side."""
    places: dict[str, int] = {}
    for place, text in enumerate(right):
        places[text] = -1 if text in places else place
    seen = Counter(left)
    return [
        (row, places[text])
        for row, text in enumerate(left)
        if text and seen[text] == 1 and places.get(text, -1) >= 0
    ]
