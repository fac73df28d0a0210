"""Comparison of answers with their samples: similarities, contradictions, floor and baselines.

With an entailment model, a sample contradicts the answer if the probability of contradiction is above .5 in
one of the two directions: the answer as premise of the sample, or the sample as premise of the answer. In a
text of several sentences, the most contradicted sentence decides.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, compress

import numpy as np

from semscale.answer_consistency.samples import (
    PairReaders,
    SampledAnswers,
    distinct_entailments,
    item_means,
    select_pairs,
)
from semscale.answer_consistency.short_answers import (
    SAME_ANSWER,
    ShortAnswerGuard,
    differing_words,
    same_answer_cosine,
)
from semscale.guards.findings import Finding, Span
from semscale.guards.registry import GUARDS
from semscale.matching.bertscore import BertScorer
from semscale.matching.cosines import Cosines
from semscale.matching.entailment import CONTRADICTION, EntailmentModel, SentenceEntailment
from semscale.matching.pairs import Pairs, corpus_hash, draw_unrelated_pairs, in_other_language
from semscale.results.languages import ENGLISH, language_of
from semscale.types import Floats, Integers, Mask, Progress, Status

CONTRADICTED = 0.1
"""Factor of a contradicting sample's similarity; ``bench/consistency.py`` compares others."""

BLOCK = 32_768
"""Number of pairs whose texts are embedded together, which limits memory."""

MOST_PAIRS = 2000
"""Number of random unrelated pairs for the floor."""
FEWEST_ANSWERS = 10
"""Least number of different answers for an estimate of the floor."""
TOO_FEW_ANSWERS = "too-few-answers"
"""Origin of a floor that could not be estimated."""
_DIGITS = 3  # vectors differ between processors in the seventh decimal, and signatures must not

_COUNTED_MARKS = frozenset("%&#@*/‰")

CONTRADICTING = frozenset(
    {
        "negation:negated-prediction",
        "negation:negated-reference",
        "opposite:opposed",
        "opposite:reversed-order",
        "number:other-value",
        "number:other-unit",
        "number:other-bound",
        "number:other-label",
        "answer:other-answer",
        "answer:opposite-verdict",
    }
)
"""Kinds of findings that are contradictions; additions and omissions are not."""

_EXCHANGED = frozenset({"name:missing-name", "name:invented-name"})  # both together are a contradiction
_SHORT_ANSWERS = ShortAnswerGuard()

CONTRADICTS_ABOVE = 0.5
"""Probability of contradiction above which a sample contradicts the answer: more likely than not."""
ENTAILED = "entailment"
"""Name of the findings of an entailment model."""


@dataclass(frozen=True)
class ComparedPairs:
    """Results of models and guards for p pairs of an answer (``prediction``) and a sample (``reference``).

    Attributes:
        pairs: the texts.
        floor: cosine of unrelated answers.
        cosine: shape (p,), cosine of the two vectors; NaN if no measure needs it.
        f1: shape (p,), BERTScore F1; NaN if no measure needs it, or no token is used.
        windows: shape (p,), greatest number of windows of the two texts.
        findings: p tuples of contradictions of the answer.
        is_checked: shape (p,), whether guards, which check only English, or an entailment model checked it.
        unread: shape (p,), whether a model that a measure needs cannot read one of the two texts.
        foreign: shape (p,), whether one of the two texts is in a language that such a model does not read.
    """

    pairs: Pairs
    floor: float
    cosine: Floats
    f1: Floats
    windows: Integers
    findings: Sequence[tuple[Finding, ...]]
    is_checked: Mask
    unread: Mask
    foreign: Mask

    @property
    def contradicted(self) -> Mask:
        """Mask of the pairs whose sample contradicts the answer, shape (p,)."""
        return np.array([bool(findings) for findings in self.findings], dtype=bool)

    @property
    def above_floor(self) -> Floats:
        """Cosines rescaled by ``above_floor``, shape (p,), 0 to 1."""
        return above_floor(self.cosine, self.floor)

    @property
    def consistency(self) -> Floats:
        """Similarities above the floor, divided by 10 for contradicting samples, shape (p,), 0 to 1."""
        return self.above_floor * np.where(self.contradicted, CONTRADICTED, 1.0)

    @property
    def uncontradicted(self) -> Floats:
        """1 for samples without a contradiction, 0 for contradicting ones, NaN if unchecked, shape (p,)."""
        return np.where(self.is_checked, 1.0 - self.contradicted, np.nan)

    @property
    def exact_match(self) -> Floats:
        """1 for samples equal to the answer, and 0 for others, shape (p,)."""
        same: Floats = (self.pairs.prediction == self.pairs.reference).astype(np.float64)
        return same  # the pairs' texts are distinct

    def select(self, chosen: Mask, pairs: Pairs) -> "ComparedPairs":
        """Select some of the pairs.

        Args:
            chosen: shape (p,), mask of the pairs.
            pairs: the same pairs with their texts.
        """
        columns = ("cosine", "f1", "windows", "is_checked", "unread", "foreign")
        return replace(
            self,
            pairs=pairs,
            findings=list(compress(self.findings, chosen.tolist())),
            **{name: getattr(self, name)[chosen] for name in columns},
        )


