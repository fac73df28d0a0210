"""What a survey tool or SPSS says about a column: its question, its values in words, its missing codes."""

from collections.abc import Collection, Mapping
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
        missing_values: names of the labelled values that the file declares missing.
        is_weight: whether the file says that its rows are weighted by the column.
        measure: ``nominal``, ``ordinal`` or ``scale`` where the file says so.
        counted: name of the value that says that the option was chosen, where the file says so.
        are_mentions: whether the columns of the question each hold codes of one list, such as the first,
            second and third brand that came to mind.
    """

    label: str = ""
    question: str = ""
    option: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    missing_values: Collection[str] = ()
    is_weight: bool = False
    measure: str = ""
    counted: str = ""
    are_mentions: bool = False

    @property
    def title(self) -> str:
        """The question, and what the column stands for in it where the question does not say so.

        Example:
            >>> ColumnLabels("How good is it?", option="Price").title
            'How good is it?: Price'
        """
        is_said = not self.label or self.label.rstrip("] ").endswith(self.option)
        return self.label if is_said else f"{self.label}: {self.option}"

    @property
    def answers(self) -> dict[str, str]:
        """Words for the values that are answers: not for those that the file declares missing."""
        return {value: words for value, words in self.values.items() if value not in self.missing_values}
