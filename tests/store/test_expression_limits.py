"""Expressions of a description that nobody checked: bounded in depth, and in the texts that they make."""

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.expressions import Expression
from semscale.store.reading import open_table

ROWS = pl.DataFrame({"age": ["20", "30"], "txt": ["foo", "bar, too"]})


@pytest.fixture
def evaluate(tmp_path):
    ROWS.write_csv(tmp_path / "rows.csv")
    table = open_table(tmp_path / "rows.csv")
    return lambda text: Expression.for_table(text, table, "derive").evaluate(ROWS).to_list()


@pytest.mark.parametrize(
    "text",
    [
        "lpad(txt, 1000000000, 'x')",
        "rpad(txt, CAST(age AS BIGINT) * 10000000, 'x')",
        "upper(rpad(txt, 900000000, 'x'))",
        "replace(" * 40 + "txt" + ", 'o', 'ooooooooo')" * 40,
        "regexp_replace(" * 40 + "txt" + ", '(.*)', '${1}${1}')" * 40,
    ],
)
def test_texts_that_would_fill_the_memory_are_refused(text, evaluate):
    with pytest.raises(InputError, match="derive: .* could make texts of more than 500 MB"):
        evaluate(text)


@pytest.mark.parametrize(
    "text",
    [
        " and ".join(["age > 3"] * 20_000),
        "age > " + "+".join(["1"] * 20_000),
        "(" * 20_000 + "age" + ")" * 20_000 + " > 3",
        "case " + " ".join(f"when age = {n} then true" for n in range(5_000)) + " else true end",
    ],
)
def test_expressions_that_are_too_deep_are_refused(text, evaluate):
    with pytest.raises(InputError, match="has more than 500 operators and brackets") as refused:
        evaluate(text)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("replace(replace(txt, 'oo', 'u'), ', ', ';')", ["fu", "bar;tu"]),
        ("lpad(txt, 5, '0')", ["00foo", "bar, "]),
        ("txt || '-' || txt", ["foo-foo", "bar, too-bar, too"]),
        ("age in (" + ", ".join(map(str, range(25, 20_000))) + ")", [False, True]),
        ("case " + " ".join(f"when age = {n} then {n + 1}" for n in range(15, 90)) + " end", [21, 31]),
    ],
)
def test_ordinary_expressions_are_evaluated(text, values, evaluate):
    assert evaluate(text) == values
