"""Scorers and metrics for ``inspect_ai``: matching, groundedness, intervals, correction by people's labels.

They need the extra ``inspect``. A sample that cannot be scored has the value NaN, which inspect_ai counts as
unscored; its metadata says why.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.extras import require
from semscale.matching.entailment.probabilities import EntailmentModel
from semscale.matching.matcher import DEFAULT_METHOD, Matcher
from semscale.self_consistency.claims.claim_support import ClaimVerdict, Support
from semscale.self_consistency.claims.long_answers import groundedness
from semscale.stats.calibration.prediction_powered import prediction_powered_mean
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.means import estimate_mean
from semscale.types import Floats, Integers
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.embedding import Embedder

Metric = Callable[[Sequence[Any]], dict[str, float]]
"""Takes inspect_ai's ``SampleScore`` objects and gives figures by name."""


def semscale_match(
    method: str = DEFAULT_METHOD,
    *,
    embedder: "str | Path | Embedder" = DEFAULT_MODEL,
    **settings: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401 - inspect_ai's Scorer
    """Build a scorer of how far an output says the same as its target; of several the best one counts.

    Args:
        method: as ``Matcher`` takes it.
        embedder: likewise.
        settings: likewise.

    Raises:
        MissingExtraError: inspect_ai is not installed.
        InputError: as ``Matcher``.
    """
    require("inspect")
    from inspect_ai.scorer import Score, scorer

    matcher = Matcher(method, embedder=embedder, **settings)

    @scorer(metrics=[interval()], name="semscale_match")  # type: ignore[untyped-decorator]
    def build() -> Any:  # noqa: ANN401
        async def score(state: Any, target: Any) -> Any:  # noqa: ANN401
            found = matcher.match([state.output.completion], [[text for text in target if text]])
            reasons = [finding.reason for each in found.findings for finding in each]
            return Score(
                value=float(found.score[0]),
                answer=state.output.completion,
                explanation=" ".join(reasons) or None,
                metadata={"status": str(found.status[0]), "signature": str(found.signature)},
            )

        return score

    return build()


def semscale_groundedness(
    context: str = "context",
    *,
    embedder: "str | Path | Embedder" = DEFAULT_MODEL,
    nli: str | Path | EntailmentModel | None = None,
) -> Any:  # noqa: ANN401 - inspect_ai's Scorer
    """Build a scorer of which share of an output's sentences is supported by passages of its sample.

    Args:
        context: key of the sample's metadata with a passage, or a list of passages.
        embedder: as ``groundedness`` takes it.
        nli: likewise.

    Raises:
        MissingExtraError: inspect_ai is not installed.
    """
    require("inspect")
    from inspect_ai.scorer import Score, scorer

    @scorer(metrics=[interval()], name="semscale_groundedness")  # type: ignore[untyped-decorator]
    def build() -> Any:  # noqa: ANN401
        async def score(state: Any, target: Any) -> Any:  # noqa: ANN401, ARG001 - passages take its place
            given = (state.metadata or {}).get(context) or []
            passages = [given] if isinstance(given, str) else list(given)
            found = groundedness([state.output.completion], [passages], embedder=embedder, nli=nli)
            return Score(
                value=float(found.score[0]),
                answer=state.output.completion,
                explanation=claims_in_words(found.claims[0]),
                metadata={"status": str(found.status[0]), "signature": str(found.signature)},
            )

        return score

    return build()


def interval(coverage: float = 0.95) -> Any:  # noqa: ANN401 - inspect_ai's Metric
    """Build a metric: the mean with its interval, in which epochs of one sample count together.

    Args:
        coverage: of the interval, between 0 and 1.

    Raises:
        MissingExtraError: inspect_ai is not installed.
    """
    require("inspect")
    from inspect_ai.scorer import metric

    @metric(name="semscale_interval")  # type: ignore[untyped-decorator]
    def build() -> Metric:
        return lambda scores: mean_figures(*_columns(scores), coverage=coverage)

    return build()


def corrected(labels: Mapping[str, float], *, coverage: float = 0.95) -> Any:  # noqa: ANN401 - inspect_ai's Metric
    """Build a metric: the mean corrected by what people say of some samples, with its interval.

    Args:
        labels: what people say, 0 to 1, by the sample's id. They must be of a random sample.
        coverage: of the interval, between 0 and 1.

    Raises:
        MissingExtraError: inspect_ai is not installed.
    """
    require("inspect")
    from inspect_ai.scorer import metric

    @metric(name="semscale_corrected")  # type: ignore[untyped-decorator]
    def build() -> Metric:
        return lambda scores: corrected_figures(*_columns(scores), labels, coverage=coverage)

    return build()


def mean_figures(values: Floats, samples: Sequence[str], *, coverage: float = 0.95) -> dict[str, float]:
    """Give the mean of scores with its interval.

    Args:
        values: shape (n,), 0 to 1, NaN where a sample has no score.
        samples: n ids; scores of one id are drawn together.
        coverage: of the interval, between 0 and 1.

    Returns:
        ``mean``, ``low``, ``high``, ``scored`` and ``unscored``.

    Example:
        >>> found = mean_figures(np.array([1.0, 0.0, np.nan]), ["a", "b", "c"])
        >>> found["mean"], found["scored"], found["unscored"]
        (0.5, 2.0, 1.0)
    """
    found = estimate_mean(
        values, bounds=(0.0, 1.0), clusters=_numbers(samples), plan=IntervalPlan(interval=coverage)
    )
    return {
        "mean": found.value,
        "low": found.low,
        "high": found.high,
        "scored": float(found.n),
        "unscored": float(found.n_left_out),
    }


def corrected_figures(
    values: Floats, samples: Sequence[str], labels: Mapping[str, float], *, coverage: float = 0.95
) -> dict[str, float]:
    """Give the mean of scores corrected by labels; scores of one sample are averaged before.

    Args:
        values: shape (n,), NaN where a sample has no score.
        samples: n ids.
        labels: what people say, 0 to 1, by id.
        coverage: of the interval, between 0 and 1.

    Returns:
        ``mean``, ``low``, ``high``, ``uncorrected``, ``bias`` and ``labels``.
    """
    ids = list(dict.fromkeys(samples))
    means = np.array(
        [_mean(values[[at for at, one in enumerate(samples) if one == name]]) for name in ids], np.float64
    )
    told = np.array([labels.get(name, np.nan) for name in ids], np.float64)
    found = prediction_powered_mean(means, told, bounds=(0.0, 1.0), interval=coverage)
    return {
        "mean": found.value,
        "low": found.low,
        "high": found.high,
        "uncorrected": found.naive.value,
        "bias": found.bias,
        "labels": float(found.n_labelled),
    }


def claims_in_words(claims: Sequence[ClaimVerdict]) -> str | None:
    """Say of each claim that is not supported what passages say; ``None`` where all are."""
    told = [
        f'{one.verdict}: "{one.claim}"' + (f" ({one.reason})" if one.reason else "")
        for one in claims
        if one.verdict is not Support.SUPPORTED
    ]
    return "\n".join(told) or None


def _columns(scores: Sequence[Any]) -> tuple[Floats, list[str]]:
    values = np.array([one.score.as_float() for one in scores], np.float64)
    return values, [str(at if one.sample_id is None else one.sample_id) for at, one in enumerate(scores)]


def _numbers(samples: Sequence[str]) -> Integers:
    known: dict[str, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in samples], np.int64)


def _mean(values: Floats) -> float:
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else np.nan
