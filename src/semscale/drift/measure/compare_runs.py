"""Comparison of a candidate with the baseline and its reruns."""

from collections.abc import Sequence

from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.meter import DriftMeter
from semscale.drift.runs.comparability import check_rerun, match_runs
from semscale.errors import InputError
from semscale.history.runs import Run, short_id
from semscale.types import Progress


def compare(  # noqa: PLR0913 - runs, and how they are measured
    baseline: Run,
    candidate: Run,
    *,
    reruns: Sequence[Run] = (),
    meter: DriftMeter | None = None,
    floors: bool = False,
    progress: Progress | None = None,
) -> Comparison:
    """Compare a candidate with the baseline, over the items that both have.

    Args:
        baseline: the approved run.
        candidate: a run of the same items; it may lack some and have others (see ``match_runs``).
        reruns: further runs of the baseline's model and prompt.
        meter: measures the losses; ``DriftMeter()`` by default.
        floors: whether to measure the losses of outputs of other items, too.
        progress: called while items are compared.

    Raises:
        InputError: a run cannot be compared with the baseline (see ``match_runs`` and ``check_rerun``), or
            the candidate is one of the reruns.

    Example:
        >>> from semscale.history.items import Item, Output
        >>> def run(model, *texts):
        ...     return Run("greetings", model, (Item("1", tuple(Output(text) for text in texts)),))
        >>> found = compare(run("old", "Good morning.", "Bye."), run("new", "Bye.", "Good morning."))
        >>> found.losses("match").tolist(), found.losses("output_count").tolist()
        ([0.0], [0.0])
    """
    measuring = meter or DriftMeter()
    if candidate.id in {rerun.id for rerun in reruns}:
        raise InputError(
            f"reruns must not hold the candidate, {short_id(candidate.id)}: leave it out of them"
        )
    found = match_runs(baseline, candidate)
    repeated = [match_runs(found.baseline, check_rerun(baseline, rerun)).candidate for rerun in reruns]
    measured, *again = measuring.measure(found.baseline, [found.candidate, *repeated], progress=progress)
    return Comparison(
        baseline=found.baseline,
        candidate=found.candidate,
        measured=measured,
        reruns=tuple(again),
        floors=measuring.floors(found.baseline, progress=progress) if floors else {},
        matching=found.matching,
        recorded=candidate,
        rerun_items=tuple(rerun.items for rerun in repeated),
    )
