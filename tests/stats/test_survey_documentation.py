"""The examples of docs/survey_statistics.md run, and every function that it names is where it says."""

import re
from importlib import import_module
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "survey_statistics.md").read_text("utf-8")


def test_examples_run():
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, names)  # the page is ours
    # Region 0 has 4, 5 and 2 with weights 1.2, .8 and 1.1: 11 / 3.1.
    assert names["means"].values[0, 0] == pytest.approx(11 / 3.1)
    # Half of six people are f: two young of weight .6 and two old of .9.
    assert names["raked"].weights == pytest.approx([0.6, 0.9, 0.9, 1.2, 1.8, 0.6])


def test_functions_are_where_the_page_says():
    table = PAGE.split("## Functions")[1].split("## Weights")[0]
    rows = re.findall(r"^\| (.+?) \| `(\w+)` \|", table, re.MULTILINE)
    assert len(rows) == 12
    for functions, module in rows:
        for name in re.findall(r"`(\w+)", functions):
            assert hasattr(import_module(f"semscale.stats.{module}"), name), name
