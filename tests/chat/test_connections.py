"""A model's connections stay open until the last run that uses it has ended."""

import asyncio

from semscale.chat.chat_model import held_open


class Model:
    def __init__(self):
        self.closed = 0

    async def aclose(self):
        self.closed += 1


def test_the_last_of_two_runs_closes_the_model():
    async def runs(model):
        async with held_open(model):
            async with held_open(model):
                pass
            return model.closed

    model = Model()
    assert asyncio.run(runs(model)) == 0
    assert model.closed == 1


def test_the_model_is_closed_after_an_error_and_again_after_the_next_run():
    async def failing(model):
        async with held_open(model):
            raise RuntimeError

    async def fine(model):
        async with held_open(model):
            pass

    model = Model()
    for run in (failing, fine):
        try:
            asyncio.run(run(model))
        except RuntimeError:
            assert model.closed == 1
    assert model.closed == 2


def test_a_model_without_connections_needs_no_closing():
    async def run():
        async with held_open(object()):
            return True

    assert asyncio.run(run())
