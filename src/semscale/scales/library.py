"""Scales that ship with Semscale, their translations, and loading of scales by name or file."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from semscale.errors import InputError
from semscale.input_files import read_input
from semscale.messages import mistakes_in_scale, shorten, unknown_name, unreadable
from semscale.scales.scale import Name, Probe, Scale, Text, parse_scale
from semscale.spelling import hint
from semscale.yaml_reading import parse_yaml

_SUFFIXES = (".yaml", ".yml")

MEASURED_WITH = "e5-small"
"""Model of the comparisons."""

MOST_DISTANCE = 0.08
"""Greatest mean absolute distance between a probe's two means, as a share of the scale's length."""

LEAST_RANK_CORRELATION = 0.8
"""Least Spearman's rho of the means of the translated probes with those of the English ones."""

MOST_LOSS = 0.05
"""Greatest rho by which English anchors may order the translated probes better than translated anchors."""

FEWEST_SETS, MOST_LEFT_OUT = 3, 2
"""Least number of sets of a translation, and greatest number of English ones that it may leave out."""

_FEWEST_ANSWERS = 3  # two answers, such as agree and disagree, are a choice rather than a scale

LanguageCode = Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")]
"""ISO 639-1."""


def scale_names() -> list[str]:
    """List the names of the scales that ship with Semscale, sorted.

    Examples:
        >>> "purchase-intent" in scale_names()
        True
    """
    folder = resources.files("semscale.scales")
    return sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".yaml"))


def load_scale(name_or_path: str | Path | Scale, *, language: str | None = None) -> Scale:
    """Load a scale by its name in the library, or from a YAML file.

    Args:
        name_or_path: A name from ``scale_names()``; a path (a ``Path``, or a text that ends in ``.yaml`` or
            ``.yml`` or contains a folder); or a ``Scale``, which is returned unchanged.
        language: ISO 639-1 code of a translation of the scale's question, anchors and probes; not translated
            by default. ``sets_by_model`` names the sets whose translation passed its check, if not all did.

    Raises:
        UnknownNameError: no scale of that name ships with Semscale; the message suggests the nearest name.
        InputError: the file cannot be read, is not a valid scale, or has no anchors in that language.

    Examples:
        >>> load_scale("recommendation").n_points
        11
        >>> load_scale("purchase-intent", language="de").question
        'Wie wahrscheinlich ist es, dass Sie das kaufen?'
    """
    scale = _as_written(name_or_path)
    if language in {None, scale.language}:
        return scale
    return _with_serving_sets(_translation(scale, str(language)), _load_shipped(scale.name))


def in_language(scale: Scale, language: str) -> Scale:
    """Return a scale with its anchors in a language; the same scale if they are in it already.

    Only shipped anchor sets have translations; changed scales and users' scales have none.

    Args:
        scale: the scale, with all its sets or some.
        language: ISO 639-1 code.

    Raises:
        InputError: the scale, or one of its sets, has no anchors in that language.
    """
    if language == scale.language:
        return scale
    translation = _translation(scale, language)
    lacking = [name for name in scale.anchor_sets if name not in translation.anchor_sets]
    if lacking:
        raise InputError(
            f"anchor sets {', '.join(lacking)} of {scale.name!r} are not translated into {language!r}: "
            f"choose among {', '.join(translation.anchor_sets)}"
        )
    return translation.with_sets(scale.anchor_sets)


def languages_in(scale: Scale) -> list[str]:
    """List the languages into which anchors of a scale are translated, sorted; none for a user's scale.

    Examples:
        >>> languages_in(load_scale("purchase-intent").model_copy(update={"name": "my-own"}))
        []
    """
    if scale.name not in scale_names():
        return []
    shipped = _load_shipped(scale.name)
    same = scale.points == shipped.points and all(
        shipped.anchor_sets.get(name) == anchors for name, anchors in scale.anchor_sets.items()
    )
    return languages_of(scale.name) if same else []


