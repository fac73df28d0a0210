"""Sentences about drift: decisions, tests, limits, sample sizes."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan

from semscale.drift.gate.decision import (
    FEWEST_TO_PASS,
    MOST_TIMES,
    DriftTest,
    GateDecision,
    MetricChange,
    Outcome,
    SequenceTest,
    ThresholdCheck,
    deciding_bound,
    is_out_of_reach,
    items_needed,
)
from semscale.drift.gate.drift_figures import DriftFigure
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.gate.next_step import limit_words, passed_words
from semscale.drift.limits.results import LimitCheck, LimitOutcome, MustPassCheck
from semscale.drift.measure.metrics import Metric, metric_label
from semscale.drift.nights.night_noise import FEWEST_NIGHTS
from semscale.drift.sizing.forecast import MOST_RERUNS, POWER, SizeForecast
from semscale.history.stored_comparison import StoredCheck
from semscale.report.document import Cell, Flag, Label, Level, Number, Quoted, WithInterval, estimate_cell
from semscale.report.formatting import (
    MISSING,
    capitalised,
    cell_text,
    clipped,
    count,
    counted,
    coverage,
    digits_for,
    listed,
    number,
    one_line,
    percent,
)
from semscale.report.sentences import interval_methods
from semscale.stats.intervals import clopper_pearson_upper

OUTCOMES = {Outcome.FAIL: "failed", Outcome.UNDECIDED: "undecided", Outcome.PASS: "passed"}
"""What a test or the gate came to, as a word."""

LEVELS: dict[Outcome, Level] = {Outcome.FAIL: "fail", Outcome.UNDECIDED: "warn", Outcome.PASS: "pass"}
"""How good each is."""

CHANGES: dict[MetricChange, Label | Flag] = {
    MetricChange.BETTER: Flag("better", "pass"),
    MetricChange.WORSE: Flag("worse", "fail"),
    MetricChange.NONE: Flag("no difference", "pass"),
    MetricChange.NOT_WORSE: Flag("not worse", "pass"),
    MetricChange.UNKNOWN: Flag("unknown direction", "warn"),
    MetricChange.UNDECIDED: Label(MISSING),
}
"""What became of a metric; no difference is none beyond the margin."""

HARM = {
    True: "Harm is what an item's drift exceeds the margin by, as a share of the metric's worst case, summed "
    "over the metrics that the gate tests",
    False: "Harm is an item's drift as a share of the metric's worst case, summed over all metrics",
}
"""How items are sorted: where a gate was asked, and where none was."""

UNTESTED = "p –: too few items differ there to be tested."
"""What stands below a table of groups where some tests cannot be significant."""

_SAID = (MetricChange.BETTER, MetricChange.WORSE, MetricChange.UNKNOWN)
_FEW = 3
_LONGEST_NAME = 60


def label(metric: Metric | str) -> str:
    """Give a metric's name as sentences have it.

    Example:
        >>> label("bertscore_f1"), label("credits_difference")
        ('BERTScore F1', 'credits difference')
    """
    return one_line(metric_label(metric) if isinstance(metric, str) else metric.label)


def digits_of(metric: Metric) -> int:
    """Choose decimals for a metric's figures by its span."""
    return digits_for(0, metric.span)


def p_value(p: float) -> Number:
    """Show a p-value: three decimals, never 0."""
    return Number(p, 3, least=0.001)


def evidence(value: float | None) -> Number:
    """Show an e-value; beyond ten thousand its size says nothing more."""
    return Number(value, 1, most=10_000)


def drift_cell(figure: DriftFigure) -> WithInterval:
    """Show a mean drift with its interval and its sign."""
    return estimate_cell(figure.drift, digits_of(figure.metric), signed=True)


def p_said(p: float) -> str:
    """Write a p-value as an equation.

    Example:
        >>> p_said(0.0314), p_said(1e-9)
        ('p = 0.031', 'p < 0.001')
    """
    shown = cell_text(p_value(p))
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def group_label(group: tuple[str, str]) -> str:
    """Name a group with its kind; long names are cut.

    Example:
        >>> group_label(("exercise", "6715"))
        'exercise 6715'
    """
    return f"{clipped(group[0], _LONGEST_NAME).shown} {group_name(group)}"


