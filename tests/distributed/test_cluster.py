"""Connections to a cluster, its actors, its errors, and its loss."""

import re
import signal
import socket
import threading

import pytest

from semscale.distributed.actor_pool import ActorPool
from semscale.distributed.cluster import (
    addresses,
    cluster_error,
    connect,
    do_answer,
    is_connected,
    plain_errors,
    watch,
)
from semscale.errors import ClusterError, InputError


@pytest.mark.needs("ray")
@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("nowhere", r"cluster must be HOST:PORT, auto or local, got 'nowhere'"),
        ("ray://head:10001", r"ray://head:10001 is the address of a Ray client"),
        # Port 9 (discard) of this machine: nothing listens there.
        ("127.0.0.1:9", r"no Ray cluster answers at 127\.0\.0\.1:9 \(.+\); start one \(ray start --head\)"),
        ("127.0.0.1:99999", r"no Ray cluster answers at 127\.0\.0\.1:99999"),
    ],
)
def test_a_cluster_that_is_not_there_is_refused(address, message):
    with pytest.raises(InputError, match=message), connect(address):
        pass


@pytest.mark.needs("ray")
def test_the_environment_sets_the_address_of_auto(monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")
    with pytest.raises(InputError, match=r"no Ray cluster answers at 127\.0\.0\.1:9"), connect("auto"):
        pass


@pytest.mark.needs("ray")
def test_signals_stay_those_of_the_program_and_nothing_is_reported(two_nodes):
    def heeded(*_):
        raise AssertionError

    before = signal.signal(signal.SIGTERM, heeded)
    try:
        with connect(two_nodes.address):
            assert signal.getsignal(signal.SIGTERM) is heeded
            from ray._common.usage.usage_lib import usage_stats_enabled

            assert not usage_stats_enabled()
    finally:
        signal.signal(signal.SIGTERM, before)


def test_processors_have_an_actor_apiece():
    # 4 + 2, and a node without processors runs none.
    assert ActorPool().size([{"CPU": 4.0}, {"CPU": 2.0}, {"memory": 1e9}]) == 6


def test_an_actor_stays_on_a_single_node():
    # Of 6 and 3 processors, actors of 4 fit once: the 2 and 3 left over are on different nodes.
    assert ActorPool(cpus=4).size([{"CPU": 6}, {"CPU": 3}]) == 1


def test_gpus_bound_the_actors():
    assert ActorPool(gpus=0.5).size([{"CPU": 16, "GPU": 2}, {"CPU": 8}]) == 4


def test_a_stated_number_of_actors_counts():
    assert ActorPool(actors=3).size([{"CPU": 8}]) == 3


def test_a_refusal_with_a_single_processor_uses_the_singular():
    with pytest.raises(InputError, match="has 1 processor for an actor"):
        ActorPool().size([{"memory": 1e9}])


def test_actors_on_gpus_fit_nodes_with_a_gpu():
    assert ActorPool(gpus=1).fits({"CPU": 4, "GPU": 1})
    assert not ActorPool(gpus=1).fits({"CPU": 4})


def test_no_room_is_refused():
    with pytest.raises(InputError, match="has 8 processors and 1 GPU for an actor"):
        ActorPool(cpus=8, gpus=1).size([{"CPU": 4, "GPU": 1}])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"actors": 0}, "actors must be >= 1, got 0"),
        ({"cpus": 0}, "cpus must be >= 1, got 0"),
        ({"gpus": -1}, "gpus must be >= 0, got -1"),
        ({"gpus": float("nan")}, "gpus must be >= 0, got nan"),
        ({"gpus": 1.5}, "gpus must be a whole number above 1, got 1.5"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        ActorPool(**settings)


@pytest.mark.needs("ray")
def test_actors_reserve_half_of_their_processors():
    arguments = ActorPool(cpus=4, gpus=1).arguments(5)
    assert (arguments["num_cpus"], arguments["num_gpus"]) == (2.0, 1)
    assert set(arguments["runtime_env"]["env_vars"].values()) == {"4"}
    assert "num_gpus" not in ActorPool().arguments(1)


@pytest.mark.needs("ray")
def test_a_whole_processor_is_left_to_readers():
    # Two actors book 1 of 2 processors; on nodes with 1, a half is left, which serves no reader.
    assert ActorPool().arguments_beside_readers([{"CPU": 1}, {"CPU": 2}])["num_cpus"] == 0.5
    alone = ActorPool().arguments_beside_readers([{"CPU": 1}, {"CPU": 1}])
    assert (alone["num_cpus"], alone["compute"].min_size, alone["compute"].max_size) == (0, 1, 2)


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


@pytest.mark.needs("ray")
def test_items_pass_in_their_order(listener):
    assert list(watch(range(5), [listener.getsockname()])) == [0, 1, 2, 3, 4]


@pytest.mark.needs("ray")
def test_an_error_passes_after_the_items_before_it(listener):
    def refusing():
        yield 1
        raise InputError("row 3 cannot be read; repair it")

    passed = watch(refusing(), [listener.getsockname()])
    assert next(passed) == 1
    with pytest.raises(InputError, match="^row 3 cannot"):
        next(passed)


@pytest.mark.needs("ray")
def test_a_cluster_that_does_not_answer_any_more_ends_the_wait(listener):
    waiting = threading.Event()

    def items():
        yield 1
        waiting.wait(60)
        yield 2

    passed = watch(items(), [listener.getsockname()], patience=0.0, every=0.01)
    assert next(passed) == 1
    assert do_answer([listener.getsockname()])
    listener.close()
    with pytest.raises(ClusterError, match=r"^cluster: its head node, or Ray on this machine, does not"):
        next(passed)
    waiting.set()


@pytest.mark.needs("ray")
def test_head_node_and_the_ray_of_this_machine_answer(connection):
    assert len(addresses()) == 2
    assert do_answer(addresses())
    assert is_connected()


@pytest.mark.needs("ray")
@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError("\x1b[36mray::f()\x1b[39m (pid=3)\n  gone"), r"Ray says: ray::f\(\) \(pid=3\) gone\)$"),
        (OSError(), r"Ray says: .*OSError\)$"),
        (ValueError("x" * 500), r"Ray says: x{200}\.\.\.\)$"),
    ],
)
def test_the_message_of_ray_is_cut_to_a_single_line(error, message):
    import ray.exceptions

    kind = type("Lost", (ray.exceptions.RaySystemError,), {"__init__": Exception.__init__})
    kind.__str__ = lambda self: str(error) or type(error).__name__
    assert re.search(message, str(cluster_error(kind())))


