"""Runs batches through a compiled model, several in flight, without any Python on the engine's threads."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from semscale.embedding.engines.runtime import openvino_module
from semscale.embedding.parallel import processors
from semscale.errors import ModelError

if TYPE_CHECKING:
    import openvino

Whose = TypeVar("Whose")


class Pipeline:
    """A compiled graph with two requests per processor; several threads may run it at once.

    Results are collected by the calling thread, in the order sent. A callback, as OpenVINO's own queue has
    it, would run on the engine's threads and need the interpreter's lock there; a model that is released just
    then waits for that thread while it holds the lock, and neither goes on.

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

    def run(
        self, batches: Iterable[tuple[Whose, npt.NDArray[np.int32]]]
    ) -> Iterator[tuple[Whose, npt.NDArray[np.float32]]]:
        """Give the output of every batch, in order.

        Args:
            batches: ids (b, t), and whose they are; taken as they can be sent, ahead of what is given.

        Yields:
            Whose output it is, and the output; it stays valid until the next one is asked for.
        """
        # Requests of its own for every run: a request that two threads share gives one the other's output.
        # Twice as many as run at once: batches differ in size, and are collected in order.
        idle = deque(self._compiled.create_infer_request() for _ in range(2 * processors()))
        # A request reads its input while it runs, so the array is kept here until then.
        running: deque[tuple[Whose, Any, npt.NDArray[np.int32]]] = deque()
        try:
            for whose, ids in batches:
                if not idle:
                    yield self._collect(running, idle)
                request = idle.popleft()
                request.start_async([ids])
                running.append((whose, request, ids))
            while running:
                yield self._collect(running, idle)
        finally:
            for _, request, _ in running:
                request.wait()

    @staticmethod
    def _collect(
        running: deque[tuple[Whose, Any, npt.NDArray[np.int32]]], idle: deque[Any]
    ) -> tuple[Whose, npt.NDArray[np.float32]]:
        whose, request, _ = running.popleft()
        request.wait()
        idle.append(request)
        output: npt.NDArray[np.float32] = request.get_output_tensor(0).data
        return whose, output


def has_bfloat16() -> bool:
    """Say whether the processor computes in bfloat16."""
    return "BF16" in openvino_module().Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