def compare_pairs(
    pairs: Pairs,
    floor: float,
    readers: PairReaders,
    *,
    guards: Sequence[str] | None = None,
    bert_scorer: BertScorer | None = None,
    progress: Progress | None = None,
) -> ComparedPairs:
    """Compare answers with samples; texts are embedded in blocks.

    Args:
        pairs: p pairs of an answer (``prediction``) and a sample (``reference``).
        floor: cosine of unrelated answers.
        readers: cosines if a measure needs them, and an entailment model, if any, for contradictions.
        guards: names of the guards that check for contradictions; ``None`` if no measure needs them.
        bert_scorer: scorer if a measure needs BERTScores, else ``None``.
        progress: called while texts are embedded and scored.
    """
    p = len(pairs.item)
    cosine, f1 = np.full(p, np.nan), np.full(p, np.nan)
    windows: Integers = np.ones(p, np.int64)
    unread = np.zeros(p, np.bool_)
    for start in range(0, p, BLOCK):
        rows = slice(start, start + BLOCK)
        block = _block(pairs, rows)
        if readers.cosines is not None:
            compared = readers.cosines.of(block.texts, block.prediction, block.reference, progress)
            cosine[rows], windows[rows], unread[rows] = compared.values, compared.windows, compared.unread
        if bert_scorer is not None:
            scored = bert_scorer.score_pairs(block, progress=progress)
            f1[rows], windows[rows] = scored.score, np.maximum(windows[rows], scored.windows)
            unread[rows] |= scored.unread
    findings: list[tuple[Finding, ...]] = [()] * p
    is_checked = np.ones(p, np.bool_)
    if guards is not None:
        guarded = _pairs_to_guard(pairs)
        contradiction = np.full(p, np.nan)
        if readers.entailment is not None:
            contradiction = contradiction_probabilities(pairs, readers.entailment)
        same_answer, differing = SAME_ANSWER, None
        if readers.cosines is not None:
            same_answer = same_answer_cosine(readers.cosines.signature, floor)
            differing = _differing_cosines(pairs, guarded, readers.cosines) if "answer" in guards else None
        by_guards = guard_findings(
            pairs, guards, cosine, guarded, same_answer=same_answer, differing=differing
        )
        by_model = model_contradictions(pairs, contradiction)
        findings = [(*left, *right) for left, right in zip(by_guards, by_model, strict=True)]
        is_checked = guarded | ~np.isnan(contradiction)
    models = [model.signature for model in (readers.cosines, bert_scorer) if model is not None]
    foreign = in_other_language(pairs, *models)
    return ComparedPairs(pairs, floor, cosine, f1, windows, findings, is_checked, unread, foreign)


def _block(pairs: Pairs, rows: slice) -> Pairs:
    """Return some of the pairs with only their texts."""
    used, numbers = np.unique(np.stack([pairs.prediction[rows], pairs.reference[rows]]), return_inverse=True)
    answer, sample = numbers.reshape(2, -1)
    texts = [pairs.texts[number] for number in used.tolist()]
    return Pairs(texts, answer, sample, pairs.item[rows], pairs.place[rows], pairs.status)


def _differing_cosines(pairs: Pairs, guarded: Mask, cosines: Cosines) -> Floats:
    """Return the cosine of the words in which two similar short answers differ; NaN without such words."""
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


