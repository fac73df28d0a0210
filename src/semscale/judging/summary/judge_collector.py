"""From judged parts of a table to the summary of all of them; numbers are kept, texts of a few items only."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.judging.human_labels import HumanEvidence, beside_humans, label_table, mean_labels
from semscale.judging.judge_columns import JudgeColumns
from semscale.judging.prompts.template import Template
from semscale.judging.summary.judge_summary import KEPT_ITEMS, LITTLE_COVERED, JudgeScores, JudgeSummary
from semscale.judging.summary.judged_rows import JudgedColumns, JudgedRow
from semscale.judging.verdict import Provenance
from semscale.results.shown_rows import ForemostRows, LeftOutRows
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.cells import column_of, storable
from semscale.store.columns import as_list, column_in, floats_in, statuses_in
from semscale.store.result_columns import PREFIX
from semscale.types import Floats, Status, Statuses

_FIFTHS = 5
_MOST_REASONS = 1000  # different ones that are counted


class OneJudged(Protocol):
    """One judge's verdicts, as far as a summary names them."""

    @property
    def template(self) -> Template:
        """What the judge was asked."""

    @property
    def signature(self) -> Signature:
        """What was applied."""


class Judged(Protocol):
    """Verdicts of a judge or a panel."""

    @property
    def signature(self) -> Signature:
        """What was applied."""

    @property
    def stopped(self) -> str | None:
        """Why not every item was asked about, or ``None``."""

    def part_frame(self) -> pl.DataFrame:
        """Lay out what a run over a table keeps of its part."""


def summarize(
    judged: Judged,
    judges: Mapping[str, OneJudged],
    items: Mapping[str, object],
    *,
    source: str,
    plan: IntervalPlan,
) -> JudgeSummary:
    """Sum up verdicts in memory.

    Args:
        judged: of n items.
        judges: each judge's own verdicts, by the judge's name.
        items: ``question`` and ``answer``, each of shape (n,), and ``human`` where there are labels.
        source: what the items are from.
        plan: how intervals are made.

    Raises:
        InputError: a column of the wrong length, or a label that is none of the template's.
    """
    found = judged.part_frame().rename(lambda name: PREFIX + name)
    cells = {name: as_list(column, name) for name, column in items.items()}
    for name, column in cells.items():
        if len(column) != found.height:
            raise InputError(f"{name} must have {found.height} rows, as many as verdicts, got {len(column)}")
    columns = JudgeColumns("question", "answer", human="human" if "human" in cells else None)
    collector = JudgeCollector({name: own.template for name, own in judges.items()}, columns, plan)
    rows = storable(pl.DataFrame([column_of(name, column) for name, column in cells.items()]))
    collector.add(pl.concat([rows, found], how="horizontal"))
    signatures = [own.signature for own in judges.values()]
    return collector.summary(source, signatures, judged.signature, judged.stopped)


class JudgeCollector:
    """Takes judged parts in the order of the rows, whether just made or read back, and sums them up.

    Args:
        templates: what each judge was asked, by the judge's name.
        columns: which column is what.
        plan: how intervals are made.
    """

    def __init__(self, templates: Mapping[str, Template], columns: JudgeColumns, plan: IntervalPlan) -> None:
        self.n = 0
        self._columns, self._plan = columns, plan
        self._template = next(iter(templates.values()))
        self._judges = {name: _OneJudge(template) for name, template in templates.items()}
        self._status: list[Statuses] = []
        self._expected: list[Floats] = []
        self._labels: list[Floats] = []
        self._lowest, self._disputed, self._vague = (ForemostRows[JudgedRow](KEPT_ITEMS) for _ in range(3))
        self._left_out = LeftOutRows()

    def add(self, frame: pl.DataFrame) -> None:
        """Add the next part.

        Args:
            frame: the input's columns and those of ``part_frame``.

        Raises:
            InputError: a human label that is none of the template's.
        """
        part = _JudgedPart(frame, self.n, self._columns, self._own_columns(frame), self._labels_in(frame))
        self._status.append(part.status)
        self._expected.append(part.expected)
        if part.labels is not None:
            self._labels.append(part.labels)
        widths = [
            judge.add(own) for judge, own in zip(self._judges.values(), part.judges.values(), strict=True)
        ]
        self._lowest.add(part.expected, self.n, part.item)
        if len(self._judges) > 1:
            self._disputed.add(_largest_first(part.spread), self.n, part.item)
        else:
            self._vague.add(_largest_first(widths[0]), self.n, part.item)
        self._left_out.add(part.status, self.n, part.text)
        self.n += frame.height

    def summary(
        self, source: str, signatures: Sequence[Signature], signature: Signature, stopped: str | None = None
    ) -> JudgeSummary:
        """Sum up everything that was added.

        Args:
            source: what the items are from.
            signatures: what each judge applied.
            signature: of all judges together.
            stopped: why not every item was asked about, if there is a reason.
        """
        expected = np.concatenate(self._expected)
        return JudgeSummary(
            source=source,
            columns=self._columns,
            judges={
                name: judge.scores(own)
                for (name, judge), own in zip(self._judges.items(), signatures, strict=True)
            },
            statuses=np.concatenate(self._status),
            expected=expected,
            signature=signature,
            plan=self._plan,
            lowest=self._lowest.items,
            disputed=self._disputed.items,
            least_certain=self._vague.items,
            left_out=self._left_out.examples,
            human=self._human(expected),
            stopped=stopped,
        )

    def _own_columns(self, frame: pl.DataFrame) -> dict[str, JudgedColumns]:
        alone = len(self._judges) == 1
        return {
            name: JudgedColumns(frame, None if alone else number)
            for number, name in enumerate(self._judges, start=1)
        }

    def _labels_in(self, frame: pl.DataFrame) -> Floats | None:
        if self._columns.human is None:
            return None
        return label_table(column_in(frame, self._columns.human).to_list(), self._template, self.n)

    def _human(self, expected: Floats) -> HumanEvidence | None:
        if not self._labels:
            return None
        width = max(part.shape[1] for part in self._labels)
        labels = np.full((self.n, width), np.nan)
        row = 0
        for part in self._labels:
            labels[row : row + len(part), : part.shape[1]] = part
            row += len(part)
        plan = self._plan
        return beside_humans(expected, labels, self._template, interval=plan.interval, seed=plan.seed)


