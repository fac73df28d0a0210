"""Options of ``semscale study tables``."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from semscale.cli.options.groups import option_group, without
from semscale.cli.options.panels import COLUMNS, OUTPUT, RUN, column, option, setting
from semscale.cli.options.table import RowOptions
from semscale.cli.outputs import Outputs
from semscale.errors import InputError

if TYPE_CHECKING:
    from semscale.tabulation.settings import SampleColumns, TablePlan, TestSettings

_SAMPLE = "How people were drawn"

FileOrFolder = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, JSONL, Parquet, Excel or SPSS; - is standard input. Or the folder of a study's run.",
    ),
]


@option_group
class TablesOutputs(Outputs):
    """Files with tables, and what is printed.

    Attributes:
        files: what tables are written to, each in the form that its ending names.
    """

    files: Annotated[
        list[Path] | None,
        option(
            OUTPUT,
            "Tables: .xlsx, .pptx (extra slides), .html, .md, .json, or cells as .csv, .parquet or .jsonl; "
            "can be repeated.",
            "FILE",
            name="--out",
        ),
    ] = None

    @property
    def further(self) -> Mapping[str, Path | None]:
        """The files by their endings."""
        return {path.suffix.lower().removeprefix("."): path for path in self.files or ()}

    def check(self) -> None:
        """Check, before anything is read, that all can be written.

        Raises:
            InputError: an ending or file that does not serve, or two files with one ending.
        """
        from semscale.tabulation.crosstabs import check_path

        for path in self.files or ():
            check_path(path)
        endings = Counter(path.suffix.lower() for path in self.files or ())
        twice = next((ending for ending, n in endings.items() if n > 1), None)
        if twice is not None:
            raise InputError(f"out: two files end in {twice}; one of each kind is enough")
        super().check()


@option_group
class SampleOptions:
    """Columns that say how respondents were drawn and weighted."""

    weight: Annotated[str | None, option(_SAMPLE, "Weights; rows without one are left out.", "COLUMN")] = None
    strata: Annotated[str | None, option(_SAMPLE, "Strata that people were drawn in.", "COLUMN")] = None
    cluster: Annotated[str | None, option(_SAMPLE, "What was drawn together, such as towns.", "COLUMN")] = (
        None
    )
    fpc: Annotated[
        str | None,
        option(
            _SAMPLE,
            "Clusters (people, without --cluster) that the row's stratum has in the population, or the share "
            "of them that was drawn.",
            "COLUMN",
        ),
    ] = None
    lonely: Annotated[
        Literal["fail", "certainty", "average", "adjust"],
        option(_SAMPLE, "What a stratum with one cluster adds to the variance.", shown=True),
    ] = "fail"
    replicates: Annotated[
        str | None, option(_SAMPLE, "Columns with replicate weights, such as 'rw*'.", "PATTERN")
    ] = None
    replicate_type: Annotated[
        Literal["bootstrap", "jk1", "jkn", "brr"] | None,
        option(_SAMPLE, "How replicate weights were made, as their provider says."),
    ] = None
    rho: Annotated[float, option(_SAMPLE, "Of Fay's method, with brr; 0 to below 1.", "NUMBER")] = 0.0
    rscales: Annotated[
        str | None,
        option(
            _SAMPLE,
            "Factors of jkn replicates: one for all, one each with commas between, or a file of them.",
            "NUMBERS",
        ),
    ] = None
    raked_to: Annotated[
        Path | None,
        option(_SAMPLE, "YAML with the population's shares: 'sex: {f: 0.51, m: 0.49}'.", "FILE"),
    ] = None
    weight_bounds: Annotated[
        tuple[float, float] | None,
        option(_SAMPLE, "Least and greatest raked weight, as multiples of the mean weight.", "LOW HIGH"),
    ] = None
    wave: Annotated[
        str | None,
        option(_SAMPLE, "Waves: tables show the last one, and the change from the one before.", "COLUMN"),
    ] = None
    wave_order: Annotated[
        str | None,
        option(_SAMPLE, "All waves from the first to the last, such as 'before,after'.", "WAVES"),
    ] = None
    pair_by: Annotated[
        str | None, option(_SAMPLE, "Ids of people who take part in several waves.", "COLUMN")
    ] = None

    @property
    def waves_in_order(self) -> tuple[str, ...]:
        """The waves from the first to the last, if they were given."""
        return tuple(one.strip() for one in self.wave_order.split(",")) if self.wave_order else ()

    def columns(self) -> "SampleColumns":
        """The columns, with the margins read.

        Raises:
            InputError: settings that do not go together, or margins that cannot be read.
        """
        from semscale.tabulation.sample import read_margins, read_rscales
        from semscale.tabulation.settings import SampleColumns

        return SampleColumns(
            weight=self.weight,
            strata=self.strata,
            cluster=self.cluster,
            fpc=self.fpc,
            replicates=self.replicates,
            replicate_type=self.replicate_type,
            rho=self.rho,
            rscales=() if self.rscales is None else read_rscales(self.rscales),
            margins={} if self.raked_to is None else read_margins(self.raked_to),
            weight_bounds=self.weight_bounds,
            pair_by=self.pair_by,
            lonely=self.lonely,
        )


@option_group
class TablesOptions:
    """All options of ``semscale study tables``."""

    file: FileOrFolder
    question: Annotated[
        list[str] | None,
        option(
            COLUMNS,
            "A question: a column, the options of a multiple choice ('brand_*' or Brands=a,b), columns with "
            "codes of one list (Mentions=first+second), a text that rate has rated, or the codes of code "
            "(semscale_outcome); can be repeated.",
            "QUESTION",
        ),
    ] = None
    banner: Annotated[
        list[str] | None,
        option(COLUMNS, "Groups beside each other, or none for everybody alone; can be repeated.", "COLUMN"),
    ] = None
    scale: Annotated[
        list[str] | None,
        option(COLUMNS, "QUESTION=SCALE names the points of a question; can be repeated.", "SCALE"),
    ] = None
    pair: Annotated[
        list[str] | None,
        option(
            COLUMNS,
            "FIRST=SECOND: two questions that the same people answered, such as ratings of two concepts; "
            "tables show the first less the second; can be repeated.",
            "QUESTIONS",
        ),
    ] = None
    numeric: Annotated[list[str] | None, column("A question that is a number; can be repeated.")] = None
    missing: Annotated[
        list[str] | None,
        option(
            COLUMNS,
            "Codes that are no answer: 9,99 to any question, or QUESTION=9,refused to one; can be repeated.",
            "CODES",
        ),
    ] = None
    method: Annotated[
        str | None,
        option(COLUMNS, "Of a study's run: ssr, flr, dlr or decision; the first one unless given.", "METHOD"),
    ] = None
    model: Annotated[
        list[str] | None,
        option(COLUMNS, "Of a study's run with several models; all unless given; can be repeated.", "NAME"),
    ] = None
    sample: SampleOptions
    min_base: Annotated[
        int, setting(RUN, "Respondents below which a cell is shown, marked, and not tested.")
    ] = 30
    adjust: Annotated[
        Literal["holm", "bh", "none"],
        option(RUN, "How p-values are adjusted within a table.", shown=True),
    ] = "holm"
    level: Annotated[float, setting(RUN, "Coverage of intervals; tests are held at 1 minus it.")] = 0.95
    table: RowOptions
    outputs: Annotated[TablesOutputs, without("out", "report", "figures")]

    @property
    def tests(self) -> "TestSettings":
        """How cells are tested.

        Raises:
            InputError: a value out of range.
        """
        from semscale.tabulation.settings import TestSettings

        return TestSettings(self.min_base, None if self.adjust == "none" else self.adjust, self.level)

    def check_of_panel(self) -> None:
        """Refuse options that a study's run has no use for, as its folder says all that they say.

        Raises:
            InputError: one of them was given.
        """
        given = {
            "scale": self.scale,
            "pair": self.pair,
            "numeric": self.numeric,
            "missing": self.missing,
            **{one.name: getattr(self.sample, one.name) for one in fields(self.sample)},
            **{one.name: getattr(self.table, one.name) for one in fields(self.table) if one.name != "source"},
        }
        plain = {"lonely": "fail", "rho": 0.0, "header": "auto"}
        unused = next((name for name, value in given.items() if value and value != plain.get(name)), None)
        if unused is not None:
            raise InputError(
                f"{unused} does not go with the folder of a study's run, which has scales, weights and "
                "personas: leave it out"
            )

    def plan(self) -> "TablePlan":
        """What is to be tabulated, and how.

        Raises:
            InputError: settings that do not go together.
        """
        from semscale.tabulation.settings import TablePlan

        for name in ("method", "model"):
            if getattr(self, name):
                raise InputError(
                    f"{name} goes with the folder of a study's run alone: name that folder, or leave it out"
                )
        return TablePlan(
            questions=tuple(self.question or ()),
            banners=tuple(self.banner or ()),
            sample=self.sample.columns(),
            tests=self.tests,
            wave=self.sample.wave,
            wave_order=self.sample.waves_in_order,
            scales=dict(map(_named_scale, self.scale or ())),
            numeric=tuple(self.numeric or ()),
            pairs=tuple(map(_pair, self.pair or ())),
            missing=_codes(self.missing or ()),
        )


def _pair(text: str) -> tuple[str, str]:
    first, _, second = text.partition("=")
    if not first or not second:
        raise InputError(f"pair must read FIRST=SECOND, such as concept_a=concept_b, got {text!r}")
    return first, second


def _codes(listed: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Read codes by question; those without a question are for all of them."""
    found: dict[str, tuple[str, ...]] = {}
    for text in listed:
        question, _, codes = text.rpartition("=")
        found[question] = (*found.get(question, ()), *(code.strip() for code in codes.split(",")))
    return found


def _named_scale(text: str) -> tuple[str, str]:
    question, _, scale = text.rpartition("=")
    if not question or not scale:
        raise InputError(f"scale must read QUESTION=SCALE, such as q1=satisfaction, got {text!r}")
    return question, scale
