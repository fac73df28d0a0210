"""Settings and columns of consistency, from which options, request fields, signature and docs derive."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypedDict

from pydantic import BeforeValidator, Field

from semscale.errors import InputError
from semscale.matching.settings import Corpus, NliLabels, Seed
from semscale.results.table_columns import CELL, GROUP, TEXT, Cells, Columns, Role
from semscale.settings import Option, Settings
from semscale.text_preparation import Html, Reasoning
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    import polars as pl

    from semscale.types import Floats

MEASURING, TRUST = "Measuring", "Trust"

DEFAULT_MEASURES = (
    "consistency",
    "cosine_sim",
    "ncs_above_floor",
    "uncontradicted",
    "exact_match_normalised",
)
GUARD_NAMES = ("negation", "opposite", "number", "name", "answer")
"""The guards that check samples: guards that find contradictions, and the guard of short answers."""


def _measures(names: Any) -> tuple[str, ...]:
    from semscale.answer_consistency.measures import check_measures

    return check_measures(names)


def check_guards(names: Iterable[str]) -> tuple[str, ...]:
    """Return the chosen guards in their fixed order.

    Raises:
        InputError: a guard that does not exist.

    Examples:
        >>> check_guards(["number", "negation"])
        ('negation', 'number')
    """
    from semscale.store.columns import as_list

    chosen = as_list(names, "guards")
    for name in chosen:
        if name not in GUARD_NAMES:
            raise InputError("guards", f"must be among {', '.join(GUARD_NAMES)}, got {name!r}")
    return tuple(name for name in GUARD_NAMES if name in chosen)


def _floor(floor: Any) -> float | str:
    if floor == "auto":
        return "auto"
    try:
        value = float("nan") if isinstance(floor, bool) else float(floor)
    except (TypeError, ValueError):
        value = float("nan")
    if not -1 <= value < 1:
        raise InputError("floor", f"must be auto or a cosine from -1 to below 1, got {floor!r}")
    return value


class ConsistencySettings(Settings):
    """Settings of a ``Consistency``.

    Raises:
        InputError: an unknown measure or guard, a setting out of range, a measure without its model, or an
            entailment model that no measure uses.
    """

    measures: Annotated[
        tuple[str, ...],
        BeforeValidator(_measures),
        Field(description="Measure to compute; the first is the score."),
        Option(MEASURING, "NAME", name="--measure", type=list[str], shown=False),
    ] = DEFAULT_MEASURES
    embedder: Annotated[
        Any,
        Field(description="Embedding model: name, folder, name on the hub, or loaded embedder."),
    ] = DEFAULT_MODEL
    bert_embedder: Annotated[
        Any,
        Field(description="Model of bert_score: name, embedder with token states, or BertScorer."),
    ] = DEFAULT_MODEL
    floor: Annotated[
        float | str,
        BeforeValidator(_floor),
        Field(description="Cosine of unrelated answers: a number, or auto to estimate it."),
        Option(MEASURING, "FLOOR", type=str, rare=True),
    ] = "auto"
    guards: Annotated[
        tuple[str, ...],
        BeforeValidator(check_guards),
        Field(description=f"Guards that check for contradictions, among {', '.join(GUARD_NAMES)}."),
    ] = GUARD_NAMES
    fewest_samples: Annotated[
        int,
        Field(ge=1, description="Minimum number of usable samples per question."),
        Option(MEASURING, rare=True),
    ] = 1
    seed: Annotated[Seed, Field(description="Seed of the draw of unrelated pairs.")] = 0
    same_by: Annotated[
        str,
        Field(description="Test of equal meaning: auto, entailment, cosine or exact."),
        Option(MEASURING, type=Literal["auto", "entailment", "cosine", "exact"], rare=True),
    ] = "auto"
    nli: Annotated[
        Any,
        Field(description="Entailment model: folder, or organisation/name on the Hugging Face hub."),
        Option(MEASURING, "MODEL", type=str, rare=True),
    ] = None
    nli_labels: Annotated[NliLabels, Option(MEASURING, "LABELS", type=str, rare=True)] = None
    reasoning: Reasoning = "remove"
    html: Html = "keep"
    by_sentence: Annotated[
        bool,
        Field(description="Whether the entailment model reads long texts sentence by sentence or whole."),
    ] = True

    def model_post_init(self, _context: object) -> None:
        """Check that measures have their model, and that a measure uses the model."""
        from semscale.answer_consistency.measures import check_entailment

        check_entailment(self.measures, self.same_by, has_entailment=self.nli is not None)

    @property
    def needs(self) -> frozenset[str]:
        """The parts that the measures are computed from, as in ``list_needed_parts``."""
        from semscale.answer_consistency.measures import list_needed_parts

        return list_needed_parts(self.measures, self.same_by, has_entailment=self.nli is not None)


class ConsistencyKeywords(TypedDict, total=False):
    """Types of ``ConsistencySettings`` as keyword arguments, for type checkers."""

    measures: Iterable[str]
    embedder: Any
    bert_embedder: Any
    floor: float | str
    guards: Iterable[str]
    fewest_samples: int
    seed: int
    same_by: str
    nli: Any
    nli_labels: Iterable[str] | None
    by_sentence: bool
    reasoning: Reasoning
    html: Html


class CorrectnessSettings(Settings):
    """Settings of ``estimate_correctness``, which estimates the probability of being right from labels."""

    curve: Annotated[
        str,
        Field(
            description="Curve that estimates the probability of a right answer: platt (few labels) or "
            "isotonic (hundreds)."
        ),
        Option(TRUST, type=Literal["platt", "isotonic"], rare=True),
    ] = "platt"
    ensemble: Annotated[
        str,
        Field(
            description="Score behind that probability: first measure (none), mean of all measures, or tuned "
            "weights."
        ),
        Option(TRUST, type=Literal["none", "mean", "tuned"], rare=True),
    ] = "none"
    error_rate: Annotated[
        float,
        Field(description="Largest share of wrong answers among those accepted."),
        Option(TRUST, "SHARE", rare=True),
    ] = 0.05
    lost_rate: Annotated[
        float,
        Field(description="Largest share of right answers among those rejected."),
        Option(TRUST, "SHARE", rare=True),
    ] = 0.2
    confidence: Annotated[
        float, Field(description="Confidence that both thresholds hold."), Option("Run", "NUMBER", rare=True)
    ] = 0.95
    interval: Annotated[float, Field(description="Coverage of the intervals of P(correct).")] = 0.95
    seed: Annotated[int, Field(description="Seed of folds and intervals.")] = 0


class CorrectnessKeywords(TypedDict, total=False):
    """Types of ``CorrectnessSettings`` as keyword arguments, for type checkers."""

    curve: str
    ensemble: str
    error_rate: float
    lost_rate: float
    confidence: float
    interval: float
    seed: int


class ClaimSettings(Settings):
    """Settings of a ``ClaimJudge``, a ``Groundedness`` and a ``ClaimConsistency``.

    Raises:
        InputError: the corpus is not a list of texts.
    """

    embedder: Annotated[
        Any,
        Field(
            description="Embedding model with token states: name, folder, name on the hub, or loaded "
            "embedder."
        ),
    ] = DEFAULT_MODEL
    nli: Annotated[
        Any,
        Field(description="Entailment model that decides instead: folder, name on the hub, or model."),
    ] = None
    corpus: Annotated[
        Corpus,
        Field(
            description="Sentences that word weights and unrelated pairs come from (default: those of "
            "the call)."
        ),
    ] = None
    reasoning: Reasoning = "remove"
    html: Html = "keep"


class ClaimKeywords(TypedDict, total=False):
    """Types of ``ClaimSettings`` as keyword arguments, for type checkers."""

    embedder: Any
    nli: Any
    corpus: Iterable[object] | None
    reasoning: Reasoning
    html: Html


class SampleCell(NamedTuple):
    """The samples in one cell: one text, or a list."""

    texts: list[Any]
    is_list: bool


def _samples(columns: "Sequence[pl.Series]", parameter: str, first_row: int) -> list[list[SampleCell]]:
    from semscale.store.columns import cell_values

    rows: list[list[SampleCell]] = [[] for _ in range(len(columns[0]))]
    for column in columns:
        for row, cell in enumerate(column.to_list()):
            texts = cell_values(
                cell, parameter=parameter, column=column.name, row=first_row + row, only_nulls=True
            )
            rows[row].append(SampleCell(texts, isinstance(cell, list) or texts != [cell]))
    return rows


def _columns_of_cells(columns: "Sequence[pl.Series]", _parameter: str, _first_row: int) -> list[list[Any]]:
    return [list(cells) for cells in zip(*(column.to_list() for column in columns), strict=True)]


def _read_labels(columns: "Sequence[pl.Series]", _parameter: str, first_row: int) -> "Floats":
    from semscale.answer_consistency.samples import read_labels

    return read_labels(columns[0].to_list(), first_row)


SAMPLES = Role(_samples, is_prepared=True)
"""Samples of each row, a ``SampleCell`` for each column of texts or lists of texts."""
TOKENS = replace(CELL, is_checked=True, is_shared=True)
"""Cells with the log-probabilities of the tokens of each row's answer."""
SAMPLE_TOKENS = Role(_columns_of_cells, is_shared=True)
"""Cells with the log-probabilities of the tokens of each row's samples, one for each column."""
SHARED_CELL = replace(CELL, is_shared=True)
"""A value for each row, from a column that may have other uses."""
LABEL = Role(_read_labels, is_measured=False, is_shared=True)
"""Label of each row's answer: 1 right, 0 wrong, NaN unknown."""