def group_name(group: tuple[str, str]) -> str:
    """Name a group without its kind."""
    return clipped(group[1], _LONGEST_NAME).shown or "(blank)"


def subject(test: DriftTest | DriftFigure) -> str:
    """Name what a test or a figure is about: the metric, and the group if it is about one."""
    return label(test.metric) + ("" if test.group is None else f" in {group_label(test.group)}")


def reading(summary: DriftSummary) -> tuple[str, ...]:
    """Say in sentences which figures decided, the weightiest first; without a gate, what drifted most."""
    decision, ruler = summary.decision, summary.ruler
    has_moved = ruler is not None and ruler.has_moved
    if decision is None:
        said = _measured(summary)
    elif has_moved and not _is_own(decision):
        said = iter(("Nothing failed, and a moved ruler lets nothing pass",))
    elif decision.outcome is Outcome.FAIL:
        said = _failed(summary, decision)
    elif decision.outcome is Outcome.UNDECIDED:
        said = _undecided(summary, decision)
    else:
        said = _passed(summary, decision)
    first = (ruler.words(),) if ruler is not None and has_moved else ()
    return tuple(f"{_begun(sentence)}." for sentence in (*first, *said))


def _is_own(decision: GateDecision) -> bool:
    """Tell whether the gate's tests and limits decided, and not the ruler alone."""
    waiting = any(test.outcome is Outcome.UNDECIDED for test in decision.overall)
    return decision.outcome is not Outcome.UNDECIDED or waiting


def headline_words(summary: DriftSummary) -> str:
    """Say in one paragraph which figures decided."""
    return " ".join(reading(summary))


def coverage_words(summary: DriftSummary) -> str:
    """Say what the intervals cover."""
    return coverage(summary.plan.interval)


def drift_interval_words(summary: DriftSummary) -> str:
    """Say how the intervals of drifts were made."""
    methods = {subject(figure): figure.drift.method for figure in summary.figures}
    return interval_methods(summary.plan, methods, "items")


def threshold_words(check: ThresholdCheck) -> str:
    """Say how a threshold came out: ``min_bertscore_f1: 0.71 where the limit is 0.80``."""
    within = "" if check.group is None else f" in {group_label(check.group)}"
    value = "no value" if math.isnan(check.value) else number(check.value, 3)
    return f"{one_line(check.name)}{within}: {value} where the limit is {number(check.limit, 3)}"


def result_words(summary: DriftSummary, test: DriftTest) -> str:
    """Say what a test found, with its uncertainty: drift, interval, margin, p and n."""
    digits = digits_of(summary.comparison.metrics[test.metric])
    n = counted(test.drift.n, "item")
    if math.isnan(test.drift.value):
        return f"{subject(test)} has no value ({n})"
    runs = _runs_behind(summary, test)
    behind = "" if runs is None else f"over {counted(runs, 'run')} "
    drift = cell_text(estimate_cell(test.drift, digits, signed=True))
    if math.isnan(test.p_adjusted):
        tested = "not testable without a rerun"
    elif summary.decision is not None and is_untested(summary.decision, test):
        tested = "too few items differ to be tested"
    else:
        tested = p_said(test.p_adjusted)
    found = f"{subject(test)} drifted by {drift}, {_limit_words(test, digits)} ({behind}{tested}, {n})"
    return f"{found}: {test.change}" if test.change in _SAID else found


def is_untested(decision: GateDecision, test: DriftTest | None) -> bool:
    """Tell whether too few items differ between runs for a test to be significant, so that it was left out.

    Such a test has the adjusted p-value 1 (``adjusted_discrete``). No correction makes a p-value greater
    than the number of tests times itself, so that 1 beyond that shows it. A group whose metric has 1 over
    all items gets that; it counts as tested if its metric was.
    """
    if test is None or math.isnan(test.p_value) or test.p_adjusted < 1:
        return False
    if test.group is None:
        return len(decision.overall) * test.p_value < 1
    family = [
        one
        for one in decision.tests
        if one.group is not None and (one.metric, one.group[0]) == (test.metric, test.group[0])
    ]
    above = next((one for one in decision.overall if one.metric == test.metric), None)
    if above is not None and above.p_adjusted >= 1:
        return is_untested(decision, above)
    return len(family) * test.p_value < 1


