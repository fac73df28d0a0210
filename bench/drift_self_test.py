"""How often the default drift gate notices known damage, and how often it cries wolf over what is harmless.

Run with ``python bench/drift_self_test.py``. Datasets: Athena's feedback (lists of outputs with credits) and
Beetle's reference answers, where these lie beside the checkout; sentences of product reviews; and feedback
that was written five times over in other words, ``examples/drift`` and
``bench/data``: a baseline, three reruns and a candidate. With ``--local`` also answers of a small
model of this machine to 30 questions, asked eight times: real reruns, of a poor model.
"""

import re
from collections import Counter
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl

from beetle import read_answers
from measuring import Options, machine
from semscale.damage import DAMAGES, damaged
from semscale.drift.athena_files import read_athena
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.meter import DriftMeter
from semscale.drift.measure.metrics import usual_metrics
from semscale.drift.reading import read_run
from semscale.drift.self_testing.self_test import self_test
from semscale.history.items import Item, Output
from semscale.history.runs import Run, new_id
from shared_data import SHARED

ATHENA = SHARED / "athena"
EXAMPLES = Path(__file__).parents[1] / "examples"
DATA = Path(__file__).parent / "data"
WRITTEN = [
    *(EXAMPLES / "drift" / f"{name}.jsonl" for name in ("baseline", "rerun", "candidate_good")),
    *(DATA / f"feedback_rerun_{number}.jsonl" for number in (2, 3)),
]
SEED, N_REVIEWS, FEWEST_WORDS = 0, 60, 6
SHARES = (0.1, 1 / 3, 0.5, 1.0)
REMADE = (1, 2, 3, 4)  # seeds of reruns that a rule makes of Athena's feedback
LEFT_OUT, MOVED, LOST = 0.4, 0.1, 0.2  # sentences, credits and outputs that such a rerun has otherwise
N_RUNS, N_REFERENCES, TEMPERATURES, MAX_TOKENS = 8, 3, (0.2, 0.7), 48
TOPICS = """a volcano, a bicycle, the moon, bread, a library, rain, a computer, the heart, a bank, honey,
a bridge, wool, a passport, the tide, glass, a vaccine, a garden, a train, salt, a mirror, a clock, the sun,
paper, a whale, soap, a magnet, tea, a battery, the brain, a map"""


def single(dataset, texts):
    return Run(dataset, "people", tuple(Item(str(at), (Output(text),)) for at, text in enumerate(texts)))


def athena():
    return Run("Athena's feedback", "gpt-4o", read_athena(ATHENA).items)


def beetle():
    answers = [read_answers(name) for name in ("training", "test-unseen-questions")]
    first = {
        question: references[0]
        for each in answers
        for question, references in zip(each.question, each.references, strict=True)
    }
    return single("Beetle's reference answers", first.values())


def reviews():
    texts = pl.read_csv(EXAMPLES / "product_reviews.csv")["text"].to_list()
    long = [text for text in texts if len(text.split()) >= FEWEST_WORDS]
    return single("review sentences", np.random.default_rng(SEED).permutation(long)[:N_REVIEWS].tolist())


def in_other_words(run):
    """Reruns as a model might give them that says the same in other words: two seeds of paraphrasing."""
    return [damaged(run, "paraphrase", seed=seed)[0] for seed in (101, 102)]


def remade(run, seed):
    """A rerun by rule, for feedback that was recorded once.

    All that can be is reworded. An output of several sentences loses one with probability .4, credits move by
    half a point with .1, and an item of several outputs loses one with .2.
    """
    rng = np.random.default_rng(seed)
    items = [with_outputs(item, rng) for item in damaged(run, "paraphrase", seed=seed)[0].items]
    return replace(run, items=tuple(items), id=new_id())


def with_outputs(item, rng):
    outputs = []
    for output in item.outputs:
        sentences = re.split(r"(?<=[.!?]) +", output.text or "")
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


def written_runs():
    return [read_run(path, model="model-a", dataset="feedback written five times") for path in WRITTEN]


def every_other(run, start):
    """Half of the items: the rule was chosen on the even ones, and is reported on the odd ones."""
    return replace(run, items=run.items[start::2], id=new_id())


def local_runs(temperature):
    """The same questions, asked several times of the same model."""
    from semscale.chat.chat_model import load_chat_model
    from semscale.chat.messages import Request
    from semscale.chat.runner import Runner

    prompts = [f"What is {topic.strip()}? Answer in one sentence." for topic in TOPICS.split(",")]
    asked = [
        Request.of(prompt, sample=sample, temperature=temperature, max_tokens=MAX_TOKENS)
        for sample in range(N_RUNS)
        for prompt in prompts
    ]
    model = load_chat_model("local")
    texts = [outcome.reply.text if outcome.reply else None for outcome in Runner(model).run(asked)]
    runs = [texts[start : start + len(prompts)] for start in range(0, len(texts), len(prompts))]
    return [
        Run("local", model.name, tuple(Item(p, (Output(t),), p) for p, t in zip(prompts, run, strict=True)))
        for run in runs
    ]


def percent(rate):
    return f"{100 * rate.value:.0f}"


