"""From cells to masses: a sample's distinct texts, their languages and vectors, and the readout of these."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from semscale.embedding.languages.other_languages import in_other_languages
from semscale.embedding.part_progress import shifted
from semscale.embedding.texts import distinct
from semscale.rating.anchors.anchor_vectors import AnchorVectors
from semscale.rating.anchors.applied_anchors import AppliedAnchors
from semscale.rating.calibration.calibration import Calibration
from semscale.rating.calibration.predictors import Predictors
from semscale.rating.cells import text_status
from semscale.rating.languages.anchor_languages import identifies
from semscale.rating.languages.text_languages import text_languages
from semscale.rating.rated_texts import RatedTexts
from semscale.rating.readouts.array_checks import Reals, as_rows
from semscale.rating.readouts.vector_ratings import VectorRatings, best_similarities
from semscale.scales import Scale
from semscale.types import Integers, Mask, ObjectArray, Progress, are_scored
from semscale.weights.model_lookup import profile_of

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder, Embeddings

AT_ONCE = 8192  # texts whose vectors are in memory at once; engines sort as many by length


class ReadTexts(NamedTuple):
    """Rated texts with their languages and vectors.

    Attributes:
        rated: n ratings.
        languages: shape (n,), ISO 639-1 codes; ``None`` where it is not clear, and where there is no text.
        vectors: shape (r, d), of the distinct texts that were read; ``None`` where they were not kept.
        place: shape (n,), the row of each text's vector; -1 where there is none.
    """

    rated: RatedTexts
    languages: ObjectArray
    vectors: Reals | None
    place: Integers


@dataclass(frozen=True)
class TextRating:
    """Rates texts and vectors by settings that were checked and an embedder that is loaded.

    Attributes:
        embedder: turns texts into vectors.
        anchors: that rate the texts of each language.
        language: as ``Rater`` takes it.
        missing: codes for missing answers, as ``code_key`` has them.
        readout: as ``readout_function`` gives it.
        calibration: fitted to ratings with these settings; ``None`` for none.
    """

    embedder: "Embedder"
    anchors: AppliedAnchors
    language: str | None
    missing: frozenset[str]
    readout: Callable[..., VectorRatings]
    calibration: Calibration | None

    @property
    def scale(self) -> Scale:
        """The scale with the anchor sets that are used."""
        return self.anchors.languages.scale

    def rate_cells(
        self, cells: Sequence[Any], progress: Progress | None, *, keep_vectors: bool = False
    ) -> ReadTexts:
        """Rate the cells of a column, of which some may be missing or no text; equal texts are read once."""
        reads_emoji = profile_of(self.embedder.signature).reads_emoji
        statuses = [text_status(cell, self.missing, reads_emoji=reads_emoji) for cell in cells]
        status = np.array(statuses, dtype=object)
        readable = np.flatnonzero(are_scored(status))
        unique, place = distinct([str(cells[row]) for row in readable.tolist()])
        read = self._rate_texts(unique, progress, keep_vectors=keep_vectors)
        languages = np.full(len(cells), None, dtype=object)
        languages[readable] = read.languages[place]
        vector = np.full(len(cells), -1)
        vector[readable] = read.place[place]
        return ReadTexts(read.rated.in_rows(status, readable, place), languages, read.vectors, vector)

    def rate_vectors(self, vectors: Reals) -> RatedTexts:
        """Rate vectors, shape (n, d), with the scale's own anchors."""
        n = len(vectors)
        rated = self._unrated(n)
        if n:
            windows, unread = np.ones(n, dtype=np.int64), np.zeros(n, np.bool_)
            self._put(rated, np.arange(n), vectors, windows=windows, unread=unread, anchors=self.anchors.own)
        return rated

    def _unrated(self, n: int) -> RatedTexts:
        n_refits = 0 if self.calibration is None else len(self.calibration.refits)
        return RatedTexts.unrated(n, self.scale, n_refits)

    def _rate_texts(self, texts: list[str], progress: Progress | None, *, keep_vectors: bool) -> ReadTexts:
        """Identify the languages of distinct texts, and rate those that the model reads, some at a time."""
        rated = self._unrated(len(texts))
        if self.calibration is not None:
            rated.seen[:] = self.calibration.saw(texts)
        said = None if identifies(self.language) else self.language
        languages, others = text_languages(texts, said), np.zeros(len(texts), np.bool_)
        if texts and identifies(self.language):
            others = in_other_languages(texts, languages, self.embedder.signature)
        read, place = np.flatnonzero(~others), np.full(len(texts), -1)
        place[read] = np.arange(len(read))
        kept = []
        for start in range(0, len(read), AT_ONCE):
            rows = read[start : start + AT_ONCE]
            told = shifted(progress, start, len(read))
            embedded = self.embedder.embed([texts[row] for row in rows.tolist()], progress=told)
            self._put_embedded(rated, rows, languages[rows], embedded)
            if keep_vectors:
                kept.append(embedded.vectors)
        return ReadTexts(rated, languages, _joined(kept) if keep_vectors else None, place)

    def _put_embedded(
        self, rated: RatedTexts, rows: Integers, languages: ObjectArray, embedded: "Embeddings"
    ) -> None:
        """Rate some embedded texts, each by the anchors of its language."""
        for anchors, members in self.anchors.by_language(languages):
            self._put(
                rated,
                rows[members],
                embedded.vectors[members],
                windows=embedded.windows[members],
                unread=embedded.unread[members],
                anchors=anchors,
            )

    def _put(  # noqa: PLR0913 - columns of the rows
        self,
        rated: RatedTexts,
        rows: Integers,
        vectors: npt.ArrayLike,
        *,
        windows: Integers,
        unread: Mask,
        anchors: AnchorVectors,
    ) -> None:
        """Rate vectors of some rows by their anchors, and put the ratings there."""
        ratings = self.readout(vectors, anchors.vectors, values=self.scale.values)
        if self.calibration is not None:
            given = as_rows(vectors)
            predictors = Predictors(given, ratings.pmf, self.scale.values, self.anchors.axis)
            ratings = replace(ratings, pmf=self.calibration.pmf(predictors))
            rated.unlike[rows] = self.calibration.unlike(given)
            rated.refits[rows] = self.calibration.refit_pmf(predictors)
        ratings = ratings.under_sets(list(anchors.scale.anchor_sets), list(self.scale.anchor_sets))
        if anchors is not self.anchors.topic:
            on_topic = best_similarities(vectors, self.anchors.topic.vectors)
            ratings = replace(ratings, best_similarity=on_topic)
        rated.put(rows, ratings, windows=windows, unread=unread, floor=self.anchors.topic.floor)


def _joined(parts: Sequence[Reals]) -> Reals:
    return np.concatenate(parts) if parts else np.empty((0, 0))
