"""Laws that every instrument obeys; one that is not in the table fails the last test."""

import importlib
import inspect
import pkgutil
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import ForwardRef, get_args

import numpy as np
import pytest
from tests.conftest import ToyEmbedder

import semscale
from semscale.chat.replies import Reply
from semscale.consistency.measuring import Consistency
from semscale.drift.meter import DriftMeter
from semscale.embedding.pipeline import has_bfloat16
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.judging.asking import Running
from semscale.judging.judge import Judge
from semscale.judging.panel import Panel
from semscale.matching.bertscore import BertScorer
from semscale.matching.matcher import Matcher
from semscale.rating.rater import Rater
from semscale.rating.ratings import Ratings
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.snapshots.measuring import SnapshotMeter
from semscale.types import Status
from semscale.weights.known import DEFAULT_MODEL
from semscale.weights.resolving import resolve

CELLS = [
    "I would buy it today", None, "never, not at all", "", "it is fine I suppose", 12,
    "I would buy it today", "what a waste", float("nan"), "maybe later", "fine", "buy it",
]  # fmt: skip

MATCH_CORPUS = ["I would never buy it", "fine", "maybe tomorrow", "what a waste of money"]


@dataclass(frozen=True)
class Instrument:
    """How to drive one instrument."""

    kind: type
    score: Callable[[Sequence[object]], object]
    rows: Callable[[object], np.ndarray]
    """One row of numbers for each item, NaN where it has none."""
    signature: Callable[..., Signature]
    settings: dict[str, object]
    """For each setting of the constructor another value than the default."""
    figure: str = "mean"
    """A column of the table that has a number for each item."""
    unsigned: frozenset[str] = frozenset()
    """Settings that change no number, such as where something is kept."""


def rating_scale():
    points = [{"value": v, "label": label} for v, label in enumerate(("no", "perhaps", "yes"))]
    sets = {
        "plain": ("never buy", "maybe fine", "buy today"),
        "other": ("a waste", "perhaps later", "I would"),
    }
    return Scale(
        name="intent", title="Intent", question="Buy?", provenance="a test", points=points, anchor_sets=sets
    )


def rater(**settings):
    return Rater(
        settings.pop("scale", rating_scale()), **{"embedder": ToyEmbedder(), "floor": 0.2, **settings}
    )


@cache
def bert_scorer():
    return BertScorer()


@cache
def other_model():
    """The default model under another name, which is another model to a signature."""
    folder = Path(tempfile.mkdtemp(), "other")
    shutil.copytree(resolve(DEFAULT_MODEL).folder, folder)
    (folder / "config.json").write_text((folder / "config.json").read_text() + "\n")
    return folder


def bert_signature(**settings):
    if "precision" in settings and not has_bfloat16():
        return Signature.of("bertscore", precision="bfloat16")  # not to be had on this processor
    return BertScorer(**{"layer": 6, **settings}).signature


@cache
def matcher():
    # The word weights and the baseline are estimated from the corpus: with one, company changes no score.
    return Matcher("cliniqlink-doc", corpus=MATCH_CORPUS)


def match_signature(**settings):
    if "precision" in settings and not has_bfloat16():
        return Signature.of("match", precision="bfloat16")  # not to be had on this processor
    method = {"recall_share": "calibrated", "layer": "bertscore"}.get(
        next(iter(settings), ""), "cliniqlink-doc"
    )
    chosen = {"method": method, "corpus": MATCH_CORPUS, **settings}
    return Matcher(**chosen).match(["buy it"], ["never buy it"]).signature


class Examiner:
    """A chat model that gives an answer the level of its number of words, from 1 to 5."""

    def __init__(self, name="examiner"):
        self.name = name
        self.signature = Signature.of("chat", model=name)

    async def complete(self, request):
        answer = re.search(r"\[BEGIN ANSWER \w+\]\n(.*)\n\[END", request.messages[1].text, re.DOTALL)[1]
        return Reply(f"Score: {min(len(answer.split()), 5)}")


UNKEPT = Running(ledger=False)


def judging(**settings):
    return Judge(settings.pop("model", Examiner()), **settings)


class OtherScorer:
    """Stands for a BertScorer with another model, whose signature is all that is asked for."""

    signature = Signature.of("bertscore", model="other")


