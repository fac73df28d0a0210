import asyncio
import inspect

import pytest

from semscale.compat import uqlm
from semscale.compat.uqlm.synchronous import synchronous


class Adder:
    async def add(self, one, *, two=2):
        """Add."""
        await asyncio.sleep(0)
        return one + two

    add_sync = synchronous(add)


def test_it_gives_what_the_awaited_method_gives_inside_an_event_loop_too():
    async def within():
        return Adder().add_sync(1, two=5)

    assert Adder().add_sync(1) == 3
    assert asyncio.run(within()) == 6


def test_its_name_says_what_it_is():
    assert Adder.add_sync.__name__ == "add_sync"
    assert inspect.signature(Adder.add_sync) == inspect.signature(Adder.add)
    assert inspect.getdoc(Adder.add_sync).startswith("Like ``add``")


@pytest.mark.parametrize("kind", [getattr(uqlm, name) for name in uqlm.__all__ if name != "UQResult"])
def test_every_class_has_such_methods_with_the_parameters_of_the_awaited_ones(kind):
    names = [name for name in dir(kind) if name.endswith("_sync")]
    assert names
    for name in names:
        awaited = inspect.signature(getattr(kind, name.removesuffix("_sync")))
        assert inspect.signature(getattr(kind, name)) == awaited
