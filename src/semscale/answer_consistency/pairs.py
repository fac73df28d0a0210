"""An answer beside each of its samples: similarities, the floor of unrelated answers, and nulls."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, compress

import numpy as np

from semscale.answer_consistency.contradictions import (
    contradiction_probabilities,
    entailed_findings,
    guard_findings,
)
from semscale.answer_consistency.samples import (
    PairReaders,
    SampledAnswers,
    guards_read_samples,
    item_means,
    select_pairs,
)
from semscale.answer_consistency.short_answers import SAME_ANSWER, differing_words, same_answer_cosine
from semscale.guards.findings import Finding
from semscale.matching.bertscore import BertScorer
from semscale.matching.cosines import Cosines
from semscale.matching.pairs import Pairs, corpus_hash, in_other_language, unrelated_pairs
from semscale.types import Floats, Integers, Mask, Progress, Status

CONTRADICTED = 0.1
"""Share of the similarity that a contradicting sample keeps; ``bench/consistency.py`` tries others."""

BLOCK = 32_768
"""Pairs whose texts are embedded together."""

MOST_PAIRS = 2000
"""Unrelated pairs that are drawn for the floor."""
FEWEST_ANSWERS = 10
"""Different answers that an estimate of the floor needs."""
TOO_FEW_ANSWERS = "too-few-answers"
"""Origin of a floor that could not be estimated."""
_DIGITS = 3  # vectors differ between processors in the seventh decimal, and signatures must not

_COUNTED_MARKS = frozenset("%&#@*/‰")


@dataclass(frozen=True)
class PairParts:
    """Parts that measures of pairs are computed from, for p pairs of an answer and a sample.

    Attributes:
        pairs: of an answer (``prediction``) and a sample (``reference``).
        floor: cosine of unrelated answers.
        cosine: shape (p,), of the two vectors; NaN where no measure needs it.
        f1: shape (p,), BERTScore F1; NaN where no measure needs it, or no token counts.
        contradicted: shape (p,), whether the sample contradicts the answer.
        is_checked: shape (p,), whether guards, which read English alone, or a model of entailment checked it.
    """

    pairs: Pairs
    floor: float
    cosine: Floats
    f1: Floats
    contradicted: Mask
    is_checked: Mask


PairFunction = Callable[[PairParts], Floats]
"""Gives each pair its value, shape (p,)."""


def consistency(parts: PairParts) -> Floats:
    """Give similarities above the floor, of which a contradicting sample keeps a tenth."""
    shares = np.where(parts.contradicted, CONTRADICTED, 1.0)
    lowered: Floats = above_floor(parts.cosine, parts.floor) * shares
    return lowered


def cosine_similarity(parts: PairParts) -> Floats:
    """Give normalised cosine similarities."""
    return normalised_cosine(parts.cosine)


def uncontradicted(parts: PairParts) -> Floats:
    """Give 1 for samples that do not contradict the answer, 0 for those that do, and NaN if none checked."""
    return np.where(parts.is_checked, 1.0 - parts.contradicted, np.nan)


def exact_match(parts: PairParts) -> Floats:
    """Give 1 for samples equal to the answer, and 0 for others."""
    same: Floats = (parts.pairs.prediction == parts.pairs.reference).astype(np.float64)  # texts are distinct
    return same


def normalised_cosine(cosine: Floats) -> Floats:
    """Rescale cosines from -1 to 1 to 0 to 1: (1 + cosine) / 2.

    References:
        uqlm 0.6, "Normalized Cosine Similarity" (NCS).

    Example:
        >>> normalised_cosine(np.array([-1.0, 0.0, 1.0])).tolist()
        [0.0, 0.5, 1.0]
    """
    return 0.5 + cosine / 2


def above_floor(cosine: Floats, floor: float) -> Floats:
    """Rescale cosines: (cosine - floor) / (1 - floor), 0 for unrelated answers or less, and 1 for equal ones.

    Args:
        cosine: shape (p,), -1 to 1.
        floor: below 1.

    Example:
        >>> above_floor(np.array([0.0, 0.5, 0.75, 1.0]), 0.5).tolist()
        [0.0, 0.0, 0.5, 1.0]
    """
    stretched: Floats = np.clip((cosine - floor) / (1 - floor), 0.0, 1.0)
    return stretched


def exact_match_normalised(pairs: Pairs) -> Floats:
    """Give 1 for each pair of texts that ``normalised`` makes equal, and 0 for others, shape (p,)."""
    texts = [normalised(text) for text in pairs.texts]
    rows = zip(pairs.prediction.tolist(), pairs.reference.tolist(), strict=True)
    return np.array([texts[answer] == texts[sample] for answer, sample in rows], np.float64)


@lru_cache(maxsize=65536)
def normalised(text: str) -> str:
    """Drop what does not change an answer: case, white space at the ends and runs of it, and marks.

    A point or comma between digits, a sign before one, and % & # @ * / stay.

    Example:
        >>> normalised(" The  Answer: 3.5%! "), normalised("8 emails")
        ('the answer 3.5%', '8 emails')
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    counted = "".join(character if _counts(folded, index) else " " for index, character in enumerate(folded))
    return " ".join(counted.split()) or " ".join(folded.split())