def untested_words(summary: DriftSummary) -> str | None:
    """Name the metrics in which too few items differ to be tested; ``None`` without any."""
    if summary.decision is None:
        return None
    decision = summary.decision
    names = [label(test.metric) for test in decision.overall if is_untested(decision, test)]
    return f"Too few items differ to test {listed(names)}." if names else None


def beyond_chance_words(test: SequenceTest, decision: GateDecision) -> str:
    """Say since which run a loss is beyond chance."""
    return f"beyond chance since run {count(test.significant_since(decision.settings.alpha))}"


def sequence_words(test: SequenceTest, decision: GateDecision) -> str:
    """Say what many runs together show about one metric."""
    found = beyond_chance_words(test, decision) if test.is_significant else "within what chance explains"
    mean, latest = number(test.mean_loss, 3), number(test.losses[-1] if test.losses else math.nan, 3)
    return (
        f"{label(test.metric)} over {counted(len(test.losses), 'run')}: the loss, {mean} on average and "
        f"{latest} in the latest run, where {number(test.allowed, 3)} is allowed, is {found} "
        f"(evidence {cell_text(evidence(test.latest_evidence))}, {p_said(test.p_adjusted)})"
    )


def sorting_words(summary: DriftSummary, shown: int) -> str:
    """Say how many of the items that came out worse are shown, and how they are sorted."""
    n = summary.harm.n_harmed
    if shown < n:
        found = f"The {count(shown)} worst of {count(n)}"
    else:
        found = f"All {count(n)} that came out worse" if n > 1 else "The one that came out worse"
    return f"{found}. {HARM[summary.decision is not None]}."


def model_name(summary: DriftSummary) -> Quoted:
    """Name the model that is asked about."""
    return Quoted(summary.comparison.candidate.model, _LONGEST_NAME)


def _measured(summary: DriftSummary) -> Iterator[str]:
    known = [figure for figure in summary.overall if not math.isnan(figure.drift.value)]
    if not known:
        yield "No item has a value, so there is nothing to compare"
        return
    worst = max(known, key=lambda figure: figure.drift.value / figure.metric.span)
    found = f"{label(worst.metric)} {cell_text(drift_cell(worst))} ({counted(worst.drift.n, 'item')})"
    head = "Greatest drift" if worst.drift.value > 0 else "No metric drifted for the worse; nearest to it"
    yield f"{head}: {found}"
    yield "No gate was asked, so nothing was decided"


def _failed(summary: DriftSummary, decision: GateDecision) -> Iterator[str]:
    yield from map(broken_limit_words, decision.broken_limits)
    if decision.failed_items:
        named = ", ".join(shown_id(check.id) for check in decision.failed_items[:_FEW])
        more = len(decision.failed_items) - _FEW
        yield f"must-pass items became worse: {named}{f' and {count(more)} more' if more > 0 else ''}"
    tests = _most_urgent(test for test in decision.tests if test.outcome is Outcome.FAIL)
    if tests:
        yield result_words(summary, tests[0])
    if len(tests) > 1:
        yield f"Also beyond chance and margin: {_named(tests[1:])}"
    broken = [check for check in decision.thresholds if not check.passed]
    yield from (threshold_words(check) for check in broken[:_FEW])
    if len(broken) > _FEW:
        yield f"{count(len(broken) - _FEW)} more thresholds do not hold"
    yield from (sequence_words(one, decision) for one in decision.sequence if one.is_significant)


def _undecided(summary: DriftSummary, decision: GateDecision) -> Iterator[str]:
    tests = _most_urgent(test for test in decision.overall if test.outcome is Outcome.UNDECIDED)
    if tests:
        yield f"{result_words(summary, tests[0])}, so it may or may not have become worse"
    if len(tests) > 1:
        yield f"Also undecided: {_named(tests[1:])}"
    n, reruns = len(summary.comparison.baseline.items), len(summary.comparison.reruns)
    if summary.forecast is not None:
        yield forecast_words(summary.forecast)
    else:
        yield needed_words(tests, over_runs=bool(decision.sequence), n_items=n, reruns=reruns)
    remedy = (summary.next_step or "").partition(": ")[2]
    if remedy.startswith("look at") or (reruns and remedy.startswith("record one more rerun")):
        yield remedy


