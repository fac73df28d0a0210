"""Settings and columns of matching, from which options, request fields and docs derive."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

from pydantic import BeforeValidator, Field

from semscale.errors import InputError, UnknownNameError
from semscale.messages import did_you_mean
from semscale.results.table_columns import GROUP, TEXT, TEXTS, Columns
from semscale.settings import Option, Settings, Signed
from semscale.text_preparation import Html, Reasoning
from semscale.weights.known import DEFAULT_MODEL

MATCHING = "Matching"
DEFAULT_METHOD = "calibrated"
METHOD_NAMES = ("calibrated", "bertscore", "cosine", "entailment", "cliniqlink-doc", "cliniqlink-code")
"""Every method of matching; ``semscale.matching.matcher.METHODS`` builds them."""


def validate_method(name: object) -> object:
    """Return the name of a method after checking it.

    Raises:
        UnknownNameError: no method has this name; the nearest one is named.
    """
    if name not in METHOD_NAMES:
        hint = did_you_mean(str(name), METHOD_NAMES)
        raise UnknownNameError("method", f"must be one of {', '.join(METHOD_NAMES)}, got {name!r}{hint}")
    return name


def _corpus(corpus: Iterable[object] | None) -> tuple[str, ...] | None:
    if corpus is None:
        return None
    from semscale.matching.pairs import corpus_texts

    return tuple(corpus_texts(corpus))


def _seed(seed: object) -> object:
    from semscale.stats.intervals import check_seed

    check_seed(seed)  # type: ignore[arg-type]  # refuses what is no seed
    return seed


def _labels(labels: object) -> object:
    return labels.split(",") if isinstance(labels, str) else labels


Corpus = Annotated[tuple[str, ...] | None, BeforeValidator(_corpus)]
"""Texts from which weights or levels are estimated."""

Seed = Annotated[int, BeforeValidator(_seed)]
"""Seed of a random draw."""

NliLabels = Annotated[
    tuple[str, ...] | None,
    BeforeValidator(_labels),
    Field(description="Order of the entailment model's classes, if its files do not state it."),
]
"""Order of the classes of an entailment model; a text separates them by commas."""


def guard_modes(modes: object) -> object:
    """Read modes of guards from a mapping, or from texts such as ``number=off``; ``all`` is every guard.

    Raises:
        InputError: a text without ``=``, or a guard that is named twice.

    Examples:
        >>> guard_modes(["all=off", "number=warn"])["number"]
        'warn'
    """
    if isinstance(modes, Mapping) or modes is None:
        return modes
    if isinstance(modes, str) or not isinstance(modes, Iterable):
        raise InputError("guards", f"must map guards to modes, such as {{'name': 'off'}}, got {modes!r:.60}")
    from semscale.guards.registry import GUARDS

    named: dict[str, str] = {}
    for pair in modes:
        name, equals, mode = str(pair).partition("=")
        if not equals:
            raise InputError("guards", f"must be GUARD=MODE, such as number=off, got {pair!r}")
        if name in named:
            raise InputError("guards", f": {name} is given twice; it takes one mode")
        named[name] = mode
    all_modes = dict.fromkeys(GUARDS, named.pop("all")) if "all" in named else {}
    return all_modes | named


class MatchSettings(Settings):
    """Settings of a ``Matcher``.

    Raises:
        InputError: a value out of range.
        UnknownNameError: no method has this name; the nearest one is named.
    """

    method: Annotated[
        str,
        BeforeValidator(validate_method),
        Field(description="Method that compares the texts."),
        Option(MATCHING, "METHOD"),
    ] = DEFAULT_METHOD
    embedder: Annotated[
        Any,
        Field(description="Embedding model: name, folder, name on the hub, or loaded embedder."),
    ] = DEFAULT_MODEL
    precision: Annotated[
        str, Field(description="exact (float32), fast (bfloat16) or, for whole texts, turbo (8 bits).")
    ] = "exact"
    corpus: Annotated[
        Corpus,
        Field(
            description="Texts from which word weights and random pairs are computed (default: the "
            "references)."
        ),
    ] = None
    seed: Annotated[Seed, Field(description="Seed of the draw of unrelated pairs.")] = 0
    guards: Annotated[
        dict[str, Literal["off", "warn", "weigh"]] | None,
        BeforeValidator(guard_modes),
        Field(
            description="Effect of a guard (check for contradictions), such as negation=off, number=warn or "
            "all=weigh."
        ),
        Option(MATCHING, "GUARD=MODE", name="--guard", type=list[str]),
    ] = None
    recall_share: Annotated[
        float | None,
        Field(
            ge=0,
            le=1,
            description="Weight of recall relative to precision, from 0 to 1.",
        ),
        Option(MATCHING, "SHARE", rare=True),
    ] = None
    empty: Annotated[
        Literal["missing", "wrong"],
        Field(description="Empty predictions are left out (missing) or score 0 (wrong)."),
        Option(MATCHING, rare=True),
        Signed(unless_default=True),
    ] = "missing"
    layer: Annotated[
        int | None,
        Field(description="Layer of the model whose token vectors bertscore compares."),
        Option(MATCHING, "NUMBER", rare=True),
    ] = None
    nli: Annotated[
        Any,
        Field(description="Entailment model: folder, or organisation/name on the Hugging Face hub."),
        Option(MATCHING, "MODEL", type=str, rare=True),
    ] = None
    nli_labels: Annotated[NliLabels, Option(MATCHING, "LABELS", type=str, rare=True)] = None
    reasoning: Reasoning = "remove"
    html: Html = "keep"
    explain: Annotated[
        bool,
        Field(description="Show which words and findings lower the scores most."),
        Option(MATCHING, shown=False),
    ] = False
    loading: Annotated[
        dict[str, Any], Field(description="Further settings of load_embedder, such as engine and device.")
    ] = Field(default_factory=dict)

    @property
    def names_embedder(self) -> bool:
        """True if the embedder is named, so that each process can load its own."""
        return isinstance(self.embedder, str | Path)


class MatchKeywords(TypedDict, total=False):
    """Types of ``MatchSettings`` without ``method`` as keyword arguments, for type checkers."""

    embedder: Any
    precision: str
    corpus: Iterable[object] | None
    seed: int
    guards: Mapping[str, Literal["off", "warn", "weigh"]] | Iterable[str] | None
    recall_share: float | None
    empty: Literal["missing", "wrong"]
    layer: int | None
    nli: Any
    nli_labels: Iterable[str] | None
    explain: bool
    loading: Mapping[str, Any]
    reasoning: Reasoning
    html: Html


class MatchColumns(Columns):
    """Columns of predictions, references and groups."""

    prediction: Annotated[str, TEXT, Field(description="The texts to judge."), Option("Columns", "COLUMN")]
    reference: Annotated[
        tuple[str, ...],
        TEXTS,
        Field(
            min_length=1,
            description='References: texts, or lists like ["first", "second"].',
        ),
        Option("Columns", "COLUMN"),
    ]
    by: Annotated[str | None, GROUP, Field(description="Groups to compare."), Option("Columns", "COLUMN")] = (
        None
    )


class GroundingColumns(Columns):
    """Columns of answers, the passages that should support them, and groups."""

    prediction: Annotated[str, TEXT]
    context: Annotated[
        tuple[str, ...],
        TEXTS,
        Field(min_length=1, description="Passages that should support each sentence."),
        Option("Columns", "COLUMN"),
    ]
    by: Annotated[str | None, GROUP] = None
