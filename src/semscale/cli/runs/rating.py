"""Runs of ``semscale rate``: check the options, load the model, rate, lint, write."""

from dataclasses import replace

from semscale.cli.options.rating import RatingOptions
from semscale.cli.progress import progress_bars
from semscale.errors import InputError
from semscale.rating.decided.file_decisions import FileDecisions
from semscale.rating.files.columns import FileColumns
from semscale.rating.files.file_rating import FileSettings, rate_file
from semscale.rating.files.filled_sheet import read_sheet
from semscale.rating.lint.linter import lint
from semscale.rating.rater import Rater
from semscale.rating.rater_settings import RaterSettings
from semscale.rating.summary import RatingSummary
from semscale.store.reading import open_table
from semscale.weights.known import DEFAULT_RATING_MODEL


def rate_table(options: RatingOptions) -> RatingSummary:
    """Rate a file, write its table, and sum it up, with what the linter says about the scale.

    Raises:
        InputError: an option without the one it belongs to; an extension, folder or file that does not serve.
        SemscaleError: as ``rate_file``.
    """
    given, run = options.columns, options.run
    if options.labels is not None and (given.human is not None or given.inclusion is not None):
        raise InputError(
            "--labels has people's ratings and their probabilities: leave out --human and --inclusion"
        )
    columns = FileColumns(**vars(given))
    settings = options.rating.settings()
    if columns.human_range is not None and columns.human is None and options.labels is None:
        raise InputError("--human-range belongs to --human: name the column of human ratings as well")
    options.outputs.check_run(options.file, restart=options.run.restart)
    with progress_bars() as progress:
        # What is wrong with the scale or a setting is said before the file is opened, and what is wrong
        # with a column before the model is loaded.
        rating: RaterSettings = {
            **settings,
            "embedder": lambda: options.model.load(progress, default=DEFAULT_RATING_MODEL),
        }
        rater = Rater(options.rating.scale, **rating)
        deciding = decisions_of(options, rater)
        labels = (
            None if options.labels is None else read_sheet(open_table(options.labels), columns.human_range)
        )
        summary = rate_file(
            options.table.open(options.file),
            columns,
            rater=rater,
            out=options.outputs.out,
            settings=FileSettings(run.part_rows, run.interval, run.seed, run.restart),
            labels=labels,
            deciding=deciding,
            progress=progress,
        )
        with options.outputs.told_if_stopped():
            return replace(summary, lint=lint(rater.scale, embedder=rater.embedder))


def decisions_of(options: RatingOptions, rater: Rater) -> FileDecisions | None:
    """Say how a chat model rates the texts, too; ``None`` where none is to.

    Raises:
        InputError: the scale has more points than decisions take.
    """
    chosen = options.deciding
    if chosen.method != "decision":
        return None
    return FileDecisions(
        rater.scale,
        str(chosen.chat_model),
        options.run.plan,
        chosen.chat_url,
        vars(options.calls.running()),
    )
