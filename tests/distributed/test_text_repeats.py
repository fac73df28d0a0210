import numpy as np
import polars as pl
import pytest

from semscale.distributed.text_repeats import (
    Repeats,
    repeats_in,
    sampled_texts,
    sampling_step,
    text_hashes,
    texts_of,
)
from semscale.store.reading import open_table


@pytest.fixture
def table(tmp_path):
    # Parts of three rows: {a, b}, {a, c}, {c}; a blank cell and a missing one are no texts.
    path = tmp_path / "in.parquet"
    pl.DataFrame({"text": ["a", "b", "a", "c", None, "a", "c", " "]}).write_parquet(path)
    return open_table(path)


def texts_in(rows):
    return texts_of(rows["text"])


def test_a_text_is_sampled_once_for_each_part_in_which_it_stands(table):
    a, b, c = text_hashes(["a", "b", "c"])
    found = sampled_texts(table, texts_in, 3, range(0, 8, 3), 1)
    assert sorted(found) == sorted([a, b, a, c, c])
    assert repeats_in(found, nodes=None) == Repeats(5, 5, 3)


def test_tasks_that_share_the_parts_sample_the_same(table):
    whole = sampled_texts(table, texts_in, 3, range(0, 8, 3), 1)
    shared = [sampled_texts(table, texts_in, 3, starts, 1) for starts in (range(0, 3, 3), range(3, 8, 3))]
    assert sorted(np.concatenate(shared)) == sorted(whole)


def test_a_step_takes_all_places_of_a_text_or_none(table):
    a, b, c = text_hashes(["a", "b", "c"])
    taken = [each for each in (a, b, a, c, c) if each % 2 == 0]
    assert sorted(sampled_texts(table, texts_in, 3, range(0, 8, 3), 2)) == sorted(taken)


def test_nodes_with_caches_repeat_less():
    # A text in 2 parts is on 2 (1 - 1/4) = 1.5 of 2 nodes on average; a cache of one node sees all.
    twice = np.array([1, 1])
    assert repeats_in(twice, nodes=2) == Repeats(2, 1.5, 1)
    assert repeats_in(twice, nodes=1) == Repeats(2, 1, 1)


def test_a_sample_of_large_tables_stays_as_large():
    # 200,000 texts: one of 5,000 of a billion.
    assert (sampling_step(10), sampling_step(10**9)) == (1, 5000)


def test_hashes_are_the_same_everywhere():
    # BLAKE2b with 8 bytes of digest, computed with the program b2sum: `printf good | b2sum -l 64`.
    assert (text_hashes(["good"]) == int.from_bytes(bytes.fromhex(B2SUM_OF_GOOD), "little") >> 1).all()


B2SUM_OF_GOOD = "07878fd8745bb530"
