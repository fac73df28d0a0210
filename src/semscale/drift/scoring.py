"""Scores of pairs of outputs: each text is read once, and its token states give all similarities."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property, partial
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from semscale.drift.metrics import PairScores
from semscale.embedding.cache import Rounded, StateCache, StateReader
from semscale.embedding.cache_file import EntryStore
from semscale.embedding.cross_encoder import pair_keys
from semscale.guards.findings import Finding, Span
from semscale.guards.number_guard import figure_findings
from semscale.guards.registry import Guards, Mode
from semscale.guards.text import is_english_script
from semscale.input_files import read_input
from semscale.matching.calibrated import (
    FEWEST_FOR_FLOORS,
    LAYERS,
    LAYERS_OF_WORDS,
    UNRELATED_PAIRS,
    CalibratedWeights,
    above_floor,
    combine,
    estimate_floors,
    layer_similarities,
    penalty_of,
)
from semscale.matching.cosines import best_cosines, unit_rows
from semscale.matching.pairs import are_across, draw_unrelated_pairs, guards_read
from semscale.matching.token_scores import cosine_matrix, greedy_scores
from semscale.matching.words import (
    TokenizedTexts,
    WordLayers,
    WordVectorizer,
    WordVectors,
    WordWeights,
    compare_words,
)
from semscale.results.languages import language_of
from semscale.types import Floats, Integers, Mask, Vectors

if TYPE_CHECKING:
    from semscale.embedding.token_states import TokenEncoder
    from semscale.matching.token_scores import TokenWeights

Reading = tuple[Rounded, ...]
"""States of one text's tokens after each requested layer, each of shape (t, hidden)."""


class TextReadings:
    """Reads texts at one or two layers.

    Args:
        encoder: the model.
        layers: the requested layers, ascending.
        texts: distinct texts.
        cache: cache of states; ``None`` for no cache.
        keep: number of texts, from the first, that are cached.
    """

    def __init__(
        self,
        encoder: "TokenEncoder",
        layers: Sequence[int],
        texts: Sequence[str],
        *,
        cache: StateCache | None,
        keep: int,
    ) -> None:
        self._hidden = encoder.hidden
        self._reader = encoder.reader
        self._readers = [StateReader(encoder, layer, cache) for layer in layers]
        self._keep = keep
        self._held: dict[int, Reading] = {}
        self.texts = texts
        self.spelled = TokenizedTexts(texts, encoder, words=False)

    @property
    def token_bytes(self) -> int:
        """Size of one token's states in bytes."""
        return 2 * self._hidden * len(self._readers)

    @property
    def lengths(self) -> Integers:
        """Number of tokens in each text, shape (texts,)."""
        return self.spelled.tokens.lengths

    @cached_property
    def unread(self) -> Mask:
        """Mask of the texts that the model cannot read, shape (texts,)."""
        return self._reader.unread(self.spelled.tokens)

    def hold(self, wanted: Integers) -> dict[int, Reading]:
        """Return the readings of a few texts, and keep them in memory for later calls of ``read``."""
        self._held = dict(self.read([wanted]))
        return self._held

    def forget(self, texts: Sequence[int]) -> None:
        """Release held readings of unneeded texts, and words of all texts except the cached ones."""
        for text in texts:
            self._held.pop(text, None)
        self.spelled.forget(text for text in texts if text >= self._keep)

    def read(self, groups: Sequence[Integers]) -> Iterator[tuple[int, Reading]]:
        """Yield the readings of groups of texts, one group after the other.

        Args:
            groups: indices of texts, each once in a group.
        """
        held = np.array(sorted(self._held), np.int64)
        unread = [np.setdiff1d(group, held) for group in groups]
        *lower, last = (partial(self._states, reader) for reader in self._readers)
        # Only one model runs at a time: if two layers are read, each waits for the other after every group.
        above = chain.from_iterable(last([rest]) for rest in unread) if lower else last(unread)
        for group, rest in zip(groups, unread, strict=True):
            yield from ((text, self._held[text]) for text in np.intersect1d(group, held).tolist())
            below = [dict(states([rest])) for states in lower]
            for text, states in islice(above, len(rest)):
                yield text, (*(each.pop(text) for each in below), states)

    def _states(self, reader: StateReader, groups: Sequence[Integers]) -> Iterator[tuple[int, Rounded]]:
        return reader.read_groups(self.spelled.tokens, self.texts, groups, keep=self._keep)


