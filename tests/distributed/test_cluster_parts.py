"""Runs on a cluster: files equal those of a single process, also where processes end and nodes join."""

import hashlib
import os
import signal
from dataclasses import replace

import polars as pl
import pytest
from tests.distributed.conftest import files_in, killed_when_noted
from tests.support import disturbed_recipe
from tests.support.disturbed_recipe import ByNode, Copying, Disturbed, OtherInActors, Refusing

from semscale.cli.main import main
from semscale.distributed import cluster_parts
from semscale.distributed.actor_pool import ActorPool
from semscale.distributed.cluster_parts import ClusterParts, ClusterWarning
from semscale.distributed.datasets import EmbeddingRecipe, ModelRecipe, RatingRecipe
from semscale.embedding import load_embedder
from semscale.embedding.table import EmbeddingColumns, EmbeddingTable, embed_table
from semscale.errors import ClusterError, InputError
from semscale.matching.table import MatchTable
from semscale.rating.rater import Rater
from semscale.rating.settings import RaterSettings, RatingColumns
from semscale.rating.table import rate_table
from semscale.results.table_runs import PartSettings
from semscale.scales import load_scale
from semscale.store.places import target_of
from semscale.store.reading import open_table

pytestmark = pytest.mark.needs("ray")

WAITED = 120  # seconds
TEXT = EmbeddingColumns(text="text")
VECTORS = EmbeddingRecipe(ModelRecipe("model", cache=False), TEXT)
SETTINGS = {"floor": None, "language": None}


@pytest.fixture(autouse=True)
def recipes_by_value():
    """Send the recipes of these tests with their code, as nodes cannot import it."""
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(disturbed_recipe)
    yield
    cloudpickle.unregister_pickle_by_value(disturbed_recipe)


def rated(folder, workers=None):
    rater = Rater("scale.yaml", embedder=load_embedder("model", cache=False), **SETTINGS)
    return rate_table(
        open_table("in"),
        RatingColumns(text="text", by=("group",)),
        rater=rater,
        out=target_of(f"{folder}/"),
        settings=PartSettings(3, workers=workers),
    )


def recipe_here():
    model = ModelRecipe("model", cache=False)
    columns = RatingColumns(text="text")
    return RatingRecipe(model, load_scale("scale.yaml"), RaterSettings(**SETTINGS), columns)


def test_a_killed_worker_and_a_lost_node_change_no_byte(connection, here):
    two_nodes = connection
    plain = rated(here / "plain")
    lost = two_nodes.add_node(num_cpus=1)
    notes = here / "notes"
    notes.mkdir()
    watchers = [
        killed_when_noted(notes / "6", lambda pid: os.kill(pid, signal.SIGKILL)),
        killed_when_noted(notes / lost.node_id, lambda _: two_nodes.remove_node(lost, allow_graceful=False)),
    ]
    recipe = Disturbed(recipe_here(), notes, (6,), lost.node_id)
    summary = rated(here / "there", ClusterParts(recipe))
    for watcher in watchers:
        watcher.join(WAITED)
    assert {path.name for path in notes.iterdir()} == {"6", lost.node_id}
    assert files_in(here / "there") == files_in(here / "plain")
    numbers, expected = summary.record(), plain.record()
    assert {**numbers, "created": None} == {**expected, "created": None}


def test_nodes_with_other_weights_are_refused(connection, here):
    other = connection.add_node(num_cpus=1, env_vars={"WEIGHTS_OF_NODE": "aaaa"})
    try:
        with pytest.raises(InputError, match=r"has model words#aaaa, this machine words#1f2e"):
            rated(here / "there", ClusterParts(ByNode()))
    finally:
        connection.remove_node(other)
    assert not (here / "there").exists()


def test_an_error_of_a_node_arrives_unchanged(connection, here):
    with pytest.raises(InputError, match=r"^row 1 cannot be read; repair it$"):
        rated(here / "there", ClusterParts(Refusing(), ActorPool(actors=1)))


def commanded(capsys, *arguments):
    code = main([str(word) for word in arguments])
    return code, capsys.readouterr()


def test_the_command_continues_after_the_parts_of_a_single_process(connection, here, capsys, monkeypatch):
    line = ["match", "in", "--prediction", "text", "--reference", "meant", "--method", "cosine"]
    line += ["--by", "group", "--embedder", "model", "--part-rows", "7", "--no-cache", "--out"]
    code, _ = commanded(capsys, *line, f"{here}/plain/")
    assert code == 0
    # Two parts are finished, as one process makes them, when the run is stopped.
    measure = MatchTable.measure

    def stopped(self, cells):
        if cells.first_row == 14:
            raise KeyboardInterrupt
        return measure(self, cells)

    with monkeypatch.context() as patch:
        patch.setattr(MatchTable, "measure", stopped)
        code, printed = commanded(capsys, *line, f"{here}/there/")
    assert code == 3
    assert "14 rows are finished" in printed.err
    other = commanded(capsys, *line[:-3], "--explain", *line[-3:], f"{here}/there/", "--empty", "wrong")
    assert other[0] == 2
    code, printed = commanded(capsys, *line, f"{here}/there/", "--ray", connection.address)
    assert (code, printed.err) == (0, "")
    assert files_in(here / "there") == files_in(here / "plain")
    code, printed = commanded(
        capsys, *line, f"{here}/there/", "--ray", connection.address, "--empty", "wrong"
    )
    assert code == 2
    assert "holds the output of another run that differs" in printed.err


