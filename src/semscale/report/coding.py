"""Documents of coded answers and of proposed codebooks."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from semscale.coding.coding import MIN_PER_CLASS
from semscale.coding.settings import BY_LIKENESS
from semscale.report.document import (
    Block,
    Cell,
    Citation,
    Count,
    DataTable,
    Document,
    Figure,
    Flag,
    Label,
    Line,
    Number,
    Paragraph,
    Quoted,
    Reason,
    Reasons,
    Section,
    Share,
    Subheading,
    estimate_cell,
    stamp,
)
from semscale.report.formatting import (
    count,
    counted,
    coverage,
    ends,
    listed,
    one_line,
    percent,
    percent_with_interval,
)
from semscale.report.parts import Columns, run_settings, table_of
from semscale.report.row_charts import ForestRow, forest
from semscale.report.sentences import rows_scored
from semscale.stats.calibration.corrected_groups import FEWEST_IN_GROUP
from semscale.stats.clustering.cluster_stability import RESAMPLES, STABLE
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.coding.coder import ChatCodes
    from semscale.coding.shares import CodeShare, Driver, Drivers
    from semscale.coding.suggesting import SuggestedCode, SuggestionSummary
    from semscale.coding.summary import CodedGrouping, CodingSummary
    from semscale.stats.calibration.prediction_powered import CorrectedMean
    from semscale.stats.intervals.estimates import Estimate

_NAME = 60
_HEAD = 24
_LEAST_P = 0.001
_MOST_PAIRS = 20
_LONGEST_REPLY = 200
_WEAK = 0.667
"""Krippendorff's bound below which he would not draw even tentative conclusions."""

_CORRECTION = Citation(
    "Angelopoulos, A. N., Bates, S., Fannjiang, C., Jordan, M. I., & Zrnic, T. (2023).",
    "Prediction-powered inference",
    "Science 382, 669–674",
    "corrected shares",
)
_ALPHA = Citation(
    "Hayes, A. F., & Krippendorff, K. (2007).",
    "Answering the call for a standard reliability measure for coding data",
    "Communication Methods and Measures 1, 77–89",
    "alpha",
)
_STABILITY = Citation(
    "Hennig, C. (2007).",
    "Cluster-wise assessment of cluster stability",
    "Computational Statistics & Data Analysis 52, 258–271",
    "stability",
)
_OUTCOMES = {
    "coded": ("coded", "at least one code applies"),
    "other": ("other", "no code applies"),
    "cannot-tell": ("cannot tell", "a code may apply, or there is nothing to read"),
    "no-answer": ("no answer", "the cell is missing or no text"),
}
_REASONS = {
    "unsure": "a code lies between the two thresholds",
    "empty": "nothing but white space",
    "uninformative": "neither a letter nor a digit",
    "weightless": "the model cannot read the text",
    "missing": "the cell is empty",
    "not-text": "a number or something else that is not text",
}
_LOST = {
    str(Status.REFUSED): "refused",
    str(Status.UNPARSABLE): "with a reply that cannot be read",
    str(Status.FAILED): "without a reply",
}
_TESTS = {
    "corrected": (
        "Welch’s test of the corrected shares, each corrected by the hand-coded answers of its group."
    ),
    "counted": (
        "Pearson’s test of the codes that were given; where counts are small, by 10,000 random tables with "
        "the same margins."
    ),
    "counted, weighted": (
        "Rao and Scott’s test of the codes that were given, which allows for weights, strata and respondents."
    ),
}
_QUALITY = (
    "Area: chance that an answer with the code scores above one without it. Brier score: mean squared error "
    "of probabilities by curves that were fitted without the answer; it should be below that of the share "
    "alone. Alpha is Krippendorff’s, nominal."
)
_PAIRS = (
    "Number of answers that have two codes, and how many times as often as if the codes were independent."
)
_STANDARD_ERRORS = {
    "HC3": "HC3 standard errors",
    "CR2": "CR2 standard errors, which allow for rows that belong together",
}
_JACCARD = (
    f"Jaccard: mean similarity of the cluster with the most similar one in {RESAMPLES} halves of the "
    f"answers, rounded down; from {STABLE:g} on it is stable."
)


