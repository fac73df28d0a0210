"""Scores of answers on codes: evidence in their sentences."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import polars as pl
from scipy.special import expit

from semscale.coding.codebook import Codebook
from semscale.coding.evidence import EvidenceReader, SentenceEvidence
from semscale.coding.learning import CorpusModel, LearnedCodes, LearningSentences
from semscale.coding.reasons import ReasonNames, find_sources
from semscale.coding.settings import CodingColumns
from semscale.coding.units import CodedUnit
from semscale.embedding.loading import as_embedder
from semscale.embedding.texts import answer_status, distinct, shift_progress
from semscale.matching.pairs import with_read_languages
from semscale.results.result import (
    PRIVATE,
    STATUSES,
    TEXT_LISTS,
    VECTORS,
    result_columns,
    values_in,
    write_columns,
)
from semscale.signature import Signature
from semscale.stats.calibration import FOLDS, random_folds
from semscale.store.missing_codes import code_key
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.text_units import has_punctuation, sentences_in
from semscale.types import (
    Floats,
    Integers,
    Mask,
    ObjectArray,
    Progress,
    Status,
    Statuses,
    are_scored,
)
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from pathlib import Path

    from semscale.embedding.embedder import Embedder

CORPUS = 10_000
"""Largest number of different sentences, and of answers, from which a corpus model learns."""

FEWEST_SENTENCES = 200
"""Fewest different sentences from which a corpus model learns."""

FEWEST_LABELS = 10
"""Fewest hand-coded answers from which codes are learned."""

_LEAST_LIKENESS = 0.05  # of codes for which a unit is stored
_BATCH, _TABLE_BATCH = 2048, 50_000


@dataclass(frozen=True)
class CodeScores:
    """Likeness of n answers to k codes.

    Attributes:
        codebook: the codes.
        likeness: shape (n, k), 0 to 1: at .5 a code is assigned as often in error as it is missed; NaN
            without a text. It is not a probability.
        text_status: shape (n,), each a ``Status``: whether an answer could be read, and if not, why.
        signature: the settings that were applied.
        evidence: shape (n, k), text of the unit with the strongest evidence for each code; ``None`` for codes
            that are very unlike.
        reasons: shape (n, k), the ``Reason`` that decided about this unit, likewise.
        sentiment: shape (n, k), rating of the units with each assigned code; NaN elsewhere. ``None`` if
            nothing was rated.
        units: shape (n, k), a tuple of units for each code: the evidence first, then the strongest units of
            other sentences whose likeness is at least .5. ``None`` for stored scores.
    """

    codebook: Codebook
    likeness: Annotated[Floats, VECTORS.private]
    text_status: Annotated[Statuses, STATUSES.private]
    signature: Signature
    evidence: Annotated[ObjectArray | None, TEXT_LISTS.private] = None
    reasons: Annotated[ObjectArray | None, TEXT_LISTS.private] = None
    sentiment: Annotated[Floats | None, VECTORS.private] = None
    units: ObjectArray | None = None

    def to_part(self) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the scores in the form that a run stores; ``from_part`` reads them back."""
        frame, names = write_columns(self, private=True, prefix=PREFIX)
        return frame, {"columns": names}

    @classmethod
    def from_part(cls, frame: pl.DataFrame, header: Mapping[str, Any], **rest: Any) -> "CodeScores":
        """Read scores back from the result of ``to_part``; ``rest`` has codebook and signature."""
        return cls(**values_in(cls, frame, header["columns"], prefix=PREFIX), **rest)

    @classmethod
    def private_columns(cls) -> tuple[str, ...]:
        """Return the names of columns that are only in the run's parts, not in the output."""
        return tuple(PREFIX + PRIVATE + name for name in result_columns(cls))

    def some(self, rows: Integers) -> "CodeScores":
        """Select the scores of some answers, by their numbers from 0."""
        names = ("likeness", "text_status", "evidence", "reasons", "sentiment", "units")
        columns = {name: getattr(self, name) for name in names}
        return replace(self, **{name: values[rows] for name, values in columns.items() if values is not None})


