"""The command ``semscale embed``: texts turned into vectors."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from semscale.cli.options import Rare, Without, command
from semscale.cli.outputs import Outputs, ResultsFile, present
from semscale.cli.shared import (
    MODEL,
    EmbedderOptions,
    InputFile,
    RayOptions,
    RowOptions,
    RunOptions,
    SurveyOptions,
    TextColumn,
    model_recipe,
)
from semscale.errors import InputError
from semscale.settings import Option, Settings

if TYPE_CHECKING:
    from semscale.distributed.datasets import EmbeddingRecipe
    from semscale.embedding.table import EmbeddingSummary


class EmbedOutputs(Outputs):
    """Files that ``semscale embed`` writes."""

    out: Annotated[
        ResultsFile,
        Field(description="Table with the vectors: .parquet or .jsonl, a folder (vectors/), or a URL."),
    ] = None


class EmbedOptions(Settings):
    """All options of ``semscale embed``.

    Raises:
        InputError: no output is named.
    """

    file: InputFile
    text: TextColumn
    dtype: Annotated[
        Literal["float32", "float16"],
        Field(description="Type of the numbers: float32, or float16 in half the space."),
        Option(MODEL),
    ] = "float32"
    outputs: Annotated[EmbedOutputs, Without("escape", "figures")]
    embedder: Annotated[EmbedderOptions, Without("cache")]
    description: Annotated[SurveyOptions, Rare("survey")]
    table: RowOptions
    run: Annotated[RunOptions, Without("interval", "seed")]
    cluster: RayOptions

    def model_post_init(self, _context: object) -> None:
        """Refuse a run without an output."""
        if self.outputs.out is None:
            raise InputError("out", "must name where the vectors go: a .parquet file, or a folder (vectors/)")


@command
def embed(options: EmbedOptions) -> None:
    """Turn a column of texts into vectors, in the order of the rows.

    [bold]semscale embed answers.csv --text comment --out vectors.parquet[/bold]

    A folder as --out (vectors/) has one Parquet file for each part. If it is stopped, the same command
    continues after the last finished part.
    """
    summary = run_embed(options)
    with options.outputs.report_if_stopped():
        present(summary, options.outputs)


def run_embed(options: EmbedOptions) -> "EmbeddingSummary":
    """Embed a file, write its table, and sum it up.

    Vectors are not stored in the cache as well: the output has them, and finished parts are not repeated.

    Raises:
        SemscaleError: as ``embed_table``.
    """
    from semscale.cli.progress import progress_bars
    from semscale.embedding.loading import load_embedder
    from semscale.embedding.table import EmbeddingColumns, check_vectors_fit, embed_table
    from semscale.weights.known import DEFAULT_MODEL

    if options.outputs.out is not None:
        check_vectors_fit(options.outputs.out)
    options.outputs.check_run(options.file, restart=options.run.restart)
    table = options.table.open(options.file, is_reported=True)
    table, columns = options.description.resolve(table, options.file, EmbeddingColumns(text=options.text))

    def recipe() -> "EmbeddingRecipe":
        from semscale.distributed.datasets import EmbeddingRecipe

        model = model_recipe(options.embedder, DEFAULT_MODEL, cache=False)
        return EmbeddingRecipe(model, columns, options.dtype)

    with progress_bars() as progress, options.cluster.workers(options.embedder.engine, recipe) as workers:
        loading = options.embedder.loading(progress)
        loading["precision"], loading["cache"] = options.embedder.precision, False
        return embed_table(
            table,
            columns,
            embedder=load_embedder(options.embedder.chosen_name, **loading),
            out=options.outputs.out,
            dtype=options.dtype,
            settings=replace(options.run.parts, workers=workers),
            progress=progress,
        )
