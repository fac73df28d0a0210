"""Pairs of a prediction and a reference: scoring methods, languages, findings and corpora."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import polars as pl

from semscale.embedding.texts import text_status
from semscale.errors import InputError
from semscale.guards.findings import Finding
from semscale.guards.registry import Guards, Mode
from semscale.results.languages import (
    ENGLISH,
    has_enough_letters,
    identifier_name,
    in_other_languages,
    language_of,
)
from semscale.signature import Signature
from semscale.store.columns import as_list
from semscale.store.missing_codes import is_missing
from semscale.types import Floats, Integers, Mask, ObjectArray, Progress, Status
from semscale.weights.known import languages_read

_REPORTED = 500  # pairs between two reports of progress


@dataclass(frozen=True)
class Pairs:
    """The p pairs of n items, each of a prediction and one of its references.

    Attributes:
        texts: the m distinct texts of all pairs, numbered by first appearance.
        prediction: shape (p,), number of each pair's prediction.
        reference: shape (p,), number of each pair's reference.
        item: shape (p,), number of each pair's item; ascending.
        place: shape (p,), position of the reference among those of the item, from 0.
        status: shape (n,), ``SCORED`` for items that have at least one pair.
    """

    texts: list[str]
    prediction: Integers
    reference: Integers
    item: Integers
    place: Integers
    status: npt.NDArray[np.object_]
    _findings: dict[tuple[tuple[str, ...], int, int], tuple[Finding, ...] | None] = field(
        default_factory=dict, init=False, repr=False
    )

    @property
    def n_items(self) -> int:
        """Number of items, with or without pairs."""
        return len(self.status)

    def both(self, row: int) -> tuple[str, str]:
        """Return the prediction and the reference of a pair."""
        return self.texts[self.prediction[row]], self.texts[self.reference[row]]

    def findings(self, row: int, guards: Guards) -> tuple[Finding, ...] | None:
        """Return findings in a pair, ``None`` if guards do not read it; equal pairs are checked once."""
        key = guards.active, int(self.prediction[row]), int(self.reference[row])
        if key not in self._findings:
            both = self.both(row)
            self._findings[key] = tuple(guards.check(*both)) if guards_read(*both) else None
        return self._findings[key]


@dataclass(frozen=True)
class ScoredPairs:
    """Scores of p pairs.

    Attributes:
        score: shape (p,).
        components: parts of the score, by name, each of shape (p,).
        windows: shape (p,), number of windows into which the longer of the two texts was split.
        unread: shape (p,), whether the model cannot read one of the two texts.
        signature: the settings that were applied.
        bounds: the lowest and the highest score that the method can give.
        weighs_findings: whether findings of guards lower the scores.
    """

    score: Floats
    components: Mapping[str, Floats]
    windows: Integers
    unread: Mask
    signature: Signature
    bounds: tuple[float, float] = (0.0, 1.0)
    weighs_findings: bool = False


class PairMethod(Protocol):
    """A matching method, which scores pairs of texts."""

    @property
    def signature(self) -> Signature:
        """Signature of the settings; a result's signature also has the estimates from its texts."""
        ...

    def score(self, pairs: Pairs, progress: Progress | None = None) -> ScoredPairs:
        """Score every pair by itself."""
        ...


@runtime_checkable
class Explains(Protocol):
    """A method that can explain a pair's score token by token, or word by word."""

    def explain(self, pairs: Pairs, rows: Sequence[int]) -> list[pl.DataFrame]:
        """Explain some pairs.

        Args:
            pairs: all scored pairs.
            rows: indices of the pairs to explain.

        Returns:
            A table per pair, with the columns of ``side_table``, the prediction's tokens first.
        """
        ...


@runtime_checkable
class CorpusDependent(Protocol):
    """A method that estimates weights or levels from a call's references, unless it has a corpus."""

    @property
    def has_corpus(self) -> bool:
        """True if estimates come from a corpus."""
        ...

    def over(self, corpus: Sequence[str]) -> PairMethod:
        """Return the method with estimates from a corpus, instead of from the references of each call."""
        ...