def coding_document(summary: "CodingSummary") -> Document:
    """Turn coded answers into a document."""
    outcomes = [
        f"{count(summary.outcomes[name])} {label}"
        for name, (label, _) in _OUTCOMES.items()
        if name in summary.outcomes
    ]
    counting = f"{counted(summary.n, 'row')}: {listed(outcomes)}"
    has_alpha = summary.agreement.people or summary.agreement.runs
    return Document(
        kind="coding report",
        name="Code",
        title=("Codes of the answers in “", Quoted(summary.columns.text), "”"),
        source=(Quoted(summary.source), ("codebook ", Quoted(summary.codebook.name)), stamp(summary.created)),
        signature=summary.signature,
        counting=(counting,),
        reading=(f"{counting}.", _basis(summary)),
        facts=(
            ("Codes", Count(len(summary.codebook.codes))),
            ("Answers", Count(summary.n)),
            ("Coded", Count(summary.outcomes.get("coded", 0))),
            ("Other", Count(summary.outcomes.get("other", 0))),
            ("Cannot tell", Count(summary.outcomes.get("cannot-tell", 0))),
            ("Coded by hand", Count(summary.n_hand)),
        ),
        cautions=tuple(_cautions(summary)),
        sections=tuple(_sections(summary)),
        settings=run_settings(summary.source, summary.created, tuple(_columns(summary)), summary.signature),
        citations=(*([_CORRECTION] if summary.n_hand else []), *([_ALPHA] if has_alpha else [])),
    )


def _columns(summary: "CodingSummary") -> Iterator[tuple[str, Line]]:
    columns: list[tuple[str, str | None]] = [("Answers", summary.columns.text)]
    columns += [("Coded by hand", name) for name in summary.people]
    columns += [("Groups", grouping.by) for grouping in summary.groupings]
    named = summary.columns
    columns += [("Weights", named.weight), ("Clusters", named.respondent), ("Strata", named.strata)]
    for role, name in columns:
        if name:
            yield role, ("column “", Quoted(name), "”")
    if summary.agreement.other_run:
        yield "Other run", Quoted(summary.agreement.other_run)
    if summary.asked is not None:
        yield "Chat model", Quoted(summary.asked.model)


def _basis(summary: "CodingSummary") -> str:
    readable = f"{counted(summary.n_readable, 'answer')} that can be read"
    decided = "of those about which the code was decided"
    if summary.n_hand:
        basis = f"Corrected shares are of the {readable}, counted ones {decided}"
    else:
        basis = f"Of the {readable}, shares are {decided}"
    return f"{basis}; an answer may have several codes."


def _sections(summary: "CodingSummary") -> Iterator[Section]:
    yield Section("shares", "Share of answers with each code", tuple(_shares(summary)))
    for number, grouping in enumerate(summary.groupings, start=1):
        title = ("Shares by “", Quoted(grouping.by), "”")
        note = Paragraph(_group_note(summary, grouping), "note", detail="both")
        name = "groups" if number == 1 else f"groups-{number}"
        yield Section(name, title, (_group_table(grouping, summary.settings.min_base), note))
    if summary.n_hand or summary.agreement.runs:
        yield Section("quality", "Quality of the codes", (_quality(summary), Paragraph(_QUALITY, "note")))
    if summary.drivers is not None:
        title = ("Drivers of “", Quoted(one_line(summary.drivers.rating)), "”")
        yield Section("drivers", title, tuple(_drivers(summary, summary.drivers)))
    yield Section("pairs", "Codes that come together", tuple(_pairs(summary)))
    yield Section("quotes", "Answers that show each code", tuple(_quotes(summary)))
    yield Section("outcomes", "Outcomes", tuple(_outcomes(summary)))