_SCORES = ("match", "bertscore_f1", "cosine", "recall", "precision")
_TOGETHER = 16  # unrelated pairs that are compared together


@dataclass(frozen=True)
class _ReadyText:
    """Vectors and weights of one text, prepared for comparison."""

    words: WordVectors
    tokens: Vectors
    weights: Floats


class PairScoring:
    """Scores pairs of texts; a pair's scores depend only on its texts, the corpus and the arguments.

    Args:
        read: reads the texts; its first layer is BERTScore's, its last layer the model's last.
        layers: comparison of words.
        token_weights: weights of tokens in BERTScore.
        guards: the guards with their modes.
        calibration: weights of the calibrated match.
        languages: ISO 639-1 codes of the languages that the model reads; empty if unknown.
    """

    def __init__(
        self,
        read: TextReadings,
        layers: WordLayers,
        *,
        token_weights: "TokenWeights",
        guards: Guards,
        calibration: CalibratedWeights,
        languages: frozenset[str] = frozenset(),
    ) -> None:
        self._read = read
        self._token_weights = token_weights
        self._guards = guards
        self._calibration = calibration
        self._languages = languages
        self._layers = layers
        self._words = self._over([])
        self.floors: Mapping[str, float] = calibration.floors

    def learn(self, corpus: Integers, seed: int) -> None:
        """Estimate word weights and the floors of layers from a corpus.

        Args:
            corpus: indices of the corpus's texts.
            seed: seed for the choice of unrelated pairs.
        """
        spelled = self._read.spelled
        spelled.spell(corpus.tolist())
        self._words = self._over([spelled.words_of(text) for text in corpus.tolist()])
        known = corpus[~self._read.unread[corpus]]  # unread texts are all alike to the model
        if len(known) < FEWEST_FOR_FLOORS:
            return
        texts = [self._read.texts[text] for text in known]
        drawn = known[draw_unrelated_pairs(texts, UNRELATED_PAIRS, seed)]
        readings = self._read.hold(np.unique(drawn))
        compared = []
        for start in range(0, len(drawn), _TOGETHER):
            pairs = drawn[start : start + _TOGETHER]
            ready = self._ready(np.unique(pairs).tolist(), readings)
            words = [(ready[one].words, ready[other].words) for one, other in pairs.tolist()]
            compared.append(compare_words(words, cosine_matrix))
        self.floors = estimate_floors(np.concatenate(compared), self.floors)

    def score(
        self, pairs: Sequence[tuple[int, int]], cosines: Sequence[float], readings: Mapping[int, Reading]
    ) -> list[PairScores]:
        """Score pairs.

        Args:
            pairs: indices of the baseline's and the candidate's text.
            cosines: cosines of the pairs' vectors.
            readings: token states of the texts by index.
        """
        if not pairs:
            return []
        ready = self._ready(list(dict.fromkeys(text for pair in pairs for text in pair)), readings)
        sides = [(ready[candidate], ready[baseline]) for baseline, candidate in pairs]
        # Cosines are computed in single precision in small blocks: a larger product would wait for threads
        # that the engine occupies.
        compared = compare_words([(left.words, right.words) for left, right in sides], cosine_matrix)
        scored = greedy_scores(
            (best_cosines(left.tokens, right.tokens, cosine_matrix) for left, right in sides),
            [(left.weights, right.weights) for left, right in sides],
        )
        texts = [(self._read.texts[candidate], self._read.texts[baseline]) for baseline, candidate in pairs]
        guarded = [guards_read(*both) for both in texts]
        findings = [
            tuple(self._guards.check(*both)) if looked else ()
            for both, looked in zip(texts, guarded, strict=True)
        ]
        across = np.array([are_across(*both, self._languages) for both in texts])
        match = self._match(compared, findings, across)
        shares = self._shares(compared, across)
        values = np.array([match, [one.f1 for one in scored], cosines, *shares]).T
        unread = self._read.unread[np.array(pairs)]
        values[unread.any(axis=1)] = np.nan
        return [
            PairScores(dict(zip(_SCORES, own, strict=True)), (*found, *self._figures(*both)), neither, looked)
            for own, found, both, neither, looked in zip(
                values.tolist(), findings, texts, unread.all(axis=1).tolist(), guarded, strict=True
            )
        ]

    def _figures(self, prediction: str, reference: str) -> list[Finding]:
        """Compare the digits of texts that the number guard does not read; they do not affect ``match``."""
        if self._guards.modes["number"] is Mode.OFF:
            return []
        if guards_read(prediction, reference) and all(map(is_english_script, (prediction, reference))):
            return []
        languages = language_of(prediction), language_of(reference)
        return figure_findings(prediction, reference, languages=languages)

    def _match(self, compared: Floats, findings: Sequence[tuple[Finding, ...]], across: Mask) -> Floats:
        similar = layer_similarities(compared, self._calibration.recall_share)
        layers = {name: above_floor(similar[name], self.floors[name]) for name in LAYERS}
        for name in LAYERS_OF_WORDS:
            layers[name][across] = np.nan
        weighed = (self._guards.findings_to_weigh(found) for found in findings)
        penalties = (penalty_of(found, self._calibration.penalties) for found in weighed)
        return combine(layers, np.fromiter(penalties, np.float64, len(findings)), self._calibration.shares)

    def _shares(self, compared: Floats, across: Mask) -> tuple[Floats, Floats]:
        """Return the shares of each text's content in the other text: recall, then precision.

        Both are means of the word layers above their floors; for texts in two languages, of the text layer.
        """
        sides = []
        for columns in ((1, 3), (0, 2)):
            layers = {
                name: above_floor(compared[:, column], self.floors[name])
                for name, column in zip(LAYERS_OF_WORDS, columns, strict=True)
            }
            weights = [self._calibration.shares[name] for name in LAYERS_OF_WORDS]
            side = np.average(np.array(list(layers.values())), axis=0, weights=weights)
            sides.append(np.where(across, above_floor(compared[:, 4], self.floors["text"]), side))
        return sides[0], sides[1]

    def _over(self, corpus: Iterable[Iterable[str]]) -> WordVectorizer:
        weights = WordWeights.over(corpus, stop=self._calibration.stop_weight)
        return self._layers.over(self._read.spelled, weights, np.float32)

    def _ready(self, texts: Sequence[int], readings: Mapping[int, Reading]) -> dict[int, _ReadyText]:
        """Compute vectors and weights of several texts at once, which is faster and gives equal results."""
        self._read.spelled.spell(texts)
        self._words.learn(texts)
        tokens = self._read.spelled.tokens
        layers = [
            np.concatenate(states, dtype=np.float32)
            for states in zip(*(readings[text] for text in texts), strict=True)
        ]
        words = self._words.vectors(texts, layers[-1])
        units = unit_rows(layers[0], out=layers[0])
        weights = self._token_weights.of(np.concatenate([tokens.of(text) for text in texts]))
        rows = (slice(*bounds) for bounds in pairwise([0, *np.cumsum(tokens.lengths_of(texts)).tolist()]))
        return {
            text: _ReadyText(each, units[own], weights[own])
            for text, each, own in zip(texts, words, rows, strict=True)
        }


