"""A gate's decision as Markdown, for a job's summary or a comment on a pull request."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.drift.gate.decision import GateDecision, Outcome
from semscale.report.drift_changes import worst_outputs
from semscale.report.drift_facts import n_left_out, n_silent
from semscale.report.drift_items import HARM, most_harmed
from semscale.report.drift_words import (
    OUTCOMES,
    digits_of,
    drift_words,
    headline,
    interval_words,
    metric_label,
    p_words,
    sequence_words,
    signed,
    subject,
    threshold_words,
    urgency,
)
from semscale.report.render.markdown_text import code, escaped, table_row
from semscale.report.unvaried_words import unvaried_words
from semscale.report.wording import count, counted, number

if TYPE_CHECKING:
    from semscale.drift.gate.decision import DriftTest
    from semscale.drift.measure.comparison import Comparison
    from semscale.history.items import Output

ITEMS = 5
_GROUPS = 10
_LONGEST = 140
_MARKS = {Outcome.FAIL: "❌", Outcome.UNDECIDED: "⚠️", Outcome.PASS: "✅"}


def markdown_summary(comparison: "Comparison", decision: GateDecision) -> str:
    """Write a decision as Markdown: verdict, metrics, groups that did not pass, worst items, signature.

    Everything from outside is either escaped or stands in a code span, so that it neither formats nor
    links, and mentions nobody.

    Args:
        comparison: what was measured.
        decision: what the gate decided.

    Returns:
        GitHub-flavoured Markdown, a few kilobytes at most.
    """
    parts = [
        *_head(comparison, decision),
        *_metrics(comparison, decision),
        *_groups(comparison, decision),
        *_lists(decision),
        *_items(comparison, decision),
        f"Signature: {code(str(decision.signature))}",
    ]
    return "\n\n".join(parts) + "\n"


def _head(comparison: "Comparison", decision: GateDecision) -> Iterator[str]:
    baseline, candidate = comparison.baseline, comparison.candidate
    yield f"## {_MARKS[decision.outcome]} Drift gate {OUTCOMES[decision.outcome]}"
    yield escaped(headline(decision, comparison))
    reruns = len(comparison.reruns)
    facts = [
        f"{counted(len(baseline.items), 'item')}",
        f"{count(n_left_out(comparison))} left out",
        f"{count(n_silent(comparison))} silent",
        counted(reruns, "rerun") if reruns else "no rerun",
    ]
    yield (
        f"Candidate {code(candidate.model, 80)} ({candidate.recorded:%Y-%m-%d}) against baseline "
        f"{code(baseline.model, 80)} ({baseline.recorded:%Y-%m-%d}) on {code(baseline.dataset, 80)}: "
        f"{', '.join(facts)}."
    )


def _metrics(comparison: "Comparison", decision: GateDecision) -> Iterator[str]:
    tests = sorted((test for test in decision.tests if test.group is None), key=urgency)
    if tests:
        p_head = "p over runs" if decision.sequence else "p, adjusted"
        yield _table(comparison, tests, ("Metric", p_head), interval_words(decision))
    unvaried = unvaried_words({test.metric: test.drift for test in tests}, decision)
    if unvaried is not None:
        yield escaped(unvaried)


def _groups(comparison: "Comparison", decision: GateDecision) -> Iterator[str]:
    tests = [test for test in decision.tests if test.group is not None]
    worth = sorted((test for test in tests if test.outcome is not Outcome.PASS), key=urgency)
    if worth:
        more = f", the {_GROUPS} most urgent of {count(len(worth))}" if len(worth) > _GROUPS else ""
        yield f"### Groups that did not pass{more}"
        heads = ("Metric and group", "p, adjusted")
        yield _table(comparison, worth[:_GROUPS], heads, interval_words(decision))


def _table(comparison: "Comparison", tests: "list[DriftTest]", heads: tuple[str, str], interval: str) -> str:
    name, p_head = heads
    lines = [
        f"| {name} | Drift [{interval} interval] | Margin | {p_head} | Items | |",
        "|---|---|---|---|---|---|",
    ]
    for test in tests:
        digits = digits_of(comparison.metrics.get(test.metric))
        cells = (
            escaped(subject(test)),
            escaped(drift_words(test, digits)),
            escaped(number(test.margin, digits)),
            escaped(p_words(test.p_adjusted)),
            count(test.drift.n),
            f"{_MARKS[test.outcome]} {OUTCOMES[test.outcome]}",
        )
        lines.append(table_row(cells))
    return "\n".join(lines)


def _lists(decision: GateDecision) -> Iterator[str]:
    checks = [
        f"- {'✅' if check.passed else '❌'} {escaped(threshold_words(check))}"
        for check in decision.thresholds
    ]
    checks += [
        f"- {'⚠️ ' if one.is_significant else ''}{escaped(sequence_words(one))}" for one in decision.sequence
    ]
    if checks:
        yield "\n".join(checks)
    if decision.cautions:
        yield "\n".join(f"- ⚠️ {escaped(caution)}" for caution in decision.cautions)


def _items(comparison: "Comparison", decision: GateDecision) -> Iterator[str]:
    harmed = most_harmed(comparison, decision, limit=ITEMS)
    if not harmed:
        return
    yield "### Items that changed most"
    outputs = worst_outputs(comparison, [one.place for one in harmed])
    lines = ["| Item | Harm | Greatest drift | Baseline | Candidate |", "|---|---|---|---|---|"]
    for one in harmed:
        before, after = outputs[one.place]
        name, drift = next(iter(one.drifts.items()))
        greatest = escaped(f"{metric_label(name)} {signed(drift, digits_of(comparison.metrics[name]))}")
        cells = (
            code(comparison.baseline.items[one.place].id, 60),
            number(one.harm),
            greatest,
            _said(before),
            _said(after),
        )
        lines.append(table_row(cells))
    yield "\n".join(lines)
    yield f"{HARM}. Of each item the output that has no partner, or the least alike pair, is shown."


def _said(output: "Output | None") -> str:
    return "*nothing*" if output is None else code(output.text, _LONGEST)
