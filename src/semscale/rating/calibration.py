"""Calibrations fitted to labelled texts: checks, files and summaries."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, Field, FiniteFloat, PlainValidator, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from semscale.errors import InputError
from semscale.input_files import read_input_text
from semscale.json_reading import parse_json
from semscale.messages import first_mistake, unreadable
from semscale.presentable import Presentable
from semscale.rating.gaussian_process import STRICT, GaussianProcess, Numbers, Predictors, record_of
from semscale.rating.label_progress import LabelProgress
from semscale.rating.readouts import Reals, cosines_of
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.intervals import Estimate
from semscale.store.atomic import check_writable, replacing
from semscale.types import Floats, Mask, Refits

FORMAT, VERSION = "semscale calibration", 5

_NOT_HASHED = frozenset({"format", "version", "signature", "hash"})
"""Fields of a file that are not part of the hashed content."""

_IGNORED = frozenset({"floor", "missing", "engine", "language", "calibration"})
"""Fields of a rater's signature that do not change what a calibration was fitted to."""

_PRECISIONS = {"float32": "exact", "bfloat16": "fast"}

SHARE_BELOW = 0.02
"""Share of the labelled texts below the floor."""

_ROUNDING = 1e-6

_Score = Annotated[FiniteFloat, Field(ge=0, le=1)]

_Gain = Annotated[FiniteFloat, Field(ge=-1, le=1)]

_Count = Annotated[int, Field(ge=1)]


@checked_dataclass(frozen=True, config=STRICT)
class LabelSource:
    """Labels that a calibration was fitted to.

    Attributes:
        n: labelled texts that were used.
        n_answers: people's answers to them.
        hash: hash of texts and answers in their order, 8 hexadecimal digits.
        human_range: lowest and highest value that people could give; ``None`` for the scale's own.
        grouped: whether whole groups were left out to measure the error.
        seed: seed of the folds.
        texts: hash of each distinct labelled text, 12 hexadecimal digits; see ``text_hash``.
    """

    n: _Count
    n_answers: _Count
    hash: Annotated[str, Field(pattern="^[0-9a-f]{8}$")]
    human_range: tuple[FiniteFloat, FiniteFloat] | None
    grouped: bool
    seed: Annotated[int, Field(ge=0)]
    texts: tuple[Annotated[str, Field(pattern="^[0-9a-f]{12}$")], ...] = ()


@checked_dataclass(frozen=True, config=STRICT)
class HonestError:
    """Mean ranked probability scores, 0 (best) to 1, and correlations on texts outside the fit.

    Attributes:
        calibrated: score of the calibrated ratings, fitted without the text (cross-validation).
        uncalibrated: score of the uncalibrated ratings.
        gain_low: lower end of the interval of ``uncalibrated`` minus ``calibrated``; ``None`` without an
            interval.
        gain_high: upper end, likewise.
        pearson_low: lower end of the interval of the calibrated ratings' correlation with people's means,
            -1 to 1; ``None`` where there is no interval.
        rated_pearson_high: upper end of the interval of the uncalibrated ratings' correlation, likewise.
    """

    calibrated: _Score
    uncalibrated: _Score
    gain_low: _Gain | None = None
    gain_high: _Gain | None = None
    pearson_low: _Gain | None = None
    rated_pearson_high: _Gain | None = None

    @property
    def is_reversed(self) -> bool:
        """True if the uncalibrated ratings correlate negatively with the labels, significantly."""
        return self.rated_pearson_high is not None and self.rated_pearson_high < 0

    @property
    def has_ranking(self) -> bool:
        """True if the calibrated ratings correlate significantly with the labels, or without an interval."""
        return self.pearson_low is None or self.pearson_low > 0

    @property
    def is_worse(self) -> bool:
        """True if the calibrated ratings had a significantly higher error."""
        return self.gain_high is not None and self.gain_high < 0

    @property
    def is_clear(self) -> bool:
        """True if the gain is above 0, and significantly so if it has an interval."""
        return self.calibrated < self.uncalibrated and (self.gain_low is None or self.gain_low > 0)


def _at_most_unit(centre: Floats) -> Floats:
    if np.abs(centre).max(initial=0.0) > 1 + _ROUNDING or np.linalg.norm(centre) > 1 + _ROUNDING:
        raise ValueError("must be at most 1 long")
    return centre


