"""Runs of ``semscale embed``: check the options, load the model, embed, write."""

from semscale.cli.options.embedding import EmbedOptions
from semscale.cli.progress import progress_bars
from semscale.embedding.file_embedding import EmbeddingSummary, check_vectors_fit, embed_file


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
    with progress_bars() as progress:
        from semscale.embedding.loading import load_embedder

        loading = options.model.loading(progress)
        loading["precision"], loading["cache"] = options.model.precision, False
        embedder = load_embedder(options.model.chosen_name, **loading)
        return embed_file(
            table,
            options.text,
            embedder=embedder,
            out=options.outputs.out,
            dtype=options.dtype,
            settings=options.run.parts,
            progress=progress,
        )
