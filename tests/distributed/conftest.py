"""A Ray cluster of two nodes on the loopback interface, and the small model that it works with."""

import os
import threading
import time
from pathlib import Path

import polars as pl
import pytest
from tests.store.places.s3_server import environment_of
from tests.support.commands import _scale, phrase
from tests.support.free_ports import free_port
from tests.support.random_checkpoint import write_random_checkpoint

N, FILES = 40, 3

LONGEST = 120  # seconds


@pytest.fixture(scope="session")
def store_port():
    """Choose the port of the object store before nodes start, as they inherit its address."""
    return free_port()


@pytest.fixture(scope="session")
def object_store(store_port):
    """Start a server with the interface of S3 that nodes see."""
    from tests.store.places.s3_server import start

    server = start(store_port)
    yield server
    server.process.kill()
    server.process.wait()


@pytest.fixture(scope="session")
def two_nodes(tmp_path_factory, store_port):
    """Start two nodes with one processor each; Ray's own package has what its tests start clusters with."""
    variables = {
        **environment_of(f"http://127.0.0.1:{store_port}"),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # or each worker warns
        "SEMSCALE_CACHE": str(tmp_path_factory.mktemp("cache")),
        # A node that is gone is noticed after some seconds, not after half a minute.
        "RAY_health_check_period_ms": "500",
        "RAY_health_check_failure_threshold": "4",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        from ray.cluster_utils import Cluster

        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        cluster.add_node(num_cpus=1)
        try:
            yield cluster
        finally:
            cluster.shutdown()


@pytest.fixture(scope="session")
def connection(two_nodes):
    """Join the cluster once: a process that has joined it stays in it, whatever its commands say."""
    from semscale.distributed.cluster import connect

    with connect(two_nodes.address):
        yield two_nodes


@pytest.fixture(scope="session")
def answers(tmp_path_factory) -> Path:
    """Write a model of random weights, a scale, and a folder of partitions, in which texts come up again."""
    folder = tmp_path_factory.mktemp("answers")
    write_random_checkpoint(folder / "model", "bert")
    (folder / "scale.yaml").write_text(_scale())
    texts = [None if row == 11 else "" if row == 17 else phrase(row % 31) for row in range(N)]
    frame = pl.DataFrame(
        {
            "id": range(N),
            "text": texts,
            "meant": [phrase(row + 7) for row in range(N)],
            "group": ["ab"[row % 2] for row in range(N)],
        }
    )
    (folder / "in").mkdir()
    for file in range(FILES):  # 14, 14 and 12 rows: their ends are no ends of parts
        frame.slice(file * 14, 14).write_parquet(folder / "in" / f"{file}.parquet")
    return folder


@pytest.fixture
def here(answers, monkeypatch, tmp_path):
    """Work beside the model, with outputs in a folder of the test's own."""
    monkeypatch.chdir(answers)
    monkeypatch.setenv("SEMSCALE_CACHE", os.environ.get("SEMSCALE_CACHE", str(tmp_path / "cache")))
    return tmp_path


def files_in(folder: Path) -> dict[str, bytes]:
    """Read every file of a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def killed_when_noted(note, kill):
    """Start a thread that kills, by ``kill(pid)``, what has left a note."""

    def watch():
        end = time.monotonic() + LONGEST
        while not note.exists() and time.monotonic() < end:
            time.sleep(0.05)
        if note.exists():
            kill(int(note.read_text()))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    return watcher
