"""Summary of judged items: figures of each judge, human labels compared with them, and items to look at."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from semscale.embedding.languages.language_counts import LanguageCount, LanguageCounter
from semscale.judging.asking import FormRefusal
from semscale.judging.human_labels import HumanEvidence, compare_with_labels, label_table, mean_labels
from semscale.judging.judge_columns import JudgeColumns, group_names, inclusion_in
from semscale.judging.templates import Template
from semscale.judging.verdict import Provenance, Verdict
from semscale.presentable import Presentable
from semscale.results.estimates import Estimates, mean_in_words
from semscale.results.shown_rows import ForemostRows, LeftOutRows
from semscale.results.tallies import Tallies
from semscale.signature import Signature
from semscale.stats.agreement.estimates import AgreementEstimate
from semscale.stats.agreement.panels import (
    EffectiveJudges,
    effective_judges,
    pairwise_agreement,
    severities,
)
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, counted_mean, estimate_mean
from semscale.stats.intervals.pmf_figures import value_figure
from semscale.stats.sampling import SAMPLED_ROWS, Column, LabelledSample, SampledRows
from semscale.store.columns import column_in, floats_in, statuses_in
from semscale.store.writing import PREFIX
from semscale.types import Floats, Integers, Mask, Status, Statuses

KEPT_ITEMS = 20
"""Items with the lowest scores, and as many that are disputed or least certain, that a summary stores."""

CRITERION = "criterion_"
"""Prefix of the columns of criteria."""

LITTLE_COVERED = 0.9
"""Mass below which a distribution rests on little."""

_LISTED_REASONS = 5
_OF_THE_RUN = {False: ("masses", "deviation"), True: ("masses", "deviation", "covered", "order_bias")}
_FIFTHS = 5
_SLACK = 1e-6
_WITH_REASON = (Status.FAILED, Status.UNPARSABLE, Status.REFUSED)
_MOST_REASONS = 1000  # different ones that are counted
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ANY = "…"

# Columns of the sample, beside those of the judges, which begin with a name.
_EXPECTED, _INCLUSION = " expected", " inclusion"

_Pair = tuple[str, str]


@dataclass(frozen=True)
class JudgeScores:
    """Scores of one judge for n items, and counts of how they came about.

    Attributes:
        template: what the judge was asked.
        signature: what was applied.
        counts: how many items have each status, as far as it occurs.
        estimates: mean ``score`` and mean ``expected`` score of all items, with intervals.
        score: shape (m,), of the items that are kept the level that was stated, from 0 to 1; NaN where there
            is none.
        expected: shape (m,), mean of each distribution, likewise.
        provenances: how many distributions come from where.
        fifths: shape (5,), mass that all distributions together put on each fifth of 0 to 1.
        n_little_covered: scores whose distribution rests on less than .9 of the mass.
        reasons: of items that failed, could not be read or were refused how many have which reason, the most
            frequent first, by status.
        not_taken: forms of asking that the model did not take, and why.
        n_normalised: decisions whose probabilities did not sum to 1 as they came.
        order_bias: mean of how far the order of the levels moved the distributions, 0 to 1; NaN where only
            one order was asked for.
        criteria: shape (m,) each, expected scores by each criterion of a rubric; empty for a template.
        weights: of the criteria, by their names.
    """

    template: Template
    signature: Signature
    counts: Mapping[Status, int]
    estimates: Estimates
    score: Floats
    expected: Floats
    provenances: Mapping[Provenance, int]
    fifths: Floats
    n_little_covered: int
    reasons: Mapping[Status, Mapping[str, int]] = field(default_factory=dict)
    not_taken: tuple[FormRefusal, ...] = ()
    n_normalised: int = 0
    order_bias: float = float("nan")
    criteria: Mapping[str, Floats] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def failure(self) -> str | None:
        """The most frequent reason why a call had no reply; ``None`` where every call had one."""
        return next(iter(self.reasons.get(Status.FAILED, ())), None)

    @property
    def unusable(self) -> str | None:
        """The most frequent reason why a reply gave no score; ``None`` where each did, or declined."""
        return next(iter(self.reasons.get(Status.UNPARSABLE, ())), None)

    @property
    def frequent_reasons(self) -> list[tuple[Status, str, int]]:
        """The five most frequent reasons of each status, those that differ in numbers alone as one."""
        return [
            (status, reason, n)
            for status, found in self.reasons.items()
            for reason, n in list(alike_reasons(found).items())[:_LISTED_REASONS]
        ]

    @property
    def is_scored_anywhere(self) -> bool:
        """Whether any item has a score."""
        return Status.SCORED in self.counts


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


@dataclass(frozen=True, repr=False)
class JudgeSummary(Presentable):
    """Figures of n judged items, and the items to look at.

    Attributes:
        source: what the items are from.
        columns: which column is what.
        judges: each judge's numbers, by the judge's name.
        n: how many items there are.
        sampled: items of the random sample that criteria, severities, agreement and corrected means are made
            from; ``None`` where all items are.
        counts: items by their status; of a panel ``scored`` where one judge or more gave a score.
        estimates: means over all items, with intervals. Of one judge these are ``score``, the mean of the
            levels that it stated, and ``expected``, the mean of its expected scores; of a panel ``mean``, the
            mean of its judges' expected scores.
        expected: shape (m,), expected scores of the items that are kept, of a panel the mean of its judges;
            NaN where there is none.
        in_draw: shape (m,), which of these stand for all items; the others are kept for their labels.
        plan: how intervals are made.
        lowest: items with the lowest scores, the lowest first, at most 20.
        disputed: items on which a panel's judges differ most, at most 20; empty for one judge.
        least_certain: items whose scores have the widest distributions, at most 20; empty for a panel.
        left_out: for each reason why items have no score a few of them: row, counted from 0, and text.
        languages: items by the language of the answer, the most frequent first.
        human: people's labels beside the scores, where there are any.
        stopped: why not every item was asked about, or ``None``.
        input_notes: how the table was read, such as the rows that a condition left out.
        unused_inclusion: whether the table has a column ``inclusion``, as ``judge label`` writes it, that was
            not named beside the labels.
        created: when.
    """

    source: str
    columns: JudgeColumns
    judges: Mapping[str, JudgeScores]
    n: int
    sampled: int | None
    counts: Mapping[Status, int]
    estimates: Estimates
    expected: Floats
    in_draw: Mask
    plan: IntervalPlan
    lowest: tuple[JudgedRow, ...] = ()
    disputed: tuple[JudgedRow, ...] = ()
    least_certain: tuple[JudgedRow, ...] = ()
    left_out: Mapping[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)
    languages: tuple[LanguageCount, ...] = ()
    human: HumanEvidence | None = None
    stopped: str | None = None
    input_notes: tuple[str, ...] = ()
    unused_inclusion: bool = False
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        overall = self.estimates.overall
        mean = f", {mean_in_words(self.estimates.overall_mean())}" if overall.n else ""
        judges = f"judges={list(self.judges)}"
        return f"JudgeSummary(source={self.source!r}, {judges}, n={self.n:,}, n_scored={overall.n:,}{mean})"

    @property
    def is_panel(self) -> bool:
        """Whether there are several judges."""
        return len(self.judges) > 1

    @property
    def signature(self) -> Signature:
        """The settings that were applied, those of the estimates and of people's labels included."""
        found = self.estimates.signature
        return found if self.human is None else found.extended(self.human.signature)

    @property
    def failed(self) -> str | None:
        """Why no call brought a usable reply; ``None`` where one did, if only to decline.

        A run that was stopped may bring one yet, so that only calls without any reply count there.
        """
        judges = self.judges.values()
        if any(own.counts.get(status) for own in judges for status in (Status.SCORED, Status.REFUSED)):
            return None
        reasons = (own.failure or (None if self.stopped else own.unusable) for own in judges)
        return next((reason for reason in reasons if reason), None)

    @property
    def template(self) -> Template:
        """The template of the judge, of a panel that of its first judge."""
        return next(iter(self.judges.values())).template

    @property
    def judge_estimates(self) -> dict[str, Estimates]:
        """Each judge's mean ``score`` and mean ``expected`` score with intervals, by the judge's name."""
        return {name: own.estimates for name, own in self.judges.items()}

    @property
    def mean_expected(self) -> Estimate | None:
        """Mean of ``expected`` over all items, 0 to 1, with its interval; ``None`` without any score."""
        return self.estimates.overall.figures.get("mean" if self.is_panel else "expected")

    @cached_property
    def mean_label(self) -> MeanEstimate | None:
        """Mean of people's labels, 0 to 1, over all rows that have one; ``None`` without any label."""
        if self.human is None or np.isnan(self.human.mean_label).all():
            return None
        found = estimate_mean(self.human.mean_label, bounds=(0.0, 1.0), plan=self.plan)
        return replace(found, n_left_out=self.n - found.n)

    @cached_property
    def criteria(self) -> dict[str, MeanEstimate]:
        """Mean expected score by each criterion of a rubric, 0 to 1, by its name; empty for a template."""
        return {
            name: estimate_mean(values[self.in_draw], bounds=(0.0, 1.0), plan=self.plan)
            for own in self.judges.values()
            for name, values in own.criteria.items()
        }

    @cached_property
    def severities(self) -> dict[str, MeanEstimate]:
        """How much higher each judge of a panel scores than the others do on the same items, by its name."""
        if not self.is_panel:
            return {}
        return dict(
            zip(self.judges, severities(self._each_expected[self.in_draw], plan=self.plan), strict=True)
        )

    @cached_property
    def agreement(self) -> dict[_Pair, AgreementEstimate]:
        """Quadratic weighted kappa of every two judges of a panel, by their names."""
        if not self.is_panel:
            return {}
        stated = np.column_stack([own.score for own in self.judges.values()])
        found = pairwise_agreement(stated[self.in_draw], interval=self.plan.interval, seed=self.plan.seed)
        names = list(self.judges)
        return {(names[pair.first], names[pair.second]): pair.kappa for pair in found}

    @cached_property
    def effective_judges(self) -> EffectiveJudges | None:
        """How many independent judges a panel amounts to; ``None`` for one judge."""
        if not self.is_panel:
            return None
        plan, scores, truth = self.plan, self._each_expected, None
        if self.human is None:
            scores = scores[self.in_draw]
        else:
            truth = self.human.mean_label
        return effective_judges(scores, truth=truth, interval=plan.interval, seed=plan.seed)

    @property
    def provenances(self) -> dict[Provenance, int]:
        """How many distributions of all judges come from where."""
        counted = {
            provenance: sum(own.provenances.get(provenance, 0) for own in self.judges.values())
            for provenance in Provenance
        }
        return {provenance: n for provenance, n in counted.items() if n}

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "instrument": "judge",
            "source": self.source,
            "rows": self.n,
            "sampled": self.sampled,
            "counts": self.counts,
            "languages": [found.record("language") for found in self.languages],
            "estimates": self.estimates,
            "judges": [self._judge_record(name) for name in self.judges],
            "panel": self._panel_record(),
            "human": None if self.human is None else self._human_record(self.human),
            "lowest": [item.record() for item in self.lowest],
            "disputed": [item.record() for item in self.disputed],
            "stopped": self.stopped,
            "signature": self.signature,
            "created": self.created,
        }

    def _judge_record(self, name: str) -> dict[str, Any]:
        own = self.judges[name]
        return {
            "name": name,
            "template": own.template.name,
            "counts": own.counts,
            "provenance": own.provenances,
            "estimates": own.estimates,
            "method": dict(own.signature.fields).get("method", "prose"),
            "n_normalised": own.n_normalised,
            "order_bias": own.order_bias,
            "not_taken": [each.record() for each in own.not_taken],
            "reasons": [
                {"status": status, "reason": reason, "n": n} for status, reason, n in own.frequent_reasons
            ],
            "criteria": [
                {"name": criterion, "weight": own.weights[criterion], "estimate": self.criteria[criterion]}
                for criterion in own.criteria
            ],
        }

    def _panel_record(self) -> dict[str, Any] | None:
        independent = self.effective_judges
        if independent is None:
            return None
        return {
            "severities": [{"judge": name, "estimate": one} for name, one in self.severities.items()],
            "agreement": [{"judges": pair, "kappa": kappa} for pair, kappa in self.agreement.items()],
            "effective_judges": {
                "value": independent.value,
                "low": independent.low,
                "high": independent.high,
                "of": independent.of,
                "note": independent.note,
            },
        }

    def _human_record(self, human: HumanEvidence) -> dict[str, Any]:
        corrected, ceiling = human.corrected, human.ceiling
        return {
            "n_labelled": corrected.n_labelled,
            "corrected": corrected,
            "naive": corrected.naive,
            "labels_only": corrected.labels_only,
            "bias": corrected.bias,
            "judge_less_people": human.judge_less_people,
            "labels": self.mean_label,
            "kappa": human.kappa,
            "ceiling": None
            if ceiling is None
            else {"judge": ceiling.judge, "people": ceiling.ceiling, "difference": ceiling.difference},
        }

    @cached_property
    def _each_expected(self) -> Floats:
        """Expected scores of the items that are kept, shape (m, k)."""
        return np.column_stack([own.expected for own in self.judges.values()])


