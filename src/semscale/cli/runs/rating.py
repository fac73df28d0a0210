"""Runs of ``semscale rate``: check the options, load the model, rate, lint, write."""

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from semscale.cli.options.rating import RatingMethodOptions, RatingOptions, scales_of
from semscale.cli.progress import progress_bars
from semscale.cli.runs.on_cluster import makers_of, model_recipe
from semscale.errors import InputError
from semscale.rating.calibration import as_calibration
from semscale.rating.labelling import read_sheet
from semscale.rating.lint import lint
from semscale.rating.rater import Rater
from semscale.rating.summary import RatingSummaries, RatingSummary
from semscale.rating.table import rate_file, rate_texts
from semscale.scales import load_scale
from semscale.store.column_profile import open_text_column
from semscale.store.reading import open_table
from semscale.types import Progress
from semscale.weights.known import DEFAULT_RATING_MODEL

if TYPE_CHECKING:
    from semscale.chat.decisions.models import DecidingChat
    from semscale.distributed.rating_recipe import RatingRecipe
    from semscale.rating.decided import TableDecisions


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
    given, decides = options.columns, options.deciding.method == "decision"
    if decides and options.model.base_url is not None and options.model.engine != "api":
        raise InputError(
            "--base-url is the endpoint of --engine api, which embeds texts: name that of the chat model "
            "with --chat-url"
        )
    if options.labels is not None and (given.human is not None or given.inclusion is not None):
        raise InputError(
            "--labels has people's ratings and their probabilities: leave out --human and --inclusion"
        )
    if given.human_range is not None and given.human is None and options.labels is None:
        raise InputError("--human-range belongs to --human: name the column of human ratings as well")
    if len(given.texts) == 1:
        return
    cluster = options.cluster.cluster
    of_one = {
        "--cluster": cluster,
        "--human": given.human,
        "--labels": options.labels,
        "--method decision": decides or None,
    }
    for name, value in of_one.items():
        if value is not None:
            raise InputError(f"{name} belongs to one --text, got {len(given.texts)}: rate each by itself")


def _raters(options: RatingOptions, progress: Progress) -> dict[str, Rater]:
    """Make the rater of each column of texts; columns with one scale share a rater."""
    embedder = cache(lambda: options.model.load(progress, default=DEFAULT_RATING_MODEL))
    settings = options.rating.changed(embedder=embedder)
    scales = scales_of(options.columns.texts, options.scale)
    raters = {scale: Rater.from_settings(scale, settings) for scale in dict.fromkeys(scales.values())}
    return {text: raters[scale] for text, scale in scales.items()}


def _rate_texts(options: RatingOptions, raters: dict[str, Rater], progress: Progress) -> RatingSummaries:
    run = options.run
    table, columns = options.columns.of(options.table.open(options.file, is_reported=True))
    summaries = rate_texts(
        table,
        columns,
        raters,
        out=options.outputs.out,
        settings=run.parts,
        plan=run.plan,
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
    with makers_of(options.cluster, options.model.engine, lambda: _recipe(options, columns.text)) as makers:
        summary = rate_file(
            table,
            columns,
            rater=rater,
            out=options.outputs.out,
            settings=replace(run.parts, makers=makers),
            plan=run.plan,
            labels=labels,
            deciding=decisions_of(options, rater),
            progress=progress,
        )
    with options.outputs.told_if_stopped():
        return replace(summary, lint=lint(rater.scale, embedder=rater.embedder))


def _recipe(options: RatingOptions, text: str) -> "RatingRecipe":
    from semscale.distributed.rating_recipe import RatingRecipe

    settings = options.rating.changed(calibration=as_calibration(options.rating.calibration))
    (scale,) = scales_of(options.columns.texts, options.scale).values()
    return RatingRecipe(model_recipe(options.model, DEFAULT_RATING_MODEL), load_scale(scale), settings, text)


def decisions_of(options: RatingOptions, rater: Rater) -> "TableDecisions | None":
    """Say how a chat model rates the texts, too; ``None`` where none is to.

    Raises:
        InputError: the scale has more points than decisions take.
        SemscaleError: the chat model cannot be loaded.
    """
    chosen = options.deciding
    if chosen.method != "decision":
        return None
    from semscale.rating.decided import TableDecisions

    return TableDecisions(
        rater.scale,
        _deciding_model(chosen),
        options.run.plan,
        vars(options.calls.running()),
    )


def _deciding_model(chosen: RatingMethodOptions) -> "DecidingChat":
    """Load who decides, before anything is rated; its endpoint has an option of its own here."""
    from semscale.chat.decisions.models import load_deciding_model

    try:
        return load_deciding_model(chosen.chat_model, base_url=chosen.chat_url)
    except InputError as error:
        said = error.shell_message.replace("--base-url", "--chat-url")
        raise InputError(str(error), in_shell=said) from error
