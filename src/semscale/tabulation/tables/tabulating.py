"""Tables of many questions by many banners, with the columns of many questions estimated at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from semscale.errors import InputError
from semscale.stats.survey.association import Association, rao_scott
from semscale.stats.survey.domains import Domains
from semscale.stats.survey.estimates import SurveyEstimates
from semscale.stats.survey.means import survey_means
from semscale.stats.survey.variances import AnyDesign
from semscale.stats.testing.multiple_testing import CorrectionName
from semscale.tabulation.asked.banner import Banner
from semscale.tabulation.asked.question import Question
from semscale.tabulation.tables.column_differences import compared_columns
from semscale.tabulation.tables.crosstab import Crosstab, WaveChanges
from semscale.tabulation.tables.figures import (
    CellFigures,
    cell_figures,
    changes_between,
    columns_of,
    lines_of,
    standard_deviations,
    with_spread_at_the_ends,
)
from semscale.types import Floats, Integers, Mask

_NUMBERS_AT_ONCE = 4_000_000
"""Numbers of a block of questions, so that memory stays flat however many questions there are."""


@dataclass(frozen=True)
class TestSettings:
    """How cells are tested.

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


def tabulated(
    questions: Sequence[Question], banners: Sequence[Banner], design: AnyDesign, settings: TestSettings
) -> Iterator[Crosstab]:
    """Make the tables of all questions by all banners, question by question.

    With a banner of waves, the other tables show the last wave beside the one before.

    Args:
        questions: of the n respondents of the design.
        banners: of the same respondents; at most one has waves.
        design: how they were drawn.
        settings: how cells are tested.

    Raises:
        InputError: the weights of a group sum to 0, in all rows or in a wave that is shown; both are named.
    """
    for banner in banners:
        _check_weights(banner.codes, [f"group '{one}' of '{banner.name}'" for one in banner.groups], design)
    waves = next((banner for banner in banners if banner.is_wave), None)
    columns = [_Columns.of(banner, waves) for banner in banners]
    for one in columns:
        _check_weights(one.codes.codes, one.names, design)
    for block in _blocks(questions, design.n):
        values = np.concatenate([question.columns() for question in block], axis=1)
        made = [_Estimated(one, values, design) for one in columns]
        start = 0
        for question in block:
            lines = slice(start, start + len(question.lines))
            start = lines.stop
            yield from (_crosstab(question, one, lines, settings) for one in made)


@dataclass(frozen=True, eq=False)
class _Columns:
    """The groups behind the columns of a table, and those that stand for the wave before.

    Attributes:
        banner: the columns after the total.
        total: each respondent's group for the total.
        codes: each respondent's group for the columns.
        now: numbers of the groups that the columns show.
        before: numbers of those that they are compared with; empty without waves.
        wave: name of the wave that is shown; empty if all are.
        wave_before: name of the wave before, likewise.
    """

    banner: Banner
    total: Domains
    codes: Domains
    now: Integers
    before: Integers
    wave: str = ""
    wave_before: str = ""

    @classmethod
    def of(cls, banner: Banner, waves: Banner | None) -> "_Columns":
        g, everybody = len(banner.groups), np.zeros(len(banner.codes), dtype=np.int64)
        places, none = np.arange(g), np.empty(0, dtype=np.int64)
        fewest = 2
        if waves is None or banner.is_wave or len(waves.groups) < fewest:
            before = places[:-1] if banner.is_wave else none
            return cls(banner, Domains(everybody, 1), Domains(banner.codes, g), places, before)
        # The wave before comes first: 0 for it, 1 for the last wave, -1 for others.
        last = len(waves.groups) - 1
        time = np.where(waves.codes >= last - 1, waves.codes - last + 1, -1)
        codes = np.where((time >= 0) & (banner.codes >= 0), time * g + banner.codes, -1)
        names = {"wave": waves.groups[last], "wave_before": waves.groups[last - 1]}
        return cls(banner, Domains(time, 2), Domains(codes, 2 * g), places + g, places, **names)

    @property
    def names(self) -> list[str]:
        """What messages call the groups behind the columns, and their waves."""
        groups = [f"group '{one}' of '{self.banner.name}'" for one in self.banner.groups]
        if not self.wave:
            return groups
        return [f"{group} in wave '{wave}'" for wave in (self.wave_before, self.wave) for group in groups]

    @property
    def n_ungrouped(self) -> int:
        """Respondents who are in the total that is shown, and in none of the columns beside it.

        It is 0 where no column was asked for.
        """
        if not self.banner.groups:
            return 0
        return int(((self.total.codes == self.total.count - 1) & (self.codes.codes < 0)).sum())


class _Estimated:
    """Estimates of a block of questions in the columns of one banner."""

    def __init__(self, columns: _Columns, values: Floats, design: AnyDesign) -> None:
        self.columns, self.values, self.design = columns, values, design
        self.total, self.groups = (
            survey_means(values, design, groups=one.codes, n_groups=one.count)
            for one in (columns.total, columns.codes)
        )


