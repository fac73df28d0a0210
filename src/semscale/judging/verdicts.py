"""Results of a judge and of a panel: a verdict for each item, and figures of all items."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Annotated, Self, Unpack, overload

import numpy as np
import polars as pl

from semscale.chat.negotiation import FormRefusal, refusals_in_words
from semscale.errors import InputError
from semscale.judging.human_labels import HumanEvidence, compare_with_labels, label_table, mean_labels
from semscale.judging.settings import JudgeColumns
from semscale.judging.summary import LITTLE_COVERED, JudgedRow, JudgeScores, JudgeSummary
from semscale.judging.templates import Template
from semscale.judging.verdict import ASKED, Provenance, Verdict
from semscale.results.estimates import (
    Estimates,
    EstimateSettings,
    Grouping,
    IntervalSettings,
    Tallies,
    estimate_values,
)
from semscale.results.result import STATUSES, Result
from semscale.results.summary import ForemostRows, RowTally
from semscale.signature import Signature
from semscale.stats.agreement import (
    EffectiveJudges,
    PairAgreement,
    effective_judges,
    pairwise_agreement,
    severities,
)
from semscale.stats.groups import mean_with_counts
from semscale.stats.intervals import (
    Figures,
    IntervalPlan,
    MeanEstimate,
    value_figure,
)
from semscale.stats.sampling import SAMPLED_ROWS, Column, LabelledSample, SampledRows
from semscale.store.columns import as_list, as_names
from semscale.types import Floats, Integers, Mask, Status, Statuses

SHOWN = 20
"""Number of items with the lowest scores in a summary, and of disputed or least certain items."""

_COUNTED_REASONS = 1000  # different reasons
_FIFTHS = 5
_ROUNDING = 1e-6
_SCORE_BOUNDS = (0.0, 1.0)
_WITH_REASON = (Status.FAILED, Status.UNPARSABLE, Status.REFUSED)

# Columns of the sample; those of the judges begin with a name.
_EXPECTED, _INCLUSION = " expected", " inclusion"


class JudgedResult(Result):
    """Verdicts on n items, of one judge or of several."""

    @property
    @abstractmethod
    def stopped(self) -> str | None:
        """The reason why not every item was asked about, or ``None``."""

    @property
    @abstractmethod
    def by_judge(self) -> "Mapping[str, Verdicts]":
        """The verdicts of each judge, by its name."""

    @property
    @abstractmethod
    def figures(self) -> Mapping[str, Floats]:
        """Values whose means are estimated, by name, each of shape (n,), 0 to 1; the main figure first."""

    @property
    @abstractmethod
    def expected_score(self) -> Floats:
        """Expected score of each item (a panel's mean over its judges), shape (n,); NaN if missing."""

    @property
    def spread(self) -> Floats:
        """Highest minus lowest expected score, shape (n,); NaN with fewer than two judges."""
        return np.full(len(self), np.nan)

    def estimate(self, **settings: Unpack[EstimateSettings]) -> Estimates:
        """Estimate means of all items and of each group, with intervals.

        One judge has ``score``, which is the main figure, and ``expected``; a panel has ``mean``.

        Args:
            settings: ``by``, ``weights``, ``respondents``, and how intervals are made; see
                ``EstimateSettings``.

        Raises:
            InputError: a column of the wrong length, a wrong weight, or a setting out of range.
        """
        figures = self.figures
        bounds = dict.fromkeys(figures, (0.0, 1.0))
        return estimate_values(figures, self.status, bounds=bounds, signature=self.signature, **settings)

    def summarize(
        self,
        questions: object,
        answers: object,
        *,
        human: object = None,
        by: object = None,
        source: str = "items in memory",
        **intervals: Unpack[IntervalSettings],
    ) -> JudgeSummary:
        """Summarize the verdicts; the summary writes reports, documents and JSON.

        Args:
            questions: shape (n,), the questions.
            answers: shape (n,), the judged answers.
            human: shape (n,), human labels, see ``semscale.judging.human_labels.label_table``.
            by: shape (n,), names of groups.
            source: name of the items' source.
            intervals: how intervals are made.

        Raises:
            InputError: a column of the wrong length, a label that the template does not have, or a setting
                out of range.
        """
        columns = {"questions": questions, "answers": answers, "human": human, "by": by}
        cells = {name: as_list(column, name) for name, column in columns.items() if column is not None}
        for name, column in cells.items():
            if len(column) != self.n:
                raise InputError(name, f"must have {self.n} rows, as many as verdicts, got {len(column)}")
        titles = JudgeColumns(
            question="question",
            answer="answer",
            human=None if human is None else "human",
            by=None if by is None else "by",
        )
        template = next(iter(self.by_judge.values())).template
        tally = JudgeTally(self, titles, IntervalPlan(**intervals))
        tally.add(
            self,
            cells["questions"],
            cells["answers"],
            labels=None if human is None else label_table(cells["human"], template),
            groups=None if by is None else as_names(cells["by"], "by"),
        )
        return tally.summary(self, source)

    def _short_summary(self) -> JudgeSummary:
        return self.summarize(questions=[None] * self.n, answers=[None] * self.n)


@dataclass(frozen=True, repr=False)
class Verdicts(JudgedResult):
    """One judge's verdicts on n items, in the order of the items; arrays are read-only.

    Attributes:
        verdicts: one for each item.
        status: shape (n,), why each item has a score, or has none.
        template: what the judge was asked.
        model: the judge's name.
        signature: the settings that were applied.
        stopped: why not every item was asked about, or ``None``.
        criteria: weights of a rubric's criteria by their names; empty for a template.
        refused_forms: request forms that the model did not accept, and why.
    """

    verdicts: tuple[Verdict, ...]
    status: Annotated[Statuses, STATUSES]
    template: Template
    model: str
    signature: Signature
    stopped: str | None = None
    criteria: Mapping[str, float] = field(default_factory=dict)
    refused_forms: tuple[FormRefusal, ...] = ()

    def __post_init__(self) -> None:
        if len(self.status) != len(self.verdicts):
            raise InputError("status", f"must have {len(self.verdicts)} rows, got {len(self.status)}")
        status = self.status.view()
        status.flags.writeable = False
        object.__setattr__(self, "status", status)

    def __len__(self) -> int:
        return len(self.verdicts)

    @overload
    def __getitem__(self, rows: int, /) -> Verdict: ...

    @overload
    def __getitem__(self, rows: Sequence[bool] | Mask | slice, /) -> Self: ...

    def __getitem__(self, rows: int | Sequence[bool] | Mask | slice, /) -> Verdict | Self:
        if isinstance(rows, int | np.integer) and not isinstance(rows, bool):
            return self.verdicts[rows]
        return super().__getitem__(rows) if isinstance(rows, slice) else self.filter(rows)

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    @property
    def score(self) -> Floats:
        """The stated levels, from 0 to 1, shape (n,); NaN without a score."""
        return np.array([verdict.score for verdict in self.verdicts], dtype=np.float64)

    @property
    def expected(self) -> Floats:
        """Expected score, the mean of each distribution, shape (n,); NaN where there is none."""
        return np.array([verdict.expected for verdict in self.verdicts], dtype=np.float64)

    @property
    def standard_error(self) -> Floats:
        """``Verdict.standard_error`` of each item, shape (n,); NaN where it is not known."""
        return np.array([verdict.standard_error for verdict in self.verdicts], dtype=np.float64)

    @property
    def covered(self) -> Floats:
        """``Verdict.covered`` of each item, 0 to 1, shape (n,); NaN where it is not defined."""
        return np.array([verdict.covered for verdict in self.verdicts], dtype=np.float64)

    @property
    def deviation(self) -> Floats:
        """``Verdict.deviation`` of each item, 0 to 0.5, shape (n,); NaN where there is no score."""
        return np.array([verdict.deviation for verdict in self.verdicts], dtype=np.float64)

    @property
    def pmf(self) -> Floats:
        """Masses of the template's levels, shape (n, k), rows sum to 1; NaN where there is no score.

        Raises:
            InputError: the template has a range instead of levels; ``Verdict.distribution`` has its masses.
        """
        if self.template.highest is not None:
            raise InputError("pmf", f"needs a template with levels, {self.template.name!r} has a range")
        return self.masses

    @property
    def masses(self) -> Floats:
        """Masses of the template's scores, also for a range, shape (n, k); NaN without a score."""
        scores = self.template.scores.tolist()
        column = {score: index for index, score in enumerate(scores)}
        masses = np.full((len(self), len(scores)), np.nan)
        for row, verdict in enumerate(self.verdicts):
            if verdict.distribution:
                masses[row] = 0.0
            for score, mass in verdict.distribution:
                masses[row, column[score]] += mass
        return masses

    @property
    def provenances(self) -> dict[Provenance, int]:
        """Number of distributions by their source."""
        counts = Counter(verdict.provenance for verdict in self.verdicts)
        return {provenance: counts[provenance] for provenance in Provenance if counts[provenance]}

    @property
    def by_judge(self) -> "dict[str, Verdicts]":
        """The verdicts themselves, by the judge's name."""
        return {self.model: self}

    @property
    def _model_name(self) -> str:
        return self.model

    @property
    def figures(self) -> dict[str, Floats]:
        """The stated and the expected scores."""
        return {"score": self.score, "expected": self.expected}

    @property
    def expected_score(self) -> Floats:
        """Expected score of each item, shape (n,); NaN where there is none."""
        return self.expected

    def criterion_scores(self, row: int) -> dict[str, float]:
        """Return the expected score of an item by each criterion that has one."""
        parts = zip(self.criteria, self.verdicts[row].criteria, strict=False)
        return {name: part.expected for name, part in parts if part.distribution}

    def by_criterion(self, name: str) -> Floats:
        """Expected scores by a criterion, shape (n,); NaN where there is none."""
        return np.array([self.criterion_scores(row).get(name, np.nan) for row in range(len(self))])

    def extra_columns(self) -> list[pl.Series]:
        """Return the columns of the table besides ``status``.

        Returns:
            Columns ``score``, ``expected``, ``confidence``, ``standard_error`` (of ``expected``),
            ``provenance``, ``covered``, ``order_bias``, ``explanation``, ``replies`` (a list of texts),
            ``reason``, and the mass of each level as ``p_<level>``. For a rubric also the expected score by
            each criterion as ``criterion_<name>``, with ``_score`` and ``_status``. With
            ``method="decision"`` also ``refused_forms``, the forms that the model did not accept, and why.
        """
        verdicts = self.verdicts
        columns = [
            pl.Series("score", self.score, nan_to_null=True),
            pl.Series("expected", self.expected, nan_to_null=True),
            _float_column("confidence", [verdict.confidence for verdict in verdicts]),
            pl.Series("standard_error", self.standard_error, nan_to_null=True),
            pl.Series("provenance", [verdict.provenance for verdict in verdicts], pl.String),
            pl.Series("covered", self.covered, nan_to_null=True),
            _float_column("order_bias", [verdict.order_bias for verdict in verdicts]),
            pl.Series("explanation", [verdict.explanation or None for verdict in verdicts], pl.String),
            pl.Series("replies", [list(verdict.replies) for verdict in verdicts], pl.List(pl.String)),
            pl.Series("reason", [verdict.reason or None for verdict in verdicts], pl.String),
        ]
        if "method" in dict(self.signature.fields):  # a judge by decisions
            refusals = refusals_in_words(self.refused_forms) or None
            cells = [refusals if status in ASKED else None for status in self.status]
            columns.append(pl.Series("refused_forms", cells, pl.String))
        if self.template.highest is None:
            ordered = sorted(self.template.levels, key=lambda level: level.score)
            columns += [
                pl.Series(f"p_{level.shown}", np.ascontiguousarray(masses), nan_to_null=True)
                for level, masses in zip(ordered, self.pmf.T, strict=True)
            ]
        return [*columns, *self._criterion_columns()]

    def _criterion_columns(self) -> Iterator[pl.Series]:
        """Return columns for each criterion: the expected score, the likeliest level and the status."""
        for index, name in enumerate(self.criteria):
            title = f"criterion_{name}"
            parts = [verdict.criteria[index] if verdict.criteria else None for verdict in self.verdicts]
            expected = [None if part is None else part.expected for part in parts]
            scores = [None if part is None else part.score for part in parts]
            statuses = [None if part is None else part.status for part in parts]
            yield _float_column(title, expected)
            yield _float_column(f"{title}_score", scores)
            yield pl.Series(f"{title}_status", statuses, pl.String)

    def _with_rows(self, rows: Mask) -> Self:
        return replace(self, verdicts=tuple(compress(self.verdicts, rows)), status=self.status[rows])


_JUDGE_COLUMNS = (
    "score", "standard_error", "status", "reason", "refused_forms", "provenance", "explanation", "replies",
)  # fmt: skip
"""Columns of a judge's table that a panel's table repeats for each judge."""


@dataclass(frozen=True, repr=False)
class PanelVerdicts(JudgedResult):
    """Verdicts of k judges on n items.

    An item's figures are over the judges that scored it; ``n_judges`` is their number.

    Attributes:
        names: names of the judges.
        judges: each judge's verdicts.
        status: shape (n,), ``scored`` if at least one judge gave a score.
        signature: the settings that were applied.
    """

    names: tuple[str, ...]
    judges: tuple[Verdicts, ...]
    status: Annotated[Statuses, STATUSES]
    signature: Signature

    def __post_init__(self) -> None:
        for verdicts in self.judges:
            if len(verdicts) != len(self.status):
                raise InputError(f"every judge must have {len(self.status)} verdicts, got {len(verdicts)}")
        status = self.status.view()
        status.flags.writeable = False
        object.__setattr__(self, "status", status)

    @property
    def expected(self) -> Floats:
        """Expected scores, shape (n, k); NaN where a judge has none."""
        return np.column_stack([verdicts.expected for verdicts in self.judges])

    @property
    def score(self) -> Floats:
        """Stated levels, shape (n, k); NaN where a judge has none."""
        return np.column_stack([verdicts.score for verdicts in self.judges])

    @property
    def n_judges(self) -> Integers:
        """Number of judges that scored each item, shape (n,)."""
        counts: Integers = (~np.isnan(self.expected)).sum(axis=1).astype(np.int64)
        return counts

    @property
    def mean(self) -> Floats:
        """Mean of the judges' expected scores, shape (n,); NaN where no judge gave one."""
        return self._over_judges(np.mean)

    @property
    def median(self) -> Floats:
        """Median of the judges' expected scores, shape (n,)."""
        return self._over_judges(np.median)

    @property
    def min(self) -> Floats:
        """Lowest of the judges' expected scores, shape (n,)."""
        return self._over_judges(np.min)

    @property
    def max(self) -> Floats:
        """Highest of the judges' expected scores, shape (n,)."""
        return self._over_judges(np.max)

    @property
    def spread(self) -> Floats:
        """Highest minus lowest expected score, shape (n,); NaN with fewer than two judges."""
        return np.where(self.n_judges > 1, self.max - self.min, np.nan)

    @property
    def stopped(self) -> str | None:
        """The reason why not every judge was asked about every item, or ``None``."""
        return next((verdicts.stopped for verdicts in self.judges if verdicts.stopped), None)

    def severities(self, plan: IntervalPlan | None = None) -> tuple[MeanEstimate, ...]:
        """Estimate each judge's mean difference from the others on the same items; below 0 is severe."""
        return severities(self.expected, plan=plan)

    def agreement(self, *, interval: float = 0.95, seed: int = 0) -> tuple[PairAgreement, ...]:
        """Estimate the quadratic weighted kappa of every two judges' stated levels."""
        return pairwise_agreement(self.score, interval=interval, seed=seed)

    def effective_judges(
        self, truth: Floats | None = None, *, interval: float = 0.95, seed: int = 0
    ) -> EffectiveJudges:
        """Estimate the number of judges with independent errors whose mean is as accurate as this panel's.

        Args:
            truth: shape (n,), such as human labels from 0 to 1; without one the number is a lower bound.
            interval: nominal coverage of the interval.
            seed: seed of the bootstrap.
        """
        return effective_judges(self.expected, truth=truth, interval=interval, seed=seed)

    @property
    def _model_name(self) -> str:
        return "+".join(self.names)

    @property
    def figures(self) -> dict[str, Floats]:
        """The means."""
        return {"mean": self.mean}

    @property
    def expected_score(self) -> Floats:
        """Mean of the judges' expected scores, shape (n,)."""
        return self.mean

    @property
    def by_judge(self) -> dict[str, Verdicts]:
        """The verdicts of each judge, by its name."""
        return dict(zip(self.names, self.judges, strict=True))

    def _with_rows(self, rows: Mask) -> Self:
        judges = tuple(verdicts.filter(rows) for verdicts in self.judges)
        return replace(self, judges=judges, status=self.status[rows])

    def extra_columns(self) -> list[pl.Series]:
        """Return the columns of the table besides ``status``.

        Returns:
            Columns ``n_judges``, ``mean``, ``median``, ``min``, ``max``, ``spread``, and for each judge its
            expected score as ``judge_<k>``, with ``judge_<k>_score``, ``_standard_error``, ``_status``,
            ``_reason``, ``_provenance``, ``_explanation`` and ``_replies``, and with ``_refused_forms`` for a
            judge by decisions; k is counted from 1.
        """
        figures = {name: getattr(self, name) for name in ("mean", "median", "min", "max", "spread")}
        columns = [
            pl.Series("n_judges", self.n_judges),
            *(pl.Series(name, values, nan_to_null=True) for name, values in figures.items()),
        ]
        for number, verdicts in enumerate(self.judges, start=1):
            frame = verdicts.to_frame()
            columns.append(frame["expected"].rename(f"judge_{number}"))
            columns += [
                frame[name].rename(f"judge_{number}_{name}")
                for name in _JUDGE_COLUMNS
                if name in frame.columns
            ]
        return columns

    def _over_judges(self, figure: Callable[[Floats], Floats]) -> Floats:
        """Compute a figure over each item's scores, regardless of the judges' order."""
        figures = np.full(len(self), np.nan)
        for row, scores in enumerate(np.sort(self.expected, axis=1)):
            present = scores[~np.isnan(scores)]
            if len(present):
                figures[row] = figure(present)
        return figures


def _float_column(name: str, values: Sequence[float | None]) -> pl.Series:
    return pl.Series(name, values, pl.Float64).fill_nan(None)


class JudgeTally:
    """Running totals of verdicts, part by part; most items are stored as numbers only.

    Tables and verdicts in memory both use it, so the same items give the same report.

    Args:
        result: the first part; all parts have the same judges.
        columns: names of the columns.
        plan: how intervals are made, and the seed of the sample.
        most: size of the sample; with fewer items, all are stored. Labelled items are stored in addition.
    """

    def __init__(
        self,
        result: JudgedResult,
        columns: JudgeColumns,
        plan: IntervalPlan,
        *,
        most: int = SAMPLED_ROWS,
    ) -> None:
        judges = result.by_judge
        self._columns, self._plan = columns, plan
        self._is_panel = len(judges) > 1
        self._template = next(iter(judges.values())).template
        figures = ("mean",) if self._is_panel else ("score", "expected")
        self._rows = RowTally(_figures(figures), result.signature, by=columns.groupings)
        self._judges = {
            name: _ScoreTally(name, verdicts, columns.grouping, self._is_panel)
            for name, verdicts in judges.items()
        }
        self._sample = LabelledSample(most, plan.seed)
        self._labels: list[tuple[Integers, Floats]] = []
        self._lowest, self._disputed, self._vague = (ForemostRows[JudgedRow](SHOWN) for _ in range(3))

    def add(
        self,
        result: JudgedResult,
        questions: Sequence[object],
        answers: Sequence[object],
        *,
        labels: Floats | None = None,
        inclusion: Floats | None = None,
        groups: Sequence[str | None] | None = None,
    ) -> None:
        """Add the next m items.

        Args:
            result: verdicts on the m items.
            questions: m cells.
            answers: m cells.
            labels: shape (m, raters), human labels from ``label_table``.
            inclusion: shape (m,), probability with which each item was drawn for a label.
            groups: m names of groups.
        """
        judges, first_row = result.by_judge, self._rows.n
        expected, spread = result.expected_score, result.spread
        people = np.full(len(result), np.nan) if labels is None else mean_labels(labels)

        def item(position: int) -> JudgedRow:
            verdicts = {name: part.verdicts[position] for name, part in judges.items()}
            return JudgedRow(
                row=first_row + position,
                question=questions[position],
                answer=answers[position],
                expected=float(expected[position]),
                spread=float(spread[position]),
                people=float(people[position]),
                verdicts=verdicts,
                group=None if groups is None else groups[position],
                criteria={} if self._is_panel else next(iter(judges.values())).criterion_scores(position),
            )

        def first_reply(position: int) -> object:
            replies = (reply for part in judges.values() for reply in part.verdicts[position].replies)
            return next((reply for reply in replies if reply.strip()), answers[position])

        title = self._columns.by or "group"
        by = None if groups is None else pl.Series(title, groups, pl.String)
        for tally, verdicts in zip(self._judges.values(), judges.values(), strict=True):
            tally.add(verdicts, by)
        self._lowest.add(expected, first_row, item)
        if self._is_panel:
            self._disputed.add(np.where(spread > 0, -spread, np.nan), first_row, item)
        else:
            width = next(iter(judges.values())).deviation
            self._vague.add(np.where(width > 0, -width, np.nan), first_row, item)
        self._sample_items(result, labels, inclusion)
        self._rows.add(
            np.column_stack(list(result.figures.values())),
            result.status,
            groups=None if groups is None else {title: groups},
            shown=first_reply,
        )
        texts = (("" if answer is None else str(answer),) for answer in answers)
        self._rows.add_languages(texts, result.status)

    def _sample_items(self, result: JudgedResult, labels: Floats | None, inclusion: Floats | None) -> None:
        """Store the numbers of a sample of items and of labelled items."""
        columns: dict[str, Column] = {_EXPECTED: result.expected_score}
        for tally, verdicts in zip(self._judges.values(), result.by_judge.values(), strict=True):
            columns |= tally.columns(verdicts)
        if inclusion is not None:
            columns[_INCLUSION] = inclusion
        has_label: Mask = np.zeros(len(result), dtype=np.bool_)
        if labels is not None:
            has_label = np.asarray(~np.isnan(labels).all(axis=1))
            self._labels.append((np.flatnonzero(has_label) + self._rows.n, labels[has_label]))
        self._sample.add(columns, has_label)

    def summary(self, result: JudgedResult, source: str, *, unused_inclusion: bool = False) -> JudgeSummary:
        """Return the summary of everything that was added.

        Args:
            result: a result; its signatures, refused forms and reason to stop apply to all parts.
            source: name of the items' source.
            unused_inclusion: whether the table has probabilities of a draw that were not named.
        """
        sample, judges = self._sample.rows(), result.by_judge
        common = self._rows.summary_fields(self._plan, source, result.signature)
        overall = common["estimates"]
        mean = mean_with_counts(overall.overall, "mean" if self._is_panel else "expected")
        human = self._human(sample, mean)
        if human is not None:
            common["signature"] = common["signature"].plus(human.signature)
        scores = {
            name: tally.scores(sample.columns, self._plan, judges[name], overall)
            for name, tally in self._judges.items()
        }
        return JudgeSummary(
            **common,
            columns=self._columns,
            judges=scores,
            sampled=sample.n_drawn,
            expected=sample.columns[_EXPECTED],
            in_draw=sample.in_draw,
            plan=self._plan,
            lowest=self._lowest.items,
            disputed=self._disputed.items,
            least_certain=self._vague.items,
            human=human,
            stopped=result.stopped,
            unused_inclusion=unused_inclusion,
        )

    def _human(self, sample: SampledRows, mean: MeanEstimate) -> HumanEvidence | None:
        """Compare stored items with their labels; with a sample, the judge's mean is over all items."""
        if not self._labels:
            return None
        labels = np.full((len(sample.rows), max(part.shape[1] for _, part in self._labels)), np.nan)
        for rows, part in self._labels:
            labels[np.searchsorted(sample.rows, rows), : part.shape[1]] = part
        human = compare_with_labels(
            sample.columns[_EXPECTED],
            labels,
            self._template,
            plan=self._plan,
            inclusion=sample.columns.get(_INCLUSION),
            sample=sample,
        )
        if sample.drawn is None:
            return human
        return replace(human, corrected=replace(human.corrected, naive=mean))


class _ScoreTally:
    """Running totals of one judge's verdicts, part by part."""

    def __init__(self, name: str, verdicts: Verdicts, grouping: Grouping | None, of_panel: bool) -> None:
        self._name, self._criteria = name, tuple(() if of_panel else verdicts.criteria)
        self._tallies: Tallies | None = None
        if of_panel:
            figures = _figures(("score", "expected"))
            self._tallies = Tallies(figures, verdicts.signature, grouping=grouping)
        self._order_bias, self._n_order_biases = 0.0, 0
        self._counts: Counter[Status] = Counter()
        self._provenances: Counter[Provenance] = Counter()
        self._reasons = {status: Counter[str]() for status in _WITH_REASON}
        self._fifths = np.zeros(_FIFTHS)
        self._n_little_covered = self._n_normalised = 0

    def add(self, verdicts: Verdicts, by: pl.Series | None) -> None:
        """Add the next m verdicts, with m names of groups; ``None`` without groups."""
        self._counts.update(verdicts.status.tolist())
        if self._tallies is not None:
            values = np.column_stack([verdicts.score, verdicts.expected])
            self._tallies.add(values, verdicts.status, by=by)
        for verdict in verdicts.verdicts:
            if verdict.provenance is not None:
                self._provenances[verdict.provenance] += 1
                is_decision = verdict.provenance is Provenance.DECISION
                self._n_little_covered += verdict.covered < LITTLE_COVERED
                self._n_normalised += is_decision and abs(verdict.covered - 1) > _ROUNDING
            if verdict.order_bias >= 0:
                self._order_bias += verdict.order_bias
                self._n_order_biases += 1
            reasons = self._reasons.get(verdict.status)
            if reasons is not None and (verdict.reason in reasons or len(reasons) < _COUNTED_REASONS):
                reasons[verdict.reason] += 1
            for score, mass in verdict.distribution:
                self._fifths[min(int(score * _FIFTHS), _FIFTHS - 1)] += mass

    def columns(self, verdicts: Verdicts) -> dict[str, Column]:
        """Return the numbers of m verdicts to store for the sample."""
        columns: dict[str, Column] = {"score": verdicts.score, "expected": verdicts.expected}
        columns |= {f"criterion {name}": verdicts.by_criterion(name) for name in self._criteria}
        return {f"{self._name} {title}": values for title, values in columns.items()}

    def scores(
        self,
        sample: Mapping[str, Column],
        plan: IntervalPlan,
        result: Verdicts,
        overall: Estimates,
    ) -> JudgeScores:
        """Return the summary of everything that was added.

        Args:
            sample: columns of the sampled items, of all judges.
            plan: how intervals are made.
            result: verdicts with the final signature and the forms that were not accepted.
            overall: estimates of all items; a single judge's estimates are the same.
        """
        estimates = overall
        if self._tallies is not None:
            estimates = self._tallies.estimates(
                interval=plan.interval,
                method=plan.method,
                seed=plan.seed,
                replicates=plan.replicates,
                signature=result.signature,
            )
        return JudgeScores(
            template=result.template,
            signature=result.signature,
            counts={status: self._counts[status] for status in Status if self._counts[status]},
            estimates=estimates,
            score=sample[f"{self._name} score"],
            expected=sample[f"{self._name} expected"],
            provenances={known: self._provenances[known] for known in Provenance if self._provenances[known]},
            fifths=self._fifths,
            n_little_covered=self._n_little_covered,
            reasons={
                status: dict(counts.most_common()) for status, counts in self._reasons.items() if counts
            },
            refused_forms=result.refused_forms,
            n_normalised=self._n_normalised,
            order_bias=self._order_bias / self._n_order_biases if self._n_order_biases else float("nan"),
            criteria={name: sample[f"{self._name} criterion {name}"] for name in self._criteria},
            weights={name: result.criteria[name] for name in self._criteria},
        )


def _figures(names: Sequence[str]) -> list[Figures]:
    """Declare values from 0 to 1 whose means are estimated; the first one is the main figure."""
    return [value_figure(name, _SCORE_BOUNDS) for name in names]
