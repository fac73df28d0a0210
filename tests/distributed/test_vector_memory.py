import numpy as np
import pytest

from semscale.distributed.vector_memory import VectorMemory
from semscale.embedding.embedder import Embeddings


def embeddings(*firsts, unknown=None):
    vectors = np.array([[first, 0] for first in firsts], np.float32)
    return Embeddings(vectors, np.arange(len(firsts)) + 1, unknown)


def test_what_was_added_is_found():
    memory = VectorMemory(2, room=1000)
    memory.add(["a", "b"], embeddings(3, 4, unknown=np.array([0.5, 0], np.float32)))
    places = memory.places(["b", "c", "a"])
    assert places[1] == -1
    found = memory.at(places[[0, 2]])
    assert found.vectors[:, 0].tolist() == [4, 3]
    assert found.windows.tolist() == [2, 1]
    assert found.unknown.tolist() == [0, 0.5]


def test_the_oldest_are_forgotten_where_there_is_no_more_room():
    memory = VectorMemory(2, room=3 * 2 * 4)  # three vectors of two numbers of four bytes
    for number, text in enumerate("abcde"):
        memory.add([text], embeddings(number))
    assert memory.places(["a", "b"]).tolist() == [-1, -1]
    assert memory.at(memory.places(["c", "d", "e"])).vectors[:, 0].tolist() == [2, 3, 4]


def test_of_more_texts_than_there_is_room_for_the_last_are_kept():
    memory = VectorMemory(2, room=2 * 2 * 4)
    memory.add(["a", "b", "c"], embeddings(1, 2, 3))
    assert memory.places(["a"]).tolist() == [-1]
    assert memory.at(memory.places(["b", "c"])).vectors[:, 0].tolist() == [2, 3]


def test_room_grows_with_what_is_kept():
    memory = VectorMemory(2)
    texts = [str(number) for number in range(3000)]
    memory.add(texts, embeddings(*range(3000)))
    assert memory.at(memory.places(texts)).vectors[:, 0].tolist() == list(range(3000))


def test_where_the_engine_does_not_say_what_is_unknown_nan_is_kept():
    memory = VectorMemory(2)
    memory.add(["a"], embeddings(1))
    assert memory.at(memory.places(["a"])).unknown[0] == pytest.approx(np.nan, nan_ok=True)
