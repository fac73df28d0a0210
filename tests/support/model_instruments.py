"""The instruments that read texts with the default model."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from tests.support.instruments import Instrument
from tests.support.random_classifier import write_random_classifier

from semscale.answer_consistency.claims import ClaimConsistency, Groundedness
from semscale.embedding.openvino import has_bfloat16
from semscale.matching.bertscore import BertScorer
from semscale.matching.matcher import Matcher
from semscale.signature import Signature
from semscale.snapshots.compare_outputs import SnapshotMeter
from semscale.weights.known import DEFAULT_MODEL
from semscale.weights.resolving import resolve

MATCH_CORPUS = ["I would never buy it", "fine", "maybe tomorrow", "what a waste of money"]


@cache
def nli_model(family):
    """A random entailment model."""
    created = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, created)
    write_random_classifier(created / family, family)
    return created / family


@cache
def bert_scorer():
    return BertScorer()


@cache
def other_model():
    """The default model under another name, which is another model to a signature."""
    created = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, created)
    folder = created / "other"
    shutil.copytree(resolve(DEFAULT_MODEL).folder, folder)
    (folder / "config.json").write_text((folder / "config.json").read_text() + "\n")
    return folder


def build_bert_scorer(**settings):
    return BertScorer(**{"layer": 6, **settings})


def bert_signature(**settings):
    if "precision" in settings and not has_bfloat16():
        return Signature.of("bertscore", precision="bfloat16")  # not to be had on this processor
    return build_bert_scorer(**settings).signature


@cache
def matcher():
    # The word weights and the baseline are estimated from the corpus: with one, company changes no score.
    return Matcher("cliniqlink-doc", corpus=MATCH_CORPUS)


def build_matcher(**settings):
    if settings.keys() & {"nli", "nli_labels"}:
        return Matcher("entailment", **{"nli": nli_model("bert"), **settings})
    method = {"recall_share": "calibrated", "layer": "bertscore"}.get(
        next(iter(settings), ""), "cliniqlink-doc"
    )
    chosen = {"method": method, "corpus": MATCH_CORPUS, **settings}
    return Matcher(**chosen)


def match_signature(**settings):
    if "precision" in settings and not has_bfloat16():
        return Signature.of("match", precision="bfloat16")  # not to be had on this processor
    return build_matcher(**settings).match(["buy it"], ["never buy it"]).signature


@cache
def snapshot_meter():
    return SnapshotMeter()


@cache
def groundedness():
    return Groundedness(corpus=MATCH_CORPUS)


@cache
def claim_consistency():
    return ClaimConsistency(corpus=MATCH_CORPUS)


CLAIM_SETTINGS = {
    "embedder": other_model,
    "nli": lambda: nli_model("bert"),
    "corpus": ["buy it", "it is fine"],
    "reasoning": "keep",
    "html": "text",
}


MODEL_INSTRUMENTS = [
    Instrument(
        kind=Groundedness,
        score=lambda cells: groundedness().judge(cells, [["I would never buy it", "fine"]] * len(cells)),
        rows=lambda result: result.score[:, None],
        make=Groundedness,
        settings=CLAIM_SETTINGS,
        figure="score",
        summarize=None,  # a summary shows rows of a file
    ),
    Instrument(
        kind=ClaimConsistency,
        score=lambda cells: claim_consistency().measure(
            cells, [["I would never buy it", "fine"]] * len(cells)
        ),
        rows=lambda result: result.score[:, None],
        make=ClaimConsistency,
        settings=CLAIM_SETTINGS,
        figure="score",
        summarize=None,
    ),
    Instrument(
        kind=BertScorer,
        score=lambda cells: bert_scorer().score(cells, ["I would never buy it"] * len(cells)),
        rows=lambda scores: np.column_stack([scores.precision, scores.recall, scores.f1]),
        make=build_bert_scorer,
        signature=bert_signature,
        settings={
            "embedder": other_model,
            "layer": 3,
            "idf": ["buy it", "it is fine"],
            "rescale": True,
            "precision": "fast",
        },
        figure="f1",
    ),
    Instrument(
        kind=Matcher,
        unsigned=frozenset({"explain", "loading"}),
        score=lambda cells: matcher().match(cells, [["I would never buy it", "fine"]] * len(cells)),
        rows=lambda result: np.column_stack([result.score, *result.components.values()]),
        make=build_matcher,
        signature=match_signature,
        settings={
            "method": "cliniqlink-code",
            "embedder": other_model,
            "precision": "fast",
            "corpus": ["buy it", "it is fine"],
            "seed": 1,
            "guards": {"name": "off"},
            "recall_share": 0.5,
            "layer": 3,
            "nli": lambda: nli_model("roberta"),
            "nli_labels": ("contradiction", "entailment", "neutral"),
            "empty": "wrong",
            "reasoning": "keep",
            "html": "text",
        },
        figure="score",
    ),
    Instrument(
        kind=SnapshotMeter,
        score=lambda cells: snapshot_meter().match(cells, ["I would never buy it"] * len(cells), "weigh"),
        rows=lambda result: np.column_stack([result.score, *result.components.values()]),
        make=SnapshotMeter,
        settings={"embedder": other_model},
        figure="score",
    ),
]