def _crosstab(question: Question, made: _Estimated, lines: slice, settings: TestSettings) -> Crosstab:
    columns = made.columns
    total, groups = (lines_of(one, lines) for one in (made.total, made.groups))
    last = np.array([columns.total.count - 1])
    shown = cell_figures(columns_of(total, last), question.lines, settings.level).beside(
        cell_figures(columns_of(groups, columns.now), question.lines, settings.level)
    )
    small = shown.n < settings.min_base
    differences, letters = compared_columns(
        columns_of(groups, columns.now),
        question.lines,
        small[:, 1:],
        level=settings.level,
        correction=settings.correction,
    )
    of_the_total = np.full((len(letters), 1), "", dtype=object)
    return Crosstab(
        question=question,
        banner=columns.banner,
        cells=shown,
        deviations=_deviations(question, made, lines, shown),
        letters=np.concatenate([of_the_total, letters], axis=1),
        differences=differences,
        small=small,
        n_ungrouped=columns.n_ungrouped,
        association=_association(question, columns, made.design, np.asarray(small[:, 1:].all(axis=0))),
        changes=_changes(question, columns, (total, groups), settings),
        wave=columns.wave,
        before=columns.wave_before,
    )


def _deviations(question: Question, made: _Estimated, lines: slice, shown: CellFigures) -> Floats:
    """Standard deviations of what the line with the mean is made of, in the columns that are shown."""
    place = next((place for place, line in enumerate(question.lines) if line.kind == "mean"), None)
    if place is None:
        return np.full(shown.values.shape[1], np.nan)
    values, weights = made.values[:, lines.start + place, None], made.design.weights
    total, groups = made.columns.total, made.columns.codes
    found = [
        standard_deviations(values, lines_of(estimates, lines).values[place, None], weights, domains)[0]
        for estimates, domains in ((made.total, total), (made.groups, groups))
    ]
    return np.concatenate([found[0][-1:], found[1][made.columns.now]])


def _association(question: Question, columns: _Columns, design: AnyDesign, small: Mask) -> Association | None:
    """Test question and banner, in the wave that is shown, where a respondent gives one answer.

    Groups whose base is too small take no part.
    """
    choices, fewest = question.choices, 2
    if choices is None or (~small).sum() < fewest:
        return None
    places = np.full(columns.codes.count + 1, -1)
    places[columns.now[~small]] = np.arange(len(columns.now))[~small]
    return rao_scott(choices, places[columns.codes.codes], design)


def _changes(
    question: Question,
    columns: _Columns,
    estimates: tuple[SurveyEstimates, SurveyEstimates],
    settings: TestSettings,
) -> WaveChanges | None:
    """Compare each column with the wave before; the total has none where the columns are waves."""
    if not len(columns.before):
        return None
    total, groups = (with_spread_at_the_ends(one, question.lines) for one in estimates)
    now = columns.now[-len(columns.before) :]
    pairs = changes_between(groups, now, columns.before)
    enough = groups.n >= settings.min_base
    tested = enough[:, now] & enough[:, columns.before]
    filler = np.full((len(question.lines), 1 + len(columns.now) - len(now)), np.nan)
    if columns.wave:
        overall = changes_between(total, np.array([1]), np.array([0]))
        pairs = type(pairs)(
            *(
                np.concatenate([getattr(one, name) for one in (overall, pairs)], axis=1)
                for name in ("values", "standard_errors", "df")
            )
        )
        tested = np.concatenate([(total.n >= settings.min_base).all(axis=1, keepdims=True), tested], axis=1)
        filler = filler[:, :0]
    low, high = pairs.interval(settings.level)
    p_values = np.where(tested, pairs.p_values, np.nan)
    adjusted = pairs.adjusted_p_values(settings.correction, tested)
    figures = (pairs.values, low, high, p_values, adjusted)
    small = np.concatenate([np.zeros(filler.shape, dtype=bool), ~tested], axis=1)
    values, low, high, p_values, adjusted = (np.concatenate([filler, one], axis=1) for one in figures)
    return WaveChanges(values, low, high, p_values, adjusted, small)


def _check_weights(codes: Integers, names: Sequence[str], design: AnyDesign) -> None:
    """Refuse a group that has respondents, but no weight, by its name."""
    there = codes >= 0
    n = np.bincount(codes[there], minlength=len(names))
    weight = np.bincount(codes[there], design.weights[there], minlength=len(names))
    for place in map(int, np.flatnonzero((n > 0) & (weight == 0))):
        raise InputError(
            f"weight: the weights of {names[place]} sum to 0 over {n[place]:,} respondents: "
            "leave the group out (--where), or correct its weights"
        )


def _blocks(questions: Sequence[Question], n: int) -> Iterator[list[Question]]:
    """Put questions together until their lines hold as many numbers as are estimated at once."""
    block: list[Question] = []
    for question in questions:
        if block and n * sum(len(one.lines) for one in [*block, question]) > _NUMBERS_AT_ONCE:
            yield block
            block = []
        block.append(question)
    if block:
        yield block
