"""Checks of nodes before they work, access to the folder of an output, and bounds on attempts."""

import os
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
from tests.support.free_ports import free_port

from semscale.distributed import cluster_parts
from semscale.distributed.actor_pool import ActorPool
from semscale.distributed.cluster import node_resources, watch
from semscale.distributed.cluster_parts import (
    MOST_ATTEMPTS,
    AttemptLog,
    Attempts,
    FolderProbe,
    NodeCheck,
    check_nodes,
    nodes_without,
    on_each_node,
)
from semscale.errors import ClusterError, InputError, MissingExtraError, ModelError
from semscale.signature import Signature
from semscale.store.places import target_of
from semscale.store.reading import open_table
from semscale.version import __version__

pytestmark = pytest.mark.needs("ray")

HERE = Signature("embed", (("model", "words#1f2e"), ("engine", "openvino-2026.4.1")), __version__)
ON_GPU = Signature("embed", (("model", "words#1f2e"), ("device", "cuda")), __version__)
ON_CPU = Signature("embed", (("model", "words#1f2e"), ("device", "cpu")), __version__)


class Named:
    """A recipe of which only the model's name counts."""

    def __init__(self, outcome):
        self._outcome = outcome

    def signature(self):
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome


@pytest.fixture(autouse=True)
def address(monkeypatch):
    monkeypatch.setattr(cluster_parts, "_this_node", lambda: "10.0.0.2")


def problem(outcome, expected=HERE, table=None, first=None):
    return NodeCheck(Named(outcome), expected, os.getcwd(), table, first).problem()


def test_nodes_like_this_machine_pass():
    assert problem(HERE) is None


def test_a_different_version_is_refused():
    refusal = problem(HERE, Signature("embed", HERE.fields, "0.0.1"))
    assert isinstance(refusal, InputError)
    assert f"node 10.0.0.2 has semscale {__version__}, this machine 0.0.1; install the same" in str(refusal)


def test_other_weights_are_refused():
    refusal = problem(Signature("embed", (("model", "words#aaaa"), *HERE.fields[1:]), __version__))
    assert "node 10.0.0.2 has model words#aaaa, this machine words#1f2e, so their numbers" in str(refusal)


def test_a_node_that_declares_a_gpu_and_has_none_is_refused():
    refusal = str(problem(ON_CPU, ON_GPU))
    assert "node 10.0.0.2 has device cpu, this machine cuda, " in refusal
    assert "see that PyTorch finds a GPU on all nodes" in refusal


@pytest.mark.parametrize(
    ("error", "kind"),
    [(ModelError("no source has them"), ModelError), (MissingExtraError("torch", "torch"), InputError)],
)
def test_weights_that_a_node_cannot_get_keep_their_error(error, kind):
    refusal = problem(error)
    assert isinstance(refusal, kind)
    assert f"node 10.0.0.2: {error}" in str(refusal)


def test_a_node_compares_the_first_row(tmp_path):
    file = tmp_path / "in.parquet"
    pl.DataFrame({"text": ["one", "two"]}).write_parquet(file)
    table = open_table(file)
    assert problem(HERE, HERE, table, pl.DataFrame({"text": ["one"]})) is None
    refusal = problem(HERE, HERE, table, pl.DataFrame({"text": ["other"]}))
    assert f"node 10.0.0.2 does not read {table.name} as this machine does" in str(refusal)
    Path(file).unlink()
    assert problem(HERE, HERE, table, pl.DataFrame({"text": ["one"]})) is not None


def test_gpus_need_a_gpu_on_this_machine():
    message = r"the model runs on device cpu here: start the run on a machine with a"
    with pytest.raises(InputError, match=message):
        check_nodes(Named(ON_CPU), None, ActorPool(gpus=1))


def waiting_for(note):
    while not Path(note).exists():
        time.sleep(0.05)


def test_a_cluster_that_is_lost_while_nodes_are_asked_ends_the_wait(connection, tmp_path, monkeypatch):
    # Nothing listens there, as if the head node were gone, while the nodes take their time.
    gone = [("127.0.0.1", free_port())]
    monkeypatch.setattr(cluster_parts, "watch", partial(watch, listeners=gone, patience=0.0))
    note = tmp_path / "go on"
    try:
        with pytest.raises(ClusterError, match=r"^cluster: its head node, or Ray on this machine, does not"):
            on_each_node(waiting_for, (str(note),), ActorPool().fits)
    finally:
        note.touch()