def _shares(summary: "CodingSummary") -> Iterator[Block]:
    """Draw and list the share of each code, the most frequent first."""
    order = sorted(summary.shares, key=lambda share: -np.nan_to_num(_best(share).value))
    title = "share of answers, corrected" if summary.n_hand else "share of answers, as counted"
    yield _shares_figure([(share.code, _best(share)) for share in order], title)
    columns: list[tuple[str | Quoted, Callable[[CodeShare], Cell]]] = [
        ("code", lambda share: Quoted(share.code, _NAME)),
        ("given", lambda share: Count(share.n_assigned, is_small=share.has_small_base)),
        ("unsure", lambda share: Count(share.n_unsure)),
        ("counted share", lambda share: estimate_cell(share.counted, 1, is_share=True)),
    ]
    note = (
        "Counted: share of the answers about which a code was decided; its interval does not account for the "
        "coder’s errors."
    )
    if summary.n_hand:
        columns.append(("corrected share", lambda share: estimate_cell(share.corrected, 1, is_share=True)))
        note += (
            " Corrected: share of all readable answers to which people would give the code, estimated with "
            f"{count(summary.n_hand)} hand-coded answers (prediction-powered)."
        )
    brief = f"Codes ({coverage(summary.plan.interval)} intervals)"
    yield table_of(order, columns, noun="code", brief_title=brief)
    yield Paragraph(note, "note")


def _shares_figure(shares: "list[tuple[str, CorrectedMean | Estimate]]", title: str) -> Figure:
    rows = []
    for code, share in shares:
        low, high = ends(share.low, share.high)
        text, short = percent_with_interval(share), percent(share.value, 0)
        rows.append(ForestRow(one_line(code), share.value, low, high, 0.0, None, None, text, short))
    columns: Columns[ForestRow] = (
        ("code", lambda row: Quoted(row.name, _NAME)),
        (title, lambda row: Label(row.text)),
    )
    return Figure(
        "shares",
        lambda width: forest(rows, title, width=width, percent=True),
        f"{title.capitalize()}: {'; '.join(f'{row.name} {row.text}' for row in rows)}.",
        table_of(rows, columns, detail="full"),
        caption="The dot is the share, the line its interval.",
    )


def _best(share: "CodeShare") -> "CorrectedMean | Estimate":
    """Return the corrected share if there is one, else the counted one."""
    return share.counted if share.corrected is None else share.corrected


def _group_table(grouping: "CodedGrouping", min_base: int) -> DataTable:
    """Lay out shares by code and group, with the test of each code; a mark shows small groups."""
    groups = grouping.groups
    heads = ("no group" if group.name is None else Quoted(group.name, _HEAD) for group in groups)
    rows: list[tuple[Cell, ...]] = [
        (Label("answers"), *(Count(group.n, is_small=group.n < min_base) for group in groups), Label(""))
    ]
    for position, test in enumerate(grouping.tests):
        shares = (_best(group.shares[position]) for group in groups)
        cells = (estimate_cell(share, 0, is_share=True) for share in shares)
        rows.append((Quoted(test.code, _NAME), *cells, Number(test.adjusted, 3, least=_LEAST_P)))
    note = ""
    if any(group.n < min_base for group in groups):
        note = f"* fewer than {counted(min_base, 'answer')}: shown, and left out of the test"
    return DataTable(
        ("code", *heads, "p (Holm)"),
        tuple(rows),
        noun="code",
        note=note,
        brief_title=f"Shares by {one_line(grouping.by)}",
    )


