"""Loading of scales by name, from the library that ships with Semscale, or from a user's YAML file."""

from functools import cache
from importlib import resources
from pathlib import Path

from semscale.errors import InputError
from semscale.messages import unknown_name
from semscale.scales.equivalence import MEASURED_WITH, equivalences
from semscale.scales.reading import parse_scale
from semscale.scales.scale import Scale
from semscale.scales.translation import languages_of, translated

_SUFFIXES = (".yaml", ".yml")


def scale_names() -> list[str]:
    """List the names of the scales that ship with Semscale, sorted.

    Example:
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
        language: ISO 639-1 code: question, anchors and probes of the library's scale as they are translated;
            whether a translation passed its check says ``semscale.scales.equivalence``, and where it passed
            with some of its sets, ``sets_by_model`` names these. As written unless given.

    Raises:
        UnknownNameError: no scale of that name ships with Semscale; the message has the nearest name.
        InputError: the file cannot be read, is no valid scale, or has no anchors in that language.

    Example:
        >>> load_scale("recommendation").n_points
        11
        >>> load_scale("purchase-intent", language="de").question
        'Wie wahrscheinlich ist es, dass Sie das kaufen?'
    """
    scale = _as_written(name_or_path)
    if language in {None, scale.language}:
        return scale
    return _with_serving_sets(_translation(scale, str(language)), _shipped(scale.name))


def in_language(scale: Scale, language: str) -> Scale:
    """Give a scale with its anchors in a language; the same scale where they are in it.

    A scale of the library has translations of sets that it ships with; of a scale that was changed, or of a
    user's own, there are none.

    Args:
        scale: the scale, with all its sets or some.
        language: ISO 639-1 code.

    Raises:
        InputError: the scale has no anchors in that language, or not of all its sets.
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
    """List the languages into which anchors of a scale are translated, sorted; none for a scale of one's own.

    Example:
        >>> languages_in(load_scale("purchase-intent").model_copy(update={"name": "my-own"}))
        []
    """
    if scale.name not in scale_names():
        return []
    shipped = _shipped(scale.name)
    same = scale.points == shipped.points and all(
        shipped.anchor_sets.get(name) == anchors for name, anchors in scale.anchor_sets.items()
    )
    return languages_of(scale.name) if same else []


def passed_languages(scale: Scale, model: str | None) -> tuple[str, ...]:
    """List the languages whose translated anchors may stand for a scale's own with a model, sorted.

    Args:
        scale: a scale of the library, with all its sets or some; any other one has no translations.
        model: name of the known model that rates, ``None`` for any other one. Translations were checked with
            the default model of ratings, and serve it alone.

    Example:
        >>> passed_languages(load_scale("purchase-intent"), "all-MiniLM-L6-v2")
        ()
    """
    if model != MEASURED_WITH:
        return ()
    measured = equivalences(scale.name)
    return tuple(
        code for code in languages_in(scale) if code in measured and measured[code].serving_sets(scale)
    )


def passed_translation(scale: Scale, language: str) -> Scale:
    """Give the translation that stands for a scale, with the sets that passed.

    Args:
        scale: the scale, with all its sets or some.
        language: one of ``passed_languages``.
    """
    return in_language(scale, language).with_sets(equivalences(scale.name)[language].serving_sets(scale))


def _with_serving_sets(translation: Scale, english: Scale) -> Scale:
    """Let the model that a translation was checked with use the sets that passed, if they are not all."""
    measured = equivalences(english.name).get(translation.language)
    sets = measured.serving_sets(english.for_model(MEASURED_WITH)) if measured else ()
    if measured is None or not sets or sets == measured.english_sets:
        return translation
    serving = {**translation.sets_by_model, MEASURED_WITH: sets}
    return translation.model_copy(update={"sets_by_model": serving})


def _translation(scale: Scale, language: str) -> Scale:
    """Read the translation of a scale, with the sets that are translated."""
    available = languages_in(scale)
    if language not in available:
        has = ", ".join([scale.language, *available])
        raise InputError(
            f"language must be one that the anchors of {scale.name!r} are in ({has}), got {language!r}"
        )
    return translated(_shipped(scale.name), language)


def _as_written(name_or_path: str | Path | Scale) -> Scale:
    if isinstance(name_or_path, Scale):
        return name_or_path
    if not isinstance(name_or_path, str | Path):
        raise InputError(
            f"scale must be a name such as 'purchase-intent', a YAML file or a Scale, got {name_or_path!r}"
        )
    path = Path(name_or_path)
    if isinstance(name_or_path, Path) or path.suffix.lower() in _SUFFIXES or len(path.parts) > 1:
        return parse_scale(_read(path), source=str(path))
    if name_or_path not in scale_names():
        raise unknown_name("scale", name_or_path, scale_names())
    return _shipped(name_or_path)


@cache
def _shipped(name: str) -> Scale:
    file = resources.files("semscale.scales") / f"{name}.yaml"
    return parse_scale(file.read_bytes(), source=name)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"scale file {str(path)!r} cannot be read: {error.strerror or error}") from None
