"""The command ``semscale embed``: texts turned into vectors."""

from semscale.cli.options.embedding import EmbedOptions
from semscale.cli.options.groups import grouped


@grouped
def embed(options: EmbedOptions) -> None:
    """Turn a column of texts into vectors, in the order of the rows.

    [bold]semscale embed answers.csv --text comment --out vectors.parquet[/bold]

    A folder as --out (vectors/) has one Parquet file for each part. If it is stopped, the same command goes
    on after the last finished part.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.embed import embed_table

    summary = embed_table(options)
    with options.outputs.told_if_stopped():
        present(summary, options.outputs)