def _counts(text: str, index: int) -> bool:
    """Tell whether a character of a folded text counts in a comparison."""
    character = text[index]
    if not unicodedata.category(character).startswith("P") or character in _COUNTED_MARKS:
        return True
    if character in ".,":
        return bool(re.fullmatch(r"\d[.,]\d", text[max(index - 1, 0) : index + 2]))
    before = text[index - 1 : index] or " "
    return character == "-" and text[index + 1 : index + 2].isdigit() and before.isspace()


LENGTH_NULLS = ("equal_lengths", "brevity")
"""Nulls of the lengths alone: how alike answer and samples are in length, the shorter by the longer, on
average; and how short the answer is, 1 / (1 + characters)."""

EXACT_MATCH = "exact_match_normalised"
"""The measure that is also a null: the share of samples equal to the answer."""


def null_values(pairs: Pairs) -> dict[str, Floats]:
    """Compute baselines of each item that a measure should beat.

    Args:
        pairs: of an answer (``prediction``) and a sample (``reference``).

    Returns:
        Arrays of shape (n,), 0 to 1, by name; NaN for items without pairs.

    Example:
        >>> from semscale.matching.pairs import pair_up
        >>> nulls = null_values(pair_up(["abc"], [["abcd", "abcdef"]]))  # (3/4 + 3/6) / 2
        >>> nulls["equal_lengths"].tolist(), nulls["brevity"].tolist(), nulls[EXACT_MATCH].tolist()
        ([0.625], [0.25], [0.0])
    """
    lengths = np.array([len(text.strip()) for text in pairs.texts], np.float64)
    answer, sample = lengths[pairs.prediction], lengths[pairs.reference]
    columns = {
        "equal_lengths": np.minimum(answer, sample) / np.maximum(answer, sample),
        "brevity": 1 / (1 + answer),
        EXACT_MATCH: exact_match_normalised(pairs),
    }
    return {name: item_means(values, pairs.item, pairs.n_items) for name, values in columns.items()}


@dataclass(frozen=True)
class Floor:
    """The cosine of unrelated answers.

    Attributes:
        value: -1 to below 1; 0 where it could not be estimated, which corrects nothing.
        origin: its source, as the signature has it.
    """

    value: float
    origin: str

    @property
    def known(self) -> bool:
        """Whether it was set or estimated."""
        return self.origin != TOO_FEW_ANSWERS

    @property
    def applied(self) -> float | None:
        """The floor that was applied; ``None`` where none was needed, or none could be estimated."""
        return self.value if self.known and self != NO_FLOOR else None


NO_FLOOR = Floor(0.0, "not-needed")
"""For measures without one."""


def estimate_floor(
    answers: list[str], cosines: Cosines, *, seed: int, progress: Progress | None = None
) -> Floor:
    """Estimate the floor from random pairs of answers to different prompts: their mean cosine.

    Args:
        answers: distinct answers.
        cosines: between texts.
        seed: of the draw.
        progress: called while texts are embedded.

    Returns:
        A floor of 0, with that origin, where there are fewer than 10 different answers, or where the model
        can read fewer than 10 pairs of them.
    """
    if len(answers) < FEWEST_ANSWERS:
        return Floor(0.0, TOO_FEW_ANSWERS)
    drawn = unrelated_pairs(answers, MOST_PAIRS, seed)
    used = np.unique(drawn)
    first, second = np.searchsorted(used, drawn.T)
    compared = cosines.of([answers[number] for number in used.tolist()], first, second, progress)
    read = compared.values[~compared.unread]  # texts that the model cannot read are all alike to it
    if len(read) < FEWEST_ANSWERS:
        return Floor(0.0, TOO_FEW_ANSWERS)
    return Floor(round(float(read.mean()), _DIGITS), f"{len(read)}-pairs#{corpus_hash(answers)}")


