"""Runs of ``semscale rate``: check the options, load the model, rate, lint, write."""

from dataclasses import replace
from functools import cache

from semscale.cli.options.rating import RatingOptions, scales_of
from semscale.cli.progress import progress_bars
from semscale.errors import InputError
from semscale.rating.decided.decided_comparison import DecidedComparison, compare_with_decisions
from semscale.rating.decided.decided_ratings import check_points, decide_ratings
from semscale.rating.files.file_rating import FileSettings, rate_file
from semscale.rating.files.filled_sheet import read_sheet
from semscale.rating.files.several_texts import rate_texts
from semscale.rating.lint.linter import lint
from semscale.rating.rater import Rater
from semscale.rating.rater_settings import RaterSettings
from semscale.rating.summaries import RatingSummaries
from semscale.rating.summary import RatingSummary
from semscale.signature import Signature
from semscale.store.column_profile import open_text_column
from semscale.store.columns import column_in
from semscale.store.reading import open_table
from semscale.types import Progress
from semscale.weights.known import DEFAULT_RATING_MODEL

_BATCH = 50_000


def rate_table(options: RatingOptions) -> RatingSummary | RatingSummaries:
    """Rate a file, write its table, and sum it up, with what the linter says about each scale.

    Raises:
        InputError: an option without the one it belongs to; an extension, folder or file that does not serve.
        SemscaleError: as ``rate_file``.
    """
    options.outputs.check_run(options.file, restart=options.run.restart)
    if not options.columns.texts:
        options, note = _with_open_text(options)
        summary = rate_table(options)
        return replace(summary, input_notes=(note, *summary.input_notes))
    _check(options)
    with progress_bars() as progress:
        # What is wrong with a scale or a setting is said before the file is opened, and what is wrong
        # with a column before the model is loaded.
        raters = _raters(options, progress)
        if len(raters) > 1:
            return _rate_texts(options, raters, progress)
        return _rate_text(options, next(iter(raters.values())), progress)


def _with_open_text(options: RatingOptions) -> tuple[RatingOptions, str]:
    """Take the only open text of the file, and say so."""
    if options.file == "-":
        raise InputError("--text is needed with standard input: name the column with the texts")
    text = open_text_column(options.table.open(options.file, is_reported=True))
    note = f"text: '{text}' was rated, the only column that looks like open texts"
    return replace(options, columns=replace(options.columns, text=[text])), note


def _check(options: RatingOptions) -> None:
    given = options.columns
    if options.labels is not None and (given.human is not None or given.inclusion is not None):
        raise InputError(
            "--labels has people's ratings and their probabilities: leave out --human and --inclusion"
        )
    if given.human_range is not None and given.human is None and options.labels is None:
        raise InputError("--human-range belongs to --human: name the column of human ratings as well")
    if len(given.texts) == 1:
        return
    decides = options.deciding.method == "decision"
    of_one = {"--human": given.human, "--labels": options.labels, "--method decision": decides or None}
    for name, value in of_one.items():
        if value is not None:
            raise InputError(f"{name} belongs to one --text, got {len(given.texts)}: rate each by itself")


def _raters(options: RatingOptions, progress: Progress) -> dict[str, Rater]:
    """Make the rater of each column of texts; columns with one scale share a rater."""
    embedder = cache(lambda: options.model.load(progress, default=DEFAULT_RATING_MODEL))
    rating: RaterSettings = {**options.rating.settings(), "embedder": embedder}
    scales = scales_of(options.columns.texts, options.scale)
    raters = {scale: Rater(scale, **rating) for scale in dict.fromkeys(scales.values())}
    if options.deciding.method == "decision":
        for rater in raters.values():
            check_points(rater.scale)
    return {text: raters[scale] for text, scale in scales.items()}


def _rate_texts(options: RatingOptions, raters: dict[str, Rater], progress: Progress) -> RatingSummaries:
    run = options.run
    table, columns = options.columns.of(options.table.open(options.file, is_reported=True))
    summaries = rate_texts(
        table,
        columns,
        raters,
        out=options.outputs.out,
        settings=FileSettings(run.part_rows, run.interval, run.seed, run.restart),
        progress=progress,
    )
    with options.outputs.told_if_stopped():
        reports = {rater: lint(rater.scale, embedder=rater.embedder) for rater in raters.values()}
        texts = {
            text: replace(summary, lint=reports[raters[text]]) for text, summary in summaries.texts.items()
        }
        return replace(summaries, texts=texts)


def _rate_text(options: RatingOptions, rater: Rater, progress: Progress) -> RatingSummary:
    run, labels, range_ = options.run, None, options.columns.human_range
    if options.labels is not None:
        labels = read_sheet(open_table(options.labels), range_)
    table, columns = options.columns.of(options.table.open(options.file, is_reported=True))
    summary = rate_file(
        table,
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
    table, name = options.table.open(options.file, is_reported=True), options.columns.texts[0]
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
