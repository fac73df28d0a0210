"""Settings of consistency, from which options, request fields, signature and docs derive."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from semscale.errors import InputError
from semscale.settings import Option, Settings
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    pass

MEASURING, TRUST = "Measuring", "Trust"

DEFAULT_MEASURES = (
    "consistency",
    "cosine_sim",
    "ncs_above_floor",
    "uncontradicted",
    "exact_match_normalised",
)
GUARD_NAMES = ("negation", "opposite", "number", "name", "answer")
"""The guards that check samples: those whose findings contradict an answer, and that of short answers."""


def _measures(names: Any) -> tuple[str, ...]:  # noqa: ANN401 - checked here
    from semscale.answer_consistency.measures import check_measures

    return check_measures(names)


def check_guards(names: Iterable[str]) -> tuple[str, ...]:
    """Give the chosen guards in their fixed order.

    Raises:
        InputError: a guard that does not exist.

    Example:
        >>> check_guards(["number", "negation"])
        ('negation', 'number')
    """
    from semscale.store.columns import as_list

    chosen = as_list(names, "guards")
    for name in chosen:
        if name not in GUARD_NAMES:
            raise InputError(f"guards must be among {', '.join(GUARD_NAMES)}, got {name!r}")
    return tuple(name for name in GUARD_NAMES if name in chosen)


def _floor(floor: Any) -> float | str:  # noqa: ANN401 - checked here
    if floor == "auto":
        return "auto"
    try:
        value = float("nan") if isinstance(floor, bool) else float(floor)
    except (TypeError, ValueError):
        value = float("nan")
    if not -1 <= value < 1:
        raise InputError(f"floor must be auto or a cosine from -1 to below 1, got {floor!r}")
    return value


def _seed(seed: object) -> object:
    from semscale.stats.intervals.resampling import check_seed

    check_seed(seed)  # type: ignore[arg-type]  # refuses what is no seed
    return seed


def _labels(labels: object) -> object:
    return labels.split(",") if isinstance(labels, str) else labels


class ConsistencySettings(Settings):
    """Settings of a ``Consistency``.

    Raises:
        InputError: an unknown measure or guard, a setting out of range, a measure without its model, or a
            model of entailment that no measure uses.
    """

    measures: Annotated[
        tuple[str, ...],
        BeforeValidator(_measures),
        Field(description="Measure; can be repeated, the first is the score."),
        Option(MEASURING, "NAME", name="--measure", type=list[str], shown=False),
    ] = DEFAULT_MEASURES
    embedder: Annotated[
        Any,
        Field(
            description="Embedding model: a known name, a folder, a name on the hub, or a loaded embedder."
        ),
    ] = DEFAULT_MODEL
    bert_embedder: Annotated[
        Any,
        Field(
            description="Model of bert_score: a name, an embedder that shows the states of tokens, or a "
            "BertScorer. uqlm has roberta-large."
        ),
    ] = DEFAULT_MODEL
    floor: Annotated[
        float | str,
        BeforeValidator(_floor),
        Field(
            description="Cosine of answers to different questions: a number, or auto to estimate it from "
            "random pairs; with fewer than 10 different answers auto corrects nothing."
        ),
        Option(MEASURING, "FLOOR", type=str),
    ] = "auto"
    guards: Annotated[
        tuple[str, ...],
        BeforeValidator(check_guards),
        Field(description=f"Guards that check for contradictions, among {', '.join(GUARD_NAMES)}."),
    ] = GUARD_NAMES
    fewest_samples: Annotated[
        int, Field(ge=1, description="Usable samples that a question needs."), Option(MEASURING)
    ] = 1
    seed: Annotated[
        int, BeforeValidator(_seed), Field(description="Seed of the draw of unrelated pairs.")
    ] = 0
    same_by: Annotated[
        str,
        Field(
            description="Ground on which measures of meanings take texts to mean the same: auto, entailment, "
            "cosine or exact."
        ),
        Option(MEASURING, type=Literal["auto", "entailment", "cosine", "exact"]),
    ] = "auto"
    nli: Annotated[
        Any,
        Field(
            description="Entailment model for contradictions, meanings or --claims: a folder, or a name on "
            "the hub."
        ),
        Option(MEASURING, "MODEL", type=str),
    ] = None
    nli_labels: Annotated[
        tuple[str, ...] | None,
        BeforeValidator(_labels),
        Field(
            description="Order of that model's classes, such as entailment,neutral,contradiction, where its "
            "files do not state it."
        ),
        Option(MEASURING, "LABELS", type=str),
    ] = None
    by_sentence: Annotated[
        bool,
        Field(description="Whether the entailment model reads long texts sentence by sentence or whole."),
    ] = True

    def model_post_init(self, _context: object) -> None:
        """Refuse measures without their model, and a model without its measures."""
        from semscale.answer_consistency.measures import check_nli, check_same_by

        check_same_by(self.same_by, self.measures, has_entailment=self.nli is not None)
        if self.nli is not None:
            check_nli(self.measures, self.same_by)

    @property
    def needs(self) -> frozenset[str]:
        """The parts that the measures are computed from, as ``needed_parts`` names them."""
        from semscale.answer_consistency.measures import needed_parts

        return needed_parts(self.measures, self.same_by, has_entailment=self.nli is not None)


class CorrectnessSettings(Settings):
    """Settings of ``estimate_correctness``: how labels become the probability of being right."""

    curve: Annotated[
        str,
        Field(
            description="How consistency becomes the probability of being right: platt (few labels) or "
            "isotonic (a few hundred)."
        ),
        Option(TRUST, type=Literal["platt", "isotonic"]),
    ] = "platt"
    ensemble: Annotated[
        str,
        Field(
            description="Basis of the probability: the first measure (none), the plain mean of all, or their "
            "mean with weights tuned on labels."
        ),
        Option(TRUST, type=Literal["none", "mean", "tuned"]),
    ] = "none"
    error_rate: Annotated[
        float, Field(description="Wrong answers allowed among those accepted."), Option(TRUST, "SHARE")
    ] = 0.05
    lost_rate: Annotated[
        float, Field(description="Right answers allowed among those given up."), Option(TRUST, "SHARE")
    ] = 0.2
    confidence: Annotated[
        float, Field(description="Confidence that both thresholds hold."), Option("Run", "NUMBER")
    ] = 0.95
    interval: Annotated[float, Field(description="Coverage of the intervals of P(correct).")] = 0.95
    seed: Annotated[int, Field(description="Seed of folds and intervals.")] = 0
