"""The instrument: says how far predictions say what their references say, by a method of one's choice."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np
import polars as pl

from semscale.embedding import Embedder
from semscale.matching.matches import Matches
from semscale.matching.methods import Explains, PairMethod, Recipe, build_method
from semscale.matching.pairs import best_pairs, pair_up
from semscale.store.columns import as_list
from semscale.types import Floats, Progress, Status
from semscale.weights.known import DEFAULT_MODEL


class MatcherSettings(TypedDict, total=False):
    """Settings of a ``Matcher``, as ``match`` passes them on."""

    model: str | Path | Embedder
    precision: str
    corpus: Iterable[str] | None
    seed: int


class Matcher:
    """Matches predictions with references.

    Args:
        method: one of ``semscale.matching.methods.METHODS``.
        model: a known model, a folder, or ``organisation/model`` on the Hugging Face hub; for ``cosine`` any
            embedder as well.
        precision: ``exact`` or ``fast``, see ``semscale.load_embedder``.
        corpus: texts from which word weights and the similarity of unrelated texts are estimated; the
            references at hand unless given.
        seed: of the draw of unrelated pairs.

    Raises:
        InputError: an unknown method, or a setting out of range.
        ModelError: the model's files cannot be had, or cannot be run.
    """

    def __init__(
        self,
        method: str = "cosine",
        *,
        model: str | Path | Embedder = DEFAULT_MODEL,
        precision: str = "exact",
        corpus: Iterable[str] | None = None,
        seed: int = 0,
    ) -> None:
        texts = None if corpus is None else as_list(corpus, "corpus")
        self.method = method
        self._method = build_method(method, Recipe(model, precision, texts, seed))

    def match(self, predictions: object, references: object, *, progress: Progress | None = None) -> Matches:
        """Match each prediction with its reference, or with the best of its references.

        Args:
            predictions: shape (n,), a list or a series.
            references: shape (n,), each a text or a list of texts.
            progress: called while texts are embedded.

        Raises:
            InputError: lists of unequal length, or a corpus that is too small for the method.
        """
        return match_with(self._method, predictions, references, progress=progress)


def match_with(
    method: PairMethod, predictions: object, references: object, *, progress: Progress | None = None
) -> Matches:
    """Match predictions with references by a method that is built already.

    Args:
        method: scores pairs.
        predictions: shape (n,), a list or a series.
        references: shape (n,), each a text or a list of texts.
        progress: called while texts are embedded.

    Raises:
        InputError: as ``Matcher.match``.
    """
    pairs = pair_up(predictions, references)
    scored = method.score(pairs, progress)
    best = best_pairs(scored.score, pairs.item)
    status = pairs.status.copy()
    weightless = np.isnan(scored.score[best])
    status[pairs.item[best[weightless]]] = Status.WEIGHTLESS
    best = best[~weightless]
    owners = pairs.item[best]

    def spread(values: Floats) -> Floats:
        """Give each item the value of its best pair."""
        spread_out: Floats = np.full(pairs.n_items, np.nan)
        spread_out[owners] = values[best]
        return spread_out

    reference, windows = np.full(pairs.n_items, -1), np.zeros(pairs.n_items, np.int64)
    reference[owners], windows[owners] = pairs.place[best], scored.windows[best]
    return Matches(
        score=spread(scored.score),
        status=status,
        reference=reference,
        windows=windows,
        signature=scored.signature,
        components={name: spread(values) for name, values in scored.components.items()},
        bounds=scored.bounds,
    )


def explain_items(
    method: PairMethod, predictions: object, references: object, matches: Matches, items: Sequence[int]
) -> dict[int, pl.DataFrame]:
    """Say token by token how items came to their scores.

    Args:
        method: what scored them.
        predictions: shape (n,), as they were matched.
        references: shape (n,), likewise.
        matches: what came of it, which says which reference counted.
        items: which of the n items; those without a score are passed over.

    Returns:
        For each item a table as ``semscale.matching.methods.Explains`` has it; empty where the method looks
        at no tokens.
    """
    if not isinstance(method, Explains):
        return {}
    pairs = pair_up(predictions, references)
    rows = {pair: row for row, pair in enumerate(zip(pairs.item, pairs.place, strict=True))}
    scored = [item for item in items if matches.scored[item]]
    explained = method.explain(pairs, [rows[item, matches.reference[item]] for item in scored])
    return dict(zip(scored, explained, strict=True))


def match(
    predictions: object, references: object, method: str = "cosine", **settings: Unpack[MatcherSettings]
) -> Matches:
    """Match predictions with references, in one call.

    Args:
        predictions: shape (n,), a list or a series.
        references: shape (n,), each a text or a list of texts.
        method: one of ``semscale.matching.methods.METHODS``.
        settings: as ``Matcher`` takes them.

    Returns:
        Matches in the order of the predictions.

    Raises:
        InputError: as ``Matcher`` and ``Matcher.match``.
    """
    return Matcher(method, **settings).match(predictions, references)
