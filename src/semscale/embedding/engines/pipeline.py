"""Running batches through a compiled model, several at once, without Python code on the engine's threads."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from semscale.embedding.engines.arithmetic import Arithmetic
from semscale.embedding.engines.runtime import openvino_module
from semscale.embedding.parallel import processors
from semscale.errors import ModelError

if TYPE_CHECKING:
    import openvino

Whose = TypeVar("Whose")
Inputs = Sequence[npt.NDArray[np.int32]]
"""Arrays that a graph takes, each (b, t): token ids, and the types of the tokens where it asks for them."""


class Pipeline:
    """A compiled graph with two requests per processor; several threads may run it at once.

    The calling thread collects results in the order of the batches. Callbacks, as in OpenVINO's own queue,
    would need the interpreter's lock on the engine's threads. If a model is released at that moment, the
    releasing thread holds the lock and waits for the engine's thread, and both wait forever.

    Args:
        graph: takes one array of token ids (b, t), or several arrays.
        arithmetic: what it is computed in.

    Raises:
        ModelError: the graph cannot be compiled.
    """

    def __init__(self, graph: "openvino.Model", *, arithmetic: Arithmetic) -> None:
        settings: dict[str, Any] = {
            **arithmetic.settings,
            # One thread for each request: with more, threads of a small encoder wait for each other.
            "NUM_STREAMS": processors(),
            "INFERENCE_NUM_THREADS": processors(),
            # Tied to processors, the threads of several processes with few threads each, such as actors of a
            # cluster, would all share the first ones.
            "ENABLE_CPU_PINNING": False,
            # Products compiled for a shape are kept. Batches of one shape follow each other, so 100 are
            # enough, and 5,000, the default, take hundreds of MB in bfloat16.
            "CPU_RUNTIME_CACHE_CAPACITY": 100,
        }
        try:
            self._compiled = openvino_module().Core().compile_model(graph, "CPU", settings)
        except RuntimeError as error:
            raise ModelError(f"openvino cannot compile the model: {error}") from error

    def run(self, batches: Iterable[tuple[Whose, Inputs]]) -> Iterator[tuple[Whose, npt.NDArray[np.float32]]]:
        """Yield the output of every batch, in order.

        Args:
            batches: each a label and the graph's inputs; taken ahead of the output, when they can be sent.

        Yields:
            The batch's label and its output, which stays valid until the next one is requested.
        """
        # Every run has its own requests: if two threads shared one, each could get the other's output.
        # Twice as many as run at once, as batches differ in size and are collected in order.
        idle = deque(self._compiled.create_infer_request() for _ in range(2 * processors()))
        # A request reads its inputs while it runs, so the arrays are kept here until it has finished.
        running: deque[tuple[Whose, Any, Inputs]] = deque()
        try:
            for whose, inputs in batches:
                if not idle:
                    yield self._collect(running, idle)
                request = idle.popleft()
                request.start_async(list(inputs))
                running.append((whose, request, inputs))
            while running:
                yield self._collect(running, idle)
        finally:
            for _, request, _ in running:
                request.wait()

    @staticmethod
    def _collect(
        running: deque[tuple[Whose, Any, Inputs]], idle: deque[Any]
    ) -> tuple[Whose, npt.NDArray[np.float32]]:
        whose, request, _ = running.popleft()
        request.wait()
        idle.append(request)
        output: npt.NDArray[np.float32] = request.get_output_tensor(0).data
        return whose, output
