from functools import partial
from pathlib import Path

import polars as pl
import pytest
from tests.faults.free_ports import free_port

from semscale.distributed import node_checks
from semscale.distributed.actor_pool import ActorPool
from semscale.distributed.cluster_watch import ClusterWatch
from semscale.distributed.node_checks import (
    NodeReport,
    check_gpu,
    check_nodes,
    check_report,
    check_version,
    each_node,
    on_joined_node,
    report,
)
from semscale.errors import ClusterError, InputError, ModelError
from semscale.signature import Signature
from semscale.store.reading import open_table

OURS = Signature("embed", (("model", "words#1f2e"), ("engine", "openvino-2026.4.1")), "1.0")


class Named:
    """A recipe of which only the model's name counts."""

    def __init__(self, found):
        self._found = found

    def signature(self):
        if isinstance(self._found, Exception):
            raise self._found
        return self._found


def test_nodes_like_this_machine_pass():
    check_report("10.0.0.2", NodeReport("1.0", OURS), OURS, "in")


def test_another_version_is_refused():
    with pytest.raises(InputError, match=r"node 10\.0\.0\.2 has semscale 1\.1, this machine 1\.0; install"):
        check_report("10.0.0.2", NodeReport("1.1", OURS), OURS, "in")


def test_other_weights_are_refused():
    theirs = Signature("embed", (("model", "words#aaaa"), *OURS.fields[1:]), "1.0")
    with pytest.raises(InputError, match=r"has model words#aaaa, this machine words#1f2e, so their numbers"):
        check_report("10.0.0.2", NodeReport("1.0", theirs), OURS, "in")


def test_an_input_that_is_not_there_is_refused():
    with pytest.raises(InputError, match=r"node 10\.0\.0\.2 does not read in as this machine does"):
        check_report("10.0.0.2", NodeReport("1.0", OURS, sees_input=False), OURS, "in")


def test_weights_that_a_node_cannot_get_keep_their_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = report(Named(ModelError("no source has them")), None, None, str(tmp_path))
    with pytest.raises(ModelError, match=r"node 10\.0\.0\.2: no source has them"):
        check_report("10.0.0.2", found, OURS, "in")


def test_a_node_compares_the_first_row(tmp_path):
    file = tmp_path / "in.parquet"
    pl.DataFrame({"text": ["one", "two"]}).write_parquet(file)
    table = open_table(file)
    assert report(Named(OURS), table, pl.DataFrame({"text": ["one"]}), "gone").sees_input
    assert not report(Named(OURS), table, pl.DataFrame({"text": ["other"]}), "gone").sees_input
    Path(file).unlink()
    assert not report(Named(OURS), table, pl.DataFrame({"text": ["one"]}), "gone").sees_input


ON_GPU = Signature("embed", (("model", "words#1f2e"), ("device", "cuda")), "1.0")
ON_CPU = Signature("embed", (("model", "words#1f2e"), ("device", "cpu")), "1.0")


def test_gpus_need_one_on_this_machine():
    with pytest.raises(
        InputError, match=r"the model runs on device cpu here: start the run on a machine with a"
    ):
        check_nodes(Named(ON_CPU), None, ActorPool(gpus=1))
    check_gpu(ON_GPU)
    check_gpu(OURS)  # an engine that names no device


def test_a_node_that_declares_a_gpu_and_has_none_is_refused():
    message = (
        r"node 10\.0\.0\.2 has device cpu, this machine cuda, .*; see that PyTorch finds a GPU on all nodes"
    )
    with pytest.raises(InputError, match=message):
        check_report("10.0.0.2", NodeReport("1.0", ON_CPU), ON_GPU, "in")


def test_a_process_of_another_version_is_refused():
    with pytest.raises(InputError, match=r"this machine 0\.1; install the same version on all nodes"):
        check_version("10.0.0.2", Signature("embed", (), "0.1"))


def test_a_node_that_joined_is_refused_in_the_same_words():
    with (
        pytest.raises(ClusterError, match=r"^cluster: node 10\.0\.0\.2 does not read in as"),
        on_joined_node(),
    ):
        check_report("10.0.0.2", NodeReport("1.0", OURS, sees_input=False), OURS, "in")


def waiting_for(note):
    import time

    while not Path(note).exists():
        time.sleep(0.05)


@pytest.mark.needs("ray")
def test_a_cluster_that_is_lost_while_nodes_are_asked_is_said(connection, tmp_path, monkeypatch):
    # Nothing listens there, as if the head node were gone, while the nodes take their time.
    monkeypatch.setattr(node_checks, "addresses", lambda: [("127.0.0.1", free_port())])
    monkeypatch.setattr(node_checks, "ClusterWatch", partial(ClusterWatch, patience=0.0))
    note = tmp_path / "go on"
    try:
        with pytest.raises(ClusterError, match=r"^cluster: its head node, or Ray on this machine, does not"):
            each_node(waiting_for, (str(note),), ActorPool().fits)
    finally:
        note.touch()


def visible_gpus():
    import os

    return os.environ.get("CUDA_VISIBLE_DEVICES")


@pytest.mark.needs("ray")
def test_a_task_that_books_a_gpu_sees_it(connection):
    # Ray believes what a node declares, so that no GPU is needed to see how one is booked.
    with_gpu = connection.add_node(num_cpus=1, num_gpus=1)
    try:
        pool = ActorPool(gpus=1)
        assert pool.size([node["Resources"] for node in node_checks._nodes(pool.fits)]) == 1
        assert [found for _, found in each_node(visible_gpus, (), pool.fits, gpus=1)] == ["0"]
    finally:
        connection.remove_node(with_gpu)
