"""Tables and pictures of the comparison of a panel with people."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from semscale.report.chart_kit import ACCENT, CONTRAST, INK, MUTED, ramp
from semscale.report.document import (
    Cell,
    Count,
    DataTable,
    Figure,
    Number,
    Quoted,
    Share,
    Swatch,
    WithInterval,
    Words,
)
from semscale.report.formatting import digits_for, ends, number, one_line, plain
from semscale.report.parts import Columns, table_of
from semscale.report.row_charts import DotRow, GroupRow, dots, group_rows
from semscale.report.study.comparison_words import (
    AXES,
    DISTANCE_NAMES,
    ERROR_NAMES,
    SUBJECTS,
    worth_range,
    worth_words,
)
from semscale.report.study.words import method_words

if TYPE_CHECKING:
    from semscale.stats.distances.sample_worth import SampleWorth
    from semscale.study.axes import CorrelationPair, GroupContrast, Individuals, SurveyMeans
    from semscale.study.comparison import Conclusion, MethodComparison, StudyComparison
    from semscale.study.people import ComparedQuestion

_ANSWERS = {True: "yes", False: "no", None: "cannot be known"}
_COLOURS = (ACCENT, CONTRAST, INK, MUTED)
_LEAST, _MOST = -1.0, 1.5
_MOST_ROWS = 24


def conclusions_table(method: "MethodComparison") -> DataTable:
    """List what follows from the comparison, with the figures behind it."""
    columns: Columns[Conclusion] = (
        ("axis", lambda each: Words(AXES[each.subject])),
        ("about", lambda each: Words(SUBJECTS[each.subject])),
        ("more than chance", lambda each: Words(_ANSWERS[each.holds])),
        ("because", lambda each: Words(each.because)),
    )
    return table_of(
        method.conclusions, columns, title=method_words(method.method, method.model), noun="conclusion"
    )


def axes_figures(summary: "StudyComparison") -> Iterator[Figure]:
    """Draw where each method stands between the nulls and people, a figure for each model."""
    for place, model in enumerate(dict.fromkeys(method.model for method in summary.methods)):
        own = [method for method in summary.methods if method.model == model]
        figure = _axes_figure(own, "axes" if not place else f"axes-{place + 1}")
        if figure is not None:
            yield figure


def _axes_figure(methods: "Sequence[MethodComparison]", name_of: str) -> Figure | None:
    """Draw where some methods stand; ``None`` where nothing is known."""
    known = [
        subject
        for subject in SUBJECTS
        if any(each.subject == subject for method in methods for each in method.standings)
    ]
    if not known:
        return None
    places = [[_place(method, subject) for method in methods] for subject in known]
    names = [f"{SUBJECTS[subject]} ({AXES[subject]})" for subject in known]
    rows = [
        DotRow(name, tuple(min(max(value, _LEAST), _MOST) for value in own))
        for name, own in zip(names, places, strict=True)
    ]
    colours = _COLOURS[: len(methods)]
    described = "; ".join(
        f"{name}: {', '.join(number(value, 2) for value in own)}"
        for name, own in zip(names, places, strict=True)
    )
    cells: list[tuple[Cell, ...]] = [
        (Words(name), *(Number(value, 2) for value in own)) for name, own in zip(names, places, strict=True)
    ]
    heads = ("in", *(method_words(method.method, method.model) for method in methods))
    return Figure(
        name_of,
        lambda width: dots(rows, colours, title="0 as a null, 1 as people among themselves", width=width),
        f"Where the panel stands, by method: {described}.",
        DataTable(heads, tuple(cells), detail="full"),
        caption="0: as the best null does; 1: as people among themselves do. Below 0 the panel is worse than "
        "a panel that knows nothing. Values beyond -1 and 1.5 are drawn there. Individuals: the correlation.",
        legend=tuple(
            Swatch(colour, method_words(method.method, method.model), "dot")
            for colour, method in zip(colours, methods, strict=True)
        ),
    )


def distances_table(method: "MethodComparison") -> DataTable:
    """Put each distance beside its nulls and its ceiling."""
    rows: list[tuple[Cell, ...]] = [
        (
            Words(DISTANCE_NAMES[name]),
            *(
                WithInterval.of(each)
                for each in (held.panel, held.split_half, held.uniform, held.pooled, held.below_uniform)
            ),
        )
        for name, held in method.marginals.benchmarks.held.items()
    ]
    heads = (
        "distance from people",
        "panel",
        "halves of people",
        "equal shares",
        "pooled people",
        "closer than equal shares",
    )
    return DataTable(heads, tuple(rows), title=method_words(method.method, method.model), noun="distance")


def attainment_table(summary: "StudyComparison") -> DataTable:
    """List how well each method knows the order of concepts."""
    rows: list[tuple[Cell, ...]] = [
        (
            _method_of(method),
            Quoted(name, 60),
            Count(None if found is None else found.n_surveys),
            WithInterval.of(None if found is None else found.ratio),
            WithInterval.of(None if found is None else found.correlation),
            Number(None if found is None else found.ceiling, 2),
            Number(None if found is None else found.p_value, 3),
        )
        for method in summary.methods
        for name, found in method.marginals.attainments.items()
    ]
    heads = (
        "method",
        "question",
        "concepts",
        "attainment",
        "correlation of means",
        "halves of people",
        "p of the order",
    )
    return DataTable(heads, tuple(rows), title="Order of concepts", noun="question")


def worth_table(method: "MethodComparison") -> DataTable:
    """Say how many people the panel is worth."""
    columns: Columns[SampleWorth] = (
        ("by", lambda each: Words(ERROR_NAMES[each.error])),
        ("people", lambda each: Words(worth_words(each))),
        ("interval", lambda each: Words(worth_range(each))),
    )
    return table_of(
        method.marginals.worth, columns, title=method_words(method.method, method.model), noun="error"
    )


def means_table(summary: "StudyComparison", question: "ComparedQuestion") -> DataTable:
    """List means of the panel and of people for each concept."""
    digits = _digits(question)
    rows: list[tuple[Cell, ...]] = [
        (
            Quoted(each.concept, 60),
            _method_of(method),
            Count(each.n_panel),
            Count(each.n_people),
            WithInterval.of(each.panel, digits),
            WithInterval.of(each.people, digits),
            WithInterval.of(each.difference, digits, signed=True),
        )
        for method in summary.methods
        for each in _means_of(method, question)
    ]
    heads = ("concept", "method", "personas", "people", "mean of the panel", "mean of people", "difference")
    return DataTable(
        heads, tuple(rows), noun="concept", brief_title=("Means of “", Quoted(question.name), "”")
    )


def distribution_figure(
    summary: "StudyComparison", question: "ComparedQuestion", place: int
) -> Figure | None:
    """Draw the distributions of people and panel side by side; ``None`` where nobody answered."""
    first = _means_of(summary.methods[0], question)
    found: list[tuple[str, float, tuple[float | None, float | None], tuple[float, ...]]] = []
    for concept in [each.concept for each in first]:
        for number_of, method in enumerate(summary.methods):
            own = next((each for each in _means_of(method, question) if each.concept == concept), None)
            if own is None:
                continue
            if not number_of:
                found.append(
                    (
                        f"{one_line(concept)}, people",
                        own.people.value,
                        ends(own.people.low, own.people.high),
                        own.people_pmf,
                    )
                )
            found.append(
                (
                    f"{one_line(concept)}, {_brief(method)}",
                    own.panel.value,
                    ends(own.panel.low, own.panel.high),
                    own.panel_pmf,
                )
            )
    if not found:
        return None
    rows = [GroupRow(name, mean, *interval, pmf) for name, mean, interval, pmf in found[:_MOST_ROWS]]
    colours, digits = ramp(len(question.values)), _digits(question)
    described = "; ".join(f"{row.name}: {number(row.mean, digits)}" for row in rows)
    left_out = "" if len(found) <= _MOST_ROWS else f" The first {_MOST_ROWS} of {len(found)} rows are drawn."
    masses: list[tuple[Cell, ...]] = [
        (Quoted(name), *(Share(mass) for mass in pmf)) for name, _, _, pmf in found
    ]
    return Figure(
        f"question-{place}",
        lambda width: group_rows(rows, colours, reference=float(question.values.mean()), width=width),
        f"Means of people and panel by concept: {described}.",
        DataTable(
            ("answers", *(f"on {plain(value)}" for value in question.values)), tuple(masses), detail="full"
        ),
        caption="Dots are means, with intervals of people and simulation intervals of the panel; the dashed "
        f"line is the middle of the scale. Bars show the share of each point in percent.{left_out}",
        legend=tuple(
            Swatch(colour, label if label == plain(value) else f"{plain(value)} · {one_line(label)}")
            for colour, value, label in zip(colours, question.values, question.labels, strict=True)
        ),
    )


def correlations_table(method: "MethodComparison") -> DataTable | None:
    """List correlations between questions."""
    if method.correlations is None:
        return None
    columns: Columns[CorrelationPair] = (
        ("question", lambda pair: Quoted(pair.first, 60)),
        ("beside", lambda pair: Quoted(pair.second, 60)),
        ("panel", lambda pair: WithInterval.of(pair.panel)),
        ("people", lambda pair: WithInterval.of(pair.people)),
        ("panel, disattenuated", lambda pair: Number(pair.disattenuated, 2)),
    )
    return table_of(
        method.correlations.pairs, columns, title=method_words(method.method, method.model), noun="pair"
    )


def groups_table(method: "MethodComparison") -> DataTable | None:
    """List differences between groups."""
    if method.groups is None:
        return None
    columns: Columns[GroupContrast] = (
        ("question", lambda each: Quoted(each.question, 60)),
        ("group", lambda each: Quoted(each.first, 40)),
        ("less", lambda each: Quoted(each.second, 40)),
        ("panel, % of the scale", lambda each: WithInterval.of(each.panel, 0, is_share=True, signed=True)),
        ("people, % of the scale", lambda each: WithInterval.of(each.people, 0, is_share=True, signed=True)),
        ("invented", lambda each: Words(_invented(each))),
    )
    return table_of(
        method.groups.pairs, columns, title=method_words(method.method, method.model), noun="difference"
    )


def _invented(pair: "GroupContrast") -> str:
    """Say whether the panel differs where people do not; groups of a few persons cannot say."""
    if not pair.is_tested:
        return f"not tested: {min(pair.n_panel, pair.n_people)} in a group"
    return "yes" if pair.invented else "no"


def individuals_table(method: "MethodComparison") -> DataTable | None:
    """List how far personas answer as the people of their names do."""
    if not method.individuals:
        return None
    columns: Columns[Individuals] = (
        ("question", lambda each: Quoted(each.question, 60)),
        ("persons", lambda each: Count(each.n)),
        ("correlation", lambda each: WithInterval.of(each.correlation)),
        ("shuffled stay below", lambda each: Number(each.permuted_high, 2)),
        ("error, % of the scale", lambda each: WithInterval.of(each.error, 0, is_share=True)),
        ("error, shuffled", lambda each: Share(each.permuted_error)),
    )
    return table_of(
        method.individuals, columns, title=method_words(method.method, method.model), noun="question"
    )


def reliabilities_table(summary: "StudyComparison") -> DataTable | None:
    """List how far personas say the same when they are asked again."""
    rows: list[tuple[Cell, ...]] = [
        (_method_of(method), Quoted(name, 60), WithInterval.of(found))
        for method in summary.methods
        for name, found in method.reliabilities.items()
    ]
    heads = ("method", "question", "rerun reliability")
    return DataTable(heads, tuple(rows), title="The same panel asked again") if rows else None


def _method_of(method: "MethodComparison") -> Cell:
    return Words(method_words(method.method, method.model), brief=_brief(method))


def _brief(method: "MethodComparison") -> str:
    return method.method if method.model is None else f"{method.method}, {one_line(method.model)}"


def _place(method: "MethodComparison", subject: str) -> float:
    return next((each.value for each in method.standings if each.subject == subject), float("nan"))


def _means_of(method: "MethodComparison", question: "ComparedQuestion") -> "list[SurveyMeans]":
    return [each for each in method.marginals.means if each.question == question.name]


def _digits(question: "ComparedQuestion") -> int:
    return digits_for(float(question.values[0]), float(question.values[-1]))
