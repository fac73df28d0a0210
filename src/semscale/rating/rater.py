"""The rater: rates texts on a scale by their similarity with the scale's anchors."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
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
from semscale.rating.calibration import Calibration, as_calibration
from semscale.rating.explanation import MOST_ANCHORS, Explanation, nearest_anchors
from semscale.rating.gaussian_process import Predictors
from semscale.rating.ratings import Ratings
from semscale.rating.readouts import (
    READOUTS,
    Reals,
    as_rows,
    best_similarities,
    sum_in_order,
)
from semscale.rating.settings import DEFAULT_READOUT, UNRELATED, RaterKeywords, RaterSettings
from semscale.rating.text_style import text_styles
from semscale.results.languages import in_other_languages, load_identifier
from semscale.scales import Scale, load_scale
from semscale.settings import takes
from semscale.signature import Signature
from semscale.stats.intervals import check_interval, check_seed
from semscale.store.columns import as_list
from semscale.store.missing_codes import count_codes, missing_keys, write_codes
from semscale.text_preparation import TextPreparation
from semscale.text_units import sentences_in
from semscale.types import Floats, Integers, Mask, ObjectArray, Progress, Status, Statuses, are_scored
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

    def with_scale(self, scale: str | Path | Scale) -> Self:
        """Return a rater for another scale with the same settings and the same loaded embedder.

        With a ``RememberingEmbedder``, only sentences that no rater of it has embedded are computed, so that
        an edited anchor takes milliseconds: the other anchors, the unrelated sentences and those of plain
        sentiment are known.

        Raises:
            InputError: as ``Rater``, for example if the scale lacks a set of ``anchor_sets``.
        """
        return self.from_settings(scale, self.settings.with_values(embedder=self.embedder))

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
            InputError: the wrong width, rows (named) with NaN or a length outside 1e-15 to 1e15, or a
                calibration, which needs the style of the texts as well.
        """
        if self.calibration is not None:
            raise InputError("a calibration needs the texts, not only their vectors: use rate")
        rows = as_rows(vectors)
        n = len(rows)
        if not n:
            return self._blank(np.empty(0, dtype=object), np.empty(0, dtype=object))
        windows, unread = np.ones(n, dtype=np.int64), np.zeros(n, np.bool_)
        return self._rate_vectors(
            rows,
            self._applied.main,
            windows=windows,
            unread=unread,
            languages=np.full(n, None, dtype=object),
        )

    def explain(self, text: str, *, n_anchors: int = MOST_ANCHORS) -> Explanation:
        """Rate a text with its sentences, and find the anchors that are nearest to it.

        Args:
            text: the text.
            n_anchors: number of anchors.

        Raises:
            ModelError: the model cannot be run.
        """
        cells = TextPreparation.from_settings(self.settings).prepare([text])
        rating = self.rate_prepared(cells)
        if np.isnan(rating.similarity[0]):
            return Explanation(str(cells[0]), rating, (), (), self.rate_prepared([]))
        embedded, _ = self._read([str(cells[0])], None)
        anchors = self._applied.for_language(rating.language[0])
        cosines = anchors.vectors @ embedded.vectors[0].astype(np.float64)
        sentences = tuple(sentence.text(str(cells[0])) for sentence in sentences_in(str(cells[0])))
        sentences = sentences if len(sentences) > 1 else ()
        return Explanation(
            str(cells[0]),
            rating,
            nearest_anchors(anchors.scale, cosines, n_anchors),
            sentences,
            self.rate_prepared(sentences),
        )

    def calibrate(
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
        styles = text_styles([str(labelled.texts[row]) for row in np.flatnonzero(rated.scored).tolist()])
        predictors = Predictors(vectors, rated.pmf[rated.scored], self.scale.values, styles)
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

    def _blank(self, status: Statuses, languages: ObjectArray) -> Ratings:
        """Create ratings of n texts without a rating."""
        n, k, calibration = len(status), self.scale.n_points, self.calibration
        n_refits = 0 if calibration is None else len(calibration.fitted.refits)
        return Ratings(
            scale=self.scale,
            pmf=np.full((n, k), np.nan),
            similarity=np.full(n, np.nan),
            set_means=np.full((n, len(self.scale.anchor_sets)), np.nan),
            status=status,
            windows=np.zeros(n, dtype=np.int64),
            language=languages,
            signature=self.signature,
            floor=self.floor,
            own_anchors=self.own_anchors,
            calibration=calibration,
            unfamiliar=None if calibration is None else np.zeros(n, np.bool_),
            in_calibration=None if calibration is None else np.zeros(n, np.bool_),
            refits=np.full((n, n_refits, k), np.nan, dtype=np.float32) if n_refits else None,
            sentiment=np.full(n, np.nan),
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
        languages, is_read = self._languages(texts)
        status[readable[~is_read[number]]] = Status.OTHER_LANGUAGE
        row_languages = np.full(len(cells), None, dtype=object)
        row_languages[readable] = languages[number]
        text_of_row = np.full(len(cells), -1)
        text_of_row[readable] = number
        blocks = list(self._rate_texts(texts, languages, is_read, progress, with_vectors=with_vectors))
        ratings = self._blank(status, row_languages)
        ratings = ratings.with_rows(
            (rated, _positions(members, len(texts))[text_of_row]) for members, rated, _ in blocks
        )
        scored = np.flatnonzero(ratings.scored).tolist()
        ratings = replace(ratings, possible_codes=count_codes(str(cells[row]) for row in scored))
        if not (with_vectors and blocks):
            return ratings, np.empty((0, 0))
        members = np.concatenate([members for members, _, _ in blocks])
        vectors = np.concatenate([vectors for _, _, vectors in blocks])
        return ratings, vectors[_positions(members, len(texts))[text_of_row[scored]]]

    def _languages(self, texts: Sequence[str]) -> tuple[ObjectArray, Mask]:
        """Identify the languages of texts (m,), and mark those that the model reads."""
        if not identifies(self.language):
            return text_languages(texts, self.language), np.ones(len(texts), np.bool_)
        languages = text_languages(texts)
        if not texts:
            return languages, np.ones(0, np.bool_)
        return languages, ~in_other_languages(texts, languages, self.embedder.signature)

    def _rate_texts(
        self,
        texts: Sequence[str],
        languages: ObjectArray,
        is_read: Mask,
        progress: Progress | None,
        *,
        with_vectors: bool,
    ) -> Iterator[tuple[Integers, Ratings, Reals]]:
        """Embed the distinct texts that the model reads, in blocks, and rate those of each language.

        Yields:
            Indices of some texts, their ratings, and their vectors, shape (r, d); none unless requested.
        """
        read = np.flatnonzero(is_read)
        for start in range(0, len(read), AT_ONCE):
            rows = read[start : start + AT_ONCE]
            some = [texts[row] for row in rows.tolist()]
            embedded, is_about = self._read(some, shift_progress(progress, start, len(read)))
            fitted = None if self.calibration is None else self.calibration.contains(some)
            for anchors, members in self._applied.by_language(languages[rows]):
                vectors = embedded.vectors[members]
                rated = self._rate_vectors(
                    vectors,
                    anchors,
                    windows=embedded.windows[members],
                    unread=embedded.unread[members],
                    languages=languages[rows[members]],
                    texts=[some[member] for member in members.tolist()],
                    is_about=is_about[members],
                    fitted=None if fitted is None else fitted[members],
                )
                yield rows[members], rated, vectors if with_vectors else np.empty((0, 0))

    @cached_property
    def _aspect(self) -> AspectReader | None:
        scale = self.anchor_languages.untranslated
        return None if scale.aspect is None else AspectReader(scale.aspect, scale.language, self.embedder)

    def _read(self, texts: Sequence[str], progress: Progress | None) -> "tuple[Embeddings, Mask]":
        """Embed texts, and mark those about the scale's aspect; all texts without an aspect."""
        if self._aspect is None:
            return self.embedder.embed(texts, progress=progress), np.ones(len(texts), np.bool_)
        return self._aspect.read(texts, progress)

    def _rate_vectors(
        self,
        vectors: Reals,
        anchors: AnchorVectors,
        *,
        windows: Integers,
        unread: Mask,
        languages: ObjectArray,
        texts: Sequence[str] | None = None,
        is_about: Mask | None = None,
        fitted: Mask | None = None,
    ) -> Ratings:
        """Rate vectors of n texts by their anchors.

        Args:
            vectors: shape (n, d), n at least 1.
            anchors: anchors in the language of the texts, or the main ones.
            windows: shape (n,), number of windows of each text.
            unread: shape (n,), mask of texts that the model cannot read.
            languages: shape (n,), languages of the texts.
            texts: the n texts, which a calibration needs; may be missing without one.
            is_about: shape (n,), mask of texts about the scale's aspect; ``None`` without an aspect.
            fitted: shape (n,), mask of texts that the calibration was fitted to; ``None`` if no text is.
        """
        topic, chosen, n = self._applied.topic, self.settings, len(vectors)
        semantics = {} if chosen.semantics == "safe" else {"semantics": chosen.semantics}
        read = READOUTS[chosen.applied_readout](
            vectors,
            anchors.vectors,
            values=self.scale.values,
            epsilon=chosen.epsilon,
            temperature=chosen.temperature,
            **semantics,
        )
        best = read.best_similarity if anchors is topic else best_similarities(vectors, topic.vectors)
        status = np.full(n, Status.SCORED, dtype=object)
        if is_about is not None:
            status[~is_about] = Status.NOT_ABOUT
        status[topic.off_topic(vectors, best)] = Status.OFF_TOPIC
        status[unread] = Status.WEIGHTLESS
        # Means under sets without anchors in the language are NaN.
        sets = list(self.scale.anchor_sets)
        set_means = np.full((n, len(sets)), np.nan)
        set_means[:, [sets.index(name) for name in anchors.scale.anchor_sets]] = read.set_means
        columns: dict[str, Any] = {
            "pmf": read.pmf,
            "set_means": set_means,
            "sentiment": self._sentiment(vectors),
        }
        if self.calibration is not None and texts is not None:
            columns |= _calibration_columns(
                self.calibration,
                Predictors(as_rows(vectors), read.pmf, self.scale.values, text_styles(texts)),
                fitted,
            )
        scored = are_scored(status)
        for column in columns.values():
            column[~scored] = 0 if column.dtype == np.bool_ else np.nan
        similarity = np.where(unread, np.nan, best)
        return replace(
            self._blank(status, languages), similarity=similarity, windows=windows.copy(), **columns
        )

    def _sentiment(self, vectors: npt.ArrayLike) -> Floats:
        """Means of vectors on the shipped scale ``quality``, shape (n,); NaN if the rater has that scale."""
        anchors = self._applied.sentiment
        if anchors is None:
            return np.full(len(as_rows(vectors)), np.nan)
        pmf = READOUTS[DEFAULT_READOUT](vectors, anchors.vectors).pmf
        return sum_in_order(pmf.T * anchors.scale.values[:, None])


def _positions(members: Integers, m: int) -> Integers:
    """Return the position of each of m texts among some of them; -1 for other texts, and at the end.

    So the text -1, of a row without a text, has no position either.

    Examples:
        >>> _positions(np.array([2, 0]), 3).tolist()
        [1, -1, 0, -1]
    """
    positions = np.full(m + 1, -1)
    positions[members] = np.arange(len(members))
    return positions


def _calibration_columns(
    calibration: Calibration, predictors: Predictors, fitted: Mask | None
) -> dict[str, Any]:
    """Return the columns of n texts that a calibration changes or adds."""
    columns: dict[str, Any] = {
        "pmf": np.ascontiguousarray(calibration.pmf(predictors)),
        "unfamiliar": calibration.mark_unfamiliar(predictors.vectors),
        "in_calibration": np.zeros(len(predictors.vectors), np.bool_) if fitted is None else fitted,
    }
    if calibration.fitted.refits:
        columns["refits"] = calibration.refit_pmf(predictors)
    return columns


def _embedder_loader(
    embedder: "str | Path | Embedder | Callable[[], Embedder] | None",
) -> "Callable[[], Embedder]":
    """Return a function that returns the embedder; the default model of ratings for ``None``."""
    if callable(embedder) and not hasattr(embedder, "embed"):
        return embedder
    checked = DEFAULT_RATING_MODEL if embedder is None else validate_embedder(embedder)
    return lambda: as_embedder(checked)