def pair_up(predictions: object, references: object) -> Pairs:
    """Form the pairs of items.

    Args:
        predictions: shape (n,), a list or a series.
        references: shape (n,), each a text or a list of texts. References that are missing, empty or not text
            are skipped if the item has another one.

    Raises:
        InputError: an argument is not a list, the lengths differ, or an item's references are a set.

    Examples:
        >>> pairs = pair_up(["Paris", None], [["Paris", "the city of Paris"], "Rome"])
        >>> pairs.prediction.tolist(), pairs.reference.tolist(), [str(status) for status in pairs.status]
        ([0, 0], [0, 1], ['scored', 'missing'])
    """
    listed, cells = as_list(predictions, "predictions"), as_list(references, "references")
    if len(listed) != len(cells):
        raise InputError(
            f"predictions and references must have equal lengths, got {len(listed)} predictions "
            f"and {len(cells)} references"
        )
    numbers: dict[str, int] = {}
    rows: list[tuple[int, int, int, int]] = []
    status = np.empty(len(listed), dtype=object)
    for item, (prediction, cell) in enumerate(zip(listed, cells, strict=True)):
        usable, status[item] = usable_references(cell), text_status(prediction)
        if status[item] is Status.SCORED and not usable:
            status[item] = Status.TOO_LONG if _has_long_text(cell) else Status.NO_REFERENCE
        if status[item] is Status.SCORED:
            number = numbers.setdefault(prediction, len(numbers))
            rows += [(number, numbers.setdefault(text, len(numbers)), item, at) for at, text in usable]
    first, second, items, positions = np.array(rows, np.int64).reshape(-1, 4).T.copy()
    return Pairs(list(numbers), first, second, items, positions, status)


def best_pairs(score: Floats, item: Integers) -> Integers:
    """Find each item's pair with the highest score; the first of several equal ones.

    Args:
        score: shape (p,).
        item: shape (p,), number of each pair's item; ascending.

    Returns:
        Shape (items that have pairs,), row numbers of pairs, ascending.

    Examples:
        >>> best_pairs(np.array([0.2, 0.9, 0.9, 0.4]), np.array([0, 0, 0, 2])).tolist()
        [1, 3]
    """
    order = np.lexsort((np.arange(len(item)), -score, item))
    return order[np.flatnonzero(np.diff(item, prepend=-1))]


def usable_references(cell: object) -> list[tuple[int, str]]:
    """List one item's references that have text, each with its position from 0.

    Raises:
        InputError: a set, which has no order.
    """
    if isinstance(cell, Set):
        raise InputError(
            "references", f"must be texts or lists of texts, which have an order, got {type(cell).__name__}"
        )
    return [(at, text) for at, text in enumerate(_as_references(cell)) if text_status(text) is Status.SCORED]


def _has_long_text(cell: object) -> bool:
    return any(text_status(text) is Status.TOO_LONG for text in _as_references(cell))


def _as_references(cell: object) -> Sequence[Any]:
    listed = isinstance(cell, Sequence | np.ndarray) and not isinstance(cell, str | bytes)
    return as_list(cell, "references") if listed else [cell]


def guards_read(prediction: str, reference: str) -> bool:
    """Return whether guards check a pair: both texts are English, or their language is unclear.

    Examples:
        >>> guards_read("It is safe.", "It is not safe."), guards_read("Das ist sicher.", "It is not safe.")
        (True, False)
    """
    return all(language_of(text) in {None, ENGLISH} for text in (prediction, reference))


def with_identifier(signature: Signature) -> Signature:
    """Add the language identifier to a signature, unless the signature has it.

    Examples:
        >>> named = with_identifier(with_identifier(Signature.of("match")))
        >>> [(name, value.partition("-")[0]) for name, value in named.fields]
        [('language', 'any+py3langid')]
    """
    if "language" in dict(signature.fields):
        return signature
    return signature.plus(Signature.of("language", language=f"any+{identifier_name()}"))


def with_guards(signature: Signature, guards: Guards) -> Signature:
    """Add guards to the signature of a match, and the language identifier that they depend on.

    Examples:
        >>> from semscale.guards.registry import GUARDS
        >>> off = Guards(dict.fromkeys(GUARDS, "off"))
        >>> dict(with_guards(Signature.of("match"), off).fields)
        {'findings': 'none'}
    """
    signed = signature.plus(guards.signature)
    looking = any(mode is not Mode.OFF for mode in guards.modes.values())
    return with_identifier(signed) if looking else with_read_languages(signed)


