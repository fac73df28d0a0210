"""The comparison of a panel with people: what is compared, and its summary."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.messages import unknown_name
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.agreement.estimates import AgreementEstimate
from semscale.stats.distances.benchmarks import SPLITS
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.table import Table
from semscale.study.comparing.conclusions import Conclusion, conclude
from semscale.study.comparing.group_contrasts import GroupContrasts, compare_groups
from semscale.study.comparing.individuals import Individuals, compare_individuals
from semscale.study.comparing.marginals import Marginals, compare_marginals, surveys_of
from semscale.study.comparing.panel_answers import PanelAnswers, read_panel_answers
from semscale.study.comparing.people import People, PeopleColumns, people_table, read_people
from semscale.study.comparing.sides import ComparedQuestion, ComparedSide
from semscale.study.comparing.standings import Standing, standings
from semscale.study.comparing.structure import Correlations, compare_correlations, rerun_reliabilities
from semscale.study.result import StudyResult


@dataclass(frozen=True)
class MethodComparison:
    """Answers of a panel by one method beside those of people.

    Attributes:
        method: how the panel's answers were measured.
        n_personas: personas with a rating.
        n_without: answers without a rating.
        marginals: distributions, means and the order of concepts.
        reliabilities: of a persona's mean over repeated answers, by question; empty without repeats.
        correlations: between questions; ``None`` where they cannot be compared.
        groups: differences between groups; ``None`` likewise.
        individuals: personas beside the people of the same name; empty where nobody is matched.
        conclusions: what follows, in five respects.
        standings: where the panel stands between its nulls and people, in the respects that can be known.
        model: that answered; ``None`` where the study has one alone.
    """

    method: str
    n_personas: int
    n_without: int
    marginals: Marginals
    reliabilities: Mapping[str, AgreementEstimate]
    correlations: Correlations | None
    groups: GroupContrasts | None
    individuals: tuple[Individuals, ...]
    conclusions: tuple[Conclusion, ...]
    standings: tuple[Standing, ...]
    model: str | None = None


@dataclass(frozen=True, repr=False)
class StudyComparison(Presentable):
    """How far a synthetic panel answers as people do.

    The panel's intervals are *simulation intervals*: how far figures would move with other personas.

    Attributes:
        name: of the study.
        source: where the panel's answers come from.
        people_source: where the people's come from.
        questions: that were compared.
        concepts: likewise.
        methods: one comparison for each, and for each model.
        columns: of the people's table.
        n_people: people with an answer that counts.
        n_rows: rows of their table.
        left_out: rows that do not count, by reason.
        shared_name: a column that looks like names of people with several rows, where none was named;
            ``None`` where there is none.
        human_range: lowest and highest value that people could give; the scale's own unless given.
        plan: how intervals are made.
        splits: random halves of the people.
        signature: what was applied.
        created: when.
    """

    name: str
    source: str
    people_source: str
    questions: tuple[ComparedQuestion, ...]
    concepts: tuple[str, ...]
    methods: tuple[MethodComparison, ...]
    columns: PeopleColumns
    n_people: int
    n_rows: int
    left_out: Mapping[str, int]
    shared_name: str | None
    human_range: tuple[float, float] | None
    plan: IntervalPlan
    splits: int
    signature: Signature
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        methods = ", ".join(each.method for each in self.methods)
        return f"StudyComparison({self.name!r}, methods={methods!r}, n_people={self.n_people:,})"

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "instrument": "study compare",
            "name": self.name,
            "source": self.source,
            "people_source": self.people_source,
            "created": self.created,
            "questions": self.questions,
            "concepts": list(self.concepts),
            "people": self.n_people,
            "rows": self.n_rows,
            "left_out": self.left_out,
            "shared_name": self.shared_name,
            "human_range": None if self.human_range is None else list(self.human_range),
            "splits": self.splits,
            "intervals": {"kind": "simulation", **self.plan.settings},
            "methods": self.methods,
            "signature": self.signature,
        }


def compare(  # noqa: PLR0913 - the columns of a table and how it is read
    answers: StudyResult | str | Path,
    human: str | Path | pl.DataFrame | Table,
    *,
    questions: Mapping[str, str] | None = None,
    concept: str | None = None,
    respondent: str | None = None,
    weight: str | None = None,
    by: Sequence[str] | Mapping[str, str] = (),
    methods: Sequence[str] = (),
    human_range: tuple[float, float] | None = None,
    splits: int = SPLITS,
    plan: IntervalPlan | None = None,
) -> StudyComparison:
    """Hold the answers of a panel against those of people: structure, marginals and individuals.

    Args:
        answers: a result, the folder of a run, or its table of answers.
        human: people's answers, a file or a table: a row for each person, or each person and concept.
        questions: the column of each question, by the question's name; those with a column of the same name
            unless given.
        concept: column with the concept that a row is about; needed where the study has several.
        respondent: column with names of respondents; each row is a person unless given. A persona of the same
            name is taken for the same individual.
        weight: column with weights of respondents.
        by: attributes by which groups are compared, which the personas and the table have; as a mapping, the
            table's column by the attribute's name.
        methods: that are compared; all unless given.
        human_range: lowest and highest value that people could give; the scale's own unless given.
        splits: random halves of the people in each question about a concept.
        plan: coverage, seed and replicates of the intervals.

    Raises:
        InputError: names that are not there, values on another scale, or nothing that both sides answered.

    References:
        The three axes: arXiv 2606.28963. Attainment and KS similarity: arXiv 2510.08338.
    """
    plan = plan or IntervalPlan()
    if splits < 1:
        raise InputError(f"splits must be at least 1, got {splits}")
    panel = read_panel_answers(answers)
    chosen = _methods(panel, methods)
    table = people_table(human)
    matched = _questions(panel, table, questions)
    columns = PeopleColumns(
        {each.name: (questions or {}).get(each.name, each.name) for each in matched},
        concept,
        respondent,
        weight,
        dict(by) if isinstance(by, Mapping) else {name: name for name in by},
    )
    people = read_people(table, columns, matched, panel.concepts, human_range=human_range)
    sides = {
        (method, model): panel.side(method, matched, panel.concepts, tuple(columns.by), model)
        for method in chosen
        for own, model in panel.measured
        if own == method
    }
    _check_groups(next(iter(sides.values())), people.side)
    found = tuple(_compared(by, side, people.side, panel, plan, splits) for by, side in sides.items())
    return StudyComparison(
        panel.name,
        panel.source,
        people.source,
        matched,
        panel.concepts,
        found,
        columns,
        people.side.n,
        people.n_rows,
        people.left_out,
        people.shared_name,
        human_range,
        plan,
        splits,
        _signature(sides, people, human_range, splits, plan),
    )


def _methods(panel: PanelAnswers, wanted: Sequence[str]) -> tuple[str, ...]:
    for name in wanted:
        if name not in panel.methods:
            raise unknown_name("method with a rating", name, panel.methods)
    return tuple(dict.fromkeys(wanted)) or panel.methods


def _questions(
    panel: PanelAnswers, human: Table, named: Mapping[str, str] | None
) -> tuple[ComparedQuestion, ...]:
    known = {each.name: each for each in panel.questions}
    for name in named or {}:
        if name not in known:
            raise unknown_name("question of the study", name, tuple(known))
    if named:
        return tuple(known[name] for name in named)
    both = tuple(each for each in panel.questions if each.name in human.columns)
    if not both:
        listed = ", ".join(known)
        raise InputError(
            f"question: no question of the study ({listed}) is the name of a column: say which column has "
            f"its answers (--question {next(iter(known))}=COLUMN)"
        )
    return both


def _check_groups(panel: ComparedSide, people: ComparedSide) -> None:
    """Refuse an attribute that has no group in common.

    Raises:
        InputError: the groups of both sides are named.
    """
    for name in panel.groups:
        own, others = (
            sorted({cell for cell in side.groups[name] if cell is not None}) for side in (panel, people)
        )
        if not set(own) & set(others):
            raise InputError(
                f"by: personas and people have no group of {name!r} in common: personas have "
                f"{', '.join(own[:8]) or 'none'}; people have {', '.join(others[:8]) or 'none'}"
            )


def _compared(  # noqa: PLR0913 - both sides and how they are compared
    measured: tuple[str, str | None],
    panel: ComparedSide,
    people: ComparedSide,
    answers: PanelAnswers,
    plan: IntervalPlan,
    splits: int,
) -> MethodComparison:
    method, model = measured
    surveys = surveys_of(panel, people, answers.concepts)
    if not surveys:
        raise InputError(f"human: no question was answered both by the panel ({method}) and by two people")
    marginals = compare_marginals(panel, people, surveys, plan, splits=splits)
    reliabilities = rerun_reliabilities(panel, plan)
    correlations = compare_correlations(panel, people, reliabilities, plan)
    groups = compare_groups(panel, people, plan) if panel.groups else None
    individuals = compare_individuals(panel, people, plan)
    return MethodComparison(
        method,
        panel.n,
        answers.n_without.get(measured, 0),
        marginals,
        reliabilities,
        correlations,
        groups,
        individuals,
        conclude(marginals, correlations, groups, individuals, plan.interval),
        standings(marginals, correlations, groups, individuals),
        model,
    )


def _signature(
    sides: Mapping[tuple[str, str | None], ComparedSide],
    people: People,
    human_range: tuple[float, float] | None,
    splits: int,
    plan: IntervalPlan,
) -> Signature:
    n_models = len({model for _, model in sides})
    return Signature.of(
        "study compare",
        panel=_hashed(sides.values()),
        people=_hashed([people.side]),
        methods="+".join(dict.fromkeys(method for method, _ in sides)),
        **({"models": n_models} if n_models > 1 else {}),
        human_range="scale" if human_range is None else "{:.12g} to {:.12g}".format(*human_range),
        splits=splits,
        **plan.settings,
    )


def _hashed(sides: Iterable[ComparedSide]) -> str:
    """Eight hex digits of the SHA-256 of all answers and weights."""
    digest = hashlib.sha256()
    for side in sides:
        digest.update(np.ascontiguousarray(side.positions).tobytes())
        digest.update(np.ascontiguousarray(side.person_weights).tobytes())
    return digest.hexdigest()[:8]