def test_embed_writes_the_same_file(connection, here, capsys):
    line = ["embed", "in", "--text", "text", "--embedder", "model", "--part-rows", "11", "--out"]
    assert commanded(capsys, *line, here / "plain.parquet")[0] == 0
    code, printed = commanded(capsys, *line, here / "there.parquet", "--ray", connection.address)
    assert (code, printed.err) == (0, "")
    assert (here / "there.parquet").read_bytes() == (here / "plain.parquet").read_bytes()
    assert pl.read_parquet(here / "there.parquet").height == 40


def test_a_node_with_other_rows_is_refused(connection, here):
    parts = ClusterParts(Copying(), ActorPool(actors=1))
    table = replace(
        open_table("in"), n_rows=43
    )  # 40 rows, as the nodes see it: 3 were here when they counted
    message = r"^cluster: a node read 10 rows of in from row 31 on, this machine 13; give all nodes"
    with pytest.raises(InputError, match=message):
        list(parts.parts(None, table, 30, 0))
    table = replace(table, n_rows=61)
    with pytest.raises(InputError, match=r"^cluster: a node's in ends before row 61"):
        list(parts.parts(None, table, 60, 60))


def embedding(folder, workers=None, part_rows=11):
    return embed_table(
        open_table("in"),
        TEXT,
        embedder=load_embedder("model", cache=False),
        out=target_of(f"{folder}/"),
        settings=PartSettings(part_rows, workers=workers),
    )


def embedding_parts():
    return ClusterParts(VECTORS)


def test_nodes_store_parts_and_send_only_statuses(connection, here):
    (here / "there" / "_semscale").mkdir(parents=True)  # as a run begins
    target = target_of(f"{here}/there/")
    instrument = EmbeddingTable(TEXT, load_embedder("model", cache=False))
    parts = list(embedding_parts().parts(instrument, open_table("in"), 30, 0, target))
    assert [part.frame.columns for part in parts] == [["semscale_status"]] * 2
    assert [part.frame.height for part in parts] == [30, 10]
    for number, written in enumerate(parts):
        file = here / "there" / "_semscale" / f"part-{number:06d}.parquet"
        assert pl.read_parquet_schema(file) == written.stored.schema
        assert hashlib.sha256(file.read_bytes()).hexdigest() == written.stored.checksum


def test_parts_pass_through_this_process_if_a_node_does_not_see_the_folder(connection, here, monkeypatch):
    embedding(here / "plain")
    monkeypatch.setattr(cluster_parts, "nodes_without", lambda target: ["10.0.0.2"])
    with pytest.warns(ClusterWarning, match=r"^cluster: node 10\.0\.0\.2 does not write into .*/there, so"):
        embedding(here / "there", embedding_parts())
    assert files_in(here / "there") == files_in(here / "plain")


def test_a_part_that_always_ends_its_process_ends_the_run_and_finished_parts_stay(connection, here):
    notes = here / "notes"
    notes.mkdir()
    deadly = Disturbed(VECTORS, notes, deadly=33)  # the last 7 of 40 rows
    message = r"^cluster: the process that worked on rows 34 to 40 of in ended 4 times without an"
    with pytest.raises(ClusterError, match=message):
        embedding(here / "there", ClusterParts(deadly, ActorPool(actors=1)))
    stored = [name for name in files_in(here / "there") if name.endswith(".json")]
    assert {"_semscale/part-000000.json", "_semscale/part-000001.json"} <= set(stored)
    # One process goes on after what is finished.
    embedding(here / "there")
    embedding(here / "plain")
    assert files_in(here / "there") == files_in(here / "plain")


@pytest.mark.needs("cloud")
def test_a_killed_worker_changes_no_byte_on_an_object_store(connection, here, object_store):
    notes = here / "notes"
    notes.mkdir()
    embedding(here / "plain")
    object_store.system.mkdir("survey")
    watcher = killed_when_noted(notes / "22", lambda pid: os.kill(pid, signal.SIGKILL))
    embedding("s3://survey/vectors", ClusterParts(Disturbed(VECTORS, notes, (22,))))
    watcher.join(WAITED)
    assert (notes / "22").exists()
    assert object_store.files("survey/vectors") == files_in(here / "plain")


def test_a_node_that_joins_with_other_weights_is_refused(connection, here):
    with pytest.raises(ClusterError, match=r"^cluster: node .* has model words#aaaa, this machine .*#"):
        embedding(here / "refused", ClusterParts(OtherInActors(VECTORS), ActorPool(actors=1)))
