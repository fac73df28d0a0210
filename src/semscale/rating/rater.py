"""The rater: rates texts on a scale by their similarity with the scale's anchors."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from semscale.embedding.loading import as_embedder, checked_embedder
from semscale.errors import InputError
from semscale.known_settings import known_settings
from semscale.rating import ordinal, ssr
from semscale.rating.array_checks import Semantics, as_rows, check_settings
from semscale.rating.calibration.calibration import Calibration
from semscale.rating.calibration.calibration_file import as_calibration
from semscale.rating.calibration.calibration_summary import CalibrationSummary
from semscale.rating.calibration.fitting import fit_calibration
from semscale.rating.calibration.labels import LabelSettings, labelled_cells
from semscale.rating.calibration.predictors import Axis, Predictors, anchor_axis
from semscale.rating.cells import text_status
from semscale.rating.missing_codes import count_codes, missing_keys, written_codes
from semscale.rating.ratings import Ratings
from semscale.rating.readouts import Readout, chosen_readout
from semscale.rating.vector_ratings import VectorRatings
from semscale.scales import Scale, load_scale
from semscale.signature import Signature
from semscale.store.columns import as_list
from semscale.types import Floats, Integers, Mask, Progress, Status

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder

_STATUSES = list(Status)
_SCORED, _OFF_TOPIC, _WEIGHTLESS = map(_STATUSES.index, (Status.SCORED, Status.OFF_TOPIC, Status.WEIGHTLESS))


class RaterSettings(TypedDict, total=False):
    """Settings of a ``Rater``, as ``rate`` passes them on."""

    embedder: "str | Path | Embedder | Callable[[], Embedder] | None"
    anchor_sets: Iterable[str] | None
    readout: Readout | None
    temperature: float
    epsilon: float
    semantics: Semantics
    floor: Literal["auto"] | float | None
    missing: Iterable[str]
    calibration: Calibration | str | Path | None


class Rater:
    """Rates texts on a scale by their cosines with the scale's anchors.

    Args:
        scale: a scale, the name of one that ships with Semscale, or a YAML file.
        embedder: turns texts into vectors: a known model, a folder, ``organisation/model`` on the Hugging
            Face hub, what ``load_embedder`` gives, or a function that loads one when it is first needed; the
            default model unless given.
        anchor_sets: names of the scale's anchor sets to use; all of them unless given.
        readout: ``ssr`` (nearer anchors get more mass, see ``semscale.rating.ssr``) or ``ordinal`` (the place
            between lower and upper anchors, see ``semscale.rating.ordinal``); the default of
            ``semscale.rating.readouts`` unless given.
        temperature: at least 0; below 1 sharper, above 1 flatter, 1 as it is.
        epsilon: at least 0; mass added to each text's rating, see the readout.
        semantics: ``safe``, ``paper`` or ``guide``, see ``semscale.rating.ssr``; the latter two belong to the
            readout ``ssr``.
        floor: cosine with the best anchor below which a text is off topic. ``auto`` estimates it for the
            scale and the embedder, ``None`` rates everything.
        missing: codes such as ``NA`` or ``-99``; a text that is one of them, in capitals or not, is missing.
        calibration: fitted by ``calibrate`` of a rater with the same settings, or the file it was saved to.

    Raises:
        InputError: an unknown scale or anchor set, a setting out of range, a semantics that does not belong
            to the readout, or a file that is no calibration.

    References:
        Maier et al. (2025), arXiv 2510.08338; McCullagh (1980), An et al. (2018) for ``ordinal``.
    """

    @known_settings
    def __init__(  # noqa: PLR0913 - each is a setting that the signature records
        self,
        scale: str | Path | Scale,
        *,
        embedder: "str | Path | Embedder | Callable[[], Embedder] | None" = None,
        anchor_sets: Iterable[str] | None = None,
        readout: Readout | None = None,
        temperature: float = 1.0,
        epsilon: float = 0.0,
        semantics: Semantics = "safe",
        floor: Literal["auto"] | float | None = "auto",
        missing: Iterable[str] = (),
        calibration: Calibration | str | Path | None = None,
    ) -> None:
        check_settings(epsilon=epsilon, temperature=temperature, semantics=semantics)
        self.readout = chosen_readout(readout, semantics)
        loaded = load_scale(scale)
        self.scale = loaded if anchor_sets is None else loaded.with_sets(_as_names(anchor_sets))
        self.temperature = float(temperature)
        self.epsilon = float(epsilon)
        self.semantics: Semantics = semantics
        self._load_embedder = _loader(embedder)
        self._floor = _checked_floor(floor)
        self.missing = missing_keys(missing)
        self.calibration = as_calibration(calibration)

    @cached_property
    def embedder(self) -> "Embedder":
        """The embedder; it is loaded when it is first needed."""
        return self._load_embedder()

    @cached_property
    def anchors(self) -> Floats:
        """Vectors of the anchors, shape (s, k, d)."""
        sentences = [sentence for anchors in self.scale.anchor_sets.values() for sentence in anchors]
        vectors = self.embedder.embed(sentences).vectors.astype(np.float64)
        return vectors.reshape(len(self.scale.anchor_sets), self.scale.n_points, -1)

    @cached_property
    def floor(self) -> float | None:
        """Cosine below which a text is off topic; estimated when it is first needed."""
        if not isinstance(self._floor, str):
            return self._floor
        from semscale.rating.floor import off_topic_floor

        return float(off_topic_floor(self.scale, self.embedder))

    @cached_property
    def signature(self) -> Signature:
        """Signature of the settings: the scale with its content hash, all settings, and the embedder."""
        codes = {"missing": written_codes(self.missing)} if self.missing else {}
        applied = Signature.of(
            "rate",
            scale=f"{self.scale.name}#{self.scale.content_hash}",
            anchor_sets="+".join(self.scale.anchor_sets),
            readout=self.readout,
            temperature=self.temperature,
            epsilon=self.epsilon,
            semantics=self.semantics,
            floor=self.floor,
            **codes,
        ).extended(self.embedder.signature)
        if self.calibration is None:
            return applied
        self.calibration.check(applied)
        return applied.extended(Signature.of("calibrate", calibration=self.calibration.name))

    @cached_property
    def axis(self) -> Axis:
        """Direction from the low anchors to the high ones, in the scale's units."""
        return anchor_axis(self.anchors, self.scale.values)

    def rate(self, texts: object, *, progress: Progress | None = None) -> Ratings:
        """Rate texts in their order; equal texts are embedded once.

        Args:
            texts: shape (n,): a list, a NumPy array, or a polars, pandas or Arrow series. These have a status
                and no rating: null and codes of ``missing`` (``missing``), other types than strings
                (``not-text``), white space (``empty``), texts without a letter or digit (``uninformative``),
                texts that the model cannot read (``weightless``), and those that resemble no anchor
                (``off-topic``).
            progress: called while texts are embedded.

        Raises:
            InputError: not a list of cells, or ``paper`` semantics has no value for a text.
            ModelError: the model cannot be run.
        """
        cells = as_list(texts, "texts")
        statuses = (text_status(cell, self.missing) for cell in cells)
        codes = np.array([_STATUSES.index(status) for status in statuses], dtype=np.int64)
        readable = np.flatnonzero(codes == _SCORED)
        places: dict[str, int] = {}
        place = np.array([places.setdefault(str(cells[row]), len(places)) for row in readable], dtype=int)
        if not places:
            return self._ratings(codes, readable, place, _Rated.nothing(self.scale))
        embedded = self.embedder.embed(list(places), progress=progress)
        rated = self._rated(embedded.vectors, embedded.windows, embedded.unread)
        ratings = self._ratings(codes, readable, place, rated)
        scored = np.flatnonzero(ratings.scored)
        return replace(ratings, possible_codes=count_codes(str(cells[row]) for row in scored))

    def rate_vectors(self, vectors: npt.ArrayLike) -> Ratings:
        """Rate vectors that the caller has, made by the same model as this rater's embedder.

        Args:
            vectors: shape (n, d), of any length but 0.

        Raises:
            InputError: the wrong width, or rows (named) with NaN, infinity or length 0.
        """
        rows = as_rows(vectors)
        if len(rows) == 0:
            nobody = np.zeros(0, dtype=np.int64)
            return self._ratings(nobody, nobody, nobody, _Rated.nothing(self.scale))
        everyone = np.arange(len(rows))
        rated = self._rated(rows, np.ones(len(rows), dtype=np.int64), np.zeros(len(rows), np.bool_))
        return self._ratings(np.full(len(rows), _SCORED), everyone, everyone, rated)

    def calibrate(
        self,
        texts: object,
        ratings: object,
        *,
        progress: Progress | None = None,
        **settings: Unpack[LabelSettings],
    ) -> CalibrationSummary:
        """Learn from people's ratings of some texts how to rate others like them.

        Args:
            texts: shape (n,), as for ``rate``.
            ratings: shape (n,): for each text a number, a list of numbers (one per person), or missing; texts
                without one are passed over. A list shows how far people differ, a mean does not.
            progress: called while texts are embedded.
            settings: ``human_range``, ``by``, ``interval``, ``seed`` and ``source``; see ``LabelSettings``.

        Returns:
            The calibration, to be saved or given to another rater, and how good it is on other texts.

        Raises:
            InputError: this rater has a calibration, labels outside the scale, fewer than 10 labelled texts
                with a rating, or fewer than two different labels.
        """
        if self.calibration is not None:
            raise InputError("calibrate needs a rater without a calibration: make one without calibration=")
        labels = labelled_cells(texts, ratings, settings)
        rated = self.rate(labels.cells, progress=progress)
        labelled = labels.with_ratings(rated.status)
        scored = np.flatnonzero(rated.scored)
        vectors: npt.NDArray[np.floating[Any]] = np.empty((0, self.anchors.shape[2]))
        if len(labelled.texts):  # a cache has the vectors that the ratings were made from
            vectors = self.embedder.embed(labelled.texts, progress=progress).vectors
        return fit_calibration(
            labelled,
            Predictors(vectors, rated.pmf[scored], self.scale.values, self.axis),
            self.scale,
            ratings=self.signature,
            interval=settings.get("interval", 0.95),
            seed=settings.get("seed", 0),
        )

    def _rated(self, vectors: npt.ArrayLike, windows: Integers, unread: Mask) -> "_Rated":
        read: Callable[..., VectorRatings] = (
            ordinal.rate_vectors
            if self.readout == "ordinal"
            else partial(ssr.rate_vectors, semantics=self.semantics)
        )
        rated = read(
            vectors,
            self.anchors,
            values=self.scale.values,
            epsilon=self.epsilon,
            temperature=self.temperature,
        )
        result = _Rated(rated.pmf, rated.set_means, rated.best_similarity, windows, unread)
        if self.calibration is not None:
            _ = self.signature  # refuses a calibration for other ratings
            rows = as_rows(vectors)
            result.pmf = self.calibration.pmf(Predictors(rows, rated.pmf, self.scale.values, self.axis))
            result.unlike = self.calibration.unlike(rows)
        return result

    def _ratings(self, codes: Integers, readable: Integers, place: Integers, rated: "_Rated") -> Ratings:
        """Put what was computed for distinct texts into the rows that hold them."""
        n = len(codes)
        pmf, set_means = (np.full((n, part.shape[1]), np.nan) for part in (rated.pmf, rated.set_means))
        similarity, windows = np.full(n, np.nan), np.zeros(n, dtype=np.int64)
        similarity[readable], windows[readable] = rated.similarity[place], rated.windows[place]
        codes[readable] = np.where(rated.unread[place], _WEIGHTLESS, codes[readable])
        similarity[codes == _WEIGHTLESS] = np.nan
        if self.floor is not None:
            codes = np.where(similarity < self.floor, _OFF_TOPIC, codes)
        kept = codes[readable] == _SCORED
        pmf[readable[kept]] = rated.pmf[place[kept]]
        set_means[readable[kept]] = rated.set_means[place[kept]]
        status = np.array(_STATUSES, dtype=object)[codes]
        ratings = Ratings(self.scale, pmf, similarity, set_means, status, windows, self.signature, self.floor)
        if self.calibration is None:
            return ratings
        unlike = np.zeros(n, dtype=np.bool_)
        unlike[readable[kept]] = rated.unlike[place[kept]]
        return replace(ratings, calibration=self.calibration, unlike=unlike)


