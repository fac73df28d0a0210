"""Runs of ``semscale rate``: check the options, load the model, rate, lint, write."""

from dataclasses import replace

from semscale.cli.options.rating import RatingOptions
from semscale.cli.progress import progress_bars
from semscale.errors import InputError
from semscale.rating.decided.decided_comparison import DecidedComparison, compare_with_decisions
from semscale.rating.decided.decided_ratings import check_points, decide_ratings
from semscale.rating.files.columns import FileColumns
from semscale.rating.files.file_rating import FileSettings, rate_file
from semscale.rating.files.filled_sheet import read_sheet
from semscale.rating.lint.linter import lint
from semscale.rating.rater import Rater
from semscale.rating.rater_settings import RaterSettings
from semscale.rating.summary import RatingSummary
from semscale.signature import Signature
from semscale.store.columns import column_in
from semscale.store.reading import open_table
from semscale.types import Progress
from semscale.weights.known import DEFAULT_RATING_MODEL

_BATCH = 50_000


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
        if options.deciding.method == "decision":
            check_points(rater.scale)
        labels = (
            None if options.labels is None else read_sheet(open_table(options.labels), columns.human_range)
        )
        summary = rate_file(
            options.table.open(options.file, is_reported=True),
            columns,
            rater=rater,
            out=options.outputs.out,
            settings=FileSettings(run.part_rows, run.interval, run.seed, run.restart),
            labels=labels,
            progress=progress,
        )
        if options.deciding.method == "decision":
            decided, signature = compared_with_decisions(options, rater, summary, progress)
            summary = replace(summary, decided=decided, signature=summary.signature.extended(signature))
        with options.outputs.told_if_stopped():
            return replace(summary, lint=lint(rater.scale, embedder=rater.embedder))


def compared_with_decisions(
    options: RatingOptions, rater: Rater, summary: RatingSummary, progress: Progress
) -> tuple[DecidedComparison, Signature]:
    """Let a chat model rate the distinct texts of the file that have a rating, and compare.

    Returns:
        The comparison, and the signature of the decisions.

    Raises:
        InterruptedRunError: a cap was reached; the rated table is written, and replies are kept.
        ReplyError: the model takes no form of decisions, or no call can succeed.
    """
    table, name = options.table.open(options.file, is_reported=True), options.columns.text
    texts = dict.fromkeys(
        cell
        for batch in table.batches(_BATCH)
        for cell in column_in(batch, name).to_list()
        if cell is not None
    )
    ratings = rater.rate(list(texts), progress=progress)
    scored = [str(text) for text, status in zip(texts, ratings.status, strict=True) if status == "scored"]
    if not scored:
        raise InputError("no text has a rating, so there is nothing to decide about")
    running, model = options.calls.running(), str(options.deciding.chat_model)
    decided = decide_ratings(
        scored,
        rater.scale,
        model,
        base_url=options.deciding.chat_url,
        **vars(running),
    )
    comparison = compare_with_decisions(
        ratings.pmf[ratings.scored],
        decided,
        rater.scale.values,
        summary.set_agreement,
        model=model,
        plan=options.run.plan,
    )
    return comparison, decided.signature
