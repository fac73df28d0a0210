"""A codebook proposed from clusters of the answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.coding.codebook import OTHER
from semscale.coding.suggesting.answer_clusters import AnswerClusters, cluster_answers
from semscale.coding.suggesting.answer_sample import AnswerSample
from semscale.coding.suggesting.answer_words import are_pieces, is_piece
from semscale.coding.suggesting.cluster_words import typical_words
from semscale.coding.suggesting.typical_examples import typical_examples
from semscale.errors import InputError
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.clustering.cluster_stability import (
    DIRECTIONS,
    RESAMPLES,
    STABLE,
)
from semscale.types import Floats, Integers, Progress, Status

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
        n: rows whose answer is in it, of those that were clustered.
        share: of these rows.
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
        n_clustered: those of them that were clustered: all, or a random sample.
        codes: the largest first.
        is_chosen: whether the number of codes was chosen by stability.
        is_most: whether it was, and is the most that was tried.
        codebook: the file that was written.
        clusters: of the answers.
        order: shape (k,), the cluster behind each code.
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
    n_clustered: int
    codes: tuple[SuggestedCode, ...]
    is_chosen: bool
    is_most: bool
    codebook: str
    clusters: AnswerClusters
    order: Integers
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
    def is_sampled(self) -> bool:
        """Whether some of the different answers alone were clustered."""
        return self.n_clustered < self.n_distinct

    def places(
        self, cells: Sequence[Any], embedder: "Embedder", *, progress: Progress | None = None
    ) -> tuple[Integers, Floats]:
        """Find the codes of answers: those of their clusters, or of the nearest one.

        Args:
            cells: n answers, of which some may be missing or no text.
            embedder: that the codes were made with.
            progress: called while texts are embedded.

        Returns:
            Shape (n,), the place of each answer's code among ``codes``, -1 where it cannot be read; and shape
            (n,), its cosine with the mean of the code's answers, NaN likewise.
        """
        labels, nearness = self.clusters.of(cells, embedder, progress=progress)
        return np.where(labels < 0, -1, np.argsort(self.order)[labels]), nearness

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
            "clustered": self.n_clustered,
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
    answers: "Sequence[Any] | AnswerSample",
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
        answers: n cells, of which some may be missing or no text; or a sample that was drawn of them. Of more
            than 20,000 different answers a sample is drawn.
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
    if isinstance(answers, AnswerSample):
        sample = answers
    else:
        sample = AnswerSample(seed=seed)
        sample.add(answers)
    texts = sample.texts
    if len(texts) < FEWEST_ANSWERS:
        raise InputError(f"clusters need at least {FEWEST_ANSWERS} different answers, got {len(texts)}")
    vectors = embedder.embed(texts, progress=progress).vectors.astype(np.float64)
    found = cluster_answers(texts, vectors, codes=codes, most=most, seed=seed)
    k, labels = len(found.jaccard), found.labels
    sizes = np.bincount(labels, weights=sample.times, minlength=k).astype(np.int64)
    examples = [_examples(texts, vectors, found.nearness, np.flatnonzero(labels == one)) for one in range(k)]
    made, order = _codes(typical_words(texts, labels, k), examples, sizes, found.jaccard)
    return SuggestionSummary(
        source=source,
        column=column,
        n=sample.n,
        counts=sample.counts,
        n_distinct=sample.n_distinct,
        n_clustered=len(texts),
        codes=made,
        is_chosen=codes is None,
        is_most=codes is None and k == min(most, len(texts) // 2),
        codebook=codebook,
        clusters=found,
        order=order,
        signature=_signature(embedder, k, seed, None if sample.n_distinct == len(texts) else len(texts)),
    )


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


def _signature(embedder: "Embedder", k: int, seed: int, sampled: int | None) -> Signature:
    drawn = {} if sampled is None else {"sampled": sampled}
    settings = Signature.of(
        "code suggest", codes=k, directions=DIRECTIONS, halves=RESAMPLES, seed=seed, **drawn
    )
    return settings.extended(embedder.signature)


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