def visible_gpus():
    return os.environ.get("CUDA_VISIBLE_DEVICES")


def test_a_task_that_books_a_gpu_sees_it(connection):
    # Ray believes what a node declares, so that no GPU is needed to see how one is booked.
    with_gpu = connection.add_node(num_cpus=1, num_gpus=1)
    try:
        pool = ActorPool(gpus=1)
        assert pool.size(node_resources()) == 1
        assert [gpus for _, gpus in on_each_node(visible_gpus, (), pool.fits, gpus=1)] == ["0"]
    finally:
        connection.remove_node(with_gpu)


def files_below(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_node_that_reads_the_probe_writes_an_answer(tmp_path):
    probe = FolderProbe(target_of(f"{tmp_path}/"), "1f2e")
    assert probe.check_access() is None
    (tmp_path / "_semscale").mkdir()
    (tmp_path / "_semscale" / ".probe-1f2e.tmp").write_text("1f2e")
    name = probe.check_access()
    assert (tmp_path / name).read_text() == "1f2e"


def test_a_probe_of_a_different_run_does_not_count(tmp_path):
    (tmp_path / "_semscale").mkdir()
    (tmp_path / "_semscale" / ".probe-1f2e.tmp").write_text("aaaa")
    assert FolderProbe(target_of(f"{tmp_path}/"), "1f2e").check_access() is None


def test_a_node_without_the_package_for_the_folder_does_not_see_it(monkeypatch):
    def missing(target):
        raise MissingExtraError("s3fs", "cloud")

    monkeypatch.setattr(cluster_parts, "files_of", missing)
    assert FolderProbe(target_of("s3://survey/rated/"), "1f2e").check_access() is None


def test_a_probe_exists_for_a_time_and_replaces_that_of_a_killed_run(tmp_path):
    (tmp_path / "_semscale").mkdir()
    (tmp_path / "_semscale" / ".probe-aaaa.tmp").write_text("aaaa")
    probe = FolderProbe(target_of(f"{tmp_path}/"), "1f2e")
    with probe.write_file():
        assert files_below(tmp_path) == [".probe-1f2e.tmp"]
        assert probe.check_access() is not None
    assert files_below(tmp_path) == []


def test_nodes_that_share_the_folder_see_it_and_nothing_is_left(connection, tmp_path):
    assert nodes_without(target_of(f"{tmp_path}/")) == []
    assert files_below(tmp_path) == []


@pytest.fixture
def begun(monkeypatch):
    """Attempts whose log is of this process: calls of the handle are done at once."""
    monkeypatch.setattr("ray.get", lambda value: value)
    log = AttemptLog()
    calls = {name: SimpleNamespace(remote=getattr(log, name)) for name in ("begin", "end")}
    return Attempts(SimpleNamespace(**calls)), log


def test_work_that_ends_its_process_is_begun_four_times(begun):
    bounded, log = begun
    for node in ("10.0.0.2", "10.0.0.3", "10.0.0.2", "10.0.0.2"):  # a process that ends does not report it
        log.begin("part 3", node)
    assert MOST_ATTEMPTS == 4
    message = r"process that read rows 1 to 9 ended 4 times .*\(on nodes 10\.0\.0\.2, 10\.0\.0\.3\)"
    with pytest.raises(ClusterError, match=message), bounded.at("part 3", "read rows 1 to 9"):
        pass
    # A run that starts again, as after a repair, has four attempts again.
    with bounded.at("part 3", "read rows 1 to 9"):
        pass


def test_work_that_ends_well_or_with_an_error_does_not_count(begun):
    bounded, log = begun
    for _ in range(MOST_ATTEMPTS + 1):
        with pytest.raises(InputError), bounded.at("part 3", "read"):
            raise InputError("refused")
    assert log.begin("part 3", "10.0.0.2") == []


def test_attempts_are_counted_per_piece():
    log = AttemptLog()
    log.begin("part 3", "10.0.0.2")
    assert log.begin("part 4", "10.0.0.2") == []
    assert log.begin("part 3", "10.0.0.3") == ["10.0.0.2"]
