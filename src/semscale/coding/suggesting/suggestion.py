"""A codebook proposed from clusters of the answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.coding.codebook import OTHER
from semscale.coding.suggesting.answer_words import are_pieces, is_piece
from semscale.coding.suggesting.cluster_words import typical_words
from semscale.coding.suggesting.typical_examples import typical_examples
from semscale.embedding.texts import distinct
from semscale.errors import InputError
from semscale.presentable import Presentable
from semscale.rating.cells import text_status
from semscale.signature import Signature
from semscale.stats.clustering.cluster_stability import (
    DIRECTIONS,
    RESAMPLES,
    STABLE,
    StableClusters,
    main_directions,
    most_stable,
    stable_clusters,
)
from semscale.types import Floats, Integers, Progress, Status, count_statuses

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder

FEWEST_ANSWERS = 20
"""Distinct answers that clusters need."""

_NAME_WORDS = 3
_FLOAT_ERROR = 1e-9  # 100 * 0.29 is a little below 29


@dataclass(frozen=True)
class SuggestedCode:
    """A cluster of answers, as a code.

    Attributes:
        name: by its most typical words, or as a chat model named it.
        definition: likewise.
        examples: the answers nearest to its centre that differ, at most five.
        words: that are typical of it.
        n: answers in it.
        share: of the answers that can be read.
        jaccard: how well it comes back when half of the answers are left out, 0 to 1.
    """

    name: str
    definition: str
    examples: tuple[str, ...]
    words: tuple[str, ...]
    n: int
    share: float
    jaccard: float

    @property
    def is_stable(self) -> bool:
        """Whether the cluster comes back with a mean Jaccard similarity of at least 0.75."""
        return self.jaccard >= STABLE

    @property
    def shown_jaccard(self) -> float:
        """The similarity to two digits, rounded down, so that one below 0.75 never reads as 0.75."""
        return floor(100 * self.jaccard + _FLOAT_ERROR) / 100


@dataclass(frozen=True, repr=False)
class SuggestionSummary(Presentable):
    """A proposed codebook.

    Attributes:
        source: what the table is called.
        column: of the answers.
        n: rows.
        counts: rows by status.
        n_distinct: different answers that could be read.
        codes: the largest first.
        is_chosen: whether the number of codes was chosen by stability.
        is_most: whether it was, and is the most that was tried.
        codebook: the file that was written.
        place: shape (n,), the code of each row among ``codes``, -1 where it cannot be read.
        nearness: shape (n,), cosine with the mean of the code's answers; NaN likewise.
        asked: name of the chat model that named codes; ``None`` for none.
        n_unnamed: codes whose reply held no name, so that words name them.
        problem: why ``semscale code`` would refuse the codebook as it is; ``None`` where it would not.
        signature: what was applied.
        created: when.
    """

    source: str
    column: str
    n: int
    counts: dict[Status, int]
    n_distinct: int
    codes: tuple[SuggestedCode, ...]
    is_chosen: bool
    is_most: bool
    codebook: str
    place: Integers
    nearness: Floats
    signature: Signature
    asked: str | None = None
    n_unnamed: int = 0
    problem: str | None = None
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        return f"SuggestionSummary(source={self.source!r}, n={self.n:,}, codes={len(self.codes)})"

    @property
    def n_stable(self) -> int:
        """Codes whose clusters come back."""
        return sum(code.is_stable for code in self.codes)

    @property
    def has_pieces(self) -> bool:
        """Whether typical words were cut out of texts without spaces, so that some may be no words."""
        return are_pieces(code.words for code in self.codes)

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "instrument": "code suggest",
            "source": self.source,
            "column": self.column,
            "created": self.created,
            "rows": self.n,
            "counts": self.counts,
            "distinct": self.n_distinct,
            "chosen": self.is_chosen,
            "most": self.is_most,
            "stable": self.n_stable,
            "codebook": self.codebook,
            "asked": self.asked,
            "unnamed": self.n_unnamed,
            "pieces": self.has_pieces,
            "codes": [
                {
                    "name": code.name,
                    "definition": code.definition,
                    "examples": code.examples,
                    "words": code.words,
                    "n": code.n,
                    "share": code.share,
                    "jaccard": code.jaccard,
                    "stable": code.is_stable,
                }
                for code in self.codes
            ],
            "signature": self.signature,
        }


def suggest(  # noqa: PLR0913 - what is clustered, and how
    cells: Sequence[Any],
    embedder: "Embedder",
    *,
    codes: int | None = None,
    most: int = 15,
    source: str = "answers in memory",
    column: str = "text",
    codebook: str = "codes.yaml",
    seed: int = 0,
    progress: Progress | None = None,
) -> SuggestionSummary:
    """Propose codes: clusters of the different answers, as many as come back best from halves of them.

    Args:
        cells: n answers, of which some may be missing or no text.
        embedder: turns them into vectors.
        codes: how many; 2 to ``most`` are tried unless given.
        most: most codes that are tried.
        source: what the table is called.
        column: of the answers.
        codebook: name of the file that will be written.
        seed: of everything that is random.
        progress: called while texts are embedded.

    Raises:
        InputError: fewer than 20 different answers, or a number of codes out of range.
    """
    status = np.array([text_status(cell) for cell in cells], dtype=object)
    readable = np.flatnonzero(status == Status.SCORED)
    texts, place = distinct([str(cells[row]) for row in readable.tolist()])
    if len(texts) < FEWEST_ANSWERS:
        raise InputError(f"clusters need at least {FEWEST_ANSWERS} different answers, got {len(texts)}")
    vectors = embedder.embed(texts, progress=progress).vectors.astype(np.float64)
    found = _clusters(main_directions(vectors), codes, most, seed)
    k, labels = len(found.jaccard), found.clustering.labels
    nearness = _nearness(vectors, labels, k)
    sizes: Integers = np.bincount(labels[place], minlength=k)
    examples = [_examples(texts, vectors, nearness, np.flatnonzero(labels == one)) for one in range(k)]
    made, order = _codes(typical_words(texts, labels, k), examples, sizes, found.jaccard)
    where, near = np.full(len(cells), -1), np.full(len(cells), np.nan)
    where[readable], near[readable] = np.argsort(order)[labels[place]], nearness[place]
    return SuggestionSummary(
        source=source,
        column=column,
        n=len(cells),
        counts=count_statuses(status),
        n_distinct=len(texts),
        codes=made,
        is_chosen=codes is None,
        is_most=codes is None and k == min(most, len(texts) // 2),
        codebook=codebook,
        place=where,
        nearness=near,
        signature=_signature(embedder, k, seed),
    )


def _clusters(points: Floats, codes: int | None, most: int, seed: int) -> StableClusters:
    """Find so many clusters, or else as many as are most stable."""
    largest = len(points) // 2
    name, given = ("most", most) if codes is None else ("codes", codes)
    if given < 2 or (codes is not None and codes > largest):  # noqa: PLR2004 - a codebook has at least two
        raise InputError(f"{name} must be 2 to {largest}, half of the different answers, got {given}")
    if codes is not None:
        return stable_clusters(points, codes, seed=seed)
    return most_stable(points, range(2, min(most, largest) + 1), seed=seed)


def _codes(
    words: Sequence[tuple[str, ...]], examples: Sequence[tuple[str, ...]], sizes: Integers, jaccard: Floats
) -> tuple[tuple[SuggestedCode, ...], Integers]:
    """Make a code of each cluster, the largest first, and give the clusters in that order."""
    order: Integers = np.argsort(-sizes, kind="stable")
    made = [
        SuggestedCode(
            _name(words[one], number),
            _definition(words[one]),
            examples[one],
            words[one],
            int(sizes[one]),
            float(sizes[one] / sizes.sum()),
            float(jaccard[one]),
        )
        for number, one in enumerate(order.tolist(), start=1)
    ]
    return _different(made), order


def _signature(embedder: "Embedder", k: int, seed: int) -> Signature:
    settings = Signature.of("code suggest", codes=k, directions=DIRECTIONS, halves=RESAMPLES, seed=seed)
    return settings.extended(embedder.signature)


def _nearness(vectors: Floats, labels: Integers, k: int) -> Floats:
    """Cosine of each answer with the mean of its cluster, shape (n,)."""
    centres = np.stack([vectors[labels == one].mean(axis=0) for one in range(k)])
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    found: Floats = (vectors * centres[labels]).sum(axis=1)
    return found


def _examples(texts: Sequence[str], vectors: Floats, nearness: Floats, rows: Integers) -> tuple[str, ...]:
    return typical_examples([texts[row] for row in rows.tolist()], vectors[rows], nearness[rows])


def _name(words: Sequence[str], number: int) -> str:
    shown = words[:1] if words and is_piece(words[0]) else words[:_NAME_WORDS]
    return "-".join(shown)[:60] or f"code-{number}"


def _definition(words: Sequence[str]) -> str:
    if not words:
        return "Answers that are like the examples."
    return f"Answers that use words such as {', '.join(words[:6])}."


def _different(codes: Sequence[SuggestedCode]) -> tuple[SuggestedCode, ...]:
    """Number names that occur twice, or that mean that no code applies."""
    taken: set[str] = {OTHER}
    made = []
    for code in codes:
        name, number = code.name, 2
        while name.casefold() in taken:
            name, number = f"{code.name}-{number}", number + 1
        taken.add(name.casefold())
        made.append(replace(code, name=name))
    return tuple(made)


def renamed_codes(
    summary: SuggestionSummary, named: Sequence[tuple[str, str] | None], asked: str
) -> SuggestionSummary:
    """Give codes the names and definitions of a chat model, where it stated them.

    Args:
        summary: with k codes.
        named: for each code its name and definition; ``None`` where none was stated.
        asked: name of the model.
    """
    pairs = zip(summary.codes, named, strict=True)
    codes = [code if new is None else replace(code, name=new[0], definition=new[1]) for code, new in pairs]
    unnamed = sum(new is None for new in named)
    return replace(summary, codes=_different(codes), asked=asked, n_unnamed=unnamed)