def alike_reasons(found: Mapping[str, int]) -> dict[str, int]:
    """Count reasons without regard to their numbers; where these differ, an ellipsis stands for them.

    Args:
        found: how many items have each reason.

    Returns:
        Likewise, the most frequent first.

    Example:
        >>> alike_reasons({"they sum to 0.8, at most 1.01": 2, "busy": 3, "they sum to 0.7, at most 1.01": 2})
        {'they sum to …, at most 1.01': 4, 'busy': 3}
    """
    groups: dict[str, dict[str, int]] = {}
    for reason, n in found.items():
        groups.setdefault(_NUMBER.sub(_ANY, reason), {})[reason] = n
    counted = {_common(list(own)): sum(own.values()) for own in groups.values()}
    return dict(sorted(counted.items(), key=lambda each: -each[1]))


def _common(reasons: list[str]) -> str:
    """Write reasons that differ in their numbers as one."""
    each = zip(*map(_NUMBER.findall, reasons), strict=True)
    numbers = (own[0] if len(set(own)) == 1 else _ANY for own in each)
    return _NUMBER.sub(lambda _: next(numbers), reasons[0])


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
        found = compare_with_labels(
            expected, labels, self._template, plan=self._plan, inclusion=drawn, sample=kept
        )
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


class JudgeTally:
    """Takes the parts of one judge in the order of the rows, and adds them up.

    Args:
        template: what the judge was asked.
        name: of the judge, for its columns of the items that are kept.
        weights: of a rubric's criteria by their names; empty for a template.
    """

    def __init__(self, template: Template, name: str, weights: Mapping[str, float] | None = None) -> None:
        self._template, self._name, self._weights = template, name, weights or {}
        self._tallies = score_tallies(("score", "expected"))
        self._order_bias, self._n_order_biases = 0.0, 0
        self._n_normalised = 0
        self._counts: Counter[Status] = Counter()
        self._provenances: Counter[str] = Counter()
        self._reasons = {kind: Counter[str]() for kind in _WITH_REASON}
        self._fifths = np.zeros(_FIFTHS)
        self._n_little_covered = 0

    def add(self, own: JudgedColumns, by: pl.Series | None) -> Floats:
        """Add the next rows.

        Args:
            own: the judge's columns of m rows.
            by: m names of groups; ``None`` without groups.

        Returns:
            Shape (m,), the standard deviation of each score, 0 to .5; NaN for none, or where it is 0.
        """
        status, expected = own.statuses(), own.floats("expected")
        self._counts.update(status.tolist())
        self._tallies.add(np.column_stack([own.floats("score"), expected]), status, by=by)
        self._provenances.update(own.column("provenance").drop_nulls().to_list())
        covered, scored = own.floats("covered"), status == Status.SCORED
        self._n_little_covered += int((covered[scored] < LITTLE_COVERED).sum())
        decided = (own.column("provenance") == Provenance.DECISION).fill_null(False).to_numpy()  # noqa: FBT003
        self._n_normalised += int((np.abs(covered[scored & decided] - 1) > _SLACK).sum())
        biases = own.floats("order_bias")
        biases = biases[~np.isnan(biases)]
        # One after the other, so that the size of the parts does not move the last digit.
        self._order_bias = float(np.cumsum([self._order_bias, *biases])[-1])
        self._n_order_biases += len(biases)
        for kind, counted in self._reasons.items():
            for reason in own.column("reason").filter(status == kind).fill_null("").to_list():
                if reason in counted or len(counted) < _MOST_REASONS:
                    counted[reason] += 1
        for masses in own.column("masses").to_list():
            for score, mass in masses:
                self._fifths[min(int(score * _FIFTHS), _FIFTHS - 1)] += mass
        widths = own.floats("deviation")
        return np.where(widths > 0, widths, np.nan)

    def columns(self, own: JudgedColumns) -> dict[str, Column]:
        """Give the numbers of m rows that are kept of a sample of rows."""
        found = {"score": own.floats("score"), "expected": own.floats("expected")}
        found |= {CRITERION + name: own.floats(CRITERION + name) for name in self._weights}
        return {self._column(name): values for name, values in found.items()}

    def scores(
        self,
        kept: Mapping[str, Column],
        plan: IntervalPlan,
        signature: Signature,
        not_taken: tuple[FormRefusal, ...],
    ) -> JudgeScores:
        """Sum up everything that was added.

        Args:
            kept: columns of the items that are kept, those of all judges.
            plan: how intervals are made.
            signature: what the judge applied.
            not_taken: forms of asking that its model did not take, and why.
        """
        return JudgeScores(
            template=self._template,
            signature=signature,
            counts={status: self._counts[status] for status in Status if self._counts[status]},
            estimates=tallied(self._tallies, plan, signature),
            score=kept[self._column("score")],
            expected=kept[self._column("expected")],
            provenances={known: self._provenances[known] for known in Provenance if self._provenances[known]},
            fifths=self._fifths,
            n_little_covered=self._n_little_covered,
            reasons={kind: dict(counted.most_common()) for kind, counted in self._reasons.items() if counted},
            not_taken=not_taken,
            n_normalised=self._n_normalised,
            order_bias=self._order_bias / self._n_order_biases if self._n_order_biases else float("nan"),
            criteria={name: kept[self._column(CRITERION + name)] for name in self._weights},
            weights=self._weights,
        )

    def _column(self, name: str) -> str:
        return f"{self._name} {name}"


def score_tallies(names: Sequence[str]) -> Tallies:
    """Begin to add up values from 0 to 1; the first one is the main figure."""
    return Tallies([value_figure(name, (0.0, 1.0)) for name in names], Signature.of("judge"))


def tallied(tallies: Tallies, plan: IntervalPlan, signature: Signature) -> Estimates:
    """Estimate what was added up, once the signature is known."""
    return tallies.estimates(
        interval=plan.interval,
        method=plan.method,
        seed=plan.seed,
        replicates=plan.replicates,
        signature=signature,
    )
