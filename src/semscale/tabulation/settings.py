"""Settings of crosstabs: questions and banners, the sample with the files that describe it, and the tests."""

from collections.abc import Collection, Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

from pydantic import BeforeValidator, Field

from semscale.errors import InputError
from semscale.input_files import read_input, read_input_text
from semscale.messages import unreadable
from semscale.settings import Option, Settings, Signed
from semscale.store.missing_codes import missing_keys
from semscale.survey.description import Survey
from semscale.text_preparation import Html
from semscale.yaml_reading import line_of, parse_yaml

EVERY_QUESTION = ""
"""Key for codes for missing answers that apply to all questions."""

Margins = Mapping[str, Mapping[str, float]]
"""For each column, the share or number of people in each category."""

_COLUMNS, _SAMPLE, _RUN, _LOOK = "Columns", "Sampling design", "Run", "Look of tables"
_ROUNDING = 1e-6
_MIN_PERCENT, _MAX_PERCENT = 90, 110  # sums of percentages that miss 100
_FORM = "write a column, and below it a number for each of its categories, such as 'sex: {f: 0.51, m: 0.49}'"


def _as_sequence(values: Any) -> Iterable[Any]:
    return (values,) if isinstance(values, str) else values


def _read_survey(survey: object) -> object:
    """Read a description from its file; a description stays as it is."""
    if not isinstance(survey, str | Path):
        return survey
    from semscale.survey.survey_file import read_survey  # few tables have a description, and YAML is slow

    return read_survey(survey)


def _read_scales(scales: object) -> object:
    """Read ``QUESTION=SCALE``; a mapping stays as it is."""
    if scales is None or isinstance(scales, Mapping):
        return scales or {}
    named = {}
    for text in _as_sequence(scales):
        question, _, scale = str(text).rpartition("=")
        if not question or not scale:
            raise InputError("scale", f"must read QUESTION=SCALE, such as q1=satisfaction, got {text!r}")
        named[question] = scale
    return named


def _pairs(pairs: object) -> object:
    """Read ``FIRST=SECOND``; two questions stay as they are."""
    read = []
    for pair in _as_sequence(pairs):
        questions = pair.split("=", 1) if isinstance(pair, str) else pair
        if isinstance(pair, str) and ("" in questions or len(questions) == 1):
            raise InputError("pair", f"must read FIRST=SECOND, such as concept_a=concept_b, got {pair!r}")
        read.append(questions)
    return read


def _codes_by_question(codes: object) -> object:
    """Read codes for all questions or by question."""
    by_question = codes if isinstance(codes, Mapping) else {EVERY_QUESTION: codes}
    return {name: tuple(_as_sequence(listed)) for name, listed in by_question.items() if listed}


class QuestionSettings(Settings):
    """Questions of a survey, and the groups of their tables.

    Raises:
        InputError: a question or a banner is named twice, or a setting names an unknown question. A question
            such as ``M=m1+m2`` can be referred to by its name ``M``.
    """

    questions: Annotated[
        tuple[str, ...],
        BeforeValidator(_as_sequence),
        Field(
            description="Question: a column, a multiple choice ('brand_*', Brands=a,b), or columns of "
            "one list (Mentions=first+second)."
        ),
        Option(_COLUMNS, "QUESTION", name="--question"),
    ] = ()
    survey: Annotated[
        Survey | None,
        BeforeValidator(_read_survey),
        Field(description="Description of the questions, as in survey.yaml, or the path of that file."),
        Signed(unless_default=True),
    ] = None
    banners: Annotated[
        tuple[str, ...],
        BeforeValidator(_as_sequence),
        Field(description="Groups shown next to each other (default: only the total)."),
        Option(_COLUMNS, "COLUMN", name="--banner"),
    ] = ()
    scales: Annotated[
        dict[str, str],
        BeforeValidator(_read_scales),
        Field(description="Scale that names the points of a question."),
        Option(_COLUMNS, "SCALE", name="--scale", type=list[str]),
    ] = {}
    pairs: Annotated[
        tuple[tuple[str, str], ...],
        BeforeValidator(_pairs),
        Field(description="Two questions to compare within people, as q1=q2: tables show q1 minus q2."),
        Option(_COLUMNS, "QUESTIONS", name="--pair", type=list[str], rare=True),
    ] = ()
    numeric: Annotated[
        tuple[str, ...],
        BeforeValidator(_as_sequence),
        Field(description="Question that is a number."),
        Option(_COLUMNS, "COLUMN", rare=True),
    ] = ()
    missing: Annotated[
        dict[str, tuple[str, ...]],
        BeforeValidator(_codes_by_question),
        Field(description="Codes that are no answer, such as 99, for all questions or by question."),
        Signed(unless_default=True),
    ] = {}

    def model_post_init(self, context: object, /) -> None:
        """Check that names are not repeated, and that settings refer to known questions."""
        super().model_post_init(context)
        for first, second in self.pairs:
            if first == second:
                raise InputError("pair", f": '{first}' is named twice in one pair; name two questions")
        for parameter, names in (("question", self.questions), ("banner", self.banners)):
            if repeated := next((name for name in names if names.count(name) > 1), None):
                raise InputError(parameter, f": '{repeated}' is named twice")
        titles = (name.partition("=")[0].strip() for name in self.all_questions)
        known = {EVERY_QUESTION, *self.all_questions, *titles}
        for parameter in ("scales", "numeric", "missing"):
            if unknown := next((name for name in getattr(self, parameter) if name not in known), None):
                raise InputError(
                    parameter, f": '{unknown}' is not one of the questions; name it as a question as well"
                )
        for codes in self.missing.values():
            missing_keys(codes)

    @property
    def all_questions(self) -> tuple[str, ...]:
        """Names of all questions that are read, without repeats."""
        paired = (name for pair in self.pairs for name in pair)
        return tuple(dict.fromkeys([*self.questions, *paired]))