def consistent(**settings):
    # Company changes the floor that is estimated: with one that is given it changes no value.
    return Consistency(**{"model": ToyEmbedder(), "floor": 0.2, **settings})


def consistency_signature(**settings):
    chosen = {"measures": ["consistency", "bert_score"], "bert_model": bert_scorer(), "model": ToyEmbedder()}
    return Consistency(**{**chosen, **settings}).signature


@cache
def drift_meter():
    return DriftMeter(cache=False)


def outputs_of(cells, outputs):
    """A run with an item for each cell, whose outputs depend on it."""
    items = (Item(str(place), outputs(cell)) for place, cell in enumerate(cells))
    return Run("cells", "a model", tuple(items))


def drift(cells):
    """Each cell beside a baseline that says something wherever the cell does."""
    spoken = [cell if isinstance(cell, str) else "" for cell in cells]
    baseline = outputs_of(
        spoken, lambda cell: (Output("I would never buy it" * bool(cell), {"credits": 1.0}),)
    )
    return drift_meter().measure(
        baseline, [outputs_of(spoken, lambda cell: (Output(cell, {"credits": 0.5}),))]
    )[0]


def drift_signature(**settings):
    if "precision" in settings and not has_bfloat16():
        return Signature.of("drift", precision="bfloat16")  # not to be had on this processor
    one = outputs_of(["buy it"], lambda cell: (Output(cell),))
    return DriftMeter(**{"cache": False, "layer": 6, **settings}).measure(one, [one])[0].signature


@cache
def snapshot_meter():
    return SnapshotMeter()


INSTRUMENTS = [
    Instrument(
        kind=DriftMeter,
        score=drift,
        rows=lambda found: np.column_stack(list(found.losses.values())),
        signature=drift_signature,
        settings={
            "model": other_model(),
            "precision": "fast",
            "seed": 1,
            "pairing": "position",
            "layer": 3,
            "guards": {"name": "off"},
        },
        figure="match",
        unsigned=frozenset({"cache"}),
    ),
    Instrument(
        kind=Consistency,
        score=lambda cells: consistent().measure(
            cells, [["I would buy it today", "it is not fine", None]] * len(cells)
        ),
        rows=lambda found: np.column_stack(list(found.measures.values())),
        signature=consistency_signature,
        settings={
            "chat_model": Examiner(),
            "measures": ["cosine_sim", "consistency", "bert_score"],
            "model": ToyEmbedder(32),
            "bert_model": OtherScorer(),
            "floor": 0.3,
            "guards": ["negation"],
            "fewest_samples": 2,
            "seed": 1,
        },
        figure="consistency",
    ),
    Instrument(
        kind=BertScorer,
        score=lambda cells: bert_scorer().score(cells, ["I would never buy it"] * len(cells)),
        rows=lambda scores: np.column_stack([scores.precision, scores.recall, scores.f1]),
        signature=bert_signature,
        settings={
            "model": other_model(),
            "layer": 3,
            "idf": ["buy it", "it is fine"],
            "rescale": True,
            "precision": "fast",
        },
        figure="f1",
    ),
    Instrument(
        kind=Judge,
        score=lambda cells: judging().judge(["why?"] * len(cells), cells, running=UNKEPT),
        rows=lambda found: np.column_stack([found.score, found.expected, found.pmf]),
        signature=lambda **settings: judging(**settings).signature,
        settings={
            "model": Examiner("other"),
            "template": "true_false",
            "rubric": "Only length counts.",
            "context": "for children",
            "order": "score-only",
            "samples": 3,
            "temperature": 0.5,
            "max_tokens": 64,
            "structured": False,
            "logprobs": False,
            "corrections": 1,
            "reference_place": "before",
            "seed": 1,
        },
        figure="score",
    ),
    Instrument(
        kind=Panel,
        score=lambda cells: Panel([judging(), judging(order="score-only")]).judge(
            ["why?"] * len(cells), cells, running=UNKEPT
        ),
        rows=lambda found: np.column_stack([found.mean, found.min, found.max, found.median, found.expected]),
        signature=lambda **settings: Panel(**{"judges": [judging(), judging()], **settings}).signature,
        settings={"judges": [judging(), judging(order="score-only")]},
    ),
    Instrument(
        kind=Matcher,
        score=lambda cells: matcher().match(cells, [["I would never buy it", "fine"]] * len(cells)),
        rows=lambda found: np.column_stack([found.score, *found.components.values()]),
        signature=match_signature,
        settings={
            "method": "cliniqlink-code",
            "model": other_model(),
            "precision": "fast",
            "corpus": ["buy it", "it is fine"],
            "seed": 1,
            "guards": {"name": "off"},
            "recall_share": 0.5,
            "layer": 3,
        },
        figure="score",
    ),
    Instrument(
        kind=SnapshotMeter,
        score=lambda cells: snapshot_meter().match(cells, ["I would never buy it"] * len(cells), "weigh"),
        rows=lambda found: np.column_stack([found.score, *found.components.values()]),
        signature=lambda **settings: SnapshotMeter(**settings).match(["fine"], ["good"], "weigh").signature,
        settings={"model": other_model()},
        figure="score",
    ),
    Instrument(
        kind=Rater,
        score=lambda cells: rater().rate(cells),
        rows=lambda rated: np.column_stack(
            [rated.pmf, rated.set_means, rated.mean, rated.mode, rated.entropy]
        ),
        signature=lambda **settings: rater(**settings).signature,
        settings={
            "scale": rating_scale().model_copy(update={"name": "other"}),
            "embedder": ToyEmbedder(32),
            "anchor_sets": ["plain"],
            "temperature": 0.5,
            "epsilon": 0.1,
            "semantics": "paper",
            "floor": 0.3,
            "missing": ["NA"],
        },
    ),
]