@dataclass(frozen=True)
class PairValues:
    """Values of p pairs.

    Attributes:
        measures: each of shape (p,).
        windows: shape (p,), the most windows that one of the two texts was read in.
        findings: p tuples of what contradicts.
        unread: shape (p,), whether a model that a measure needs cannot read one of the two texts.
        foreign: shape (p,), whether one of the two is in a language that such a model does not read.
    """

    measures: Mapping[str, Floats]
    windows: Integers
    findings: Sequence[tuple[Finding, ...]]
    unread: Mask
    foreign: Mask

    @property
    def contradicted(self) -> Mask:
        """Mask of the pairs whose sample contradicts the answer, shape (p,)."""
        return np.array([bool(findings) for findings in self.findings], dtype=bool)

    def select(self, chosen: Mask) -> "PairValues":
        """Give the values of some pairs.

        Args:
            chosen: shape (p,), which pairs.
        """
        return PairValues(
            {name: values[chosen] for name, values in self.measures.items()},
            self.windows[chosen],
            list(compress(self.findings, chosen.tolist())),
            self.unread[chosen],
            self.foreign[chosen],
        )


def value_pairs(  # noqa: PLR0913 - pairs, the models that read them, and what for
    functions: Mapping[str, PairFunction],
    pairs: Pairs,
    floor: float,
    readers: PairReaders,
    *,
    guards: Sequence[str] | None = None,
    bert_scorer: BertScorer | None = None,
    progress: Progress | None = None,
) -> PairValues:
    """Compute measures for each pair, in blocks so that memory stays bounded.

    Args:
        functions: of the measures.
        pairs: p pairs of an answer (``prediction``) and a sample (``reference``).
        floor: cosine of unrelated answers.
        readers: cosines where a measure needs them, and a model of entailment, which is asked about
            contradictions in one call.
        guards: names of those that check for contradictions; ``None`` where no measure needs any.
        bert_scorer: where a measure needs BERTScores.
        progress: called while texts are embedded and scored.
    """
    p = len(pairs.item)
    guarded, contradiction = np.ones(p, np.bool_), np.full(p, np.nan)
    if guards is not None:
        guarded = _guarded(pairs)
        if readers.entailment is not None:
            contradiction = contradiction_probabilities(pairs, readers.entailment)
    measures = {name: np.full(p, np.nan) for name in functions}
    windows: Integers = np.zeros(p, np.int64)
    unread = np.zeros(p, np.bool_)
    findings: list[tuple[Finding, ...]] = []
    for start in range(0, p, BLOCK):
        rows = slice(start, start + BLOCK)
        parts, windows[rows], unread[rows] = _read(_block(pairs, rows), floor, readers, bert_scorer, progress)
        block_findings: list[tuple[Finding, ...]] = [()] * len(parts.cosine)
        if guards is not None:
            block_findings = _findings(parts, guards, guarded[rows], contradiction[rows], readers.cosines)
        parts = replace(
            parts,
            contradicted=np.array(list(map(bool, block_findings)), np.bool_),
            is_checked=guarded[rows] | ~np.isnan(contradiction[rows]),
        )
        for name, function in functions.items():
            measures[name][rows] = function(parts)
        findings += block_findings
    models = [model.signature for model in (readers.cosines, bert_scorer) if model is not None]
    return PairValues(measures, windows, findings, unread, in_other_language(pairs, *models))


def _block(pairs: Pairs, rows: slice) -> Pairs:
    """Give some of the pairs with their own texts only."""
    used, numbers = np.unique(np.stack([pairs.prediction[rows], pairs.reference[rows]]), return_inverse=True)
    answer, sample = numbers.reshape(2, -1)
    texts = [pairs.texts[number] for number in used.tolist()]
    return Pairs(texts, answer, sample, pairs.item[rows], pairs.place[rows], pairs.status)


