"""Runs batches through a compiled model, several in flight, without any Python on the engine's threads."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from semscale.embedding.parallel import processors
from semscale.embedding.runtime import openvino_module
from semscale.errors import ModelError

if TYPE_CHECKING:
    import openvino

Whose = TypeVar("Whose")


class Pipeline:
    """A compiled graph, of which any number of requests may be under way at once.

    Args:
        graph: takes one array of token ids (b, t).
        bfloat16: compute in bfloat16 instead of float32.

    Raises:
        ModelError: the graph cannot be compiled.
    """

    def __init__(self, graph: "openvino.Model", *, bfloat16: bool) -> None:
        settings: dict[str, Any] = {
            "INFERENCE_PRECISION_HINT": "bf16" if bfloat16 else "f32",
            # One thread a request: encoders of this size lose more to threads that wait for each other.
            "NUM_STREAMS": processors(),
            "INFERENCE_NUM_THREADS": processors(),
        }
        try:
            self._compiled = openvino_module().Core().compile_model(graph, "CPU", settings)
        except RuntimeError as error:
            raise ModelError(f"openvino cannot compile the model: {error}") from error

    def request(self) -> "openvino.InferRequest":
        """Make a request, which runs one batch at a time."""
        return self._compiled.create_infer_request()


@dataclass(frozen=True)
class Batch(Generic[Whose]):
    """Rows of equal length, and the graph that they go through.

    Attributes:
        whose: says what they are; it comes back with the output.
        pipeline: the graph.
        ids: shape (b, t).
    """

    whose: Whose
    pipeline: Pipeline
    ids: npt.NDArray[np.int32]


def run_batches(batches: Iterable[Batch[Whose]]) -> Iterator[tuple[Whose, npt.NDArray[np.float32]]]:
    """Run batches, several at once, and give the output of each in the order sent.

    Results are collected by the calling thread. A callback, as OpenVINO's own queue has it, would run on the
    engine's threads and need the interpreter's lock there; a model that is released just then waits for that
    thread while it holds the lock, and neither goes on.

    Args:
        batches: taken as they can be sent, ahead of what is given.

    Yields:
        Whose output it is, and the output; valid until the next one is asked for.
    """
    # Requests of its own for every run: a request that two threads share gives one the other's output.
    idle: dict[Pipeline, list[openvino.InferRequest]] = {}
    # A request reads its input while it runs, so the batch is kept here until then.
    running: deque[tuple[Batch[Whose], openvino.InferRequest]] = deque()

    def collect() -> tuple[Whose, npt.NDArray[np.float32]]:
        batch, request = running.popleft()
        request.wait()
        idle[batch.pipeline].append(request)
        return batch.whose, request.get_output_tensor(0).data

    try:
        for batch in batches:
            # Twice as many as run at once: batches differ in size, and are collected in order.
            if len(running) == 2 * processors():
                yield collect()
            waiting = idle.setdefault(batch.pipeline, [])
            request = waiting.pop() if waiting else batch.pipeline.request()
            request.start_async([batch.ids])
            running.append((batch, request))
        while running:
            yield collect()
    finally:
        for _, request in running:
            request.wait()


def has_bfloat16() -> bool:
    """Say whether the processor computes in bfloat16."""
    return "BF16" in openvino_module().Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