_QUESTION = replace(TEXT, is_prepared=False)

COLUMN = Option("Columns", "COLUMN")
Prompt = Annotated[str | None, SHARED_CELL, Field(description="The questions."), COLUMN]
Label = Annotated[
    str | None,
    LABEL,
    Field(description="Column with 1 for right and 0 for wrong answers; empty if not checked."),
    Option("Columns", "COLUMN", name="--correct"),
]
By = Annotated[str | None, GROUP, Field(description="Groups to compare."), COLUMN]


class AskedColumns(Columns):
    """Columns of questions for a model."""

    prompt: Annotated[str, _QUESTION, Field(description="The questions."), COLUMN]
    label: Label = None
    by: By = None


class AnswerColumns(Columns):
    """Columns of answers and their samples; samples are in columns, or in further rows of an item.

    Raises:
        InputError: columns that cannot be combined.
    """

    answer: Annotated[str, TEXT, Field(description="Answers to score."), COLUMN]
    sample: Annotated[
        tuple[str, ...],
        SAMPLES,
        Field(description='Further answers to the question: texts, or lists like ["yes", "no"].'),
        COLUMN,
    ] = ()
    item: Annotated[
        str | None,
        SHARED_CELL,
        Field(
            description="ID of the question, if each row is one answer; the first row per question is scored."
        ),
        Option("Columns", "COLUMN", rare=True),
    ] = None
    prompt: Prompt = None
    label: Label = None
    by: By = None
    logprobs: Annotated[
        str | None,
        TOKENS,
        Field(description="List of the log-probabilities of an answer's tokens."),
        Option("Columns", "COLUMN", rare=True),
    ] = None
    sample_logprobs: Annotated[
        tuple[str, ...],
        SAMPLE_TOKENS,
        Field(description="Log-probabilities of a sample's tokens, in the order of --sample."),
        Option("Columns", "COLUMN", rare=True),
    ] = ()

    def model_post_init(self, context: object) -> None:
        """Check that the columns can be combined."""
        super().model_post_init(context)
        if bool(self.sample) == (self.item is not None):
            raise InputError(
                "name where the repeated answers are, in one way: columns (`sample`, one or several) or rows "
                "of an item (`item`)"
            )
        if self.sample_logprobs and len(self.sample_logprobs) != len(self.sample):
            raise InputError(
                "sample_logprobs",
                f"must name a column for each sample column, got {len(self.sample_logprobs)} "
                f"for {len(self.sample)}; rows of an item have theirs in logprobs",
            )

    @property
    def has_sample_tokens(self) -> bool:
        """Return whether the table has the log-probabilities of the samples' tokens."""
        return bool(self.sample_logprobs) or bool(self.item and self.logprobs)


def sample_texts(cells: Cells) -> list[list[Any]]:
    """Return the samples of each row in one list."""
    return [[text for cell in row for text in cell.texts] for row in cells["sample"]]
