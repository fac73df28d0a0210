from types import SimpleNamespace

import pytest

from semscale.distributed import attempts
from semscale.distributed.attempts import MOST, AttemptLog, Attempts, too_often
from semscale.errors import ClusterError, InputError


@pytest.fixture
def begun(monkeypatch):
    """Attempts whose log is of this process: what a handle is asked is done at once."""
    monkeypatch.setattr(attempts, "result_of", lambda found: found)
    log = AttemptLog()
    calls = {name: SimpleNamespace(remote=getattr(log, name)) for name in ("begin", "end")}
    return Attempts(SimpleNamespace(**calls)), log


@pytest.mark.needs("ray")
def test_work_that_ends_its_process_is_begun_four_times(begun):
    bounded, log = begun
    for _ in range(MOST):  # a process that ends does not say so
        log.begin("part 3", "10.0.0.2")
    with (
        pytest.raises(
            ClusterError, match=r"process that read rows 1 to 9 ended 4 times .*\(on node 10\.0\.0\.2\)"
        ),
        bounded.at("part 3", lambda: "read rows 1 to 9"),
    ):
        pass
    # Who starts again, as after a repair, has four attempts again.
    with bounded.at("part 3", lambda: "read rows 1 to 9"):
        pass


@pytest.mark.needs("ray")
def test_work_that_ends_well_or_with_an_error_does_not_count(begun):
    bounded, log = begun
    for _ in range(MOST + 1):
        with pytest.raises(InputError), bounded.at("part 3", str):
            raise InputError("refused")
    assert log.begin("part 3", "10.0.0.2") == []


def test_each_piece_has_attempts_of_its_own():
    log = AttemptLog()
    log.begin("part 3", "10.0.0.2")
    assert log.begin("part 4", "10.0.0.2") == []
    assert log.begin("part 3", "10.0.0.3") == ["10.0.0.2"]


def test_each_node_is_named_once():
    found = str(too_often("read rows 1 to 9", ["10.0.0.2", "10.0.0.3", "10.0.0.2"]))
    assert "ended 3 times without an error (on nodes 10.0.0.2, 10.0.0.3)" in found
