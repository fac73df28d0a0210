import pytest

from semscale.distributed.ray_results import result_of, said
from semscale.errors import InputError


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
