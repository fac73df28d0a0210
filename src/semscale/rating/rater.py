"""The rater: rates texts on a scale by their similarity with the scale's anchors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
import numpy.typing as npt

from semscale.embedding.loading import as_embedder, validate_embedder
from semscale.embedding.texts import answer_status, distinct, shift_progress
from semscale.errors import InputError
from semscale.rating.anchors import (
    AnchorLanguages,
    AnchorVectors,
    AppliedAnchors,
    check_reads,
    identifies,
    text_languages,
)
from semscale.rating.aspects import AspectReader
from semscale.rating.calibration import as_calibration
from semscale.rating.gaussian_process import Predictors
from semscale.rating.ratings import Ratings
from semscale.rating.readouts import (
    READOUTS,
    Reals,
    VectorRatings,
    as_rows,
    best_similarities,
    sum_in_order,
)
from semscale.rating.settings import DEFAULT_READOUT, UNRELATED, RaterKeywords, RaterSettings
from semscale.results.languages import in_other_languages, load_identifier
from semscale.scales import Scale, load_scale
from semscale.settings import takes
from semscale.signature import Signature
from semscale.stats.intervals import check_interval, check_seed
from semscale.store.columns import as_list
from semscale.store.missing_codes import count_codes, missing_keys, write_codes
from semscale.text_preparation import TextPreparation
from semscale.types import Floats, Integers, Mask, ObjectArray, Progress, Refits, Status, Statuses, are_scored
from semscale.weights.known import DEFAULT_RATING_MODEL, find_known, model_name, profile_of

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder, Embeddings
    from semscale.rating.calibration import CalibrationSummary

AT_ONCE = 8192  # texts whose vectors are in memory at once; engines sort blocks of this size by length


@takes(RaterSettings)
def rate(
    texts: object, scale: str | Path | Scale = "purchase-intent", **settings: Unpack[RaterKeywords]
) -> Ratings:
    """Rate texts on a scale, in one call.

    Args:
        texts: a list, a NumPy array, or a polars, pandas or Arrow series.
        scale: a scale, the name of one that ships with Semscale, or a YAML file; by default
            ``purchase-intent``, the scale of the method's paper.
        settings: fields of ``RaterSettings``.

    Returns:
        Ratings in the order of the texts.

    Warns:
        TextWarning: texts have reasoning of a model or HTML, which the settings keep.

    Raises:
        InputError: as ``Rater`` and ``Rater.rate``.
    """
    rater = Rater(scale, **settings)
    preparation = TextPreparation.from_settings(rater.settings)
    return rater.rate_prepared(preparation.prepare_and_warn(as_list(texts, "texts")))


class Rater:
    """Rates texts on a scale by their cosines with the scale's anchors.

    Args:
        scale: a scale, the name of one that ships with Semscale, or a YAML file.
        settings: fields of ``RaterSettings``. ``language`` chooses the anchors: ``None`` for the scale's own,
            ``auto`` for those of each text's language where the scale has some, or an ISO 639-1 code for all
            texts. With a code, the languages of the texts are not identified.

    Raises:
        InputError: an unknown scale, anchor set or language, a setting out of range, a semantics that does
            not belong to the readout, a file that is not a calibration, or a calibration for other settings.

    References:
        Maier et al. (2025), arXiv 2510.08338; McCullagh (1980), An et al. (2018) for ``ordinal``.
    """

    @takes(RaterSettings)
    def __init__(self, scale: str | Path | Scale, **settings: Unpack[RaterKeywords]) -> None:
        self.settings = RaterSettings(**settings)
        loaded, sets = load_scale(scale), self.settings.anchor_sets
        chosen = loaded if sets is None else loaded.with_sets(sets)
        self.language: str | None = self.settings.language
        self.missing = missing_keys(self.settings.missing)
        self._applied = AppliedAnchors(chosen, self.language, lambda: self.embedder, self.settings.floor)
        self._load_embedder = _embedder_loader(self.settings.embedder)
        self.calibration = as_calibration(self.settings.calibration)
        if self.calibration is not None:
            self.calibration.check_settings(self._settings_before_loading(chosen))

    @classmethod
    def from_settings(cls, scale: str | Path | Scale, settings: RaterSettings) -> Self:
        """Build a rater from settings that were checked already."""
        return cls(scale, **dict(settings))

    @cached_property
    def embedder(self) -> "Embedder":
        """The embedder; loaded on first use, together with the identifier of languages."""
        if identifies(self.language):
            load_identifier()
        embedder = self._load_embedder()
        if not identifies(self.language):
            check_reads(embedder.signature, str(self.language))
        return embedder

    def _settings_before_loading(self, scale: Scale) -> dict[str, str]:
        """Return the fields of the signature that are known before a model is loaded."""
        fields = {}
        if (model := self._model_before_loading()) is not None:
            fields["model"] = model
        if self.language is None:
            fields["anchor_language"] = scale.language
        # The model may choose the anchor sets, on which the hash depends.
        is_final = self.language is None and not scale.sets_by_model
        fields["scale"] = f"{scale.name}#{scale.content_hash}" if is_final else scale.name
        signed = Signature.of(
            "rate", readout=self.settings.applied_readout, **self.settings.signature_fields()
        )
        return fields | dict(signed.fields)

    def _model_before_loading(self) -> str | None:
        """Return the model of a loaded embedder, or the known model to be loaded; ``None`` if unknown."""
        embedder = self.settings.embedder
        if hasattr(embedder, "embed"):
            return dict(embedder.signature.fields).get("model")
        if callable(embedder) or self.calibration is None:
            return None
        known = find_known(str(DEFAULT_RATING_MODEL if embedder is None else embedder))
        fitted = model_name(self.calibration.ratings).partition("@")[0]
        return None if known is None or fitted in known.names else known.name

    @property
    def anchor_languages(self) -> AnchorLanguages:
        """Anchors in use, by language."""
        return self._applied.languages

    @property
    def own_anchors(self) -> tuple[str, ...]:
        """Languages whose texts are rated with anchors in that language."""
        return self.anchor_languages.translations

    @property
    def scale(self) -> Scale:
        """The scale with the anchor sets that are used."""
        return self.anchor_languages.scale

    @property
    def anchors(self) -> Floats:
        """Vectors of the anchors, shape (s, k, d)."""
        return self._applied.main.vectors

    @property
    def floor(self) -> float | None:
        """As in ``Ratings.floor``; estimated on first use."""
        return self._applied.topic.floor

    @property
    def applied_floor(self) -> str | float | None:
        """The floor as a setting, with the estimate instead of ``auto``."""
        return f"{UNRELATED}{self.floor:+g}" if isinstance(self.settings.floor, str) else self.floor

    @cached_property
    def signature(self) -> Signature:
        """Signature of the settings: the scale with its content hash, all settings, and the embedder."""
        codes = {"missing": write_codes(self.missing)} if self.missing else {}
        applied = Signature.of(
            "rate",
            scale=f"{self.scale.name}#{self.scale.content_hash}",
            anchor_sets="+".join(self.scale.anchor_sets),
            readout=self.settings.applied_readout,
            **self.settings.signature_fields(),
            floor=self.applied_floor,
            **codes,
            **self.anchor_languages.settings(),
        ).plus(self.embedder.signature)
        if self.calibration is None:
            return applied
        self.calibration.check(applied, self.scale.language)
        return applied.plus(Signature.of("calibrate", calibration=self.calibration.name))

    def rate(self, texts: object, *, progress: Progress | None = None) -> Ratings:
        """Rate texts in their order; equal texts are embedded once.

        Args:
            texts: shape (n,): a list, a NumPy array, or a polars, pandas or Arrow series. These have a status
                and no rating: null and codes of ``missing`` (``missing``), other types than strings
                (``not-text``), white space (``empty``), texts without a letter, a digit or an emoji that the
                model reads (``uninformative``), texts in a language that the model does not read
                (``other-language``), texts that it cannot read (``weightless``), and those that resemble no
                anchor (``off-topic``), or with none of their parts about the scale's aspect (``not-about``).
            progress: called while texts are embedded.

        Raises:
            InputError: not a list of cells, or ``paper`` semantics has no value for a text.
            ModelError: the model cannot be run.
        """
        preparation = TextPreparation.from_settings(self.settings)
        return self.rate_prepared(preparation.prepare(as_list(texts, "texts")), progress=progress)

    def rate_prepared(self, texts: Sequence[Any], *, progress: Progress | None = None) -> Ratings:
        """Rate texts as they are, with the HTML and reasoning in them; otherwise as ``rate``."""
        return self._rate_cells(texts, progress)[0]

    def rate_vectors(self, vectors: npt.ArrayLike) -> Ratings:
        """Rate the caller's vectors from the model of this rater's embedder.

        Args:
            vectors: shape (n, d), of length 1e-15 to 1e15.

        Raises:
            InputError: the wrong width, or rows (named) with NaN or a length outside 1e-15 to 1e15.
        """
        rows = as_rows(vectors)
        n = len(rows)
        self._check_calibration()
        rated = self._empty_ratings(n)
        if n:
            windows, unread = np.ones(n, dtype=np.int64), np.zeros(n, np.bool_)
            self._put(rated, np.arange(n), rows, windows=windows, unread=unread, anchors=self._applied.main)
        return self._ratings(rated, np.full(n, None, dtype=object))

    def calibrate(  # noqa: PLR0913 - labels, how they are used, and who hears of it
        self,
        texts: object,
        ratings: object,
        *,
        by: object = None,
        human_range: tuple[float, float] | None = None,
        interval: float = 0.95,
        seed: int = 0,
        source: str = "texts in memory",
        progress: Progress | None = None,
    ) -> "CalibrationSummary":
        """Fit a calibration to texts that people rated, to rate similar texts more as people do.

        Args:
            texts: shape (n,), as for ``rate``.
            ratings: shape (n,): for each text a number, a list of numbers (one per person), or missing; texts
                without one are ignored. Prefer lists to means, as they show how people differ.
            by: shape (n,), names of groups, such as surveys or products; the error is then measured on
                left-out groups, so that it is valid for texts of a new group. Rows without a name form one
                group.
            human_range: lowest and highest value that people could give; the scale's own by default.
            interval: nominal coverage of the intervals, between 0 and 1.
            seed: seed of folds, draws and intervals.
            source: source of the texts, such as the name of a file.
            progress: called while texts are embedded.

        Returns:
            The calibration, to save or to pass to another rater, and its quality on other texts.

        Raises:
            InputError: this rater has a calibration, labels outside the scale, fewer than 10 labelled texts
                with a rating, or fewer than two different labels.
        """
        from threadpoolctl import threadpool_limits

        from semscale.rating.fitting import collect_labelled_texts, fit_calibration

        if self.calibration is not None:
            raise InputError("calibrate needs a rater without a calibration: make one without calibration=")
        check_interval(interval)
        check_seed(seed)
        cells = TextPreparation.from_settings(self.settings).prepare(as_list(texts, "texts"))
        labelled = collect_labelled_texts(cells, ratings, by=by, human_range=human_range, source=source)
        rated, vectors = self._rate_cells(labelled.texts, progress, with_vectors=True)
        predictors = Predictors(vectors, rated.pmf[rated.scored], self.scale.values)
        # Several threads of BLAS spend most of the processor time waiting, as the matrices are small.
        with threadpool_limits(1, user_api="blas"):
            return fit_calibration(
                labelled.with_ratings(rated.status),
                predictors,
                self.scale,
                ratings=self.signature,
                interval=interval,
                seed=seed,
            )

    def _check_calibration(self) -> None:
        """Check that the calibration was fitted to ratings with these settings."""
        if self.calibration is not None:
            _ = self.signature

    def _ratings(self, rated: "_RatedTexts", languages: ObjectArray) -> Ratings:
        """Create the result from columns; those of a calibration are for texts with a rating only."""
        columns = vars(rated)
        if self.calibration is None:
            columns = {**columns, "unfamiliar": None, "in_calibration": None, "refits": None}
        else:
            scored = are_scored(rated.status)
            refits = np.where(scored[:, None, None], rated.refits, np.float32(np.nan))
            columns = {
                **columns,
                "unfamiliar": rated.unfamiliar & scored,
                "in_calibration": rated.in_calibration & scored,
                "refits": refits if refits.shape[1] else None,
            }
        return Ratings(
            scale=self.scale,
            **columns,
            language=languages,
            signature=self.signature,
            floor=self.floor,
            own_anchors=self.own_anchors,
            calibration=self.calibration,
        )

    def _rate_cells(
        self, cells: Sequence[Any], progress: Progress | None, *, with_vectors: bool = False
    ) -> tuple[Ratings, Reals]:
        """Rate the cells of a column, some of which may be missing or not text; equal texts are read once.

        Returns:
            Ratings of the n cells, and vectors, shape (r, d), of those with a rating; no vectors unless
            requested.
        """
        embedder = self.embedder
        self._check_calibration()
        reads_emoji = profile_of(embedder.signature).reads_emoji
        statuses = [answer_status(cell, self.missing, reads_emoji=reads_emoji) for cell in cells]
        status = np.array(statuses, dtype=object)
        readable = np.flatnonzero(are_scored(status))
        texts, number = distinct([str(cells[row]) for row in readable.tolist()])
        rated = self._empty_ratings(len(texts))
        if self.calibration is not None:
            rated.in_calibration[:] = self.calibration.contains(texts)
        languages, is_read = self._languages(texts)
        vectors = self._rate_texts(rated, texts, languages, is_read, progress, with_vectors=with_vectors)
        row_languages = np.full(len(cells), None, dtype=object)
        row_languages[readable] = languages[number]
        ratings = self._ratings(rated.in_rows(status, readable, number), row_languages)
        scored = np.flatnonzero(ratings.scored).tolist()
        ratings = replace(ratings, possible_codes=count_codes(str(cells[row]) for row in scored))
        if not with_vectors:
            return ratings, vectors
        vector_row = np.full(len(cells), -1)
        vector_row[readable] = (np.cumsum(is_read) - 1)[number]
        return ratings, vectors[vector_row[scored]]

    def _languages(self, texts: Sequence[str]) -> tuple[ObjectArray, Mask]:
        """Identify the languages of texts (m,), and mark those that the model reads."""
        if not identifies(self.language):
            return text_languages(texts, self.language), np.ones(len(texts), np.bool_)
        languages = text_languages(texts)
        if not texts:
            return languages, np.ones(0, np.bool_)
        return languages, ~in_other_languages(texts, languages, self.embedder.signature)

    def _rate_texts(  # noqa: PLR0913 - columns of the texts
        self,
        rated: "_RatedTexts",
        texts: Sequence[str],
        languages: ObjectArray,
        is_read: Mask,
        progress: Progress | None,
        *,
        with_vectors: bool,
    ) -> Reals:
        """Embed the distinct texts that the model reads, in blocks, and rate them.

        Returns:
            Their vectors, shape (r, d); none unless requested.
        """
        read = np.flatnonzero(is_read)
        vectors: list[Reals] = []
        for start in range(0, len(read), AT_ONCE):
            rows = read[start : start + AT_ONCE]
            some = [texts[row] for row in rows.tolist()]
            embedded, is_about = self._read(some, shift_progress(progress, start, len(read)))
            for anchors, members in self._applied.by_language(languages[rows]):
                self._put(
                    rated,
                    rows[members],
                    embedded.vectors[members],
                    windows=embedded.windows[members],
                    unread=embedded.unread[members],
                    anchors=anchors,
                )
            rated.leave_out(rows[~is_about])
            if with_vectors:
                vectors.append(embedded.vectors)
        return np.concatenate(vectors) if vectors else np.empty((0, 0))

    @cached_property
    def _aspect(self) -> AspectReader | None:
        scale = self.anchor_languages.untranslated
        return None if scale.aspect is None else AspectReader(scale.aspect, scale.language, self.embedder)

    def _read(self, texts: Sequence[str], progress: Progress | None) -> "tuple[Embeddings, Mask]":
        """Embed texts, and mark those about the scale's aspect; all texts without an aspect."""
        if self._aspect is None:
            return self.embedder.embed(texts, progress=progress), np.ones(len(texts), np.bool_)
        return self._aspect.read(texts, progress)

    def _empty_ratings(self, m: int) -> "_RatedTexts":
        n_refits = 0 if self.calibration is None else len(self.calibration.fitted.refits)
        return _RatedTexts.empty(m, self.scale, n_refits)

    def _put(  # noqa: PLR0913 - columns of the rows
        self,
        rated: "_RatedTexts",
        rows: Integers,
        vectors: npt.ArrayLike,
        *,
        windows: Integers,
        unread: Mask,
        anchors: AnchorVectors,
    ) -> None:
        """Rate vectors of some rows by their anchors, and store the ratings."""
        topic, chosen = self._applied.topic, self.settings
        semantics = {} if chosen.semantics == "safe" else {"semantics": chosen.semantics}
        ratings = READOUTS[chosen.applied_readout](
            vectors,
            anchors.vectors,
            values=self.scale.values,
            epsilon=chosen.epsilon,
            temperature=chosen.temperature,
            **semantics,
        )
        if self.calibration is not None:
            predictors = Predictors(as_rows(vectors), ratings.pmf, self.scale.values)
            ratings = replace(ratings, pmf=self.calibration.pmf(predictors))
            rated.unfamiliar[rows] = self.calibration.mark_unfamiliar(predictors.vectors)
            rated.refits[rows] = self.calibration.refit_pmf(predictors)
        # Means under sets without anchors in the language are NaN.
        sets = list(self.scale.anchor_sets)
        set_means = np.full((len(ratings.pmf), len(sets)), np.nan)
        set_means[:, [sets.index(name) for name in anchors.scale.anchor_sets]] = ratings.set_means
        ratings = replace(ratings, set_means=set_means)
        if anchors is not topic:
            ratings = replace(ratings, best_similarity=best_similarities(vectors, topic.vectors))
        off_topic = topic.off_topic(vectors, ratings.best_similarity) & ~unread
        sentiment = self._sentiment(vectors)
        rated.put(rows, ratings, windows=windows, unread=unread, off_topic=off_topic, sentiment=sentiment)

    def _sentiment(self, vectors: npt.ArrayLike) -> Floats:
        """Means of vectors on the shipped scale ``quality``, shape (n,); NaN if the rater has that scale."""
        anchors = self._applied.sentiment
        if anchors is None:
            return np.full(len(as_rows(vectors)), np.nan)
        pmf = READOUTS[DEFAULT_READOUT](vectors, anchors.vectors).pmf
        return sum_in_order(pmf.T * anchors.scale.values[:, None])