def with_read_languages(signature: Signature) -> Signature:
    """Add the language identifier if the model's languages are known, as texts in others have no score."""
    return with_identifier(signature) if languages_read(signature) else signature


def are_across(prediction: str, reference: str, languages: frozenset[str]) -> bool:
    """Return whether two texts are in different languages, both of which the model reads.

    Then words cannot be matched, and only whole texts are compared.

    Args:
        prediction: one text.
        reference: the other one.
        languages: the languages that the model reads.

    Examples:
        >>> are_across("Das ist nicht sicher.", "It is not safe.", frozenset({"de", "en"}))
        True
        >>> are_across("Das ist nicht sicher.", "It is not safe.", frozenset({"en"}))
        False
    """
    if len(languages) <= 1:
        return False
    left, right = language_of(prediction), language_of(reference)
    return left != right and left in languages and right in languages


_FEWEST_WORDS, _FEWEST_SMALL = 4, 2
_AFTER_LATIN = "\u0250"  # the first character after the Latin letters


def in_other_language(pairs: Pairs, *signatures: Signature) -> Mask:
    """Mark pairs with a text that is surely in a language that a model does not read.

    Args:
        pairs: p pairs.
        signatures: signatures of the models. A model with unknown languages marks no pair.

    Returns:
        Shape (p,).
    """
    unread = are_in_other_languages(pairs.texts, *signatures)
    return unread[pairs.prediction] | unread[pairs.reference]


def are_in_other_languages(texts: Sequence[str], *signatures: Signature) -> Mask:
    """Mark texts that are surely in a language that a model does not read, shape (n,).

    Texts that are too short to show their language are not marked, nor are those that may be names or
    titles: texts in Latin letters with fewer than four words, or fewer than two in lower case, and texts of
    one or two words in another script.

    Args:
        texts: n texts.
        signatures: signatures of the models. A model with unknown languages marks no text.
    """
    unread = np.zeros(len(texts), np.bool_)
    known = [signature for signature in signatures if languages_read(signature)]
    if known:
        rows = [row for row, text in enumerate(texts) if not may_be_name(text)]
        sentences = [texts[row] for row in rows]
        languages: ObjectArray = np.full(len(rows), None, dtype=object)
        languages[:] = [language_of(text) for text in sentences]
        for signature in known:
            unread[rows] |= in_other_languages(sentences, languages, signature)
    return unread


def may_be_name(text: str) -> bool:
    """Return whether a text may be a name or a title, which is no sign of a text's language.

    Examples:
        >>> may_be_name("Søren Kierkegaard"), may_be_name("Der Name der Rose"), may_be_name("Цюрих")
        (True, True, True)
        >>> may_be_name("Das ist nicht sicher."), may_be_name("不是很好吃，太贵了")
        (False, False)
    """
    if not text.isascii():
        letters = [sign for sign in text if sign.isalpha()]
        if 2 * sum(sign < _AFTER_LATIN for sign in letters) <= len(letters):
            return not has_enough_letters(text)
    starts = [word[0] for word in text.split() if word[0].isalpha()]
    return len(starts) < _FEWEST_WORDS or sum(map(str.islower, starts)) < _FEWEST_SMALL


def find_in_pairs(
    pairs: Pairs, rows: Integers, guards: Guards, progress: Progress | None = None
) -> tuple[tuple[tuple[Finding, ...], ...], Mask]:
    """Check pairs with guards, at most one per item; pairs that are not in English are skipped.

    Args:
        pairs: the pairs of n items.
        rows: numbers of the pairs to check.
        guards: the guards.
        progress: called as pairs are checked.

    Returns:
        Findings of each of the n items, and a mask (n,) of items with a checked pair.
    """
    findings: list[tuple[Finding, ...]] = [()] * pairs.n_items
    guarded = np.zeros(pairs.n_items, np.bool_)
    for done, row in enumerate(rows.tolist()):
        found = pairs.findings(row, guards)
        if found is not None:
            guarded[pairs.item[row]] = True
            findings[pairs.item[row]] = found
        if progress and done % _REPORTED == 0:
            progress("looking for findings", done, len(rows))
    return tuple(findings), guarded


