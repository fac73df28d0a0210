"""The matcher: scores predictions against their references by a named method."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
import polars as pl

from semscale.embedding import Embedder
from semscale.embedding.embedder import AUTO
from semscale.embedding.loading import as_embedder
from semscale.embedding.token_states import TOKENLESS_ENGINES, state_engine
from semscale.embedding.tokenizer import open_tokenizer
from semscale.errors import InputError
from semscale.guards.registry import GUARDS, Guards, Mode
from semscale.matching.cosines import CosineMatch
from semscale.matching.layered import PRESETS, LayeredMatch, LayeredPreset, pieces_of
from semscale.matching.matches import Matches
from semscale.matching.pairs import (
    Explains,
    PairMethod,
    best_pairs,
    find_in_pairs,
    in_other_language,
    pair_up,
    usable_references,
    with_guards,
    with_read_languages,
)
from semscale.matching.settings import MatchKeywords, MatchSettings, validate_method
from semscale.settings import takes
from semscale.signature import Signature
from semscale.store.columns import as_list
from semscale.text_preparation import TextPreparation
from semscale.types import Floats, Progress, Status
from semscale.weights.known import DEFAULT_MODEL
from semscale.weights.resolving import resolve

if TYPE_CHECKING:
    from semscale.embedding.token_states import TokenEncoder

WEIGHING = frozenset({"calibrated"})
"""Methods whose scores take findings into account."""

ANY_ENGINE = frozenset({"cosine"})
"""Methods that need only vectors of texts, so that any engine works; the others need token states."""

_ESTIMATES_NOTHING = frozenset({"cosine", "entailment"})
_OWNERS: Mapping[str, tuple[str, ...]] = {
    "recall_share": ("calibrated", "entailment"),
    "layer": ("bertscore",),
    "nli": ("entailment",),
    "nli_labels": ("entailment",),
}
"""Settings that only some methods accept, with these methods."""


class Matcher:
    """Matches predictions with references.

    Args:
        method: one of ``semscale.matching.matcher.METHODS``.
        settings: fields of ``MatchSettings``.

    Raises:
        InputError: an unknown method, a setting out of range, or one that belongs to another method.
        ModelError: the model cannot be loaded or run.
    """

    @takes(MatchSettings)
    def __init__(
        self, method: str = MatchSettings.model_fields["method"].default, **settings: Unpack[MatchKeywords]
    ) -> None:
        self.settings = MatchSettings(method=method, **settings)
        self.guards: Guards | None = guards_for(method, self.settings.guards)
        if self.settings.explain:
            check_explaining(method)
        self.pair_method = build_method(self.settings)

    @classmethod
    def from_settings(cls, settings: MatchSettings) -> Self:
        """Build a matcher from settings that were checked already."""
        return cls(**{name: getattr(settings, name) for name in MatchSettings.model_fields})

    @classmethod
    def from_method(cls, method: PairMethod, *, guards: Guards | None = None, **settings: Any) -> Self:
        """Build a matcher around another method.

        Args:
            method: scores pairs.
            guards: check the pair behind each score; without guards there are no findings.
            settings: the fields of ``MatchSettings`` that apply to any method: ``empty`` and ``explain``.

        Raises:
            InputError: ``explain`` with a method that cannot explain its scores.
        """
        matcher = cls.__new__(cls)
        matcher.settings, matcher.guards, matcher.pair_method = MatchSettings(**settings), guards, method
        if matcher.settings.explain:
            check_explaining(method)
        return matcher

    @property
    def signature(self) -> Signature:
        """Signature of the settings; a result's signature also has the estimates from its references."""
        signature = with_read_languages(self.pair_method.signature)
        if self.guards is not None:
            signature = with_guards(signature, self.guards)
        return signature.plus(Signature.of("match", **self.settings.signature_fields()))

    def match(self, predictions: object, references: object, *, progress: Progress | None = None) -> Matches:
        """Match each prediction with its reference, or with the best of its references.

        Args:
            predictions: shape (n,), a list or a series.
            references: shape (n,), each a text or a list of texts.
            progress: called while texts are embedded, and while guards check pairs.

        Raises:
            InputError: lists of unequal length, or a corpus that is too small for the method.
        """
        preparation = TextPreparation.from_settings(self.settings)
        texts = preparation.prepare(as_list(predictions, "predictions"))
        return self.match_prepared(
            texts, preparation.prepare(as_list(references, "references")), progress=progress
        )

    def match_prepared(
        self, predictions: object, references: object, *, progress: Progress | None = None
    ) -> Matches:
        """Match texts as they are, with the reasoning and HTML in them; otherwise as ``match``."""
        matches = match_with(self.pair_method, predictions, references, guards=self.guards, progress=progress)
        signature = matches.signature.plus(Signature.of("match", **self.settings.signature_fields()))
        matches = replace(matches, signature=signature)
        if self.settings.empty == "missing":
            return matches
        # Missing and empty predictions score 0 if there is a reference; such a score has no components, best
        # reference -1 and 0 windows.
        cells = as_list(references, "references")
        is_empty = (matches.status == Status.MISSING) | (matches.status == Status.EMPTY)
        wrong = [item for item in np.flatnonzero(is_empty) if usable_references(cells[item])]
        score, status = matches.score.copy(), matches.status.copy()
        score[wrong], status[wrong] = 0.0, Status.SCORED
        return replace(matches, score=score, status=status)

    def with_method(self, method: PairMethod) -> "Matcher":
        """Return the matcher with a variant of its method, such as one with a corpus."""
        other = copy(self)
        other.pair_method = method
        return other


