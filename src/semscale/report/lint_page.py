"""The linter's report on a scale: one self-contained HTML document."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from semscale.report import lint_figures as figures
from semscale.report.figures import Figure, Table
from semscale.report.page import render
from semscale.report.scale_points import point_names, scale_digits
from semscale.report.wording import listed, number, one_line, percent

if TYPE_CHECKING:
    from semscale.rating.lint.report import LintReport, SetLint
    from semscale.scales import Scale


@dataclass(frozen=True)
class SetCard:
    """One anchor set as the page shows it."""

    name: str
    verdict: str
    reasons: tuple[tuple[str, str], ...]
    anchors: Table
    cosines: Figure


def lint_page(report: "LintReport") -> str:
    """Write the linter's report on a scale.

    The document needs no network and runs no script; every text of the scale is escaped.

    Args:
        report: what the linter measured and concluded.

    Returns:
        A whole HTML document.
    """
    scale = report.scale
    return render(
        "lint.html.j2",
        title=one_line(scale.title),
        scale=scale,
        verdict=report.verdict,
        reading=_reading(report),
        overall=tuple(
            (finding.verdict, one_line(finding.reason))
            for finding in report.findings
            if finding.anchor_set is None
        ),
        sets_table=figures.sets_table(report),
        ladder=figures.ladder_figure(report),
        agreement=figures.agreement_figure(report),
        cards=tuple(_card(one, scale) for one in report.sets),
        facts=_facts(report),
        signature=str(report.signature),
        version=report.signature.version,
    )


def _reading(report: "LintReport") -> str:
    """Say what the verdict means, and which sets it is owed to."""
    if report.verdict == "pass":
        return "Every criterion is met with this embedding model."
    blamed = [one.name for one in report.sets if one.verdict == report.verdict]
    sets = f"{'set' if len(blamed) == 1 else 'sets'} {listed(blamed)}"
    if report.verdict == "warn":
        return (
            f"It can be used with this embedding model, with reservations{f' on {sets}' if blamed else ''}."
        )
    return f"It cannot be relied upon with this embedding model{f', because of {sets}' if blamed else ''}."


def _card(one: "SetLint", scale: "Scale") -> SetCard:
    digits = scale_digits(scale)
    rows = tuple(
        (name, number(own, digits), number(other, digits), one_line(anchor))
        for name, own, other, anchor in zip(
            point_names(scale), one.own_scores, one.other_scores, one.anchors, strict=True
        )
    )
    return SetCard(
        name=one.name,
        verdict=one.verdict,
        reasons=tuple((finding.verdict, one_line(finding.reason)) for finding in one.findings),
        anchors=Table(("Point", "Scores itself", "Scores the others", "Anchor"), rows),
        cosines=figures.cosine_figure(one, scale),
    )


def _facts(report: "LintReport") -> list[tuple[str, str]]:
    ladder = report.ladder
    return [
        ("Points", str(report.scale.n_points)),
        ("Anchor sets", str(len(report.sets))),
        ("Probes", str(len(report.probes)) if report.scale.probes else "none of its own"),
        ("Rank r with levels", number(ladder.spearman)),
        ("Spread of the ends", percent(ladder.spread)),
        ("Reliability (alpha)", number(report.reliability)),
    ]