def _group_note(summary: "CodingSummary", grouping: "CodedGrouping") -> str:
    """Describe how shares of groups were compared, and which groups were left out."""
    kinds = list(dict.fromkeys(test.kind for test in grouping.tests))
    sentences = [_TESTS[kind] for kind in kinds]
    if len(kinds) > 1:
        codes = [f"“{one_line(test.code)}”" for test in grouping.tests if test.kind != "corrected"]
        sentences.append(f"The second is that of {listed(codes)}.")
    if "corrected" in kinds:
        tested = {name for test in grouping.tests for name in grouping.tested_groups(test)}
        names = [group.name for group in grouping.groups if group.name is not None]
        left_out = [f"“{one_line(name)}”" for name in names if name not in tested]
        if left_out:
            sentences.append(
                f"Left out, with fewer than {counted(summary.settings.min_base, 'answer')}, or "
                f"{FEWEST_IN_GROUP} hand-coded ones: {listed(left_out)}."
            )
    alone = ", in each column of groups by itself" if len(summary.groupings) > 1 else ""
    return " ".join([*sentences, f"p is adjusted by Holm over all codes{alone}."])


def _quality(summary: "CodingSummary") -> DataTable:
    """List the quality of each code's probability, and the agreement of decisions."""
    heads = ["code"]
    rows: list[list[Cell]] = [[Quoted(name, _NAME)] for name in summary.codebook.names]
    if summary.n_hand:
        heads += ["coded by hand: yes", "no", "area", "Brier score", "of the share alone"]
        for row, calibration in zip(rows, summary.calibrations, strict=True):
            figures = calibration.figures
            row += [
                Count(calibration.n_with),
                Count(calibration.n_without),
                estimate_cell(calibration.area),
                estimate_cell(None if figures is None else figures.brier, 3),
                Number(None if figures is None else figures.brier_of_share, 3),
            ]
    for head, alphas in (
        ("alpha with people", summary.agreement.people),
        ("alpha between people", summary.agreement.between_people),
        ("alpha between runs", summary.agreement.runs),
    ):
        if alphas:
            heads.append(head)
            for row, alpha in zip(rows, alphas, strict=True):
                row.append(estimate_cell(alpha, note=alpha.note or ""))
    cells = tuple(tuple(row) for row in rows)
    return DataTable(tuple(heads), cells, noun="code", brief_title="Quality of the codes")


def _drivers(summary: "CodingSummary", drivers: "Drivers") -> Iterator[Block]:
    """List how the rating differs with each code, alone and with the other codes held fast."""
    columns: Columns[Driver] = (
        ("code", lambda driver: Quoted(driver.code, _NAME)),
        ("answers with it", lambda driver: Count(driver.n_with)),
        ("mean with", lambda driver: Number(driver.mean_with)),
        ("mean without", lambda driver: Number(driver.mean_without)),
        ("difference", lambda driver: estimate_cell(driver.difference, signed=True)),
        ("p (Holm)", lambda driver: Number(driver.p_value, 3, least=_LEAST_P)),
        ("adjusted for other codes", lambda driver: estimate_cell(driver.joint, signed=True)),
        ("p (Holm)", lambda driver: Number(driver.joint_p_value, 3, least=_LEAST_P)),
    )
    order = sorted(drivers.drivers, key=lambda driver: -np.nan_to_num(driver.difference.value, nan=-np.inf))
    title = f"Drivers of {one_line(drivers.rating)} ({coverage(summary.plan.interval)} intervals)"
    yield table_of(order, columns, noun="code", brief_title=title)
    note = (
        "The difference compares mean ratings with and without a code "
        f"({_STANDARD_ERRORS[drivers.standard_errors]}). "
    )
    if drivers.n:
        basis = "probabilities of codes" if drivers.by_probability else "codes that were given"
        note += (
            f"Adjusted for other codes: a linear model of {basis}, with {count(drivers.n)} answers, that "
            f"explains {percent(drivers.r_squared, 0)} of the variance. "
        )
    note += "Both show association with the rating, not causation."
    yield Paragraph(note, "note", detail="both")


