"""Columns of the tables that drift reads: outputs of a model, and anchors with human scores."""

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from semscale.errors import InputError, UnknownNameError
from semscale.settings import COLUMNS, Option, Settings
from semscale.text_preparation import Reasoning

if TYPE_CHECKING:
    from semscale.store.table import Table

GROUP_OBJECTS = "groups"
"""Column of objects that name groups by their kind."""

_ID, _INPUT, _OUTPUT, _OUTPUT_LIST = "id", "input", "output", "outputs"
_NUMBERED = re.compile(r"output[ _.-]?(\d{1,3})", re.IGNORECASE)


class RunColumns(Settings):
    """Meaning of the columns of a table of outputs.

    A column ``outputs`` is used if there is no column ``output``. Groups can then also come from objects in a
    column ``groups``, such as ``{"topic": "cells"}``, also as JSON text. For an evaluation log, the default
    columns are those of sample and prompt. The default column of the input can be missing.

    Rows with the same ID are repeated outputs, such as the epochs of an evaluation log, unless ``long`` is
    set. The number of an item's prompt becomes part of its ID: 0.1 is the second prompt of item 0.

    Raises:
        InputError: there is no output column, or a column is named twice.
    """

    id: Annotated[
        str, Field(description="IDs of the items."), Option(COLUMNS, "COLUMN", shown=False, rare=True)
    ] = _ID
    input: Annotated[
        str | None, Field(description="The questions."), Option(COLUMNS, "COLUMN", shown=False, rare=True)
    ] = _INPUT
    output: Annotated[
        tuple[str, ...],
        Field(description="Output: a text, or a list of texts or objects."),
        Option(COLUMNS, "COLUMN", rare=True),
    ] = (_OUTPUT,)
    fields: Annotated[
        tuple[str, ...],
        Field(description="Number that each output has, such as credits."),
        Option(COLUMNS, "NAME", name="--field", rare=True),
    ] = ()
    by: Annotated[
        tuple[str, ...], Field(description="Groups that items belong to."), Option(COLUMNS, "COLUMN")
    ] = ()
    reference: Annotated[
        str | None, Field(description="Correct answers."), Option(COLUMNS, "COLUMN", rare=True)
    ] = None
    repeat: Annotated[
        tuple[str, ...],
        Field(description="Further output of the same model, as a rerun (default: output_2, output_3 ...)."),
        Option(COLUMNS, "COLUMN", rare=True),
    ] = ()
    long: Annotated[
        bool,
        Field(description="Treat each row as one output of an answer; rows with the same ID are one item."),
        Option(COLUMNS, rare=True),
    ] = False
    reasoning: Reasoning = "remove"
    prompt: Annotated[str | None, Field(description="Number of an item's prompt.")] = None

    def model_post_init(self, _context: object) -> None:
        """Refuse columns without an output, and a column that is named twice."""
        if not self.output:
            raise InputError("output", "must name at least one column, got none")
        duplicates = [name for name, n in Counter(self._names).items() if n > 1]
        duplicates += [name for name, n in Counter(self.by).items() if n > 1]
        if duplicates:
            raise InputError(f"column '{duplicates[0]}' is named for two things; name it once")

    def resolve_in(self, table: "Table") -> "RunColumns":
        """Check that a table has the columns, and return those to read; fields can also be keys of objects.

        Raises:
            InputError: a column is missing; the message states the nearest name and all names.
        """
        chosen = self._of_log(table)._with_numbered_outputs(table)
        if self.output == (_OUTPUT,) and _OUTPUT not in table.columns and _OUTPUT_LIST in table.columns:
            chosen = chosen.with_values(output=(_OUTPUT_LIST,))
        if chosen.input == _INPUT and _INPUT not in table.columns:
            chosen = chosen.with_values(input=None)
        required = [("id", chosen.id), ("input", chosen.input), ("reference", chosen.reference)]
        required += [("output", column) for column in chosen.output]
        required += [("repeat", column) for column in chosen.repeat]
        required += [("by", column) for column in chosen.by if not chosen.has_group_objects]
        for parameter, column in required:
            if column is not None:
                require_column(table, column, parameter)
        return chosen

    def _of_log(self, table: "Table") -> "RunColumns":
        """Replace the default columns by those of an evaluation log, if the table is one."""
        from semscale.store.evaluation_logs import PROMPT_INDEX, log_columns, log_variants

        log = log_columns(table)
        if log is None:
            return self
        id_ = log.id if self.id == _ID and log.id not in self._names else self.id
        input_ = log.input if self.input == _INPUT and log.input not in self._names else self.input
        has_prompts = id_ == log.id and PROMPT_INDEX in log_variants(table)
        prompt = PROMPT_INDEX if has_prompts and self.prompt is None else self.prompt
        return self.with_values(id=id_, input=input_, prompt=prompt)

    def _with_numbered_outputs(self, table: "Table") -> "RunColumns":
        """Take numbered columns of outputs, such as ``output_1`` and ``output_2``, as repeated outputs."""
        if self.output != (_OUTPUT,) or self.repeat:
            return self
        taken = {*self._names, *self.by}
        numbered = {
            int(match[1]): title
            for title in table.columns
            if title not in taken and (match := _NUMBERED.fullmatch(title))
        }
        titles = [title for _, title in sorted(numbered.items())]
        if _OUTPUT in table.columns:
            return self.with_values(repeat=tuple(titles))
        return self.with_values(output=(titles[0],), repeat=tuple(titles[1:])) if titles else self

    @property
    def used(self) -> set[str]:
        """Names of the columns to read if a table has them."""
        return {*self._names, *self.by, *([GROUP_OBJECTS] if self.has_group_objects else [])}

    @property
    def has_group_objects(self) -> bool:
        """True if groups come from objects in a column ``groups``."""
        return self.output == (_OUTPUT_LIST,) and GROUP_OBJECTS not in {*self._names, *self.by}

    @property
    def _names(self) -> tuple[str, ...]:
        """All named columns except those of groups, which can also be inputs."""
        single = (self.id, self.input, self.reference, self.prompt)
        return (*(name for name in single if name is not None), *self.output, *self.repeat, *self.fields)


