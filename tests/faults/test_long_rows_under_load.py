"""Long rows have the same states twice while another embedding runs (docs/decisions/010-onednn-cache.md)."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import numpy as np
import pytest
from tests.support.points import n_points

from semscale.embedding import load_embedder
from semscale.embedding.token_states import TokenEncoder, TokenStates, state_engine

pytestmark = pytest.mark.exhaustive

MODEL = "all-MiniLM-L6-v2"
LENGTHS = np.linspace(400, 510, n_points(3, 111), dtype=int).tolist()
"""Tokens of the rows, without the two special ones; each length is a shape that is compiled anew."""
VOCABULARY = (
    "time",
    "people",
    "water",
    "house",
    "music",
    "school",
    "light",
    "paper",
    "river",
    "money",
    "city",
)
"""Each of them is one token of the model."""
ROWS = 3


def rows(length: int) -> list[str]:
    """Texts of a number of tokens, none like another."""
    return [
        " ".join(VOCABULARY[(index * (step + 1) + step) % len(VOCABULARY)] for index in range(length))
        for step in range(ROWS)
    ]


@contextmanager
def another_embedding() -> Iterator[None]:
    """Embed short rows and long ones with a model of its own as long as the block runs."""
    ended = Event()
    failures: list[Exception] = []

    def embed() -> None:
        try:
            other = load_embedder(MODEL, cache=False)
            while not ended.is_set():
                other.embed([text for length in (20, 60, LENGTHS[0]) for text in rows(length)])
        except Exception as error:  # told below, in the thread of the test
            failures.append(error)

    thread = Thread(target=embed)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    assert not failures


@pytest.fixture(scope="module")
def encoder() -> TokenEncoder:
    """States without a cache: the second reading is another run of the engine."""
    return TokenEncoder(state_engine(load_embedder(MODEL, cache=False)))


def states(encoder: TokenEncoder, length: int) -> list[TokenStates]:
    return encoder.token_states(rows(length), layer=encoder.layers)


@pytest.mark.parametrize("length", [LENGTHS[0], LENGTHS[-1]])
def test_the_rows_are_read_at_once_and_have_the_length_that_is_tried(encoder, length):
    result = states(encoder, length)
    assert [(encoded.windows, len(encoded.states)) for encoded in result] == [(1, length + 2)] * ROWS


def test_long_rows_have_the_same_states_twice_while_another_embedding_runs(encoder):
    differing = []
    with another_embedding():
        for length in LENGTHS:
            for encoded, again in zip(states(encoder, length), states(encoder, length), strict=True):
                if not np.array_equal(encoded.states, again.states):
                    differing.append((length, float(np.abs(encoded.states - again.states).max())))
    assert differing == []
