"""The matcher: scores how far predictions say the same as their references, by a chosen method."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np
import polars as pl

from semscale.embedding import Embedder
from semscale.guards.registry import Guards
from semscale.matching.empty_predictions import MISSING, check_empty, empty_settings, with_empty_as
from semscale.matching.languages.unread_pairs import in_other_language
from semscale.matching.matches import Matches
from semscale.matching.methods import (
    Explains,
    MethodSettings,
    PairMethod,
    build_method,
    check_method,
    guards_for,
)
from semscale.matching.pair_findings import find_in_pairs
from semscale.matching.pair_languages import with_guards, with_read_languages
from semscale.matching.pairs import best_pairs, pair_up
from semscale.matching.scored_pairs import ScoredPairs
from semscale.matching.unrelated import corpus_texts
from semscale.messages import known_settings
from semscale.signature import Signature
from semscale.stats.intervals.resampling import check_seed
from semscale.types import Floats, Mask, Progress, Status
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.embedding.tokens.token_states import TokenEncoder
    from semscale.matching.entailment.probabilities import EntailmentModel

DEFAULT_METHOD = "calibrated"


class MatcherSettings(TypedDict, total=False):
    """Settings of a ``Matcher``, as ``match`` passes them on."""

    embedder: "str | Path | Embedder | TokenEncoder"
    precision: str
    corpus: Iterable[str] | None
    seed: int
    guards: Mapping[str, str] | None
    recall_share: float | None
    layer: int | None
    nli: "str | Path | EntailmentModel | None"
    nli_labels: Sequence[str] | None
    empty: str


class Matcher:
    """Matches predictions with references.

    Args:
        method: one of ``semscale.matching.methods.METHODS``.
        embedder: a known model, a folder, ``organisation/model`` on the Hugging Face hub, or what
            ``load_embedder`` gives; for all methods but ``cosine`` its engine must show the states of tokens,
            as ``openvino`` and ``torch`` do.
        precision: ``exact`` or ``fast``, see ``semscale.load_embedder``; ``turbo`` for methods that compare
            vectors alone.
        corpus: texts from which word weights and the similarity of unrelated texts are estimated; the
            references at hand unless given.
        seed: seed of the draw of unrelated pairs.
        guards: ``off``, ``warn`` or ``weigh`` for guards by name (``negation``, ``opposite``, ``number``,
            ``name``). Unless given, they weigh in ``calibrated`` and warn elsewhere: findings are reported,
            and the score stays.
        recall_share: for ``calibrated`` and ``entailment``, from 0 (is all that is said backed by the
            reference?) to 1 (is all of the reference said?).
        layer: for ``bertscore``, whose states are compared; the published or calibrated one unless given.
        nli: for ``entailment``, which needs it: a folder, ``organisation/model`` on the Hugging Face hub, or
            a ``semscale.matching.entailment.probabilities.EntailmentModel``.
        nli_labels: entailment, neutral and contradiction in the order of that model's classes, where its
            ``config.json`` does not say it.
        empty: whether an item whose prediction is missing or empty has no score (``missing``), or counts as
            ``wrong`` with the score 0.

    Raises:
        InputError: an unknown method, a setting out of range, or one that belongs to another method.
        ModelError: the model's files cannot be had, or cannot be run.
    """

    @known_settings
    def __init__(  # noqa: PLR0913 - each is a setting that the signature records
        self,
        method: str = DEFAULT_METHOD,
        *,
        embedder: "str | Path | Embedder | TokenEncoder" = DEFAULT_MODEL,
        precision: str = "exact",
        corpus: Iterable[str] | None = None,
        seed: int = 0,
        guards: Mapping[str, str] | None = None,
        recall_share: float | None = None,
        layer: int | None = None,
        nli: "str | Path | EntailmentModel | None" = None,
        nli_labels: Sequence[str] | None = None,
        empty: str = MISSING,
    ) -> None:
        check_method(method)
        check_empty(empty)
        texts = None if corpus is None else corpus_texts(corpus)
        check_seed(seed)
        self.method, self.empty = method, empty
        self.guards = guards_for(method, guards)
        settings = MethodSettings(
            embedder,
            precision,
            texts,
            seed,
            guards=self.guards,
            recall_share=recall_share,
            layer=layer,
            nli=nli,
            nli_labels=nli_labels,
        )
        self.pair_method = build_method(method, settings)

    @property
    def signature(self) -> Signature:
        """Signature of the settings; that of a result also has what was estimated from its references."""
        fields = with_guards(self.pair_method.signature, self.guards)
        return fields.extended(empty_settings(self.empty))

    def match(self, predictions: object, references: object, *, progress: Progress | None = None) -> Matches:
        """Match each prediction with its reference, or with the best of its references.

        Args:
            predictions: shape (n,), a list or a series.
            references: shape (n,), each a text or a list of texts.
            progress: called while texts are embedded, and while guards look at pairs.

        Raises:
            InputError: lists of unequal length, or a corpus that is too small for the method.
        """
        found = match_with(self.pair_method, predictions, references, guards=self.guards, progress=progress)
        return with_empty_as(self.empty, found, references)


def match_with(
    method: PairMethod,
    predictions: object,
    references: object,
    *,
    guards: Guards | None = None,
    progress: Progress | None = None,
    keep_unread: bool = False,
) -> Matches:
    """Match predictions with references by a method object.

    Args:
        method: scores pairs.
        predictions: shape (n,), a list or a series.
        references: shape (n,), each a text or a list of texts.
        guards: look at every pair that a score is from; no findings are reported unless given.
        progress: called while texts are embedded, and while guards look at pairs.
        keep_unread: whether texts that the model cannot read, or whose language it does not read, are scored
            all the same.

    Raises:
        InputError: as ``Matcher.match``.
    """
    pairs = pair_up(predictions, references)
    scored = method.score(pairs, progress)
    foreign = np.zeros(len(pairs.item), np.bool_)
    if not keep_unread:
        foreign = in_other_language(pairs, scored.signature)
        scored = _without_unread(scored, foreign)
    best = best_pairs(scored.score, pairs.item)
    status = pairs.status.copy()
    unscored = np.isnan(scored.score[best])
    without = pairs.item[best[unscored]]
    status[without] = Status.WEIGHTLESS
    status[np.intersect1d(without, pairs.item[foreign])] = Status.OTHER_LANGUAGE
    best = best[~unscored]
    owners = pairs.item[best]

    def spread(values: Floats) -> Floats:
        """Give each item the value of its best pair."""
        spread_out: Floats = np.full(pairs.n_items, np.nan)
        spread_out[owners] = values[best]
        return spread_out

    reference, windows = np.full(pairs.n_items, -1), np.zeros(pairs.n_items, np.int64)
    reference[owners], windows[owners] = pairs.place[best], scored.windows[best]
    looked = None if guards is None else find_in_pairs(pairs, best, guards, progress)
    signature = scored.signature if keep_unread else with_read_languages(scored.signature)
    return Matches(
        score=spread(scored.score),
        status=status,
        reference=reference,
        windows=windows,
        signature=signature if guards is None else with_guards(signature, guards),
        components={name: spread(values) for name, values in scored.components.items()},
        findings=() if looked is None else looked.found,
        guarded=None if looked is None else looked.guarded,
        bounds=scored.bounds,
        weighs_findings=scored.weighs_findings,
    )


def _without_unread(scored: ScoredPairs, foreign: Mask) -> ScoredPairs:
    """Take the scores from pairs with a text that the model does not read.

    Args:
        scored: p pairs.
        foreign: shape (p,), which pairs have a text in a language that it does not read.
    """
    unread = foreign if scored.unread is None else foreign | scored.unread
    return replace(scored, score=np.where(unread, np.nan, scored.score))


def explain_items(
    method: PairMethod, predictions: object, references: object, matches: Matches, items: Sequence[int]
) -> dict[int, pl.DataFrame]:
    """Explain the scores of items token by token.

    Args:
        method: the method that scored them.
        predictions: shape (n,), as they were matched.
        references: shape (n,), likewise.
        matches: their matches, which name the reference of each score.
        items: numbers of the items to explain, from 0; those without a score are left out.

    Returns:
        For each item a table as ``semscale.matching.methods.Explains`` describes it; empty if the method
        compares no tokens.
    """
    if not isinstance(method, Explains):
        return {}
    pairs = pair_up(predictions, references)
    rows = {pair: row for row, pair in enumerate(zip(pairs.item, pairs.place, strict=True))}
    scored = [item for item in items if matches.reference[item] >= 0]
    explained = method.explain(pairs, [rows[item, matches.reference[item]] for item in scored])
    return dict(zip(scored, explained, strict=True))


def match(
    predictions: object,
    references: object,
    method: str = DEFAULT_METHOD,
    **settings: Unpack[MatcherSettings],
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

    Example:
        >>> found = match(["It is not safe.", None], ["It is safe.", "It is safe."])
        >>> [str(status) for status in found.status], found.findings[0][0].reason
        (['scored', 'missing'], 'The prediction says "not safe", the reference "safe".')
    """
    return Matcher(method, **settings).match(predictions, references)
