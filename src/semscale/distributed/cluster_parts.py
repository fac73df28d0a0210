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
            InputError: a node that does not fit, an input that nodes cannot read, or what the work refuses.
            ModelError: a node cannot get or run the model.
        """
        starts = range(skip, _n_rows(table), size)
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
        for block in made.iter_batches(batch_size=1, batch_format="pyarrow"):
            yield _received(block)


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