@takes(MatchSettings)
def match(
    predictions: object,
    references: object,
    method: str = MatchSettings.model_fields["method"].default,
    **settings: Unpack[MatchKeywords],
) -> Matches:
    """Match predictions with references, in one call.

    Args:
        predictions: shape (n,), a list or a series.
        references: shape (n,), each a text or a list of texts.
        method: one of ``semscale.matching.matcher.METHODS``.
        settings: fields of ``MatchSettings``.

    Returns:
        Matches in the order of the predictions.

    Raises:
        InputError: as ``Matcher`` and ``Matcher.match``.

    Examples:
        >>> matches = match(["It is not safe.", None], ["It is safe.", "It is safe."])
        >>> [str(status) for status in matches.status], matches.findings[0][0].reason
        (['scored', 'missing'], 'The prediction says "not safe", the reference "safe".')
    """
    return Matcher(method, **settings).match(predictions, references)


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
        guards: check the pair behind each score; without guards there are no findings.
        progress: called while texts are embedded, and while guards check pairs.
        keep_unread: whether to score texts that the model cannot read, or whose language it does not read,
            too.

    Raises:
        InputError: as ``Matcher.match``.
    """
    pairs = pair_up(predictions, references)
    scored = method.score(pairs, progress)
    foreign = np.zeros(len(pairs.item), np.bool_)
    pair_score, signature = scored.score, scored.signature
    if not keep_unread:
        foreign = in_other_language(pairs, signature)
        unread = foreign | scored.unread
        pair_score, signature = np.where(unread, np.nan, pair_score), with_read_languages(signature)
    best = best_pairs(pair_score, pairs.item)
    status = pairs.status.copy()
    unscored = pairs.item[best[np.isnan(pair_score[best])]]
    status[unscored] = Status.WEIGHTLESS
    status[np.intersect1d(unscored, pairs.item[foreign])] = Status.OTHER_LANGUAGE
    best = best[~np.isnan(pair_score[best])]
    items = pairs.item[best]

    def by_item(values: Floats) -> Floats:
        """Return the value of each item's best pair; NaN where it has none."""
        spread: Floats = np.full(pairs.n_items, np.nan)
        spread[items] = values[best]
        return spread

    reference, windows = np.full(pairs.n_items, -1), np.zeros(pairs.n_items, np.int64)
    reference[items], windows[items] = pairs.place[best], scored.windows[best]
    findings, guarded = ((), None) if guards is None else find_in_pairs(pairs, best, guards, progress)
    return Matches(
        score=by_item(pair_score),
        status=status,
        reference=reference,
        windows=windows,
        signature=signature if guards is None else with_guards(signature, guards),
        components={name: by_item(values) for name, values in scored.components.items()},
        findings=findings,
        guarded=guarded,
        bounds=scored.bounds,
        weighs_findings=scored.weighs_findings,
    )


def explain_items(
    method: PairMethod, predictions: object, references: object, matches: Matches, items: Sequence[int]
) -> dict[int, pl.DataFrame]:
    """Explain the scores of items token by token.

    Args:
        method: the method that scored them.
        predictions: shape (n,), the matched predictions.
        references: shape (n,), their references.
        matches: the result of the match, with the reference of each score.
        items: indices of the items to explain, from 0; items without a score are left out.

    Returns:
        For each item a table like that of ``semscale.matching.pairs.explained_side``; empty if the method
        compares no tokens.
    """
    if not isinstance(method, Explains):
        return {}
    pairs = pair_up(predictions, references)
    rows = {pair: row for row, pair in enumerate(zip(pairs.item, pairs.place, strict=True))}
    scored = [item for item in items if matches.reference[item] >= 0]
    explained = method.explain(pairs, [rows[item, matches.reference[item]] for item in scored])
    return dict(zip(scored, explained, strict=True))


def _cosine(settings: MatchSettings) -> PairMethod:
    return CosineMatch(_load_embedder(settings))


def _build_layered(settings: MatchSettings, *, preset: LayeredPreset) -> PairMethod:
    embedder = _load_embedder(settings)
    if settings.names_embedder and settings.loading.get("engine", "openvino") == "openvino":
        tokenizer = open_tokenizer(resolve(settings.embedder).folder / "tokenizer.json")
    else:
        tokenizer = state_engine(embedder).open_tokenizer()
    pieces = pieces_of(tokenizer)
    return LayeredMatch(preset, embedder=embedder, pieces=pieces, corpus=settings.corpus, seed=settings.seed)


def _bertscore(settings: MatchSettings) -> PairMethod:
    from semscale.matching.bertscore import BertMatch, BertScorer

    idf = False if settings.corpus is None else settings.corpus
    return BertMatch(BertScorer(_load_encoder(settings), layer=settings.layer, idf=idf))


