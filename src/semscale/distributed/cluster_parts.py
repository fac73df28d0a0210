"""Parts of a run over a table, made by a cluster through Ray Data."""

import io
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from semscale.distributed.actor_pool import ActorPool
from semscale.distributed.cluster import started
from semscale.distributed.node_checks import check_nodes
from semscale.distributed.recipes import Recipe
from semscale.distributed.row_actors import ERROR, FIRST_ROW, NOTES, PART, PartActor
from semscale.errors import InputError, SemscaleError
from semscale.store.runs.table_run import TableWork, WorkedPart
from semscale.store.table import Table

_COUNTED_AT_ONCE = 50_000


@dataclass(frozen=True)
class ClusterParts:
    """Makes the parts of a run on the cluster that this process is connected to.

    Nodes read the rows of each part by themselves, and send the part back; this process writes it, sums it up
    and keeps the parts in order. A part whose node is lost is made again on another node.

    Attributes:
        recipe: how a node makes the instrument.
        pool: the actors.
    """

    recipe: Recipe
    pool: ActorPool = ActorPool()

    def parts(self, work: TableWork[object], table: Table, size: int, skip: int) -> Iterator[WorkedPart]:
        """Make the parts after the first ``skip`` rows.

        Raises:
            InputError: a node that does not fit, an input that nodes cannot read, or of which they have
                other rows, or what the work refuses.
            ModelError: a node cannot get or run the model.
        """
        n_rows = _n_rows(table)
        starts = range(skip, n_rows, size)
        if not starts:
            return
        check_sendable(table)
        recipe = self.recipe.completed(work)
        expected = check_nodes(recipe, table)
        actors = min(self.pool.size(started()), len(starts))
        import ray.data

        made = ray.data.from_items(
            [{FIRST_ROW: start} for start in starts], override_num_blocks=len(starts)
        ).map_batches(
            PartActor,
            fn_constructor_args=(recipe, table, size, expected, os.getcwd()),
            batch_size=1,
            batch_format="pyarrow",
            **self.pool.arguments(actors),
        )
        blocks = made.iter_batches(batch_size=1, batch_format="pyarrow")
        for start, block in zip(starts, blocks, strict=True):
            part = _received(block)
            check_whole(part.frame.height, min(size, n_rows - start), table.name, start)
            yield part


def check_sendable(table: Table) -> None:
    """Check that a table can be sent to other nodes, which then open its file by themselves.

    Raises:
        InputError: its reader cannot.
    """
    from ray import cloudpickle

    try:
        cloudpickle.dumps(table)
    except Exception as error:  # each reader's objects refuse in their own way
        raise InputError(
            f"cluster: {table.name} cannot be read piece by piece on other nodes ({error!s:.80}); write it "
            "as Parquet first"
        ) from error


def check_whole(found: int, expected: int, source: str, first_row: int) -> None:
    """Check that a node has read all rows of a part.

    Args:
        found: rows that it has read.
        expected: rows of the part on this machine.
        source: name of the input.
        first_row: of the part, from 0.

    Raises:
        InputError: there were fewer, or more.
    """
    if found != expected:
        raise InputError(
            f"cluster: a node read {found:,} rows of {source} from row {first_row + 1:,} on, this machine "
            f"{expected:,}; give all nodes the same file, and leave it as it is during the run"
        )


def _received(block: Any) -> WorkedPart:  # noqa: ANN401 - a table of pyarrow, which has no types
    from ray import cloudpickle

    failure = block[ERROR][0].as_py()
    if failure:
        error: SemscaleError = cloudpickle.loads(failure)
        raise error
    frame = pl.read_ipc(io.BytesIO(block[PART][0].as_buffer()))
    return WorkedPart(frame, json.loads(block[NOTES][0].as_py()))


def _n_rows(table: Table) -> int:
    if table.n_rows is not None:
        return table.n_rows
    return sum(batch.height for batch in table.batches(_COUNTED_AT_ONCE))
