"""Warns of arguments of ``uqlm`` that are taken and not applied, where the result means something else."""

import warnings
from collections.abc import Mapping

_INSTEAD = {
    "nli": "nli_model_name takes a name, a folder or a model of entailment",
    "grader_llm": "without grader_function a response is right if it has the words of the answer; semscale "
    "judge grades with a model, and tune_from_graded takes its grades",
}


def warn_of_ignored(given: Mapping[str, object], *, stacklevel: int = 3) -> None:
    """Warn of each argument that would have changed a result; others, such as ``device``, change none.

    Args:
        given: arguments by name; one that is ``None`` or false asks for nothing.
        stacklevel: whose line the warning names; 3 for the caller of the function that calls this one.
    """
    for name, instead in _INSTEAD.items():
        if given.get(name):
            warnings.warn(f"{name} is not applied: {instead}", UserWarning, stacklevel=stacklevel)