@pytest.mark.needs("ray")
def test_an_error_of_semscale_arrives_unchanged(connection):
    def refuse():
        raise InputError("row 3 cannot be read; repair it")

    with pytest.raises(InputError, match=r"^row 3 cannot be read; repair it$"), plain_errors():
        run_task(refuse)


@pytest.mark.needs("ray")
def test_other_errors_are_those_of_ray(connection):
    def fail():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), plain_errors():
        run_task(fail)


def run_task(task):
    import ray

    return ray.get(ray.remote(task).options(num_cpus=0).remote())


def long_message(error):
    return "spread over\nmany lines"


@pytest.mark.needs("ray")
@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        (
            "OutOfMemoryError",
            "a node was short of memory.*; use fewer actors, smaller parts or nodes with more",
        ),
        ("ObjectStoreFullError", "store of objects is full; make parts smaller, or start Ray with"),
        ("OutOfDiskError", "store of objects is full; make parts smaller, or start Ray with"),
        ("RuntimeEnvSetupError", "a node cannot start a process for the run; install the same packages"),
        ("ActorUnschedulableError", "no node has room for a process of the run any more; add a node"),
        (
            "WorkerCrashedError",
            "a process or a node was lost, and Ray could not make its work again; look at",
        ),
        ("RaySystemError", "the connection to the cluster broke; check that its head node"),
    ],
)
def test_errors_of_a_cluster_name_a_remedy(name, remedy):
    import ray.exceptions

    # The classes of Ray take more than a message, each class in its own way.
    kind = type(
        name, (getattr(ray.exceptions, name),), {"__init__": Exception.__init__, "__str__": long_message}
    )
    error = kind()
    with pytest.raises(ClusterError, match=f"^cluster: .*{remedy}") as caught, plain_errors():
        raise error
    assert caught.value.__cause__ is error  # whose traceback the debug switch shows
    assert "\n" not in str(caught.value)


@pytest.mark.needs("ray")
def test_a_task_without_memory_is_reported_like_a_task_that_ray_killed(connection):
    def fill():
        raise MemoryError

    with pytest.raises(ClusterError, match=r"^cluster: a node was short of memory"), plain_errors():
        run_task(fill)


@pytest.mark.needs("ray")
def test_a_bug_is_no_error_of_the_cluster():
    assert cluster_error(ZeroDivisionError("x")) is None
