"""Collects judged parts of a table and sums them up; it keeps the texts of a few items only."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from semscale.embedding.languages.language_counts import LanguageCounter
from semscale.judging.decisions.form_refusals import FormRefusal
from semscale.judging.human_labels import HumanEvidence, beside_humans, label_table, mean_labels
from semscale.judging.judge_columns import JudgeColumns, group_names, inclusion_in
from semscale.judging.prompts.template import Template
from semscale.judging.summary.judge_summary import KEPT_ITEMS, JudgeSummary
from semscale.judging.summary.judge_tally import JudgeTally, score_tallies, tallied
from semscale.judging.summary.judged_rows import JudgedColumns, JudgedRow
from semscale.results.shown_rows import ForemostRows, LeftOutRows
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, counted_mean
from semscale.stats.sampling import SAMPLED_ROWS, Column, LabelledSample, SampledRows
from semscale.store.columns import column_in, floats_in, statuses_in
from semscale.store.writing import PREFIX
from semscale.types import Floats, Integers, Mask, Status

# Columns of the sample, beside those of the judges, which begin with a name.
_EXPECTED, _INCLUSION = " expected", " inclusion"


class JudgeCollector:
    """Takes judged parts in the order of the rows, whether just made or read back, and sums them up.

    Args:
        templates: what each judge was asked, by the judge's name.
        columns: which column is what.
        plan: how intervals are made.
        criteria: weights of the criteria of a judge that has a rubric; of a panel's judges they are not kept.
        most: items of the sample that is kept; of fewer items all are. Labelled items are kept beside it.
    """

    def __init__(
        self,
        templates: Mapping[str, Template],
        columns: JudgeColumns,
        plan: IntervalPlan,
        criteria: Mapping[str, float] | None = None,
        *,
        most: int = SAMPLED_ROWS,
    ) -> None:
        self.n = 0
        self._columns, self._plan = columns, plan
        self._criteria = tuple(criteria or ()) if len(templates) == 1 else ()
        self._template = next(iter(templates.values()))
        self._judges = {name: JudgeTally(template, name, criteria) for name, template in templates.items()}
        self._counts: Counter[Status] = Counter()
        self._means = score_tallies(("mean",))
        self._sample = LabelledSample(most, plan.seed)
        self._labels: list[tuple[Integers, Floats]] = []
        self._lowest, self._disputed, self._vague = (ForemostRows[JudgedRow](KEPT_ITEMS) for _ in range(3))
        self._left_out = LeftOutRows()
        self._languages = LanguageCounter()

    def add(self, frame: pl.DataFrame) -> None:
        """Add the next rows.

        Args:
            frame: the input's columns and those of ``part_frame``.

        Raises:
            InputError: a human label that is none of the template's.
        """
        part = _JudgedPart(
            frame,
            self.n,
            self._columns,
            self._own_columns(frame),
            self._labels_in(frame),
            self._criteria,
        )
        by = None if self._columns.by is None else pl.Series(self._columns.by, part.groups, pl.String)
        self._counts.update(part.status.tolist())
        self._means.add(part.expected[:, None], part.status, by=by)
        self._keep(frame, part)
        widths = [
            judge.add(own, by) for judge, own in zip(self._judges.values(), part.judges.values(), strict=True)
        ]
        self._lowest.add(part.expected, self.n, part.item)
        if len(self._judges) > 1:
            self._disputed.add(_largest_first(part.spread), self.n, part.item)
        else:
            self._vague.add(_largest_first(widths[0]), self.n, part.item)
        self._left_out.add(part.status, self.n, part.text)
        self._languages.add_texts(part.answers, part.status)
        self.n += frame.height

    def summary(
        self,
        source: str,
        signatures: Sequence[Signature],
        applied: Signature,
        stopped: str | None,
        not_taken: Sequence[tuple[FormRefusal, ...]],
    ) -> JudgeSummary:
        """Sum up everything that was added.

        Args:
            source: what the items are from.
            signatures: what each judge applied.
            applied: the settings of the judge, or of all judges of a panel.
            stopped: why not every item was asked about, if there is a reason.
            not_taken: forms of asking that each judge's model did not take, and why.
        """
        kept = self._sample.kept()
        judges = {
            name: judge.scores(kept.columns, self._plan, own, refused)
            for (name, judge), own, refused in zip(self._judges.items(), signatures, not_taken, strict=True)
        }
        is_panel = len(judges) > 1
        first = next(iter(judges.values()))
        estimates = tallied(self._means, self._plan, applied) if is_panel else first.estimates
        return JudgeSummary(
            source=source,
            columns=self._columns,
            judges=judges,
            n=self.n,
            sampled=kept.n_drawn,
            counts={status: self._counts[status] for status in Status if self._counts[status]},
            estimates=estimates,
            expected=kept.columns[_EXPECTED],
            in_draw=kept.in_draw,
            plan=self._plan,
            lowest=self._lowest.items,
            disputed=self._disputed.items,
            least_certain=self._vague.items,
            left_out=self._left_out.examples,
            languages=self._languages.counts,
            human=self._human(kept, counted_mean(estimates.overall, "mean" if is_panel else "expected")),
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

    def _keep(self, frame: pl.DataFrame, part: "_JudgedPart") -> None:
        """Keep a sample of rows, and those with a label."""
        columns: dict[str, Column] = {_EXPECTED: part.expected}
        for judge, own in zip(self._judges.values(), part.judges.values(), strict=True):
            columns |= judge.columns(own)
        if self._columns.inclusion is not None:
            columns[_INCLUSION] = inclusion_in(frame, self._columns.inclusion)
        has_label: Mask = np.zeros(frame.height, dtype=np.bool_)
        if part.labels is not None:
            has_label = np.asarray(~np.isnan(part.labels).all(axis=1))
            self._labels.append((np.flatnonzero(has_label) + self.n, part.labels[has_label]))
        self._sample.add(columns, has_label)

    def _human(self, kept: SampledRows, mean: MeanEstimate) -> HumanEvidence | None:
        """Compare kept rows with their labels; of a sample, the judge's own mean is that of all rows."""
        if not self._labels:
            return None
        labels = np.full((len(kept.rows), max(part.shape[1] for _, part in self._labels)), np.nan)
        for rows, part in self._labels:
            labels[np.searchsorted(kept.rows, rows), : part.shape[1]] = part
        drawn, expected = kept.columns.get(_INCLUSION), kept.columns[_EXPECTED]
        found = beside_humans(expected, labels, self._template, plan=self._plan, inclusion=drawn, kept=kept)
        if kept.drawn is None:
            return found
        return replace(found, corrected=replace(found.corrected, naive=mean))


