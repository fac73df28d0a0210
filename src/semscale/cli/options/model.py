"""Options that choose the embedding model, the same for every command that embeds texts."""

from typing import TYPE_CHECKING, Annotated, Literal

from semscale.cli.options.groups import instead, option_group
from semscale.cli.options.panels import MODEL, option

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder
    from semscale.embedding.loading import LoadingSettings
    from semscale.types import Progress

PrecisionName = Annotated[
    Literal["exact", "fast", "turbo"],
    option(
        MODEL,
        "float32, bfloat16, or (e5-small) 8-bit integers, where the processor has them.",
        shown=True,
    ),
]
StatePrecisionName = Annotated[
    Literal["exact", "fast"], option(MODEL, "float32, or bfloat16 where the processor has it.", shown=True)
]
"""Of commands that compare the states of single tokens."""


@option_group
class ModelOptions:
    """The model that turns texts into vectors, as ``load_embedder`` takes it."""

    name: Annotated[
        str | None,
        option(MODEL, "The embedding model: name, folder, or name on the hub.", "MODEL", name="--model"),
    ] = None
    precision: PrecisionName = "exact"
    engine: Annotated[str, option(MODEL, "openvino, torch or api.", "ENGINE", shown=True)] = "openvino"
    device: Annotated[
        str, option(MODEL, "For torch: cpu, cuda, cuda:N, mps, or auto.", "DEVICE", shown=True)
    ] = "auto"
    base_url: Annotated[str | None, option(MODEL, "Endpoint of the engine api.", "URL")] = None
    no_cache: Annotated[bool, option(MODEL, "Neither read nor keep embeddings on disk.")] = False

    @property
    def chosen_name(self) -> str:
        """The model's name, the default one unless another is given."""
        from semscale.weights.known import DEFAULT_MODEL

        return self.name or DEFAULT_MODEL

    def loading(self, progress: "Progress | None") -> "LoadingSettings":
        """How it is loaded, beyond its name and precision; the first time its weights are pulled."""
        return {
            "engine": self.engine,
            "device": self.device,
            "base_url": self.base_url,
            "cache": not self.no_cache,
            "progress": progress,
        }

    def load(self, progress: "Progress | None", *, default: str | None = None) -> "Embedder":
        """Load the model; the first time its weights are pulled.

        Args:
            progress: called while weights are pulled.
            default: the model if none is named; that of most commands unless given.
        """
        from semscale.embedding.loading import load_embedder

        loading = self.loading(progress)
        loading["precision"] = self.precision
        return load_embedder(self.name or default or self.chosen_name, **loading)


EmbedderOptions = Annotated[
    ModelOptions,
    instead(
        name=option(
            MODEL,
            "The embedding model: name, folder, or name on the hub; --model names the one that answers.",
            "MODEL",
            name="--embedder",
        )
    ),
]
"""Options of commands that also ask or name another model."""