SCORES_FILE = "scores.sqlite"


class ScoreCache:
    """Cache of scores and findings of pairs of outputs; a damaged entry counts as missing.

    Args:
        folder: folder of the file ``scores.sqlite``; by default that of ``EntryStore``.
        max_bytes: size in bytes above which the least recently used entries are removed; by default that of
            ``EntryStore``.

    Examples:
        >>> import tempfile
        >>> from semscale.embedding.cross_encoder import pair_keys
        >>> good, bad = pair_keys("a meter's signature", ["a", "b"], ["c", "d"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     cache = ScoreCache(folder)
        ...     cache.put_many([good], [PairScores({"match": 0.25})])
        ...     found = cache.get_many([bad, good])
        ...     cache.close()
        >>> {row: dict(scores.scores) for row, scores in found.items()}
        {1: {'match': 0.25}}
    """

    def __init__(self, folder: str | Path | None = None, *, max_bytes: int | None = None) -> None:
        # The cache of states is used in the same commands and folder, and reports its errors.
        self._store = EntryStore(SCORES_FILE, folder, max_bytes=max_bytes, is_silent=True)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._store.close()

    def get_many(self, keys: Sequence[bytes]) -> dict[int, PairScores]:
        """Return the stored scores of pairs.

        Args:
            keys: n distinct keys, from ``pair_keys``.

        Returns:
            Stored scores by index in ``keys``.
        """
        row = {key: at for at, key in enumerate(keys)}
        return {row[key]: _decode(body) for entries in self._store.read(keys) for key, body in entries}

    def put_many(self, keys: Sequence[bytes], scores: Sequence[PairScores]) -> None:
        """Store pairs atomically: all of them, or none if the process is killed.

        Args:
            keys: n distinct keys.
            scores: scores and findings of n pairs.
        """
        self._store.write(keys, [json.dumps(asdict(pair)).encode() for pair in scores])