class _JudgedPart:
    """A part as the collector looks at it."""

    def __init__(
        self,
        frame: pl.DataFrame,
        first_row: int,
        columns: JudgeColumns,
        judges: Mapping[str, JudgedColumns],
        labels: Floats | None,
        criteria: Sequence[str],
    ) -> None:
        self._criteria = criteria
        self.judges, self.labels = judges, labels
        self.status = statuses_in(frame[f"{PREFIX}status"])
        self.expected = floats_in(frame[PREFIX + ("mean" if len(judges) > 1 else "expected")])
        self.spread = (
            floats_in(frame[f"{PREFIX}spread"]) if len(judges) > 1 else np.full(frame.height, np.nan)
        )
        self.groups = [] if columns.by is None else group_names(frame, columns.by)
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
            group=self.groups[place] if self.groups else None,
            verdicts={name: own.verdict(place) for name, own in self.judges.items()},
            criteria=next(iter(self.judges.values())).by_criterion(self._criteria, place),
        )

    @property
    def answers(self) -> list[tuple[str]]:
        """The answer of each row, as a row of texts; an empty one where there is none."""
        return [("" if answer is None else str(answer),) for answer in self._answers]

    def text(self, place: int) -> object:
        """Give what a judge replied, or else the answer."""
        replies = [reply for own in self.judges.values() for reply in own.column("replies")[place]]
        return next((text for text in replies if text.strip()), self._answers[place])


def _largest_first(values: Floats) -> Floats:
    """Give keys by which the largest values come first; values that are not above 0 have none."""
    return np.where(values > 0, -values, np.nan)
