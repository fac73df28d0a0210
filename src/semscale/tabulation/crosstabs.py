"""Crosstabs of a survey in one call."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import narwhals as nw
import polars as pl

from semscale.errors import InputError
from semscale.messages import unknown_name
from semscale.scales import load_scale
from semscale.stats.survey.stages import Lonely
from semscale.store.cells import storable
from semscale.store.column_labels import ColumnLabels
from semscale.store.columns import column_in, groups_in
from semscale.store.filtering import rows_of_the_file
from semscale.store.reading import open_table
from semscale.store.table import Table
from semscale.tabulation.asked.banner import Banner, no_banner, read_banner
from semscale.tabulation.asked.missing_answers import EVERY_QUESTION
from semscale.tabulation.asked.question_columns import find_columns, needed_columns
from semscale.tabulation.asked.question_pair import paired_question
from semscale.tabulation.asked.question_reading import QuestionReader
from semscale.tabulation.matched_margins import Margins
from semscale.tabulation.paired_people import id_columns, pair_notes, unpaired_notes
from semscale.tabulation.plan import TablePlan
from semscale.tabulation.sample import read_sample, replicate_columns
from semscale.tabulation.sample_columns import ReplicateType, SampleColumns
from semscale.tabulation.study_answers import refuse_answers
from semscale.tabulation.summary import Crosstabs
from semscale.tabulation.tables.tabulating import TestSettings, tabulated

Adjustment = Literal["holm", "bh", "none"]
"""How p-values are adjusted within a table."""

_BATCH = 50_000


def crosstabs(  # noqa: PLR0913 - each is a setting of its own
    data: Any,  # noqa: ANN401 - a path or any data frame
    *,
    questions: Sequence[str],
    banners: Sequence[str] = (),
    weight: str | None = None,
    strata: str | None = None,
    cluster: str | None = None,
    fpc: str | None = None,
    replicates: str | None = None,
    replicate_type: ReplicateType | None = None,
    rho: float = 0.0,
    rscales: Sequence[float] = (),
    raked_to: Margins | None = None,
    weight_bounds: tuple[float, float] | None = None,
    wave: str | None = None,
    wave_order: Sequence[str] = (),
    pair_by: str | None = None,
    lonely: Lonely = "fail",
    min_base: int = 30,
    adjust: Adjustment = "holm",
    level: float = 0.95,
    scales: Mapping[str, str] | None = None,
    numeric: Sequence[str] = (),
    pairs: Sequence[tuple[str, str]] = (),
    missing: Sequence[str] | Mapping[str, Sequence[str]] = (),
) -> Crosstabs:
    """Tabulate questions of a survey by groups of respondents.

    Every cell has an estimate with its interval, the respondents behind it, their weights and their effective
    number, and the letters of the columns of its banner that it lies significantly above.

    Args:
        data: a file, or a data frame of polars, pandas or Arrow, with one row a respondent; with waves, one
            row a respondent and wave.
        questions: columns; short names of questions with several columns; patterns of columns that are
            options of one multiple choice (``brand_*``), or ``Brands=brand_a,brand_b``; columns with codes of
            one list, such as first and second mentions (``Mentions=first+second``).
        banners: columns of groups; without any, and without waves, tables show everybody alone.
        weight: column of weights, finite and not negative.
        strata: column of the strata that respondents were drawn in.
        cluster: column of what was drawn together.
        fpc: column with the number of clusters (of people, without ``cluster``) that the row's stratum has
            in the population, or the share that was drawn if at most 1.
        replicates: pattern of the columns with replicate weights, such as ``rw*``.
        replicate_type: how those were made.
        rho: of Fay's method, 0 to below 1, with ``brr``.
        rscales: factors of the replicates, with ``jkn``: one each, in the columns' order, or one for all.
        raked_to: for each column, the share (of 1 or 100) or number of people in each category, which
            is named by its value or label.
        weight_bounds: least and greatest raked weight, as multiples of the mean weight.
        wave: column of waves; the other banners show the last one beside the one before.
        wave_order: all waves from the first to the last, by value or label; without it they are
            ordered as ``semscale.tabulation.asked.wave_order.order_waves`` does.
        pair_by: column with ids of respondents who take part in several waves.
        lonely: what a stratum with one cluster adds to the variance.
        min_base: respondents below which a cell is shown, marked, and not tested.
        adjust: how p-values are adjusted for the number of tests in a table, one question by one banner.
        level: coverage of intervals; tests are held at 1 minus it.
        scales: for each question, the name or file of the scale that names its points; answers are values or
            words of its points.
        numeric: questions that are numbers, whatever they look like.
        pairs: two questions each, such as ratings of two concepts by the same people; the tables show the
            mean of the first less the second.
        missing: codes that are no answer, such as ``99`` or ``refused``; for all questions, or for each.

    Raises:
        UnknownNameError: a column does not exist.
        InputError: settings or columns that do not serve, margins that cannot be met, or a group whose
            weights sum to 0.

    Example:
        >>> frame = pl.DataFrame({"like": [1, 2, 3, 3] * 10, "who": ["a", "b"] * 20})
        >>> found = crosstabs(frame, questions=["like"], banners=["who"], min_base=10)
        >>> found.tables[0].cells.values[-1].tolist()  # means of everybody, a (1, 3) and b (2, 3)
        [2.25, 2.0, 2.5]
    """
    sample = SampleColumns(
        weight=weight,
        strata=strata,
        cluster=cluster,
        fpc=fpc,
        replicates=replicates,
        replicate_type=replicate_type,
        rho=rho,
        rscales=tuple(rscales),
        margins=dict(raked_to or {}),
        weight_bounds=weight_bounds,
        pair_by=pair_by,
        lonely=lonely,
    )
    tests = TestSettings(min_base, None if adjust == "none" else adjust, level)
    plan = TablePlan(
        questions=tuple(questions),
        banners=tuple(banners),
        sample=sample,
        tests=tests,
        wave=wave,
        scales=dict(scales or {}),
        numeric=tuple(numeric),
        pairs=tuple(pairs),
        missing=_codes(missing),
        wave_order=tuple(wave_order),
    )
    if isinstance(data, str | Path):
        return tabulate_file(open_table(data), plan)
    frame = nw.from_native(data, eager_only=True).to_polars()
    return tabulate_frame(frame, plan)


def tabulate_file(table: Table, plan: TablePlan) -> Crosstabs:
    """Tabulate a table that is open; only the columns that are needed are read.

    Raises:
        UnknownNameError: a column does not exist.
        InputError: as ``crosstabs``.
    """
    refuse_answers(table.columns, table.name)
    plan = _by_name(plan, table.columns, table.labels)
    titles = list(dict.fromkeys(_titles(table, plan)))
    batches = [
        pl.DataFrame([storable(column_in(batch, title).to_frame()).to_series() for title in titles])
        for batch in table.batches_with(titles, _BATCH)
    ]
    frame = pl.concat(batches, how="vertical_relaxed")
    with rows_of_the_file(table):
        return tabulate_frame(
            frame,
            plan,
            labels=table.labels,
            source=Path(table.name).name,
            notes=table.notes,
            columns=table.columns,
            whole=_values_before_conditions(table, plan),
        )


def tabulate_frame(  # noqa: PLR0913 - what a file knows beside its rows
    frame: pl.DataFrame,
    plan: TablePlan,
    *,
    labels: Mapping[str, ColumnLabels] | None = None,
    source: str = "",
    notes: tuple[str, ...] = (),
    columns: Sequence[str] | None = None,
    whole: Mapping[str, pl.Series] | None = None,
) -> Crosstabs:
    """Tabulate a frame.

    Args:
        frame: n rows, with the columns that are needed.
        plan: what is to be tabulated, and how.
        labels: what a survey tool or SPSS says about columns.
        source: name of the file.
        notes: how it was read.
        columns: of the whole table, for messages.
        whole: of options, the values of rows that a condition left out, too; those of the frame unless given.

    Raises:
        UnknownNameError: a column does not exist.
        InputError: as ``crosstabs``.
    """
    known, words = list(columns or frame.columns), dict(labels or {})
    for role, named in (("banner", plan.banners), ("wave", [plan.wave] if plan.wave else [])):
        for one in named:
            _require(one, role, known)
    if frame.is_empty():
        raise InputError("the table has no rows; there is nothing to tabulate")
    plan = _by_name(plan, known, words)
    sample = read_sample(frame, plan.sample, plan.wave, words)
    kept = frame.filter(sample.kept)
    points = {name: _point_words(scale) for name, scale in plan.scales.items()}
    options = [column for column in _option_columns(plan, known, words) if column in frame.columns]
    values = {column: groups_in(frame[column]).unique() for column in options} | dict(whole or {})
    reader = QuestionReader(kept, words, points, frozenset(plan.numeric), plan.missing, values)
    read = [one for name in plan.questions for one in reader.read_all(find_columns(name, known, words))]
    questions = list({one.name: one for one in read}.values())
    for pair in plan.pairs:
        first, second = (reader.read(find_columns(name, known, words)) for name in pair)
        questions.append(paired_question(first, second))
    banners = [*_waves(kept, plan, words), *(_banner(kept, name, words) for name in plan.banners)]
    return Crosstabs(
        source=source,
        n=frame.height,
        left_out=sample.left_out,
        tables=tuple(tabulated(questions, banners or [no_banner(kept.height)], sample.design, plan.tests)),
        plan=plan,
        sample_notes=(*sample.notes, *_pair_notes(kept, plan)),
        input_notes=notes,
    )


def _values_before_conditions(table: Table, plan: TablePlan) -> dict[str, pl.Series]:
    """Read all values of options in the rows of a table before a condition left some out."""
    options = _option_columns(plan, table.columns, table.labels)
    if table.whole is None or not options:
        return {}
    found: dict[str, set[str]] = {column: set() for column in options}
    for batch in table.whole.batches_with(options, _BATCH):
        for column, values in found.items():
            cells = storable(column_in(batch, column).to_frame()).to_series()
            values.update(groups_in(cells).drop_nulls().unique().to_list())
    return {column: pl.Series(column, sorted(values), dtype=pl.String) for column, values in found.items()}


def _by_name(plan: TablePlan, columns: Sequence[str], labels: Mapping[str, ColumnLabels]) -> TablePlan:
    return plan.by_name({name: find_columns(name, columns, labels).name for name in plan.asked})


def _option_columns(plan: TablePlan, columns: Sequence[str], labels: Mapping[str, ColumnLabels]) -> list[str]:
    """Name the columns of all questions that have several, each once."""
    asked = [find_columns(name, columns, labels) for name in plan.asked]
    return list(dict.fromkeys(column for one in asked if one.is_multiple for column in one.columns))


def _codes(missing: Sequence[str] | Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    by_question = missing if isinstance(missing, Mapping) else {EVERY_QUESTION: missing}
    return {
        question: (codes,) if isinstance(codes, str) else tuple(codes)
        for question, codes in by_question.items()
        if codes
    }


def _titles(table: Table, plan: TablePlan) -> list[str]:
    """Name the columns that are to be read, and refuse those that do not exist."""
    titles = []
    for name in plan.asked:
        titles += needed_columns(find_columns(name, table.columns, table.labels), table.columns)
    for banner in plan.banners:
        table.require(banner, "banner")
    if plan.wave is not None:
        table.require(plan.wave, "wave")
    for role, column in plan.sample.named().items():
        table.require(column, role)
    if plan.sample.replicates is not None:
        titles += replicate_columns(list(table.columns), plan.sample.replicates)
    ids = [] if plan.wave is None else id_columns(table.columns)
    further = [*plan.banners, *([plan.wave] if plan.wave else []), *plan.sample.named().values()]
    return [*titles, *further, *ids]


def _pair_notes(frame: pl.DataFrame, plan: TablePlan) -> list[str]:
    """Say what is odd about the people of waves."""
    if plan.wave is None:
        return []
    if plan.sample.pair_by is not None:
        return pair_notes(frame, plan.wave, plan.sample.pair_by)
    has_draw = plan.sample.cluster is not None or plan.sample.replicates is not None
    return [] if has_draw else unpaired_notes(frame, plan.wave)


def _require(column: str, role: str, columns: Sequence[str]) -> None:
    if column not in columns:
        raise unknown_name(f"column for {role},", column, columns)


def _banner(frame: pl.DataFrame, name: str, labels: Mapping[str, ColumnLabels]) -> Banner:
    words = labels.get(name, ColumnLabels())
    return read_banner(frame[name], text=words.title, labels=words.values)


def _waves(frame: pl.DataFrame, plan: TablePlan, labels: Mapping[str, ColumnLabels]) -> list[Banner]:
    if plan.wave is None:
        return []
    words = labels.get(plan.wave, ColumnLabels())
    return [
        read_banner(
            frame[plan.wave], text=words.title, labels=words.values, is_wave=True, wave_order=plan.wave_order
        )
    ]


def _point_words(scale: str) -> dict[str, str]:
    return {f"{point.value:g}": point.label for point in load_scale(scale).points}
