"""The classes whose objects Ray runs as actors: each loads its model once and works on rows."""

import io
import json
import traceback
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from semscale.distributed.attempts import Attempts
from semscale.distributed.node_checks import (
    check_alike,
    check_report,
    check_version,
    on_joined_node,
    report,
    work_in,
)
from semscale.distributed.output_checks import FolderProbe
from semscale.distributed.ray_results import cluster_error
from semscale.distributed.recipes import Recipe, RowWork
from semscale.errors import ClusterError, InputError, SemscaleError
from semscale.signature import Signature
from semscale.store.places import OutputPlace, files_of
from semscale.store.runs.stored_parts import WORK, PartInPlace, StoredPart, part_name, read_part, store_part
from semscale.store.runs.table_run import WorkedPart
from semscale.store.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

FIRST_ROW, PART, NOTES, ERROR = "first_row", "part", "notes", "error"
"""Columns of Ray's blocks: the first row of a part, and the part when it is made, or why it is not."""

HEAD, RECORD = "head", "record"
"""Columns where the actor has stored the part: its columns without rows, and what marks it as finished."""


class StartedRun(NamedTuple):
    """What the actors of a run know of it.

    Attributes:
        folder: in which it was started.
        first: the first row of the input, as it is read there.
        nodes: identifiers of the nodes that were checked before work began.
        attempts: bounds attempts at parts that end their process.
        probe: shows whether a node sees the folder of the output, into which nodes then write; ``None``
            where parts are sent back.
    """

    folder: str
    first: pl.DataFrame
    nodes: frozenset[str]
    attempts: Attempts
    probe: FolderProbe | None


