"""Comparison of a panel with people: summary, conclusions, and the panel's position on each axis."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import factorial
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.messages import unknown_name
from semscale.presentable import Presentable
from semscale.settings import takes
from semscale.signature import Signature
from semscale.stats.intervals import Estimate, IntervalPlan
from semscale.stats.panel_benchmarks import FEWEST_SURVEYS, Attainment
from semscale.store.table import Table
from semscale.study.axes import (
    FEWEST_IN_GROUP,
    Correlations,
    GroupContrasts,
    Marginals,
    compare_correlations,
    compare_groups,
    compare_individuals,
    compare_marginals,
    rerun_reliabilities,
    surveys_of,
)
from semscale.study.people import (
    ComparedQuestion,
    ComparedSide,
    PanelAnswers,
    People,
    people_table,
    read_panel_answers,
    read_people,
)
from semscale.study.result import StudyResult
from semscale.study.settings import ComparisonKeywords, ComparisonSettings
from semscale.study.study_figures import StudyFigure, StudyFigures, as_figure, with_keys
from semscale.survey.description import Survey

Subject = Literal["ranking", "distributions", "relations", "groups", "individuals"]
"""Respects: order of concepts, shares of points, correlations, differences of groups, and individuals."""

FEWEST_CLEAR = 5
"""Least number of clear differences of people's groups that a conclusion needs.

