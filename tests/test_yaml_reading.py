"""YAML files of users: strict parsing, in little time for any content."""

import pytest

from semscale.errors import InputError
from semscale.yaml_reading import line_of, parse_yaml


def test_a_repeated_key_is_reported_with_its_line():
    with pytest.raises(InputError, match=r"'gate.yaml', line 2: .*key 'alpha' is given twice"):
        parse_yaml(b"alpha: 0.01\nalpha: 0.05", source="gate.yaml")


def test_an_alias_is_the_value_it_names():
    assert parse_yaml(b"a: &x [1, 2]\nb: *x", source="x") == {"a": [1, 2], "b": [1, 2]}


def test_aliases_that_expand_to_billions_of_values_are_refused():
    # Nine levels of nine: 9 ** 9 values in 300 bytes.
    lines = ["a0: &a0 [" + ", ".join(["lol"] * 9) + "]"]
    lines += [f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 9) + "]" for n in range(1, 9)]
    with pytest.raises(InputError, match="its aliases expand to more than 200,000 values"):
        parse_yaml("\n".join(lines).encode(), source="bomb.yaml")


@pytest.mark.parametrize(
    ("loop", "line"), [("&a {b: *a}", 1), ("x: 1\na: &a [*a]", 2), ("a: &a [1, [{b: *a}]]", 1)]
)
def test_an_alias_inside_its_anchor_is_refused(loop, line):
    with pytest.raises(
        InputError, match=f"'loop.yaml', line {line}: .*an alias is inside the value that it names"
    ):
        parse_yaml(loop.encode(), source="loop.yaml")


def test_a_file_far_longer_than_any_of_settings_is_refused():
    assert parse_yaml(b"a: 1\n#" + b"x" * 100_000, source="x.yaml") == {"a": 1}
    with pytest.raises(InputError, match="has 200,007 bytes, and such a file has at most 200,000"):
        parse_yaml(b"a: 1\n#" + b"x" * 200_001, source="x.yaml")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ([], 1),
        (["name"], 1),
        (["list"], 2),
        (["list", 1], 4),
        (["list", 1, "deep"], 5),
        (["list", 1, "missing"], 4),
        (["list", 9], 2),
        (["flow", "b"], 6),
        (["absent"], 1),
    ],
)
def test_the_line_of_a_value_or_of_its_parent_is_returned(path, line):
    content = b"name: a\nlist:\n  - first\n  - second: 1\n    deep: 2\nflow: {a: 1, b: 2}\n"
    assert line_of(content, path) == line


def test_lines_count_after_a_byte_order_mark():
    assert line_of(b"\xef\xbb\xbfa: 1\nb: 2\n", ["b"]) == 2


@pytest.mark.parametrize("text", ["q: {text: Would you buy it?, scale: intent}", "a: b\nq: Price: too high"])
def test_a_text_with_signs_of_yaml_is_to_be_put_in_quotes(text):
    line = text.count("\n") + 1
    with pytest.raises(
        InputError, match=rf"line {line}: not readable as YAML: .*; put texts with .* in quotes"
    ):
        parse_yaml(text.encode(), source="study.yaml")


def test_a_repeated_key_needs_no_quotes():
    with pytest.raises(InputError, match="given twice; leave out one of them$"):
        parse_yaml(b"a: 1\na: 2", source="study.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 101 + "]" * 101,
        "[" * 50_000,
        "{a: " * 150 + "1" + "}" * 150,
        "\n".join(f"{' ' * level}a:" for level in range(150)),
        "- " * 5_000 + "a",
    ],
)
@pytest.mark.exhaustive
def test_deep_nesting_is_refused(text):
    with pytest.raises(InputError, match="'study.yaml'.*more than 100 levels of lists and mappings"):
        parse_yaml(text.encode(), source="study.yaml")


def test_nesting_of_100_levels_is_read():
    content = parse_yaml(b"[" * 100 + b"]" * 100, source="study.yaml")
    for _ in range(99):
        content = content[0]
    assert content == []
