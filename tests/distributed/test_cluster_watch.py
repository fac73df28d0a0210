import socket
import threading

import pytest

from semscale.distributed.cluster_watch import WAITING, ClusterWatch, addresses, answer, is_connected
from semscale.errors import ClusterError, InputError


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def test_items_pass_in_their_order(listener):
    watch = ClusterWatch([listener.getsockname()])
    assert list(watch.over(range(5))) == [0, 1, 2, 3, 4]


def test_an_error_passes_after_the_items_before_it(listener):
    def refusing():
        yield 1
        raise InputError("row 3 cannot be read; repair it")

    passed = ClusterWatch([listener.getsockname()]).over(refusing())
    assert next(passed) == 1
    with pytest.raises(InputError, match="^row 3 cannot"):
        next(passed)


def test_a_cluster_that_does_not_answer_any_more_ends_the_wait(listener):
    waiting = threading.Event()

    def items():
        yield 1
        waiting.wait(60)
        yield 2

    watch = ClusterWatch([listener.getsockname()], patience=0.0)
    passed = watch.over(items(), every=0.01)
    assert next(passed) == 1
    assert watch.is_there
    listener.close()
    assert not watch.is_there
    with pytest.raises(ClusterError, match=r"^cluster: its head node, or Ray on this machine, does not"):
        next(passed)
    waiting.set()


def test_who_takes_no_more_items_leaves_no_thread_behind(listener):
    passed = ClusterWatch([listener.getsockname()]).over(range(10))
    assert next(passed) == 0
    left = [thread for thread in threading.enumerate() if thread.name == WAITING]
    assert left
    passed.close()
    for thread in left:
        thread.join(60)
        assert not thread.is_alive()


@pytest.mark.needs("ray")
def test_head_node_and_this_machine_s_ray_answer(connection):
    assert len(addresses()) == 2
    assert answer(addresses())
    assert is_connected()