def _waves(waves: object) -> object:
    return [name.strip() for name in waves.split(",")] if isinstance(waves, str) else waves


class SampleSettings(Settings):
    """Columns and settings of the sample and its weights.

    Raises:
        InputError: settings cannot be combined or are out of range.
    """

    weight: Annotated[
        str | None,
        Field(description="Weights; rows without one are left out."),
        Option(_SAMPLE, "COLUMN"),
        Signed(),
    ] = None
    strata: Annotated[
        str | None,
        Field(description="Strata: parts of the population that were sampled separately."),
        Option(_SAMPLE, "COLUMN", rare=True),
        Signed(),
    ] = None
    cluster: Annotated[
        str | None,
        Field(description="Clusters of the sampling design, such as towns."),
        Option(_SAMPLE, "COLUMN", rare=True),
        Signed(),
    ] = None
    fpc: Annotated[
        str | None,
        Field(description="Finite population correction: clusters in the stratum, or sampled share."),
        Option(_SAMPLE, "COLUMN", rare=True),
        Signed(unless_default=True),
    ] = None
    lonely: Annotated[
        Literal["fail", "certainty", "average", "adjust"],
        Field(title="Strata with one cluster", description="Variance of a stratum with one cluster."),
        Option(_SAMPLE, rare=True),
        Signed(),
    ] = "fail"
    replicates: Annotated[
        str | None,
        Field(title="Replicate weights", description="Columns with replicate weights, such as 'rw*'."),
        Option(_SAMPLE, "PATTERN", rare=True),
        Signed(),
    ] = None
    replicate_type: Annotated[
        Literal["bootstrap", "jk1", "jkn", "brr"] | None,
        Field(
            title="Type of replicate weights",
            description="Type of the replicate weights, as their provider states it.",
        ),
        Option(_SAMPLE, rare=True),
        Signed(),
    ] = None
    rho: Annotated[
        float,
        Field(description="Fay's coefficient for brr: 0 or more, below 1."),
        Option(_SAMPLE, "NUMBER", shown=False, rare=True),
        Signed(),
    ] = 0.0
    rscales: Annotated[
        tuple[float, ...],
        BeforeValidator(lambda factors: read_rscales(factors) if isinstance(factors, str) else factors),
        Field(description="Factors of jkn replicates: one for all, a comma-separated list, or a file."),
        Option(_SAMPLE, "NUMBERS", type=str, rare=True),
        Signed(unless_default=True),
    ] = ()
    raked_to: Annotated[
        dict[str, dict[str, float]],
        BeforeValidator(lambda goals: read_margins(goals) if isinstance(goals, Path) else goals or {}),
        Field(description="YAML with the population's shares: 'sex: {f: 0.51, m: 0.49}'."),
        Option(_SAMPLE, "FILE", type=Path, rare=True),
        Signed(),
    ] = {}
    weight_bounds: Annotated[
        tuple[float, float] | None,
        Field(description="Least and greatest raked weight, as multiples of the mean weight."),
        Option(_SAMPLE, "LOW HIGH", type=tuple[float, float], rare=True),
        Signed(unless_default=True),
    ] = None
    wave: Annotated[
        str | None,
        Field(description="Waves; tables show the last one and its change."),
        Option(_SAMPLE, "COLUMN"),
        Signed(),
    ] = None
    wave_order: Annotated[
        tuple[str, ...],
        BeforeValidator(_waves),
        Field(
            title="Order of waves",
            description="All waves from the first to the last, such as 'before,after'.",
        ),
        Option(_SAMPLE, "WAVES", type=str, rare=True),
        Signed(),
    ] = ()
    pair_by: Annotated[
        str | None,
        Field(description="IDs of people who take part in several waves."),
        Option(_SAMPLE, "COLUMN", rare=True),
        Signed(),
    ] = None

    def model_post_init(self, context: object, /) -> None:
        """Check that the settings can be combined."""
        super().model_post_init(context)
        if self.wave_order and self.wave is None:
            raise InputError("wave_order", "belongs to `wave`: name the column of waves as well")
        if self.weight_bounds is not None:
            self._check_bounds(*self.weight_bounds)
        if self.replicates is not None:
            self._check_replicates()
        for name in ("replicate_type", "rho", "rscales"):
            if getattr(self, name) and self.replicates is None:
                raise InputError(name, "belongs to `replicates`: name their columns as well")

    def _check_bounds(self, low: float, high: float) -> None:
        if not self.raked_to:
            raise InputError("weight_bounds", "belongs to `raked_to`: name the population's shares as well")
        if not 0 <= low <= 1 <= high or low == high:
            raise InputError(
                "weight_bounds",
                "must be a number from 0 to 1 and one of at least 1, as multiples of the mean "
                f"weight, got {low:g} and {high:g}",
            )

    def _check_replicates(self) -> None:
        if self.weight is None:
            raise InputError("replicates", "need `weight`: name the column with the full sample's weights")
        if self.replicate_type is None:
            raise InputError(
                "replicates", "need `replicate_type`: bootstrap, jk1, jkn or brr, as their provider states it"
            )
        if (self.replicate_type == "jkn") != bool(self.rscales):
            raise InputError(
                "rscales",
                "belong to jkn, and jkn needs them: factors as the provider states them, or "
                "(m - 1) / m with m the clusters of a replicate's stratum",
            )
        for factor in self.rscales:
            if not (isfinite(factor) and factor >= 0):
                raise InputError("rscales", f"must be numbers >= 0, got {factor:g}")
        for name in ("strata", "cluster", "fpc", "pair_by"):
            if getattr(self, name) is not None:
                raise InputError(f"{name} does not go with replicates, which contain the sampling design")

    @property
    def columns_by_role(self) -> dict[str, str]:
        """Names of the single columns, by purpose."""
        columns = {role: getattr(self, role) for role in ("weight", "strata", "cluster", "fpc", "pair_by")}
        roles = {role: column for role, column in columns.items() if column is not None}
        return roles | {f"raked_to {column}": column for column in self.raked_to}

    @property
    def wave_columns(self) -> tuple[str, ...]:
        """Column of waves, in a tuple; empty without waves."""
        return () if self.wave is None else (self.wave,)


