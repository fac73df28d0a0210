"""The rater: rates texts on a scale by their similarity with the scale's anchors."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack

import numpy as np
import numpy.typing as npt

from semscale.embedding.languages.identification import load_identifier
from semscale.errors import InputError
from semscale.known_settings import known_settings
from semscale.rating.anchors.applied_anchors import AppliedAnchors
from semscale.rating.calibration.calibration import Calibration
from semscale.rating.calibration.calibration_file import as_calibration
from semscale.rating.calibration.calibration_summary import CalibrationSummary
from semscale.rating.calibration.fitting import fit_calibration
from semscale.rating.calibration.labels import LabelSettings, labelled_cells
from semscale.rating.calibration.predictors import Axis, Predictors
from semscale.rating.languages.anchor_languages import AnchorLanguages, identifies
from semscale.rating.languages.text_languages import check_reads
from semscale.rating.rated_texts import RatedCells, RatedTexts
from semscale.rating.rater_settings import as_set_names, checked_floor, embedder_loader
from semscale.rating.ratings import Ratings
from semscale.rating.readouts.array_checks import Semantics, as_rows, check_settings
from semscale.rating.readouts.readout_choice import Readout, chosen_readout
from semscale.rating.readouts.readout_function import readout_function
from semscale.rating.text_rating import TextRating
from semscale.scales import Scale, load_scale
from semscale.signature import Signature
from semscale.store.columns import as_list
from semscale.store.missing_codes import count_codes, missing_keys, written_codes
from semscale.types import Floats, ObjectArray, Progress

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder


class Rater:
    """Rates texts on a scale by their cosines with the scale's anchors.

    Args:
        scale: a scale, the name of one that ships with Semscale, or a YAML file.
        embedder: turns texts into vectors: a known model, a folder, ``organisation/model`` on the Hugging
            Face hub, what ``load_embedder`` gives, or a function that loads one when it is first needed; the
            default model of ratings unless given.
        anchor_sets: names of the scale's anchor sets to use; unless given, those that serve the model, or the
            default model's if the scale names others alone, or all of them if it names none.
        readout: ``ssr`` (nearer anchors get more mass) or ``ordinal`` (the place between lower and upper
            anchors), see ``semscale.rating.readouts``; the default of its ``readout_choice`` unless given.
        temperature: at least 0; below 1 sharper, above 1 flatter, 1 as it is.
        epsilon: at least 0; mass added to each text's rating, see the readout.
        semantics: ``safe``, ``paper`` or ``guide``, see ``semscale.rating.readouts.ssr``; the latter two
            belong to the readout ``ssr``.
        floor: cosine with the best of the scale's own anchors below which a text is off topic, whatever
            language's anchors rate it. ``auto`` estimates it for the scale and the embedder, ``None`` rates
            everything.
        missing: codes such as ``NA`` or ``-99``; a text that is one of them, in capitals or not, is missing.
        language: ``None`` rates all texts with the scale's own anchors; ``auto`` each text with anchors of
            its language, where the scale has some that passed their check, perhaps without a set or two. Both
            identify the language of each text, and one in a language that the model does not read gets no
            rating. An ISO 639-1 code says that all texts are in that language, and takes its anchors where
            they passed: no text is checked then, and a summary warns where most of a sample seem to be in
            another language.
        calibration: fitted by ``calibrate`` of a rater with the same settings, or the file it was saved to.

    Raises:
        InputError: an unknown scale, anchor set or language, a setting out of range, or a semantics that does
            not belong to the readout, or a file that is no calibration.

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
        language: str | None = None,
        calibration: Calibration | str | Path | None = None,
    ) -> None:
        check_settings(epsilon=epsilon, temperature=temperature, semantics=semantics)
        self.readout = chosen_readout(readout, semantics)
        loaded = load_scale(scale)
        chosen = loaded if anchor_sets is None else loaded.with_sets(as_set_names(anchor_sets))
        self._applied = AppliedAnchors(chosen, language, lambda: self.embedder, checked_floor(floor))
        self.language = language
        self.temperature = float(temperature)
        self.epsilon = float(epsilon)
        self.semantics: Semantics = semantics
        self._load_embedder = embedder_loader(embedder)
        self.missing = missing_keys(missing)
        self.calibration = as_calibration(calibration)

    @cached_property
    def embedder(self) -> "Embedder":
        """The embedder; it is loaded when it is first needed, and the identifier of languages beside it."""
        if identifies(self.language):
            load_identifier()
        embedder = self._load_embedder()
        if not identifies(self.language):
            check_reads(embedder.signature, str(self.language))
        return embedder

    @property
    def anchor_languages(self) -> AnchorLanguages:
        """The anchors that are used, in each language."""
        return self._applied.languages

    @property
    def scale(self) -> Scale:
        """The scale with the anchor sets that are used."""
        return self.anchor_languages.scale

    @property
    def anchors(self) -> Floats:
        """Vectors of the anchors, shape (s, k, d)."""
        return self._applied.own.vectors

    @property
    def floor(self) -> float | None:
        """Cosine below which a text is off topic; estimated when it is first needed."""
        return self._applied.topic.floor

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
            **self.anchor_languages.settings(),
        ).extended(self.embedder.signature)
        if self.calibration is None:
            return applied
        self.calibration.check(applied, self.scale.language)
        return applied.extended(Signature.of("calibrate", calibration=self.calibration.name))

    @property
    def axis(self) -> Axis:
        """Direction from the low anchors to the high ones, in the scale's units."""
        return self._applied.axis

    def rate(self, texts: object, *, progress: Progress | None = None) -> Ratings:
        """Rate texts in their order; equal texts are embedded once.

        Args:
            texts: shape (n,): a list, a NumPy array, or a polars, pandas or Arrow series. These have a status
                and no rating: null and codes of ``missing`` (``missing``), other types than strings
                (``not-text``), white space (``empty``), texts without a letter, a digit or an emoji that the
                model reads (``uninformative``), texts in a language that the model does not read
                (``other-language``), texts that it cannot read (``weightless``), and those that resemble no
                anchor (``off-topic``).
            progress: called while texts are embedded.

        Raises:
            InputError: not a list of cells, or ``paper`` semantics has no value for a text.
            ModelError: the model cannot be run.
        """
        return self._rated_cells(texts, progress).ratings

    def rate_vectors(self, vectors: npt.ArrayLike) -> Ratings:
        """Rate vectors that the caller has, made by the same model as this rater's embedder.

        Args:
            vectors: shape (n, d), of any length but 0.

        Raises:
            InputError: the wrong width, or rows (named) with NaN, infinity or length 0.
        """
        rows = as_rows(vectors)
        return self._ratings(self._rating.rate_vectors(rows), np.full(len(rows), None, dtype=object))

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
        rated = self._rated_cells(labels.cells, progress, keep_vectors=True)
        labelled = labels.with_ratings(rated.ratings.status)
        return fit_calibration(
            labelled,
            Predictors(
                rated.scored_vectors, rated.ratings.pmf[rated.ratings.scored], self.scale.values, self.axis
            ),
            self.scale,
            ratings=self.signature,
            interval=settings.get("interval", 0.95),
            seed=settings.get("seed", 0),
        )

    @cached_property
    def _rating(self) -> TextRating:
        embedder = self.embedder
        if self.calibration is not None:
            _ = self.signature  # refuses a calibration for other ratings
        readout = readout_function(
            self.readout, semantics=self.semantics, epsilon=self.epsilon, temperature=self.temperature
        )
        return TextRating(embedder, self._applied, self.language, self.missing, readout, self.calibration)

    def _rated_cells(
        self, texts: object, progress: Progress | None, *, keep_vectors: bool = False
    ) -> RatedCells:
        cells = as_list(texts, "texts")
        read = self._rating.rate_cells(cells, progress, keep_vectors=keep_vectors)
        ratings = self._ratings(read.rated, read.languages)
        scored = np.flatnonzero(ratings.scored)
        ratings = replace(ratings, possible_codes=count_codes(str(cells[row]) for row in scored))
        return RatedCells(ratings, read.vectors, read.place)

    def _ratings(self, rows: RatedTexts, languages: ObjectArray) -> Ratings:
        return Ratings(
            scale=self.scale,
            **{**vars(rows), **rows.calibration_columns(is_calibrated=self.calibration is not None)},
            language=languages,
            signature=self.signature,
            floor=self.floor,
            own_anchors=self.anchor_languages.own,
            calibration=self.calibration,
        )
