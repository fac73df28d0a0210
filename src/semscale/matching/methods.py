"""The methods of matching by name, and how each one is built."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import polars as pl

from semscale.embedding import Embedder
from semscale.embedding.engines.windows import open_tokenizer
from semscale.embedding.loading import as_embedder
from semscale.embedding.tokens.state_engine import TOKENLESS_ENGINES, state_engine
from semscale.embedding.torch_engine.device import AUTO
from semscale.errors import InputError
from semscale.guards.registry import GUARDS, Guards, Mode
from semscale.matching.cosines import CosineMatch
from semscale.matching.layered import PRESETS, LayeredMatch, LayeredPreset
from semscale.matching.pairs import Pairs, ScoredPairs
from semscale.matching.settings import MatchSettings, known_method
from semscale.matching.words import pieces_of
from semscale.signature import Signature
from semscale.types import Progress
from semscale.weights.known import DEFAULT_MODEL
from semscale.weights.resolving import resolve

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from semscale.embedding.tokens.token_states import TokenEncoder


class PairMethod(Protocol):
    """A method of matching: it scores pairs of texts."""

    @property
    def signature(self) -> Signature:
        """Signature of the settings; that of a result also has what was estimated from its texts."""
        ...

    def score(self, pairs: Pairs, progress: Progress | None = None) -> ScoredPairs:
        """Score every pair, whatever item it belongs to."""
        ...


@runtime_checkable
class Explains(Protocol):
    """A method that can explain a pair's score token by token, or word by word."""

    def explain(self, pairs: Pairs, rows: Sequence[int]) -> list[pl.DataFrame]:
        """Lay out the tokens of some pairs as tables, those of the prediction first.

        Args:
            pairs: all pairs, as they were scored.
            rows: which of them.

        Returns:
            A table a row, with columns ``side`` (``prediction`` or ``reference``), ``place``, ``token``,
            ``matched_token``, ``similarity``, ``weight`` (a share of its side's, or of both sides') and
            ``contribution``; more where a method has more to say.
        """
        ...


@runtime_checkable
class CorpusDependent(Protocol):
    """A method that estimates weights or levels from a call's references, unless it has a corpus."""

    @property
    def has_corpus(self) -> bool:
        """Whether a corpus was given."""
        ...

    def over(self, corpus: Sequence[str]) -> PairMethod:
        """Return the method with estimates from a corpus, instead of from the references of each call."""
        ...


def loaded(settings: MatchSettings) -> Embedder:
    """Load the embedder, unless the settings have a loaded one."""
    return as_embedder(settings.embedder, **settings.loading, precision=settings.precision)


def loaded_encoder(settings: MatchSettings) -> "TokenEncoder":
    """Load the model for the states of its tokens.

    Raises:
        InputError: the embedder shows no states of tokens.
        ModelError: the model's files cannot be had or run.
    """
    from semscale.matching.bertscore import token_encoder

    return token_encoder(
        settings.embedder,
        settings.precision,
        settings.loading.get("progress"),
        engine=settings.loading.get("engine", "openvino"),
        device=settings.loading.get("device", AUTO),
    )


def _tokenizer(settings: MatchSettings, embedder: Embedder) -> "Tokenizer":
    """Open the model's tokenizer: from its files where it is named, else from the engine."""
    if settings.names_embedder and settings.loading.get("engine", "openvino") == "openvino":
        return open_tokenizer(resolve(settings.embedder).folder / "tokenizer.json")
    return state_engine(embedder).open_tokenizer()


def _cosine(settings: MatchSettings) -> PairMethod:
    return CosineMatch(loaded(settings))


def _layered(settings: MatchSettings, *, preset: LayeredPreset) -> PairMethod:
    embedder = loaded(settings)
    pieces = pieces_of(_tokenizer(settings, embedder))
    return LayeredMatch(preset, embedder=embedder, pieces=pieces, corpus=settings.corpus, seed=settings.seed)


def _bertscore(settings: MatchSettings) -> PairMethod:
    from semscale.matching.bertscore import BertMatch, BertScorer

    idf = False if settings.corpus is None else settings.corpus
    return BertMatch(BertScorer(loaded_encoder(settings), layer=settings.layer, idf=idf))


def _calibrated(settings: MatchSettings) -> PairMethod:
    from semscale.matching.calibrated import CalibratedMatch

    return CalibratedMatch(
        loaded_encoder(settings),
        corpus=settings.corpus,
        seed=settings.seed,
        recall_share=settings.recall_share,
        guards=guards_for(settings.method, settings.guards),
    )