def _pairs(summary: "CodingSummary") -> Iterator[Block]:
    """List the pairs of codes that come together most often, then all of them as a matrix."""
    names, counts, lift = summary.codebook.names, summary.pairs.counts, summary.pairs.lift
    pairs = [
        (int(counts[first, second]), first, second)
        for second in range(len(names))
        for first in range(second)
        if counts[first, second]
    ]
    rows = tuple(
        (
            Quoted(names[first], _NAME),
            Quoted(names[second], _NAME),
            Count(both),
            Number(float(lift[first, second]), 2),
        )
        for both, first, second in sorted(pairs, key=lambda pair: -pair[0])[:_MOST_PAIRS]
    )
    yield Paragraph(_PAIRS, "lead")
    yield DataTable(
        ("code", "and", "answers with both", "times as often as by chance"),
        rows,
        note=f"the {_MOST_PAIRS} most frequent of {len(pairs)} pairs" if len(pairs) > _MOST_PAIRS else "",
        noun="pair",
        detail="full",
    )
    matrix: tuple[tuple[Cell, ...], ...] = tuple(
        (Quoted(name, _NAME), *(Count(int(n)) for n in row)) for name, row in zip(names, counts, strict=True)
    )
    yield DataTable(("", *(Quoted(name, _HEAD) for name in names)), matrix, noun="code", detail="full")


def _quotes(summary: "CodingSummary") -> Iterator[Block]:
    """List typical and borderline answers of each code."""
    yield Paragraph(_value_note(summary), "lead")
    for code, quotes in zip(summary.codebook.codes, summary.quotes, strict=True):
        rows: list[tuple[Cell, ...]] = []
        for kind, some in (("typical", quotes.typical), ("borderline", quotes.borderline)):
            for quote in some:
                decided = {None: "undecided", True: "given", False: "not given"}[quote.assigned]
                rows.append(
                    (Label(kind), Count(quote.row), Number(quote.value), Label(decided), Quoted(quote.text))
                )
        value = "likeness" if code.name in summary.not_calibrated else "probability"
        yield Subheading(Quoted(code.name))
        yield Paragraph(Quoted(code.definition))
        yield DataTable(("", "row", value, "code", "answer"), tuple(rows), noun="answer", detail="full")


def _value_note(summary: "CodingSummary") -> str:
    """Explain the values of quotes, and the thresholds at which a code is given."""
    sentences = []
    if len(summary.not_calibrated) < len(summary.codebook.codes):
        sentences.append(
            f"A code is given if its probability is at least {summary.settings.given_from:g}, and undecided "
            f"from {summary.settings.unsure_from:g} to {summary.settings.given_from:g}."
        )
    if summary.not_calibrated:
        sentences.append(
            "Codes that are not calibrated have a likeness, which is no probability: 0 as an example of "
            "another code, 1 as one of the code’s own. Such a code is given if its likeness is at least "
            f"{BY_LIKENESS.given_from:g}, and undecided from {BY_LIKENESS.unsure_from:g} to that value."
        )
    return " ".join(sentences)


def _outcomes(summary: "CodingSummary") -> Iterator[Block]:
    """Count outcomes and reasons, and quote a reply of each kind that could not be used."""
    n = summary.n
    rows = tuple(
        (
            Label(label),
            Count(summary.outcomes.get(name, 0)),
            Share(summary.outcomes.get(name, 0) / n if n else None),
            Label(meaning),
        )
        for name, (label, meaning) in _OUTCOMES.items()
    )
    heads = ("outcome", "answers", "share", "meaning")
    yield DataTable(heads, rows, explained=True, brief_title="Outcomes")
    if summary.reasons:
        reasons = (
            Reason(name, _REASONS.get(name, name), rows, rows / n) for name, rows in summary.reasons.items()
        )
        yield Reasons(tuple(reasons), "answer")
    if summary.asked is not None and summary.asked.lost:
        yield Subheading(("Without codes from “", Quoted(summary.asked.model), "”"))
        yield _lost_replies(summary.asked)


def _lost_replies(asked: "ChatCodes") -> DataTable:
    """Count the answers without codes from a chat model, and quote one reply of each kind."""
    rows = tuple(
        (
            Label(str(lost.status)),
            Count(asked.counts[str(lost.status)]),
            Share(asked.counts[str(lost.status)] / asked.n_asked),
            Count(lost.row),
            Quoted(lost.reply, _LONGEST_REPLY) if lost.reply else Label("none"),
            Quoted(lost.reason, _LONGEST_REPLY),
        )
        for lost in asked.lost
    )
    heads = ("", "answers", "share", "such as row", "the model’s reply", "why")
    return DataTable(heads, rows, noun="status", brief_title=f"No codes from {one_line(asked.model)}")


