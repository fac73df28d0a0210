"""Sentences of the comparison of a panel with people."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.report.formatting import capitalised, count, counted, listed, number, one_line
from semscale.report.study.words import method_words
from semscale.stats.agreement.attainment import FEWEST_SURVEYS

if TYPE_CHECKING:
    from semscale.stats.distances.sample_worth import SampleWorth
    from semscale.study.comparison import MethodComparison, StudyComparison

SUBJECTS = {
    "ranking": "order of concepts",
    "distributions": "distributions",
    "relations": "relations between questions",
    "groups": "differences between groups",
    "individuals": "individuals",
}
"""Names of what can be concluded."""

AXES = {
    "ranking": "marginals",
    "distributions": "marginals",
    "relations": "structure",
    "groups": "structure",
    "individuals": "individuals",
}
"""The axis that each belongs to."""

DISTANCE_NAMES = {
    "ks": "Kolmogorov-Smirnov",
    "wasserstein": "Wasserstein-1, share of the scale",
    "total_variation": "total variation",
    "jensen_shannon": "Jensen-Shannon divergence, bits",
}
"""Names of the distances."""

ERROR_NAMES = {
    "ks": "Kolmogorov-Smirnov",
    "wasserstein": "Wasserstein-1",
    "mean": "squared error of means",
}
"""Names of the errors by which a panel is counted in people."""

_ANSWERS = {
    True: "says more than chance about",
    False: "says little or nothing beyond chance about",
    None: "cannot be judged on",
}

READINGS = (
    (
        "Simulation interval",
        "how far a figure of the panel would move with other personas, answered by the same model; it leaves "
        "out how far the model is from people, which this report measures",
    ),
    ("Halves of people", "the human ceiling: random halves of the people beside each other"),
    ("Equal shares", "a null: a panel that knows nothing and gives each point the same share"),
    (
        "Pooled people",
        "a null: a panel that knows how people answer, but not which concept they see: their answers "
        "to the same question about all other concepts",
    ),
    ("Shuffled personas", "a null: the same answers, put to other personas at random"),
    (
        "Correlation attainment",
        "the correlation of the panel's means with those of half of the people, over that of one half with "
        "the other; 1 where the panel orders concepts as people do. It says nothing about shares: a panel "
        "may have the order right and every share wrong",
    ),
    (
        "p of the order",
        "the share of all orders of the concepts that fit people at least as well as the panel's does",
    ),
    (
        "Says more than chance",
        "the panel is closer to people than panels that know nothing, beyond what chance explains. Whether "
        "it is close enough for a decision is another question: look at the figures beside halves of people",
    ),
    (
        "Says little or nothing beyond chance",
        "the panel goes less than half of the way from a panel that knows nothing to people, even at the "
        "upper end of its interval. Where the interval holds both 0 and half of the way, nothing can be said",
    ),
    (
        "Invented difference",
        "the panel's groups differ, the people's do not beyond chance, and the two differences are apart "
        "beyond chance (Holm over all pairs of groups). This is how stereotypes show",
    ),
    (
        "Worth in people",
        "the size of a random sample of people whose expected error is that of the panel. Fewer than 1: a "
        "single person would do better. It holds for these questions and concepts, and for no others",
    ),
)
"""Words of the report and their meanings."""


def conclusion_line(method: "MethodComparison") -> str:
    """Say in one line what can and what cannot be concluded."""
    by_answer: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for subject, name in SUBJECTS.items():
        found = [each.holds for each in method.conclusions if each.subject == subject]
        by_answer[_joined(found)].append(name)
    parts = [f"{said} {listed(names)}" for answer, said in _ANSWERS.items() if (names := by_answer[answer])]
    if method.groups is not None and method.groups.invented:
        invented = counted(len(method.groups.invented), "difference")
        parts.append(f"shows {invented} between groups that people do not show")
    return f"{capitalised(method_words(method.method, method.model))} {'; '.join(parts)}"


def _joined(found: list[bool | None]) -> bool | None:
    """Join answers about several questions: yes only where all are."""
    if all(each is None for each in found):
        return None
    return all(each is True for each in found)


def worth_words(worth: "SampleWorth") -> str:
    """Say how many people a panel is worth."""
    if worth.reach == "unknown":
        return "not known"
    if worth.reach == "more than can be seen":
        return f"more than can be seen with {number(worth.seen, 0)} people"
    return "fewer than 1" if worth.reach == "fewer than 1" else number(worth.value, 0)


def worth_range(worth: "SampleWorth") -> str:
    """Say from how many to how many people the interval of the panel's error goes."""
    if worth.low != worth.low:  # noqa: PLR0124 - NaN alone differs from itself
        return "–"
    low = "fewer than 1" if worth.low < 1 else number(worth.low, 0)
    if worth.high == float("inf"):
        return f"{low} to more than can be seen"
    return low if worth.high < 1 else f"{low} to {number(worth.high, 0)}"


def comparison_cautions(summary: "StudyComparison") -> Iterator[str]:
    """List the limits of a comparison."""
    surveys = {(each.question, each.concept) for method in summary.methods for each in method.marginals.means}
    if len(surveys) == 1:
        yield (
            "One question about one concept was compared: nothing shows how the panel does with others, and "
            "neither attainment nor pooled people can be known."
        )
    unknown = [
        one_line(name) for name, found in summary.methods[0].marginals.attainments.items() if found is None
    ]
    if unknown and len(surveys) > 1:
        yield (
            f"The order of concepts cannot be known for {listed(unknown)}: it takes {FEWEST_SURVEYS} "
            "concepts or more that both sides answered."
        )
    for method in summary.methods:
        if method.n_without:
            answers = counted(method.n_without, "answer")
            verb = "has" if method.n_without == 1 else "have"
            name = capitalised(method_words(method.method, method.model))
            yield f"{name}: {answers} of the panel {verb} no rating: left out."
    if summary.shared_name is not None:
        shown = one_line(summary.shared_name)
        yield (
            f"Each row of people was taken for another person, but column {shown} looks like the names of "
            "people who answered several times. If it is, intervals of people are too narrow: name it "
            f"(--respondent {shown})."
        )
    if summary.left_out:
        said = ", ".join(f"{reason}: {count(n)}" for reason, n in summary.left_out.items())
        yield f"Rows of people that do not count: {said}."
    if any(method.correlations is not None and method.reliabilities for method in summary.methods):
        yield (
            "Correlations of people are lowered by the noise of single answers; only the panel's could be "
            "disattenuated, as people were asked once."
        )
