"""Types of the public functions, as a type checker sees them from a user's folder."""

import collections.abc
import os
import re
import subprocess
import sys
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

import semscale
from semscale.answer_consistency import claims, consistencies, correctness
from semscale.answer_consistency.settings import ClaimSettings, ConsistencySettings, CorrectnessSettings
from semscale.coding.settings import CodeSettings
from semscale.judging.settings import JudgeSettings
from semscale.matching.settings import MatchSettings
from semscale.rating.settings import RaterSettings
from semscale.study import people_comparison
from semscale.study.settings import ComparisonSettings
from semscale.tabulation.settings import CrosstabSettings

FUNCTIONS = [
    (semscale.rate, RaterSettings),
    (semscale.Rater.__init__, RaterSettings),
    (semscale.match, MatchSettings),
    (semscale.Matcher.__init__, MatchSettings),
    (semscale.consistency, ConsistencySettings),
    (semscale.Consistency.__init__, ConsistencySettings),
    (claims.ClaimJudge.__init__, ClaimSettings),
    (claims.Groundedness.__init__, ClaimSettings),
    (claims.ClaimConsistency.__init__, ClaimSettings),
    (claims.groundedness, ClaimSettings),
    (claims.claim_consistency, ClaimSettings),
    (correctness.estimate_correctness, CorrectnessSettings),
    (consistencies.Consistencies.correctness, CorrectnessSettings),
    (semscale.judge, JudgeSettings),
    (semscale.Judge.__init__, JudgeSettings),
    (semscale.code, CodeSettings),
    (semscale.crosstabs, CrosstabSettings),
    (people_comparison.compare, ComparisonSettings),
]
COLLECTIONS = {
    tuple: collections.abc.Iterable,
    dict: collections.abc.Mapping,
    collections.abc.Sequence: collections.abc.Iterable,
}


def alternatives(annotation):
    """List the types of a union; collections by the widest type that holds their items."""
    if get_origin(annotation) in {Union, UnionType}:
        return {kind for part in get_args(annotation) for kind in alternatives(part)}
    origin = get_origin(annotation)
    if origin not in COLLECTIONS.keys() | set(COLLECTIONS.values()):
        return {annotation}
    if get_args(annotation) in {(float, float)}:  # two numbers, not a list of them
        return {annotation}
    return {COLLECTIONS.get(origin, origin)}


@pytest.mark.parametrize(
    ("function", "kind"), FUNCTIONS, ids=[function.__qualname__ for function, _ in FUNCTIONS]
)
def test_typed_keywords_of_a_function_are_the_fields_of_its_settings(function, kind):
    plain = function.__wrapped__
    (keywords,) = get_args(plain.__annotations__["settings"])
    typed = get_type_hints(keywords)
    stated = [name for name in plain.__annotations__ if name in kind.model_fields]
    assert set(typed) | set(stated) == set(kind.model_fields)
    assert not set(typed) & set(stated)
    for name, annotation in typed.items():
        info = kind.model_fields[name]
        accepted = alternatives(annotation)
        # A validator may accept more than it returns, such as one name for a list of names.
        assert accepted >= alternatives(info.annotation), name
        is_validated = any("Validator" in type(note).__name__ for note in info.metadata)
        if not is_validated and info.annotation is not Any:
            assert accepted == alternatives(info.annotation), name


def test_every_function_with_settings_is_in_the_list(pytestconfig):
    source = pytestconfig.rootpath / "src" / "semscale"
    decorated = [
        name
        for path in source.rglob("*.py")
        for name in re.findall(
            r"^ *@takes\(\w+\)\n *def (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE
        )
    ]
    assert sorted(decorated) == sorted(function.__name__ for function, _ in FUNCTIONS)


@pytest.mark.exhaustive
def test_a_type_checker_accepts_the_first_example_and_reports_wrong_settings(pytestconfig, tmp_path):
    readme = (pytestconfig.rootpath / "README.md").read_text(encoding="utf-8")
    (tmp_path / "example.py").write_text(re.search(r"```python\n(.*?)```", readme, re.DOTALL)[1])
    wrong = {
        'semscale.rate(["a"], temprature=1.0)': "temprature",
        'semscale.match(["a"], ["b"], methd="cosine")': "methd",
        'semscale.bertscore(["a"], ["b"], layr=1)': "layr",
        'semscale.consistency(["a"], [["b"]], flor=0.0)': "flor",
        'semscale.judge(["q"], ["a"], chat_model="m", sampels=2)': "sampels",
        'semscale.Judge("m", templat="likert")': "templat",
        'semscale.code(["a"], "codes.yaml", given_fron=0.5)': "given_fron",
        'semscale.crosstabs("t.csv", banner="sex")': "banner",
        'semscale.load_embedder("m", precison="fast")': "precison",
        'semscale.load_chat_model("m", url="http://localhost")': "url",
        'semscale.rate(["a"], temperature="hot")': "temperature",
    }
    (tmp_path / "wrong.py").write_text("import semscale\n" + "\n".join(wrong) + "\n")
    (tmp_path / "right.py").write_text(
        "import semscale\n"
        'semscale.rate(["a"], anchor_sets=["plain"], floor=None)\n'
        'semscale.match(["a"], ["b"], "calibrated", guards={"number": "off"}, corpus=["c"])\n'
        'semscale.consistency(["a"], [["b"]], measures=["consistency"])\n'
        'semscale.crosstabs("t.csv", questions=["q1"], banners="sex", raked_to={"sex": {"f": 0.5}})\n'
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context"]
    checked = subprocess.run(
        [*command, "example.py", "right.py", "wrong.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MYPY_CACHE_DIR": str(tmp_path / "cache")},
    )
    lines = [line for line in checked.stdout.splitlines() if ": error: " in line]
    assert [line.split(":")[:2] for line in lines] == [
        ["wrong.py", str(number)] for number in range(2, len(wrong) + 2)
    ], checked.stdout
    for line, name in zip(lines, wrong.values(), strict=True):
        assert f'"{name}"' in line