@dataclass(frozen=True)
class _RatedTexts:
    """Ratings of m distinct texts; arrays are filled group by group.

    Attributes:
        pmf: shape (m, k), NaN without a rating.
        set_means: shape (m, s), NaN without a rating.
        similarity: shape (m,), cosine with the most similar anchor; NaN without a vector.
        sentiment: shape (m,), as in ``Ratings``.
        windows: shape (m,), number of windows of a text; 0 if it was not read.
        status: shape (m,), reason why a text has a rating or none.
        unfamiliar: shape (m,), mask of texts unlike those that a calibration was fitted to; all false without
            one.
        in_calibration: shape (m,), mask of texts that a calibration was fitted to; all false without one.
        refits: shape (m, b, k), masses under each refit of a calibration, NaN without a rating; b is 0
            without a calibration.
    """

    pmf: Floats
    set_means: Floats
    similarity: Floats
    sentiment: Floats
    windows: Integers
    status: Statuses
    unfamiliar: Mask
    in_calibration: Mask
    refits: Refits

    @classmethod
    def empty(cls, m: int, scale: Scale, n_refits: int) -> Self:
        """Create ratings of texts that are not read yet."""
        return cls(
            pmf=np.full((m, scale.n_points), np.nan),
            set_means=np.full((m, len(scale.anchor_sets)), np.nan),
            similarity=np.full(m, np.nan),
            sentiment=np.full(m, np.nan),
            windows=np.zeros(m, dtype=np.int64),
            status=np.full(m, Status.OTHER_LANGUAGE, dtype=object),
            unfamiliar=np.zeros(m, dtype=np.bool_),
            in_calibration=np.zeros(m, dtype=np.bool_),
            refits=np.full((m, n_refits, scale.n_points), np.nan, dtype=np.float32),
        )

    def put(  # noqa: PLR0913 - columns of the texts
        self,
        rows: Integers,
        ratings: VectorRatings,
        *,
        windows: Integers,
        unread: Mask,
        off_topic: Mask,
        sentiment: Floats,
    ) -> None:
        """Store the ratings of some texts.

        Args:
            rows: shape (r,), indices of the texts.
            ratings: ratings of the r texts.
            windows: shape (r,), number of windows of each.
            unread: shape (r,), mask of texts that the model cannot read.
            off_topic: shape (r,), mask of texts that resemble no anchor.
            sentiment: shape (r,), means on the scale ``quality``.
        """
        self.windows[rows] = windows
        self.similarity[rows] = np.where(unread, np.nan, ratings.best_similarity)
        self.status[rows] = Status.SCORED
        self.status[rows[unread]] = Status.WEIGHTLESS
        self.status[rows[off_topic]] = Status.OFF_TOPIC
        scored = ~(unread | off_topic)
        self.pmf[rows[scored]] = ratings.pmf[scored]
        self.set_means[rows[scored]] = ratings.set_means[scored]
        self.sentiment[rows[scored]] = sentiment[scored]

    def leave_out(self, rows: Integers) -> None:
        """Remove the ratings of texts that are not about the aspect."""
        rows = rows[are_scored(self.status[rows])]
        self.status[rows] = Status.NOT_ABOUT
        for column in (self.pmf, self.set_means, self.sentiment):
            column[rows] = np.nan

    def in_rows(self, status: Statuses, readable: Integers, number: Integers) -> "_RatedTexts":
        """Copy the ratings of distinct texts to all rows with these texts.

        Args:
            status: shape (n,), status of each row before reading; not changed for rows without a text.
            readable: shape (r,), the rows with a text.
            number: shape (r,), index of the text in each.
        """
        columns: dict[str, np.ndarray] = {}
        for name, column in vars(self).items():
            blank = 0 if column.dtype.kind in "bi" else np.nan
            columns[name] = np.full((len(status), *column.shape[1:]), blank, dtype=column.dtype)
            columns[name][readable] = column[number]
        columns["status"] = status.copy()
        columns["status"][readable] = self.status[number]
        return _RatedTexts(**columns)


def _embedder_loader(
    embedder: "str | Path | Embedder | Callable[[], Embedder] | None",
) -> "Callable[[], Embedder]":
    """Return a function that returns the embedder; the default model of ratings for ``None``."""
    if callable(embedder) and not hasattr(embedder, "embed"):
        return embedder
    checked = DEFAULT_RATING_MODEL if embedder is None else validate_embedder(embedder)
    return lambda: as_embedder(checked)
