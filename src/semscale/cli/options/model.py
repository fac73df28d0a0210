"""Options that choose the embedding model, the same for every command that embeds texts."""

from enum import StrEnum
from typing import Annotated, Any

import typer


class Precision(StrEnum):
    """How exactly the model computes."""

    EXACT = "exact"
    FAST = "fast"


def option(panel: str, name: str, text: str, **settings: Any) -> Any:  # noqa: ANN401 - as typer.Option has them
    """Declare an option in a panel of the help; its default is shown only if ``shown`` is true."""
    return typer.Option(
        name, help=text, rich_help_panel=panel, show_default=settings.pop("shown", False), **settings
    )


_MODEL = "Model"

Model = Annotated[
    str | None, option(_MODEL, "--model", "A model's name, folder, or name on the hub.", metavar="MODEL")
]
PrecisionName = Annotated[
    Precision, option(_MODEL, "--precision", "float32, or bfloat16 where the processor has it.", shown=True)
]
Engine = Annotated[str, option(_MODEL, "--engine", "openvino, torch or api.", shown=True, metavar="ENGINE")]
BaseUrl = Annotated[str | None, option(_MODEL, "--base-url", "Endpoint of the engine api.", metavar="URL")]
NoCache = Annotated[bool, option(_MODEL, "--no-cache", "Neither read nor keep embeddings on disk.")]
