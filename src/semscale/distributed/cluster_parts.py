"""Computation of the parts of a run over a table by actors of a cluster, with Ray Data."""

import os
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

import polars as pl

from semscale.distributed.actor_pool import BOOKED, ActorPool
from semscale.distributed.cluster import cluster_error, is_connected, node_resources, one_line, watch
from semscale.errors import ClusterError, InputError, ModelError, SemscaleError
from semscale.results.instrument import TableInstrument, measure_part
from semscale.results.table_runs import WorkedPart
from semscale.signature import Signature
from semscale.store.parts import WORK, Part, store_part
from semscale.store.places import OutputPlace, files_of
from semscale.store.table import Table
from semscale.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa

S = TypeVar("S")
T = TypeVar("T")

MOST_ATTEMPTS = 4
"""Greatest number of attempts at one piece of work: a node is unlikely to be lost so often by chance."""

_FIRST_ROW, _PART = "first_row", "part"  # columns of Ray's blocks
_COUNTED_AT_ONCE = 50_000


class ClusterWarning(UserWarning):
    """Warning that a cluster does not work as it could."""


class Recipe(Protocol):
    """Names and settings from which a node builds an instrument, without a model; it can be pickled."""

    def signature(self) -> Signature:
        """Return the model's signature with the hash of its weights; missing weights are downloaded."""
        ...

    def instrument(self) -> TableInstrument[Any, Any]:
        """Load the model and build the instrument."""
        ...

    def with_estimates(self, instrument: TableInstrument[Any, Any]) -> Self:
        """Return a copy with the estimates that an instrument made from the whole table."""
        ...


@dataclass(frozen=True)
class ClusterParts:
    """Computes the parts of a run on the cluster that this process is connected to.

    Nodes read the rows of each part themselves. If all nodes see the output's folder, they write the part
    there and send only the columns that the summary needs. Otherwise they send the whole part, and this
    process writes it. This process marks parts as finished in the order of the rows. If a node is lost, its
    part is computed again on another node.

    Attributes:
        recipe: builds the instrument on a node.
        pool: the actors.
        checked: identifiers of the nodes that were checked for access to the output's folder.
    """

    recipe: Recipe
    pool: ActorPool = ActorPool()
    checked: set[str] = field(default_factory=set, compare=False)

    def sees(self, place: OutputPlace) -> bool:
        """Return true if all nodes can write into a folder; warn about a node that cannot.

        Raises:
            InputError: the folder cannot be written here, or a node cannot run Semscale.
        """
        self.checked.update(str(node["NodeID"]) for node in _nodes(has_processors))
        unseen = nodes_without(place)
        if unseen:
            warnings.warn(
                f"cluster: node {unseen[0]} does not write into {place}, so all parts pass through this "
                "machine; an output folder that all nodes see takes more rows",
                ClusterWarning,
                stacklevel=2,
            )
        return not unseen

    def parts(
        self,
        instrument: TableInstrument[Any, Any],
        table: Table,
        size: int,
        skip: int,
        place: OutputPlace | None = None,
    ) -> Iterator[WorkedPart]:
        """Yield the parts after the first ``skip`` rows, and store them in a folder if one is named.

        Raises:
            InputError: a node has another version or other weights, nodes cannot read the input or read other
                rows, or the instrument rejects the input.
            ModelError: a node cannot get or run the model.
            ClusterError: the cluster failed, a part ended its process repeatedly, or a node that joined later
                has another version or other weights.
        """
        n_rows = table.n_rows
        if n_rows is None:
            n_rows = sum(batch.height for batch in table.batches(_COUNTED_AT_ONCE))
        starts = range(skip, n_rows, size)
        if not starts:
            return
        _check_sendable(table)
        recipe = self.recipe.with_estimates(instrument)
        check = check_nodes(recipe, table, self.pool)
        with ExitStack() as stack:
            attempts, probe = Attempts.start(), None
            stack.callback(attempts.end)
            if place is not None:
                probe = FolderProbe.new(place)
                stack.enter_context(probe.write_file())
            import ray.data

            rows = [{_FIRST_ROW: start} for start in starts]
            dataset = ray.data.from_items(rows, override_num_blocks=len(starts)).map_batches(
                PartActor,
                fn_constructor_args=(recipe, table, size, check, attempts, probe),
                batch_size=1,
                batch_format="pyarrow",
                **self.pool.arguments(min(self.pool.size(node_resources()), len(starts))),
            )
            blocks = watch(dataset.iter_batches(batch_size=1, batch_format="pyarrow"))
            for start, block in zip(starts, blocks, strict=True):
                part = _unpack(block)
                _check_rows(part.frame.height, min(size, n_rows - start), table.name, start)
                yield part

    def each(self, work: Callable[[T], S], items: Iterable[T]) -> Iterator[S]:
        """Apply ``work`` to items on all nodes, and return the results in the order of the items.

        Raises:
            SemscaleError: ``work`` rejected an item.
            ClusterError: the cluster failed.
        """
        return watch(self._results(work, items))

    def _results(self, work: Callable[[T], S], items: Iterable[T]) -> Iterator[S]:
        import ray

        options: dict[str, Any] = {"num_cpus": BOOKED, "scheduling_strategy": "SPREAD"}
        nodes = self.checked & {str(node["NodeID"]) for node in _nodes(has_processors)}
        if nodes:
            options["label_selector"] = {"ray.io/node-id": f"in({','.join(sorted(nodes))})"}
        run = ray.remote(_call).options(**options)
        at_once, pending = 2 * self.pool.size(node_resources()), deque[Any]()
        for item in items:
            pending.append(run.remote(work, item))
            if len(pending) >= at_once:
                yield ray.get(pending.popleft())
        while pending:
            yield ray.get(pending.popleft())


