import signal

import pytest

from semscale.distributed.cluster import connected
from semscale.errors import InputError

pytestmark = pytest.mark.needs("ray")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("nowhere", r"cluster must be HOST:PORT, auto or local, got 'nowhere'"),
        ("ray://head:10001", r"ray://head:10001 is the address of a Ray client"),
        # Port 9 (discard) of this machine: nothing listens there.
        ("127.0.0.1:9", r"no Ray cluster answers at 127\.0\.0\.1:9 \(.+\); start one \(ray start --head\)"),
        ("127.0.0.1:99999", r"no Ray cluster answers at 127\.0\.0\.1:99999"),
    ],
)
def test_a_cluster_that_is_not_there_is_refused(address, message):
    with pytest.raises(InputError, match=message), connected(address):
        pass


def test_the_environment_names_what_auto_is(monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")
    with pytest.raises(InputError, match=r"no Ray cluster answers at 127\.0\.0\.1:9"), connected("auto"):
        pass


def test_signals_stay_this_program_s_and_nothing_is_reported(two_nodes):
    def heeded(*_):
        raise AssertionError

    before = signal.signal(signal.SIGTERM, heeded)
    try:
        with connected(two_nodes.address):
            assert signal.getsignal(signal.SIGTERM) is heeded
            from ray._common.usage.usage_lib import usage_stats_enabled

            assert not usage_stats_enabled()
    finally:
        signal.signal(signal.SIGTERM, before)
