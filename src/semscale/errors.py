"""Semscale's errors; their messages name the parameter, the value and the remedy."""

from collections.abc import Sequence

from semscale.version import install_command


class SemscaleError(Exception):
    """Base class of all errors of Semscale.

    Args:
        *message: the mistake and its remedy, in one sentence.
        in_shell: the same message with names of options in place of names of settings.
    """

    in_shell: str | None = None

    def __init__(self, *message: object, in_shell: str | None = None) -> None:
        super().__init__(*message)
        self.in_shell = in_shell

    @property
    def shell_message(self) -> str:
        """Message that the command line prints."""
        return str(self) if self.in_shell is None else self.in_shell


class InputError(SemscaleError, ValueError):
    """The caller's input is invalid: a wrong value, column, file or shape."""


class RowError(InputError):
    """A row has an invalid value; callers may replace the row's number by a better name.

    Args:
        message: the message, with ``{row}`` for the row.
        row: number of the row, from 0.

    Examples:
        >>> wrong = RowError("the stratum of {row} has a single cluster", 4)
        >>> str(wrong), str(wrong.at("the row with region 'north'"))[:50]
        ('the stratum of row 5 has a single cluster', "the stratum of the row with region 'north' has a s")
    """

    def __init__(self, message: str, row: int) -> None:
        super().__init__(message.replace("{row}", f"row {row + 1:,}"))
        self.message, self.row = message, row

    def at(self, row_name: str) -> InputError:
        """Return the same error with another name for the row."""
        return InputError(self.message.replace("{row}", row_name))


class MistakesError(InputError):
    """A value has one or more mistakes; the message names the first one.

    Args:
        message: the message.
        mistakes: all mistakes, each in one line.
    """

    def __init__(self, message: str, mistakes: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.mistakes = tuple(mistakes) or (message,)


class EmptyTableError(InputError):
    """A table has a header but no rows."""


class SpecialFileError(InputError, OSError):
    """A pipe, a device or a socket is named where a file is needed."""


class UnreachableError(InputError):
    """A file behind a URL cannot be read or written; finished parts of a run stay stored."""


class UnknownNameError(InputError, KeyError):
    """A name is unknown; the message suggests the nearest known name."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, so the sentence would have quotes around it.
        return str(self.args[0]) if self.args else ""


class ModelError(SemscaleError):
    """A model's files are missing, damaged, do not match their hashes, or cannot be run."""


class UnsupportedModelError(ModelError):
    """The engine cannot run a model of this architecture exactly."""


class ReplyError(SemscaleError):
    """A remote endpoint gave no usable reply."""


class MissingExtraError(SemscaleError, ImportError):
    """A package of an extra is not installed; the message has the exact install command."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed: {install_command(f'semscale[{extra}]')}")


class ClusterError(SemscaleError):
    """A cluster, or a process or node of it, failed during a run; finished parts stay stored."""


class InterruptedRunError(SemscaleError):
    """The user or a limit stopped a run; everything that was finished is stored."""


class StoppedByUserError(InterruptedRunError):
    """The user stopped a run, for example by Ctrl-C."""
