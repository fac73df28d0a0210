"""Sentences about coded answers: what became of them, and what the figures cannot show."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.coding.code_calibration import FEWEST_OF_EACH
from semscale.coding.coding_decisions import BY_LIKENESS
from semscale.report.formatting import count, counted, listed, one_line
from semscale.stats.calibration.corrected_groups import FEWEST_IN_GROUP
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.coding.asked_codes import AskedCodes
    from semscale.coding.summary.coding_summary import CodedGrouping, CodingSummary

_WEAK = 0.667
"""Krippendorff's bound below which he would not draw even tentative conclusions."""

OUTCOMES = {
    "coded": "has one code or more",
    "other": "no code applies",
    "cannot-tell": "a code may apply, or there is nothing to read",
    "no-answer": "the cell is missing or no text",
}
REASONS = {
    "unsure": "a code lies between the two thresholds",
    "empty": "nothing but white space",
    "uninformative": "neither a letter nor a digit",
    "weightless": "the model cannot read the text",
    "missing": "the cell is empty",
    "not-text": "a number or something else that is not text",
}


def outcome_words(summary: "CodingSummary") -> str:
    """Say what became of the answers: together they are all rows."""
    shown = {"coded": "coded", "other": "other", "cannot-tell": "cannot tell", "no-answer": "no answer"}
    parts = [
        f"{count(summary.outcomes[name])} {words}"
        for name, words in shown.items()
        if name in summary.outcomes
    ]
    return f"{counted(summary.n, 'row')}: {listed(parts)}"


def cautions(summary: "CodingSummary") -> Iterator[str]:
    """Give the limits of the figures."""
    if not summary.n_hand:
        yield (
            "Not calibrated: no answer was coded by hand, so there are no probabilities, and nobody knows "
            "how often the codes are wrong. semscale code label draws answers to code."
        )
    else:
        yield from _calibration_cautions(summary)
    if summary.n_hand and not summary.is_drawn:
        yield (
            "Corrected shares are right on average only if the hand-coded answers are a random sample; "
            "tables of semscale code label have the probabilities of their draw, for the option inclusion."
        )
    if summary.asked is not None:
        yield from _lost_cautions(summary.asked)
    yield from _sample_cautions(summary)
    yield from _weight_cautions(summary)
    tests = [test for grouping in summary.groupings for test in grouping.tests]
    if any(test.kind != "corrected" for test in tests):
        yield (
            "Tests between groups compare the codes that were given: where the coder errs more often in one "
            "group, they find a difference that people would not. With "
            f"{FEWEST_IN_GROUP} hand-coded answers in each of two groups they compare corrected shares."
        )
    if summary.drivers is not None:
        yield "Drivers go with the rating; that does not show that they cause it."


def basis_words(summary: "CodingSummary") -> str:
    """Say of how many answers shares are."""
    read = f"{counted(summary.n_readable, 'answer')} that can be read"
    decided = "of those about which the code was decided"
    if summary.n_hand:
        said = f"Corrected shares are of the {read}, counted ones {decided}"
    else:
        said = f"Of the {read}, shares are {decided}"
    return f"{said}; an answer may have several codes."


def shares_note(summary: "CodingSummary") -> str:
    """Say what counted and corrected shares are."""
    said = (
        "Counted: share of the answers about which a code was decided; its interval knows nothing of the "
        "coder’s errors."
    )
    if summary.n_hand:
        said += (
            " Corrected: share that people would give the code among all answers that can be read, by the "
            f"{count(summary.n_hand)} hand-coded ones (prediction-powered)."
        )
    return said


def groups_note(summary: "CodingSummary", grouping: "CodedGrouping") -> str:
    """Say how shares of groups were compared, and which groups were left out."""
    kinds = list(dict.fromkeys(test.kind for test in grouping.tests))
    said = [_TESTS[kind] for kind in kinds]
    if len(kinds) > 1:
        counted_codes = [f"“{one_line(test.code)}”" for test in grouping.tests if test.kind != "corrected"]
        said.append(f"The second is that of {listed(counted_codes)}.")
    if "corrected" in kinds:
        tested = {name for test in grouping.tests for name in grouping.tested_groups(test)}
        left = [
            f"“{one_line(one.name)}”"
            for one in grouping.groups
            if one.name is not None and one.name not in tested
        ]
        if left:
            said.append(
                f"Left out, with fewer than {counted(summary.min_base, 'answer')}, or {FEWEST_IN_GROUP} "
                f"hand-coded ones: {listed(left)}."
            )
    alone = ", in each column of groups by itself" if len(summary.groupings) > 1 else ""
    return " ".join([*said, f"p is adjusted by Holm over all codes{alone}."])