def _pairs_to_guard(pairs: Pairs) -> Mask:
    """Return which pairs guards check, shape (p,)."""
    samples: dict[int, list[str]] = {}
    answers: dict[int, str] = {}
    rows = zip(pairs.item.tolist(), pairs.prediction.tolist(), pairs.reference.tolist(), strict=True)
    for item, answer, sample in rows:
        answers[item] = pairs.texts[answer]
        samples.setdefault(item, []).append(pairs.texts[sample])
    checked = (guards_read_samples(answers[item], texts) for item, texts in samples.items())
    return np.array(list(chain.from_iterable(checked)), np.bool_)


def guards_read_samples(answer: str, samples: Sequence[str]) -> list[bool]:
    """Return with which samples guards compare an answer.

    Guards check English, and short texts in an unclear language. If the answer or a sample is clearly in
    another language, they skip the unclear ones too: if another sample is "Das ist ein Hund.", "Hund" is
    probably not English.

    Args:
        answer: the answer.
        samples: its usable samples.

    Examples:
        >>> guards_read_samples("A dog", ["Wolf", "It is a wolf."])
        [True, True]
        >>> guards_read_samples("I think it is a dog.", ["Hund", "Das ist ein Hund.", "It is not a wolf."])
        [False, False, True]
    """
    language, languages = language_of(answer), [language_of(sample) for sample in samples]
    read = {ENGLISH, None} if {language, *languages} <= {ENGLISH, None} else {ENGLISH}
    return [language in read and other in read for other in languages]


def leave_out_unread(
    sampled: SampledAnswers, compared: ComparedPairs
) -> tuple[SampledAnswers, ComparedPairs]:
    """Leave out the pairs with a text that the model cannot read, or whose language it does not read.

    They are left out of every measure. If no pair is left, the status of an item is ``other-language`` if the
    model does not read the language of one, and else ``weightless``; if too few are left, it is
    ``too-few-samples``.

    Args:
        sampled: n answers with their samples, p pairs.
        compared: the p pairs.

    Returns:
        The answers with the remaining pairs, and the results of these pairs.
    """
    unread = compared.unread | compared.foreign
    if not unread.any():
        return sampled, compared
    n, item = sampled.pairs.n_items, sampled.pairs.item
    lost, left = (np.bincount(item[rows], minlength=n) for rows in (unread, ~unread))
    has_none_left = (lost > 0) & (left == 0)
    has_foreign = np.bincount(item[compared.foreign], minlength=n) > 0
    status = sampled.status.copy()
    status[(lost > 0) & (left < sampled.fewest)] = Status.TOO_FEW_SAMPLES
    status[has_none_left] = Status.WEIGHTLESS
    status[has_none_left & has_foreign] = Status.OTHER_LANGUAGE
    lost = np.where(has_none_left, 0, lost)  # here the answer may be unread, and its samples are not
    chosen = ~unread & np.asarray(status[item] == Status.SCORED, dtype=bool)
    pairs = select_pairs(sampled.pairs, chosen, status)
    remaining = replace(
        sampled,
        pairs=pairs,
        status=status,
        n_samples=sampled.n_samples - lost,
        n_left_out=sampled.n_left_out + lost,
    )
    return remaining, compared.select(chosen, pairs)


def rescale_cosine(cosine: Floats) -> Floats:
    """Rescale cosines from -1 to 1 to 0 to 1: (1 + cosine) / 2.

    References:
        uqlm 0.6, "Normalized Cosine Similarity" (NCS).

    Examples:
        >>> rescale_cosine(np.array([-1.0, 0.0, 1.0])).tolist()
        [0.0, 0.5, 1.0]
    """
    return 0.5 + cosine / 2


def above_floor(cosine: Floats, floor: float) -> Floats:
    """Rescale cosines: (cosine - floor) / (1 - floor), 0 for unrelated answers or less, and 1 for equal ones.

    Args:
        cosine: shape (p,), -1 to 1.
        floor: below 1.

    Examples:
        >>> above_floor(np.array([0.0, 0.5, 0.75, 1.0]), 0.5).tolist()
        [0.0, 0.0, 0.5, 1.0]
    """
    stretched: Floats = np.clip((cosine - floor) / (1 - floor), 0.0, 1.0)
    return stretched


def exact_match_normalised(pairs: Pairs) -> Floats:
    """Return 1 for each pair of texts that ``normalise_answer`` makes equal, and 0 for others, shape (p,)."""
    texts = [normalise_answer(text) for text in pairs.texts]
    rows = zip(pairs.prediction.tolist(), pairs.reference.tolist(), strict=True)
    return np.array([texts[answer] == texts[sample] for answer, sample in rows], np.float64)