@checked_dataclass(frozen=True, config=STRICT)
class Familiarity:
    """Region of the labelled texts.

    Attributes:
        centre: shape (d,), mean of their vectors at length 1.
        floor: cosine with the centre below which a text is unlike them; the 2 % quantile of the labelled
            texts, each compared with the mean of the others.
    """

    centre: Annotated[Numbers, AfterValidator(_at_most_unit)]
    floor: Annotated[FiniteFloat, Field(ge=-1 - _ROUNDING, le=1 + _ROUNDING)]

    def mark_unfamiliar(self, rows: Reals) -> Mask:
        """Mark vectors (n, d) that are unlike the labelled ones."""
        marked: Mask = cosines_of(rows, self.centre.astype(rows.dtype)[None, None])[0][0, 0] < self.floor
        return marked


def familiarity_of(units: Floats) -> Familiarity:
    """Measure the region of labelled texts.

    Args:
        units: shape (n, d), vectors of length 1, at least two.

    Examples:
        >>> familiar = familiarity_of(np.array([[1.0, 0.0], [0.6, 0.8], [0.8, 0.6]]))
        >>> familiar.mark_unfamiliar(np.array([[0.0, -1.0], [0.8, 0.6]])).tolist()
        [True, False]
    """
    total = units.sum(axis=0)
    without = total - units
    cosines = (units * without).sum(axis=1) / np.maximum(np.linalg.norm(without, axis=1), 1e-12)
    centre = total / max(float(np.linalg.norm(total)), 1e-12)
    return Familiarity(centre, float(np.quantile(cosines, SHARE_BELOW)))


def _signature(value: object) -> Signature:
    return value if isinstance(value, Signature) else Signature.parse(str(value))


@checked_dataclass(frozen=True, config=STRICT)
class Calibration:
    """A fitted calibration of ratings on one scale by one model with one precision.

    Attributes:
        fitted: what was fitted.
        familiarity: region of the labelled texts.
        ratings: signature of the rater that it applies to.
        language: language of the scale's anchors.
        labels: labels that it was fitted to.
        error: error with and without the calibration.
    """

    fitted: GaussianProcess
    familiarity: Familiarity
    ratings: Annotated[Signature, PlainValidator(_signature)]
    language: str
    labels: LabelSource
    error: HonestError

    def __post_init__(self) -> None:
        if self.fitted.texts.shape[1] != len(self.familiarity.centre):
            raise ValueError("fitted.texts and familiarity.centre must have the same width")

    @cached_property
    def signature(self) -> Signature:
        """Signature of the fit: labels, error, and the ratings that it applies to."""
        labels = self.labels
        applied = dict(self.ratings.fields)
        anchors = {} if "anchor_language" in applied else {"anchor_language": self.language}
        ends = "scale" if labels.human_range is None else "{:.12g} to {:.12g}".format(*labels.human_range)
        fitted = Signature.of(
            "calibrate",
            content=self.content_hash,
            texts=labels.n,
            answers=labels.n_answers,
            labels=labels.hash,
            human_range=ends,
            folds="groups" if labels.grouped else "texts",
            fold_seed=labels.seed,
            error=round(self.error.calibrated, 6),
            **anchors,
        ).plus(self.ratings)
        return replace(fitted, version=self.ratings.version)

    def record(self) -> dict[str, Any]:
        """Return all its contents by name, in JSON's types."""
        record: dict[str, Any] = record_of(self)
        known = {name: score for name, score in record["error"].items() if score is not None}
        return {**record, "error": known}

    @cached_property
    def content_hash(self) -> str:
        """Hash of its record, 8 hexadecimal digits."""
        return hash_of(self.record())

    @property
    def name(self) -> str:
        """Number of labelled texts and hash, for the signature of calibrated ratings."""
        return f"{self.labels.n}#{self.content_hash}"

    @property
    def _settings(self) -> dict[str, str]:
        """Fields of the signature of the fitted ratings, and the language of their anchors."""
        return {**dict(self.ratings.fields), "anchor_language": self.language}

    def check(self, rater: Signature, language: str) -> None:
        """Check that a rater has the settings that the calibration was fitted with.

        Args:
            rater: signature of the rater.
            language: language of its anchors.

        Raises:
            InputError: a different model, language of the anchors, scale, precision or setting; the message
                names the first.
        """
        # How a text's language is known does not change its rating; the anchors' language does.
        fitted = self._settings
        applied = {**dict(rater.fields), "anchor_language": language}
        # A different model or language also changes the anchors, so the cause is named first.
        for name in dict.fromkeys(["model", "anchor_language", *fitted, *applied]):
            if name not in _IGNORED and fitted.get(name) != applied.get(name):
                raise _refusal(name, fitted.get(name, "none"), applied.get(name, "none"))

    def check_settings(self, settings: Mapping[str, str]) -> None:
        """Refuse settings that differ from those of the fit, before a model is loaded.

        Args:
            settings: known fields of a rater's signature; scale and model may lack the hash of their content.

        Raises:
            InputError: the first setting that differs.
        """
        for name, applied in settings.items():
            fitted = self._settings.get(name, "none")
            fitted = fitted if "#" in applied else fitted.partition("#")[0]
            if fitted != applied:
                raise _refusal(name, fitted, applied)

    def pmf(self, predictors: Predictors) -> Floats:
        """Return calibrated masses (n, k) of n texts."""
        return self.fitted.pmf(predictors)

    def refit_pmf(self, predictors: Predictors) -> Refits:
        """Return masses (n, b, k) of n texts under each of b refits."""
        return self.fitted.refit_pmf(predictors)

    def contains(self, texts: Sequence[str]) -> Mask:
        """Mark the texts (n,) that it was fitted to, whose calibrated ratings depend on their labels."""
        known = set(self.labels.texts)
        return np.array([text_hash(text) in known for text in texts], dtype=np.bool_)

    def mark_unfamiliar(self, vectors: Reals) -> Mask:
        """Mark vectors (n, d) of texts that are unlike those it was fitted to."""
        return self.familiarity.mark_unfamiliar(vectors)


