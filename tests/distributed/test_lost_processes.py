"""Runs on a cluster in which processes end, and nodes join: what is finished stays, and no byte changes."""

import os
import signal

import disturbed_recipe
import polars as pl
import pytest
from disturbed_recipe import Disturbed, OtherInActors
from tests.distributed.conftest import files_in, killed_when_noted

from semscale.distributed import cluster_parts
from semscale.distributed.actor_pool import ActorPool
from semscale.distributed.cluster_parts import ClusterParts
from semscale.distributed.match_recipe import MatchRecipe
from semscale.distributed.recipes import EmbeddingRecipe, ModelRecipe
from semscale.embedding import load_embedder
from semscale.embedding.file_embedding import embed_file
from semscale.errors import ClusterError
from semscale.matching.settings import MatchColumns, MatchSettings
from semscale.store.places import target_of
from semscale.store.reading import open_table
from semscale.store.runs.table_run import PartSettings

pytestmark = pytest.mark.needs("ray")

WAITED = 120  # seconds


@pytest.fixture(autouse=True)
def recipes_by_value():
    """Send the recipes of these tests with their code, as nodes cannot import it."""
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(disturbed_recipe)
    yield
    cloudpickle.unregister_pickle_by_value(disturbed_recipe)


def embedding(out, makers=None, part_rows=11):
    return embed_file(
        open_table("in"),
        "text",
        embedder=load_embedder("model", cache=False),
        out=target_of(f"{out}/"),
        settings=PartSettings(part_rows, makers=makers),
    )


RECIPE = EmbeddingRecipe(ModelRecipe("model", cache=False), "text")


def test_a_part_that_ends_its_process_each_time_ends_the_run_and_keeps_what_is_finished(connection, here):
    notes = here / "notes"
    notes.mkdir()
    deadly = Disturbed(RECIPE, notes, deadly=33)  # the last 7 of 40 rows
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
    embedding("s3://survey/vectors", ClusterParts(Disturbed(RECIPE, notes, (22,))))
    watcher.join(WAITED)
    assert (notes / "22").exists()
    assert object_store.files("survey/vectors") == files_in(here / "plain")


def test_a_node_that_joins_is_checked_before_it_works(connection, here, monkeypatch):
    # No node counts as checked, as if all had joined after the check.
    monkeypatch.setattr(cluster_parts, "node_ids", lambda fits: frozenset())
    embedding(here / "plain")
    embedding(here / "there", ClusterParts(RECIPE, sharing="never"))
    assert files_in(here / "there") == files_in(here / "plain")
    with pytest.raises(ClusterError, match=r"^cluster: node .* has model words#aaaa, this machine .*#"):
        embedding(here / "refused", ClusterParts(OtherInActors(RECIPE), ActorPool(actors=1)))


def test_matches_by_cosine_share_texts(connection, here):
    settings = MatchSettings(method="cosine", embedder="model", loading={"cache": False})
    columns = MatchColumns(prediction="text", reference=("meant",))
    recipe = MatchRecipe.from_settings(columns, settings)
    table = open_table("in")
    parts = ClusterParts(recipe, sharing="always").parts(None, table, 14, 0)
    found = pl.concat([part.frame for part in parts])
    work = recipe.row_work(table)
    expected = pl.concat([work.part(batch, 0).frame for batch in table.batches(14)])
    assert found.equals(expected)
