"""Runs of one model with noise, and runs with known damage; their pairs are scored once for many draws."""

import math
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from semscale.damage import damage_run
from semscale.drift.alignment import TextNumbers, item_texts
from semscale.drift.athena_files import read_athena
from semscale.drift.comparison import IndexedRuns, baseline_metrics
from semscale.drift.reading import read_runs
from semscale.history.runs import Run, new_id
from shared_data import SHARED

ATHENA = SHARED / "athena"
ROOT = Path(__file__).parents[1]
DATA = ROOT / "bench" / "data"
WRITTEN = [
    *(ROOT / "examples" / "drift" / f"{name}.jsonl" for name in ("baseline", "rerun", "candidate_good")),
    DATA / "feedback_rerun.jsonl",
]
REMADE = (1, 2, 3, 4, 5)  # seeds of the runs that a rule makes of Athena's feedback
LEFT_OUT, MOVED, LOST = 0.4, 0.1, 0.2  # sentences, credits and outputs that such a rerun has otherwise
FEWEST_WORDS = 7
ENDS = r"(?<=[.!?]) +"
SOURCES = (0, 1, 2, 3, 4)  # runs that are damaged

BOILERPLATE = (
    "Thank you for your submission. Please review the course material and try to improve your answer."
)
PREFIX = "As an AI language model, I cannot grade this with certainty, but here is my feedback. "


def written_runs():
    """Return feedback that was written five times in different words."""
    return [run for path in WRITTEN for run in read_runs(path, model="model-a", dataset="written")]


def athena_runs():
    """Return five runs created from Athena's feedback by rules; the feedback itself is not one of them."""
    run = Run("athena", "gpt-4o", read_athena(ATHENA).items)
    return [remade(run, seed) for seed in REMADE]


def remade(run, seed):
    """Create a rerun by rules, for feedback that was recorded once.

    Every text is reworded if a rule applies. An output of several sentences loses one with probability .4,
    credits change by half a point with .1, and an item of several outputs loses one with .2.
    """
    rng = np.random.default_rng(seed)
    items = [_with_noise(item, rng) for item in damage_run(run, "paraphrase", seed=seed)[0].items]
    return replace(run, items=tuple(items), id=new_id())


def _with_noise(item, rng):
    outputs = []
    for output in item.outputs:
        sentences = re.split(ENDS, output.text or "")
        if len(sentences) > 1 and rng.random() < LEFT_OUT:
            del sentences[rng.integers(len(sentences))]
        fields = {
            name: value + rng.choice([-0.5, 0.5]) if rng.random() < MOVED else value
            for name, value in output.fields.items()
        }
        outputs.append(replace(output, text=" ".join(sentences), fields=fields))
    if len(outputs) > 1 and rng.random() < LOST:
        del outputs[rng.integers(len(outputs))]
    return replace(item, outputs=tuple(outputs))


def _by_rule(kind):
    def changed(items, rng):
        run, which = damage_run(Run("d", "m", tuple(items)), kind, seed=int(rng.integers(1000)))
        return [item.outputs if hit else None for item, hit in zip(run.items, which, strict=True)]

    return changed


def _each_output(change):
    def changed(items, rng):
        return [tuple(replace(o, text=change(o.text, rng)) for o in item.outputs) for item in items]

    return changed


def _half(text, rng):
    words = text.split()
    return " ".join(words[: math.ceil(len(words) / 2)])


def _german(items, rng):
    texts = pl.read_csv(DATA / "reviews_de.csv")["text"].to_list()
    long = [text for text in texts if len(text.split()) > FEWEST_WORDS]
    return [tuple(replace(o, text=str(rng.choice(long))) for o in item.outputs) for item in items]


def _added_output(items, rng):
    """Add an output of another item; each output is used at most once."""
    donors = rng.permutation([number for number, item in enumerate(items) if item.outputs])
    added = {}
    for place, number in enumerate(donors):
        outputs = items[donors[place - 1]].outputs
        added[number] = outputs[rng.integers(len(outputs))]
    return [(*item.outputs, added[n]) if n in added else None for n, item in enumerate(items)]


def _added_sentence(items, rng):
    """Add a sentence of another output to the end of each output; each sentence is used at most once."""
    texts = [o.text for item in items for o in item.outputs]
    donors = iter(np.roll(texts, int(rng.integers(6, len(texts) - 6))))
    return [
        tuple(replace(o, text=f"{o.text} {re.split(ENDS, next(donors))[0]}") for o in item.outputs)
        for item in items
    ]


