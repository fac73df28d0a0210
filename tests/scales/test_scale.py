import hashlib

import numpy as np
import pytest

from semscale.errors import InputError, UnknownNameError
from semscale.scales import Probe, Scale

POINTS = ({"value": 1, "label": "bad"}, {"value": 2, "label": "fair"}, {"value": 4, "label": "good"})
FIELDS = {
    "name": "mood",
    "title": "Mood",
    "question": "How are you?",
    "provenance": "a test",
    "points": POINTS,
    "anchor_sets": {"plain": ("I feel bad.", "I feel so-so.", "I feel good.")},
}


def scale(**changes):
    return Scale(**{**FIELDS, **changes})


def numbered(n):
    return {
        "points": [{"value": i, "label": f"point {i}"} for i in range(n)],
        "anchor_sets": {"plain": [f"sentence {i}" for i in range(n)]},
    }


def test_properties():
    mood = scale()
    assert mood.n_points == 3
    assert mood.labels == ("bad", "fair", "good")
    assert mood.values.dtype == np.float64
    assert mood.values.tolist() == [1.0, 2.0, 4.0]
    assert (mood.language, mood.polarity, mood.notes, mood.probes) == ("en", "ascending-good", "", ())


def test_the_largest_values_are_a_scale():
    ends = ({"value": -1e6, "label": "low"}, {"value": 0, "label": "middle"}, {"value": 1e6, "label": "high"})
    assert scale(points=ends).values.tolist() == [-1e6, 0.0, 1e6]


@pytest.mark.parametrize("n", [2, 11])
def test_two_to_eleven_points_are_a_scale(n):
    assert scale(**numbered(n)).n_points == n


@pytest.mark.parametrize("n", [0, 1, 12])
def test_any_other_number_of_points_is_not(n):
    with pytest.raises(InputError, match=f"^scale 'mood': points must be 2 to 11, got {n}$"):
        scale(**numbered(n))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"points": POINTS[::-1]}, "values of points must ascend, got 4 ('good') before 2 ('fair')"),
        (
            {"points": (*POINTS[:2], {"value": 1e307, "label": "x"})},
            "values of points must lie in -1e+06 to 1e+06, got 1e+307 ('x'); choose a larger unit",
        ),
        (
            {"points": (*POINTS[:2], {"value": 2 + 5e-7, "label": "x"})},
            "values of points must differ by 1e-06 at least, got 2.0 and 2.0000005; choose a smaller unit",
        ),
        ({"points": (*POINTS[:2], {"value": 9, "label": " BAD "})}, "labels of points must differ"),
        ({"points": (*POINTS[:2], {"value": float("nan"), "label": "x"})}, "point 3, value must be a finite"),
        (
            {"points": (*POINTS[:2], {"value": True, "label": "x"})},
            "point 3, value must be a number, got True",
        ),
        ({"points": (*POINTS[:2], {"value": 3})}, "point 3, label is missing: add it"),
        ({"points": (*POINTS[:2], {"value": 3, "label": True})}, "point 3, label must be text, in quotes"),
        ({"points": "1 to 5"}, "points must be a list, got '1 to 5'"),
        ({"anchor_sets": {}}, "anchor_sets must hold at least one set"),
        (
            {"sets_by_model": {"some-model": ["plain", "fancy"]}},
            "sets_by_model of 'some-model' must name one or more of the anchor sets, each once, "
            "got ['plain', 'fancy'] (anchor sets: plain)",
        ),
        ({"sets_by_model": {"some-model": []}}, "sets_by_model of 'some-model' must name one or more"),
        (
            {"sets_by_model": {"some-model": ["plain", "plain"]}},
            "must name one or more of the anchor sets, each",
        ),
        ({"sets_by_model": ["plain"]}, "sets_by_model must be a mapping"),
        ({"anchor_sets": ["a", "b", "c"]}, "anchor_sets must be a mapping"),
        ({"anchor_sets": {"plain": ("a", "b")}}, "one anchor for each of the 3 points, got 2"),
        (
            {"anchor_sets": {"plain": ("a", " ", "c")}},
            "anchor set 'plain', anchor 2 must not be empty, got ' '",
        ),
        ({"anchor_sets": {"plain": ("a", "b", "A ")}}, "anchors of set 'plain' must differ, got 'A' twice"),
        ({"anchor_sets": {"x": ("a", "b", "c"), "y": ("a", "B", "c")}}, "the same anchors in 'x' and 'y'"),
        ({"probes": [{"level": 5, "text": "hello"}]}, "level of a probe must lie in 1 to 4, got 5 ('hello')"),
        ({"probes": [{"level": 1, "text": "a b"}, {"level": 2, "text": "A  b"}]}, "probes must differ"),
        ({"polarity": "sideways"}, "polarity must be ascending-good"),
        ({"language": "german"}, "language must be an ISO 639-1 code, got 'german': write 'de'"),
        ({"language": "en-GB"}, "language must be an ISO 639-1 code, got 'en-GB': write 'en'"),
        ({"language": "Klingon"}, "got 'Klingon': write a code such as 'en' or 'de'"),
        ({"points": (1, *POINTS[1:])}, "point 1 must be a mapping with its keys"),
        ({"points": ({**POINTS[0], "colour": 1}, *POINTS[1:])}, "point 1: unknown key 'colour': remove it"),
        ({"probes": [{"level": "low", "text": "a"}]}, "probe 1, level must be a number, got 'low'"),
        ({"anchor_sets": {"Not Kebab": ("a", "b", "c")}}, "name of anchor set 'Not Kebab'"),
        ({"pionts": 3}, "unknown key 'pionts': did you mean 'points'?"),
        ({"zzz": 3}, "unknown key 'zzz': remove it"),
        ({"name": "a|b"}, "name must be lower-case words joined by hyphens, got 'a|b'"),
    ],
)
def test_invalid_scale_is_refused_in_a_single_line(changes, message):
    with pytest.raises(InputError) as caught:
        scale(**changes)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_further_mistakes_are_counted():
    with pytest.raises(InputError, match=r"\(and 1 more mistake\)$"):
        scale(title="", question="")


