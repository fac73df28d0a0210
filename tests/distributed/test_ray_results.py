import pytest

from semscale.distributed.ray_results import cluster_error, result_of, said, said_plainly
from semscale.errors import ClusterError, InputError


def test_colours_and_line_breaks_are_left_out():
    assert said(OSError("\x1b[36mray::f()\x1b[39m (pid=3)\n  gone")) == "ray::f() (pid=3) gone"


def test_an_error_without_words_has_its_name():
    assert said(TimeoutError()) == "TimeoutError"


def test_long_words_are_cut():
    assert said(ValueError("x" * 500)) == "x" * 200 + "..."


@pytest.mark.needs("ray")
def test_an_error_of_semscale_arrives_as_it_is(connection):
    import ray

    def refuse():
        raise InputError("row 3 cannot be read; repair it")

    with pytest.raises(InputError, match=r"^row 3 cannot be read; repair it$"):
        result_of(ray.remote(refuse).options(num_cpus=0).remote())


@pytest.mark.needs("ray")
def test_other_errors_are_ray_s(connection):
    import ray

    def fail():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        result_of(ray.remote(fail).options(num_cpus=0).remote())


def words_of(error):
    return "said over\nmany lines"


@pytest.mark.needs("ray")
@pytest.mark.parametrize(
    ("name", "words"),
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
def test_errors_of_a_cluster_are_said_in_plain_words(name, words):
    import ray.exceptions

    # The classes of Ray want more than words, each in its own way.
    kind = type(name, (getattr(ray.exceptions, name),), {"__init__": Exception.__init__, "__str__": words_of})
    error = kind()
    with pytest.raises(ClusterError, match=f"^cluster: .*{words}") as caught, said_plainly():
        raise error
    assert caught.value.__cause__ is error  # whose traceback the debug switch shows
    assert "\n" not in str(caught.value)


@pytest.mark.needs("ray")
def test_a_task_without_memory_is_said_like_one_that_ray_ended(connection):
    import ray

    def fill():
        raise MemoryError

    with pytest.raises(ClusterError, match=r"^cluster: a node was short of memory"):
        result_of(ray.remote(fill).options(num_cpus=0).remote())


@pytest.mark.needs("ray")
def test_a_bug_is_no_error_of_the_cluster():
    assert cluster_error(ZeroDivisionError("x")) is None
