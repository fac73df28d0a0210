"""A calibration: what was learnt from labelled texts, and for which ratings it holds."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from semscale.errors import InputError
from semscale.rating.calibration.calibrators import Calibrator, MethodName
from semscale.rating.calibration.familiarity import Familiarity
from semscale.rating.calibration.predictors import Predictors
from semscale.rating.readouts.array_checks import Reals
from semscale.signature import Signature
from semscale.types import Floats, Mask, Refits

_PASSED_OVER = frozenset({"floor", "missing", "engine", "language", "calibration"})
"""Fields of a rater's signature that do not change what a calibration was fitted to."""
_PRECISIONS = {"float32": "exact", "bfloat16": "fast"}


def hash_of(content: Mapping[str, Any]) -> str:
    """Hash the content of a calibration, 8 hexadecimal digits, whatever the order of its fields.

    Example:
        >>> hash_of({"a": 1, "b": 2}) == hash_of({"b": 2, "a": 1}) != hash_of({"a": 1, "b": 2.5})
        True
    """
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]


def text_hash(text: str) -> str:
    """Hash a text without the white space around it, 12 hexadecimal digits.

    Example:
        >>> text_hash(" good ") == text_hash("good")
        True
    """
    return hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()[:12]


@dataclass(frozen=True)
class LabelSource:
    """What a calibration was fitted to.

    Attributes:
        n: labelled texts that were used.
        n_answers: people's answers to them.
        hash: of texts and answers, in their order; 8 hexadecimal digits.
        human_range: lowest and highest value that people could give; ``None`` for the scale's own.
        grouped: whether whole groups were left out for the choice and the error.
        seed: of the folds.
        texts: hash of each distinct labelled text, 12 hexadecimal digits; see ``text_hash``.
    """

    n: int
    n_answers: int
    hash: str
    human_range: tuple[float, float] | None
    grouped: bool
    seed: int
    texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class HonestError:
    """Mean ranked probability scores, 0 (best) to 1, and correlations on texts that nothing was fitted to.

    Attributes:
        calibrated: of the calibrated ratings, method and fit chosen without the text (nested folds).
        uncalibrated: of the ratings as they are.
        gain_low: lower end of the interval of ``uncalibrated`` less ``calibrated``; ``None`` where there is
            no interval, or in a file of an earlier version.
        gain_high: upper end, likewise.
        pearson_low: lower end of the interval of the calibrated ratings' correlation with people's means,
            -1 to 1; ``None`` where there is no interval.
        rated_pearson_high: upper end of that of the ratings as they are, likewise.
    """

    calibrated: float
    uncalibrated: float
    gain_low: float | None = None
    gain_high: float | None = None
    pearson_low: float | None = None
    rated_pearson_high: float | None = None

    @property
    def is_reversed(self) -> bool:
        """Whether the ratings as they are fall where the labels rise, by more than chance explains."""
        return self.rated_pearson_high is not None and self.rated_pearson_high < 0

    @property
    def has_ranking(self) -> bool:
        """Whether the calibrated ratings rise with the labels by more than chance, as far as is known."""
        return self.pearson_low is None or self.pearson_low > 0

    @property
    def is_better(self) -> bool:
        """Whether the calibrated ratings had the lower error."""
        return self.calibrated < self.uncalibrated

    @property
    def is_clear(self) -> bool:
        """Whether the gain is above 0 by more than chance explains, as far as that is known."""
        return self.is_better and (self.gain_low is None or self.gain_low > 0)


