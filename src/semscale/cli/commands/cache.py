"""The commands ``semscale cache``: show and empty the caches of embeddings, token states and pairs."""

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import typer

from semscale.cli.single_values import CommandGroup

if TYPE_CHECKING:
    from semscale.embedding.cache.entry_store import EntryStore

app = CommandGroup(help="The cache of embeddings that were computed before.", no_args_is_help=True)


@app.command()
def info() -> None:
    """Show where the cache lies, how many embeddings are in it, its size, and how large it may become.

    The states of tokens that `semscale drift` keeps of baselines, and what models of entailment say of pairs,
    have files of their own, with the same cap.
    """
    from semscale.weights.places import CAP_VARIABLE

    for cache, kept in _caches():
        cap = f"at most {cache.max_bytes / 1e6:,.1f} MB ({CAP_VARIABLE} sets another cap)"
        if not cache.path.exists():
            typer.echo(f"{cache.path}: nothing cached yet, {cap}")
            continue
        now = cache.info()
        typer.echo(f"{cache.path}: {now.entries:,} {kept}, {now.size / 1e6:,.1f} MB of {cap}")


@app.command()
def clear() -> None:
    """Remove every embedding, state of a token and score of a pair; they are computed again when needed.

    Damaged files that were moved aside are removed as well.
    """
    for cache, kept in _caches():
        entries = cache.clear() if cache.path.exists() else 0
        damaged = cache.remove_damaged()
        aside = f", and {len(damaged)} damaged file{'s' * (len(damaged) != 1)}" if damaged else ""
        typer.echo(f"{cache.path}: {entries:,} {kept} removed{aside}")


def _caches() -> Iterator[tuple["EntryStore", str]]:
    """Yield the cache of embeddings, and each other one that is there, with what it keeps."""
    from semscale.drift.measure.score_cache import SCORES_FILE
    from semscale.embedding.cache.embedding_cache import FILE_NAME
    from semscale.embedding.cache.entry_store import EntryStore
    from semscale.embedding.cache.state_cache import STATES_FILE
    from semscale.embedding.cross_encoders.pair_cache import PAIRS_FILE

    kept = {
        FILE_NAME: "embeddings",
        STATES_FILE: "texts' states",
        PAIRS_FILE: "pairs of texts",
        SCORES_FILE: "scores of pairs of outputs",
    }
    for name, what in kept.items():
        with closing(EntryStore(name)) as store:
            there = store.path.exists() or list(store.path.parent.glob(f"{name}.damaged*"))
            if name == FILE_NAME or there:
                yield store, what