def list_passed_languages(scale: Scale, model: str | None) -> tuple[str, ...]:
    """List the languages whose translated anchors passed their check with a model, sorted.

    Args:
        scale: a shipped scale, with all its sets or some; other scales have no translations.
        model: name of the known model that rates, ``None`` for any other one. Translations are checked with,
            and used for, the default model of ratings only.

    Examples:
        >>> list_passed_languages(load_scale("purchase-intent"), "all-MiniLM-L6-v2")
        ()
    """
    if model != MEASURED_WITH:
        return ()
    measured = equivalences(scale.name)
    return tuple(
        code for code in languages_in(scale) if code in measured and measured[code].serving_sets(scale)
    )


def load_passed_translation(scale: Scale, language: str) -> Scale:
    """Return the translation of a scale, with the sets that passed their check.

    Args:
        scale: the scale, with all its sets or some.
        language: one of ``list_passed_languages``.
    """
    return in_language(scale.with_sets(equivalences(scale.name)[language].serving_sets(scale)), language)


def _with_serving_sets(translation: Scale, english: Scale) -> Scale:
    """Restrict a translation to the sets that passed with the model of the check, if not all did."""
    measured = equivalences(english.name).get(translation.language)
    sets = measured.serving_sets(english.for_model(MEASURED_WITH)) if measured else ()
    if measured is None or not sets or sets == measured.english_sets:
        return translation
    serving = {**translation.sets_by_model, MEASURED_WITH: sets}
    return translation.model_copy(update={"sets_by_model": serving})


def _translation(scale: Scale, language: str) -> Scale:
    """Load the translation of a scale, with the translated sets."""
    available = languages_in(scale)
    if language not in available:
        has = ", ".join([scale.language, *available])
        raise InputError(
            "language", f"must be one that the anchors of {scale.name!r} are in ({has}), got {language!r}"
        )
    return load_translation(_load_shipped(scale.name), language)


def _as_written(name_or_path: str | Path | Scale) -> Scale:
    if isinstance(name_or_path, Scale):
        return name_or_path
    if not isinstance(name_or_path, str | Path):
        raise InputError(
            "scale", f"must be a name such as 'purchase-intent', a YAML file or a Scale, got {name_or_path!r}"
        )
    path = Path(name_or_path)
    if isinstance(name_or_path, Path) or path.suffix.lower() in _SUFFIXES or len(path.parts) > 1:
        return parse_scale(_read(path), source=str(path))
    if name_or_path not in scale_names():
        raise unknown_name("scale", name_or_path, scale_names())
    return _load_shipped(name_or_path)


@cache
def _load_shipped(name: str) -> Scale:
    file = resources.files("semscale.scales") / f"{name}.yaml"
    return parse_scale(file.read_bytes(), source=name)


def _read(path: Path) -> bytes:
    try:
        return read_input(path)
    except OSError as error:
        raise unreadable(f"scale file {str(path)!r}", error) from None


