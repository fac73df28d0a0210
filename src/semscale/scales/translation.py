"""Translations of the library's scales: one file for each language and scale, in ``scales/translations``."""

from importlib import resources
from importlib.resources.abc import Traversable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from semscale.errors import InputError
from semscale.messages import one_line, shortened
from semscale.scales.scale import Name, Probe, Scale, Text
from semscale.yaml_reading import parse_yaml

LanguageCode = Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")]
"""ISO 639-1."""


class Translation(BaseModel):
    """A scale's question, anchors and probes in another language; points and levels stay those in English.

    Attributes:
        scale: name of the English scale.
        language: ISO 639-1 code of the language.
        translated: who translated it, and when.
        question: the survey question.
        anchor_sets: for English sets, by their names, as many sentences in the same order; some may lack.
        probes: one for each English probe, in the same order.

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

    def __init__(self, **fields: Any) -> None:  # noqa: ANN401 - pydantic decides what each field may be
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise InputError(
                one_line(error, owner=fields.get("scale"), known=type(self).model_fields)
            ) from None

    def applied_to(self, english: Scale) -> Scale:
        """Give the scale with this translation's question, anchors and probes, and the sets that it has.

        Args:
            english: the scale that was translated.

        Raises:
            InputError: it is another scale, or sets, sentences or probes do not match one by one.
        """
        self._check_match(english)
        levels = (probe.level for probe in english.probes)
        serving = english.sets_by_model.items()
        return Scale(
            **{
                **dict(english),
                "question": self.question,
                "language": self.language,
                "anchor_sets": self.anchor_sets,
                "sets_by_model": {
                    model: names for model, names in serving if set(names) <= set(self.anchor_sets)
                },
                "provenance": self.translated,
                "notes": "",
                "probes": [
                    Probe(text=text, level=level) for text, level in zip(self.probes, levels, strict=True)
                ],
            }
        )

    def _check_match(self, english: Scale) -> None:
        if self.scale != english.name:
            raise InputError(
                f"scale must be {english.name!r}, the scale that is translated, got {self.scale!r}"
            )
        ours, theirs = list(self.anchor_sets), list(english.anchor_sets)
        if ours != [name for name in theirs if name in self.anchor_sets]:
            raise InputError(
                f"anchor_sets must be of those in English, in their order ({', '.join(theirs)}), "
                f"got {', '.join(ours)}"
            )
        if len(self.probes) != len(english.probes):
            raise InputError(
                f"probes must be {len(english.probes)}, one for each in English, got {len(self.probes)}"
            )


def translated_languages() -> list[str]:
    """List the languages into which scales of the library are translated, sorted.

    Example:
        >>> "de" in translated_languages()
        True
    """
    return sorted(entry.name for entry in _folder().iterdir() if entry.is_dir())


def languages_of(scale: str) -> list[str]:
    """List the languages into which one scale of the library is translated, sorted; none for any other name.

    Example:
        >>> languages_of("comfort")
        []
    """
    return [code for code in translated_languages() if _file(scale, code).is_file()]


def translated(english: Scale, language: str) -> Scale:
    """Read the translation of a scale of the library that ships with Semscale.

    Args:
        english: the scale, as it ships.
        language: one of ``languages_of``.

    Raises:
        InputError: the file is not valid, or does not match the scale.
    """
    source = f"{language}/{english.name}.yaml"
    fields = parse_yaml(_file(english.name, language).read_bytes(), source=source)
    return parse_translation(fields, source=source).applied_to(english)


def parse_translation(fields: object, *, source: str) -> Translation:
    """Check the content of a translation.

    Args:
        fields: what the file holds.
        source: the file's name in messages.

    Raises:
        InputError: it is no valid translation.
    """
    if not isinstance(fields, dict):
        raise InputError(
            f"{source!r} must hold the keys of a translation (scale, ...), got {shortened(fields)}"
        )
    try:
        return Translation(**{str(key): value for key, value in fields.items()})
    except InputError as error:
        raise InputError(f"{source!r}: {error}") from None


def _folder() -> Traversable:
    return resources.files("semscale.scales") / "translations"


def _file(scale: str, language: str) -> Traversable:
    return _folder() / language / f"{scale}.yaml"