def _passed(summary: DriftSummary, decision: GateDecision) -> Iterator[str]:
    tests = sorted(decision.overall, key=_room)
    if len(tests) > 1:
        yield passed_words(decision)
    if tests:
        closest = result_words(summary, tests[0])
        yield closest if len(tests) == 1 else f"Closest to its margin: {closest}"
    if decision.thresholds:
        yield "Every threshold holds" if len(decision.thresholds) > 1 else "The threshold holds"
    waiting = [test for test in decision.tests if test.outcome is Outcome.UNDECIDED]
    if waiting:
        yield f"Not decided, having few items: {_named(waiting)}"


def _limit_words(test: DriftTest, digits: int) -> str:
    """Say what a drift is held against: the margin, and to pass the tolerance where that is greater."""
    margin = f"margin {number(test.margin, digits)}"
    if test.outcome is Outcome.FAIL or not test.tolerance > test.margin:
        return margin
    return f"{margin}, with noise {number(test.tolerance, digits)}"


def _runs_behind(summary: DriftSummary, test: DriftTest) -> int | None:
    """Count the runs that a test's p-value comes from; ``None`` where it is of this run alone."""
    if test.group is not None or summary.decision is None:
        return None
    runs = (len(one.losses) for one in summary.decision.sequence if one.metric == test.metric)
    return next(runs, None)


def _most_urgent(tests: Iterable[DriftTest]) -> list[DriftTest]:
    return sorted(tests, key=lambda test: test.urgency)


def _room(test: DriftTest) -> float:
    """Sort passed tests by how much room is left below the margin, as a share of it."""
    high, tolerance = deciding_bound(test.drift), max(test.margin, test.tolerance)
    return math.inf if math.isnan(high) or tolerance <= 0 else 1 - high / tolerance


def _named(tests: Iterable[DriftTest]) -> str:
    names = [subject(test) for test in tests]
    shown = ", ".join(names[:_FEW])
    return shown if len(names) <= _FEW else f"{shown} and {count(len(names) - _FEW)} more"


def _begun(sentence: str) -> str:
    """Begin a sentence; names such as ``min_bertscore_f1`` stay as settings have them."""
    return sentence if "_" in sentence.split(" ", 1)[0] else capitalised(sentence)


_NAMED = 5
_LONGEST_LIMIT_NAME = 60

LIMIT_LEVELS: Mapping[LimitOutcome, Level] = {
    LimitOutcome.PASS: "pass",
    LimitOutcome.FAIL: "fail",
    LimitOutcome.NOT_CHECKED: "warn",
}
"""How good each outcome of a limit is."""


def broken_limit_words(check: LimitCheck) -> str:
    """Say how a limit came out, with the items that break it.

    Example:
        >>> broken_limit_words(LimitCheck("silenced", 0, 24, ("a", "b")))
        'limit silenced: 2 of 24 items with outputs have lost all outputs, none may (a, b)'
    """
    if check.outcome is LimitOutcome.NOT_CHECKED:
        nothing = f"nothing is known of {count(check.n_unchecked)}" if check.n_unchecked else "there are no"
        return f"limit {one_line(check.name)}: not checked, as {nothing} {check.about}"
    found = f"limit {one_line(check.name)}: {one_line(limit_words(check))}, {allowed_words(check)} may"
    return f"{found} ({ids_words(check.items)})" if check.items else found


def must_pass_words(check: MustPassCheck) -> str:
    """Say how a must-pass item came out."""
    return f"{shown_id(check.id)}: {one_line('; '.join(check.reasons)) or 'nothing became worse'}"


def allowed_words(check: LimitCheck) -> str:
    """Say how many items may break a limit."""
    if check.allowed == 0:
        return "none"
    return f"{100 * check.allowed:g}\u00a0%" if check.allowed < 1 else count(int(check.allowed))