def _refusal(name: str, fitted: str, applied: str) -> InputError:
    """Name the setting in which the ratings differ from those that a calibration was fitted to."""
    if name == "translations" and "none" in {fitted, applied}:
        condition, remedy = (
            ("without", "leave that out, or calibrate with it")
            if fitted == "none"
            else ("with", "give that, or calibrate without it")
        )
        problem = f"calibration was fitted {condition}"
        return InputError(f"{problem} `language='auto'`: {remedy}")
    if name == "translations":
        return InputError("calibration", "is for other translations of the anchors: calibrate again")
    if name == "precision" and _precision(fitted) != _precision(applied):
        fitted, applied = _precision(fitted), _precision(applied)
    return InputError(
        "calibration",
        f"is for {name} {fitted}, but the ratings have {name} {applied}: rate with the same "
        f"{name}, or calibrate again",
    )


def _precision(arithmetic: str) -> str:
    """Return the user's name of the precision of an arithmetic, or the arithmetic if it has none.

    Examples:
        >>> _precision("int8/128+bfloat16"), _precision("float16")
        ('turbo', 'float16')
    """
    return "turbo" if arithmetic.startswith("int8/") else _PRECISIONS.get(arithmetic, arithmetic)


def hash_of(content: Mapping[str, Any]) -> str:
    """Hash the content of a calibration, 8 hexadecimal digits, regardless of the order of its fields.

    Examples:
        >>> hash_of({"a": 1, "b": 2}) == hash_of({"b": 2, "a": 1}) != hash_of({"a": 1, "b": 2.5})
        True
    """
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]


def text_hash(text: str) -> str:
    """Hash a text without the white space around it, 12 hexadecimal digits.

    Examples:
        >>> text_hash(" good ") == text_hash("good")
        True
    """
    return hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()[:12]


def as_calibration(calibration: Calibration | str | Path | None) -> Calibration | None:
    """Return a calibration, read from its file if it is a path.

    Raises:
        InputError: anything else, or as ``load_calibration``.
    """
    if calibration is None or isinstance(calibration, Calibration):
        return calibration
    if isinstance(calibration, str | Path):
        return load_calibration(Path(calibration))
    raise InputError(
        "calibration",
        "must be what calibrate() gives as .calibration, or the file that it was saved to, "
        f"got {type(calibration).__name__}",
    )


def load_calibration(path: Path) -> Calibration:
    """Read a calibration.

    Raises:
        InputError: no file, no calibration, one of another version, or one that was changed by hand.
    """
    try:
        content = parse_json(read_input_text(path))
    except OSError as error:
        raise unreadable(f"`calibration`: {path}", error) from error
    except ValueError as error:
        raise InputError(
            "calibration",
            f": {path} is not a calibration file, as it is not JSON; write one with `semscale calibrate`",
        ) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(
            "calibration", f": {path} is not a calibration file; write one with `semscale calibrate`"
        )
    version = content.get("version")
    if type(version) is not int or version != VERSION:
        is_later = type(version) is int and version > VERSION
        remedy = "update Semscale, or calibrate again" if is_later else "calibrate again"
        raise InputError(
            "calibration",
            f": {path} has version {version!r}, and this Semscale reads version {VERSION}; {remedy}",
        )
    recorded = {name: value for name, value in content.items() if name not in _NOT_HASHED}
    if hash_of(recorded) != content.get("hash"):
        raise InputError("calibration", f": {path} was changed since it was written; calibrate again")
    try:
        calibration = TypeAdapter(Calibration).validate_json(json.dumps(recorded))
    except ValidationError as error:
        problem = first_mistake(error, [field.name for field in fields(Calibration)])
        raise InputError("calibration", f": {path} is damaged ({problem}); calibrate again") from error
    # A value that would not be written as it was read changes the hash.
    if calibration.content_hash != content["hash"] or str(calibration.signature) != content.get("signature"):
        raise InputError(
            "calibration", f": {path} is damaged (its signature is another one's); calibrate again"
        )
    return calibration