def _moved(step):
    def changed(items, rng):
        return [
            tuple(
                replace(o, fields={name: value - step for name, value in o.fields.items()})
                for o in item.outputs
            )
            for item in items
        ]

    return changed


def _refused(items, rng):
    text = "I'm sorry, but I can't help with that."
    return [(replace(item.outputs[0], text=text),) for item in items]


THIRD = 1 / 3
KINDS = {
    "negated": (_by_rule("negate"), THIRD),
    "dropped": (_by_rule("drop"), THIRD),
    "swapped": (_by_rule("swap"), THIRD),
    "truncated to half": (_each_output(_half), THIRD),
    "half of the words, ended": (
        _each_output(lambda text, rng: f"{_half(text, rng).rstrip(',;:.')}."),
        THIRD,
    ),
    "in German": (_german, THIRD),
    "boilerplate in place": (_each_output(lambda text, rng: BOILERPLATE), THIRD),
    "boilerplate as prefix": (_each_output(lambda text, rng: PREFIX + text), THIRD),
    "an output added": (_added_output, THIRD),
    "a sentence added": (_added_sentence, THIRD),
    "numbers changed": (_by_rule("numbers"), 1.0),
    "numbers changed in a third": (_by_rule("numbers"), THIRD),
    "silence": (_by_rule("silence"), 0.1),
    "credits by a step": (_moved(1.0), THIRD),
    "credits by half a step": (_moved(0.5), THIRD),
}
"""Share of damaged items, by name of the damage."""


CHOSEN_ON = ("cells", "testing", "6715")
REPORTED_ON = ("history", "6787", "6794")
"""Exercises of both datasets: margins were chosen on the first half, and are reported on the second."""


@dataclass
class Pool:
    """Runs of one dataset, and the scores of their pairs.

    Attributes:
        runs: five runs of one model, then the damaged ones.
        damaged: position of a damaged run, by kind and source.
        possible: whether an item can be damaged, shape (n,), by kind and source.
        aligned: aligned outputs, by reference, measured run and item.
    """

    runs: list
    damaged: dict
    possible: dict
    aligned: dict


def build(runs, meter, kinds):
    """Score all pairs of runs that draws with some kinds of damage may need."""
    all_runs, where, possible = list(runs), {}, {}
    for kind in kinds:
        change, _ = KINDS[kind]
        for source in SOURCES:
            rng = np.random.default_rng([source, *kind.encode()])
            outputs = change(runs[source].items, rng)
            possible[kind, source] = np.array([one is not None for one in outputs])
            items = [
                item if one is None else replace(item, outputs=one)
                for item, one in zip(runs[source].items, outputs, strict=True)
            ]
            where[kind, source] = len(all_runs)
            all_runs.append(replace(runs[source], items=tuple(items), id=new_id()))
    n = len(runs)
    order = [(first, second) for first in range(n) for second in range(first + 1, n)]
    order += [
        (clean, number) for (_, source), number in where.items() for clean in range(n) if clean != source
    ]
    metrics, fields, spans = baseline_metrics(runs[0], {})
    numbers = TextNumbers()
    texts = [item_texts(run.items, fields, numbers, sort=True) for run in all_runs]
    n_texts = len({t for each in texts[0] for t in each.texts})
    indexed = IndexedRuns(texts, fields, spans, metrics, numbers.texts, n_texts, len(numbers))
    aligned = {}
    for item, number, outputs in meter.align(indexed, order):
        aligned[(*order[number], item)] = outputs
    return Pool(all_runs, where, possible, aligned)


def joined(pools, exercises):
    """Join the items of some exercises of several pools that were built with the same kinds of damage."""
    rows = [
        [row for row, item in enumerate(pool.runs[0].items) if item.groups["exercise"] in exercises]
        for pool in pools
    ]
    runs = [
        replace(
            of_pools[0],
            items=tuple(
                replace(run.items[row], groups={"exercise": run.items[row].groups["exercise"]})
                for run, of_pool in zip(of_pools, rows, strict=True)
                for row in of_pool
            ),
        )
        for of_pools in zip(*(pool.runs for pool in pools), strict=True)
    ]
    possible = {
        key: np.concatenate([pool.possible[key][of_pool] for pool, of_pool in zip(pools, rows, strict=True)])
        for key in pools[0].possible
    }
    aligned, start = {}, 0
    for pool, of_pool in zip(pools, rows, strict=True):
        places = {row: start + place for place, row in enumerate(of_pool)}
        start += len(of_pool)
        for (first, second, item), outputs in pool.aligned.items():
            if item in places:
                aligned[first, second, places[item]] = outputs
    return Pool(runs, pools[0].damaged, possible, aligned)
