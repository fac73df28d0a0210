"""The embedding models of a project, which its pages share."""

import threading
from typing import TYPE_CHECKING

from semscale.serving.background import current_task
from semscale.workbench.project import SharedSettings

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder
    from semscale.types import Progress


class Models:
    """Loads each model once.

    Args:
        settings: settings of the project's file.
    """

    def __init__(self, settings: SharedSettings) -> None:
        self._stated = settings.load_embedder
        self._loaded: dict[str, Embedder] = {}
        self._lock = threading.Lock()

    def load(self, name: str) -> "Embedder":
        """Return the model that the project's file states, or else the named one; the first call loads it.

        Raises:
            ModelError: it is not on this machine and cannot be downloaded.
            InputError: what the project's file states of it is refused.
        """
        report = current_task().report
        report("loading the model", 0, None)
        with self._lock:
            if name not in self._loaded:
                load = self._stated or load_embedder
                self._loaded[name] = load(name, report)
            return self._loaded[name]


def load_embedder(name: str, progress: "Progress") -> "Embedder":
    """Load a model; the engine is imported with the first one."""
    from semscale.embedding import loading

    return loading.load_embedder(name, progress=progress)