def save_calibration(calibration: Calibration, path: Path) -> None:
    """Write a calibration.

    Raises:
        InputError: as ``check_calibration_path``.
    """
    check_calibration_path(path)
    with replacing(path) as temporary:
        temporary.write_text(calibration_text(calibration), encoding="utf-8", newline="\n")


def check_calibration_path(path: Path) -> None:
    """Check, before any work is done, that a calibration can be written to a file.

    Raises:
        InputError: another ending than ``.json``, or a path that cannot be written.
    """
    if path.suffix.lower() != ".json":
        raise InputError("out", f"must end in .json, got {path.name!r}")
    check_writable(path, "out")


def calibration_text(calibration: Calibration) -> str:
    """Write a calibration as JSON."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "signature": str(calibration.signature),
        "hash": calibration.content_hash,
        **calibration.record(),
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


@dataclass(frozen=True)
class RatingQuality:
    """Agreement of ratings with people's answers to the same texts.

    Attributes:
        pearson: correlation of the means.
        ks_similarity: 1 - max |F_rated - F_human| of the average masses, 0 to 1.
        ranked_probability: mean ranked probability score, 0 (best) to 1.
        log_score: mean log score in nats, 0 is best.
        spread: standard deviation of the means.
        bins: at most ten bins of similar size, in order of the ratings.
    """

    pearson: Estimate
    ks_similarity: Estimate
    ranked_probability: Estimate
    log_score: Estimate
    spread: float
    bins: "tuple[MeanBin, ...]"


@dataclass(frozen=True)
class MeanBin:
    """Texts with similar ratings, for a calibration plot.

    Attributes:
        rated: mean of their ratings' means.
        human: mean of people's means.
        n: texts.
    """

    rated: float
    human: float
    n: int


@dataclass(frozen=True)
class CurvePoint:
    """Error and correlation with some number of labels.

    Attributes:
        n: labelled texts.
        ranked_probability: mean ranked probability score on other texts.
        pearson: correlation with people's means on other texts; NaN if extrapolated.
        is_forecast: whether the error was extrapolated instead of measured.
    """

    n: int
    ranked_probability: float
    pearson: float
    is_forecast: bool


@dataclass(frozen=True, repr=False)
class CalibrationSummary(Presentable):
    """A calibration, and its quality on texts that it was not fitted to.

    Attributes:
        calibration: calibration fitted to all labels, for use.
        scale: scale of the ratings.
        left_out: numbers of labelled texts without a rating, by status.
        qualities: quality of ``calibrated`` (fitted without the text), ``as rated`` and ``equal shares``.
        points_used: number of the scale's points with people's answers.
        human_spread: standard deviation of people's means.
        curve: error with fewer labels, and forecasts for more.
        progress: whether the labels are enough: r of the calibrated ratings, and the error of a mean of very
            many texts that these labels correct.
        gain: mean ranked probability score as rated minus calibrated, above 0 if calibration helps.
        interval: coverage of the intervals.
        source: name of the input.
        created: when it was made.
    """

    calibration: Calibration
    scale: Scale
    left_out: Mapping[str, int]
    qualities: Mapping[str, RatingQuality]
    points_used: int
    human_spread: float
    curve: tuple[CurvePoint, ...]
    progress: LabelProgress
    gain: Estimate
    interval: float
    source: str
    created: datetime

    def __repr__(self) -> str:
        return f"CalibrationSummary(source={self.source!r}, n={self.calibration.labels.n})"

    @property
    def signature(self) -> Signature:
        """Signature of the calibration."""
        return self.calibration.signature

    def save(self, path: str | Path) -> None:
        """Write the calibration to a JSON file, for ``Rater(calibration=...)``.

        Raises:
            InputError: another ending than ``.json``, or a path that cannot be written.
        """
        save_calibration(self.calibration, Path(path))

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        labels = self.calibration.labels
        return {
            "instrument": "calibrate",
            "source": self.source,
            "scale": self.scale.name,
            "texts": labels.n,
            "answers": labels.n_answers,
            "left_out": self.left_out,
            "quality": self.qualities,
            "human_spread": self.human_spread,
            "gain": self.gain,
            "learning_curve": self.curve,
            "progress": self.progress.record(),
            "interval": self.interval,
            "signature": self.signature,
            "created": self.created,
        }