def test_the_hash_covers_values_and_anchors_and_nothing_else():
    assert scale(notes="new", title="other", question="?").content_hash == scale().content_hash
    assert scale(anchor_sets={"plain": ("I feel bad!", "b", "c")}).content_hash != scale().content_hash
    moved = (*POINTS[:2], {"value": 5, "label": "good"})
    assert scale(points=moved).content_hash != scale().content_hash


def test_content_hash_is_the_documented_hash():
    # sha256 over compact JSON of the values and of the sets as pairs, written out by hand.
    canonical = '{"values":[1.0,2.0,4.0],"sets":[["plain",["I feel bad.","I feel so-so.","I feel good."]]]}'
    assert scale().content_hash == hashlib.sha256(canonical.encode()).hexdigest()[:8]


def test_sets_that_serve_a_model():
    more = {**FIELDS["anchor_sets"], "strong": ("I am in pain.", "I am all right.", "I am blissful.")}
    mood = scale(anchor_sets=more, sets_by_model={"small": ["strong"]})
    assert list(mood.for_model("small").anchor_sets) == ["strong"]
    assert mood.for_model("small").sets_by_model == {}
    assert mood.for_model("large") is mood


def test_some_of_the_sets():
    both = scale(anchor_sets={"x": ("a", "b", "c"), "y": ("d", "e", "f")})
    assert list(both.with_sets(["y", "x"]).anchor_sets) == ["y", "x"]
    assert list(both.with_sets(["y"]).anchor_sets) == ["y"]
    assert list(both.anchor_sets) == ["x", "y"]


@pytest.mark.parametrize("names", [[], ["plain", "plain"]])
def test_missing_or_repeated_sets_are_refused(names):
    with pytest.raises(InputError, match="at least one set, and none twice"):
        scale().with_sets(names)


def test_an_unknown_set_names_the_nearest():
    with pytest.raises(UnknownNameError, match=r"unknown mood anchor set 'plian': did you mean 'plain'"):
        scale().with_sets(["plian"])


def test_a_scale_cannot_be_changed():
    with pytest.raises(ValueError, match="frozen"):
        scale().name = "other"
    with pytest.raises(ValueError, match="frozen"):
        Probe(text="a", level=1).level = 2


def test_with_anchors_replaces_a_set_or_adds_one():
    edited = scale().with_anchors("plain", ("I feel ill.", "I feel so-so.", "I feel good."))
    assert edited.anchor_sets == {"plain": ("I feel ill.", "I feel so-so.", "I feel good.")}
    two = edited.with_anchors("day", ("A bad day.", "A day.", "A good day."))
    assert list(two.anchor_sets) == ["plain", "day"]
    assert scale().anchor_sets == FIELDS["anchor_sets"]


@pytest.mark.parametrize(
    ("name", "anchors", "message"),
    [
        ("plain", ("Bad.", "Good."), "must have one anchor for each of the 3 points, got 2"),
        ("plain", ("Bad.", " ", "Good."), "anchor 2 must not be empty"),
        ("day", ("Bad.", "bad.", "Good."), "anchors of set 'day' must differ"),
        ("My day", ("Bad.", "So-so.", "Good."), "My day"),
    ],
)
def test_with_anchors_refuses_what_is_no_anchor_set(name, anchors, message):
    with pytest.raises(InputError, match=message):
        scale().with_anchors(name, anchors)