def print_rates(found, shares):
    print("| change | can be | " + " | ".join(f"{share:.0%}" for share in shares) + " | by |")
    print("|---|---|" + "---|" * (len(shares) + 1))
    for kind in dict.fromkeys(row.kind for row in found.rows):
        rows = {row.share or 1.0: row for row in found.rows if row.kind == kind and row.n_draws}
        if not rows:
            print(f"| {kind} | 0 |" + " |" * (len(shares) + 1))
            continue
        shown = {share: f"{percent(row.failed)} / {percent(row.undecided)}" for share, row in rows.items()}
        cells = " | ".join(shown.get(share, "") for share in shares)
        last = rows[max(rows)]
        print(f"| {kind} | {last.n_eligible} | {cells} | {last.detected_by or ''} |")


def print_losses(run, candidate, meter):
    """Mean loss of the items that each kind changes: what the gate had to go by."""
    changed = {kind: damaged(candidate, kind, seed=SEED) for kind in DAMAGES}
    measured = meter.measure(run, [each for each, _ in changed.values()])
    names = list(measured[0].losses)
    print("\n| mean loss | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
    for (kind, (_, which)), each in zip(changed.items(), measured, strict=True):
        if which.any():
            means = [f"{np.nanmean(each.losses[name][which]):.3f}" for name in names]
            print(f"| {kind} | " + " | ".join(means) + " |")


def report(title, baseline, reruns, meter, options):
    print(f"\n## {title}: {len(baseline.items)} items, {len(reruns)} reruns\n")
    fields = [f"{field}_difference" for field in baseline.fields]
    found = self_test(
        baseline,
        reruns=reruns,
        meter=meter,
        settings=GateSettings(metrics=(*usual_metrics(), *fields, "length")) if options.with_length else None,
        items=options.items,
        kinds=options.kinds,
        shares=options.shares,
        draws=options.draws,
        seed=SEED,
    )
    print_rates(found, options.shares)
    if options.losses:
        print_losses(baseline, reruns[-1] if reruns else baseline, meter)
    print(f"\n{found.signature}", flush=True)


def report_with_reruns(meter, options):
    """Three reruns and a candidate: five runs of one model, of which chance says which is which."""
    sets = [written_runs()]
    if ATHENA.exists():
        run = athena()
        sets.append([run, *(remade(run, seed) for seed in REMADE)])
    for runs in sets:
        for half in options.halves:
            baseline, *reruns = (every_other(run, half) for run in runs)
            report(f"{baseline.dataset}, half {half}", baseline, reruns, meter, options)


def print_rotations(runs, meter):
    """Every run once the baseline and every other one once the candidate: the model never changed."""
    settings, counts = GateSettings(replicates=1000), {0: Counter(), 1: Counter(), N_REFERENCES: Counter()}
    for first, baseline in enumerate(runs):
        others = runs[first + 1 :] + runs[:first]
        measured = meter.measure(baseline, others)
        for at, candidate in enumerate(others):
            left = measured[at + 1 :] + measured[:at]
            for n, counted in counts.items():
                found = decide(Comparison(baseline, candidate, measured[at], tuple(left[:n])), settings)
                counted[str(found.outcome)] += 1
    print("\n| reruns recorded | comparisons | failed | undecided | passed |\n|---|---|---|---|---|")
    for n, counted in counts.items():
        cells = " | ".join(str(counted[outcome]) for outcome in ("fail", "undecided", "pass"))
        print(f"| {n} | {counted.total()} | {cells} |", flush=True)


def main():
    parser = Options(__doc__)
    parser.add_size("--draws", 200, quick=1, help="of each kind and share")
    parser.add_argument("--items", type=int, default=30, help="of each draw")
    parser.add_size(
        "--kinds", None, quick=["negate", "drop"], choices=list(DAMAGES), help="of change, by default all"
    )
    parser.add_size("--shares", list(SHARES), quick=[1.0], type=lambda share: float(Fraction(share)))
    parser.add_argument("--losses", action="store_true", help="with the mean losses of each kind of change")
    parser.add_argument("--with-length", action="store_true", help="of a gate that tests length, too")
    parser.add_argument("--local", action="store_true", help="with real reruns of a model of this machine")
    parser.add_size("--halves", [1, 0], quick=[1], choices=(0, 1), help="of items, with three reruns")
    parser.add_argument("--with-reruns", action="store_true", help="only the sets with three reruns")
    options = parser.parse_args()
    print(f"{date.today()}, {machine()}; % of {options.draws} draws that failed / were left undecided")
    meter = DriftMeter()
    if options.with_reruns:
        report_with_reruns(meter, options)
        return
    for folder, build in ((ATHENA, athena), (SHARED / "beetle", beetle), (EXAMPLES, reviews)):
        if not folder.exists():
            print(f"\nleft out: {folder.name}, as {folder} is not there")
            continue
        run = build()
        report(run.dataset, run, [], meter, options)
        report(f"{run.dataset}, reruns in other words", run, in_other_words(run), meter, options)
    report_with_reruns(meter, options)
    for temperature in TEMPERATURES if options.local else ():
        baseline, *again = runs = local_runs(temperature)
        title = f"a local model, temperature {temperature}"
        report(title, baseline, again[: N_REFERENCES + 1], meter, options)
        print_rotations(runs, meter)


if __name__ == "__main__":
    main()
