"""Figures of the linter for the library's scales and for bad anchors, between which its bounds lie.

``python bench/lint_bounds.py`` prints the figures of ``semscale/rating/lint.py``.
"""

from datetime import date

import numpy as np

from measuring import Options, machine
from semscale.embedding import load_embedder
from semscale.rating.lint import due_masses, length_rise, lint
from semscale.rating.readouts import READOUTS
from semscale.rating.settings import DEFAULT_READOUT
from semscale.scales import load_scale, scale_names
from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL

WORDS = ("one", "two", "three", "four", "five")
LABELS = ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree")
OTHER_LABELS = ("Totally disagree", "Somewhat disagree", "Meh", "Somewhat agree", "Totally agree")
QUESTION = "How far do you agree with this statement?"
SAID = ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree")
BAD = {
    "labels": ("agreement", {"labels": LABELS}),
    "labels, two sets": ("agreement", {"labels": LABELS, "others": OTHER_LABELS}),
    "stars": (
        "quality",
        {
            "words": tuple(f"{word} star{'s' * (word != 'one')}" for word in WORDS),
            "digits": tuple(f"{n} star{'s' * (n > 1)}" for n in range(1, 6)),
        },
    ),
    "digits": (
        "quality",
        {
            "alone": tuple(str(n) for n in range(1, 6)),
            "out of": tuple(f"{n} out of 5" for n in range(1, 6)),
        },
    ),
    "question repeated": ("agreement", {"repeated": tuple(f"{QUESTION} I {said}." for said in SAID)}),
}


def figures(report):
    """Return the worst value of each measurement that has a bound."""
    length = float(np.ptp(report.scale.values))
    ladder, start = report.ladder, report.random_cosine
    steps = [np.diff(one.other_scores).min() / length for one in report.sets]
    return {
        "neighbours": max((one.neighbours.max() - start) / (1 - start) for one in report.sets),
        "step back": -min(steps),
        "ends": max((one.ends - one.neighbours.mean()) / (1 - start) for one in report.sets),
        "peak mass": ladder.peak_mass.min(),
        "due": np.nanmin(due_masses(report.scale, ladder, report.levels)),
        "silent": max((one.ladder.pmf <= 0).mean(axis=0).max() for one in report.sets),
        "spread": ladder.spread,
        "ladder": ladder.spearman,
        "alpha": report.reliability,
        "length": np.mean([length_rise(one.anchors) for one in report.sets]),
    }


def show(name, report, width=18):
    row = " ".join(f"{number:10.2f}" for number in figures(report).values())
    print(f"{name:{width}} {row}  {report.verdict}")


def main():
    parser = Options(__doc__)
    models, scales = [DEFAULT_RATING_MODEL, DEFAULT_MODEL], list(scale_names())
    parser.add_size("--model", models, quick=models[:1])
    parser.add_size("--scales", scales, quick=["quality"])
    parser.add_argument("--readout", choices=list(READOUTS), default=DEFAULT_READOUT)
    options = parser.parse_args()
    for model in options.model:
        compare(model, options.scales, options.readout)


def compare(model, scales, readout):
    """Print the figures of the library's scales and of the bad anchors with a model."""
    embedder = load_embedder(model)
    library = {name: lint(name, embedder=embedder, readout=readout) for name in scales}
    first = library[scales[0]]
    print(
        f"\n{date.today()}, {model}, {readout}, {machine()}\n"
        f"random pairs have a cosine of {first.random_cosine:.2f}\n"
    )
    print(" " * 18, " ".join(f"{name:>10}" for name in figures(first)))
    for name, report in library.items():
        show(name, report)
    print()
    for name, (source, sets) in BAD.items():
        report = lint(
            load_scale(source).model_copy(update={"anchor_sets": sets, "sets_by_model": {}}),
            embedder=embedder,
            readout=readout,
        )
        show(name, report)
        failed = {finding.criterion for finding in report.findings if finding.verdict == "fail"}
        print(f"    fails: {', '.join(sorted(failed))}")
    steps = [
        np.diff(one.other_scores).min() / np.ptp(report.scale.values)
        for report in library.values()
        for one in report.sets
    ]
    print(f"\nsets that step back 5 % or more: {sum(step < -0.05 for step in steps)} of {len(steps)}")


if __name__ == "__main__":
    main()
