"""Runs of ``semscale match``: check the options, load the model, match, write."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.cli.options.guards import guard_modes
from semscale.cli.options.matching import MatchOptions
from semscale.cli.progress import progress_bars
from semscale.cli.runs.on_cluster import makers_of, refuse_endpoint
from semscale.errors import InputError
from semscale.matching.file_matching import match_file
from semscale.matching.match_columns import MatchColumns
from semscale.matching.match_summary import MatchSummary
from semscale.matching.methods import (
    ANY_ENGINE,
    MethodSettings,
    build_method,
    check_explaining,
    check_method,
    guards_for,
)
from semscale.store.deriving.derived_columns import with_label

if TYPE_CHECKING:
    from semscale.distributed.match_recipe import MatchRecipe


def match_table(options: MatchOptions) -> MatchSummary:
    """Match a file, write its table, and sum it up.

    Raises:
        InputError: an unknown method, or an extension, folder or file that does not serve.
        SemscaleError: what the table, the model or the method cannot do.
    """
    columns = MatchColumns(
        options.columns.prediction, tuple(options.columns.reference or ()), options.columns.by
    )
    modes, model = guard_modes(options.guard or []), options.model
    check_method(options.method, model.engine)
    if options.cluster.embed_once == "always" and options.method not in ANY_ENGINE:
        raise InputError(
            f"--embed-once always is for --method {' or '.join(sorted(ANY_ENGINE))}, which needs vectors of "
            f"texts alone, got --method {options.method}: leave it out"
        )
    if options.explain:
        check_explaining(options.method)
    guards = guards_for(options.method, modes)
    options.outputs.check_run(options.file, restart=options.run.restart)
    table, by = with_label(options.table.open(options.file, is_reported=True), columns.by)
    columns, corpus = replace(columns, by=by), options.corpus.read()
    with progress_bars() as progress:
        recipe = MethodSettings(
            model.chosen_name,
            model.precision,
            corpus,
            options.run.seed,
            model.loading(progress),
            guards,
            options.recall_share,
            options.layer,
            options.nli,
            options.nli_label_list,
        )
        with makers_of(
            options.cluster, options.model.engine, lambda: _on_node(options, columns, recipe, modes)
        ) as makers:
            return match_file(
                table,
                columns,
                method=build_method(options.method, recipe),
                guards=guards,
                empty=options.empty,
                explain=options.explain,
                plan=options.run.plan,
                out=options.outputs.out,
                settings=replace(options.run.parts, makers=makers),
                progress=progress,
            )


def _on_node(
    options: MatchOptions, columns: MatchColumns, settings: MethodSettings, modes: Mapping[str, str]
) -> "MatchRecipe":
    from semscale.distributed.match_recipe import MatchRecipe

    refuse_endpoint(options.model)
    return MatchRecipe.of(columns, options.method, settings, modes, options.empty)
