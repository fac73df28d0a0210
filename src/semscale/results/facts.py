"""Facts about results that Parquet files store beside their columns, which do not name their text."""

from collections.abc import Sequence
from typing import Literal

import polars as pl
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from semscale.store.table import Table
from semscale.store.writing import FACTS

Measured = Literal["ratings", "codes"]
"""Kinds of results that tables show."""


class ResultFacts(BaseModel):
    """Facts about a table of results that its columns do not state.

    Attributes:
        measured: what was measured.
        text: name of the column with the texts.
        title: title of the scale, or name of the codebook.
        labels: labels of the points of the scale, by their numbers as columns name them.
        nets: names of the codes that are nets of others.
        no_answer: codes for no answer of the text by the description of the survey, normalised by
            ``code_key``; ``None`` if they are not known.
    """

    model_config = ConfigDict(frozen=True)

    measured: Measured
    text: str
    title: str = ""
    labels: dict[str, str] = {}
    nets: tuple[str, ...] = ()
    no_answer: tuple[str, ...] | None = None


_FACTS = TypeAdapter(list[ResultFacts])


def write_facts(facts: Sequence[ResultFacts | None]) -> str:
    """Write facts as JSON; empty if there are none."""
    stated = [entry for entry in facts if entry is not None]
    return _FACTS.dump_json(stated).decode() if stated else ""


def read_facts(table: Table) -> list[ResultFacts]:
    """Return the facts that a Parquet file has; none for other tables, and for files of other programs."""
    if table.path is None or not table.path.is_file() or "parquet" not in table.settings:
        return []
    try:
        return _FACTS.validate_json(pl.read_parquet_metadata(table.path).get(FACTS, "[]"))
    except ValidationError:
        return []