each = pytest.mark.parametrize("instrument", INSTRUMENTS, ids=lambda instrument: instrument.kind.__name__)


@each
def test_order_is_kept(instrument):
    order = np.random.default_rng(0).permutation(len(CELLS))
    mixed = instrument.rows(instrument.score([CELLS[place] for place in order]))
    np.testing.assert_allclose(mixed, instrument.rows(instrument.score(CELLS))[order], atol=1e-6)


@each
def test_input_is_unchanged(instrument):
    cells = list(CELLS)
    instrument.score(cells)
    assert all(after is before for after, before in zip(cells, CELLS, strict=True))


@each
@pytest.mark.parametrize("size", [1, 5])
def test_batch_size_is_irrelevant(instrument, size):
    parts = [instrument.score(CELLS[start : start + size]) for start in range(0, len(CELLS), size)]
    whole = instrument.rows(instrument.score(CELLS))
    np.testing.assert_allclose(np.concatenate([instrument.rows(part) for part in parts]), whole, atol=1e-6)


@each
def test_duplicates_are_irrelevant(instrument):
    doubled = instrument.rows(instrument.score([cell for cell in CELLS for _ in range(3)]))
    once = instrument.rows(instrument.score(CELLS))
    np.testing.assert_allclose(doubled, np.repeat(once, 3, axis=0), atol=1e-6)


@each
def test_missing_stays_missing(instrument):
    result = instrument.score(CELLS)
    absent = np.array([not isinstance(cell, str) or not cell.strip() for cell in CELLS])
    assert np.isnan(instrument.rows(result)[absent]).all()
    assert Status.SCORED not in set(result.status[absent])
    frame = result.to_frame()
    assert frame.filter(absent).select(instrument.figure).null_count().item() == absent.sum()


@each
def test_signature_names_every_setting(instrument):
    settings = set(inspect.signature(instrument.kind).parameters)
    assert settings == set(instrument.settings) | instrument.unsigned
    plain = instrument.signature()
    for name, other in instrument.settings.items():
        assert plain.differences(instrument.signature(**{name: other})), name


def test_every_instrument_is_in_the_table():
    members = public_members()
    instruments = {kind for kind in members if inspect.isclass(kind) and results_of_methods(kind)}
    assert instruments == {instrument.kind for instrument in INSTRUMENTS}
    # A function may be the short form of an instrument, and nothing else may give such results.
    functions = [member for member in members if inspect.isfunction(member)]
    assert set().union(*map(results, functions)) <= set().union(*map(results_of_methods, instruments))


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
    modules = (module.name for module in pkgutil.walk_packages(semscale.__path__, "semscale."))
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
