"""Results of ``bert_score.score``: tensors where PyTorch is installed, else arrays that stand in for them."""

from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Never, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from semscale.errors import SemscaleError
from semscale.types import Floats

if TYPE_CHECKING:
    import torch

_REDUCTIONS = ("mean", "sum", "prod", "std", "var", "max", "min", "argmax", "argmin", "cumsum", "all", "any")
_ARGUMENTS_OF_TENSORS = ("dim", "keepdim", "unbiased", "descending")


class NoTensorError(SemscaleError, AttributeError, TypeError):
    """Something that only a tensor has was asked of an array, because PyTorch is not installed."""

    def __init__(self, asked: str) -> None:
        super().__init__(
            f"scores are NumPy arrays without {asked} here, and tensors where PyTorch is installed: "
            'pip install "semscale[torch]"'
        )


class _Size(int):
    """The ``size`` of an array; a tensor's is called, and gives its shape."""

    def __call__(self, *_: object) -> Never:
        raise NoTensorError("size()")


class ScoreArray(npt.NDArray[np.float64]):
    """A NumPy array with the simplest methods of a tensor; any other one is refused with what to install.

    ``std()`` and ``var()`` divide by n - 1, as those of tensors do; ``numpy.std(scores)`` divides by n.

    Raises:
        NoTensorError: (an ``AttributeError`` and a ``TypeError``) what only a tensor has is asked for.

    Example:
        >>> scores = np.array([0.25, 0.75]).view(ScoreArray)
        >>> scores.cpu().numpy().tolist(), scores.mean().item()
        ([0.25, 0.75], 0.5)
        >>> hasattr(scores, "topk")
        False
    """

    def cpu(self) -> Self:
        """Return the array itself, as it is in memory already."""
        return self

    def detach(self) -> Self:
        """Return the array itself, as it has no gradient."""
        return self

    def numpy(self) -> npt.NDArray[np.float64]:
        """Return a plain NumPy array that shares the memory."""
        return np.ndarray.view(self, np.ndarray)

    @property
    def size(self) -> _Size:
        """How many scores there are."""
        return _Size(super().size)

    def view(self, *shape: Any, **settings: Any) -> Any:  # noqa: ANN401 - as NumPy's
        """View the array as another type, as NumPy does; a tensor's view has another shape."""
        if any(isinstance(one, int | np.integer | tuple) for one in shape):
            raise NoTensorError("view(shape)")
        return super().view(*shape, **settings)

    def sort(self, *_: object, **__: object) -> Never:
        """Refuse, as NumPy sorts in place and a tensor returns its values in order; ``numpy.sort`` works."""
        raise NoTensorError("sort()")

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: Iterable[type],  # noqa: ARG002 - NumPy's protocol
        args: Iterable[Any],
        settings: Mapping[str, Any],
    ) -> Any:  # noqa: ANN401 - as NumPy's
        """Give NumPy's functions plain arrays, as some of them call the methods that are refused here."""
        return function(*map(_plain, args), **{name: _plain(value) for name, value in settings.items()})

    def __getattr__(self, name: str) -> Never:
        raise NoTensorError(name)


def _plain(argument: Any) -> Any:  # noqa: ANN401 - any argument of NumPy's functions
    if isinstance(argument, ScoreArray):
        return argument.numpy()
    return type(argument)(map(_plain, argument)) if type(argument) in (list, tuple) else argument


Scores: TypeAlias = "ScoreArray | torch.Tensor"
"""One score for each pair."""

Triple = tuple[Scores, Scores, Scores]
"""Precision, recall and F1, each of shape (n,), or (layers + 1, n) with ``all_layers``."""


def tensor_or_array(values: Floats) -> Scores:
    """Return a tensor of float32, as ``bert_score`` does, or an array of float64 where PyTorch is missing.

    Args:
        values: of any shape.
    """
    if find_spec("torch") is None:
        array: ScoreArray = values.view(ScoreArray)
        return array
    import torch

    return torch.tensor(values, dtype=torch.float32)


def _refusing_arguments_of_tensors(name: str) -> Callable[..., Any]:
    """Make a method that works as NumPy's does, and refuses a tensor's arguments."""
    inherited = getattr(np.ndarray, name)
    defaults = {"ddof": 1} if name in {"std", "var"} else {}

    def method(self: ScoreArray, *args: Any, **settings: Any) -> Any:  # noqa: ANN401 - as NumPy's
        for argument in _ARGUMENTS_OF_TENSORS:
            if argument in settings:
                raise NoTensorError(f"{name}({argument}=...)")
        return inherited(self, *args, **(defaults | settings))

    method.__name__, method.__doc__ = name, inherited.__doc__
    return method


for _name in (*_REDUCTIONS, "argsort"):
    setattr(ScoreArray, _name, _refusing_arguments_of_tensors(_name))
