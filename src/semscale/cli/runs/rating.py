"""What ``semscale rate`` does between its options and its output: check, load, rate, write the report."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Unpack

from semscale.cli.options.model_choice import ModelChoice
from semscale.cli.outputs import check_input, check_report, write_page
from semscale.cli.progress import progress_bars
from semscale.errors import InputError
from semscale.rating.files.columns import FileColumns
from semscale.rating.files.file_rating import FileSettings, rate_file
from semscale.rating.lint.linter import LintReport, lint
from semscale.rating.rater import Rater, RaterSettings
from semscale.rating.summary import RatingSummary
from semscale.store.atomic import check_writable
from semscale.store.reading import TableSettings, open_table
from semscale.store.writing import output_format


@dataclass(frozen=True)
class RatedFile:
    """What came of one call of ``semscale rate``.

    Attributes:
        summary: what was measured.
        lint: what the linter says about the scale with this model.
        out: where the rated table was written, if it was.
        report: where the report was written, if it was.
    """

    summary: RatingSummary
    lint: LintReport
    out: Path | None = None
    report: Path | None = None


@dataclass(frozen=True)
class RatingRun:
    """One call of ``semscale rate``.

    Attributes:
        columns: which column is what.
        scale: name or file of the scale.
        rating: settings of the rater, without its embedder.
        model: which model.
        settings: parts, intervals and seed.
        out: file for the rated table.
        report: file for the report.
    """

    columns: FileColumns
    scale: str
    rating: RaterSettings
    model: ModelChoice
    settings: FileSettings
    out: Path | None = None
    report: Path | None = None

    def check_options(self) -> None:
        """Check, before anything is read or loaded, that options go together and outputs can be written.

        Raises:
            InputError: an option without the one it belongs to; an extension, folder or file that does not
                serve.
        """
        if self.columns.human_range is not None and self.columns.human is None:
            raise InputError("--human-range belongs to --human: name the column of human ratings as well")
        if self.settings.restart and self.out is None:
            raise InputError("--restart belongs to --out: without an output nothing of a run is kept")
        if self.out is not None:
            output_format(self.out)
            check_writable(self.out, "out")
        check_report(self.report)

    def on(self, file: str, **settings: Unpack[TableSettings]) -> RatedFile:
        """Rate a file, write what was asked for, and sum it up.

        Args:
            file: path of the table, or ``-``.
            settings: as ``open_table`` takes them.

        Raises:
            SemscaleError: as ``rate_file``.
        """
        check_input(file, self.report)
        with progress_bars() as progress:
            # What is wrong with the scale or a setting is said before the file is opened, and what is wrong
            # with a column before the model is loaded.
            rating: RaterSettings = {**self.rating, "embedder": lambda: self.model.load(progress)}
            rater = Rater(self.scale, **rating)
            summary = rate_file(
                open_table(file, **settings),
                self.columns,
                rater=rater,
                out=self.out,
                settings=self.settings,
                progress=progress,
            )
            linted = lint(rater.scale, embedder=rater.embedder)
            if self.report is not None:
                from semscale.report.rating_page import rating_page

                write_page(self.report, rating_page(summary, lint=linted))
        return RatedFile(summary, linted, self.out, self.report)


def as_floor(text: str) -> Literal["auto"] | float | None:
    """Read the option ``--floor``.

    Raises:
        InputError: neither ``auto``, ``none`` nor a number.

    Example:
        >>> as_floor("none"), as_floor("0.2")
        (None, 0.2)
    """
    if text == "auto":
        return "auto"
    if text == "none":
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise InputError(f"floor must be auto, none or a number from -1 to 1, got {text!r}")
    return number