class PartActor:
    """Reads parts of a table by their first rows, and works on them.

    A part travels as one cell with the bytes of an Arrow file, so that its columns arrive in the types in
    which the work made them. An error of Semscale is returned, as Ray would wrap it in others.

    Args:
        recipe: how the instrument is made.
        table: the input, which the node must be able to read.
        size: rows of a part.
        expected: the signature of the model where the run was started.
        run: the run.
    """

    def __init__(self, recipe: Recipe, table: Table, size: int, expected: Signature, run: StartedRun) -> None:
        self._recipe, self._table, self._size, self._expected = recipe, table, size, expected
        self._run = run
        self._place = None if run.probe is None else run.probe.place
        work_in(run.folder)
        self._work: RowWork | None = None

    def __call__(self, batch: "pa.Table") -> "pa.Table":
        """Make the part that begins with a row."""
        first_row = batch[FIRST_ROW][0].as_py()
        n_rows = self._table.n_rows
        last = first_row + self._size if n_rows is None else min(first_row + self._size, n_rows)
        rows = f"rows {first_row + 1:,} to {last:,} of {self._table.name}"
        try:
            with self._run.attempts.at(f"part {first_row}", lambda: f"worked on {rows}"):
                return self._made(first_row)
        except ClusterError as error:
            return block(error=error if rows in str(error) else ClusterError(f"{error} (found in {rows})"))
        except SemscaleError as error:
            return block(error=error)
        except (OSError, MemoryError) as error:
            error.add_note(traceback.format_exc())  # which does not travel with it
            return block(error=error)

    def _made(self, first_row: int) -> "pa.Table":
        if self._work is None:
            self._work = self._begun()
        frame = next(self._table.batches(self._size, first_row), None)
        if frame is None:
            raise InputError(
                f"cluster: a node's {self._table.name} ends before row {first_row + 1:,}; give all nodes the "
                "same file, and leave it as it is during the run"
            )
        made = self._work.part(frame, first_row)
        if self._place is None:
            return block(part=in_bytes(made.frame), notes=json.dumps(dict(made.notes)))
        stored = _stored(self._place, first_row // self._size, made)
        summed_up = self._work.summed_up
        return block(
            part=in_bytes(made.frame if summed_up is None else made.frame.select(summed_up)),
            notes=json.dumps(dict(made.notes)),
            head=in_bytes(made.frame.clear()),
            record=stored.record(),
        )

    def _begun(self) -> RowWork:
        """Make the instrument; a node that has joined during the run is checked first, as others were."""
        import ray

        if ray.get_runtime_context().get_node_id() in self._run.nodes:
            return checked_work(self._recipe, self._table, self._expected)
        with on_joined_node():
            found = report(self._recipe, self._table, self._run.first, self._run.folder)
            check_report(ray.util.get_node_ip_address(), found, self._expected, self._table.name)
        if self._run.probe is not None and not self._run.probe.is_seen:
            self._place = None
        return self._recipe.row_work(self._table)


class BatchActor:
    """Works on batches of a dataset.

    Args:
        recipe: how the instrument is made.
        expected: the signature of the model where the dataset was made.
        attempts: bounds attempts at rows that end their process.
    """

    def __init__(self, recipe: Recipe, expected: Signature, attempts: Attempts) -> None:
        self._work, self._attempts = checked_work(recipe, dataset_table(), expected), attempts

    def __call__(self, batch: "pa.Table") -> "pa.Table":
        """Add the columns of the result to some rows.

        Raises:
            ClusterError: these rows have ended their process again and again.
        """
        import ray

        frame = pl.DataFrame(pl.from_arrow(batch))
        # An actor that is started again keeps its identifier; others may work on equal rows.
        actor, digest = ray.get_runtime_context().get_actor_id(), blake2b(in_bytes(frame), digest_size=16)
        said = f"worked on {frame.height:,} rows of the dataset"
        with self._attempts.at(f"{actor} {digest.hexdigest()}", lambda: said):
            made = self._work.part(frame, 0).frame.drop(self._work.private, strict=False)
        return made.to_arrow(compat_level=pl.CompatLevel.oldest())


def checked_work(recipe: Recipe, table: Table, expected: Signature) -> RowWork:
    """Make the instrument on this node, if it has the same weights and version as where the run was started.

    Raises:
        InputError: it has not.
        ModelError: the weights cannot be had.
    """
    import ray

    node = ray.util.get_node_ip_address()
    check_version(node, expected)
    check_alike(node, recipe.signature(), expected)
    return recipe.row_work(table)


def dataset_table() -> Table:
    """Give the table that stands for a dataset in messages."""
    return Table("the dataset", None, (), lambda _size, _skip: iter(()))


def in_bytes(frame: pl.DataFrame) -> bytes:
    """Write a frame as an Arrow file in memory."""
    content = io.BytesIO()
    frame.write_ipc(content, compression="lz4")
    return content.getvalue()


def block(
    *,
    part: bytes = b"",
    notes: str = "",
    head: bytes = b"",
    record: bytes = b"",
    error: Exception | None = None,
) -> "pa.Table":
    """Lay out a block of one row: a part, or the error in its place."""
    import pyarrow as pa
    from ray import cloudpickle

    cells: dict[str, Any] = {
        PART: pa.array([part], pa.large_binary()),
        NOTES: pa.array([notes], pa.string()),
        HEAD: pa.array([head], pa.binary()),
        RECORD: pa.array([record], pa.binary()),
        ERROR: pa.array([b"" if error is None else cloudpickle.dumps(error)], pa.binary()),
    }
    return pa.table(cells)


def received(block: Any, number: int) -> WorkedPart:  # noqa: ANN401 - a table of pyarrow, which has no types
    """Read a block of one row.

    Args:
        block: as ``block`` lays it out.
        number: of the part, from 0.

    Raises:
        SemscaleError: why the part could not be made.
        OSError: the same, where the system of the node says it.
        ClusterError: a node had too little memory.
    """
    from ray import cloudpickle

    failure = block[ERROR][0].as_py()
    if failure:
        error: Exception = cloudpickle.loads(failure)
        raise cluster_error(error) or error
    frame = pl.read_ipc(io.BytesIO(block[PART][0].as_buffer()))
    made = WorkedPart(frame, json.loads(block[NOTES][0].as_py()))
    part = read_part(part_name(number), block[RECORD][0].as_py())
    if part is None:
        return made
    head = pl.read_ipc(io.BytesIO(block[HEAD][0].as_buffer()))
    return made._replace(stored=PartInPlace(part, head.schema))


def _stored(place: OutputPlace, number: int, made: WorkedPart) -> StoredPart:
    try:
        return store_part(files_of(place), WORK, number, made.frame, made.notes)
    except OSError as error:
        import ray

        node = ray.util.get_node_ip_address()
        raise ClusterError(
            f"cluster: node {node} cannot write into {place} ({error.strerror or error}); make room, or put "
            "the output where all nodes may write"
        ) from error