class Translation(BaseModel):
    """A scale's question, anchors and probes in another language; points and levels are the English ones.

    Attributes:
        scale: name of the English scale.
        language: ISO 639-1 code of the language.
        translated: translator and date.
        question: the survey question.
        anchor_sets: translated sentences by name of the English set, in the same order; some sets may be
            missing.
        probes: translation of each English probe, in the same order.

    Raises:
        InputError: a field is missing, unknown or invalid; the one-line message names it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    scale: Name
    language: LanguageCode
    translated: Text
    question: Text
    anchor_sets: dict[Name, tuple[Text, ...]]
    probes: tuple[Text, ...]

    def __init__(self, **fields: Any) -> None:
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise mistakes_in_scale(error, owner=fields.get("scale"), known=type(self).model_fields) from None

    def translate(self, english: Scale) -> Scale:
        """Return the scale with this translation's question, anchors, probes and sets.

        Args:
            english: the translated scale, in English.

        Raises:
            InputError: it is a different scale, or sets, sentences or probes do not match one by one.
        """
        self._check_match(english)
        levels = (probe.level for probe in english.probes)
        serving = {
            model: tuple(name for name in names if name in self.anchor_sets)
            for model, names in english.sets_by_model.items()
            if model == MEASURED_WITH or set(names) <= set(self.anchor_sets)
        }
        # Sets that serve every model need not be named.
        serving = {model: names for model, names in serving.items() if names != tuple(self.anchor_sets)}
        return Scale(
            **{
                **dict(english),
                "question": self.question,
                "language": self.language,
                "anchor_sets": self.anchor_sets,
                "sets_by_model": serving,
                "provenance": self.translated,
                "notes": "",
                "sources": {},
                "probes": [
                    Probe(text=text, level=level) for text, level in zip(self.probes, levels, strict=True)
                ],
            }
        )

    def _check_match(self, english: Scale) -> None:
        if self.scale != english.name:
            raise InputError(
                "scale", f"must be {english.name!r}, the scale that is translated, got {self.scale!r}"
            )
        translated, known = list(self.anchor_sets), list(english.anchor_sets)
        if translated != [name for name in known if name in self.anchor_sets]:
            raise InputError(
                "anchor_sets",
                f"must be names of the English sets, in their order ({', '.join(known)}), "
                f"got {', '.join(translated)}",
            )
        if len(self.probes) != len(english.probes):
            raise InputError(
                "probes", f"must be {len(english.probes)}, one for each in English, got {len(self.probes)}"
            )


def translation_languages() -> list[str]:
    """List the languages into which shipped scales are translated, sorted.

    Examples:
        >>> "de" in translation_languages()
        True
    """
    return sorted(entry.name for entry in _folder().iterdir() if entry.is_dir())


def languages_of(scale: str) -> list[str]:
    """List the languages into which a shipped scale is translated, sorted; none for any other name.

    Examples:
        >>> languages_of("comfort")
        []
    """
    return [code for code in translation_languages() if _file(scale, code).is_file()]


def load_translation(english: Scale, language: str) -> Scale:
    """Load the shipped translation of a scale.

    Args:
        english: the shipped scale.
        language: one of ``languages_of``.

    Raises:
        InputError: the file is not valid, or does not match the scale.
    """
    source = f"{language}/{english.name}.yaml"
    fields = parse_yaml(_file(english.name, language).read_bytes(), source=source)
    return parse_translation(fields, source=source).translate(english)


def parse_translation(fields: object, *, source: str) -> Translation:
    """Parse the content of a translation.

    Args:
        fields: content of the file.
        source: name of the file in messages.

    Raises:
        InputError: it is not a valid translation.
    """
    if not isinstance(fields, dict):
        raise InputError(
            f"{source!r} must hold the keys of a translation (scale, ...), got {shorten(fields)}"
        )
    try:
        return Translation(**{str(key): value for key, value in fields.items()})
    except InputError as error:
        raise InputError(f"{source!r}: {error}") from None


def _folder() -> Traversable:
    return resources.files("semscale.scales") / "translations"


def _file(scale: str, language: str) -> Traversable:
    return _folder() / language / f"{scale}.yaml"


@dataclass(frozen=True)
class Equivalence:
    """Comparison of a translated scale with the English one.

    Attributes:
        english_sets: sets of the English scale for the model.
        anchor_sets: sets of the translation in use: all of them, or all that pass the linter.
        english: content hash of the English scale with ``english_sets``.
        translated: content hash of the translation with ``anchor_sets``.
        distance: mean absolute difference of the probes' means, as a share of the scale's length, 0 to 1.
        rank_correlation: Spearman's rho between the probes' means in both languages, -1 to 1.
        ladder: Spearman's rho of the translated probes' means with their levels, by the translated anchors.
        ladder_by_english: the same by the English anchors, which are used without a translation.
        linter: verdict of the linter on the translated scale.
        english_linter: verdict of the linter on the English scale, with the same model.
    """

    english_sets: tuple[str, ...]
    anchor_sets: tuple[str, ...]
    english: str
    translated: str
    distance: float
    rank_correlation: float
    ladder: float
    ladder_by_english: float
    linter: Literal["pass", "warn", "fail"]
    english_linter: Literal["pass", "warn", "fail"]

    def serving_sets(self, scale: Scale) -> tuple[str, ...]:
        """List the translated sets to use instead of those of a scale; none if the translation did not pass.

        Args:
            scale: a scale with all English sets of the comparison, and possibly untranslated ones; or with
                some of the translation's sets.
        """
        names = tuple(scale.anchor_sets)
        if not self.passed:
            return ()
        if set(self.english_sets) <= set(names):
            return tuple(name for name in names if name in self.anchor_sets)
        return names if set(names) <= set(self.anchor_sets) else ()

    @property
    def passed(self) -> bool:
        """True if means are close to the English ones, in their order, without loss or new linter failure."""
        return (
            self.distance <= MOST_DISTANCE
            and self.rank_correlation >= LEAST_RANK_CORRELATION
            and self.ladder >= self.ladder_by_english - MOST_LOSS
            and (self.linter != "fail" or self.english_linter == "fail")
        )


def equivalences(scale: str) -> Mapping[str, Equivalence]:
    """Return the comparisons of a shipped scale, by language; empty for other names."""
    return _equivalence_table().get(scale, {})


def sets_that_rate(scale: Scale) -> tuple[str, ...] | None:
    """List the sets that rate texts in a translated scale's language; ``None`` if it is not a translation.

    Args:
        scale: the translation, with all of its sets or those for a model.
    """
    equivalence = equivalences(scale.name).get(scale.language)
    if equivalence is None or not set(equivalence.anchor_sets) <= set(scale.anchor_sets):
        return None
    if scale.with_sets(equivalence.anchor_sets).content_hash != equivalence.translated:
        return None
    return equivalence.anchor_sets if equivalence.passed else ()


@cache
def _equivalence_table() -> dict[str, dict[str, Equivalence]]:
    file = resources.files("semscale.scales") / "translations" / "equivalence.json"
    scales = json.loads(file.read_text(encoding="utf-8"))["scales"]
    return {
        name: {code: _equivalence(**figures) for code, figures in by_language.items()}
        for name, by_language in scales.items()
    }


def _equivalence(english_sets: list[str], anchor_sets: list[str], **figures: Any) -> Equivalence:
    return Equivalence(english_sets=tuple(english_sets), anchor_sets=tuple(anchor_sets), **figures)


def fitting_scale(answers: Iterable[str]) -> str | None:
    """Return the shipped scale whose labels include all answers, with the fewest other labels.

    Case and white space are ignored, and "neutral" matches labels such as "neither agree nor disagree".

    Args:
        answers: different answers, in words.

    Returns:
        The name of a scale; ``None`` for fewer than three answers, or if one is not a label.

    Examples:
        >>> fitting_scale(["Agree", "disagree", "Neutral"]), fitting_scale(["Tea", "Coffee", "Water"])
        ('agreement', None)
    """
    folded = {_fold(answer) for answer in answers}
    if len(folded) < _FEWEST_ANSWERS:
        return None
    fitting = [(len(labels - folded), name) for name, labels in _labels() if folded <= labels]
    return min(fitting)[1] if fitting else None


def scale_caution(question: str, answers: Iterable[str]) -> tuple[str, ...]:
    """Return a warning that unordered answers are labels of a scale; empty if no scale fits.

    Args:
        question: name of the question.
        answers: different answers, in words.
    """
    scale = fitting_scale(answers)
    if scale is None:
        return ()
    return (
        f"‘{question}’ is read as a choice without an order, but its answers are labels of the scale "
        f"{scale}" + hint(f'; tables --scale "{question}={scale}" gives their mean and top 2'),
    )


@cache
def _labels() -> tuple[tuple[str, frozenset[str]], ...]:
    """The labels of each scale of the library."""
    return tuple((name, _with_neutral(load_scale(name).labels)) for name in scale_names())


def _with_neutral(labels: Iterable[str]) -> frozenset[str]:
    folded = {_fold(label) for label in labels}
    is_neutral = sum(label.startswith("neither ") for label in folded) == 1
    return frozenset(folded | {"neutral"} if is_neutral else folded)


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())