_TESTS = {
    "corrected": (
        "Welch’s test of the corrected shares: how often people would give the code. Each group’s share is "
        "corrected by its own hand-coded answers."
    ),
    "counted": (
        "Pearson’s test of the codes that were given; where counts are small, by 10,000 drawn tables with "
        "the same margins."
    ),
    "counted, weighted": (
        "Rao and Scott’s test of the codes that were given, which allows for weights, strata and respondents."
    ),
}


def _lost_cautions(asked: "AskedCodes") -> Iterator[str]:
    """Say about how many answers a chat model said nothing that counts, and what stands in for it."""
    lost = {name: n for name, n in asked.counts.items() if name != str(Status.SCORED)}
    if not lost:
        return
    kinds = listed([f"{count(n)} {_LOST.get(name, name)}" for name, n in lost.items()])
    partly = f", {count(asked.n_partly)} of them about some codes only" if asked.n_partly else ""
    yield (
        f"{one_line(asked.model)} did not speak of every code of {count(sum(lost.values()))} of "
        f"{counted(asked.n_asked, 'answer')} ({kinds}){partly}: where it said nothing, a code rests on "
        "likeness alone."
    )


_LOST = {
    str(Status.REFUSED): "refused",
    str(Status.UNPARSABLE): "with a reply that cannot be read",
    str(Status.FAILED): "without a reply",
}


def _sample_cautions(summary: "CodingSummary") -> Iterator[str]:
    """Say which figures are made from a sample of many rows."""
    if summary.sampled is None:
        return
    is_designed = bool(summary.weight or summary.clusters or summary.strata)
    shares = [word for word, there in (("counted", is_designed), ("corrected", summary.n_hand)) if there]
    made = [f"{' and '.join(shares)} shares"] if shares else []
    if shares and summary.groupings:
        made.append("their tests between groups")
    if summary.agreement.runs:
        made.append("agreement between runs")
    if summary.drivers is not None:
        made.append("drivers")
    if not made:
        return
    beside = ", and from all that are coded by hand" if summary.n_hand else ""
    yield (
        f"Made from a random sample of {count(summary.sampled)} of the {counted(summary.n, 'row')}{beside}: "
        f"{listed(made)}. All else is of all rows."
    )


def _weight_cautions(summary: "CodingSummary") -> Iterator[str]:
    if summary.weight:
        yield (
            "Weights count in shares, tests between groups and drivers. Numbers of answers, pairs, "
            "calibration and alpha are of rows."
        )
    if summary.strata and summary.drivers is not None:
        yield "Strata do not count in drivers, whose intervals are rather too wide than too narrow for it."


def value_note(summary: "CodingSummary") -> str:
    """Say what the values of quotes are, and from which one on a code is given."""
    by_probability = (
        f"A code is given from a probability of {summary.thresholds.given:g} on; from "
        f"{summary.thresholds.unsure:g} on nobody can tell."
    )
    by_likeness = (
        "Codes that are not calibrated have a likeness, which is no probability: 0 as an example of another "
        f"code, 1 as one of the code’s own. They are given from {BY_LIKENESS.given:g} on, and from "
        f"{BY_LIKENESS.unsure:g} on nobody can tell."
    )
    calibrated = len(summary.not_calibrated) < len(summary.codebook.codes)
    return " ".join([by_probability] * calibrated + [by_likeness] * bool(summary.not_calibrated))


def _calibration_cautions(summary: "CodingSummary") -> Iterator[str]:
    names = [f"“{one_line(name)}”" for name in summary.not_calibrated]
    if names:
        verb = "is" if len(names) == 1 else "are"
        yield (
            f"{listed(names)} {verb} not calibrated: a code needs {FEWEST_OF_EACH} hand-coded answers that "
            f"have it and {FEWEST_OF_EACH} that do not."
        )
    weak = [f"“{one_line(one.code)}”" for one in summary.agreement.people if one.alpha.value < _WEAK]
    if weak:
        yield (
            f"Agreement with people is weak (alpha below {_WEAK:g}) for {listed(weak)}: rely on corrected "
            "shares, and improve examples and definitions."
        )
