"""Parts of a run over a table, made by a cluster through Ray Data."""

import os
import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from semscale.distributed.actor_pool import BOOKED, ActorPool
from semscale.distributed.attempts import Attempts
from semscale.distributed.cluster import started
from semscale.distributed.cluster_watch import ClusterWatch, addresses
from semscale.distributed.node_checks import check_nodes, node_ids, work_in
from semscale.distributed.output_checks import ClusterWarning, has_processors, new_probe, nodes_without
from semscale.distributed.ray_results import result_of, said_plainly
from semscale.distributed.recipes import Recipe, SharesTexts
from semscale.distributed.row_actors import FIRST_ROW, PartActor, StartedRun, received
from semscale.distributed.text_owners import Owners, refuse_gpus
from semscale.distributed.text_repeats import (
    Repeats,
    Sharing,
    TextsIn,
    repeats_in,
    sampled_texts,
    sampling_step,
)
from semscale.errors import InputError
from semscale.store.places import OutputPlace
from semscale.store.runs.table_run import TableWork, WorkedPart
from semscale.store.table import Table
from semscale.types import Integers

S = TypeVar("S")
T = TypeVar("T")

_COUNTED_AT_ONCE = 50_000


@dataclass(frozen=True)
class ClusterParts:
    """Makes the parts of a run on the cluster that this process is connected to.

    Nodes read the rows of each part by themselves. They write the part into the output's folder, where all of
    them see it, and send what the summary needs; elsewhere they send the whole part, and this process writes
    it. This process marks parts as finished in the order of the rows. A part whose node is lost is made again
    on another node.

    Attributes:
        recipe: how a node makes the instrument.
        pool: the actors.
        sharing: when equal texts of different parts are embedded once in the cluster.
        checked: identifiers of the nodes that were asked whether they see the output's folder.
    """

    recipe: Recipe
    pool: ActorPool = ActorPool()
    sharing: Sharing = "auto"
    checked: set[str] = field(default_factory=set, compare=False)

    def sees(self, place: OutputPlace) -> bool:
        """Tell whether all nodes write into a folder; a warning names one that does not.

        Raises:
            InputError: the folder cannot be written here, or a node cannot run Semscale.
        """
        nodes = node_ids(has_processors)
        unseen = nodes_without(place)
        self.checked.update(nodes)
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
        work: TableWork[object],
        table: Table,
        size: int,
        skip: int,
        place: OutputPlace | None = None,
    ) -> Iterator[WorkedPart]:
        """Make the parts after the first ``skip`` rows, and store them in a folder, if one is given.

        Raises:
            InputError: a node that does not fit, an input that nodes cannot read, or of which they have
                other rows, or what the work refuses.
            ModelError: a node cannot get or run the model.
            ClusterError: the cluster failed, a part ended its process again and again, or a node that joined
                later does not fit.
        """
        n_rows = _n_rows(table)
        starts = range(skip, n_rows, size)
        if not starts:
            return
        check_sendable(table)
        recipe = self.recipe.completed(work)
        nodes = node_ids(self.pool.fits)
        expected = check_nodes(recipe, table, self.pool)
        actors = min(self.pool.size(started()), len(starts))
        with ExitStack() as stack:
            watch = ClusterWatch(addresses())
            attempts, probe = Attempts.start(), None
            stack.callback(attempts.end)
            if place is not None:
                probe = new_probe(place)
                stack.enter_context(probe.written())
            run = StartedRun(os.getcwd(), next(table.batches(1)), nodes, attempts, probe)
            recipe, booked = stack.enter_context(
                self._shared(recipe, table, (size, starts), actors, attempts)
            )
            import ray.data

            made = ray.data.from_items(
                [{FIRST_ROW: start} for start in starts], override_num_blocks=len(starts)
            ).map_batches(
                PartActor,
                fn_constructor_args=(recipe, table, size, expected, run),
                batch_size=1,
                batch_format="pyarrow",
                **self.pool.arguments(actors, booked=booked),
            )
            blocks = made.iter_batches(batch_size=1, batch_format="pyarrow")
            for start, block in zip(starts, _taken(blocks, watch), strict=True):
                part = received(block, start // size)
                check_whole(part.frame.height, min(size, n_rows - start), table.name, start)
                yield part

    def each(self, work: Callable[[T], S], items: Iterable[T]) -> Iterator[S]:
        """Do work on items on all nodes, and give the results in the order of the items.

        Raises:
            SemscaleError: the work refuses an item.
            ClusterError: the cluster failed.
        """
        here = self.checked & node_ids(has_processors)
        return _on_nodes(work, ((item,) for item in items), self.pool, here)

    @contextmanager
    def _shared(
        self, recipe: Recipe, table: Table, parts: tuple[int, range], actors: int, attempts: Attempts
    ) -> Iterator[tuple[Recipe, float]]:
        """Start owners of texts where that pays: the recipe that uses them, and what an actor books."""
        model = recipe.model if isinstance(recipe, SharesTexts) else None
        if not isinstance(recipe, SharesTexts) or model is None:
            yield recipe, BOOKED
            return
        if not self._is_worth(recipe.texts_in, table, parts, actors, has_cache=model.cache):
            yield recipe, BOOKED
            return
        # An actor books less, so that it has room beside an owner. Owners for which there is no room would
        # wait for processors forever, or leave none to the actors.
        booked, room = BOOKED / 2, replace(self.pool, actors=None).size(started())
        owners = Owners.start(model, min(actors, room), self.pool.resources(booked), attempts)
        try:
            yield recipe.with_shared(owners.embedder), booked
        finally:
            owners.end()

    def _is_worth(
        self, texts_in: TextsIn, table: Table, parts: tuple[int, range], actors: int, *, has_cache: bool
    ) -> bool:
        if self.sharing == "always":
            refuse_gpus(self.pool, "sharing='always'")
        nodes = len([node for node in started() if self.pool.fits(node)]) if has_cache else None
        if self.sharing != "auto" or self.pool.gpus or len(parts[1]) == 1 or nodes == 1:
            return self.sharing == "always"
        return repeats_of(texts_in, table, parts, actors, nodes).pays


def repeats_of(
    texts_in: TextsIn,
    table: Table,
    parts: tuple[int, range],
    tasks: int,
    nodes: int | None,
) -> Repeats:
    """Estimate on the nodes how often texts come up again in other parts.

    Args:
        texts_in: finds the distinct texts that are embedded for some rows.
        table: the input.
        parts: rows of a part, and the first rows of all parts.
        tasks: tasks that read the input, each some parts that follow each other.
        nodes: nodes with a cache of their own; ``None`` without caches.

    Raises:
        InputError: a row cannot be read.
    """
    size, starts = parts
    cuts = np.linspace(0, len(starts), tasks + 1).astype(int)
    step = sampling_step(len(starts) * size)
    some = [
        (os.getcwd(), table, texts_in, size, starts[first:last], step)
        for first, last in zip(cuts[:-1], cuts[1:], strict=True)
    ]
    return repeats_in(np.concatenate(list(_on_nodes(_sampled_in, some, ActorPool()))), nodes=nodes)


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


def _sampled_in(folder: str, *which: Any) -> Integers:  # noqa: ANN401 - as sampled_texts takes them
    work_in(folder)
    return sampled_texts(*which)


def _taken(blocks: Iterable[T], watch: ClusterWatch) -> Iterator[T]:
    """Take blocks of Ray Data, whose errors are said in plain words."""
    taking = watch.over(blocks)
    while True:
        with said_plainly():
            try:
                block = next(taking)
            except StopIteration:
                return
        yield block


def _on_nodes(
    task: Callable[..., S],
    arguments: Iterable[tuple[Any, ...]],
    pool: ActorPool,
    nodes: Collection[str] = (),
) -> Iterator[S]:
    """Run a task for each tuple of arguments, a few at a time for each processor; results in their order.

    Tasks run on the nodes with these identifiers, or on any if none is named.

    Raises:
        SemscaleError: a task raised it.
        ClusterError: the cluster failed.
    """
    return ClusterWatch(addresses()).over(_results(task, arguments, pool, nodes))


def _results(
    task: Callable[..., S],
    arguments: Iterable[tuple[Any, ...]],
    pool: ActorPool,
    nodes: Collection[str],
) -> Iterator[S]:
    import ray

    options: dict[str, Any] = {"num_cpus": BOOKED, "scheduling_strategy": "SPREAD"}
    if nodes:
        options["label_selector"] = {"ray.io/node-id": f"in({','.join(sorted(nodes))})"}
    run = ray.remote(_called).options(**options)
    at_once, pending = 2 * pool.size(started()), deque[Any]()
    for each in arguments:
        pending.append(run.remote(task, *each))
        if len(pending) >= at_once:
            yield result_of(pending.popleft())
    while pending:
        yield result_of(pending.popleft())


def _called(task: Callable[..., S], *arguments: Any) -> S:  # noqa: ANN401 - Ray takes functions, no partial ones
    return task(*arguments)


def _n_rows(table: Table) -> int:
    if table.n_rows is not None:
        return table.n_rows
    return sum(batch.height for batch in table.batches(_COUNTED_AT_ONCE))