def _decode(body: bytes) -> PairScores:
    found = json.loads(body)
    findings = tuple(map(_finding, found.pop("findings")))
    return PairScores(**found, findings=findings)


def _finding(found: dict[str, Any]) -> Finding:
    sides = {side: Span(**found[side]) if found[side] else None for side in ("prediction", "reference")}
    return Finding(**found | sides)


_AT_ONCE = 500  # pairs that are stored together


class Scoring(Protocol):
    """Protocol of an object that scores pairs of texts by their indices, like ``PairScoring``."""

    def score(
        self, pairs: Sequence[tuple[int, int]], cosines: Sequence[float], readings: Mapping[int, Reading]
    ) -> list[PairScores]:
        """Score pairs."""
        ...


class StoredScoring:
    """Scores pairs, with a cache for texts that every comparison needs.

    Args:
        scoring: scores pairs that are not stored.
        cache: cache of pairs from earlier comparisons.
        texts: distinct texts of all runs by index.
        keep: number of texts, from the first, of the baseline and its reruns; pairs of these are stored.
        signature: everything besides a pair's texts that affects scores: the settings, the baseline's corpus,
            and the scoring code.
    """

    def __init__(
        self, scoring: Scoring, cache: ScoreCache, texts: Sequence[str], *, keep: int, signature: str
    ) -> None:
        self._scoring = scoring
        self._cache = cache
        self._texts = texts
        self._keep = keep
        self._signature = signature
        self._new: dict[bytes, PairScores] = {}

    def score(
        self, pairs: Sequence[tuple[int, int]], cosines: Sequence[float], readings: Mapping[int, Reading]
    ) -> list[PairScores]:
        """Score pairs; see ``PairScoring.score``."""
        keys = self._keys([pair for pair in pairs if max(pair) < self._keep])
        stored = self._cache.get_many(list(keys.values()))
        known = {pair: stored[row] for row, pair in enumerate(keys) if row in stored}
        missing = [row for row, pair in enumerate(pairs) if pair not in known]
        fresh = [pairs[row] for row in missing]
        scored = self._scoring.score(fresh, [cosines[row] for row in missing], readings)
        known.update(zip(fresh, scored, strict=True))
        self._new.update({keys[pair]: known[pair] for pair in fresh if pair in keys})
        if len(self._new) >= _AT_ONCE:
            self.flush()
        return [known[pair] for pair in pairs]

    def flush(self) -> None:
        """Store the pairs that were scored since the last call."""
        if self._new:
            self._cache.put_many(list(self._new), list(self._new.values()))
            self._new = {}

    def _keys(self, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
        left, right = ([self._texts[pair[side]] for pair in pairs] for side in (0, 1))
        return dict(zip(pairs, pair_keys(self._signature, left, right), strict=True))


_SOURCES = (
    "drift/scoring.py",
    "guards",
    "matching/calibrated.py",
    "matching/calibrated.yaml",
    "matching/cosines.py",
    "matching/pairs.py",
    "matching/stop_words.txt",
    "matching/token_scores.py",
    "matching/words.py",
)
"""Files and folders with the rules, word lists and formulas that affect the scores of a pair."""


@cache
def scoring_files_hash() -> str:
    """Return a hash of the files that affect the scores of a pair, 16 hexadecimal digits.

    Unlike the package's version, this hash changes with each edit of a guard.

    Examples:
        >>> len(scoring_files_hash())
        16
    """
    return files_hash([Path(__file__).parents[1] / source for source in _SOURCES])


def files_hash(sources: Sequence[Path]) -> str:
    """Return a hash of names and contents of files and folders without compiled files, 16 hexadecimal digits.

    Raises:
        OSError: a file or folder does not exist.
    """
    digest = hashlib.blake2b(digest_size=8)
    for source in sources:
        files = [source] if not source.is_dir() else sorted(filter(Path.is_file, source.rglob("*")))
        for file in files:
            if file.suffix != ".pyc":
                content = read_input(file)
                digest.update(f"{file.relative_to(source.parent).as_posix()}:{len(content)}:".encode())
                digest.update(content)
    return digest.hexdigest()
