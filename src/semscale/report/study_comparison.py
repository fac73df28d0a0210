"""The document of a panel compared with people: three axes, nulls and ceilings, and conclusions."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.report import chart_data, figures, parts
from semscale.report.chart_data import ChartData
from semscale.report.chart_kit import ramp
from semscale.report.document import (
    Block,
    Cell,
    Citation,
    Count,
    Document,
    Figure,
    Label,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    Swatch,
    estimate_cell,
    notices,
    share_cell,
)
from semscale.report.formatting import (
    capitalise,
    count,
    count_of,
    coverage,
    digits_for,
    join_list,
    number,
    one_line,
    plain,
    with_interval,
)
from semscale.report.parts import Columns, section, table, table_of, without_none
from semscale.report.row_charts import TOLERATED, ForestRow, forest
from semscale.report.study import MAIER, method_label
from semscale.spelling import hint
from semscale.stats.intervals import mass_names
from semscale.stats.panel_benchmarks import FEWEST_FOR_AN_INTERVAL, FEWEST_SURVEYS
from semscale.study.axes import FEWEST_IN_GROUP

if TYPE_CHECKING:
    from semscale.stats.panel_benchmarks import Attainment, DistanceBenchmark, SampleWorth
    from semscale.study.axes import Correlations
    from semscale.study.people import ComparedQuestion
    from semscale.study.people_comparison import Conclusion, MethodComparison, StudyComparison
    from semscale.study.study_figures import StudyFigure

_SUBJECTS = {
    "ranking": "order of concepts",
    "distributions": "distributions",
    "relations": "relations between questions",
    "groups": "differences between groups",
    "individuals": "individuals",
}
_AXES = {
    "ranking": "marginals",
    "distributions": "marginals",
    "relations": "structure",
    "groups": "structure",
    "individuals": "individuals",
}
_DISTANCES = {
    "ks": "Kolmogorov-Smirnov",
    "wasserstein": "Wasserstein-1, share of the scale",
    "total_variation": "total variation",
    "jensen_shannon": "Jensen-Shannon divergence, bits",
}
_ERRORS = {"ks": "Kolmogorov-Smirnov", "wasserstein": "Wasserstein-1", "mean": "squared error of means"}
_ANSWERS = {True: "yes", False: "no", None: "cannot be judged"}
_SENTENCES = {
    True: "is better than chance on",
    False: "is little or no better than chance on",
    None: "cannot be judged on",
}
_MOST_ROWS = 24
_READINGS = (
    (
        "Simulation interval",
        "how far a figure of the panel would move with other personas, answered by the same model; it leaves "
        "out how far the model is from people, which this report measures",
    ),
    ("Halves of people", "the human ceiling: random halves of the people compared with each other"),
    ("Equal shares", "a baseline: a uniform panel, which gives each point the same share"),
    (
        "Pooled people",
        "a baseline: a panel that knows how people answer, but not which concept they see: their answers "
        "to the same question about all other concepts",
    ),
    ("Shuffled personas", "a baseline: the same answers, assigned to other personas at random"),
    (
        "Correlation attainment",
        "the correlation of the panel's means with those of half of the people, over that of one half with "
        "the other; 1 where the panel orders concepts as people do. It does not concern shares: a panel "
        "may have the order right and every share wrong",
    ),
    (
        "p of the order",
        "the share of all orders of the concepts that fit people at least as well as the panel's does",
    ),
    (
        "Better than chance",
        "the panel is closer to people than panels that know nothing, beyond what chance explains. Whether "
        "it is close enough for a decision is another question: compare the figures with halves of people",
    ),
    (
        "Little or no better than chance",
        "the panel goes less than half of the way from a panel that knows nothing to people, even at the "
        "upper end of its interval. Where the interval contains both 0 and half of the way, nothing can be "
        "said",
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
_CITATIONS = (
    replace(MAIER, use="correlation attainment, KS similarity and the halves of people"),
    Citation(
        "arXiv 2606.28963 (2026).",
        "Simulated panels judged by structure, marginals and individuals",
        "arXiv 2606.28963",
        "the three axes",
        "https://arxiv.org/abs/2606.28963",
    ),
)


def study_comparison_document(summary: "StudyComparison") -> Document:
    """Turn a comparison of a panel with people into a document."""
    n_personas = max(method.n_personas for method in summary.methods)
    questions, concepts = len(summary.questions), len(summary.concepts)
    people = count_of(summary.people.side.n, "person", "people")
    counting = (
        f"{count_of(n_personas, 'persona')} compared with {people}; "
        f"{count_of(questions, 'question')}, {count_of(concepts, 'concept')}"
    )
    human_range = summary.settings.human_range
    return Document(
        kind="panel compared with people",
        name="Study compare",
        title=Quoted(summary.name),
        source=(*parts.input_and_date(summary), parts.quote_file_name(summary.people.source)),
        lead=next(_standing_figures(summary), None),
        introduction=(
            *(parts.sentence(_conclusion_line(method)) for method in summary.methods),
            Paragraph(
                f"{counting}. Intervals cover {coverage(summary.plan.interval)}.",
                detail="both",
                brief=counting,
            ),
        ),
        notices=notices(
            cautions=_cautions(summary),
            notes=["intervals of the panel are simulation intervals: other personas, the same model"],
        ),
        facts=parts.facts(
            ("Personas", n_personas),
            ("People", summary.people.side.n),
            ("Questions", questions),
            ("Concepts", concepts),
        ),
        sections=without_none(*_sections(summary)),
        settings=parts.run_settings(
            summary,
            ("People", parts.quote_file_name(summary.people.source)),
            ("Weights of people", Quoted(summary.settings.weight) if summary.settings.weight else "none"),
            (
                "Human range",
                "that of the scale" if human_range is None else "{:g} to {:g}".format(*human_range),
            ),
            ("Random halves", f"{summary.settings.splits:,} for each question about a concept"),
        ),
        citations=_CITATIONS,
        signature=summary.signature,
    )


def _conclusion_line(method: "MethodComparison") -> str:
    """State the conclusions in one line."""
    by_answer: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for subject, name in _SUBJECTS.items():
        answers = [drawn.holds for drawn in method.conclusions if drawn.subject == subject]
        # The conclusion is yes only if it holds for all questions.
        is_unknown = all(answer is None for answer in answers)
        by_answer[None if is_unknown else all(answers)].append(name)
    statements = [f"{_SENTENCES[answer]} {join_list(names)}" for answer, names in by_answer.items() if names]
    if method.groups is not None and method.groups.n_invented:
        invented = count_of(method.groups.n_invented, "difference")
        statements.append(f"shows {invented} between groups that people do not show")
    return f"{capitalise(_name(method))} {'; '.join(statements)}"


def _cautions(summary: "StudyComparison") -> Iterator[str]:
    surveys = {(mean.question, mean.concept) for mean in summary.figures.select("mean", side="people")}
    if len(surveys) == 1:
        yield (
            "One question about one concept was compared: nothing shows how the panel does with others, and "
            "neither attainment nor pooled people can be known."
        )
    attainments = summary.methods[0].marginals.attainments
    unknown = [one_line(name) for name, order in attainments.items() if order is None]
    if unknown and len(surveys) > 1:
        yield (
            f"The order of concepts cannot be judged for {join_list(unknown)}: it takes {FEWEST_SURVEYS} "
            "concepts or more that both sides answered."
        )
    for method in summary.methods:
        if method.n_without:
            answers = count_of(method.n_without, "answer")
            verb = "has" if method.n_without == 1 else "have"
            yield f"{capitalise(_name(method))}: {answers} of the panel {verb} no rating: left out."
    if summary.people.shared_name is not None:
        shown = one_line(summary.people.shared_name)
        yield (
            f"Each row of people counts as another person, but column {shown} looks like the names of "
            "people who answered several times. If it is, intervals of people are too narrow: name "
            "it" + hint(f" (`respondent={shown!r}`)") + "."
        )
    if summary.people.left_out:
        reasons = ", ".join(f"{reason}: {count(n)}" for reason, n in summary.people.left_out.items())
        yield f"Rows of people that are left out: {reasons}."
    if any(method.correlations and _select(summary, method, "reliability") for method in summary.methods):
        yield (
            "Correlations of people are lowered by the noise of single answers; only the panel's could be "
            "disattenuated, as people were asked once."
        )


def _sections(summary: "StudyComparison") -> Iterator[Section | None]:
    conclusions: Columns[Conclusion] = (
        ("axis", lambda row: _AXES[row.subject]),
        ("about", lambda row: _SUBJECTS[row.subject]),
        ("better than chance", lambda row: _ANSWERS[row.holds]),
        ("because", lambda row: row.because),
    )
    tables = [
        table_of(method.conclusions, conclusions, title=_name(method), noun="conclusion")
        for method in summary.methods
    ]
    further = list(_standing_figures(summary))[1:]
    yield section("conclusions", "Conclusions", *further, *tables)
    yield section("marginals", "Marginals: distributions", *_distance_blocks(summary))
    yield section("ranking", "Marginals: order of concepts", *_ranking_blocks(summary))
    for position, question in enumerate(summary.questions, start=1):
        yield section(
            f"question-{position}", Quoted(question.text), *_question_blocks(summary, question, position)
        )
    yield section("structure", "Structure", *_structure_blocks(summary))
    yield section("individuals", "Individuals", *_individual_blocks(summary))
    yield section("worth", "How many people the panel is worth", *_worth_blocks(summary))
    yield section("reading", "How to read it", table(("term", "meaning"), _READINGS, detail="full"))


def _standing_figures(summary: "StudyComparison") -> Iterator[Figure]:
    """Draw the position of each method between nulls and people, with one figure per model."""
    positions = summary.figures.select("position")
    for model in dict.fromkeys(position.model for position in positions):
        yield _position_figure(
            [
                position
                for subject in _SUBJECTS
                for position in positions
                if (position.model, position.level) == (model, subject)
            ]
        )


def _position_figure(positions: "Sequence[StudyFigure]") -> Figure:
    rows = [
        ForestRow(
            name=f"{_SUBJECTS[str(position.level)]}, {_brief(position)}",
            value=position.value,
            low=position.low,
            high=position.high,
            text=with_interval(position, 2),
            short_text=number(position.value),
            margin=1.0,
        )
        for position in positions
    ]
    columns: Columns[StudyFigure] = (
        ("in", lambda row: f"{_SUBJECTS[str(row.level)]} ({_AXES[str(row.level)]})"),
        ("method", _name),
        ("position", estimate_cell),
    )
    return Figure(
        "axes",
        lambda width: forest(rows, "0: knows nothing; 1: as people", width=width),
        f"Position of the panel: {figures.describe_rows((row.name, row.text) for row in rows)}.",
        table_of(positions, columns, detail="full"),
        caption="The dot is the position of the panel between a panel that knows nothing (0) and people "
        "among themselves (1), the line its interval, where it is known. Below 0 the panel is worse than one "
        "that knows nothing. For individuals it is the correlation.",
        legend=(Swatch(TOLERATED, "from knowing nothing to people among themselves"),),
        data=(
            ChartData(
                "points",
                *chart_data.estimates("position", [(row.name, row) for row in rows]),
                chart_data.decimals(2),
                "0: knows nothing; 1: as people",
                reference=1.0,
            ),
        ),
    )


# Marginals


def _distance_blocks(summary: "StudyComparison") -> Iterator[Block | str]:
    columns: Columns[tuple[str, DistanceBenchmark]] = (
        ("distance from people", lambda row: _DISTANCES[row[0]]),
        ("panel", lambda row: row[1].panel),
        ("halves of people", lambda row: row[1].split_half),
        ("equal shares", lambda row: row[1].uniform),
        ("pooled people", lambda row: row[1].pooled),
        ("closer than equal shares", lambda row: row[1].below_uniform),
    )
    for method in summary.methods:
        distances = method.marginals.benchmarks.distances.items()
        yield table_of(distances, columns, title=_name(method), noun="distance")
    n_surveys = summary.methods[0].marginals.benchmarks.n_surveys
    yield (
        f"Lower is closer; 0 is the same, 1 the opposite end. Means over {count_of(n_surveys, 'question')} "
        "about concepts; intervals are about these, with other personas and other people. Halves have half "
        "of the people each, so that a good panel may be closer to people than their halves are to each "
        "other."
    )


def _ranking_blocks(summary: "StudyComparison") -> Iterator[Block | str]:
    columns: Columns[tuple[MethodComparison, str, Attainment | None]] = (
        ("method", lambda row: _method_cell(row[0])),
        ("question", lambda row: Quoted(row[1], 60)),
        ("concepts", lambda row: Count(row[2].n_surveys if row[2] else None)),
        ("attainment", lambda row: estimate_cell(row[2].ratio if row[2] else None)),
        ("correlation of means", lambda row: estimate_cell(row[2].correlation if row[2] else None)),
        ("halves of people", lambda row: row[2].ceiling if row[2] else None),
        ("p of the order", lambda row: Number(row[2].p_value if row[2] else None, 3)),
    )
    orders = [
        (method, name, order)
        for method in summary.methods
        for name, order in method.marginals.attainments.items()
    ]
    yield table_of(orders, columns, title="Order of concepts", noun="question")
    if len(summary.concepts) < FEWEST_FOR_AN_INTERVAL:
        yield (
            f"Below {FEWEST_FOR_AN_INTERVAL} concepts a correlation has no interval, as a single concept "
            "would decide how wide it is; p shows whether the order may be chance."
        )


def _question_blocks(
    summary: "StudyComparison", question: "ComparedQuestion", position: int
) -> Iterator[Block | str]:
    digits = digits_for(float(question.values[0]), float(question.values[-1]))
    means = summary.figures.select("mean", question=question.name, side="panel")

    def people(mean: "StudyFigure") -> "StudyFigure":
        return summary.figures.counterpart(mean, side="people")

    def difference(mean: "StudyFigure") -> "StudyFigure":
        return summary.figures.counterpart(mean, "panel_minus_people", side=None)

    columns: Columns[StudyFigure] = (
        ("concept", lambda mean: Quoted(mean.concept, 60)),
        ("method", _method_cell),
        ("personas", lambda mean: mean.n),
        ("people", lambda mean: people(mean).n),
        ("mean of the panel", lambda mean: estimate_cell(mean, digits)),
        ("mean of people", lambda mean: estimate_cell(people(mean), digits)),
        ("difference", lambda mean: estimate_cell(difference(mean), digits, signed=True)),
    )
    title = ("Means of “", Quoted(question.name), "”")
    yield table_of(means, columns, noun="concept", brief_title=title)
    rows = [*_distribution_rows(summary, question, means)]
    if not rows:
        return
    points = [plain(value) for value in question.values]
    legend = [
        label if label == point else f"{point} · {one_line(label)}"
        for point, label in zip(points, question.labels, strict=True)
    ]
    left_out = "" if len(rows) <= _MOST_ROWS else f" The first {_MOST_ROWS} of {len(rows)} rows are drawn."
    swatches = figures.legend(ramp(len(points)), legend)
    yield Figure(
        f"question-{position}",
        *figures.distribution_chart(
            rows[:_MOST_ROWS],
            swatches,
            reference=float(question.values.mean()),
            about="Means of people and panel by concept",
            digits=digits,
        ),
        table(
            ("answers", *(f"on {point}" for point in points)),
            [(Quoted(name), *map(Share, pmf)) for name, _, pmf in rows],
            detail="full",
        ),
        caption="Dots are means, with intervals of people and simulation intervals of the panel; the dashed "
        f"line is the middle of the scale. Bars show the share of each point in percent.{left_out}",
        legend=swatches,
        data=figures.distribution_data(
            rows[:_MOST_ROWS], swatches, reference=None, order="low to high", digits=digits
        ),
    )


def _distribution_rows(
    summary: "StudyComparison", question: "ComparedQuestion", means: "Sequence[StudyFigure]"
) -> "Iterator[tuple[str, StudyFigure, list[float]]]":
    """Return rows for people and each method, concept by concept: label, mean, distribution."""
    for concept in dict.fromkeys(mean.concept for mean in means):
        of_panel = [mean for mean in means if mean.concept == concept]
        of_people = summary.figures.counterpart(of_panel[0], side="people")
        for mean in (of_people, *of_panel):
            name = "people" if mean is of_people else _brief(mean)
            masses = [summary.figures.counterpart(mean, point).value for point in mass_names(question.values)]
            yield f"{one_line(str(concept))}, {name}", mean, masses


# Structure and individuals


def _structure_blocks(summary: "StudyComparison") -> Iterator[Block | str]:
    correlations = [(method, method.correlations) for method in summary.methods]
    compared = [(method, figures) for method, figures in correlations if figures is not None]
    if compared:
        yield from _correlation_blocks(summary, compared)
    columns: Columns[StudyFigure] = (
        ("question", lambda row: Quoted(row.question, 60)),
        ("first group", lambda row: Quoted(row.level, 40)),
        ("second group", lambda row: Quoted(row.other, 40)),
        ("panel, % of the scale", lambda row: share_cell(row, signed=True)),
        ("people, % of the scale", lambda row: share_cell(counterpart(row, side="people"), signed=True)),
        ("invented", lambda row: _invention(summary, row)),
    )
    counterpart = summary.figures.counterpart
    contrasts = [method for method in summary.methods if method.groups is not None]
    if contrasts:
        yield Paragraph("Differences between groups", "heading")
    for method in contrasts:
        differences = _select(summary, method, "group_difference", side="panel")
        yield table_of(differences, columns, title=_name(method), noun="difference")
    if not compared and not contrasts:
        yield Paragraph(
            "Not known: it takes two questions, or groups of both personas and people" + hint(" (`by`)") + "."
        )
    reliability: Columns[StudyFigure] = (
        ("method", _method_cell),
        ("question", lambda row: Quoted(row.question, 60)),
        ("rerun reliability", lambda row: row),
    )
    reliabilities = summary.figures.select("reliability")
    yield table_of(reliabilities, reliability, title="The same panel asked again")


def _correlation_blocks(
    summary: "StudyComparison", compared: "Sequence[tuple[MethodComparison, Correlations]]"
) -> Iterator[Block | str]:
    counterpart = summary.figures.counterpart
    columns: Columns[StudyFigure] = (
        ("first question", lambda pair: Quoted(pair.level, 60)),
        ("second question", lambda pair: Quoted(pair.other, 60)),
        ("panel", lambda pair: pair),
        ("people", lambda pair: counterpart(pair, side="people")),
        ("panel, disattenuated", lambda pair: counterpart(pair, "disattenuated_correlation").value),
    )
    yield Paragraph("Correlations of questions, within concepts", "heading")
    for method, _ in compared:
        pairs = _select(summary, method, "correlation", side="panel")
        yield table_of(pairs, columns, title=_name(method), noun="pair")
    for method, correlations in compared:
        yield (
            f"{_name(method)}: correlations differ from people's by {number(correlations.gap.value, 2)} on "
            f"average; halves of people by {number(correlations.split_half, 2)}, shuffled personas by "
            f"{number(correlations.permuted, 2)}."
        )


def _invention(summary: "StudyComparison", difference: "StudyFigure") -> str:
    """State whether the panel invents a difference of two groups, by the panel's difference."""
    n = min(difference.n or 0, summary.figures.counterpart(difference, side="people").n or 0)
    if n < FEWEST_IN_GROUP:
        return f"not tested: {n} in a group"
    return "yes" if summary.figures.counterpart(difference, "invented", side=None).value else "no"