def _read(
    block: Pairs,
    floor: float,
    readers: PairReaders,
    bert_scorer: BertScorer | None,
    progress: Progress | None,
) -> tuple[PairParts, Integers, Mask]:
    """Give the parts that models compute, the windows of each pair, and which pairs are not read."""
    n = len(block.item)
    cosine, f1 = np.full(n, np.nan), np.full(n, np.nan)
    windows: Integers = np.ones(n, np.int64)
    unread = np.zeros(n, np.bool_)
    if readers.cosines is not None:
        compared = readers.cosines.of(block.texts, block.prediction, block.reference, progress)
        cosine, windows, unread = compared.values, compared.windows, compared.unread
    if bert_scorer is not None:
        scored = bert_scorer.score_pairs(block, progress=progress)
        f1, windows = scored.values[:, 2], np.maximum(windows, scored.windows)
        unread = unread | scored.unread
    return PairParts(block, floor, cosine, f1, np.zeros(n, np.bool_), np.ones(n, np.bool_)), windows, unread


def _findings(
    parts: PairParts, guards: Sequence[str], guarded: Mask, contradiction: Floats, cosines: Cosines | None
) -> list[tuple[Finding, ...]]:
    """List what guards and the model of entailment find against each sample."""
    same_answer, differing = SAME_ANSWER, None
    if cosines is not None:
        same_answer = same_answer_cosine(cosines.signature, parts.floor)
        differing = _differing_cosines(parts.pairs, guarded, cosines) if "answer" in guards else None
    by_guards = guard_findings(
        parts.pairs, guards, parts.cosine, guarded, same_answer=same_answer, differing=differing
    )
    by_model = entailed_findings(parts.pairs, contradiction)
    return [(*left, *right) for left, right in zip(by_guards, by_model, strict=True)]


def _differing_cosines(pairs: Pairs, guarded: Mask, cosines: Cosines) -> Floats:
    """Give the cosine of the words in which two short answers of one wording differ; NaN without any."""
    cosine: Floats = np.full(len(pairs.item), np.nan)
    numbers: dict[str, int] = {}
    rows: list[tuple[int, int, int]] = []
    for row in np.flatnonzero(guarded).tolist():
        differing = differing_words(pairs.texts[pairs.prediction[row]], pairs.texts[pairs.reference[row]])
        if differing is not None:
            left, right = (numbers.setdefault(word, len(numbers)) for word in differing)
            rows.append((row, left, right))
    if rows:
        row_of, first, second = np.array(rows, np.int64).T
        cosine[row_of] = cosines.of(list(numbers), first, second).values
    return cosine


def _guarded(pairs: Pairs) -> Mask:
    """Tell which pairs guards check, shape (p,)."""
    samples: dict[int, list[str]] = {}
    answers: dict[int, str] = {}
    rows = zip(pairs.item.tolist(), pairs.prediction.tolist(), pairs.reference.tolist(), strict=True)
    for item, answer, sample in rows:
        answers[item] = pairs.texts[answer]
        samples.setdefault(item, []).append(pairs.texts[sample])
    checked = (guards_read_samples(answers[item], texts) for item, texts in samples.items())
    return np.array(list(chain.from_iterable(checked)), np.bool_)


def leave_out_unread(
    sampled: SampledAnswers, values: PairValues, *, fewest: int
) -> tuple[SampledAnswers, PairValues]:
    """Leave out the pairs with a text that the model cannot read, or whose language it does not read.

    They are left out of every measure. Where no pair is left, an item is ``other-language`` if the language
    of one is not read, and else ``weightless``; where too few are left, it has ``too-few-samples``.

    Args:
        sampled: n answers with their samples, p pairs.
        values: of the p pairs.
        fewest: usable samples that an item needs.

    Returns:
        The answers with the pairs that are left, and the values of these pairs.
    """
    unread = values.unread | values.foreign
    if not unread.any():
        return sampled, values
    n, item = sampled.pairs.n_items, sampled.pairs.item
    lost, left = (np.bincount(item[rows], minlength=n) for rows in (unread, ~unread))
    has_none_left = (lost > 0) & (left == 0)
    has_foreign = np.bincount(item[values.foreign], minlength=n) > 0
    status = sampled.status.copy()
    status[(lost > 0) & (left < fewest)] = Status.TOO_FEW_SAMPLES
    status[has_none_left] = Status.WEIGHTLESS
    status[has_none_left & has_foreign] = Status.OTHER_LANGUAGE
    lost = np.where(has_none_left, 0, lost)  # here the answer may be unread, and its samples are not
    chosen = ~unread & np.asarray(status[item] == Status.SCORED, dtype=bool)
    remaining = replace(
        sampled,
        pairs=select_pairs(sampled.pairs, chosen, status),
        status=status,
        n_samples=sampled.n_samples - lost,
        n_left_out=sampled.n_left_out + lost,
    )
    return remaining, values.select(chosen)