class TestSettings(Settings):
    """Settings of the significance tests between cells.

    Raises:
        InputError: a value out of range.
    """

    __test__ = False  # pytest takes classes called Test... for tests

    min_base: Annotated[
        int,
        Field(
            title="Smallest base of a test",
            ge=1,
            description="Minimum number of answers for a test; smaller groups are marked.",
        ),
        Option(_RUN, "NUMBER", rare=True),
        Signed(),
    ] = 30
    adjust: Annotated[
        Literal["holm", "bh", "none"],
        Field(
            title="Adjustment of p",
            description="Adjustment of p-values over a question's answers, and over their summaries.",
        ),
        Option(_RUN, rare=True),
        Signed(),
    ] = "holm"
    level: Annotated[
        float,
        Field(
            title="Intervals and significance",
            gt=0,
            lt=1,
            description="Coverage of intervals; the level of tests is 1 minus it.",
        ),
        Option(_RUN, "NUMBER", name="--interval", rare=True),
        Signed(),
    ] = 0.95

    @property
    def correction(self) -> Literal["holm", "bh"] | None:
        """The adjustment; ``None`` for none."""
        return None if self.adjust == "none" else self.adjust


class LookSettings(Settings):
    """Settings of what tables show; no base, figure or test depends on them."""

    sort: Annotated[
        Literal["none", "descending", "ascending"],
        Field(
            title="Order of choices",
            description="Order of choices by their share of all; scales and ranks keep their order.",
        ),
        Option(_LOOK, rare=True),
    ] = "none"
    hide: Annotated[
        tuple[str, ...],
        BeforeValidator(_as_sequence),
        Field(description="Answer or group that is not shown, by its label; bases and tests include it."),
        Option(_LOOK, "LABEL", rare=True),
    ] = ()
    hide_small: Annotated[
        bool,
        Field(title="Hide small groups", description="Do not show groups that are too small to be tested."),
        Option(_LOOK, rare=True),
    ] = False
    decimals: Annotated[
        int | None,
        Field(ge=0, le=4, description="Decimals in tables (default: 1 of percentages and NPS, 2 of means)."),
        Option(_LOOK, "NUMBER", rare=True),
    ] = None
    show: Annotated[
        Literal["both", "table", "chart"],
        Field(title="Tables or charts", description="Tables, charts or both; slides have charts alone."),
        Option(_LOOK, rare=True),
    ] = "both"


