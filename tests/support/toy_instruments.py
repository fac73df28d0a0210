"""The instruments that are driven with toys: scripted examiners, and bags of words for an embedder."""

import re
from typing import get_args

import numpy as np
from tests.conftest import ToyEmbedder
from tests.support.instruments import CELLS, Instrument
from tests.support.model_instruments import bert_scorer

from semscale.answer_consistency.consistency import Consistency
from semscale.chat.messages import Reply
from semscale.chat.runner import Running
from semscale.judging.judge import Judge, Panel
from semscale.judging.templates import Criterion, Rubric, even_template
from semscale.rating.rater import Rater
from semscale.rating.settings import DEFAULT_READOUT, Readout
from semscale.scales import Scale
from semscale.signature import Signature


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
    return Judge(settings.pop("chat_model", Examiner()), **settings)


class OtherScorer:
    """Stands for a BertScorer with another model, whose signature is all that is asked for."""

    signature = Signature.of("bertscore", model="other")


class OtherEntailment:
    """Stands for an entailment model, whose signature is all that is asked for."""

    signature = Signature.of("nli", model="other")

    def probabilities(self, premises, hypotheses):
        return np.tile([0.0, 1.0, 0.0], (len(premises), 1))


def consistent(**settings):
    # Company changes the floor that is estimated: with one that is given it changes no value.
    return Consistency(**{"embedder": ToyEmbedder(), "floor": 0.2, **settings})


def build_consistency(**settings):
    chosen = {
        "measures": ["consistency", "bert_score", "semantic_negentropy"],
        "bert_embedder": bert_scorer(),
        "embedder": ToyEmbedder(),
    }
    return Consistency(**{**chosen, **settings})


READOUTS = get_args(Readout)
OTHER_READOUT = next(readout for readout in READOUTS if readout != DEFAULT_READOUT)


def toy_calibration():
    """What a rater with the default settings learns from a dozen labels."""
    texts = [f"{word} {number}" for number, word in enumerate(["never", "maybe", "buy"] * 4)]
    return rater().calibrate(texts, [0, 1, 2] * 4).calibration


def reading(readout):
    """The rater with one of its readouts."""
    return lambda cells: rater(readout=readout).rate(cells)


TOY_INSTRUMENTS = [
    Instrument(
        kind=Consistency,
        score=lambda cells: consistent().measure(
            cells, [["I would buy it today", "it is not fine", None]] * len(cells)
        ),
        rows=lambda result: np.column_stack(list(result.measures.values())),
        make=build_consistency,
        settings={
            "chat_model": Examiner(),
            "measures": ["cosine_sim", "consistency", "bert_score"],
            "embedder": ToyEmbedder(32),
            "bert_embedder": OtherScorer(),
            "floor": 0.3,
            "guards": ["negation"],
            "fewest_samples": 2,
            "seed": 1,
            "same_by": "exact",
            "nli": OtherEntailment(),
            "reasoning": "keep",
            "html": "text",
        },
        unsigned=frozenset({"by_sentence", "nli_labels"}),  # of an entailment model alone
        figure="consistency",
    ),
    Instrument(
        kind=Judge,
        score=lambda cells: judging().judge(["why?"] * len(cells), cells, running=UNKEPT),
        rows=lambda result: np.column_stack([result.score, result.expected, result.pmf]),
        make=judging,
        settings={
            "chat_model": Examiner("other"),
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
            "method": "decision",
            "reasoning": "keep",
            "html": "text",
            "criteria": Rubric(
                "mine", (Criterion("tone", even_template("tone", "Kind?", [("no", ""), ("yes", "")])),)
            ),
        },
        figure="score",
        summarize=lambda result: result.summarize(["why?"] * len(CELLS), CELLS),
    ),
    Instrument(
        kind=Panel,
        score=lambda cells: Panel([judging(), judging(order="score-only")]).judge(
            ["why?"] * len(cells), cells, running=UNKEPT
        ),
        rows=lambda result: np.column_stack(
            [result.mean, result.min, result.max, result.median, result.expected]
        ),
        make=lambda **settings: Panel(**{"judges": [judging(), judging()], **settings}),
        settings={"judges": [judging(), judging(order="score-only")]},
        summarize=lambda result: result.summarize(["why?"] * len(CELLS), CELLS),
    ),
    *(
        Instrument(
            kind=Rater,
            score=reading(readout),
            rows=lambda rated: np.column_stack(
                [rated.pmf, rated.set_means, rated.mean, rated.mode, rated.entropy]
            ),
            make=rater,
            settings={
                "scale": rating_scale().model_copy(update={"name": "other"}),
                "embedder": ToyEmbedder(32),
                "anchor_sets": ["plain"],
                "readout": OTHER_READOUT,
                "temperature": 0.5,
                "epsilon": 0.1,
                "semantics": "paper",
                "floor": 0.3,
                "missing": ["NA"],
                "language": "en",
                "reasoning": "remove",
                "html": "text",
                "calibration": toy_calibration,
            },
        )
        for readout in READOUTS
    ),
]