def ids_words(ids: tuple[str, ...]) -> str:
    """Name the first items, and how many more there are."""
    shown = ", ".join(map(shown_id, ids[:_NAMED]))
    return shown if len(ids) <= _NAMED else f"{shown} and {count(len(ids) - _NAMED)} more"


def shown_id(name: str) -> str:
    """Show an item's id; a long one is cut."""
    return clipped(name, _LONGEST_LIMIT_NAME).shown


_LOST = {"fewer_outputs": "output", "fewer_numbers": "number"}  # limits of totals count no items


def broken_cell(broken: Sequence[StoredCheck] | None) -> Cell:
    """Show in a cell what did not hold."""
    if broken is None:
        return Label(MISSING)
    return Quoted(broken_words(broken)) if broken else Label("none")


def broken_words(broken: Sequence[StoredCheck]) -> str:
    """List what did not hold, the first three.

    Example:
        >>> broken_words([StoredCheck("limit", "silenced", False, value=2.0, allowed=0.0)])
        'silenced (2 items)'
        >>> broken_words([StoredCheck("limit", "fewer_outputs", False, value=6.0, allowed=0.05)])
        'fewer_outputs (6 outputs)'
    """
    more = f" and {count(len(broken) - _FEW)} more" if len(broken) > _FEW else ""
    return ", ".join(map(_stored_check_words, broken[:_FEW])) + more


def _stored_check_words(check: StoredCheck) -> str:
    within = "" if check.group is None else f" in {group_label(check.group)}"
    name = one_line(check.name)
    if check.kind == "must_pass":
        return f"must-pass {name}"
    if check.kind == "threshold":
        return f"{name}{within} ({number(check.value, 3)})"
    n = round(check.value)
    return f"{name}{within} ({count(n)} {_LOST.get(check.name, 'item')}{'s' * (n != 1)})"


_NO_RERUN = (
    "Without a rerun of the baseline nothing tells this from the model's own noise: record one "
    "(--rerun-of baseline)"
)
_MORE_RUNS = (
    "All runs against this baseline decide what is beyond chance, good ones among them, so that more runs "
    "may decide it; for one bad run by itself set a threshold, such as min_match"
)


def forecast_words(found: SizeForecast) -> str:
    """Say what would decide a gate by simulation, the cheaper way first.

    Example:
        >>> forecast_words(SizeForecast(n_items=30, reruns=1, items_needed=None, more_reruns=2))
        '2 more reruns of the baseline (60 answers) would decide it in 80 % of simulated comparisons'
    """
    said = []
    if found.more_reruns is not None:
        runs = counted(found.more_reruns, "more rerun")
        said.append(f"{runs} of the baseline ({count(int(found.answers_by_reruns))} answers)")
    if found.items_needed is not None:
        answers = count(int(found.answers_by_items))
        said.append(f"about {count(found.items_needed)} items ({answers} more answers)")
    if not said:
        return (
            f"Neither {MOST_RERUNS} more reruns nor {MOST_TIMES} times as many items would decide it in most "
            "simulated comparisons"
        )
    ways = capitalised(" or ".join(said if found.says_reruns else said[::-1]))
    return f"{ways} would decide it in {100 * POWER:g} % of simulated comparisons"


def noise_words(decision: GateDecision, model: str, reruns: int) -> str:
    """Say how far earlier nights helped to estimate the noise.

    Args:
        decision: the gate's, with earlier nights.
        model: the baseline's, whose runs these nights are.
        reruns: number of reruns of the baseline.
    """
    here = counted(reruns, "rerun") if reruns else "no rerun"
    n = decision.nights.n
    nights = f"{here} here; {counted(n, 'earlier run')} of {one_line(model)}"
    if n < FEWEST_NIGHTS:
        return f"{nights} {'does' if n == 1 else 'do'} not count yet, as it takes at least {FEWEST_NIGHTS}"
    worth = {test.metric: f"{test.nights_as_reruns:.1f}" for test in decision.overall}
    least, most = min(worth.values(), key=float), max(worth.values(), key=float)
    if float(most) == 0:
        return f"{nights} do not count, as their noise differs too much, among them or from that of this run"
    if least == most:
        return f"{nights} count as {most} reruns more"
    undecided = [test.metric for test in decision.overall if test.outcome is Outcome.UNDECIDED]
    where = ", ".join(f"{metric_label(name)} {worth[name]}" for name in undecided)
    return f"{nights} count as {least} to {most} reruns more, by metric{where and f' (undecided: {where})'}"