class _Rated:
    """What was computed for distinct texts."""

    def __init__(
        self, pmf: Floats, set_means: Floats, similarity: Floats, windows: Integers, unread: Mask
    ) -> None:
        self.pmf, self.set_means, self.similarity = pmf, set_means, similarity
        self.windows, self.unread = windows, unread
        self.unlike: Mask = np.zeros(len(pmf), np.bool_)

    @classmethod
    def nothing(cls, scale: Scale) -> "_Rated":
        k, s = scale.n_points, len(scale.anchor_sets)
        windows, unread = np.empty(0, dtype=np.int64), np.empty(0, np.bool_)
        return cls(np.empty((0, k)), np.empty((0, s)), np.empty(0), windows, unread)


def rate(
    texts: object, scale: str | Path | Scale = "purchase-intent", **settings: Unpack[RaterSettings]
) -> Ratings:
    """Rate texts on a scale, in one call.

    Args:
        texts: a list, a NumPy array, or a polars, pandas or Arrow series.
        scale: a scale, the name of one that ships with Semscale, or a YAML file; ``purchase-intent``, the
            scale of the method's paper, unless given. The signature of the ratings names it.
        settings: as ``Rater`` takes them.

    Returns:
        Ratings in the order of the texts.

    Raises:
        InputError: as ``Rater`` and ``Rater.rate``.
    """
    return Rater(scale, **settings).rate(texts)


def _as_names(anchor_sets: Iterable[str]) -> list[str]:
    if not isinstance(anchor_sets, Iterable):
        raise InputError(f"anchor_sets must be names of the scale's anchor sets, got {anchor_sets!r}")
    return [anchor_sets] if isinstance(anchor_sets, str) else list(anchor_sets)


def _loader(embedder: "str | Path | Embedder | Callable[[], Embedder] | None") -> "Callable[[], Embedder]":
    """Return a function that gives the embedder; anything else than an embedder or a loader is refused."""
    if callable(embedder) and not hasattr(embedder, "embed"):
        return embedder
    checked = checked_embedder(embedder)
    return lambda: as_embedder(checked)


def _checked_floor(floor: Literal["auto"] | float | None) -> Literal["auto"] | float | None:
    if floor is None or floor == "auto" or (isinstance(floor, int | float) and -1 <= floor <= 1):
        return floor
    raise InputError(f"floor must be 'auto', None or a cosine from -1 to 1, got {floor!r}")