@dataclass(frozen=True)
class Calibration:
    """A fitted calibration of ratings on one scale by one model with one precision.

    Attributes:
        method: which one was chosen.
        calibrator: its fitted numbers.
        familiarity: where the labelled texts lie.
        ratings: signature of the rater whose ratings it is for.
        language: of the scale's anchors.
        labels: what it was fitted to.
        error: its own, and that of the ratings as they are.
        refits: the calibrator without a part of its labels, again and again; empty where nothing is fitted.
    """

    method: MethodName
    calibrator: Calibrator
    familiarity: Familiarity
    ratings: Signature
    language: str
    labels: LabelSource
    error: HonestError
    refits: tuple[Calibrator, ...] = ()

    @cached_property
    def signature(self) -> Signature:
        """What was applied to fit it."""
        labels = self.labels
        applied = dict(self.ratings.fields)
        anchors = {} if "anchor_language" in applied else {"anchor_language": self.language}
        ends = "scale" if labels.human_range is None else "{:.12g} to {:.12g}".format(*labels.human_range)
        fitted = Signature.of(
            "calibrate",
            method=self.method,
            content=self.content_hash,
            texts=labels.n,
            answers=labels.n_answers,
            labels=labels.hash,
            human_range=ends,
            folds="groups" if labels.grouped else "texts",
            fold_seed=labels.seed,
            error=round(self.error.calibrated, 6),
            **anchors,
        ).extended(self.ratings)
        return replace(fitted, version=self.ratings.version)

    def record(self) -> dict[str, Any]:
        """Lay everything that it consists of out by name, in JSON's types."""
        ends = self.labels.human_range
        return {
            "ratings": str(self.ratings),
            "language": self.language,
            "labels": {
                **vars(self.labels),
                "human_range": None if ends is None else [float(end) for end in ends],
            },
            "error": {name: score for name, score in vars(self.error).items() if score is not None},
            "method": self.method,
            "fitted": self.calibrator.record(),
            "refits": [refit.record() for refit in self.refits],
            "familiarity": {"floor": self.familiarity.floor, "centre": self.familiarity.centre.tolist()},
        }

    @cached_property
    def content_hash(self) -> str:
        """Hash of its record, 8 hexadecimal digits."""
        return hash_of(self.record())

    @property
    def name(self) -> str:
        """Method, number of labelled texts and hash, for the signature of calibrated ratings."""
        return f"{self.method}-{self.labels.n}#{self.content_hash}"

    def check(self, rater: Signature, language: str) -> None:
        """Refuse a rater whose ratings differ from those that the calibration was fitted to.

        Args:
            rater: its signature.
            language: of its anchors.

        Raises:
            InputError: another model, language of the anchors, scale, precision or setting; the message names
                the first.
        """
        # How a text's language is known does not change its rating; the anchors' language does.
        ours = {**dict(self.ratings.fields), "anchor_language": self.language}
        theirs = {**dict(rater.fields), "anchor_language": language}
        # Another model or language has other anchors, too: the cause is named first.
        for name in dict.fromkeys(["model", "anchor_language", *ours, *theirs]):
            if name not in _PASSED_OVER and ours.get(name) != theirs.get(name):
                raise _refusal(name, ours.get(name, "none"), theirs.get(name, "none"))

    def pmf(self, predictors: Predictors) -> Floats:
        """Calibrated masses (n, k) of n texts."""
        return self.calibrator.pmf(predictors)

    def refit_pmf(self, predictors: Predictors) -> Refits:
        """Masses (n, b, k) of n texts under each of b refits."""
        pmf: Refits = np.empty((len(predictors), len(self.refits), len(predictors.values)), dtype=np.float32)
        for place, refit in enumerate(self.refits):
            pmf[:, place] = refit.pmf(predictors)
        return pmf

    def saw(self, texts: Sequence[str]) -> Mask:
        """Mark the texts (n,) that it was fitted to, whose calibrated ratings know their labels."""
        known = set(self.labels.texts)
        return np.array([text_hash(text) in known for text in texts], dtype=np.bool_)

    def unlike(self, vectors: Reals) -> Mask:
        """Mark vectors (n, d) of texts that are unlike those it was fitted to."""
        return self.familiarity.unlike(vectors)


def _refusal(name: str, ours: str, theirs: str) -> InputError:
    """Say in which setting the ratings differ from those that a calibration was fitted to."""
    if name == "translations" and "none" in {ours, theirs}:
        made, remedy = (
            ("without", "leave that out, or calibrate with it")
            if ours == "none"
            else ("with", "give that, or calibrate without it")
        )
        said = f"calibration was made {made}"
        return InputError(f"{said} language='auto': {remedy}", in_shell=f"{said} --language auto: {remedy}")
    if name == "translations":
        return InputError("calibration is for other translations of the anchors: calibrate anew")
    if name == "precision" and _precision(ours) != _precision(theirs):
        ours, theirs = _precision(ours), _precision(theirs)
    return InputError(
        f"calibration is for {name} {ours}, but the ratings have {name} {theirs}: rate with what it was made "
        "with, or calibrate anew"
    )


def _precision(arithmetic: str) -> str:
    """Name the precision that users give for an arithmetic, or the arithmetic where there is none.

    Example:
        >>> _precision("int8/128+bfloat16"), _precision("float16")
        ('turbo', 'float16')
    """
    return "turbo" if arithmetic.startswith("int8/") else _PRECISIONS.get(arithmetic, arithmetic)