class Coder:
    """Scorer of answers on the codes of a codebook, by the evidence in their sentences.

    An answer's likeness to a code is that of the sentence with the strongest evidence. ``adapt`` and
    ``learn`` return coders that know more: the other answers, and codes that people gave.

    Args:
        codebook: the codes.
        embedder: a model's name, a folder, or an embedder from ``load_embedder``; by default the default
            model.

    Raises:
        InputError: two codes are too similar, examples are no nearer to their own code than to others, or the
            object is not an embedder.
        ModelError: the model cannot be run.

    References:
        Codes defined by examples and a definition are prototypes in the sense of Snell, Swersky and Zemel
        (2017), Prototypical networks for few-shot learning, arXiv 1703.05175.
    """

    def __init__(self, codebook: Codebook, *, embedder: "str | Path | Embedder | None" = None) -> None:
        self.codebook = codebook
        self._embedder = as_embedder(DEFAULT_MODEL if embedder is None else embedder)
        self._reader = EvidenceReader(codebook, self._embedder)
        self._reasons = ReasonNames(codebook.codes, self._reader.language)
        self._is_net = np.array([code.is_net for code in codebook.codes])
        self._corpus: dict[str, tuple[str, ...]] = {}
        self._corpus_evidence: SentenceEvidence | None = None
        self._corpus_model: CorpusModel | None = None
        self._learned_codes: tuple[LearnedCodes, ...] = ()
        self._fold: Integers = np.zeros(0, np.int64)
        self._learned: dict[str, object] = {}

    @property
    def embedder(self) -> "Embedder":
        """The embedder of sentences, clauses and words."""
        return self._embedder

    @property
    def language(self) -> str:
        """ISO 639-1 code of the codebook's language; English if it cannot be told."""
        return self._reader.language

    @property
    def signature(self) -> Signature:
        """Signature of the codebook, the settings of scores, and the embedder."""
        name = f"{self.codebook.name}#{self.codebook.content_hash}".replace("|", "/").replace(":", "/")
        evidence = Signature.of(
            "code", codebook=name, codes=len(self.codebook.codes), units="sentences", **self._learned
        )
        return evidence.plus(with_read_languages(self._embedder.signature))

    def adapt(self, batches: Iterable[Sequence[Any]], *, missing: Set[str] = frozenset()) -> "Coder":
        """Return a coder that learns from the answers what their sentences about a code have in common.

        It learns from up to 10,000 different sentences of up to 10,000 answers, chosen by their hashes, so
        their order is of no importance; with fewer than 200 it learns nothing. Nothing is embedded before
        the first score.

        Args:
            batches: lists of cells with answers.
            missing: codes for a missing answer, from ``missing_keys``.
        """
        answers = _Sample(CORPUS)
        for cells in batches:
            answers.add(str(cell) for cell in cells if coding_status(cell, missing) is Status.SCORED)
        corpus = _sentence_sample(answers.texts())
        adapted = self._copy()
        if len(corpus) >= FEWEST_SENTENCES:
            adapted._corpus = corpus
            adapted._corpus_evidence = adapted._corpus_model = None
            adapted._learned = {**self._learned, "corpus": f"{len(corpus)}#{_hash(*corpus)}"}
        return adapted

    def learn(
        self,
        answers: Sequence[Any],
        codes: Floats,
        *,
        seed: int = 0,
        missing: Set[str] = frozenset(),
        progress: Progress | None = None,
    ) -> "Coder":
        """Return a coder that has learned from hand-coded answers.

        Five models learn from four fifths of the answers each. Other answers are scored by the mean of all
        five, and a hand-coded answer by the model that has not seen it.

        Args:
            answers: m cells.
            codes: shape (m, k), share of people who gave the code; NaN for uncoded answers.
            seed: seed of the folds.
            missing: codes for a missing answer, from ``missing_keys``; nothing is learned from these.
            progress: called while texts are embedded.

        References:
            Zrnic and Candes (2024), Cross-prediction-powered inference, doi 10.1073/pnas.2322083121.
        """
        readable = np.flatnonzero([coding_status(cell, missing) is Status.SCORED for cell in answers])
        usable = readable[~np.isnan(codes[readable]).all(axis=1)]
        if len(usable) < FEWEST_LABELS:
            return self
        texts = [str(answers[row]) for row in usable.tolist()]
        sentences = _split(texts)
        known = self._learning_sentences(self._read(sentences, progress), sentences.owners)
        corpus = None
        if self._corpus:
            evidence = self._read_corpus()
            corpus = self._learning_sentences(evidence, np.arange(len(evidence.vectors)))
        labelled = np.where(self._is_net, np.nan, codes[usable])
        fold = random_folds(len(usable), folds=FOLDS, seed=seed)
        learned = self._copy()
        learned._learned_codes = tuple(
            LearnedCodes.fit(known.of(np.flatnonzero(fold != part)), labelled[fold != part], corpus)
            for part in range(FOLDS)
        )
        learned._fold = np.full(len(answers), -1, np.int64)
        learned._fold[usable] = fold
        labels = np.nan_to_num(codes[usable], nan=-1.0).tobytes().hex()
        learned._learned = {**self._learned, "learned": f"{len(usable)}#{_hash(*texts, labels)}"}
        return learned

    def score(
        self,
        cells: Sequence[Any],
        *,
        hand_coded: Integers | None = None,
        missing: Set[str] = frozenset(),
        progress: Progress | None = None,
    ) -> CodeScores:
        """Score a column of answers; cells may be missing or not text. Equal texts are embedded once.

        Args:
            cells: n answers.
            hand_coded: shape (n,), position of each answer among those of ``learn``; -1 for others.
            missing: codes for a missing answer, from ``missing_keys``.
            progress: called while texts are embedded.
        """
        status = np.array([coding_status(cell, missing) for cell in cells], dtype=object)
        n, k = len(cells), len(self.codebook.codes)
        likeness: Floats = np.full((n, k), np.nan)
        units: ObjectArray = np.full((n, k), None, dtype=object)
        reasons = units.copy()
        readable = np.flatnonzero(are_scored(status))
        fold = self._folds(readable, hand_coded)
        for start in range(0, len(readable), _BATCH):
            rows, folds = readable[start : start + _BATCH], fold[start : start + _BATCH]
            texts, positions = distinct([str(cells[row]) for row in rows.tolist()])
            scored = self._score_texts(
                texts, positions, folds, shift_progress(progress, start, len(readable))
            )
            likeness[rows], units[rows], reasons[rows], status[rows] = scored
        evidence: ObjectArray = np.full((n, k), None, dtype=object)
        for cell, described in np.ndenumerate(units):
            if described is not None:
                evidence[cell] = described[0].text
        return CodeScores(self.codebook, likeness, status, self.signature, evidence, reasons, units=units)

    def score_table(
        self, table: Table, columns: CodingColumns, *, progress: Progress | None = None
    ) -> Floats:
        """Compute the likeness (n, k) of a table's answers part by part, adapted to all of them.

        Args:
            table: the input.
            columns: the column of answers.
            progress: called while texts are embedded.
        """
        adapted = self.adapt(_cells_in(table, columns))
        return np.concatenate([
            adapted.score(cells, progress=progress).likeness for cells in _cells_in(table, columns)
        ])  # fmt: skip

    def _copy(self) -> "Coder":
        copy = Coder.__new__(Coder)
        copy.__dict__.update(self.__dict__)
        return copy

    def _folds(self, rows: Integers, hand_coded: Integers | None) -> Integers:
        """Return the fold of each row, -1 for answers from which nothing was learned."""
        if hand_coded is None or not self._learned_codes:
            return np.full(len(rows), -1, np.int64)
        position = hand_coded[rows]
        return np.where(position < 0, -1, self._fold[position])

    def _score_texts(
        self, texts: Sequence[str], positions: Integers, fold: Integers, progress: Progress | None
    ) -> tuple[Floats, ObjectArray, ObjectArray, Statuses]:
        """Score n answers with m different texts.

        Args:
            texts: the m texts.
            positions: shape (n,), number of each answer's text.
            fold: shape (n,), fold of each hand-coded answer; -1 for others.
            progress: called while texts are embedded.

        Returns:
            Likeness (n, k), the units with each code (n, k), the reasons (n, k), and the statuses (n,).
        """
        sentences = _split(texts)
        evidence = self._read(sentences, progress)
        known = self._learning_sentences(evidence, sentences.owners)
        by_fold = [model.correct(known) for model in self._learned_codes] or [known.logits]
        by_fold_mean = np.mean(by_fold, axis=0)
        versions = np.stack([*by_fold, by_fold_mean])
        versions[:, evidence.unread] = -np.inf
        versions[:, :, self._is_net] = -np.inf
        of_texts = np.maximum.reduceat(versions, sentences.first, axis=1)
        raised = np.stack([with_children(values, self.codebook) for values in of_texts])
        likeness: Floats = expit(raised[fold, positions])  # the last version is the mean of all folds
        status = _reading_status(evidence, sentences.first)[positions]
        likeness[~are_scored(status)] = np.nan
        sources = find_sources(evidence, known.logits, by_fold_mean)
        is_like = expit(raised.max(axis=0)) >= _LEAST_LIKENESS
        units, reasons = self._units(sentences, versions[-1], evidence.clauses, sources, is_like)
        units, reasons, is_unlike = units[positions], reasons[positions], ~(likeness >= _LEAST_LIKENESS)
        units[is_unlike] = reasons[is_unlike] = None
        return likeness, units, reasons, status

    def _units(
        self,
        sentences: "_Sentences",
        values: Floats,
        clauses: Integers,
        sources: Integers,
        is_like: Mask,
    ) -> tuple[ObjectArray, ObjectArray]:
        """Return the units of m texts with each code, and the reason of the first, each of shape (m, k).

        Args:
            sentences: the sentences of the texts.
            values: shape (s, k), evidence in the sentences; -inf for nets.
            clauses: shape (s, k), position of the clause that decides in each sentence.
            sources: shape (s, k), result of ``find_sources``.
            is_like: shape (m, k), mask of the codes to describe; ``None`` for others.
        """
        deciding = _deciding_codes(values, self.codebook)
        values = np.take_along_axis(values, deciding, axis=1)
        clauses, sources = (np.take_along_axis(array, deciding, axis=1) for array in (clauses, sources))
        pieces = self._pieces(sentences, values, clauses, deciding)
        shape = len(sentences.first), values.shape[1]
        units, reasons = np.full(shape, None, dtype=object), np.full(shape, None, dtype=object)
        for text, rows in enumerate(np.split(np.arange(len(values)), sentences.first[1:])):
            best = rows[values[rows].argmax(axis=0)]
            for code in np.flatnonzero(is_like[text]).tolist():
                row = best[code]
                others = rows[(values[rows, code] >= 0) & (rows != row)].tolist()
                units[text, code] = tuple(
                    pieces.get((unit, code))
                    or CodedUnit(sentences.clauses[unit][clauses[unit, code]], sentences.texts[unit])
                    for unit in (row, *others)
                )
                reasons[text, code] = self._reasons.name(
                    sources[row, code], deciding[row, code], units[text, code][0].text
                )
        return units, reasons

    def _pieces(
        self, sentences: "_Sentences", values: Floats, clauses: Integers, deciding: Integers
    ) -> dict[tuple[int, int], CodedUnit]:
        """Split clauses without punctuation that have several codes, by sentence and code.

        Such a piece is rated without its sentence, as nothing else separates it from the other topics.
        """
        pieces: dict[tuple[int, int], CodedUnit] = {}
        for row in np.flatnonzero((values >= 0).sum(axis=1) > 1).tolist():
            if has_punctuation(sentences.texts[row]):
                continue
            codes = np.flatnonzero(values[row] >= 0)
            for clause in np.unique(clauses[row, codes]).tolist():
                of_clause = codes[clauses[row, codes] == clause]
                topics = np.unique(deciding[row, of_clause]).tolist()
                split = self._reader.split(sentences.clauses[row][clause], topics)
                for code in of_clause.tolist():
                    if (piece := split.get(deciding[row, code])) is not None:
                        pieces[row, code] = CodedUnit(piece, piece)
        return pieces

    def _read(self, sentences: "_Sentences", progress: Progress | None) -> SentenceEvidence:
        return self._reader.read(sentences.texts, sentences.clauses, progress)

    def _adapt_evidence(self, evidence: SentenceEvidence) -> Floats:
        if not self._corpus:
            return evidence.logits
        if self._corpus_model is None:
            corpus = self._read_corpus()
            self._corpus_model = CorpusModel.fit(corpus.vectors, corpus.logits)
        return self._corpus_model.adapt(evidence.vectors, evidence.logits)

    def _read_corpus(self) -> SentenceEvidence:
        """Return the evidence in the sentences of the corpus that the model can read."""
        if self._corpus_evidence is None:
            corpus = self._reader.read(list(self._corpus), list(self._corpus.values()))
            self._corpus_evidence = corpus.some(~corpus.unread)
        return self._corpus_evidence

    def _learning_sentences(self, evidence: SentenceEvidence, owners: Integers) -> LearningSentences:
        """Return the sentences as hand codes teach about them: by each kind of evidence, and its sum."""
        adapted = self._adapt_evidence(evidence)
        features = np.concatenate([evidence.features, adapted[:, :, None]], axis=2)
        return LearningSentences(owners, adapted, features, evidence.vectors)


