"""A random sample of different answers."""

from semscale.coding.suggesting.answer_sample import AnswerSample
from semscale.types import Status

ANSWERS = [f"answer {n % 50}" for n in range(200)]


def drawn(parts, most=20, seed=0):
    sample = AnswerSample(most, seed=seed)
    for part in parts:
        sample.add(part)
    return sample


def test_order_and_parts_change_nothing():
    whole = drawn([ANSWERS])
    parts = drawn([ANSWERS[start : start + 9] for start in range(0, 200, 9)])
    turned = drawn([ANSWERS[::-1]])
    assert len(whole.texts) == 20
    assert parts.texts == whole.texts
    assert set(turned.texts) == set(whole.texts)
    assert whole.times == parts.times == turned.times == (4,) * 20
    assert whole.n_distinct == parts.n_distinct == 50


def test_another_seed_draws_others():
    assert set(drawn([ANSWERS]).texts) != set(drawn([ANSWERS], seed=1).texts)


def test_a_seed_may_be_any_integer():
    draws = {drawn([ANSWERS], seed=seed).texts for seed in (2**64, 2**64 + 1, -1)}
    assert len(draws) == 3


def test_every_answer_is_drawn_as_often_however_frequent_it_is():
    # One answer stands 1,000 times among 9 that stand once; of 10 one is drawn, in 400 seeds about 40 times.
    cells = ["often"] * 1000 + [f"rare {n}" for n in range(9)]
    n = sum(drawn([cells], 1, seed).texts == ("often",) for seed in range(400))
    assert 20 <= n <= 62  # three and a half standard deviations of 6


def test_few_answers_are_all_there_in_the_order_of_their_first_rows():
    sample = drawn([["b", "a", None], ["b", " ", 3]], most=5)
    assert (sample.texts, sample.times, sample.n) == (("b", "a"), (2, 1), 6)
    assert sample.counts == {Status.SCORED: 3, Status.EMPTY: 1, Status.MISSING: 1, Status.NOT_TEXT: 1}