def _individual_blocks(summary: "StudyComparison") -> Iterator[Block | str]:
    counterpart = summary.figures.counterpart
    columns: Columns[StudyFigure] = (
        ("question", lambda row: Quoted(row.question, 60)),
        ("persons", lambda row: row.n),
        ("correlation", lambda row: row),
        ("shuffled stay below", lambda row: counterpart(row, "shuffled_correlation").value),
        ("error, % of the scale", lambda row: share_cell(counterpart(row, "individual_error"))),
        ("error, shuffled", lambda row: Share(counterpart(row, "shuffled_error").value)),
    )
    individuals = [(method, _select(summary, method, "individual_correlation")) for method in summary.methods]
    matched = [(method, rows) for method, rows in individuals if rows]
    if matched:
        yield Paragraph("Personas compared with the people of the same name", "heading")
    else:
        yield Paragraph(
            "Individuals cannot be compared: no persona ID matches a respondent ID"
            + hint(" (`respondent` names the column)")
            + "."
        )
    for method, rows in matched:
        yield table_of(rows, columns, title=_name(method), noun="question")


def _worth_blocks(summary: "StudyComparison") -> Iterator[Block | str]:
    columns: Columns[SampleWorth] = (
        ("by", lambda row: _ERRORS[row.error]),
        ("people", _worth),
        ("interval", _worth_interval),
    )
    for method in summary.methods:
        yield table_of(method.marginals.worth, columns, title=_name(method), noun="error")
    yield (
        "The size of a simple random sample of people whose expected error is the panel's. Its interval "
        "comes from that of the panel's error; the sample cannot show a larger size."
    )