def _reading_status(evidence: SentenceEvidence, first: Integers) -> Statuses:
    """Return the status of m texts, shape (m,): scored if the model reads one of the sentences.

    Args:
        evidence: that of all sentences.
        first: shape (m,), number of each text's first sentence.
    """
    status: Statuses = np.full(len(first), Status.SCORED, dtype=object)
    status[np.logical_and.reduceat(evidence.unread, first)] = Status.WEIGHTLESS
    is_foreign = np.logical_or.reduceat(evidence.foreign, first)
    status[is_foreign & ~are_scored(status)] = Status.OTHER_LANGUAGE
    return status


@dataclass(frozen=True)
class _Sentences:
    """Sentences of several texts.

    Attributes:
        texts: the m sentences.
        clauses: the clauses of each sentence.
        owners: shape (m,), number of each sentence's text.
        first: number of the first sentence of each text.
    """

    texts: list[str]
    clauses: list[tuple[str, ...]]
    owners: Integers
    first: Integers


def _split(texts: Sequence[str]) -> _Sentences:
    sentences: list[str] = []
    clauses: list[tuple[str, ...]] = []
    counts: list[int] = []
    for text in texts:
        units = sentences_in(text)
        counts.append(len(units))
        sentences += [unit.text(text) for unit in units]
        clauses += [tuple(clause.text(text) for clause in unit.clauses) for unit in units]
    owners = np.repeat(np.arange(len(texts)), counts)
    return _Sentences(sentences, clauses, owners, np.cumsum([0, *counts])[:-1])