def needed_words(tests: Sequence[DriftTest], *, over_runs: bool, n_items: int, reruns: int) -> str:
    """Say what would decide tests at the least cost: more items, more reruns, or nothing of the kind.

    A new item costs an answer in each run, and a new rerun one for each item.

    Args:
        tests: undecided ones.
        over_runs: whether all runs together decide, so that more runs may.
        n_items: number of items of the dataset.
        reruns: number of reruns so far.
    """
    needed, few = items_needed(tests), [test.drift.n for test in tests if test.has_few_items]
    said = []
    if few:
        said.append(
            f"A test takes at least {FEWEST_TO_PASS} items to pass, and here are {count(min(few))}: add at "
            f"least {FEWEST_TO_PASS - min(few)}"
        )
    if needed is not None and needed != FEWEST_TO_PASS:
        said.append(_cheapest(tests, needed, n_items, reruns))
    if needed is None and not reruns and any(isnan(test.p_value) for test in tests):
        said.append(_NO_RERUN)
    if not said:
        said.append(_MORE_RUNS if over_runs else "More items like these would hardly decide it")
    return ". ".join(said)


def _cheapest(tests: Sequence[DriftTest], needed: int, n_items: int, reruns: int) -> str:
    """Name the cheaper of more items and more reruns, in answers of a model."""
    n = max(test.drift.n for test in tests)
    more = [test.reruns_needed for test in tests]
    further = max((one for one in more if one is not None), default=0) if None not in more else None
    if further and further * n < (needed - n) * (reruns + 2):
        return (
            f"{capitalised(counted(further, 'more rerun'))} of the baseline would decide it if mean and "
            f"spread stayed as they are ({count(further * n)} answers; or about {count(needed)} items)"
        )
    if is_out_of_reach(needed, n_items):
        return (
            f"More items than this dataset can give would be needed: over {MOST_TIMES} times its "
            f"{counted(n_items, 'item')}"
        )
    return f"About {count(needed)} items would decide it if mean and spread stayed as they are"


def unvaried_words(summary: DriftSummary) -> str | None:
    """Say which metrics have the same drift in every item, and how many items may differ all the same.

    Items that are all alike have no spread to make an interval of. Yet of 30 items none differs in one of
    five samples even where 5 % of all items do.

    Returns:
        One sentence, and where a gate was asked another about how it decides; ``None`` where every metric
        varies. The bound is Clopper and Pearson's, one-sided, for the fewest items that one of them counts.
    """
    alike: dict[int, list[str]] = {}
    for figure in summary.overall:
        is_shown = summary.decision is None or figure.test is not None
        if is_shown and figure.drift.method == "exact":
            alike.setdefault(figure.drift.n, []).append(one_line(figure.metric.label))
    if not alike:
        return None
    bound = percent(clopper_pearson_upper(0, min(alike), summary.plan.interval))
    (most, names), *fewer = sorted(alike.items(), reverse=True)
    said = [f"All {counted(most, 'item')} are alike in {listed(names)}"]
    said += [f"all {count(n)} that have a value in {listed(others)}" for n, others in fewer]
    sure = f"{coverage(summary.plan.interval)} confidence"
    still = f"{', '.join(said)}; up to {bound} of items like these may differ all the same ({sure})."
    if summary.decision is None:
        return still
    return f"{still} Intervals show this; the gate goes by the drift itself, from {FEWEST_TO_PASS} items on."


def direction_notes(summary: DriftSummary) -> Iterator[str]:
    """Say of each field whose direction was assumed what counts as better, and how to have it otherwise."""
    for metric in summary.comparison.metrics.values():
        if metric.is_assumed:
            field = one_line(metric.unit)
            yield (
                f"{field}: {metric.direction} is better, which its name says; with --direction "
                f"{field}=either any change counts"
            )
