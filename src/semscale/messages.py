"""One-line messages about invalid input: unknown names and settings, and mistakes in files."""

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import wraps
from inspect import signature
from itertools import islice
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from semscale.errors import InputError, MistakesError, UnknownNameError

if TYPE_CHECKING:
    from pydantic import ValidationError

_LONGEST_SHOWN = 60
_LONGEST_READ = 1000  # characters, items or keys of a value of which 60 characters are shown
_ALIKE = 0.5  # a short name with one wrong letter is still recognised
_REMEDIES = {
    "string_type": "must be text, in quotes if it reads like a number or like yes and no",
    "string_too_short": "must not be empty",
    "string_pattern_mismatch": "must be lower-case words joined by hyphens",
    "dict_type": "must be a mapping of names to lists",
    "model_type": "must be a mapping with its keys",
}
"""Requirement for the value of a key in a file, by pydantic's type of error."""

_TYPE = re.compile(
    r"(str|int|float|bool|none)|(dict|list|tuple|literal|function-\w+|constrained-\w+)\[?.*|constrained-\w+"
)
"""pydantic's name of one type of a value that may have several, in the path of an error."""

_QUOTES = re.compile(r"(?<!\w)['\"]|['\"](?!\w)")
"""Quotes around values that pydantic lists, but no apostrophe within one."""

_BOUNDS = {
    "greater_than": ("gt", ">"),
    "greater_than_equal": ("ge", ">="),
    "less_than": ("lt", "<"),
    "less_than_equal": ("le", "<="),
}
_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "bool": "true or false",
    "string": "a text",
    "list": "a list",
    "tuple": "a list",
    "dict": "a mapping",
}


def nearest_names(name: str, known: Iterable[str], *, n: int, alike: float = 0.5) -> list[str]:
    """Find the known names that are most similar to a mistyped one, the most similar first.

    Args:
        name: the name that the user wrote.
        known: the known names.
        n: largest number of names to return.
        alike: smallest similarity of a returned name, 0 to 1 (``difflib``'s ratio).

    Examples:
        >>> nearest_names("trst", ["quality", "trust", "trusty"], n=2)
        ['trust', 'trusty']
    """
    return difflib.get_close_matches(name, list(known), n=n, cutoff=alike)


