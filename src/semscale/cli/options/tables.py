"""Options of ``semscale study tables``."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from semscale.cli.options.groups import option_group, without
from semscale.cli.options.panels import COLUMNS, OUTPUT, RUN, column, option, setting
from semscale.cli.options.table import File, RowOptions
from semscale.cli.outputs import Outputs
from semscale.errors import InputError

if TYPE_CHECKING:
    from semscale.tabulation.plan import TablePlan
    from semscale.tabulation.sample import SampleColumns

_SAMPLE = "How people were drawn"


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
        from semscale.report.tables.saving import check_place

        for path in self.files or ():
            check_place(path)
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
    lonely: Annotated[
        Literal["fail", "certainty", "average", "adjust"],
        option(_SAMPLE, "What a stratum with one cluster adds to the variance.", shown=True),
    ] = "fail"
    replicates: Annotated[
        str | None, option(_SAMPLE, "Columns with replicate weights, such as 'rw*'.", "PATTERN")
    ] = None
    replicate_type: Annotated[
        Literal["bootstrap", "jk1", "brr"] | None,
        option(_SAMPLE, "How replicate weights were made, as their provider says."),
    ] = None
    rho: Annotated[float, option(_SAMPLE, "Of Fay's method, with brr; 0 to below 1.", "NUMBER")] = 0.0
    raked_to: Annotated[
        Path | None,
        option(_SAMPLE, "YAML with the population's shares: 'sex: {f: 0.51, m: 0.49}'.", "FILE"),
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
        from semscale.tabulation.margins_file import read_margins
        from semscale.tabulation.sample import SampleColumns

        return SampleColumns(
            weight=self.weight,
            strata=self.strata,
            cluster=self.cluster,
            replicates=self.replicates,
            replicate_type=self.replicate_type,
            rho=self.rho,
            margins={} if self.raked_to is None else read_margins(self.raked_to),
            pair_by=self.pair_by,
            lonely=self.lonely,
        )


@option_group
class TablesOptions:
    """All options of ``semscale study tables``."""

    file: File
    question: Annotated[
        list[str] | None,
        option(
            COLUMNS,
            "A question: a column, the options of a multiple choice ('brand_*' or Brands=a,b), a text that "
            "rate has rated, or the codes of code (semscale_outcome); can be repeated.",
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

    def plan(self) -> "TablePlan":
        """What is to be tabulated, and how.

        Raises:
            InputError: settings that do not go together.
        """
        from semscale.tabulation.plan import TablePlan
        from semscale.tabulation.tables.tabulating import TestSettings

        return TablePlan(
            questions=tuple(self.question or ()),
            banners=tuple(self.banner or ()),
            sample=self.sample.columns(),
            tests=TestSettings(self.min_base, None if self.adjust == "none" else self.adjust, self.level),
            wave=self.sample.wave,
            wave_order=self.sample.waves_in_order,
            scales=dict(map(_named_scale, self.scale or ())),
            numeric=tuple(self.numeric or ()),
            pairs=tuple(map(_pair, self.pair or ())),
        )


def _pair(text: str) -> tuple[str, str]:
    first, _, second = text.partition("=")
    if not first or not second:
        raise InputError(f"pair must read FIRST=SECOND, such as concept_a=concept_b, got {text!r}")
    return first, second


def _named_scale(text: str) -> tuple[str, str]:
    question, _, scale = text.partition("=")
    if not question or not scale:
        raise InputError(f"scale must read QUESTION=SCALE, such as q1=satisfaction, got {text!r}")
    return question, scale
