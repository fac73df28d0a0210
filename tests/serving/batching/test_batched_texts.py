"""Vectors of a batch are cut by request, and those of a request are joined."""

import numpy as np

from semscale.embedding.embedder import Embeddings
from semscale.serving.batching.batched_texts import BatchedTexts, estimated_tokens, joined_embeddings


def embeddings(*numbers, tokens=True):
    vectors = np.array([[number] for number in numbers], np.float32)
    ones = np.ones(len(numbers), np.int64)
    return Embeddings(vectors, ones, None, 2 * ones if tokens else None)


class Lengths:
    """Embeds a text as its length."""

    def embed(self, texts):
        return embeddings(*map(len, texts))


def test_each_request_gets_its_own_vectors_and_the_batch_is_counted():
    heard = []
    model = BatchedTexts(Lengths(), lambda *one: heard.append(one))
    first, second = model.run(["a", "bb", "ccc"], [1, 2])
    assert first.vectors[:, 0].tolist() == [1]
    assert second.vectors[:, 0].tolist() == [2, 3]
    assert heard == [(3, 6)]  # two tokens a text


def test_tokens_are_estimated_by_bytes():
    assert BatchedTexts(Lengths()).size("good") == estimated_tokens("good") == 2 + 4 // 4
    assert estimated_tokens("äöü!") == 2 + 7 // 4


def test_vectors_of_a_request_are_joined():
    found = joined_embeddings([embeddings(1, 2), embeddings(3)])
    assert found.vectors[:, 0].tolist() == [1, 2, 3]
    assert found.tokens.tolist() == [2, 2, 2]
    assert found.unknown is None


def test_tokens_that_a_part_does_not_state_are_missing():
    assert joined_embeddings([embeddings(1), embeddings(2, tokens=False)]).tokens is None
