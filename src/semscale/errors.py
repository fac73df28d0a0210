"""Every error that Semscale raises on purpose; a message names the parameter, the value and the remedy."""


class SemscaleError(Exception):
    """What all errors of Semscale have in common."""


class InputError(SemscaleError, ValueError):
    """What the caller passed cannot be used: a wrong value, column, file or shape."""


class UnknownNameError(InputError, KeyError):
    """A name that is not in the list it should be in; the message gives the nearest one."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which would put quotes around the sentence.
        return str(self.args[0]) if self.args else ""


class ModelError(SemscaleError):
    """A model's files are missing, damaged, not what was pinned, or of a kind that cannot be run."""


class ReplyError(SemscaleError):
    """A remote endpoint gave no usable reply."""


class MissingExtraError(SemscaleError, ImportError):
    """A package of an extra is not installed; the message gives the exact install command."""

    def __init__(self, package: str, extra: str) -> None:
        # Double quotes work in every shell, on Windows too. The line works in a checkout as well: pip and
        # uv take the Semscale that is installed and add what the extra needs.
        super().__init__(f'{package} is not installed: pip install "semscale[{extra}]"')


class InterruptedRunError(SemscaleError):
    """Work was stopped early by the user or by a cap; everything that was finished is kept."""