def _build_calibrated(settings: MatchSettings) -> PairMethod:
    from semscale.matching.calibrated import CalibratedMatch

    return CalibratedMatch(
        _load_encoder(settings),
        corpus=settings.corpus,
        seed=settings.seed,
        recall_share=settings.recall_share,
        guards=guards_for(settings.method, settings.guards),
    )


def _entailment(settings: MatchSettings) -> PairMethod:
    from semscale.matching.entailment import EntailmentMatch, load_entailment_model

    model = load_entailment_model(
        settings.nli,
        settings.nli_labels,
        precision=settings.precision,
        cache=settings.loading.get("cache", True),
        progress=settings.loading.get("progress"),
    )
    return EntailmentMatch(model, recall_share=settings.recall_share)


METHODS: Mapping[str, Callable[[MatchSettings], PairMethod]] = {
    "calibrated": _build_calibrated,
    "bertscore": _bertscore,
    "cosine": _cosine,
    "entailment": _entailment,
    **{name: partial(_build_layered, preset=preset) for name, preset in PRESETS.items()},
}
"""Every method by its name."""


def build_method(settings: MatchSettings) -> PairMethod:
    """Build a method.

    Raises:
        InputError: a setting that belongs to another method.
    """
    name = settings.method
    for setting, owners in _OWNERS.items():
        if getattr(settings, setting) is not None and name not in owners:
            named = " and ".join(map(repr, owners))
            raise InputError(setting, f"belongs to method {named}, got it with {name!r}")
    if name == "entailment" and settings.embedder != DEFAULT_MODEL:
        raise InputError(
            "embedder",
            "belongs to methods that embed texts; for `method='entailment'` name its model as `nli`",
        )
    if settings.corpus is not None and not uses_corpus(name):
        users = ", ".join(method for method in METHODS if uses_corpus(method))
        raise InputError(
            "corpus", f"belongs to methods {users}, got it with {name!r}, which estimates nothing"
        )
    return METHODS[name](settings)


def _load_embedder(settings: MatchSettings) -> Embedder:
    return as_embedder(settings.embedder, **settings.loading, precision=settings.precision)


def _load_encoder(settings: MatchSettings) -> "TokenEncoder":
    from semscale.matching.bertscore import token_encoder

    return token_encoder(
        settings.embedder,
        settings.precision,
        settings.loading.get("progress"),
        engine=settings.loading.get("engine", "openvino"),
        device=settings.loading.get("device", AUTO),
    )


def uses_corpus(name: str) -> bool:
    """Return whether a method estimates something from a corpus."""
    return name not in _ESTIMATES_NOTHING


def check_method(name: str, engine: str = "openvino") -> None:
    """Check, before a model is loaded, that a method exists and goes with an engine.

    Raises:
        UnknownNameError: no method has this name; the nearest one is named.
        InputError: the method needs token states, which the engine does not return, or has its own model.
    """
    validate_method(name)
    if name == "entailment" and engine != "openvino":
        raise InputError("engine", f"must be openvino for method 'entailment', got {engine!r}")
    if engine in TOKENLESS_ENGINES and name not in ANY_ENGINE:
        raise InputError(
            "engine",
            f"must be openvino or torch for method {name!r}, which reads a model's tokens, "
            f"got {engine!r}; any engine serves {', '.join(sorted(ANY_ENGINE))}",
        )


def check_explaining(method: PairMethod | str) -> None:
    """Check that a method, passed as an object or a name, can explain its scores.

    Raises:
        InputError: it compares whole texts; the message names the methods that compare words.
    """
    explains = method not in ANY_ENGINE if isinstance(method, str) else isinstance(method, Explains)
    if not explains:
        name = method if isinstance(method, str) else dict(method.signature.fields).get("method", "this one")
        explaining = ", ".join(known for known in METHODS if known not in ANY_ENGINE)
        raise InputError(
            "explain",
            f"belongs to methods {explaining}, which compare parts of texts; got it with {name!r}, "
            "which compares whole texts",
        )


def guards_for(name: str, modes: Mapping[str, str] | None = None) -> Guards:
    """Return a method's guards: they weigh if the method has fitted weights for them, and otherwise warn.

    Args:
        name: name of the method.
        modes: ``off``, ``warn`` or ``weigh`` for single guards, by name.

    Raises:
        InputError: an unknown guard or mode, or ``weigh`` for a method that has no weights for findings.

    Examples:
        >>> dict(guards_for("cosine", {"name": "off"}).modes)["negation"].value
        'warn'
    """
    chosen = dict(modes or {})
    if name not in WEIGHING and Mode.WEIGH in chosen.values():
        weighed = ", ".join(guard for guard, mode in chosen.items() if mode == Mode.WEIGH)
        raise InputError(
            f"guards change scores in method {', '.join(sorted(WEIGHING))} only, which has fitted penalties; "
            f"got weigh for {weighed} with method {name!r}"
        )
    default = Mode.WEIGH if name in WEIGHING else Mode.WARN
    return Guards({**dict.fromkeys(GUARDS, default), **chosen})
