"""Scales are written as YAML that is read as the same scale, and keep the comments of their file."""

import pytest

from semscale.errors import InputError
from semscale.scales import Probe, Scale, load_scale, scale_names
from semscale.scales.scale import parse_scale
from semscale.scales.scale_file import scale_text

FILE = """# about moods
name: mood
title: Mood        # a heading
question: How are you?
points:
  - {value: 1, label: "No"}
  - {value: 2.5, label: Good}
anchor_sets:
  # the first
  plain:
    - I feel bad.      # low
    - "I feel good."
  day:
    - A bad day.
    - A good day.
provenance: a test
"""


@pytest.fixture
def mood():
    return parse_scale(FILE.encode(), source="mood.yaml")


@pytest.mark.parametrize("name", scale_names())
def test_shipped_scales_are_written_and_read_again(name):
    scale = load_scale(name)
    assert parse_scale(scale_text(scale).encode(), source=name) == scale


def test_an_unchanged_scale_leaves_its_file_as_it_is(mood):
    assert scale_text(mood, FILE.encode()) == FILE


def test_a_change_leaves_all_other_lines_as_they_are(mood):
    edited = mood.with_anchors("plain", ("I feel ill.", "I feel good."))
    changed = scale_text(edited, FILE.encode()).splitlines()
    before = FILE.splitlines()
    differing = [line for line, old in zip(changed, before, strict=True) if line != old]
    assert [line.strip().partition("#")[0].strip() for line in differing] == ["- I feel ill."]
    assert "# low" in differing[0]


def test_sets_are_added_and_removed(mood):
    added = mood.with_anchors("work", ("My job is hell.", "My job is fun."))
    text = scale_text(added, FILE.encode())
    assert parse_scale(text.encode(), source="mood.yaml") == added
    assert "# the first" in text
    fewer = mood.with_sets(["plain"])
    assert "day:" not in scale_text(fewer, FILE.encode())


@pytest.mark.parametrize(
    "text", ["No", "yes", "5", "null", "2026-11-29", "- a", "a: b", "# a", "[a", "a\u2028b", "'"]
)
def test_sentences_that_yaml_reads_otherwise_are_quoted(mood, text):
    fields = {**dict(mood), "anchor_sets": {"plain": (text, "good")}, "probes": (Probe(text=text, level=1),)}
    scale = Scale(**fields)
    for content in (None, FILE.encode()):
        assert parse_scale(scale_text(scale, content).encode(), source="mood.yaml") == scale


def test_a_file_that_is_no_yaml_is_refused(mood):
    with pytest.raises(InputError, match="cannot be changed without losing comments"):
        scale_text(mood, b"name: [", source="mood.yaml")