def _worth(worth: "SampleWorth") -> str:
    unseen = {
        "unknown": "not known",
        "fewer than 1": "fewer than 1",
        "too large to estimate": f"too large to estimate with {number(worth.n_reference, 0)} people",
    }
    return unseen.get(worth.reach) or number(worth.value, 0)


def _worth_interval(worth: "SampleWorth") -> str:
    if math.isnan(worth.low):
        return "–"
    low = "fewer than 1" if worth.low < 1 else number(worth.low, 0)
    if worth.high == float("inf"):
        return f"at least {low}"
    return low if worth.high < 1 else f"{low} to {number(worth.high, 0)}"


# Methods


def _select(
    summary: "StudyComparison", method: "MethodComparison", figure: str, side: str | None = None
) -> "list[StudyFigure]":
    """Return the figures of a method and model."""
    return summary.figures.select(figure, method=method.method, model=method.model, side=side)


def _name(row: "MethodComparison | StudyFigure") -> str:
    return method_label(str(row.method), row.model)


def _brief(row: "MethodComparison | StudyFigure") -> str:
    return str(row.method) if row.model is None else f"{row.method}, {one_line(row.model)}"


def _method_cell(row: "MethodComparison | StudyFigure") -> Cell:
    return Label(_name(row), brief=_brief(row))
