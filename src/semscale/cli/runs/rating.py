"""What ``semscale rate`` does between its options and its output: check, load, rate, lint."""

import math
from dataclasses import dataclass, replace
from typing import Literal, Unpack

from semscale.cli.options.model_choice import ModelChoice
from semscale.cli.outputs import Outputs
from semscale.cli.progress import progress_bars
from semscale.errors import InputError
from semscale.rating.files.columns import FileColumns
from semscale.rating.files.file_rating import FileSettings, rate_file
from semscale.rating.lint.linter import lint
from semscale.rating.rater import Rater, RaterSettings
from semscale.rating.summary import RatingSummary
from semscale.store.reading import TableSettings, open_table


@dataclass(frozen=True)
class RatingRun:
    """One call of ``semscale rate``.

    Attributes:
        columns: which column is what.
        scale: name or file of the scale.
        rating: settings of the rater, without its embedder.
        model: which model.
        settings: parts, intervals and seed.
        outputs: files to write.
    """

    columns: FileColumns
    scale: str
    rating: RaterSettings
    model: ModelChoice
    settings: FileSettings
    outputs: Outputs = Outputs()

    def check_options(self) -> None:
        """Check, before anything is read or loaded, that options go together and outputs can be written.

        Raises:
            InputError: an option without the one it belongs to; an extension, folder or file that does not
                serve.
        """
        if self.columns.human_range is not None and self.columns.human is None:
            raise InputError("--human-range belongs to --human: name the column of human ratings as well")
        if self.settings.restart and self.outputs.out is None:
            raise InputError("--restart belongs to --out: without an output nothing of a run is kept")
        self.outputs.check()

    def on(self, file: str, **settings: Unpack[TableSettings]) -> RatingSummary:
        """Rate a file, write its table, and sum it up, with what the linter says about the scale.

        Args:
            file: path of the table, or ``-``.
            settings: as ``open_table`` takes them.

        Raises:
            SemscaleError: as ``rate_file``.
        """
        self.outputs.check_input(file)
        with progress_bars() as progress:
            # What is wrong with the scale or a setting is said before the file is opened, and what is wrong
            # with a column before the model is loaded.
            rating: RaterSettings = {**self.rating, "embedder": lambda: self.model.load(progress)}
            rater = Rater(self.scale, **rating)
            summary = rate_file(
                open_table(file, **settings),
                self.columns,
                rater=rater,
                out=self.outputs.out,
                settings=self.settings,
                progress=progress,
            )
            return replace(summary, lint=lint(rater.scale, embedder=rater.embedder))


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