def nearest_name(name: str, known: Iterable[str], *, alike: float = 0.6) -> str | None:
    """Find the known name that is most similar to a mistyped one; ``None`` if none is similar enough.

    Args:
        name: the name that the user wrote.
        known: the known names.
        alike: smallest similarity of the returned name, 0 to 1 (``difflib``'s ratio).

    Examples:
        >>> nearest_name("purchse-intent", ["trust", "purchase-intent"])
        'purchase-intent'
    """
    return next(iter(nearest_names(name, known, n=1, alike=alike)), None)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message that suggests the nearest known name; "" if none is similar enough.

    Examples:
        >>> did_you_mean("trst", ["quality", "trust"]), did_you_mean("x", ["quality"])
        ("; did you mean 'trust'?", '')
    """
    near = nearest_name(name, known)
    return f"; did you mean {near!r}?" if near else ""


def unknown_name(what: str, name: str, known: Collection[str]) -> UnknownNameError:
    """Build the error for an unknown name; its message suggests the nearest name and lists all known names.

    Examples:
        >>> str(unknown_name("scale", "trst", ["quality", "trust"]))
        "unknown scale 'trst': did you mean 'trust'? (known: quality, trust)"
    """
    near = nearest_name(name.lower(), known, alike=_ALIKE)
    question = f": did you mean {near!r}?" if near else ""
    return UnknownNameError(f"unknown {what} {shorten(name)}{question} (known: {', '.join(known)})")


def unknown_setting(owner: str, name: str, known: Collection[str]) -> TypeError:
    """Build the error for an unknown setting of a function or class; ``known`` are its parameters.

    Examples:
        >>> str(unknown_setting("Rater", "scal", ["self", "scale", "floor"]))
        "Rater has no setting 'scal': did you mean 'scale'? (known: scale, floor)"
    """
    names = [parameter for parameter in known if parameter != "self"]
    near = nearest_name(name, names)
    question = f": did you mean {near!r}?" if near else ""
    return TypeError(f"{owner} has no setting {name!r}{question} (known: {', '.join(names)})")


def mistakes_in_scale(error: "ValidationError", *, owner: object, known: Collection[str]) -> MistakesError:
    """Make the error of a scale, whose message has the first mistake and the number of further ones."""
    prefix = f"scale {owner!r}: " if isinstance(owner, str) else "scale: "
    mistakes = [f"{prefix}{mistake}" for mistake in all_mistakes(error, known)]
    return MistakesError(f"{prefix}{first_mistake(error, known)}", mistakes)


def first_mistake(error: "ValidationError", known: Collection[str]) -> str:
    """Describe the mistakes in a user's keys in one line: the first mistake and the number of further ones.

    Args:
        error: pydantic's error.
        known: the known keys; the message suggests the nearest one.
    """
    details = error.errors()
    first, further = details[0], len(details) - 1
    if first["type"] == "missing":
        # A key that is unknown is often the missing one, mistyped.
        unknown = (detail for detail in details if detail["type"] == "extra_forbidden")
        first = next(unknown, first)
    more = f" (and {further} more {'mistake' if further == 1 else 'mistakes'})" if further else ""
    return _describe_error(first, known) + more


def all_mistakes(error: "ValidationError", known: Collection[str]) -> list[str]:
    """Describe all mistakes in a caller's keys, each in one line; unknown keys explain missing ones.

    Args:
        error: pydantic's error.
        known: the known keys; messages suggest the nearest one.
    """
    groups: dict[tuple[int | str, ...], list[Any]] = {}
    for detail in sorted(error.errors(), key=lambda detail: detail["type"] != "extra_forbidden"):
        # A value that may have several types has an error for each of them.
        path = tuple(step for step in detail["loc"] if isinstance(step, int) or not _TYPE.fullmatch(step))
        groups.setdefault(path, []).append({**detail, "loc": path})
    return [
        _describe_error(details[0], known) if len(details) == 1 else _any_of(details)
        for details in groups.values()
    ]


def _any_of(details: Sequence[Any]) -> str:
    """Describe a value that has none of several types."""
    types = [
        f"one of {detail['ctx']['expected']}"
        if detail["type"] == "literal_error"
        else _TYPES.get(detail["type"].partition("_")[0])
        for detail in details
    ]
    stated = list(dict.fromkeys(kind for kind in types if kind is not None))
    if not stated:
        return _describe_error(details[0], ())
    return (
        f"{_name_path(details[0]['loc'])} must be {' or '.join(stated)}, got {shorten(details[0]['input'])}"
    )


def unreadable(file: str, error: OSError) -> InputError:
    """Make the error of a file that cannot be opened.

    Examples:
        >>> print(unreadable("scale file 'my.yaml'", FileNotFoundError(2, "No such file or directory")))
        scale file 'my.yaml' cannot be read: No such file or directory; check the name of the file
    """
    return InputError(f"{file} cannot be read: {error.strerror or error}; check the name of the file")


def shorten(value: object) -> str:
    """Return the ``repr`` of a value, shortened to at most 60 characters.

    Examples:
        >>> shorten("a" * 100)[-4:]
        "...'"
    """
    match value:
        case str() | list() if len(value) > _LONGEST_READ:
            value = value[:_LONGEST_READ]
        case dict() if len(value) > _LONGEST_READ:
            value = dict(islice(value.items(), _LONGEST_READ))
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 4] + "..." + text[-1]


def _name_path(path: Sequence[int | str]) -> str:
    """Name a position in a file for the file's author, counting from 1.

    Examples:
        >>> _name_path(("points", 0, "value")), _name_path(("anchor_sets", "plain", 1))
        ('point 1, value', "anchor set 'plain', anchor 2")
    """
    match path:
        case ("points" | "probes" | "codes" | "concepts" | "questions" | "model" as many, int(index), *rest):
            inside = [step + 1 if isinstance(step, int) else step for step in rest]
            return ", ".join([f"{many.removesuffix('s')} {index + 1}", *map(str, inside)])
        case ("anchor_sets", name, int(index)):
            return f"anchor set {name!r}, anchor {index + 1}"
        case ("anchor_sets", name, "[key]"):
            return f"name of anchor set {name!r}"
        case ("anchor_sets", name):
            return f"anchor set {name!r}"
        case (*inside, key, "[key]"):
            return ", ".join([*map(str, inside), f"the key {key}"])
        case _:
            return ", ".join(map(str, path))


def _keys_of(detail: Any) -> str:
    """Name the keys of a required mapping, where the file has another value."""
    known = {"points": ", value and label", "probes": ", text and level", "model": ", or a name"}
    return known.get(str(detail["loc"][0]), "") if detail["type"] == "model_type" else ""


def _describe_error(detail: Any, known: Collection[str]) -> str:
    field = _name_path(detail["loc"])
    if detail["type"] == "extra_forbidden":
        key, inside = detail["loc"][-1], detail["loc"][:-1]
        near = None if inside else nearest_name(str(key).lower(), known, alike=_ALIKE)
        return f"{_name_path(inside)}: unknown key {key!r}: ".removeprefix(": ") + (
            f"did you mean {near!r}?" if near else "remove it"
        )
    remedy = _REMEDIES.get(detail["type"])
    if remedy is not None:
        return f"{field} {remedy}{_keys_of(detail)}, got {shorten(detail['input'])}"
    return describe_mistake(field, detail)


def describe_mistake(name: str, detail: Any) -> str:
    """Describe one of pydantic's errors: the name, the condition and the value.

    Args:
        name: name of the setting, field or key.
        detail: an entry of ``ValidationError.errors()``.
    """
    kind, context, value = detail["type"], detail.get("ctx", {}), shorten(detail["input"])
    if kind == "missing":
        return f"{name} is missing: add it"
    if kind == "value_error":
        return str(context["error"])
    hint = ""
    if kind in _BOUNDS:
        bound, sign = _BOUNDS[kind]
        condition = f"must be {sign} {context[bound]:g}"
    elif kind == "too_short":
        least = context["min_length"]
        condition = f"must have at least {least} {'entry' if least == 1 else 'entries'}"
    elif kind == "literal_error":
        names = _QUOTES.sub("", context["expected"])
        condition = f"must be {names}"
        near = nearest_name(str(detail["input"]), re.split(", | or ", names))
        hint = f"; did you mean {near!r}?" if near else ""
    elif (expected := _TYPES.get(kind.partition("_")[0])) is not None:
        condition = f"must be {expected}"
    else:
        return f"{name}: {detail['msg'].lower()}, got {value}"
    return f"{name} {condition}, got {value}{hint}"


_P = ParamSpec("_P")
_R = TypeVar("_R")


def reject_unknown_settings(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Make a function (or a class, through ``__init__``) report unknown settings by name.

    Args:
        function: the function; it takes settings by name and no ``**settings``.

    Returns:
        The function; a call with an unknown setting raises ``TypeError``.

    Examples:
        >>> @reject_unknown_settings
        ... def rate(texts, *, scale="trust", floor=None): ...
        >>> rate([], scal="quality")
        Traceback (most recent call last):
        TypeError: rate has no setting 'scal': did you mean 'scale'? (known: texts, scale, floor)
    """
    owner = function.__qualname__.removesuffix(".__init__")
    parameters = signature(function).parameters

    @wraps(function)
    def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        for name in kwargs:
            if name not in parameters:
                raise unknown_setting(owner, name, parameters)
        return function(*args, **kwargs)

    return wrapper
