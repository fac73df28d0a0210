"""Scores of a column of answers."""

import numpy as np

from semscale.coding.coder import Coder
from semscale.types import Status


def test_rows_keep_their_order_and_equal_texts_are_read_once(book, key_words):
    coder = Coder(book, embedder=key_words)
    key_words.embedded.clear()
    found = coder.score(["the battery", None, "price", "the battery", "  ", 5, "??"])
    assert key_words.embedded == ["the battery", "price"]
    assert [str(each) for each in found.text_status] == [
        "scored", "missing", "scored", "scored", "empty", "not-text", "uninformative"
    ]  # fmt: skip
    assert found.likeness[0].tolist() == found.likeness[3].tolist()
    assert np.isnan(found.likeness[[1, 4, 5, 6]]).all()
    assert found.likeness[[0, 2]].argmax(axis=1).tolist() == [0, 1]


def test_what_the_model_cannot_read_has_no_likeness(book, key_words):
    found = Coder(book, embedder=key_words).score(["battery", "gibberish"])
    assert found.text_status[1] is Status.WEIGHTLESS
    assert np.isnan(found.likeness[1]).all()


def test_the_signature_names_the_codebook_and_the_model(book, key_words):
    said = str(Coder(book, embedder=key_words).signature)
    assert f"codebook:phones#{book.content_hash}" in said
    assert "model:key-words" in said


def test_no_answers_at_all_are_no_error(book, key_words):
    assert Coder(book, embedder=key_words).score([]).likeness.shape == (0, 3)