def _entailment(settings: MatchSettings) -> PairMethod:
    from semscale.matching.entailment import EntailmentMatch, chosen_model

    model = chosen_model(
        settings.nli,
        settings.nli_labels,
        precision=settings.precision,
        cache=settings.loading.get("cache", True),
        progress=settings.loading.get("progress"),
    )
    return EntailmentMatch(model, recall_share=settings.recall_share)


METHODS: Mapping[str, Callable[[MatchSettings], PairMethod]] = {
    "calibrated": _calibrated,
    "bertscore": _bertscore,
    "cosine": _cosine,
    "entailment": _entailment,
    **{name: partial(_layered, preset=preset) for name, preset in PRESETS.items()},
}
"""Every method by its name."""


WEIGHING = frozenset({"calibrated"})
"""Methods whose scores take findings into account."""

ANY_ENGINE = frozenset({"cosine"})
"""Methods that read vectors of texts alone, so that any engine serves; the others read a model's tokens."""


_ESTIMATES_NOTHING = frozenset({"cosine", "entailment"})
_OWNERS: Mapping[str, tuple[str, ...]] = {
    "recall_share": ("calibrated", "entailment"),
    "layer": ("bertscore",),
    "nli": ("entailment",),
    "nli_labels": ("entailment",),
}
"""Settings that only some methods take, with these methods."""


def uses_corpus(name: str) -> bool:
    """Whether a method estimates something from a corpus."""
    return name not in _ESTIMATES_NOTHING


def check_explaining(method: PairMethod | str) -> None:
    """Check that a method, or the one of this name, can explain its scores.

    Raises:
        InputError: it compares whole texts; the methods that compare words are named.
    """
    explains = method not in ANY_ENGINE if isinstance(method, str) else isinstance(method, Explains)
    if not explains:
        name = method if isinstance(method, str) else dict(method.signature.fields).get("method", "this one")
        explaining = ", ".join(known for known in METHODS if known not in ANY_ENGINE)
        raise InputError(
            f"explain belongs to methods {explaining}, which compare parts of texts; got it with {name!r}, "
            "which compares whole texts"
        )


def check_method(name: str, engine: str = "openvino") -> None:
    """Check, before a model is loaded, that a method exists and goes with an engine.

    Raises:
        UnknownNameError: no method has this name; the nearest one is named.
        InputError: the method reads tokens, which the engine does not show, or has a model of its own.
    """
    known_method(name)
    if name == "entailment" and engine != "openvino":
        raise InputError(f"engine must be openvino for method 'entailment', got {engine!r}")
    if engine in TOKENLESS_ENGINES and name not in ANY_ENGINE:
        raise InputError(
            f"engine must be openvino or torch for method {name!r}, which reads a model's tokens, "
            f"got {engine!r}; any engine serves {', '.join(sorted(ANY_ENGINE))}"
        )


def guards_for(name: str, modes: Mapping[str, str] | None = None) -> Guards:
    """Give the guards of a method: they weigh where their weights are fitted, and warn elsewhere.

    Args:
        name: name of the method.
        modes: ``off``, ``warn`` or ``weigh`` for guards that shall do otherwise, by name.

    Raises:
        InputError: an unknown guard or mode, or ``weigh`` for a method that has no weights for findings.

    Example:
        >>> dict(guards_for("cosine", {"name": "off"}).modes)["negation"].value
        'warn'
    """
    chosen = dict(modes or {})
    if name not in WEIGHING and Mode.WEIGH in chosen.values():
        weighed = ", ".join(guard for guard, mode in chosen.items() if mode == Mode.WEIGH)
        raise InputError(
            f"guards weigh in method {', '.join(sorted(WEIGHING))} alone, whose penalties are fitted; "
            f"got weigh for {weighed} with method {name!r}"
        )
    default = Mode.WEIGH if name in WEIGHING else Mode.WARN
    return Guards({**dict.fromkeys(GUARDS, default), **chosen})


def build_method(settings: MatchSettings) -> PairMethod:
    """Build a method.

    Raises:
        InputError: a setting that belongs to another method.
    """
    name = settings.method
    for setting, owners in _OWNERS.items():
        if getattr(settings, setting) is not None and name not in owners:
            named = " and ".join(map(repr, owners))
            raise InputError(f"{setting} belongs to method {named}, got it with {name!r}")
    if name == "entailment" and settings.embedder != DEFAULT_MODEL:
        raise InputError(
            "embedder belongs to methods that embed texts; for method 'entailment' name its model as nli",
            in_shell="--embedder belongs to methods that embed texts; for --method entailment name its model "
            "with --nli",
        )
    if settings.corpus is not None and not uses_corpus(name):
        users = ", ".join(method for method in METHODS if uses_corpus(method))
        raise InputError(f"corpus belongs to methods {users}, got it with {name!r}, which estimates nothing")
    return METHODS[name](settings)
