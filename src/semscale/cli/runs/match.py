"""Runs of ``semscale match``: check the options, load the model, match, write."""

from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.cli.options.matching import MatchOptions
from semscale.cli.progress import progress_bars
from semscale.cli.runs.on_cluster import makers_of, refuse_endpoint
from semscale.errors import InputError
from semscale.matching.matcher import (
    ANY_ENGINE,
    Matcher,
    check_explaining,
    check_method,
    guards_for,
    match_file,
)
from semscale.matching.settings import MatchColumns, MatchSettings
from semscale.matching.summary import MatchSummary
from semscale.store.deriving.derived_columns import with_label

if TYPE_CHECKING:
    from semscale.distributed.match_recipe import MatchRecipe


def match_table(options: MatchOptions) -> MatchSummary:
    """Match a file, write its table, and sum it up.

    Raises:
        InputError: an unknown method, or an extension, folder or file that does not serve.
        SemscaleError: what the table, the model or the method cannot do.
    """
    named, model, chosen = options.columns, options.model, options.matching
    columns = MatchColumns(prediction=named.prediction, reference=tuple(named.reference or ()), by=named.by)
    check_method(chosen.method, model.engine)
    if options.cluster.embed_once == "always" and chosen.method not in ANY_ENGINE:
        raise InputError(
            f"--embed-once always is for --method {' or '.join(sorted(ANY_ENGINE))}, which needs vectors of "
            f"texts alone, got --method {chosen.method}: leave it out"
        )
    if chosen.explain:
        check_explaining(chosen.method)
    guards_for(chosen.method, chosen.guards)  # refuses what the method cannot weigh
    options.outputs.check_run(options.file, restart=options.run.restart)
    table, by = with_label(options.table.open(options.file, is_reported=True), columns.by)
    columns, corpus = columns.changed(by=by), options.corpus.read()
    with progress_bars() as progress:
        settings = chosen.changed(
            embedder=model.chosen_name,
            precision=model.precision,
            corpus=corpus,
            seed=options.run.seed,
            loading=model.loading(progress),
        )
        with makers_of(
            options.cluster, options.model.engine, lambda: _on_node(options, columns, settings)
        ) as makers:
            return match_file(
                table,
                columns,
                Matcher.from_settings(settings),
                plan=options.run.plan,
                out=options.outputs.out,
                settings=replace(options.run.parts, makers=makers),
                progress=progress,
            )


def _on_node(options: MatchOptions, columns: MatchColumns, settings: MatchSettings) -> "MatchRecipe":
    from semscale.distributed.match_recipe import MatchRecipe

    refuse_endpoint(options.model)
    return MatchRecipe.from_settings(columns, settings)
