"""Names of settings in messages, which each interface spells in its own way.

A message names a setting between backticks, with a value if there is one, as Python code would write it:
"`device='cuda'` belongs to `engine='torch'`". Python shows ``device='cuda' belongs to engine='torch'``, the
command line ``--device cuda belongs to --engine torch``, and an HTTP response ``device=cuda belongs to
engine=torch``. Where parameters of two functions have one name and two options, the message says whose it is:
"`chat:base_url`".

What only helps those who type, such as an option to use, is a hint: "no weights were used" followed by
``hint(" (`weight`)")``. The command line and JSON show the hint in its sentence. A page shows the sentence
without it, and the whole sentence at its end. The marks around a hint are halves of surrogate pairs, which
neither a table nor a command line can contain, so that a text of a user is never taken for a hint. They
cannot be encoded, so results store their sentences as ``Note``: a text without marks that keeps them apart.
"""

import re
import shlex
from collections.abc import Callable, Iterable
from typing import Self

Spelling = Callable[[str, str | None], str]
"""Returns how an interface names a setting, and its value if there is one."""

_NAME = r"(?:[a-z]+:)?[A-Za-z_]\w*(?:\.\w+|\[\d+\])*"
_SETTING = re.compile(rf"`(?P<name>{_NAME})(?:=(?P<value>[^`]+))?`")
_START, _END = "\udbfe", "\udbff"
_HINT = re.compile(f"{_START}([^{_START}{_END}]*){_END}")
_QUOTED = re.compile(r"""(['"])(.*)\1""", re.DOTALL)


class Note(str):
    """A sentence as Python shows it; the functions of this module spell it for other interfaces.

    What is cut out of it, or joined with it, is plain text: work on ``marked`` to keep its marks.

    Attributes:
        marked: the sentence with its marks.

    Examples:
        >>> note = Note("no weights were used" + hint(" (`weight`)"))
        >>> print(note), print(spelled(note, as_option)), print(without_hints(note))
        no weights were used (weight)
        no weights were used (--weight)
        no weights were used
        (None, None, None)
    """

    marked: str

    def __new__(cls, text: str) -> Self:
        """Create the note of a sentence with marks, or an equal one of a note."""
        note = super().__new__(cls, spelled(text, in_python))
        note.marked = with_marks(text)
        return note


def notes_from(sentences: Iterable[str]) -> tuple[Note, ...]:
    """Return sentences as results store them."""
    return tuple(map(Note, sentences))


def with_marks(text: str) -> str:
    """Return a text with the marks that it has as a note."""
    return text.marked if isinstance(text, Note) else text


def marked(name: str) -> str:
    """Mark the name of a setting in a message; what cannot be such a name is returned as it is.

    Examples:
        >>> marked("base_url"), marked("--model")
        ('`base_url`', '--model')
    """
    return f"`{name}`" if re.fullmatch(_NAME, name) else name


def leading_name(text: str) -> str | None:
    """Return the setting that a message begins with; ``None`` if it begins otherwise.

    Examples:
        >>> leading_name("`base_url` must be an address"), leading_name("b.csv has no rows")
        ('base_url', None)
    """
    match = _SETTING.match(text)
    return None if match is None else match["name"]


def hint(text: str) -> str:
    """Mark what only helps those who type, for use within a sentence.

    Args:
        text: the hint, with the blank or the punctuation that separates it from its sentence.

    Examples:
        >>> without_hints("no weights were used" + hint(" (`weight`)"))
        'no weights were used'
    """
    return f"{_START}{text}{_END}"


def spelled(text: str, spelling: Spelling) -> str:
    """Spell the settings that are marked in a text, and show its hints.

    Examples:
        >>> spelled("`chat:base_url` belongs to `engine='openai'`", in_python)
        "base_url belongs to engine='openai'"
        >>> spelled("no weights were used" + hint(" (`weight`)"), as_option)
        'no weights were used (--weight)'
    """
    return _SETTING.sub(lambda match: spelling(match["name"], match["value"]), with_hints(text))


def with_hints(text: str) -> str:
    """Show the hints of a text without spelling its settings, as in a sentence with names from a file.

    Examples:
        >>> with_hints("‘99’ is left out" + hint("; list it as an answer"))
        '‘99’ is left out; list it as an answer'
    """
    return _HINT.sub(r"\1", with_marks(text))


def has_hint(text: str) -> bool:
    """Return true if a text has a hint for those who type."""
    return _HINT.search(with_marks(text)) is not None


def without_hints(text: str) -> str:
    """Leave out the hints of a text.

    Examples:
        >>> without_hints("no weights were used" + hint(" (`weight`)"))
        'no weights were used'
    """
    return _HINT.sub("", with_marks(text))


def in_python(name: str, value: str | None) -> str:
    """Name a setting as Python code does."""
    name = plain_name(name)
    return name if value is None else f"{name}={value}"


def in_request(name: str, value: str | None) -> str:
    """Name a setting as a field of a request; a text has no quotes around it.

    Examples:
        >>> in_request("engine", "'api'"), in_request("engine", None)
        ('engine=api', 'engine')
    """
    name = plain_name(name)
    return name if value is None else f"{name}={without_quotes(value)}"


def as_option(name: str, value: str | None) -> str:
    """Name a setting as an option of a shell's command.

    Examples:
        >>> as_option("human_range", None), as_option("restart", "True"), as_option("where", "'age > 18'")
        ('--human-range', '--restart', "--where 'age > 18'")
    """
    return option_with_value(option_name(name), value)


def option_name(setting: str) -> str:
    """Return the name of a setting's option, such as ``--recall-share`` of ``recall_share``."""
    return f"--{plain_name(setting).replace('_', '-')}"


def option_with_value(option: str, value: str | None) -> str:
    """Return an option with its value as it is written in a shell; a switch that is on has none.

    Args:
        option: name of the option.
        value: the value as Python code writes it; ``None`` for the option alone.
    """
    if value is None or value == "True":
        return option
    return f"{option} {_quote(without_quotes(value))}"


def _quote(text: str) -> str:
    """Quote a text for a shell, with quotes of the kind that it does not contain."""
    has_single_alone = "'" in text and not set('"$`\\!').intersection(text)
    return f'"{text}"' if has_single_alone else shlex.quote(text)


def plain_name(name: str) -> str:
    """Return the name of a parameter without the function that it belongs to."""
    return name.rpartition(":")[2]


def without_quotes(value: str) -> str:
    """Return a value without the quotes that Python code puts around a text.

    Examples:
        >>> without_quotes("'api'"), without_quotes("5")
        ('api', '5')
    """
    quoted = _QUOTED.fullmatch(value)
    return value if quoted is None else quoted[2]