A random panel matches each direction with probability 1/2, so it matches four of four with probability 1/16,
and five of five with probability 1/32.
"""

_LISTED = 8


@dataclass(frozen=True)
class Conclusion:
    """Conclusion on whether a panel can replace people in one respect.

    Attributes:
        subject: the respect.
        holds: ``True`` if the data show that the panel is better than its nulls; ``False`` if they show that
            it is less than halfway from a null to people, or that it invents differences; ``None`` if the
            data are inconclusive.
        because: the figures behind the conclusion, or the missing data.
    """

    subject: Subject
    holds: bool | None
    because: str


@dataclass(frozen=True)
class MethodComparison:
    """Comparison of people's answers with a panel's answers by one method.

    Attributes:
        method: method that measured the panel's answers.
        n_personas: number of personas with a rating.
        n_without: number of answers without a rating.
        marginals: distributions and the order of concepts.
        correlations: correlations between questions; ``None`` if they cannot be compared.
        groups: differences between groups; ``None`` likewise.
        conclusions: conclusions in five respects.
        model: model that answered; ``None`` if the study has one model.
    """

    method: str
    n_personas: int
    n_without: int
    marginals: Marginals
    correlations: Correlations | None
    groups: GroupContrasts | None
    conclusions: tuple[Conclusion, ...]
    model: str | None = None


@dataclass(frozen=True, repr=False)
class StudyComparison(Presentable):
    """Agreement of a synthetic panel's answers with people's answers.

    The panel's intervals are *simulation intervals*: they show how much figures would vary with other
    personas.

    Attributes:
        name: name of the study.
        source: source of the panel's answers.
        questions: compared questions.
        concepts: compared concepts.
        methods: benchmarks and conclusions, for each method and model.
        figures: figures of both sides by each method and model, and the panel's positions between nulls and
            people.
        people: people's answers, and the excluded rows.
        settings: columns of the people's table, and the scope of the comparison.
        plan: how intervals are made.
        signature: the settings that were applied.
        created: time of the comparison.
    """

    name: str
    source: str
    questions: tuple[ComparedQuestion, ...]
    concepts: tuple[str, ...]
    methods: tuple[MethodComparison, ...]
    figures: StudyFigures
    people: People
    settings: ComparisonSettings
    plan: IntervalPlan
    signature: Signature
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        methods = ", ".join(comparison.method for comparison in self.methods)
        return f"StudyComparison({self.name!r}, methods={methods!r}, n_people={self.people.side.n:,})"

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        return {
            "instrument": "study compare",
            "name": self.name,
            "source": self.source,
            "people_source": self.people.source,
            "created": self.created,
            "questions": self.questions,
            "concepts": list(self.concepts),
            "people": self.people.side.n,
            "rows": self.people.n_rows,
            "left_out": self.people.left_out,
            "shared_name": self.people.shared_name,
            "human_range": None if self.settings.human_range is None else list(self.settings.human_range),
            "splits": self.settings.splits,
            "intervals": {"kind": "simulation", **self.plan.settings},
            "methods": self.methods,
            "results": [figure.record() for figure in self.figures.rows],
            "signature": self.signature,
        }


@takes(ComparisonSettings)
def compare(
    answers: StudyResult | str | Path,
    human: str | Path | pl.DataFrame | Table,
    *,
    plan: IntervalPlan | None = None,
    survey: Survey | None = None,
    **settings: Unpack[ComparisonKeywords],
) -> StudyComparison:
    """Compare the answers of a panel with those of people: structure, marginals and individuals.

    Args:
        answers: a result, the folder of a run, or the table of answers in it.
        human: people's answers: a file or a table with one row per person, or per person and concept.
        plan: coverage, seed and replicates of the intervals.
        survey: description of the table of people, whose questions can be named.
        settings: fields of ``ComparisonSettings``. ``questions`` maps questions to columns, and ``by`` maps
            attributes to columns; ``concept``, ``respondent`` and ``weight`` are columns.

    Raises:
        InputError: a name does not exist, values are on another scale, or both sides answered nothing in
            common.

    References:
        The three axes: arXiv 2606.28963. Attainment and KS similarity: arXiv 2510.08338.
    """
    plan, chosen = plan or IntervalPlan(), ComparisonSettings(**settings)
    panel = read_panel_answers(answers)
    for name in chosen.methods:
        if name not in panel.methods:
            raise unknown_name("method with a rating", name, panel.methods)
    table = people_table(human)
    known = {*table.columns, *(() if survey is None else survey.by_name)}
    asked = _questions(panel, table, chosen.questions, known)
    columns = {question.name: chosen.questions.get(question.name, question.name) for question in asked}
    chosen = chosen.with_values(questions=columns)
    people = read_people(table, chosen, asked, panel.concepts, survey)
    sides = {
        (method, model): panel.side(method, asked, tuple(chosen.by), model)
        for wanted in dict.fromkeys(chosen.methods or panel.methods)
        for method, model in panel.measured
        if method == wanted
    }
    _check_groups(next(iter(sides.values())), people.side)
    compared = [
        _compare_method(panel, measured, side, people.side, plan, chosen.splits)
        for measured, side in sides.items()
    ]
    n_models, limits = len({model for _, model in sides}), chosen.human_range
    return StudyComparison(
        name=panel.result.design.name,
        source=panel.result.design.source,
        questions=asked,
        concepts=panel.concepts,
        methods=tuple(method for method, _ in compared),
        figures=StudyFigures(tuple(figure for _, figures in compared for figure in figures)),
        people=people,
        settings=chosen,
        plan=plan,
        signature=Signature.of(
            "study compare",
            panel=_hash_sides(sides.values()),
            people=_hash_sides([people.side]),
            methods="+".join(dict.fromkeys(method for method, _ in sides)),
            **({"models": n_models} if n_models > 1 else {}),
            human_range="scale" if limits is None else "{:.12g} to {:.12g}".format(*limits),
            splits=chosen.splits,
            **plan.settings,
        ),
    )


def _questions(
    panel: PanelAnswers, human: Table, columns: Mapping[str, str], named: Collection[str]
) -> tuple[ComparedQuestion, ...]:
    """Return the questions to compare: those that the user names, or all that both sides name alike."""
    known = {question.name: question for question in panel.questions}
    for name in columns:
        if name not in known:
            raise unknown_name("question of the study", name, tuple(known))
    if columns:
        return tuple(known[name] for name in columns)
    shared = tuple(question for name, question in known.items() if name in named)
    if not shared:
        raise InputError(
            "question",
            f": {human.name} has no column that is called like a question of the study "
            f"({', '.join(known)}): name the column with its answers (`question`: {next(iter(known))}"
            "=COLUMN)",
        )
    return shared


def _check_groups(panel: ComparedSide, people: ComparedSide) -> None:
    """Refuse an attribute that has no group in common; the message names the groups of both sides."""
    for name in panel.groups:
        of_panel, of_people = ({*side.groups[name]} - {None} for side in (panel, people))
        if of_panel.isdisjoint(of_people):
            listed = (
                ", ".join(sorted(map(str, groups))[:_LISTED]) or "none" for groups in (of_panel, of_people)
            )
            raise InputError(
                "by",
                f": personas and people have no group of {name!r} in common: personas have "
                f"{next(listed)}; people have {next(listed)}",
            )


def _compare_method(
    answers: PanelAnswers,
    measured: tuple[str, str | None],
    panel: ComparedSide,
    people: ComparedSide,
    plan: IntervalPlan,
    splits: int,
) -> tuple[MethodComparison, list[StudyFigure]]:
    """Compare people with the panel by one method and one model; return the figures in addition."""
    method, model = measured
    surveys = surveys_of(panel, people, answers.concepts)
    if not surveys:
        raise InputError(
            "human", f": no question was answered both by the panel ({method}) and by two people"
        )
    marginals, means = compare_marginals(panel, people, surveys, plan, splits=splits)
    reliabilities = rerun_reliabilities(panel, plan)
    correlations, pairs = compare_correlations(panel, people, reliabilities, plan)
    groups, differences = compare_groups(panel, people, plan)
    individuals = list(compare_individuals(panel, people, plan))
    matches = [figure for figure in individuals if figure.figure == "individual_correlation"]
    comparison = MethodComparison(
        method,
        panel.n,
        answers.n_without(method, model),
        marginals,
        correlations,
        groups,
        conclude(marginals, correlations, groups, matches, plan.interval),
        model,
    )
    figures = (
        *means,
        *(as_figure("reliability", figure, question=name) for name, figure in reliabilities.items()),
        *pairs,
        *differences,
        *individuals,
        *positions(marginals, correlations, groups, matches),
    )
    return comparison, list(with_keys(figures, method=method, model=model))


def _hash_sides(sides: Iterable[ComparedSide]) -> str:
    """Return eight hex digits of the SHA-256 of all answers and weights."""
    digest = hashlib.sha256()
    for side in sides:
        digest.update(np.ascontiguousarray(side.positions).tobytes())
        digest.update(np.ascontiguousarray(side.person_weights).tobytes())
    return digest.hexdigest()[:8]


# Conclusions


def conclude(
    marginals: Marginals,
    correlations: Correlations | None,
    groups: GroupContrasts | None,
    individuals: Sequence[StudyFigure],
    interval: float,
) -> tuple[Conclusion, ...]:
    """Draw conclusions: a panel is better than a null if the interval of the difference is above 0.

    It is not better if the whole interval is below the midpoint between the null and the human ceiling. An
    interval that contains both 0 and the midpoint is inconclusive.

    Args:
        marginals: marginals by one method.
        correlations: correlations; ``None`` if they could not be compared.
        groups: group differences, likewise.
        individuals: correlations of individuals by question; empty if no name is shared.
        interval: coverage of the intervals; the order of concepts is tested at half of the remaining
            probability.
    """
    return (
        *_about_ranking(marginals.attainments, (1 - interval) / 2),
        Conclusion("distributions", *_about_distributions(marginals)),
        Conclusion("relations", *_about_relations(correlations)),
        Conclusion("groups", *_about_groups(groups)),
        Conclusion("individuals", *_about_individuals(individuals)),
    )


def _about_ranking(attainments: Mapping[str, Attainment | None], level: float) -> Iterator[Conclusion]:
    known = {name: order for name, order in attainments.items() if order is not None}
    if not known:
        lacking = f"it takes at least {FEWEST_SURVEYS} concepts that both sides answered"
        yield Conclusion("ranking", None, lacking)
    for name, order in known.items():
        yield Conclusion("ranking", *_about_order(name, order, level))


def _about_order(name: str, order: Attainment, level: float) -> tuple[bool | None, str]:
    """Return the conclusion on the order of concepts, with its figures."""
    attainment = f"attainment {order.ratio.value:.2f} for {name}"
    shown = f"{attainment}, p {order.p_value:.3f}"
    chance = 1 / factorial(order.n_surveys)
    if np.isnan(order.ratio.value):
        return (
            None,
            f"the halves of the human sample do not agree on {name}, or the panel's means are all equal",
        )
    if chance > level:
        return None, f"{attainment}, but {order.n_surveys} concepts can be in any order by chance"
    if order.p_value <= level:
        return True, shown
    if 1 - order.p_value + chance <= level:
        return False, f"{shown}: almost no order is further from that of people"
    return _no_or_unknown(order.ratio.high, 1.0), shown


def _about_distributions(marginals: Marginals) -> tuple[bool | None, str]:
    distance = marginals.benchmarks.distances["wasserstein"]
    shown = f"Wasserstein-1 {distance.panel.value:.2f}, equal shares {distance.uniform.value:.2f}"
    halves = distance.split_half.value
    answers = [_beyond_null(distance.below_uniform, distance.uniform.value - halves)]
    if not np.isnan(distance.pooled.value):
        shown += f", pooled people {distance.pooled.value:.2f}"
        answers.append(_beyond_null(distance.below_pooled, distance.pooled.value - halves))
    unanimous = False if False in answers else None if None in answers else True
    return unanimous, f"{shown}, halves of people {halves:.2f}"


def _about_relations(correlations: Correlations | None) -> tuple[bool | None, str]:
    if correlations is None:
        return None, "it takes two questions that at least ten personas and ten people answered"
    shown = (
        f"correlations of questions are {correlations.gap.value:.2f} off, shuffled personas "
        f"{correlations.permuted:.2f}, halves of people {correlations.split_half:.2f}"
    )
    way = correlations.permuted - correlations.split_half
    return _beyond_null(correlations.below_permuted, way), shown


def _about_groups(groups: GroupContrasts | None) -> tuple[bool | None, str]:
    if groups is None:
        return None, "no attribute with two groups on both sides was named"
    holds, because = _about_tested_groups(groups)
    small = groups.n_pairs - groups.n_tested
    if not small:
        return holds, because
    pairs = "pair of groups has" if small == 1 else "pairs of groups have"
    few = f"{small} {pairs} a group of fewer than {FEWEST_IN_GROUP} personas or people: not tested"
    return holds, f"{because}; {few}" if because else few


def _about_tested_groups(groups: GroupContrasts) -> tuple[bool | None, str]:
    if not groups.n_tested:
        return None, ""
    invented = groups.n_invented
    inventions = f"the panel invents {invented} of {groups.n_tested} differences, which people do not show"
    if not groups.n_clear:
        alike = "no two groups of people differ significantly"
        return (False, f"{inventions}; {alike}") if invented else (None, alike)
    shown = (
        f"same direction in {groups.same_sign:.0%} of {groups.n_clear} clear differences, "
        f"{groups.size_ratio.value:.2f} times as large"
    )
    if invented:
        return False, f"{inventions}; {shown}"
    if groups.n_clear < FEWEST_CLEAR:
        return None, f"{shown}; a conclusion needs {FEWEST_CLEAR} clear differences"
    return _beyond_null(groups.size_ratio, 1.0), shown


def _about_individuals(individuals: Sequence[StudyFigure]) -> tuple[bool | None, str]:
    if not individuals:
        return None, "no persona ID matches a respondent ID"
    shown = ", ".join(f"r {correlation.value:.2f} for {correlation.question}" for correlation in individuals)
    known = [correlation for correlation in individuals if not np.isnan(correlation.value)]
    return bool(known) and all(correlation.low > 0 for correlation in known), shown


def _beyond_null(figure: Estimate, way: float) -> bool | None:
    """Return true if a figure, 0 at the null and ``way`` at the ceiling, is significantly above the null."""
    return True if figure.low > 0 else _no_or_unknown(figure.high, way)


def _no_or_unknown(high: float, way: float) -> bool | None:
    """Return false if the upper end is at most 0 or below half of ``way``; otherwise ``None``."""
    return False if high <= 0 or high < way / 2 else None


# Positions of the panel between nulls and people


def positions(
    marginals: Marginals,
    correlations: Correlations | None,
    groups: GroupContrasts | None,
    individuals: Sequence[StudyFigure],
) -> Iterator[StudyFigure]:
    """Return the panel's position in every respect that can be estimated: 0 at the null, 1 at the ceiling.

    Order of concepts: mean attainment. Distributions: (null - d) / (null - halves) for Wasserstein-1, where
    the null is the closer one of equal shares and pooled people. Relations: the same for the correlations'
    differences, with shuffled personas as null. Groups: the same for the share with equal direction.
    Individuals: mean r, since the ceiling is unknown if people were asked once. Intervals are for fixed null
    and ceiling.

    Args:
        marginals: marginals by one method.
        correlations: correlations; ``None`` if they could not be compared.
        groups: group differences, likewise.
        individuals: correlations of individuals by question; empty if no name is shared.
    """
    values: dict[Subject, Estimate] = {}
    ratios = [order.ratio for order in marginals.attainments.values() if order is not None]
    values["ranking"] = _mean_of(ratios)
    distance = marginals.benchmarks.distances["wasserstein"]
    is_pooled_closer = distance.pooled.value < distance.uniform.value
    null, below = (
        (distance.pooled, distance.below_pooled)
        if is_pooled_closer
        else (distance.uniform, distance.below_uniform)
    )
    values["distributions"] = _between(null.value, distance.panel.value, distance.split_half.value, below)
    if correlations is not None:
        permuted, gap, halves = correlations.permuted, correlations.gap.value, correlations.split_half
        values["relations"] = _between(permuted, gap, halves, correlations.below_permuted)
    if groups is not None and groups.n_clear:
        values["groups"] = _between(groups.permuted, groups.same_sign, groups.split_half)
    values["individuals"] = _mean_of(individuals)
    for subject, position in values.items():
        if np.isfinite(position.value):
            yield as_figure("position", position, by="subject", level=subject)


def _mean_of(estimates: Sequence[Estimate | StudyFigure]) -> Estimate:
    """Return the mean of estimates; only a single estimate has an interval."""
    if not estimates:
        return Estimate()
    if len(estimates) == 1:
        return Estimate(estimates[0].value, estimates[0].low, estimates[0].high)
    return Estimate(float(np.mean([estimate.value for estimate in estimates])))


def _between(null: float, value: float, ceiling: float, below: Estimate | None = None) -> Estimate:
    """Return the position of a value between null (0) and ceiling (1) with its interval; NaN if unknown.

    Args:
        null: figure of the null model.
        value: figure of the panel.
        ceiling: figure of people among themselves.
        below: null minus value, with its interval, if known.
    """
    way = null - ceiling
    if way == 0:
        return Estimate()
    if below is None:
        return Estimate((null - value) / way)
    ends = (below.low / way, below.high / way)
    return Estimate((null - value) / way, min(ends), max(ends))