def _call(work: Callable[[T], S], item: T) -> S:  # Ray takes functions, no partial ones
    return work(item)


def _check_sendable(table: Table) -> None:
    """Refuse a table that cannot be pickled and sent to other nodes."""
    from ray import cloudpickle

    try:
        cloudpickle.dumps(table)
    except Exception as error:  # readers raise different errors
        raise InputError(
            "cluster",
            f": {table.name} cannot be read piece by piece on other nodes ({error!s:.80}); write it "
            "as Parquet first",
        ) from error


def _check_rows(n: int, expected: int, source: str, first_row: int) -> None:
    """Refuse a part if the node read a different number of rows than this machine has."""
    if n != expected:
        raise InputError(
            "cluster",
            f": a node read {n:,} rows of {source} from row {first_row + 1:,} on, this machine "
            f"{expected:,}; give all nodes the same file, and leave it as it is during the run",
        )


class PartActor:
    """Actor that reads and measures parts of a table.

    A part, or the error that prevented it, is sent as one pickled cell. This keeps the types of the columns,
    and the error without Ray's wrapper.

    Args:
        recipe: builds the instrument.
        table: the input, which the node must be able to read.
        size: rows of a part.
        check: compares this node with the machine on which the run was started.
        attempts: limits the attempts at parts that end their process.
        probe: checks access to the output's folder, so that nodes write parts there; ``None`` if parts are
            sent back.
    """

    def __init__(
        self,
        recipe: Recipe,
        table: Table,
        size: int,
        check: "NodeCheck",
        attempts: "Attempts",
        probe: "FolderProbe | None",
    ) -> None:
        self._recipe, self._table, self._size, self._check = recipe, table, size, check
        self._attempts, self._probe = attempts, probe
        self._instrument: TableInstrument[Any, Any] | None = None

    def __call__(self, batch: "pa.Table") -> "pa.Table":
        """Compute the part that begins with the row in the batch."""
        import pyarrow as pa
        from ray import cloudpickle

        first_row = batch[_FIRST_ROW][0].as_py()
        n_rows = self._table.n_rows
        last = first_row + self._size if n_rows is None else min(first_row + self._size, n_rows)
        rows = f"rows {first_row + 1:,} to {last:,} of {self._table.name}"
        outcome: WorkedPart | Exception
        try:
            with self._attempts.at(f"part {first_row}", f"worked on {rows}"):
                outcome = self._part(first_row)
        except ClusterError as error:
            outcome = error if rows in str(error) else ClusterError(f"{error} (found in {rows})")
        except (SemscaleError, OSError, MemoryError) as error:
            if not isinstance(error, SemscaleError):
                error.add_note(traceback.format_exc())  # a pickled error has no traceback
            outcome = error
        return pa.table({_PART: pa.array([cloudpickle.dumps(outcome)], pa.large_binary())})

    def _part(self, first_row: int) -> WorkedPart:
        if self._instrument is None:
            self._instrument = self._begun()
        frame = next(self._table.batches(self._size, first_row), None)
        if frame is None:
            raise InputError(
                "cluster",
                f": a node's {self._table.name} ends before row {first_row + 1:,}; give all nodes the "
                "same file, and leave it as it is during the run",
            )
        cells, _, notes = measure_part(self._instrument, frame, first_row, self._table.name)
        if self._probe is None:
            return WorkedPart(cells.rows, notes)
        stored = self._store(self._probe.place, first_row // self._size, cells.rows, notes)
        columns = self._instrument.summary_columns
        return WorkedPart(cells.rows if columns is None else cells.rows.select(columns), notes, stored)

    def _begun(self) -> TableInstrument[Any, Any]:
        """Build the instrument after checking the node.

        All nodes were checked before the run, so a node that is refused here joined later. The run then ends;
        finished parts remain.
        """
        problem = self._check.problem()
        if problem is not None:
            raise ClusterError(str(problem))
        if self._probe is not None and self._probe.check_access() is None:
            self._probe = None
        return self._recipe.instrument()

    def _store(self, place: OutputPlace, number: int, frame: pl.DataFrame, notes: Mapping[str, Any]) -> Part:
        try:
            return store_part(files_of(place), WORK, number, frame, notes)
        except OSError as error:
            raise ClusterError(
                f"cluster: node {_this_node()} cannot write into {place} ({error.strerror or error}); make "
                "room, or put the output where all nodes may write"
            ) from error


def _unpack(block: "pa.Table") -> WorkedPart:
    """Unpack a part.

    Raises:
        SemscaleError: the reason why the part could not be computed.
        OSError: the same reason, if the node's operating system raised it.
        ClusterError: a node had too little memory.
    """
    from ray import cloudpickle

    outcome: WorkedPart | Exception = cloudpickle.loads(block[_PART][0].as_py())
    if isinstance(outcome, Exception):
        raise cluster_error(outcome) or outcome
    return outcome


class BatchActor:
    """Actor that measures batches of a dataset.

    Args:
        recipe: builds the instrument.
        check: compares this node with the machine on which the dataset was created.
        attempts: limits the attempts at rows that end their process.
    """

    def __init__(self, recipe: Recipe, check: "NodeCheck", attempts: "Attempts") -> None:
        problem = check.problem()
        if problem is not None:
            raise problem
        self._instrument, self._attempts = recipe.instrument(), attempts

    def __call__(self, batch: "pa.Table") -> "pa.Table":
        """Return the rows with the columns of the result.

        Raises:
            ClusterError: these rows ended their process repeatedly.
        """
        import ray

        frame = pl.DataFrame(pl.from_arrow(batch))
        # An actor that is started again keeps its identifier; other actors may work on equal rows.
        actor = ray.get_runtime_context().get_actor_id()
        digest = blake2b(frame.write_ipc(None).getvalue(), digest_size=16).hexdigest()
        with self._attempts.at(f"{actor} {digest}", f"worked on {frame.height:,} rows of the dataset"):
            cells, _, _ = measure_part(self._instrument, frame, 0, "the dataset")
        part = cells.rows.drop(self._instrument.private_titles, strict=False)
        return part.to_arrow(compat_level=pl.CompatLevel.oldest())


class AttemptLog:
    """Actor that records started and ended pieces of work; it outlives the actors that do the work.

    Examples:
        >>> log = AttemptLog()
        >>> log.begin("part 3", "10.0.0.2"), log.begin("part 3", "10.0.0.3"), log.end("part 3")
        ([], ['10.0.0.2'], None)
        >>> log.begin("part 3", "10.0.0.2")
        []
    """

    def __init__(self) -> None:
        self._begun: dict[str, list[str]] = {}

    def begin(self, piece: str, node: str) -> list[str]:
        """Record that a node starts a piece, and return the nodes on which earlier attempts did not end."""
        earlier = self._begun.get(piece, [])
        self._begun[piece] = [*earlier, node]
        return earlier

    def end(self, piece: str) -> None:
        """Record that a piece has ended, with a result or an error."""
        self._begun.pop(piece, None)


@dataclass(frozen=True)
class Attempts:
    """Limit on attempts at work that ends its process, so that a run does not repeat it forever.

    Attributes:
        log: handle of an ``AttemptLog``.
    """

    log: Any

    @classmethod
    def start(cls) -> Self:
        """Start the log on the node of this process; if that node is lost, the run ends anyway."""
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        options = {"num_cpus": 0, "max_restarts": -1, "max_task_retries": -1, "scheduling_strategy": here}
        return cls(ray.remote(AttemptLog).options(**options).remote())

    @contextmanager
    def at(self, piece: str, description: str) -> Iterator[None]:
        """Record the work on a piece within a ``with`` block.

        Args:
            piece: names the piece within the run.
            description: describes the work in an error message, after "the process that".

        Raises:
            ClusterError: too many earlier attempts at the piece ended their process.
        """
        import ray

        lost_on = ray.get(self.log.begin.remote(piece, _this_node()))
        try:
            if len(lost_on) >= MOST_ATTEMPTS:
                nodes = list(dict.fromkeys(lost_on))
                where = f"node{'s' if len(nodes) > 1 else ''} {', '.join(nodes)}"
                raise ClusterError(
                    f"cluster: the process that {description} ended {len(lost_on)} times without an error "
                    f"(on {where}). Either its memory is too small, which fewer actors or smaller parts "
                    "would avoid, or a text there crashes the model: remove it"
                )
            yield
        finally:
            self.log.end.remote(piece)

    def end(self) -> None:
        """End the log."""
        import ray

        if is_connected():
            ray.kill(self.log)


@dataclass(frozen=True)
class NodeCheck:
    """Comparison of a node with the machine on which a run was started.

    Attributes:
        recipe: builds the instrument.
        expected: signature of the model on that machine.
        folder: its working folder.
        table: the input; ``None`` where Ray reads it.
        first: first row of the input on that machine.
    """

    recipe: Recipe
    expected: Signature
    folder: str
    table: Table | None = None
    first: pl.DataFrame | None = None

    def problem(self) -> SemscaleError | None:
        """Return the reason why this node would compute other numbers or none; ``None`` if it agrees.

        Missing weights are downloaded once for all actors of the node.
        """
        with suppress(OSError):  # relative paths refer to the folder of the run, if this node has it
            os.chdir(self.folder)
        node = f"cluster: node {_this_node()}"
        if __version__ != self.expected.version:
            return InputError(
                f"{node} has semscale {__version__}, this machine {self.expected.version}; install the same "
                "version on all nodes"
            )
        try:
            differences = self.expected.differences(self.recipe.signature())
        except SemscaleError as error:
            kind = ModelError if isinstance(error, ModelError) else InputError
            return kind(f"{node}: {error}")
        if differences:
            name, (expected, actual) = next(iter(differences.items()))
            remedy = "give all nodes the same weights and packages"
            if name == "device":
                remedy = (
                    "see that PyTorch finds a GPU on all nodes that declare one (torch.cuda.is_available())"
                )
            return InputError(
                f"{node} has {name} {actual}, this machine {expected}, so their numbers differ; {remedy}"
            )
        if self.table is not None and not self._reads_alike(self.table):
            return InputError(
                f"{node} does not read {self.table.name} as this machine does; put the input where all nodes "
                "see it under the same name, such as a shared folder or a URL"
            )
        return None

    def _reads_alike(self, table: Table) -> bool:
        try:
            return self.first is not None and next(table.batches(1)).equals(self.first)
        except (SemscaleError, OSError, StopIteration):
            return False


def check_nodes(recipe: Recipe, table: Table, pool: ActorPool) -> NodeCheck:
    """Check all nodes that have room for an actor at once.

    Args:
        recipe: builds the instrument.
        table: the input.
        pool: the actors.

    Returns:
        The check, for nodes that join later.

    Raises:
        InputError: a node has no Semscale, another version or other weights, or does not see the input; or
            actors need GPUs and this machine has none to compare numbers with.
        ModelError: a node cannot get the weights.
    """
    expected = recipe.signature()
    device = dict(expected.fields).get("device", "cuda")
    if pool.gpus and device != "cuda":
        raise InputError(
            f"`gpus` needs a GPU on this machine, too, and the model runs on device {device} here: start the "
            "run on a machine with a GPU and a build of torch for CUDA, or leave `gpus` out"
        )
    check = NodeCheck(recipe, expected, os.getcwd(), table, next(table.batches(1)))
    for _, problem in on_each_node(NodeCheck.problem, (check,), pool.fits, gpus=pool.gpus):
        if problem is not None:
            raise problem
    return check


@dataclass(frozen=True)
class FolderProbe:
    """Small file that shows which nodes can read and write the folder of an output.

    Attributes:
        place: the folder of the output.
        token: content of the file.
    """

    place: OutputPlace
    token: str

    @classmethod
    def new(cls, place: OutputPlace) -> Self:
        """Return a probe with a random token."""
        return cls(place, os.urandom(8).hex())

    def check_access(self) -> str | None:
        """Read the file on a node, write another file, and return its name; ``None`` if either fails."""
        name = f"{WORK}.probe-{self.token}-{os.getpid()}-{os.urandom(4).hex()}.tmp"
        with suppress(SemscaleError, OSError):
            files = files_of(self.place)
            if files.read(f"{WORK}.probe-{self.token}.tmp") == self.token.encode():
                files.write(name, self.token.encode())
                return name
        return None

    @contextmanager
    def write_file(self) -> Iterator[None]:
        """Write the file for a ``with`` block; at its end, remove all probes, including those of killed runs.

        Raises:
            InputError: the folder cannot be written here.
        """
        self._remove_probes()
        files_of(self.place).write(f"{WORK}.probe-{self.token}.tmp", self.token.encode())
        try:
            yield
        finally:
            self._remove_probes()

    def _remove_probes(self) -> None:
        files = files_of(self.place)
        for name in files.names():
            if name.startswith(f"{WORK}.probe-"):
                files.remove(name)


def nodes_without(place: OutputPlace) -> list[str]:
    """Return the nodes of this process's cluster that cannot write into a folder.

    Raises:
        InputError: the folder cannot be written here, or a node cannot run Semscale.
    """
    probe = FolderProbe.new(place)
    with probe.write_file():
        files = files_of(place)
        return [
            node
            for node, name in on_each_node(FolderProbe.check_access, (probe,), has_processors)
            if name is None or files.read(name) != probe.token.encode()
        ]


def has_processors(resources: Mapping[str, float]) -> bool:
    """Return true if a node with these resources can run tasks."""
    return bool(resources.get("CPU"))


def on_each_node(
    task: Callable[..., T],
    arguments: tuple[Any, ...],
    fits: Callable[[Mapping[str, float]], bool],
    *,
    gpus: float = 0.0,
) -> list[tuple[str, T]]:
    """Run a task concurrently on every node with enough resources, and return addresses and results.

    Args:
        task: the task.
        arguments: its arguments.
        fits: returns true if a node's resources fit.
        gpus: GPUs that the task reserves; Ray hides GPUs from a task that reserves none.

    Raises:
        InputError: a node cannot run Semscale.
        ClusterError: the cluster is lost meanwhile.
    """
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    run = ray.remote(task)
    pending = {}
    for node in _nodes(fits):
        there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        options = {"num_cpus": 0, "num_gpus": gpus, "max_retries": 1, "scheduling_strategy": there}
        pending[run.options(**options).remote(*arguments)] = str(node["NodeManagerAddress"])

    def results() -> Iterator[tuple[str, T]]:
        for reference, node in pending.items():
            try:
                yield node, ray.get(reference)
            except ray.exceptions.RayError as error:
                raise InputError(
                    "cluster",
                    f": node {node} cannot run semscale ({one_line(error.__cause__ or error)}); "
                    "install the same version with the extra ray on all nodes",
                ) from error

    return list(watch(results()))


def _nodes(fits: Callable[[Mapping[str, float]], bool]) -> list[dict[str, Any]]:
    import ray

    return [node for node in ray.nodes() if node["Alive"] and fits(node["Resources"])]


def _this_node() -> str:
    import ray

    return str(ray.util.get_node_ip_address())
