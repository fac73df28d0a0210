"""Runs of ``semscale embed``: check the options, load the model, embed, write."""

from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.cli.options.embedding import EmbedOptions
from semscale.cli.progress import progress_bars
from semscale.cli.runs.on_cluster import makers_of, model_recipe
from semscale.embedding.file_embedding import EmbeddingSummary, check_vectors_fit, embed_file
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.distributed.recipes import EmbeddingRecipe


def embed_table(options: EmbedOptions) -> EmbeddingSummary:
    """Embed a file, write its table, and sum it up.

    Vectors are not kept in the cache as well: the output has them, and finished parts are not made again.

    Raises:
        SemscaleError: as ``embed_file``.
    """
    if options.outputs.out is not None:
        check_vectors_fit(options.outputs.out)
    options.outputs.check_run(options.file, restart=options.run.restart)
    table = options.table.open(options.file, is_reported=True)
    with (
        progress_bars() as progress,
        makers_of(options.cluster, options.model.engine, lambda: _recipe(options)) as makers,
    ):
        from semscale.embedding.loading import load_embedder

        loading = options.model.loading(progress)
        loading["precision"], loading["cache"] = options.model.precision, False
        return embed_file(
            table,
            options.text,
            embedder=load_embedder(options.model.chosen_name, **loading),
            out=options.outputs.out,
            dtype=options.dtype,
            settings=replace(options.run.parts, makers=makers),
            progress=progress,
        )


def _recipe(options: EmbedOptions) -> "EmbeddingRecipe":
    from semscale.distributed.recipes import EmbeddingRecipe

    model = model_recipe(options.model, DEFAULT_MODEL, cache=False)
    return EmbeddingRecipe(model, options.text, options.dtype)