def _cautions(summary: "CodingSummary") -> Iterator[str]:
    """State the limits of the figures."""
    if not summary.n_hand:
        yield (
            "Not calibrated: no answer was coded by hand, so there are no probabilities, and the error rate "
            "of the codes is unknown. semscale code label draws answers to code."
        )
    else:
        yield from _calibration_cautions(summary)
    if summary.asked is not None:
        yield from _lost_cautions(summary.asked)
    yield from _sample_cautions(summary)
    if summary.columns.weight:
        yield (
            "Weights count in shares, tests between groups and drivers. Counts of answers, pairs, "
            "calibration and alpha are unweighted."
        )
    if summary.columns.strata and summary.drivers is not None:
        yield "Drivers ignore strata, which makes their intervals too wide rather than too narrow."
    if any(test.kind != "corrected" for grouping in summary.groupings for test in grouping.tests):
        yield (
            "Tests between groups compare the codes that were given: if the coder errs more often in one "
            "group, they may find a difference that hand codes would not show. With "
            f"{FEWEST_IN_GROUP} hand-coded answers in each of two groups they compare corrected shares."
        )
    if summary.drivers is not None:
        yield "Drivers are associated with the rating; this does not show that they cause it."


def _calibration_cautions(summary: "CodingSummary") -> Iterator[str]:
    names = [f"“{one_line(name)}”" for name in summary.not_calibrated]
    if names:
        verb = "is" if len(names) == 1 else "are"
        yield (
            f"{listed(names)} {verb} not calibrated: a code needs {MIN_PER_CLASS} hand-coded answers that "
            f"have it and {MIN_PER_CLASS} that do not."
        )
    alphas = zip(summary.codebook.names, summary.agreement.people, strict=True)
    weak = [f"“{one_line(name)}”" for name, alpha in alphas if alpha.value < _WEAK]
    if weak:
        yield (
            f"Agreement with people is weak (alpha below {_WEAK:g}) for {listed(weak)}: rely on corrected "
            "shares, and improve examples and definitions."
        )
    if not summary.is_drawn:
        yield (
            "Corrected shares are unbiased only if the hand-coded answers are a random sample; tables of "
            "semscale code label have the probabilities of their draw, for the option inclusion."
        )


def _lost_cautions(asked: "ChatCodes") -> Iterator[str]:
    """Count the answers without a probability for every code from a chat model."""
    lost = {name: n for name, n in asked.counts.items() if name != str(Status.SCORED)}
    if not lost:
        return
    kinds = listed([f"{count(n)} {_LOST.get(name, name)}" for name, n in lost.items()])
    partly = f", {count(asked.n_partly)} of them for some codes only" if asked.n_partly else ""
    yield (
        f"{one_line(asked.model)} gave no probability for every code of {count(sum(lost.values()))} of "
        f"{counted(asked.n_asked, 'answer')} ({kinds}){partly}: codes without one rest on likeness alone."
    )


def _sample_cautions(summary: "CodingSummary") -> Iterator[str]:
    """Name the figures that are made from a sample of many rows."""
    if summary.sampled is None:
        return
    is_designed = bool(summary.columns.weight or summary.columns.respondent or summary.columns.strata)
    shares = [name for name, used in (("counted", is_designed), ("corrected", summary.n_hand)) if used]
    figures = [f"{' and '.join(shares)} shares"] if shares else []
    if shares and summary.groupings:
        figures.append("their tests between groups")
    if summary.agreement.runs:
        figures.append("agreement between runs")
    if summary.drivers is not None:
        figures.append("drivers")
    if figures:
        coded = ", and from all hand-coded rows" if summary.n_hand else ""
        yield (
            f"Made from a random sample of {count(summary.sampled)} of the {counted(summary.n, 'row')}"
            f"{coded}: {listed(figures)}. All other figures are of all rows."
        )


