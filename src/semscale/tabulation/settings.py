"""Settings of crosstabs: the sample, the tests, and the plan of questions and banners."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from semscale.errors import InputError
from semscale.stats.survey.stages import Lonely
from semscale.stats.testing.multiple_testing import CorrectionName
from semscale.store.missing_codes import missing_keys

ReplicateType = Literal["bootstrap", "jk1", "jkn", "brr"]
"""Type of replicate weights, as their provider states it; BRR with ``rho`` is Fay's method."""

Margins = Mapping[str, Mapping[str, float]]
"""For each column, the share or number of people in each of its categories."""

EVERY_QUESTION = ""
"""Stands for all questions among those that have codes for missing answers."""


@dataclass(frozen=True)
class SampleColumns:
    """Columns and settings that describe the sample and its weights.

    Attributes:
        weight: weights, finite and not negative.
        strata: names of the strata that respondents were drawn in.
        cluster: names of the units that were drawn together.
        fpc: number of clusters (respondents, without ``cluster``) that the row's stratum has in the
            population, or the share of them that was drawn if at most 1; constant within a stratum.
        replicates: pattern of the columns with replicate weights, such as ``rw*``.
        replicate_type: their type.
        rho: of Fay's method, with ``brr``.
        rscales: factors of the replicates, with ``jkn``: a single one, or one per replicate.
        margins: the population that weights are raked to.
        weight_bounds: least and greatest raked weight, as multiples of the mean weight.
        pair_by: ids of respondents who take part in several waves.
        lonely: contribution of a stratum with a single cluster to the variance.

    Raises:
        InputError: settings that do not go together, or are out of range.
    """

    weight: str | None = None
    strata: str | None = None
    cluster: str | None = None
    fpc: str | None = None
    replicates: str | None = None
    replicate_type: ReplicateType | None = None
    rho: float = 0.0
    rscales: tuple[float, ...] = ()
    margins: Margins = field(default_factory=dict)
    weight_bounds: tuple[float, float] | None = None
    pair_by: str | None = None
    lonely: Lonely = "fail"

    def __post_init__(self) -> None:
        self._check_bounds()
        if self.replicates is None:
            if self.replicate_type is not None or self.rho or self.rscales:
                raise InputError(
                    "replicate_type, rho and rscales belong to replicates: name their columns as well"
                )
            return
        if self.weight is None:
            raise InputError("replicates need weight: name the column with the full sample's weights")
        if self.replicate_type is None:
            raise InputError(
                "replicates need replicate_type: bootstrap, jk1, jkn or brr, as their provider says"
            )
        self._check_rscales()
        for name in ("strata", "cluster", "fpc", "pair_by"):
            if getattr(self, name) is not None:
                raise InputError(f"{name} does not go with replicates, which hold how people were drawn")

    def _check_bounds(self) -> None:
        if self.weight_bounds is None:
            return
        if not self.margins:
            raise InputError("weight_bounds belongs to raked_to: name the population's shares as well")
        low, high = self.weight_bounds
        if not 0 <= low <= 1 <= high or low == high:
            raise InputError(
                "weight_bounds must be a number from 0 to 1 and one of at least 1, as multiples of the mean "
                f"weight, got {low:g} and {high:g}"
            )

    def _check_rscales(self) -> None:
        if (self.replicate_type == "jkn") != bool(self.rscales):
            raise InputError(
                "rscales belong to jkn, and jkn needs them: factors as the provider says, or (m - 1) / m "
                "with m the clusters of a replicate's stratum"
            )
        for factor in self.rscales:
            if not (math.isfinite(factor) and factor >= 0):
                raise InputError(f"rscales must be numbers >= 0, got {factor:g}")

    def columns_by_role(self) -> dict[str, str]:
        """Return the single columns that are named, by their purpose."""
        columns = {role: getattr(self, role) for role in ("weight", "strata", "cluster", "fpc", "pair_by")}
        roles = {role: column for role, column in columns.items() if column is not None}
        return roles | {f"raked_to {column}": column for column in self.margins}


@dataclass(frozen=True)
class TestSettings:
    """Settings of the tests of cells.

    Attributes:
        min_base: respondents below which a cell is shown, marked, and not tested.
        correction: for the number of tests in a table; ``None`` for none.
        level: coverage of intervals; tests are held at 1 minus it.

    Raises:
        InputError: a value out of range.
    """

    __test__ = False  # pytest takes classes called Test... for tests

    min_base: int = 30
    correction: CorrectionName | None = "holm"
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.min_base < 1:
            raise InputError(f"min_base must be >= 1, got {self.min_base}")
        if not 0 < self.level < 1:
            raise InputError(f"level must be between 0 and 1, got {self.level}")


