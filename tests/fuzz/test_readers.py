"""Readers read or refuse whatever they meet; ``make fuzz`` looks for what breaks one for longer."""

import warnings
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.fuzz.drawing import inputs
from tests.fuzz.targets import CORPUS, TARGETS

from semscale.errors import SemscaleError

pytestmark = pytest.mark.exhaustive

SIZE = 1_000_000
EXAMPLES = 6
FIXED = [(name, path) for name, target in TARGETS.items() for path in target.corpus]


def read(name, content):
    """Feed a target; a panic of a reader in Rust is no ``Exception``, and fails the test as well."""
    with suppress(SemscaleError), warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        TARGETS[name].read(content)


@pytest.mark.parametrize(("name", "path"), FIXED, ids=lambda value: getattr(value, "name", value))
def test_fixed_inputs_are_read_or_refused(name, path):
    read(name, path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_reads_at_least_a_seed(name):
    def passes(path):
        with suppress(SemscaleError):
            TARGETS[name].read(path.read_bytes())
            return True
        return False

    assert any(passes(path) for path in TARGETS[name].corpus)


@pytest.mark.parametrize("name", TARGETS)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    database=None,
)
@given(drawn=st.data())
def test_changed_inputs_are_read_or_refused(name, drawn):
    read(name, drawn.draw(inputs(TARGETS[name])))


def test_the_corpus_is_of_the_targets_and_small():
    assert {folder.name for folder in CORPUS.iterdir()} == set(TARGETS)
    assert sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file()) < SIZE
