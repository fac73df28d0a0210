"""``semscale cache``: how full the cache of embeddings is, and emptying it."""

import typer

app = typer.Typer(help="The cache of embeddings that were computed before.", no_args_is_help=True)


@app.command()
def info() -> None:
    """Show where the cache lies, how many embeddings are in it, its size, and how large it may become."""
    from semscale.embedding.cache import EmbeddingCache
    from semscale.weights.places import CAP_VARIABLE

    with EmbeddingCache() as cache:
        cap = f"at most {cache.max_bytes / 1e6:,.1f} MB ({CAP_VARIABLE} sets another cap)"
        if not cache.path.exists():
            typer.echo(f"{cache.path}: nothing cached yet, {cap}")
            return
        now = cache.info()
        typer.echo(f"{cache.path}: {now.entries:,} embeddings, {now.size / 1e6:,.1f} MB of {cap}")


@app.command()
def clear() -> None:
    """Remove every embedding from the cache; they are computed again when they are needed.

    Damaged files that were moved aside are removed as well.
    """
    from semscale.embedding.cache import EmbeddingCache

    with EmbeddingCache() as cache:
        entries = cache.clear() if cache.path.exists() else 0
        damaged = cache.remove_damaged()
        aside = f", and {len(damaged)} damaged file{'s' * (len(damaged) != 1)}" if damaged else ""
        typer.echo(f"{cache.path}: {entries:,} embeddings removed{aside}")
