"""Hypothesis strategies of inputs: a fixed input of a target, changed as the fuzzer changes it."""

from hypothesis import strategies as st
from tests.fuzz.targets import Target


def inputs(target: Target) -> st.SearchStrategy[bytes]:
    """Draw an input of a target."""
    fixed = [path.read_bytes() for path in target.corpus]
    return st.builds(target.changed, st.sampled_from(fixed), st.randoms(use_true_random=False))