def suggestion_document(summary: "SuggestionSummary") -> Document:
    """Turn a proposed codebook into a document."""
    clustered = sum(code.n for code in summary.codes)
    left_out = {str(status): n for status, n in summary.counts.items() if status is not Status.SCORED}
    left_out["not in the sample"] = summary.counts.get(Status.SCORED, 0) - clustered
    counting = rows_scored(clustered, summary.n, left_out, verb="included")
    stable = f"{summary.n_stable} of {counted(len(summary.codes), 'code')} are stable"
    facts: list[tuple[str, Cell]] = [
        ("Codes", Count(len(summary.codes))),
        ("Stable", Count(summary.n_stable)),
        ("Different answers", Count(summary.n_distinct)),
    ]
    if summary.is_sampled:
        facts.append(("Clustered", Count(summary.n_clustered)))
    columns: Columns[SuggestedCode] = (
        ("code", lambda code: Quoted(code.name, _NAME)),
        ("answers", lambda code: Count(code.n)),
        ("share", lambda code: Share(code.share, 0)),
        ("Jaccard", lambda code: Number(code.shown_jaccard)),
        ("", lambda code: Flag("stable", "pass") if code.is_stable else Flag("not stable", "warn")),
        ("typical words", lambda code: Quoted(", ".join(code.words), 80)),
        ("definition", lambda code: Quoted(code.definition)),
        ("such as", lambda code: Quoted(" | ".join(code.examples[:3]), 300)),
    )
    table = table_of(summary.codes, columns, noun="code", brief=6, brief_title="Proposed codes")
    return Document(
        kind="proposed codebook",
        name="Code suggest",
        title=("Codes for the answers in “", Quoted(summary.column), "”"),
        source=(Quoted(summary.source), stamp(summary.created)),
        signature=summary.signature,
        counting=(counting, stable),
        reading=(f"{counting}.", f"{stable}."),
        next_step=f"Read and correct {one_line(summary.codebook)}, then run semscale code with it.",
        facts=tuple(facts),
        cautions=tuple(_suggestion_cautions(summary)),
        sections=(
            Section("codes", "The proposed codes", (table, Paragraph(_JACCARD, "note", detail="both"))),
        ),
        settings=run_settings(
            summary.source,
            summary.created,
            (("Answers", ("column “", Quoted(summary.column), "”")), ("Codebook", Quoted(summary.codebook))),
            summary.signature,
        ),
        citations=(_STABILITY,),
    )


def _suggestion_cautions(summary: "SuggestionSummary") -> Iterator[str]:
    codes = counted(len(summary.codes), "code")
    if summary.is_sampled:
        yield (
            f"The codes come from a random sample of {count(summary.n_clustered)} of "
            f"{count(summary.n_distinct)} different answers: numbers and shares are of the rows with one of "
            "these. A larger --sample takes more of them."
        )
    unstable = len(summary.codes) - summary.n_stable
    if unstable:
        yield (
            f"{count(unstable)} of {codes} may be chance: their clusters do not come back when half of the "
            "answers are left out."
        )
    if summary.is_most:
        yield (
            f"{codes} are the most that were tried, and came back best: one theme may be spread over several "
            "codes, or more would come back as well. Read the examples, join codes that mean the same, and "
            "see what a higher --most gives."
        )
    if summary.n_unnamed:
        yield (
            f"{counted(summary.n_unnamed, 'code')} without a usable name from {one_line(summary.asked)}: "
            "typical words name them."
        )
    if summary.has_pieces:
        yield (
            "Typical words may be cut wrongly, as the answers have no spaces between words: give the codes "
            "names of your own, or let a chat model name them."
        )
    if summary.problem is not None:
        yield f"semscale code would refuse the codebook as it is: {one_line(summary.problem)}."
    yield "An answer is in one cluster here; semscale code gives it every code that applies."
