"""Further anchor sets: the prompt, the reply, the file, and probes from a user's texts."""

import json

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.rating.growing import grow, grow_file, growing_prompt
from semscale.rating.lint import probe_lines, propose_probes
from semscale.rating.rater import Rater
from semscale.scales.scale import parse_scale

FILE = """# my scale
name: mood
title: Mood
question: How are you?
points:
  - {value: 1, label: Bad}
  - {value: 2, label: Good}
anchor_sets:
    plain:               # four spaces
      - I feel bad.
      - I feel good.

provenance: a test
"""
SCALE = parse_scale(FILE.encode(), source="mood.yaml")


def reply(*sets):
    entries = [{"topic": topic, "anchors": anchors} for topic, anchors in sets]
    return f"Of course: {json.dumps({'sets': entries})}!"


WORK = ("My Job!", ["My job wears me out.", "My job is fun."])


def test_the_prompt_names_points_sets_and_the_number():
    prompt = growing_prompt(SCALE, 7)
    assert prompt.startswith("Write 7 further anchor sets")
    assert "1. Bad\n2. Good" in prompt
    assert "- plain: I feel bad. | I feel good." in prompt


def test_proposed_sets_follow_existing_sets_and_name_their_source(toy_embedder):
    growth = grow(SCALE, reply(WORK, WORK), source="a model", embedder=toy_embedder)
    assert list(growth.scale.anchor_sets) == ["plain", "my-job"]
    assert growth.scale.sources == {"my-job": "a model"}
    assert [entry.name for entry in growth.sets] == ["my-job"]
    # The second set is the same as the first under another name.
    assert len(growth.left_out) == 1
    assert "the same anchors" in growth.left_out[0]
    assert "My job is fun." in str(growth.document().sections[0].blocks)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("I cannot do that.", "must hold a JSON object"),
        ('{"sets": [{"topic": "x"}]}', "must hold a JSON object"),
        (reply(("three", ["a", "b", "c"])), "no anchor set with 2 sentences"),
    ],
)
def test_a_reply_without_sets_is_refused(toy_embedder, text, message):
    with pytest.raises(InputError, match=message):
        grow(SCALE, text, source="a model", embedder=toy_embedder)


def test_sets_by_model_must_be_removed_first(toy_embedder):
    by_model = SCALE.model_copy(update={"sets_by_model": {"e5-small": ("plain",)}})
    with pytest.raises(InputError, match="names sets by model"):
        grow(by_model, reply(WORK), source="a model", embedder=toy_embedder)


def test_the_file_keeps_its_comments_and_has_the_new_sets(toy_embedder):
    growth = grow(SCALE, reply(WORK), source="a model", embedder=toy_embedder)
    text = grow_file(FILE, growth)
    assert "# my scale" in text
    assert "# four spaces" in text
    assert parse_scale(text.encode(), source="grown.yaml") == growth.scale
    again = grow(
        growth.scale, reply(("home", ["Home is hell.", "Home is heaven."])), source="b", embedder=toy_embedder
    )
    assert parse_scale(grow_file(text, again).encode(), source="again.yaml").sources == {
        "my-job": "a model",
        "home": "b",
    }


def test_sets_on_a_single_line_are_added_to_as_well(toy_embedder):
    flow = FILE.replace(
        FILE[FILE.index("anchor_sets:") : FILE.index("\nprovenance")],
        "anchor_sets: {plain: [I feel bad., I feel good.]}\n",
    )
    growth = grow(SCALE, reply(WORK), source="a model", embedder=toy_embedder)
    assert parse_scale(grow_file(flow, growth).encode(), source="grown.yaml") == growth.scale


def test_probes_are_spread_over_the_ratings_in_another_order(toy_embedder):
    texts = [f"bad {'good ' * n}" for n in range(40)] + ["good " * 100]
    ratings = Rater(SCALE, embedder=toy_embedder, floor=None).rate(texts)
    probes = propose_probes(texts, ratings, per_point=5)
    assert len(set(probes)) == 10
    assert texts[-1] not in probes  # longer than 200 characters
    means = dict(zip(texts, ratings.mean, strict=True))
    chosen, usable = [means[text] for text in probes], [means[text] for text in texts[:-1]]
    assert min(chosen) == min(usable)
    assert max(chosen) == max(usable)
    assert np.any(np.diff(chosen) < 0)


def test_probes_are_laid_out_for_the_file():
    assert probe_lines(['It is "fine".']) == 'probes:\n  - {level: , text: "It is \\"fine\\"."}'
