"""Tables and pictures of coded answers."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from semscale.report.coding.words import OUTCOMES, REASONS
from semscale.report.document import (
    Block,
    Cell,
    Count,
    DataTable,
    Figure,
    Number,
    Quoted,
    Reason,
    Reasons,
    Share,
    Subheading,
    WithInterval,
    Words,
)
from semscale.report.formatting import counted, coverage, ends, one_line, percent, percent_with_interval
from semscale.report.parts import Columns, table_of
from semscale.report.row_charts import ForestRow, forest

if TYPE_CHECKING:
    from semscale.coding.asked_codes import AskedCodes
    from semscale.coding.code_calibration import CodeCalibration
    from semscale.coding.summary.code_shares import CodeShare
    from semscale.coding.summary.coding_agreement import CodeAgreement
    from semscale.coding.summary.coding_summary import CodedGrouping, CodingSummary
    from semscale.coding.summary.drivers import Driver, Drivers
    from semscale.stats.calibration.prediction_powered import CorrectedMean
    from semscale.stats.intervals.estimates import Estimate

_LEAST_P = 0.001
_MOST_PAIRS = 20
_LONGEST_REPLY = 200


def best_share(share: "CodeShare") -> "CorrectedMean | Estimate":
    """Give the corrected share where there is one, else the counted one."""
    return share.counted if share.corrected is None else share.corrected


def shares_table(summary: "CodingSummary") -> DataTable:
    """List the codes with their counted and corrected shares."""
    columns: list[tuple[str | Quoted, Callable[[CodeShare], Cell]]] = [
        ("code", lambda share: Quoted(share.code, 60)),
        ("given", lambda share: Count(share.n_given, is_small=share.has_small_base)),
        ("unsure", lambda share: Count(share.n_unsure)),
        ("counted share", lambda share: WithInterval.of(share.counted, 1, is_share=True)),
    ]
    if summary.n_hand:
        columns.append(("corrected share", lambda share: WithInterval.of(share.corrected, 1, is_share=True)))
    order = sorted(summary.shares, key=lambda share: -np.nan_to_num(best_share(share).value))
    return table_of(
        order, columns, noun="code", brief_title=f"Codes ({coverage(summary.plan.interval)} intervals)"
    )


def shares_figure(summary: "CodingSummary") -> Figure:
    """Draw the share of each code with its interval, the most frequent first."""
    order = sorted(summary.shares, key=lambda share: -np.nan_to_num(best_share(share).value))
    rows = []
    for share in order:
        best = best_share(share)
        low, high = ends(best.low, best.high)
        text = percent_with_interval(best)
        rows.append(
            ForestRow(
                one_line(share.code), best.value, low, high, 0.0, None, None, text, percent(best.value, 0)
            )
        )
    what = "share of answers, corrected" if summary.n_hand else "share of answers, as counted"
    columns: Columns[ForestRow] = (
        ("code", lambda row: Quoted(row.name, 60)),
        (what, lambda row: Words(row.text)),
    )
    return Figure(
        "shares",
        lambda width: forest(rows, what, width=width, percent=True),
        f"{what.capitalize()}: {'; '.join(f'{row.name} {row.text}' for row in rows)}.",
        table_of(rows, columns, detail="full"),
        caption="The dot is the share, the line its interval.",
    )


def groups_table(grouping: "CodedGrouping", min_base: int) -> DataTable:
    """Lay out shares by code and group, with the test of each code; a mark stands at small groups."""
    heads: list[str | Quoted] = ["code", *(_group_head(one.name) for one in grouping.groups), "p (Holm)"]
    rows: list[tuple[Cell, ...]] = [
        (Words("answers"), *(Count(one.n, is_small=one.n < min_base) for one in grouping.groups), Words(""))
    ]
    for place, test in enumerate(grouping.tests):
        shares = (one.shares[place] for one in grouping.groups)
        cells = (WithInterval.of(best_share(share), 0, is_share=True) for share in shares)
        rows.append((Quoted(test.code, 60), *cells, Number(test.adjusted, 3, least=_LEAST_P)))
    return DataTable(
        tuple(heads),
        tuple(rows),
        noun="code",
        note=f"* fewer than {counted(min_base, 'answer')}: shown, and left out of the test"
        if any(one.n < min_base for one in grouping.groups)
        else "",
        brief_title=f"Shares by {one_line(grouping.by)}",
    )


def quality_table(summary: "CodingSummary") -> DataTable:
    """List how well each code's probability holds, and how far decisions agree."""
    agreement = summary.agreement
    rows = list(enumerate(summary.calibrations))
    columns: list[tuple[str | Quoted, Callable[[tuple[int, CodeCalibration]], Cell]]] = [
        ("code", lambda row: Quoted(summary.codebook.names[row[0]], 60)),
    ]
    if summary.n_hand:
        columns += [
            ("coded by hand: yes", lambda row: Count(row[1].n_with)),
            ("no", lambda row: Count(row[1].n_without)),
            ("area", lambda row: WithInterval.of(row[1].area)),
            ("Brier score", lambda row: _brier(row[1])),
            ("of the share alone", lambda row: _number(row[1], "brier_of_share")),
        ]
    for head, found in (
        ("alpha with people", agreement.people),
        ("alpha between people", agreement.between_people),
        ("alpha between runs", agreement.runs),
    ):
        if found:
            columns.append((head, _alpha_of(found)))
    return table_of(rows, columns, noun="code", brief_title="How well codes hold")