@dataclass(frozen=True)
class TablePlan:
    """Questions, banners, the sample and the settings of tests.

    Attributes:
        questions: names, as ``find_columns`` takes them.
        banners: columns of groups; none for tables of everybody alone.
        sample: columns that describe the sample and its weights.
        tests: settings of the tests of cells.
        wave: column of waves, which becomes another banner.
        wave_order: all waves from the first to the last; as ``order_waves`` reads them where it is empty.
        scales: for each question, the name or file of the scale that names its points; here and below, a
            question such as ``M=m1+m2`` may also be called by its name alone, ``M``.
        numeric: questions that are numbers, regardless of their values.
        pairs: two questions each that the same people answered; the second is subtracted from the first.
        missing: for each question, codes that are no answer; those of the name ``""`` are for all.

    Raises:
        InputError: no question, a question or a banner named twice, or ``pair_by`` or ``wave_order`` without
            waves.
    """

    questions: tuple[str, ...]
    banners: tuple[str, ...]
    sample: SampleColumns = field(default_factory=SampleColumns)
    tests: TestSettings = field(default_factory=TestSettings)
    wave: str | None = None
    scales: Mapping[str, str] = field(default_factory=dict)
    numeric: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    wave_order: tuple[str, ...] = ()
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.questions and not self.pairs:
            raise InputError("question must name at least one question of the table")
        self._check_waves()
        for first, second in self.pairs:
            if first == second:
                raise InputError(f"pair: '{first}' is named twice in one pair; name two questions")
        for parameter, names in (("question", self.questions), ("banner", self.banners)):
            if repeated := next((name for name in names if names.count(name) > 1), None):
                raise InputError(f"{parameter}: '{repeated}' is named twice")
        self._check_known("scales", self.scales)
        self._check_known("numeric", self.numeric)
        self._check_known("missing", [name for name in self.missing if name != EVERY_QUESTION])
        for codes in self.missing.values():
            missing_keys(codes)

    def _check_waves(self) -> None:
        if self.wave is not None and self.wave in self.banners:
            raise InputError(f"wave: '{self.wave}' is a banner as well: waves have their own, leave it out")
        if self.sample.pair_by is not None and self.wave is None:
            raise InputError("pair_by belongs to wave: name the column of waves as well")
        if self.wave_order and self.wave is None:
            raise InputError("wave_order belongs to wave: name the column of waves as well")

    def _check_known(self, parameter: str, names: Collection[str]) -> None:
        known = {*self.all_questions, *(name.partition("=")[0].strip() for name in self.all_questions)}
        if unknown := next((name for name in names if name not in known), None):
            raise InputError(f"{parameter}: '{unknown}' is none of the questions; name it as a question, too")

    @property
    def all_questions(self) -> tuple[str, ...]:
        """Names of all questions that are read, without repeats."""
        paired = (name for pair in self.pairs for name in pair)
        return tuple(dict.fromkeys([*self.questions, *paired]))

    @property
    def wave_banner(self) -> tuple[str, ...]:
        """The column of waves, if there is one."""
        return () if self.wave is None else (self.wave,)

    def renamed(self, names: Mapping[str, str]) -> "TablePlan":
        """Return the plan with the settings of each question under its name.

        Args:
            names: of each question in ``all_questions``, as ``find_columns`` gives them.

        Raises:
            InputError: two questions have one name.

        Example:
            >>> plan = TablePlan(("M=m1+m2",), (), missing={"M=m1+m2": ("99",)})
            >>> dict(plan.renamed({"M=m1+m2": "M"}).missing)
            {'M': ('99',)}
        """
        seen: dict[str, str] = {}
        for question, name in names.items():
            if name in seen:
                raise InputError(
                    f"question: '{seen[name]}' and '{question}' have one name, '{name}': give each its own"
                )
            seen[name] = question
        missing: dict[str, tuple[str, ...]] = {}
        for question, codes in self.missing.items():
            name = names.get(question, question)
            missing[name] = (*missing.get(name, ()), *codes)
        return replace(
            self,
            scales={names.get(question, question): scale for question, scale in self.scales.items()},
            numeric=tuple(names.get(question, question) for question in self.numeric),
            missing=missing,
        )
