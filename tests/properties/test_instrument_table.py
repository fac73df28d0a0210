"""No instrument is missing from the table of those that the laws are asked of."""

import importlib
import inspect
import pkgutil
import re
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import ForwardRef, get_args

import pytest
from tests.support.instruments import CELLS
from tests.support.model_instruments import MODEL_INSTRUMENTS
from tests.support.toy_instruments import TOY_INSTRUMENTS

import semscale
from semscale.coding.chat_codes import ChatCodes
from semscale.judging.comparing import PairVerdicts
from semscale.rating.ratings import Ratings
from semscale.results.instrument import TableInstrument
from semscale.results.result import Result
from semscale.scales import Scale
from semscale.types import Status

INSTRUMENTS = [*MODEL_INSTRUMENTS, *TOY_INSTRUMENTS]
HANDED_ON = {ChatCodes, PairVerdicts}
"""Raw replies with their status, of which coding and comparing make what users see; no results of items."""


@pytest.mark.exhaustive
def test_every_instrument_is_in_the_table():
    members = public_members()
    classes = {kind for kind in members if inspect.isclass(kind) and not issubclass(kind, TableInstrument)}
    instruments = {kind for kind in classes if results_of_methods(kind) - HANDED_ON}
    assert instruments == {instrument.kind for instrument in INSTRUMENTS}
    # A function may be the short form of an instrument, and nothing else may give such results.
    functions = [member for member in members if inspect.isfunction(member)]
    returned = set().union(*map(results, functions)) - HANDED_ON
    assert returned <= set().union(*map(results_of_methods, instruments))


def test_the_page_of_the_docs_has_every_instrument_as_it_is():
    rows = {row[2]: row for row in page_rows("what it measures")}
    details = {row[0]: row for row in page_rows("object")}
    assert set(rows) == set(details) == {instrument.kind.__name__ for instrument in INSTRUMENTS}
    for instrument in INSTRUMENTS:
        _, function, _, result = rows[instrument.kind.__name__]
        _, settings = details[instrument.kind.__name__]
        assert settings.split(", ") == list(inspect.signature(instrument.kind).parameters)
        (returned,) = results_of_methods(instrument.kind)
        assert result == returned.__name__
        assert not function or results(getattr(semscale, function)) == {returned}
        assert {"n", "counts", "scored", "estimate", "filter"} <= set(dir(Result)) <= set(dir(returned))


def test_the_page_of_the_docs_names_the_figures_of_every_result():
    rows = {row[0]: row for row in page_rows("result")}
    for instrument in INSTRUMENTS:
        result = instrument.score(CELLS)
        _, figures, main = rows[type(result).__name__]
        overall = result.estimate(method="linearized").overall
        assert main in {overall.main, "the first measure"}
        if not figures.startswith("one for each"):
            stated = set(figures.split(", "))
            scales = {"top_2_box", "bottom_2_box", "net", "nps", "p_<value>"}
            assert {name for name in overall.figures if not name.startswith("p_")} <= stated
            assert stated - scales <= set(overall.figures)


def test_the_page_of_the_docs_has_every_status_in_order():
    assert ["scored", *(row[0] for row in page_rows("status"))] == list(Status)


def page_rows(first):
    """The cells of the table on the page whose first column has this title, without marks of code."""
    page = (Path(__file__).parents[2] / "docs" / "reference.md").read_text(encoding="utf-8")
    table = page.split(f"\n| {first} |", 1)[1].split("\n\n", 1)[0]
    for line in table.splitlines()[2:]:
        yield [cell.strip().replace("`", "") for cell in line.strip("|").split("|")]


def test_an_instrument_is_known_by_what_it_returns():
    class Extractor:
        def extract(self, texts: list[str]) -> "tuple[Ratings, int] | None": ...

    class Reader:
        def read(self) -> Scale: ...

    class Batch:
        def wait(self) -> dict[str, "Ratings"]: ...

    assert results_of_methods(Extractor) == results_of_methods(Batch) == {Ratings}
    assert results_of_methods(Reader) == set()


@cache
def public_members():
    """Every public class and function that a module of semscale defines."""
    walked = (module.name for module in pkgutil.walk_packages(semscale.__path__, "semscale."))
    modules = (name for name in walked if not name.startswith("semscale.serving."))  # it needs an extra
    return {
        member
        for module in map(importlib.import_module, modules)
        for name, member in vars(module).items()
        if getattr(member, "__module__", None) == module.__name__ and not name.startswith("_")
        if inspect.isclass(member) or inspect.isfunction(member)
    }


def results_of_methods(kind):
    """The results that a class gives, unless it is a result itself."""
    methods = inspect.getmembers(kind, inspect.isroutine)
    public = [method for name, method in methods if not name.startswith("_") or name == "__call__"]
    return set() if is_result(kind) else set().union(*map(results, public))


def results(function):
    """The result types in what a function says it returns."""
    # A module may import a type for the type checker only.
    known = {member.__name__: member for member in public_members()}
    names = known | getattr(inspect.unwrap(function), "__globals__", {})
    hint = getattr(function, "__annotations__", {}).get("return")
    return {part for part in parts_of(hint, names) if is_result(part)}


def parts_of(hint, names):
    """A type and the types inside it; one that is written as a string is looked up word by word."""
    text = hint.__forward_arg__ if isinstance(hint, ForwardRef) else hint
    inner = map(names.get, re.findall(r"\w+", text)) if isinstance(text, str) else get_args(hint)
    yield hint
    for part in inner:
        yield from parts_of(part, names)


def is_result(kind):
    """Whether a type is a frozen dataclass that tells the status of each item and what was applied."""
    return (
        inspect.isclass(kind)
        and is_dataclass(kind)
        and kind.__dataclass_params__.frozen
        and {"status", "signature"} <= {field.name for field in fields(kind)}
    )