class CrosstabSettings(LookSettings, TestSettings, SampleSettings, QuestionSettings):
    """All settings of crosstabs.

    Raises:
        InputError: as for the parts; or the column of waves is also a banner.
    """

    html: Html = "keep"

    def model_post_init(self, context: object, /) -> None:
        """Check that the column of waves is not also a banner."""
        super().model_post_init(context)
        if self.wave is not None and self.wave in self.banners:
            raise InputError(
                "wave", f": '{self.wave}' is a banner as well: waves have their own, leave it out"
            )

    def with_columns(self, columns: Collection[str]) -> "CrosstabSettings":
        """Return a copy with the columns of described questions in place of the questions' names.

        Args:
            columns: columns of the table.

        Raises:
            InputError: a question with several columns is named where one column is read.
        """
        from semscale.survey.finding import column_named  # polars is slow to import for a command's help

        roles = ("weight", "strata", "cluster", "fpc", "wave", "pair_by")
        named = {
            role: column_named(name, columns, self.survey, role)
            for role in roles
            if (name := getattr(self, role)) is not None
        }
        banners = (column_named(name, columns, self.survey, "banner") for name in self.banners)
        raked_to = {
            column_named(name, columns, self.survey, "raked_to"): goals
            for name, goals in self.raked_to.items()
        }
        return self.with_values(banners=tuple(banners), raked_to=raked_to, **named)

    def with_names(self, names: Mapping[str, str]) -> "CrosstabSettings":
        """Return a copy with the settings of each question under its name.

        Args:
            names: name of each question in ``all_questions``, as returned by ``find_columns``.

        Raises:
            InputError: two questions have the same name.

        Examples:
            >>> settings = CrosstabSettings(questions=["M=m1+m2"], missing={"M=m1+m2": ["99"]})
            >>> settings.with_names({"M=m1+m2": "M"}).missing
            {'M': ('99',)}
        """
        seen: dict[str, str] = {}
        for question, name in names.items():
            if name in seen:
                raise InputError(
                    "question", f": '{seen[name]}' and '{question}' have the same name, '{name}': rename one"
                )
            seen[name] = question
        missing: dict[str, tuple[str, ...]] = {}
        for question, codes in self.missing.items():
            name = names.get(question, question)
            missing[name] = (*missing.get(name, ()), *codes)
        return self.with_values(
            scales={names.get(question, question): scale for question, scale in self.scales.items()},
            numeric=tuple(names.get(question, question) for question in self.numeric),
            missing=missing,
        )


