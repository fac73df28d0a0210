"""Laws that every instrument obeys; one that is not in the table fails the last test."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from tests.conftest import ToyEmbedder

import semscale.rating
from semscale.rating.rater import Rater
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.types import Status

CELLS = [
    "I would buy it today", None, "never, not at all", "", "it is fine I suppose", 12,
    "I would buy it today", "what a waste", float("nan"), "maybe later", "fine", "buy it",
]  # fmt: skip


@dataclass(frozen=True)
class Instrument:
    """How to drive one instrument."""

    kind: type
    score: Callable[[Sequence[object]], object]
    rows: Callable[[object], np.ndarray]
    """One row of numbers for each item, NaN where it has none."""
    signature: Callable[..., Signature]
    settings: dict[str, object]
    """For each setting of the constructor another value than the default."""


def rating_scale():
    points = [{"value": v, "label": label} for v, label in enumerate(("no", "perhaps", "yes"))]
    sets = {
        "plain": ("never buy", "maybe fine", "buy today"),
        "other": ("a waste", "perhaps later", "I would"),
    }
    return Scale(
        name="intent", title="Intent", question="Buy?", provenance="a test", points=points, anchor_sets=sets
    )


def rater(**settings):
    return Rater(
        settings.pop("scale", rating_scale()), **{"embedder": ToyEmbedder(), "floor": 0.2, **settings}
    )


INSTRUMENTS = [
    Instrument(
        kind=Rater,
        score=lambda cells: rater().rate(cells),
        rows=lambda rated: np.column_stack(
            [rated.pmf, rated.set_means, rated.mean, rated.mode, rated.entropy]
        ),
        signature=lambda **settings: rater(**settings).signature,
        settings={
            "scale": rating_scale().model_copy(update={"name": "other"}),
            "embedder": ToyEmbedder(32),
            "anchor_sets": ["plain"],
            "temperature": 0.5,
            "epsilon": 0.1,
            "semantics": "paper",
            "floor": 0.3,
        },
    ),
]

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
    assert frame.filter(absent).select("mean").null_count().item() == absent.sum()


@each
def test_signature_names_every_setting(instrument):
    settings = set(inspect.signature(instrument.kind).parameters)
    assert settings == set(instrument.settings)
    plain = instrument.signature()
    for name, other in instrument.settings.items():
        assert plain.differences(instrument.signature(**{name: other})), name


def test_every_instrument_is_in_the_table():
    """An instrument is a public class with a method that returns something with a status and a signature."""
    found = set()
    for package in (semscale.rating,):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            found |= instruments_of(importlib.import_module(module.name))
    assert found == {instrument.kind for instrument in INSTRUMENTS}


def instruments_of(module):
    return {
        member
        for name, member in inspect.getmembers(module, inspect.isclass)
        if member.__module__ == module.__name__ and not name.startswith("_") and scores(member)
    }


def scores(kind):
    """Whether a class has a signature and a method whose name is the verb that its own name comes from."""
    verb = kind.__name__.lower().removesuffix("r")
    return hasattr(kind, "signature") and callable(getattr(kind, verb, None))