def _sentence_sample(answers: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the clauses of a sample of different sentences of some answers."""
    sentences = _split(answers)
    clauses = dict(zip(sentences.texts, sentences.clauses, strict=True))
    sample = _Sample(CORPUS)
    sample.add(clauses)
    return {sentence: clauses[sentence] for sentence in sample.texts()}


class _Sample:
    """Different texts with the smallest hashes, whatever their order.

    Args:
        most: largest number of texts.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._hashes: dict[str, str] = {}

    def add(self, texts: Iterable[str]) -> None:
        """Add texts, of which those with the largest hashes may be left out again."""
        for text in texts:
            if text not in self._hashes:
                self._hashes[text] = _hash(text)
        if len(self._hashes) > 2 * self._most:
            self._hashes = {text: self._hashes[text] for text in self.texts()}

    def texts(self) -> list[str]:
        """Return the texts, in the order of their hashes."""
        return sorted(self._hashes, key=lambda text: (self._hashes[text], text))[: self._most]


def _hash(*texts: str) -> str:
    """Return 8 hex digits that depend on all texts."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(f"{len(text)}:{text}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:8]


def _cells_in(table: Table, columns: CodingColumns) -> Iterator[list[Any]]:
    for batch in table.batches_with([columns.text], _TABLE_BATCH):
        yield columns.cells_in(batch, columns.text).to_list()


def with_children(values: Floats, codebook: Codebook) -> Floats:
    """Raise each code's value to at least that of every code below it, shape (n, k); NaN is ignored.

    Args:
        values: shape (n, k), NaN where not known.
        codebook: k codes.
    """
    return np.take_along_axis(values, _deciding_codes(values, codebook), axis=1)


def _deciding_codes(values: Floats, codebook: Codebook) -> Integers:
    """Return the position of the code with the greatest value of each code and those below it, shape (n, k).

    Args:
        values: shape (n, k), NaN where not known; the code itself decides if all are NaN or equal.
        codebook: k codes.
    """
    ranks = np.where(np.isnan(values), -np.inf, values)
    above = [codebook.ancestors(name) for name in codebook.names]
    deciding = np.tile(np.arange(values.shape[1]), (len(values), 1))
    for net in codebook.nets:
        top = codebook.names.index(net)
        family = np.array([top, *(code for code, names in enumerate(above) if net in names)])
        deciding[:, top] = family[ranks[:, family].argmax(axis=1)]
    return deciding


def coding_status(cell: object, missing: Set[str] = frozenset()) -> Status:
    """Return the status of a cell with an answer; a text without a visible character is empty.

    Args:
        cell: any value.
        missing: codes for a missing answer, from ``missing_keys``.

    Examples:
        >>> [str(coding_status(cell, {"n/a"})) for cell in ("good", "N/A", chr(0x200B), "?!", None)]
        ['scored', 'missing', 'empty', 'uninformative', 'missing']
    """
    status = answer_status(cell, missing)
    is_blank = status is Status.UNINFORMATIVE and not code_key(str(cell))
    return Status.EMPTY if is_blank else status
