"""Best matches in padded products beside those of one pair at a time in NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.matching import cosines as device_best
from semscale.matching.cosines import best_on_device, length_blocks

torch = pytest.importorskip("torch", reason='PyTorch is not there: pip install "semscale[torch]"')
pytestmark = pytest.mark.needs("torch")

LENGTHS = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), max_size=30)


@given(LENGTHS, st.integers(1, 60), st.integers(1, 200))
def test_blocks_hold_every_pair_once_within_both_bounds(lengths, tokens, cells):
    pairs = np.array(lengths, np.int64).reshape(-1, 2)
    blocks = list(length_blocks(pairs, tokens=tokens, cells=cells))
    assert sorted(pair for block in blocks for pair in block.tolist()) == list(range(len(lengths)))
    for block in blocks:
        wide, tall = pairs[block].max(axis=0).tolist()
        within = len(block) * (wide + tall) <= tokens and len(block) * wide * tall <= cells
        assert within or len(block) == 1


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("cells", [1, 40, 1 << 20])
def test_best_cosines_are_those_of_each_pair_alone(device, cells, monkeypatch):
    monkeypatch.setattr(device_best, "_CELLS", cells)
    rng = np.random.default_rng(5)
    units = rng.normal(size=(40, 6)).astype(np.float32)
    units -= 2.0  # many cosines are negative, so that 0 from padding would be seen
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    pairs = [
        (rng.permutation(40)[: rng.integers(1, 8)], rng.permutation(40)[: rng.integers(1, 8)])
        for _ in range(25)
    ]
    pairs[3] = pairs[7]  # rows may be shared, and pairs repeated
    seen = []
    for found, output in best_on_device(torch.from_numpy(units).to(device), pairs):
        best = found.read(output.cpu().numpy())
        for place, pair in enumerate(found.pairs.tolist()):
            seen.append(pair)
            cosines = units[pairs[pair][0]] @ units[pairs[pair][1]].T
            np.testing.assert_allclose(best[2 * place], cosines.max(axis=1), atol=1e-6)
            np.testing.assert_allclose(best[2 * place + 1], cosines.max(axis=0), atol=1e-6)
    assert sorted(seen) == list(range(25))


def test_no_pairs_need_no_product():
    assert list(best_on_device(torch.zeros(0, 4), [])) == []
