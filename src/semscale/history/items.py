"""What a run holds: items, each with what was asked and what a model gave."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Output:
    """One output of a model.

    Attributes:
        text: what it said; ``None`` or blank where it said nothing.
        fields: numbers that came with it, such as credits, by name; a field that is not there has no value.
    """

    text: str | None
    fields: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_silent(self) -> bool:
        """Whether it says nothing that could be compared."""
        return self.text is None or not self.text.strip()


@dataclass(frozen=True)
class Item:
    """One item of a dataset with a model's outputs.

    Attributes:
        id: names the item in every run.
        outputs: what the model gave, in its order; empty where it gave nothing.
        input: what the model was asked, where that is known.
        groups: names of the groups it belongs to, by the group's kind, such as ``{"exercise": "6715"}``.
    """

    id: str
    outputs: tuple[Output, ...]
    input: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict)

    @property
    def spoken(self) -> tuple[Output, ...]:
        """The outputs that say something."""
        return tuple(output for output in self.outputs if not output.is_silent)
