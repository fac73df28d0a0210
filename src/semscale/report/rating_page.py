"""The report on ratings: one self-contained HTML document from a summary."""

from typing import TYPE_CHECKING

from semscale.report import rating_figures as figures
from semscale.report import rating_tables as tables
from semscale.report import rating_words as words
from semscale.report.cautions import cautions
from semscale.report.comparison_figures import distributions_figure, scatter_figure
from semscale.report.page import render
from semscale.report.rating_reasons import codes_hint
from semscale.report.scale_points import scale_digits
from semscale.report.wording import (
    bracket,
    count,
    coverage,
    has_interval,
    number,
    one_line,
    percent,
    plain,
)

if TYPE_CHECKING:
    from semscale.rating.lint.linter import LintReport
    from semscale.rating.summary import RatingSummary


def rating_page(summary: "RatingSummary", *, lint: "LintReport | None" = None) -> str:
    """Write the report on ratings.

    The document needs no network and runs no script; every text from the input is escaped.

    Args:
        summary: what was measured.
        lint: what the linter says about the scale, if it was asked.

    Returns:
        A whole HTML document.
    """
    scale, overall = summary.scale, summary.estimates.overall
    digits, interval = scale_digits(scale), summary.estimates.interval
    return render(
        "rating.html.j2",
        title=one_line(scale.title),
        scale=scale,
        summary=summary,
        facts=_facts(summary),
        headline=_headline(summary, digits),
        reading=words.headline(summary, digits),
        pmf=figures.pmf_figure(scale, overall.pmf, interval=summary.estimates.interval)
        if overall.pmf
        else None,
        estimates=tables.estimate_table(overall, scale, digits=digits, interval=interval),
        cautions=cautions(summary),
        groups=figures.groups_figure(summary),
        heat=figures.heat_figure(summary),
        **_verbatims(summary, digits),
        left_out=tables.left_out(summary),
        codes_hint=codes_hint(summary),
        sets=figures.sets_figure(summary),
        comparison=_comparison(summary),
        lint=lint,
        settings=_settings(summary),
        signature=str(summary.signature),
        version=summary.signature.version,
    )


def _facts(summary: "RatingSummary") -> list[tuple[str, str]]:
    scored, counting = summary.counts.get("scored", 0), summary.estimates.overall.n
    facts = [
        ("Texts", count(summary.n)),
        ("Rated", count(scored)),
        *([("Counted", count(counting))] if counting != scored else []),
        ("Left out", count(summary.n - counting)),
    ]
    if summary.n_distinct is not None:
        facts.append(("Distinct", count(summary.n_distinct)))
    if summary.n_windowed:
        facts.append(("Read in windows", count(summary.n_windowed)))
    if summary.weight is not None:
        facts.append(("Effective n", number(summary.estimates.overall.effective_n, 0)))
    return facts


def _headline(summary: "RatingSummary", digits: int) -> dict[str, object] | None:
    mean = summary.estimates.overall.mean
    if mean is None:
        return None
    low, high = float(summary.scale.values[0]), float(summary.scale.values[-1])
    position = [round(100 * (end - low) / (high - low), 2) for end in (mean.value, mean.low, mean.high)]
    return {
        "mean": number(mean.value, digits),
        "interval": bracket(mean, digits) if has_interval(mean) else "",
        "coverage": f"{coverage(summary.estimates.interval)} interval",
        "position": position,
        "has_interval": has_interval(mean),
        "ends": (plain(low), plain(high)),
        "ticks": [
            (plain(float(value)), round(100 * (float(value) - low) / (high - low), 2))
            for value in summary.scale.values
        ],
    }


def _verbatims(summary: "RatingSummary", digits: int) -> dict[str, object]:
    most, least = (
        tables.verbatims(rows, summary.scale, digits=digits)
        for rows in (summary.most_certain, summary.least_certain)
    )
    tallest = max((max(item.shares) for item in (*most, *least)), default=1.0)
    return {
        "most_certain": most,
        "least_certain": least,
        "most_entropy": tables.most_entropy(summary.scale),
        "tallest": tallest,
        "tallest_shown": percent(tallest, 0),
    }


def _comparison(summary: "RatingSummary") -> dict[str, object] | None:
    comparison = summary.comparison
    if comparison is None:
        return None
    return {
        "n": count(comparison.n),
        "coverage": f"{coverage(comparison.interval)} interval",
        "verdict": words.verdict_on(comparison),
        "evidence": words.evidence(comparison),
        "scatter": scatter_figure(comparison, summary.scale),
        "distributions": distributions_figure(comparison, summary.scale),
    }


def _settings(summary: "RatingSummary") -> list[tuple[str, str]]:
    scale, columns = summary.scale, (("Groups", summary.by), ("Weights", summary.weight))
    settings = [
        ("Source", summary.source),
        ("Made", summary.created.strftime("%Y-%m-%d %H:%M %Z").strip()),
        ("Scale", f"{scale.name}, {scale.n_points} points, {scale.language}, content {scale.content_hash}"),
        ("Anchor sets", ", ".join(summary.set_names)),
        *((name, f"column “{column}”") for name, column in columns if column is not None),
    ]
    if summary.respondent is not None:
        settings.append(("Respondents", f"column “{summary.respondent}”"))
    floor = "none" if summary.floor is None else f"cosine {number(summary.floor, 3)}"
    settings += [("Off-topic floor", floor), ("Intervals", words.interval_method(summary.estimates))]
    if summary.comparison is not None:
        settings.append(("Comparison", str(summary.comparison.signature)))
    settings += [(f"· {name}", value) for name, value in summary.signature.fields]
    return [(name, one_line(value)) for name, value in settings]
