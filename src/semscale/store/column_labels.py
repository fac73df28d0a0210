"""What a survey tool or SPSS says about a column: its question, its values in words, its missing codes."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ColumnLabels:
    """Words that a file has for a column and its values.

    Attributes:
        label: the question or a description; empty where there is none.
        question: short name of the question that the column belongs to with others, such as each answer of a
            "select all that apply"; empty where it stands alone.
        option: what the column stands for in that question.
        values: words for values, by the value as a name (``groups_in``), in the order of the file.
        missing: codes that the file declares missing, each with its words; cells with them are missing.
        is_weight: whether the file says that its rows are weighted by the column.
        measure: ``nominal``, ``ordinal`` or ``scale`` where the file says so.
    """

    label: str = ""
    question: str = ""
    option: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    is_weight: bool = False
    measure: str = ""

    @property
    def title(self) -> str:
        """The question, and what the column stands for in it where the question does not say so.

        Example:
            >>> ColumnLabels("How good is it?", option="Price").title
            'How good is it?: Price'
        """
        is_said = not self.label or self.label.endswith(self.option)
        return self.label if is_said else f"{self.label}: {self.option}"
