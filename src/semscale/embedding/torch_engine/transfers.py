"""Copies from a device to NumPy that run beside what the device computes next."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy.typing as npt

if TYPE_CHECKING:
    import torch

Whose = TypeVar("Whose")
Output = npt.NDArray[Any]
"""In the type of the tensor it was."""

_UNDER_WAY = 2  # outputs that are copied while a third is computed


class _Copy(NamedTuple):
    """A copy under way.

    Attributes:
        output: on the host, complete once the event has happened.
        finished: ``None`` where it is complete already.
    """

    output: "torch.Tensor"
    finished: "torch.cuda.Event | None"

    def array(self) -> Output:
        if self.finished is not None:
            self.finished.synchronize()
        found: Output = self.output.numpy()
        return found


def fetched(
    outputs: "Iterable[tuple[Whose, torch.Tensor]]",
) -> Iterator[tuple[Whose, Output]]:
    """Yield outputs as arrays, in order; on a GPU each is copied while the next ones are computed.

    Args:
        outputs: labels and tensors, which a GPU may still be computing when they are taken.

    Yields:
        The label and its array, which stays valid.
    """
    waiting: deque[tuple[Whose, _Copy]] = deque()
    streams: dict[torch.device, torch.cuda.Stream] = {}
    for whose, output in outputs:
        waiting.append((whose, _sent(output, streams)))
        if len(waiting) > _UNDER_WAY:
            label, copy = waiting.popleft()
            yield label, copy.array()
    while waiting:
        label, copy = waiting.popleft()
        yield label, copy.array()


def _sent(output: "torch.Tensor", streams: "dict[torch.device, torch.cuda.Stream]") -> _Copy:
    """Begin to copy an output, on a stream of its own, into pinned memory."""
    import torch

    if output.device.type != "cuda":
        return _Copy(output.cpu(), None)
    if output.device not in streams:
        streams[output.device] = torch.cuda.Stream(output.device)
    copying = streams[output.device]
    copying.wait_stream(torch.cuda.current_stream(output.device))
    with torch.cuda.stream(copying):
        host = torch.empty(output.shape, dtype=output.dtype, pin_memory=True)
        host.copy_(output, non_blocking=True)
        output.record_stream(copying)  # its memory is not given to another tensor before the copy is done
        finished = torch.cuda.Event()
        finished.record(copying)
    return _Copy(host, finished)