def side_table(
    side: str,
    tokens: Sequence[str],
    counterparts: Sequence[str],
    matched: Integers,
    similarity: Floats,
    weight: Floats,
    **measures: Any,
) -> pl.DataFrame:
    """Lay out one text's tokens, each with its counterpart in the other text.

    Args:
        side: ``prediction`` or ``reference``.
        tokens: n tokens, words or sentences of the text.
        counterparts: those of the other text.
        matched: shape (n,), position of each token's counterpart.
        similarity: shape (n,), of each token with its counterpart.
        weight: shape (n,), share of each token in its side's mean, or in that of both sides.
        measures: further columns of n values.

    Returns:
        A row per token, with columns ``side``, ``place`` (position from 0), ``token``, ``matched_place``,
        ``matched_token``, ``similarity``, the further ones, ``weight`` and ``contribution`` (weight times
        similarity).
    """
    return pl.DataFrame(
        {
            "side": pl.Series([side] * len(tokens), dtype=pl.String),
            "place": np.arange(len(tokens)),
            "token": pl.Series(list(tokens), dtype=pl.String),
            "matched_place": matched.astype(np.int64),
            "matched_token": pl.Series([counterparts[at] for at in matched.tolist()], dtype=pl.String),
            "similarity": similarity.astype(np.float64),
            **measures,
            "weight": weight.astype(np.float64),
            "contribution": (weight * similarity).astype(np.float64),
        }
    )


def corpus_texts(corpus: Iterable[object]) -> list[str]:
    """List the texts of a corpus; missing and empty ones are skipped.

    Raises:
        InputError: a value that is not text, or no text at all.

    Examples:
        >>> corpus_texts(["a", None, " ", "b"])
        ['a', 'b']
    """
    cells = as_list(corpus, "corpus")
    for position, cell in enumerate(cells):
        if not isinstance(cell, str) and not is_missing(cell):
            raise InputError(f"corpus[{position}]", f"must be a text, got {type(cell).__name__}")
    texts = [cell for cell in cells if isinstance(cell, str) and cell.strip()]
    if not texts:
        raise InputError(
            "corpus",
            f"must hold at least one text, got {len(cells)} cells without any; "
            "give texts of the kind to be matched, or None for the references",
        )
    return texts


def corpus_hash(texts: Iterable[str]) -> str:
    """Return 12 hex digits of a SHA-256 over a corpus's texts, regardless of their order.

    Examples:
        >>> corpus_hash(["a", "b"]) == corpus_hash(["b", "a"]) != corpus_hash(["ab"])
        True
    """
    digest = hashlib.sha256()
    for text in sorted(texts):
        digest.update(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
    return digest.hexdigest()[:12]


def draw_unrelated_pairs(texts: Sequence[str], n: int, seed: int) -> Integers:
    """Draw pairs of different texts; the same texts in another order give the same pairs of texts.

    Args:
        texts: distinct.
        n: number of pairs to draw; all pairs are returned if there are fewer.
        seed: seed of the draw.

    Returns:
        Shape (pairs, 2), row numbers in ``texts``.

    Raises:
        InputError: fewer than two texts.

    Examples:
        >>> sorted(draw_unrelated_pairs(["a", "b", "c"], n=9, seed=0).tolist())
        [[0, 1], [0, 2], [1, 2]]
    """
    if len(texts) < 2:
        raise InputError(
            "corpus",
            f"must have at least 2 different texts to estimate the baseline from, got {len(texts)}; "
            "give texts of the kind to be matched",
        )
    order = np.array(sorted(range(len(texts)), key=texts.__getitem__), np.int64)
    m = len(order)
    total = m * (m - 1) // 2
    drawn = np.sort(np.random.default_rng(seed).choice(total, min(n, total), replace=False))
    # The pairs (i, j), i < j, are listed by rows: (0, 1), (0, 2), ... (1, 2), ... Counted from the end, row i
    # starts at a triangular number, so i follows from a square root.
    back = total - 1 - drawn
    row = ((np.sqrt(8.0 * back + 1) - 1) // 2).astype(np.int64)
    pairs: Integers = order[np.column_stack([m - 2 - row, m - 1 - (back - row * (row + 1) // 2)])]
    return pairs
