"""Comparison of a candidate with the baseline and its reruns."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.meter import DriftMeter
from semscale.drift.quality.reference_match import with_reference_match
from semscale.drift.runs import check_rerun, match_runs, outputs_equal
from semscale.errors import InputError
from semscale.history.items import digest_items
from semscale.history.runs import Run, hashed, named, short_id
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
    """Compare a candidate with the baseline and its reruns, and these with each other, over common items.

    Where items have a reference, the metric ``reference_match`` says what is better and what is worse.

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
    common = match_runs(baseline, candidate)
    repeated = [match_runs(common.baseline, check_rerun(baseline, rerun)).candidate for rerun in reruns]
    runs = [*repeated, common.candidate]
    later = list(combinations(range(len(runs)), 2))
    found = measuring.measure_pairs(common.baseline, runs, later, whole=baseline, progress=progress)
    between = [
        tuple(found[len(runs) + at] for at, pair in enumerate(later) if pair[0] == first)
        for first in range(len(repeated))
    ]
    compared = Comparison(
        baseline=common.baseline,
        candidate=common.candidate,
        measured=found[len(repeated)],
        reruns=tuple(found[: len(repeated)]),
        between=tuple(between),
        floors=measuring.floors(common.baseline, progress=progress) if floors else {},
        matching=common.matching,
        recorded=candidate,
        rerun_items=tuple(rerun.items for rerun in repeated),
        reruns_name=_reruns_name(reruns),
        cautions=tuple(_about_equal_outputs(common.baseline, common.candidate, repeated)),
    )
    return with_reference_match(compared, measuring, progress=progress)


def _about_equal_outputs(baseline: Run, candidate: Run, reruns: Sequence[Run]) -> Iterator[str]:
    """Ask for the right files where outputs are equal, unless all runs are, of a model that never varies."""
    equal = [rerun for rerun in reruns if outputs_equal(baseline, rerun)]
    is_candidate_equal = outputs_equal(baseline, candidate)
    if is_candidate_equal and equal and len(equal) == len(reruns):
        return
    if is_candidate_equal:
        yield "all outputs equal the baseline's: see that this is the run that you mean to judge"
    if equal:
        ids = named([short_id(rerun.id) for rerun in equal])
        which = f"rerun {ids} has" if len(equal) == 1 else f"reruns {ids} have"
        yield (
            f"{which} the baseline's outputs, word for word: right only for a model that always answers "
            "alike; see that the right file was recorded"
        )


def _reruns_name(reruns: Sequence[Run]) -> str | None:
    """Count and hash of the reruns for the signature; ``None`` without one."""
    if not reruns:
        return None
    return f"{len(reruns)}#{hashed(sorted(digest_items(rerun.items) for rerun in reruns))}"
