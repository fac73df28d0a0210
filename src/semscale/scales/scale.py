"""Scales: points with values and labels, anchor sets that represent the points, and probes."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from semscale.errors import InputError
from semscale.messages import mistakes_in_scale, shorten, unknown_name
from semscale.settings import NumbersModel
from semscale.types import FEWEST_POINTS, LANGUAGE_NAMES, MOST_POINTS, Floats
from semscale.yaml_reading import parse_yaml

LARGEST_VALUE = 1e6

SMALLEST_STEP = 1e-6
"""Limits within which squares and differences of values neither overflow nor underflow."""

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]

Finite = Annotated[float, Field(allow_inf_nan=False)]

Polarity = Literal["ascending-good", "ascending-bad", "neutral"]
"""Whether a higher value is good, bad, or neither (such as how often, how likely)."""


class Point(NumbersModel):
    """One point of a scale: a value with its label."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: Finite
    label: Text


class Probe(NumbersModel):
    """An everyday verbatim with its level in the scale's values, as a reader would rate it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: Text
    level: Finite


class Scale(BaseModel):
    """An ordered list of 2 to 11 points, with one or more anchor sets.

    Attributes:
        name: Name in kebab-case, for ``load_scale``.
        title: Measured construct, as a heading.
        question: A survey question whose answers it can rate.
        language: Language of the anchors, as an ISO 639-1 code.
        polarity: Whether a higher value is good (``ascending-good``), bad, or neither.
        points: 2 to 11 points with labels; values from -1e6 to 1e6, each at least 1e-6 above the one before.
        anchor_sets: For each set's name, one sentence per point, from the lowest point to the highest.
        sets_by_model: Sets to use by model name; other models use those of the default model of ratings, or
            all sets if that is not named either.
        provenance: Author and date of the anchors, and the data that they were tested on.
        notes: Notes for users; the reason if the scale does not pass the linter.
        aspect: Subject of the ratings, such as "the staff"; parts of a text about it then have the greatest
            weight, and texts that are not about it get no rating. ``None`` for the whole text.
        probes: Verbatims from low to high, written independently of the anchors, for the linter.
        sources: Source of each anchor set that a model or another person proposed.

    Raises:
        InputError: a field is missing, unknown or invalid; the one-line message names it.

    Examples:
        >>> scale = Scale(
        ...     name="mood", title="Mood", question="How are you?", provenance="an example",
        ...     points=({"value": 1, "label": "bad"}, {"value": 2, "label": "good"}),
        ...     anchor_sets={"plain": ("I feel bad.", "I feel good.")},
        ... )
        >>> scale.n_points, scale.labels
        (2, ('bad', 'good'))
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    title: Text
    question: Text
    language: Text = "en"
    polarity: Polarity = "ascending-good"
    points: tuple[Point, ...]
    anchor_sets: dict[Name, tuple[Text, ...]]
    sets_by_model: dict[Text, tuple[Name, ...]] = {}
    provenance: Text
    notes: str = ""
    aspect: Text | None = None
    probes: tuple[Probe, ...] = ()
    sources: dict[Name, Text] = {}

    def __init__(self, **fields: Any) -> None:
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise mistakes_in_scale(error, owner=fields.get("name"), known=type(self).model_fields) from None

    @property
    def n_points(self) -> int:
        """Number of points, k."""
        return len(self.points)

    @property
    def values(self) -> Floats:
        """Values of the points, shape (k,), strictly ascending."""
        return np.array([point.value for point in self.points], dtype=np.float64)

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the points, from low to high."""
        return tuple(point.label for point in self.points)

    @property
    def content_hash(self) -> str:
        """Eight hex digits of the SHA-256 of values, anchor sets and aspect, which decide the ratings."""
        content: dict[str, Any] = {
            "values": [point.value for point in self.points],
            "sets": list(self.anchor_sets.items()),
        }
        if self.aspect is not None:
            content["aspect"] = self.aspect
        return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()[:8]

    def with_sets(self, names: Iterable[str]) -> "Scale":
        """Return the scale with only some of its anchor sets, in the order of the names.

        Raises:
            UnknownNameError: the scale has no set of that name.
            InputError: there is no name, or a name appears twice.
        """
        wanted = list(names)
        for name in wanted:
            if name not in self.anchor_sets:
                raise unknown_name(f"{self.name} anchor set", name, list(self.anchor_sets))
        if not wanted or len(set(wanted)) < len(wanted):
            raise InputError("anchor_sets", f"must name at least one set, and none twice, got {wanted}")
        chosen = {name: self.anchor_sets[name] for name in wanted}
        sources = {name: source for name, source in self.sources.items() if name in chosen}
        return self.model_copy(update={"anchor_sets": chosen, "sets_by_model": {}, "sources": sources})

    def with_anchors(self, name: str, anchors: Sequence[str]) -> "Scale":
        """Return the scale with an anchor set replaced, or added if the scale has none of that name.

        Args:
            name: name of the set.
            anchors: one sentence for each point, from the lowest to the highest.

        Raises:
            InputError: the name or a sentence is invalid, or a sentence is missing or appears twice.

        Examples:
            >>> tea = Scale(
            ...     name="tea", title="Tea", question="How is it?", provenance="an example",
            ...     points=({"value": 1, "label": "bad"}, {"value": 2, "label": "good"}),
            ...     anchor_sets={"plain": ("Bad tea.", "Good tea.")},
            ... )
            >>> tea.with_anchors("cup", ["I left it.", "I drank it all."]).anchor_sets["cup"]
            ('I left it.', 'I drank it all.')
        """
        return Scale(**{**dict(self), "anchor_sets": {**self.anchor_sets, name: tuple(anchors)}})

    def for_model(self, model: str) -> "Scale":
        """Return the scale with the anchor sets for a model; with all of them if it is not named.

        Examples:
            >>> from semscale.scales import load_scale
            >>> len(load_scale("quality").for_model("e5-small").anchor_sets)
            14
        """
        names = self.sets_by_model.get(model)
        return self if names is None else self.with_sets(names)

    @field_validator("language")
    @classmethod
    def _check_language(cls, language: str) -> str:
        if language not in LANGUAGE_NAMES:
            codes = {name.lower(): code for code, name in LANGUAGE_NAMES.items()}
            tag = language.lower().replace("_", "-").partition("-")[0]
            code = codes.get(language.lower(), tag)
            remedy = f"write {code!r}" if code in LANGUAGE_NAMES else "write a code such as 'en' or 'de'"
            raise ValueError(f"language must be an ISO 639-1 code, got {shorten(language)}: {remedy}")
        return language

    @model_validator(mode="after")
    def _check_points(self) -> Self:
        if not FEWEST_POINTS <= len(self.points) <= MOST_POINTS:
            raise ValueError(f"points must be {FEWEST_POINTS} to {MOST_POINTS}, got {len(self.points)}")
        for point in self.points:
            if abs(point.value) > LARGEST_VALUE:
                raise ValueError(
                    f"values of points must lie in -{LARGEST_VALUE:g} to {LARGEST_VALUE:g}, "
                    f"got {point.value:g} ({point.label!r}); choose a larger unit"
                )
        for below, above in pairwise(self.points):
            if above.value <= below.value:
                raise ValueError(
                    f"values of points must ascend, got {below.value:g} ({below.label!r}) "
                    f"before {above.value:g} ({above.label!r})"
                )
            if above.value - below.value < SMALLEST_STEP:
                raise ValueError(
                    f"values of points must differ by {SMALLEST_STEP:g} at least, "
                    f"got {below.value!r} and {above.value!r}; choose a smaller unit"
                )
        repeated = _first_repeated(self.labels)
        if repeated is not None:
            raise ValueError(f"labels of points must differ, got {repeated!r} twice")
        return self

    @model_validator(mode="after")
    def _check_anchor_sets(self) -> Self:
        if not self.anchor_sets:
            raise ValueError("anchor_sets must hold at least one set, got none")
        seen: dict[tuple[str, ...], str] = {}
        for name, anchors in self.anchor_sets.items():
            if len(anchors) != len(self.points):
                raise ValueError(
                    f"anchor set {name!r} must have one anchor for each of the {len(self.points)} points, "
                    f"got {len(anchors)}"
                )
            repeated = _first_repeated(anchors)
            if repeated is not None:
                raise ValueError(f"anchors of set {name!r} must differ, got {repeated!r} twice")
            twin = seen.setdefault(tuple(map(_fold, anchors)), name)
            if twin != name:
                raise ValueError(f"anchor sets must differ, got the same anchors in {twin!r} and {name!r}")
        return self

    @model_validator(mode="after")
    def _check_sets_by_model(self) -> Self:
        for model, names in self.sets_by_model.items():
            unknown = [name for name in names if name not in self.anchor_sets]
            if unknown or not names or len(set(names)) < len(names):
                raise ValueError(
                    f"sets_by_model of {model!r} must name one or more of the anchor sets, each once, "
                    f"got {list(names)} (anchor sets: {', '.join(self.anchor_sets)})"
                )
        return self

    @model_validator(mode="after")
    def _check_sources(self) -> Self:
        unknown = [name for name in self.sources if name not in self.anchor_sets]
        if unknown:
            raise ValueError(
                f"sources must name anchor sets ({', '.join(self.anchor_sets)}), got {unknown[0]!r}"
            )
        return self

    @model_validator(mode="after")
    def _check_probes(self) -> Self:
        low, high = self.points[0].value, self.points[-1].value
        for probe in self.probes:
            if not low <= probe.level <= high:
                raise ValueError(
                    f"level of a probe must lie in {low:g} to {high:g}, got {probe.level:g} ({probe.text!r})"
                )
        repeated = _first_repeated([probe.text for probe in self.probes])
        if repeated is not None:
            raise ValueError(f"probes must differ, got {repeated!r} twice")
        return self


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _first_repeated(texts: Iterable[str]) -> str | None:
    """Return the first text that occurred before, ignoring case and white space."""
    seen: set[str] = set()
    for text in texts:
        if _fold(text) in seen:
            return text
        seen.add(_fold(text))
    return None


def parse_scale(content: bytes, *, source: str) -> Scale:
    """Parse a scale from the bytes of a YAML file.

    Args:
        content: The file, UTF-8.
        source: Name of the file in messages.

    Raises:
        InputError: it is not UTF-8, not YAML (the message names the line), or not a valid scale.

    Examples:
        >>> parse_scale(b"name: [", source="mine.yaml")
        Traceback (most recent call last):
        semscale.errors.InputError: 'mine.yaml', line 1: not readable as YAML: expected the node content...
    """
    fields = parse_yaml(content, source=source)
    if not isinstance(fields, dict):
        raise InputError(
            f"{source!r} must hold the keys of a scale (name, points, ...), got {shorten(fields)}"
        )
    named = {str(key): value for key, value in fields.items()}
    try:
        return Scale(**named)
    except InputError as error:
        raise InputError(f"{source!r}: {error}") from None