def require_column(table: "Table", column: str, parameter: str) -> None:
    """Check that a column exists.

    Raises:
        UnknownNameError: it does not; the message explains how to name another one.
    """
    try:
        table.require(column, parameter)
    except UnknownNameError as error:
        option = f"--{parameter} {'NAME' if parameter == 'field' else 'COLUMN'}"
        raise UnknownNameError(f"{error}; name another one with {option}") from None


class AnchorColumns(Settings):
    """The columns of a table of anchors; if it has no column of IDs, rows are numbered from 1.

    Raises:
        InputError: there is a range without a label, or the range is not ascending.
    """

    reference: Annotated[str, Field(description="References for the outputs.")] = "reference"
    output: Annotated[str, Field(description="The outputs.")] = "output"
    id: Annotated[str, Field(description="IDs of the anchors.")] = _ID
    label: Annotated[
        str | None,
        Field(description="Column with human scores of the anchors."),
        Option(COLUMNS, "COLUMN", name="--human", rare=True),
    ] = None
    label_range: Annotated[
        tuple[float, float] | None,
        Field(description="Lowest and highest possible score (default: 0 1)."),
        Option(COLUMNS, "LOW HIGH", name="--human-range", rare=True),
    ] = None

    def model_post_init(self, _context: object) -> None:
        """Check the range of the labels."""
        if self.label_range is None:
            return
        low, high = self.label_range
        if self.label is None:
            raise InputError("label_range", "belongs to `label`: name the column with people's scores")
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise InputError("label_range", f"must rise, such as 1,5, got {low:g},{high:g}")
