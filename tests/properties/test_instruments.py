"""Laws that every instrument obeys; that every one is here, ``test_instrument_table.py`` says."""

import inspect

import numpy as np
import pytest
from instruments import CELLS
from model_instruments import MODEL_INSTRUMENTS
from toy_instruments import TOY_INSTRUMENTS

from semscale.types import Status

INSTRUMENTS = [*MODEL_INSTRUMENTS, *TOY_INSTRUMENTS]

each = pytest.mark.parametrize("instrument", INSTRUMENTS, ids=lambda instrument: instrument.kind.__name__)


@each
def test_order_is_kept(instrument):
    order = np.random.default_rng(0).permutation(len(CELLS))
    mixed = instrument.rows(instrument.score([CELLS[place] for place in order]))
    np.testing.assert_allclose(mixed, instrument.rows(instrument.score(CELLS))[order], atol=1e-6)


@each
def test_input_is_unchanged(instrument):
    cells = list(CELLS)
    instrument.score(cells)
    assert all(after is before for after, before in zip(cells, CELLS, strict=True))


@each
@pytest.mark.parametrize("size", [1, 5])
def test_batch_size_is_irrelevant(instrument, size):
    parts = [instrument.score(CELLS[start : start + size]) for start in range(0, len(CELLS), size)]
    whole = instrument.rows(instrument.score(CELLS))
    np.testing.assert_allclose(np.concatenate([instrument.rows(part) for part in parts]), whole, atol=1e-6)


@each
def test_duplicates_are_irrelevant(instrument):
    doubled = instrument.rows(instrument.score([cell for cell in CELLS for _ in range(3)]))
    once = instrument.rows(instrument.score(CELLS))
    np.testing.assert_allclose(doubled, np.repeat(once, 3, axis=0), atol=1e-6)


@each
def test_missing_stays_missing(instrument):
    result = instrument.score(CELLS)
    absent = np.array([not isinstance(cell, str) or not cell.strip() for cell in CELLS])
    assert np.isnan(instrument.rows(result)[absent]).all()
    assert Status.SCORED not in set(result.status[absent])
    frame = result.to_frame()
    assert frame.filter(absent).select(instrument.figure).null_count().item() == absent.sum()


@each
def test_signature_names_every_setting(instrument):
    settings = set(inspect.signature(instrument.kind).parameters)
    assert settings == set(instrument.settings) | instrument.unsigned
    plain = instrument.signature()
    for name, other in instrument.settings.items():
        value = other() if callable(other) else other
        assert plain.differences(instrument.signature(**{name: value})), name
