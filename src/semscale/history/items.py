"""Items of a run: a model's outputs, with their input and groups."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Output:
    """One output of a model.

    Attributes:
        text: the output's text; ``None`` or blank if it has none.
        fields: numbers that came with the text, such as credits, by name; a missing field has no value.
    """

    text: str | None
    fields: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_silent(self) -> bool:
        """Whether it has no text that could be compared."""
        return self.text is None or not self.text.strip()


@dataclass(frozen=True)
class Item:
    """One item of a dataset with a model's outputs.

    Attributes:
        id: the item's name in every run.
        outputs: the model's outputs in order; empty if it gave none.
        input: the model's input; ``None`` if unknown.
        groups: names of the item's groups by their kind, such as ``{"exercise": "6715"}``.
        reference: an answer that is known to be right; ``None`` without one. It belongs to no version of the
            dataset: a corrected reference changes nothing of what the model was asked.
    """

    id: str
    outputs: tuple[Output, ...]
    input: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict)
    reference: str | None = None

    @property
    def outputs_with_text(self) -> tuple[Output, ...]:
        """The outputs that have a text."""
        return tuple(output for output in self.outputs if not output.is_silent)
