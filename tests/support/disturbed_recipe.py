"""Recipes that disturb a run: one waits until its process is killed, one only copies, and two fail."""

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from semscale.errors import InputError
from semscale.results.instrument import TableInstrument
from semscale.results.table_columns import Columns
from semscale.signature import Signature

LONGEST = 120  # seconds


@dataclass(frozen=True)
class Disturbed:
    """Works as another recipe does; where a part begins with a row, it notes who works on it, and waits.

    Attributes:
        recipe: does the work.
        notes: folder of the notes.
        rows: first rows of the parts at which it waits, the first time.
        node: identifier of the node on which it waits at its first part, too.
        deadly: first row of a part that ends its process each time.
    """

    recipe: object
    notes: Path
    rows: tuple[int, ...] = ()
    node: str = ""
    deadly: int = -1

    def signature(self):
        return self.recipe.signature()

    def with_estimates(self, instrument):
        return replace(self, recipe=self.recipe.with_estimates(instrument))

    def instrument(self):
        instrument = self.recipe.instrument()
        measure = instrument.measure

        def measure_disturbed(cells):
            import ray

            first_row = cells.first_row
            if first_row == self.deadly:
                os._exit(1)
            name = self.node if ray.get_runtime_context().get_node_id() == self.node else str(first_row)
            note = self.notes / name
            if name == self.node or (first_row in self.rows and not note.exists()):
                _noted(note)
                _wait_for_the_end()
            return measure(cells)

        instrument.measure = measure_disturbed
        return instrument


@dataclass(frozen=True)
class ByNode:
    """Names a model whose weights an environment variable of the node decides."""

    def signature(self):
        return Signature.of("embed", model=f"words#{os.environ.get('WEIGHTS_OF_NODE', '1f2e')}")

    def with_estimates(self, instrument):
        return self


@dataclass(frozen=True)
class OtherInActors:
    """Works as another recipe does; in actors it names another model, as if their node had joined later."""

    recipe: object

    def signature(self):
        import ray

        original = self.recipe.signature()
        is_actor = ray.get_runtime_context().get_actor_id() is not None
        return original.with_values({"model": "words#aaaa"}) if is_actor else original

    def with_estimates(self, instrument):
        return self

    def instrument(self):
        return self.recipe.instrument()


class NoColumns(Columns):
    """No columns."""


class NoResult:
    """No columns of a part."""

    def to_part(self):
        return pl.DataFrame(), {}

    @classmethod
    def from_part(cls, frame, header):
        return cls()

    @classmethod
    def private_columns(cls):
        return ()


class CopyingTable(TableInstrument):
    """Adds nothing to the rows."""

    columns, result = NoColumns(), NoResult

    def key(self):
        return {}

    def measure(self, cells):
        return NoResult()

    def add(self, cells, result):
        """Add nothing."""

    def summary(self):
        return None


class RefusingTable(CopyingTable):
    """Refuses every row."""

    def measure(self, cells):
        raise InputError(f"row {cells.first_row + 1} cannot be read; repair it")


@dataclass(frozen=True)
class Refusing:
    """Refuses every row."""

    def signature(self):
        return Signature.of("embed", model="words#1f2e")

    def with_estimates(self, instrument):
        return self

    def instrument(self):
        return RefusingTable()


@dataclass(frozen=True)
class Copying:
    """Gives the rows back as they are."""

    def signature(self):
        return Signature.of("embed", model="words#1f2e")

    def with_estimates(self, instrument):
        return self

    def instrument(self):
        return CopyingTable()


def _noted(note):
    hidden = note.with_name(f".{note.name}")
    hidden.write_text(str(os.getpid()))
    hidden.rename(note)


def _wait_for_the_end():
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        time.sleep(0.05)
    raise InputError("nobody killed this process")
