"""Semscale's errors; their messages name the parameter, the value and the remedy."""

from collections.abc import Sequence

from semscale.spelling import Spelling, in_python, leading_name, marked, spelled
from semscale.version import install_command


class SemscaleError(Exception):
    """Base class of all errors of Semscale.

    The message states the mistake and its remedy in one sentence; settings in it are marked
    (``semscale.spelling``).
    """

    def __str__(self) -> str:
        return self.spelled(in_python)

    def spelled(self, spelling: Spelling) -> str:
        """Return the message with the names that settings have in an interface."""
        return spelled(" ".join(map(str, self.args)), spelling)


class InputError(SemscaleError, ValueError):
    """The caller's input is invalid: a wrong value, column, file or shape.

    Args:
        *message: the mistake and its remedy, in one sentence; or the parameter that is wrong, and the rest of
            the sentence.

    Examples:
        >>> error = InputError("human_range", "belongs to `human`: name the column of ratings as well")
        >>> str(error), error.parameter
        ('human_range belongs to human: name the column of ratings as well', 'human_range')
    """

    def __init__(self, *message: object) -> None:
        match message:
            case [str(parameter), sentence]:
                blank = "" if str(sentence).startswith((":", ",")) else " "
                message = (f"{marked(parameter)}{blank}{sentence}",)
        super().__init__(*message)

    @property
    def parameter(self) -> str | None:
        """The parameter that is wrong, with which the message begins, if it is a single one."""
        return leading_name(str(self.args[0])) if self.args else None


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


class UnfinishedWarning(UserWarning):
    """A run ended early, by a cap or because replies were of no use; the message has the reason."""


class PrecisionWarning(UserWarning):
    """The processor lacks what a precision needs; the message has the arithmetic that is used instead."""


class StoppedByUserError(InterruptedRunError):
    """The user stopped a run, for example by Ctrl-C."""
