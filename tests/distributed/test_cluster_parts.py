import os
import signal
import threading
import time
from dataclasses import replace

import disturbed_recipe
import polars as pl
import pytest
from disturbed_recipe import ByNode, Copying, Disturbed, Refusing
from tests.distributed.conftest import files_in

from semscale.cli.main import main
from semscale.distributed.actor_pool import ActorPool
from semscale.distributed.cluster import connected
from semscale.distributed.cluster_parts import ClusterParts
from semscale.distributed.recipes import ModelRecipe, RatingRecipe
from semscale.embedding import load_embedder
from semscale.errors import InputError
from semscale.rating.files.file_rating import FileColumns, FileSettings, rate_file
from semscale.rating.rater import Rater
from semscale.scales import load_scale
from semscale.store.places.output_places import target_of
from semscale.store.reading import open_table

pytestmark = pytest.mark.needs("ray")

WAITED = 120  # seconds
SETTINGS = {"floor": None, "language": None}


@pytest.fixture(autouse=True)
def recipes_by_value():
    """Send the recipes of these tests with their code, as nodes cannot import it."""
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(disturbed_recipe)
    yield
    cloudpickle.unregister_pickle_by_value(disturbed_recipe)


def rated(folder, makers=None):
    rater = Rater("scale.yaml", embedder=load_embedder("model", cache=False), **SETTINGS)
    return rate_file(
        open_table("in"),
        FileColumns("text", by="group"),
        rater=rater,
        out=target_of(f"{folder}/"),
        settings=FileSettings(part_rows=3, makers=makers),
    )


def recipe_here():
    model = ModelRecipe("model", cache=False)
    return RatingRecipe(model, load_scale("scale.yaml"), SETTINGS, "text")


def killed_when_noted(note, kill):
    """Start a thread that kills, by ``kill(pid)``, what has left a note."""

    def watch():
        end = time.monotonic() + WAITED
        while not note.exists() and time.monotonic() < end:
            time.sleep(0.05)
        if note.exists():
            kill(int(note.read_text()))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    return watcher


def test_a_killed_worker_and_a_lost_node_change_no_byte(two_nodes, here):
    plain = rated(here / "plain")
    lost = two_nodes.add_node(num_cpus=1)
    notes = here / "notes"
    notes.mkdir()
    watchers = [
        killed_when_noted(notes / "6", lambda pid: os.kill(pid, signal.SIGKILL)),
        killed_when_noted(notes / lost.node_id, lambda _: two_nodes.remove_node(lost, allow_graceful=False)),
    ]
    with connected(two_nodes.address):
        found = rated(here / "there", ClusterParts(Disturbed(recipe_here(), notes, (6,), lost.node_id)))
    for watcher in watchers:
        watcher.join(WAITED)
    assert {path.name for path in notes.iterdir()} == {"6", lost.node_id}
    assert files_in(here / "there") == files_in(here / "plain")
    numbers, expected = found.record(), plain.record()
    assert {**numbers, "created": None} == {**expected, "created": None}


def test_nodes_with_other_weights_are_refused(two_nodes, here):
    other = two_nodes.add_node(num_cpus=1, env_vars={"WEIGHTS_OF_NODE": "aaaa"})
    try:
        with (
            connected(two_nodes.address),
            pytest.raises(InputError, match=r"has model words#aaaa, this machine words#1f2e"),
        ):
            rated(here / "there", ClusterParts(ByNode()))
    finally:
        two_nodes.remove_node(other)
    assert not (here / "there").exists()


def test_an_error_of_a_node_arrives_as_it_is(two_nodes, here):
    with connected(two_nodes.address), pytest.raises(InputError, match=r"^row 1 cannot be read; repair it$"):
        rated(here / "there", ClusterParts(Refusing(), ActorPool(actors=1)))


def commanded(capsys, *words):
    code = main([str(word) for word in words])
    return code, capsys.readouterr()


def test_the_command_goes_on_after_what_one_process_has_finished(two_nodes, here, capsys, monkeypatch):
    line = ["match", "in", "--prediction", "text", "--reference", "meant", "--method", "cosine"]
    line += ["--by", "group", "--model", "model", "--part-rows", "7", "--no-cache", "--out"]
    code, _ = commanded(capsys, *line, f"{here}/plain/")
    assert code == 0
    # Two parts are finished, as one process makes them, when the run is stopped.
    from semscale.matching.match_work import MatchWork

    whole = MatchWork.part

    def stopped(self, batch, first_row):
        if first_row == 14:
            raise KeyboardInterrupt
        return whole(self, batch, first_row)

    with monkeypatch.context() as patch:
        patch.setattr(MatchWork, "part", stopped)
        code, printed = commanded(capsys, *line, f"{here}/there/")
    assert code == 3
    assert "14 rows are finished" in printed.err
    other = commanded(capsys, *line[:-3], "--explain", *line[-3:], f"{here}/there/", "--empty", "wrong")
    assert other[0] == 2
    code, printed = commanded(capsys, *line, f"{here}/there/", "--cluster", two_nodes.address)
    assert (code, printed.err) == (0, "")
    assert files_in(here / "there") == files_in(here / "plain")
    code, printed = commanded(
        capsys, *line, f"{here}/there/", "--cluster", two_nodes.address, "--empty", "wrong"
    )
    assert code == 2
    assert "holds the output of another run that differs" in printed.err


def test_embed_writes_the_same_file(two_nodes, here, capsys):
    line = ["embed", "in", "--text", "text", "--model", "model", "--part-rows", "11", "--out"]
    assert commanded(capsys, *line, here / "plain.parquet")[0] == 0
    code, printed = commanded(capsys, *line, here / "there.parquet", "--cluster", two_nodes.address)
    assert (code, printed.err) == (0, "")
    assert (here / "there.parquet").read_bytes() == (here / "plain.parquet").read_bytes()
    assert pl.read_parquet(here / "there.parquet").height == 40


def test_a_node_with_other_rows_is_refused(two_nodes, here):
    parts = ClusterParts(Copying(), ActorPool(actors=1))
    table = replace(
        open_table("in"), n_rows=43
    )  # 40 rows, as the nodes see it: 3 were here when they counted
    message = r"^cluster: a node read 10 rows of in from row 31 on, this machine 13; give all nodes"
    with connected(two_nodes.address), pytest.raises(InputError, match=message):
        list(parts.parts(None, table, 30, 0))
    table = replace(table, n_rows=61)
    with (
        connected(two_nodes.address),
        pytest.raises(InputError, match=r"^cluster: a node's in ends before row 61"),
    ):
        list(parts.parts(None, table, 60, 60))