class CrosstabKeywords(TypedDict, total=False):
    """Types of ``CrosstabSettings`` as keyword arguments, for type checkers."""

    questions: Iterable[str]
    survey: Survey | str | Path | None
    banners: Iterable[str]
    scales: Mapping[str, str] | Iterable[str] | None
    pairs: Iterable[str | tuple[str, str]]
    numeric: Iterable[str]
    missing: Mapping[str, Iterable[str]] | Iterable[str]
    weight: str | None
    strata: str | None
    cluster: str | None
    fpc: str | None
    lonely: Literal["fail", "certainty", "average", "adjust"]
    replicates: str | None
    replicate_type: Literal["bootstrap", "jk1", "jkn", "brr"] | None
    rho: float
    rscales: Iterable[float] | str
    raked_to: Margins | Path | None
    weight_bounds: tuple[float, float] | None
    wave: str | None
    wave_order: Iterable[str]
    pair_by: str | None
    min_base: int
    adjust: Literal["holm", "bh", "none"]
    level: float
    sort: Literal["none", "descending", "ascending"]
    hide: Iterable[str]
    hide_small: bool
    decimals: int | None
    show: Literal["both", "table", "chart"]
    html: Literal["keep", "text"]


# Files that describe a sample


def read_margins(path: Path) -> dict[str, dict[str, float]]:
    """Read margins from a file: for each column, the share or number of people in each category.

    Args:
        path: a YAML file, such as ``sex: {f: 0.51, m: 0.49}``. Categories are values of the table, or their
            labels.

    Raises:
        InputError: the file cannot be read, has another structure, or has shares that do not sum to 1 or 100;
            the message names the line.
    """
    from semscale.store.columns import as_names  # polars is slow to import, and few surveys have margins

    try:
        content = read_input(path)
    except OSError as error:
        raise unreadable(f"`raked_to`: {path}", error) from error
    columns = parse_yaml(content, source=path.name)
    if not isinstance(columns, dict) or not columns:
        raise InputError("raked_to", f": {path.name} has no margins; {_FORM}")
    margins: dict[str, dict[str, float]] = {}
    for column, goals in columns.items():
        line = f"{path.name}, line {line_of(content, [column])}"
        if not isinstance(goals, dict) or not goals:
            raise InputError("raked_to", f": '{column}' in {line} has no categories; {_FORM}")
        if any(isinstance(goal, dict) for goal in goals.values()):
            raise InputError(
                "raked_to",
                f": '{column}' in {line} has lists of categories instead of categories: write "
                f"columns at the start of lines; {_FORM}",
            )
        names = as_names(list(goals), str(column))
        for category, (key, goal) in zip(names, goals.items(), strict=True):
            is_number = isinstance(goal, int | float) and not isinstance(goal, bool)
            if category is None or not is_number or not (isfinite(goal) and goal >= 0):
                raise InputError(
                    "raked_to",
                    f": '{column}', category '{category}' in {path.name}, line "
                    f"{line_of(content, [column, key])} must be a number >= 0, got {goal!r}",
                )
        margins[str(column)] = dict(zip(map(str, names), map(float, goals.values()), strict=True))
        check_sum(str(column), margins[str(column)], f" in {line},")
    return margins


def check_sum(column: str, goals: Mapping[str, float], position: str = "") -> None:
    """Refuse shares that do not sum to 1 or 100; numbers of people can have any sum."""
    total = sum(goals.values())
    is_whole = any(abs(total - whole) <= _ROUNDING * whole for whole in (1, 100))
    are_shares = total < _MAX_PERCENT and any(not float(goal).is_integer() for goal in goals.values())
    if not is_whole and (are_shares or _MIN_PERCENT < total < _MAX_PERCENT):
        raise InputError(
            "raked_to",
            f": the shares of '{column}'{position} sum to {total:g}; they must sum to 1 or 100 "
            "(numbers of people are whole, and may have any sum)",
        )


def read_rscales(text: str) -> tuple[float, ...]:
    """Read the factors of replicates.

    Args:
        text: a single number for all replicates; numbers separated by commas, in the order of the columns; or
            a file with one number per line.

    Raises:
        InputError: a part or line is not a number, or the file cannot be read.

    Examples:
        >>> read_rscales("0.5, 0.75")
        (0.5, 0.75)
    """
    try:
        return tuple(map(float, text.split(",")))
    except ValueError:
        path = Path(text)
    try:
        lines = read_input_text(path, "utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(
            "rscales",
            f"must be numbers with commas between, or a text file with one per line, got '{path}': {reason}",
        ) from error
    factors = []
    for number, line in enumerate(lines, start=1):
        try:
            factors += [float(line)] if line.strip() else []
        except ValueError as error:
            raise InputError(
                "rscales", f": line {number:,} of {path.name} is no number: {line.strip()!r:.60}"
            ) from error
    if not factors:
        raise InputError("rscales", f": {path.name} has no numbers; write one per line")
    return tuple(factors)