@lru_cache(maxsize=4096)
def normalise_answer(text: str) -> str:
    """Normalise case and white space, and remove punctuation that does not change an answer.

    A point or comma between digits, a sign before a digit, and % & # @ * / are not removed.

    Examples:
        >>> normalise_answer(" The  Answer: 3.5%! "), normalise_answer("8 emails")
        ('the answer 3.5%', '8 emails')
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    counted = "".join(character if _counts(folded, index) else " " for index, character in enumerate(folded))
    return " ".join(counted.split()) or " ".join(folded.split())


def _counts(text: str, index: int) -> bool:
    """Return whether a character of a folded text is compared."""
    character = text[index]
    if not unicodedata.category(character).startswith("P") or character in _COUNTED_MARKS:
        return True
    if character in ".,":
        return bool(re.fullmatch(r"\d[.,]\d", text[max(index - 1, 0) : index + 2]))
    before = text[index - 1 : index] or " "
    return character == "-" and text[index + 1 : index + 2].isdigit() and before.isspace()


LENGTH_NULLS = ("equal_lengths", "brevity")
"""Baselines from lengths only: mean ratio of the shorter to the longer length of answer and sample; and 1 /
(1 + characters of the answer)."""

EXACT_MATCH = "exact_match_normalised"
"""The measure that is also a baseline: the share of samples equal to the answer."""


def null_values(pairs: Pairs) -> dict[str, Floats]:
    """Compute baselines of each item that a measure should exceed.

    Args:
        pairs: of an answer (``prediction``) and a sample (``reference``).

    Returns:
        Arrays of shape (n,), 0 to 1, by name; NaN for items without pairs.

    Examples:
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
        value: -1 to below 1; 0, without effect, if it could not be estimated.
        origin: source of the floor, as in the signature.
    """

    value: float
    origin: str

    @property
    def known(self) -> bool:
        """Return whether it was set or estimated."""
        return self.origin != TOO_FEW_ANSWERS

    @property
    def applied(self) -> float | None:
        """The applied floor; ``None`` if none was needed, or none could be estimated."""
        return self.value if self.known and self != NO_FLOOR else None


NO_FLOOR = Floor(0.0, "not-needed")
"""Floor for measures that need none."""


def estimate_floor(
    answers: list[str], cosines: Cosines, *, seed: int, progress: Progress | None = None
) -> Floor:
    """Estimate the floor from random pairs of answers to different prompts: their mean cosine.

    Args:
        answers: distinct answers.
        cosines: cosines between texts.
        seed: seed of the draw.
        progress: called while texts are embedded.

    Returns:
        The floor; 0, with that origin, with fewer than 10 different answers, or fewer than 10 pairs that the
        model can read.
    """
    if len(answers) < FEWEST_ANSWERS:
        return Floor(0.0, TOO_FEW_ANSWERS)
    drawn = draw_unrelated_pairs(answers, MOST_PAIRS, seed)
    used = np.unique(drawn)
    first, second = np.searchsorted(used, drawn.T)
    compared = cosines.of([answers[number] for number in used.tolist()], first, second, progress)
    read = compared.values[~compared.unread]  # texts that the model cannot read are all alike to it
    if len(read) < FEWEST_ANSWERS:
        return Floor(0.0, TOO_FEW_ANSWERS)
    return Floor(round(float(read.mean()), _DIGITS), f"{len(read)}-pairs#{corpus_hash(answers)}")


@dataclass(frozen=True)
class Contradiction:
    """A contradiction of the answer in one sample.

    Attributes:
        sample: number of the sample among all samples of the item, from 0.
        finding: the finding, with ``prediction`` in the answer and ``reference`` in the sample.
    """

    sample: int
    finding: Finding


def guard_findings(
    pairs: Pairs,
    guards: Sequence[str],
    cosine: Floats,
    guarded: Mask,
    *,
    same_answer: float = SAME_ANSWER,
    differing: Floats | None = None,
) -> list[tuple[Finding, ...]]:
    """List the contradictions that guards find in each pair; equal pairs are checked once.

    Args:
        pairs: p pairs of an answer (``prediction``) and a sample (``reference``).
        guards: names of the guards.
        cosine: shape (p,), cosine of their vectors; NaN if unknown.
        guarded: shape (p,), whether guards check the pair, as they check only English.
        same_answer: cosine from which two short answers are wordings of one answer, for the model.
        differing: shape (p,), cosine of the words in which two similar short answers differ; NaN without such
            words, or if unknown.

    Returns:
        p tuples of findings, empty without a contradiction, or if guards do not check the pair.
    """
    known: dict[tuple[int, int], tuple[Finding, ...]] = {}
    findings: list[tuple[Finding, ...]] = []
    differing = np.full(len(pairs.item), np.nan) if differing is None else differing
    for row, key in enumerate(zip(pairs.prediction.tolist(), pairs.reference.tolist(), strict=True)):
        if not guarded[row]:
            findings.append(())
            continue
        if key not in known:
            texts = pairs.texts[key[0]], pairs.texts[key[1]]
            cosines = float(cosine[row]), float(differing[row])
            known[key] = _check(*texts, guards, cosines, same_answer) if key[0] != key[1] else ()
        findings.append(known[key])
    return findings


def _check(
    answer: str, sample: str, guards: Sequence[str], cosines: tuple[float, float], same_answer: float
) -> tuple[Finding, ...]:
    findings = [
        finding for name in guards if name in GUARDS for finding in GUARDS[name].check(answer, sample)
    ]
    if _SHORT_ANSWERS.name in guards:
        cosine, differing = cosines
        findings += _SHORT_ANSWERS.check(answer, sample, cosine, same_answer, differing_cosine=differing)
    return tuple(map(_reword, contradicting(findings)))


def contradicting(findings: Sequence[Finding]) -> list[Finding]:
    """Select the findings that are contradictions.

    These are the kinds of ``CONTRADICTING``, and names that replace another name.

    Args:
        findings: all findings of one pair.
    """
    kinds = [f"{finding.guard}:{finding.kind}" for finding in findings]
    contradict = CONTRADICTING | _EXCHANGED if {*kinds} >= _EXCHANGED else CONTRADICTING
    return [finding for finding, kind in zip(findings, kinds, strict=True) if kind in contradict]


def _reword(finding: Finding) -> Finding:
    """Reword a finding's reason for an answer and a sample; quotations are not changed."""
    pieces = finding.reason.split('"')
    pieces[::2] = [
        piece.replace("prediction", "answer").replace("reference", "sample") for piece in pieces[::2]
    ]
    return replace(finding, reason='"'.join(pieces))


