import pytest

from semscale.errors import InputError
from semscale.scales.scale import parse_scale

GOOD = """\
name: mood
title: Mood
question: How are you?
provenance: a test
points:
  - {value: 1, label: bad}
  - {value: 2, label: good}
anchor_sets:
  plain:
    - I feel bad.
    - I feel good.
"""


def test_a_file_is_read():
    mood = parse_scale(GOOD.encode(), source="mood.yaml")
    assert mood.anchor_sets == {"plain": ("I feel bad.", "I feel good.")}


@pytest.mark.parametrize("change", [lambda text: "\ufeff" + text, lambda text: text.replace("\n", "\r\n")])
def test_a_byte_order_mark_and_windows_line_ends_change_nothing(change):
    assert (
        parse_scale(change(GOOD).encode(), source="x").content_hash
        == parse_scale(GOOD.encode(), source="x").content_hash
    )


def test_other_alphabets():
    text = GOOD.replace("I feel bad.", "Мне плохо.")
    assert parse_scale(text.encode(), source="x").anchor_sets["plain"][0] == "Мне плохо."


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GOOD.replace("points:", "points: [").encode(), "'x.yaml', line 6: not readable as YAML"),
        (GOOD.replace("title: Mood", "\ttitle: Mood").encode(), "'x.yaml', line 2: not readable as YAML"),
        (
            GOOD.replace("Mood", "M\xf6d").encode("latin-1"),
            "'x.yaml', line 2: not UTF-8: save the file as UTF-8",
        ),
        (GOOD.replace("Mood", "Mo\x07od").encode(), "'x.yaml', line 2: not readable as YAML"),
        (("[" * 5000).encode(), "'x.yaml': not readable as YAML: more than 100 levels of lists"),
        (b"", "'x.yaml' must hold the keys of a scale (name, points, ...), got None"),
        (b"- a\n- b\n", "must hold the keys of a scale"),
        (
            GOOD.replace("I feel good.", "yes").encode(),
            "anchor set 'plain', anchor 2 must be text, in quotes",
        ),
        (b"!!python/object/apply:os.getcwd []", "not readable as YAML"),
        (
            b"name: mood\n? [a, b]\n: 1\n",
            "'x.yaml', line 2: not readable as YAML: a key must be a single word",
        ),
        (
            GOOD.replace("title: Mood", "title: 2024-13-45").encode(),
            "'x.yaml', line 2: not readable as YAML: '2024-13-45' is not a valid timestamp; put text in "
            "quotes",
        ),
        (
            GOOD.replace("value: 2", 'value: !!int "x"').encode(),
            "line 7: not readable as YAML: 'x' is not a valid int",
        ),
        (b"name: mood\ntitle: !!set [a]\n", "line 2: not readable as YAML"),
        (b"name: mood\ntitle: " + b"9" * 5000, "line 2: not readable as YAML"),
        (b'name: mood\ntitle: "\\UFFFFFFFF"\n', "line 2: not readable as YAML"),
    ],
)
def test_unreadable_scale_is_refused_in_a_single_line(content, message):
    with pytest.raises(InputError) as caught:
        parse_scale(content, source="x.yaml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
