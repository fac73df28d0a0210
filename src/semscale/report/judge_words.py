"""What verdicts mean, in words: the same on the screen, in JSON and in the report."""

from collections import Counter
from typing import TYPE_CHECKING

from semscale.report.wording import (
    count,
    counted,
    coverage,
    has_interval,
    listed,
    number,
    one_line,
    percent,
    with_interval,
)
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.judging.judge_summary import JudgeSummary
    from semscale.judging.verdicts import Verdicts
    from semscale.stats.agreement.estimates import AgreementEstimate

MEANINGS = {
    "missing": "the question or the answer is empty or null",
    "not-text": "a number or something else that is not text stands in the column",
    "empty": "the question or the answer is nothing but white space",
    "no-reference": "no reference holds a text",
    "unparsable": "no reply states one score beyond doubt; every reply is kept",
    "refused": "the judge declined to give a score",
    "failed": "no reply came",
    "unfinished": "a cap was reached first; the same command goes on from there",
}
PROVENANCES = {
    "logprobs": "from the probabilities of the tokens at the score's place",
    "samples": "from the shares of several replies",
    "single": "one reply each: all mass on the level that it states",
}
_FEW_LABELS = 20
_LITTLE_COVERED = 0.9


def left_out(summary: "JudgeSummary") -> dict[str, int]:
    """Count the rows without a score, by status, the most frequent first."""
    counts = {str(status): n for status, n in summary.result.counts.items() if status != "scored"}
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def rows_that_count(summary: "JudgeSummary") -> str:
    """Say how many rows have a score, and why the others have none: together they are all rows."""
    n = summary.result.counts.get("scored", 0)  # type: ignore[call-overload]  # a Status is a str
    reasons = [f"{count(rows)} {status.replace('-', ' ')}" for status, rows in left_out(summary).items()]
    others = f"; left out: {listed(reasons)}" if reasons else ""
    return f"{count(n)} of {counted(summary.n, 'row')} {'has' if n == 1 else 'have'} a score{others}"


def provenance_words(summary: "JudgeSummary") -> str:
    """Say where the distributions come from."""
    said = [
        f"{counted(n, 'distribution')} {PROVENANCES[str(provenance)]}"
        for provenance, n in summary.provenances.items()
    ]
    return "; ".join(said)


def cautions(summary: "JudgeSummary") -> tuple[str, ...]:
    """List what the figures must not be taken for; empty where there is nothing to say."""
    said = []
    if summary.result.stopped:
        said.append(f"Not everything was asked: {one_line(summary.result.stopped)}.")
    for name, verdicts in summary.judges.items():
        lost = sum(verdicts.counts.get(status, 0) for status in ("unparsable", "refused", "failed"))  # type: ignore[call-overload]
        if lost:
            said.append(
                f"{one_line(name)} gave no score to {counted(lost, 'row')}; "
                "the figures hold for the others only."
            )
        if why := _most_frequent_failure(verdicts):
            said.append(f"{one_line(name)} could not be asked, most often because: {why}.")
        covered = verdicts.covered[verdicts.scored]
        low = int((covered < _LITTLE_COVERED).sum())
        if low:
            said.append(
                f"For {counted(low, 'row')} less than {percent(_LITTLE_COVERED, 0)} of what {one_line(name)} "
                "might have said states a level; their distributions rest on the rest."
            )
    if summary.human is None:
        said.append(
            "No human label stands beside these scores, so nothing here says how right the judge is: "
            "name a column with --human."
        )
    elif summary.human.corrected.n_labelled < _FEW_LABELS:
        labelled = counted(summary.human.corrected.n_labelled, "row")
        said.append(f"Only {labelled} with human labels: intervals are wide.")
    return tuple(said)


def _most_frequent_failure(verdicts: "Verdicts") -> str | None:
    """What most calls without a reply met; ``None`` where every call had one."""
    met = Counter(verdict.reason for verdict in verdicts if verdict.status == Status.FAILED)
    return one_line(met.most_common(1)[0][0]).rstrip(".") if met else None


def human_rows(summary: "JudgeSummary") -> list[tuple[str, str, str]]:
    """List the figures beside human labels: name, value with interval, and what it says."""
    human = summary.human
    if human is None:
        return []
    rows = [
        (
            "Mean, corrected by the labels",
            with_interval(human.corrected),
            "what people would give to all rows, if the labelled ones are a random sample",
        ),
        (
            "Mean of the judge",
            with_interval(human.corrected.naive),
            "its interval knows nothing of the judge's errors",
        ),
        (
            "Mean of the labels alone",
            with_interval(human.corrected.labels_only),
            "without the judge",
        ),
        ("Judge less people", number(human.corrected.bias), "on the rows with both; above 0 is lenient"),
        (
            "Quadratic weighted kappa",
            agreement(human.kappa),
            "agreement with the mean label; 1 is perfect, 0 chance",
        ),
    ]
    if human.ceiling is not None:
        rows += [
            ("Rank correlation with people", agreement(human.ceiling.judge), "each person left out in turn"),
            ("People with each other", agreement(human.ceiling.ceiling), "the ceiling, on the same rows"),
            (
                "Judge less ceiling",
                agreement(human.ceiling.difference),
                "above 0 the judge is no worse than a person",
            ),
        ]
    return rows


def agreement(estimate: "AgreementEstimate") -> str:
    """Show a coefficient with its interval, or with the reason why it has none."""
    if has_interval(estimate):
        return with_interval(estimate)
    return f"{number(estimate.value)} ({estimate.note})" if estimate.note else number(estimate.value)


def panel_words(summary: "JudgeSummary") -> str | None:
    """Say how many independent judges a panel amounts to."""
    panel = summary.panel
    if panel is None:
        return None
    truth = None if summary.human is None else summary.human.mean_label
    found = panel.effective_judges(truth, interval=summary.plan.interval, seed=summary.plan.seed)
    if found.value != found.value:  # noqa: PLR0124 - NaN
        why = found.correlation.note
        return f"How many independent judges these {len(panel.names)} amount to cannot be said: {why}."
    share = f"{number(found.value, 1)} independent judges"
    interval = f" ({number(found.low, 1)} to {number(found.high, 1)})" if found.low == found.low else ""  # noqa: PLR0124
    told = (
        "judged by their errors against the human labels"
        if found.of == "errors"
        else "at least: judges who agree because they are right count as dependent too"
    )
    return f"These {len(panel.names)} judges amount to {share}{interval}, {told}."


def interval_method(summary: "JudgeSummary") -> str:
    """Say how the intervals were made."""
    return f"{coverage(summary.plan.interval)}, bootstrap over rows, seed {summary.plan.seed}"