class _JudgedPart:
    """A part as the collector looks at it."""

    def __init__(
        self,
        frame: pl.DataFrame,
        first_row: int,
        columns: JudgeColumns,
        judges: Mapping[str, JudgedColumns],
        labels: Floats | None,
    ) -> None:
        self.judges, self.labels = judges, labels
        self.status = statuses_in(frame[f"{PREFIX}status"])
        self.expected = floats_in(frame[PREFIX + ("mean" if len(judges) > 1 else "expected")])
        self.spread = (
            floats_in(frame[f"{PREFIX}spread"]) if len(judges) > 1 else np.full(frame.height, np.nan)
        )
        self._people = np.full(frame.height, np.nan) if labels is None else mean_labels(labels)
        self._questions, self._answers = (
            column_in(frame, title) for title in (columns.question, columns.answer)
        )
        self._first_row = first_row

    def item(self, place: int) -> JudgedRow:
        """Bring together what is known of one row."""
        return JudgedRow(
            row=self._first_row + place,
            question=self._questions[place],
            answer=self._answers[place],
            expected=float(self.expected[place]),
            spread=float(self.spread[place]),
            people=float(self._people[place]),
            verdicts={name: own.verdict(place) for name, own in self.judges.items()},
        )

    def text(self, place: int) -> object:
        """Give what a judge replied, or else the answer."""
        replies = [reply for own in self.judges.values() for reply in own.column("replies")[place]]
        return next((text for text in replies if text.strip()), self._answers[place])


class _OneJudge:
    """Counts and adds up what one judge gave."""

    def __init__(self, template: Template) -> None:
        self._template = template
        self._status: list[Statuses] = []
        self._score: list[Floats] = []
        self._expected: list[Floats] = []
        self._provenances: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._fifths = np.zeros(_FIFTHS)
        self._n_little_covered = 0

    def add(self, own: JudgedColumns) -> Floats:
        """Add a part, and give the standard deviation of each distribution: NaN for none, or one of 0."""
        status, expected = own.statuses(), own.floats("expected")
        self._status.append(status)
        self._score.append(own.floats("score"))
        self._expected.append(expected)
        self._provenances.update(own.column("provenance").drop_nulls().to_list())
        self._n_little_covered += int((own.floats("covered")[status == Status.SCORED] < LITTLE_COVERED).sum())
        for reason in own.column("reason").filter(status == Status.FAILED).fill_null("").to_list():
            if reason in self._reasons or len(self._reasons) < _MOST_REASONS:
                self._reasons[reason] += 1
        widths = np.full(len(status), np.nan)
        for place, masses in enumerate(own.column("masses").to_list()):
            for score, mass in masses:
                self._fifths[min(int(score * _FIFTHS), _FIFTHS - 1)] += mass
            if len(masses) > 1:
                mean = expected[place]
                widths[place] = sum(mass * (score - mean) ** 2 for score, mass in masses) ** 0.5
        return widths

    def scores(self, signature: Signature) -> JudgeScores:
        """Sum up."""
        return JudgeScores(
            template=self._template,
            signature=signature,
            statuses=np.concatenate(self._status),
            score=np.concatenate(self._score),
            expected=np.concatenate(self._expected),
            provenances={known: self._provenances[known] for known in Provenance if self._provenances[known]},
            fifths=self._fifths,
            n_little_covered=self._n_little_covered,
            failure=self._reasons.most_common(1)[0][0] if self._reasons else None,
        )


def _largest_first(values: Floats) -> Floats:
    """Give keys by which the largest values come first; values that are not above 0 have none."""
    return np.where(values > 0, -values, np.nan)