def contradiction_probabilities(pairs: Pairs, model: EntailmentModel) -> Floats:
    """Return the probability that answers and samples contradict each other, from one call of the model.

    Args:
        pairs: p pairs of an answer (``prediction``) and a sample (``reference``).
        model: entailment model; sentence by sentence, the most contradicted sentence decides.

    Returns:
        Shape (p,), the greater probability of the two directions; 0 for equal texts, and NaN for a pair that
        the model cannot read.

    Raises:
        InputError: the model returns no probabilities.
    """
    apart = np.flatnonzero(pairs.prediction != pairs.reference)  # texts are distinct
    answers = [pairs.texts[text] for text in pairs.prediction[apart].tolist()]
    samples = [pairs.texts[text] for text in pairs.reference[apart].tolist()]
    premises, hypotheses = answers + samples, samples + answers
    if isinstance(model, SentenceEntailment):
        both = model.contradictions(premises, hypotheses)
    else:
        both = distinct_entailments(model, premises, hypotheses)[:, CONTRADICTION]
    probability: Floats = np.zeros(len(pairs.item))
    probability[apart] = np.maximum(both[: len(apart)], both[len(apart) :])
    return probability


def model_contradictions(pairs: Pairs, probability: Floats) -> list[tuple[Finding, ...]]:
    """List the contradiction of each pair by an entailment model, if there is one.

    Args:
        pairs: p pairs of an answer and a sample.
        probability: shape (p,), from ``contradiction_probabilities``; NaN is not a contradiction.

    Returns:
        p tuples, each empty or with one finding about the whole texts.
    """
    findings: list[tuple[Finding, ...]] = [()] * len(probability)
    for row in np.flatnonzero(probability > CONTRADICTS_ABOVE).tolist():
        texts = pairs.texts[pairs.prediction[row]], pairs.texts[pairs.reference[row]]
        reason = f"The entailment model gives a contradiction a probability of {probability[row]:.2f}."
        spans = (Span(0, len(text), text) for text in texts)
        findings[row] = (Finding(ENTAILED, "contradiction", reason, *spans),)
    return findings