def pairs_table(summary: "CodingSummary") -> DataTable:
    """List the pairs of codes that come together most often."""
    names, pairs = summary.codebook.names, summary.pairs
    found = [
        (int(pairs.counts[first, second]), first, second)
        for second in range(len(names))
        for first in range(second)
        if pairs.counts[first, second]
    ]
    rows = tuple(
        (
            Quoted(names[first], 60),
            Quoted(names[second], 60),
            Count(both),
            Number(float(pairs.lift[first, second]), 2),
        )
        for both, first, second in sorted(found, key=lambda pair: -pair[0])[:_MOST_PAIRS]
    )
    note = f"the {_MOST_PAIRS} most frequent of {len(found)} pairs" if len(found) > _MOST_PAIRS else ""
    return DataTable(
        ("code", "and", "answers with both", "times as often as by chance"),
        rows,
        note=note,
        noun="pair",
        detail="full",
    )


def cooccurrence_table(summary: "CodingSummary") -> DataTable:
    """Lay out how many answers have each two codes; the diagonal has each code alone."""
    names, counts = summary.codebook.names, summary.pairs.counts
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (Quoted(name, 60), *(Count(int(n)) for n in counts[place])) for place, name in enumerate(names)
    )
    heads: tuple[str | Quoted, ...] = ("", *(Quoted(name, 24) for name in names))
    return DataTable(heads, rows, noun="code", detail="full")


def quotes_table(summary: "CodingSummary", place: int) -> DataTable:
    """List typical and borderline answers of one code."""
    quotes = summary.quotes[place]
    rows: list[tuple[Cell, ...]] = []
    for kind, some in (("typical", quotes.typical), ("borderline", quotes.borderline)):
        for quote in some:
            decided = "cannot tell" if quote.given is None else "given" if quote.given else "not given"
            rows.append(
                (Words(kind), Count(quote.row), Number(quote.value), Words(decided), Quoted(quote.text))
            )
    value = "likeness" if summary.codebook.names[place] in summary.not_calibrated else "probability"
    return DataTable(("", "row", value, "code", "answer"), tuple(rows), noun="answer", detail="full")


def drivers_table(summary: "CodingSummary", drivers: "Drivers") -> DataTable:
    """List how the rating differs with each code, alone and beside the other codes."""
    columns: Columns[Driver] = (
        ("code", lambda one: Quoted(one.code, 60)),
        ("answers with it", lambda one: Count(one.n_with)),
        ("mean with", lambda one: Number(one.mean_with)),
        ("mean without", lambda one: Number(one.mean_without)),
        ("difference", lambda one: WithInterval.of(one.difference, signed=True)),
        ("p (Holm)", lambda one: Number(one.p_value, 3, least=_LEAST_P)),
        ("beside the other codes", lambda one: WithInterval.of(one.joint, signed=True)),
        ("p (Holm)", lambda one: Number(one.joint_p_value, 3, least=_LEAST_P)),
    )
    order = sorted(drivers.drivers, key=lambda one: -np.nan_to_num(one.difference.value, nan=-np.inf))
    title = f"Drivers of {one_line(drivers.rating)} ({coverage(summary.plan.interval)} intervals)"
    return table_of(order, columns, noun="code", brief_title=title)


def outcomes_table(summary: "CodingSummary") -> DataTable:
    """Count what became of the answers."""
    rows = tuple(
        (Words(name.replace("-", " ")), Count(summary.outcomes.get(name, 0)),
         Share(summary.outcomes.get(name, 0) / summary.n if summary.n else None), Words(meaning))
        for name, meaning in OUTCOMES.items()
    )  # fmt: skip
    return DataTable(
        ("outcome", "answers", "share", "meaning"),
        rows,
        explained=True,
        brief_title="What became of the answers",
    )


def reasons_block(summary: "CodingSummary") -> Reasons:
    """Say why nobody can tell which codes an answer has, or why there is no answer."""
    return Reasons(
        tuple(
            Reason(reason, REASONS.get(reason, reason), n, n / summary.n)
            for reason, n in summary.reasons.items()
        ),
        "answer",
    )


def lost_blocks(asked: "AskedCodes") -> tuple[Block, ...]:
    """Count the answers about which a chat model said nothing that counts, and quote one of each kind."""
    counts = asked.counts
    heads = ("", "answers", "share", "such as row", "the model’s reply", "why")
    rows = tuple(
        (
            Words(str(one.status)),
            Count(counts[str(one.status)]),
            Share(counts[str(one.status)] / asked.n_asked),
            Count(one.row),
            Quoted(one.reply, _LONGEST_REPLY) if one.reply else Words("none"),
            Quoted(one.reason, _LONGEST_REPLY),
        )
        for one in asked.lost
    )
    title = Subheading(("Without codes from “", Quoted(asked.model), "”"))
    return title, DataTable(heads, rows, noun="status", brief_title=f"No codes from {one_line(asked.model)}")


def _group_head(name: str | None) -> Quoted | str:
    return "no group" if name is None else Quoted(name, 24)


def _brier(made: "CodeCalibration") -> WithInterval:
    return WithInterval.of(None if made.figures is None else made.figures.brier, 3)


def _number(made: "CodeCalibration", name: str) -> Number:
    return Number(None if made.figures is None else getattr(made.figures, name), 3)


def _alpha_of(
    found: "Sequence[CodeAgreement]",
) -> "Callable[[tuple[int, CodeCalibration]], Cell]":
    def cell(row: "tuple[int, CodeCalibration]") -> Cell:
        alpha = found[row[0]].alpha
        return WithInterval.of(alpha, note=alpha.note or "")

    return cell
