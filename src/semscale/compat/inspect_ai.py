"""Scorers, metrics and a reducer for ``inspect_ai``: matching, groundedness, judges, agreement of epochs.

They need the extra ``inspect``. A sample that cannot be scored has the value NaN, which inspect_ai counts as
unscored; its metadata says why.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.answer_consistency.claims import ClaimVerdict, Support, groundedness
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.samples import item_means
from semscale.chat.loading import load_chat_model
from semscale.chat.runner import Running
from semscale.extras import require
from semscale.judging.judge import Judge
from semscale.judging.prompts import read_items
from semscale.judging.requests import JudgeState, RequestForm
from semscale.matching.entailment import EntailmentModel
from semscale.matching.matcher import Matcher
from semscale.matching.settings import DEFAULT_METHOD
from semscale.stats.intervals import IntervalPlan, estimate_mean
from semscale.stats.prediction_powered import prediction_powered_mean
from semscale.types import Floats, Integers
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.embedding import Embedder

Metric = Callable[[Sequence[Any]], dict[str, float]]
"""Function from inspect_ai's ``SampleScore`` objects to figures by name."""


def semscale_match(
    method: str = DEFAULT_METHOD,
    *,
    embedder: "str | Path | Embedder" = DEFAULT_MODEL,
    **settings: Any,
) -> Any:
    """Build a scorer of the match of an output and its target; the best of several targets counts.

    Args:
        method: see ``Matcher``.
        embedder: see ``Matcher``.
        settings: see ``Matcher``.

    Raises:
        MissingExtraError: inspect_ai is not installed.
        InputError: as ``Matcher``.
    """
    require("inspect")
    from inspect_ai.scorer import Score, scorer

    matcher = Matcher(method, embedder=embedder, **settings)

    async def score(state: Any, target: Any) -> Any:
        matches = matcher.match([state.output.completion], [[text for text in target if text]])
        reasons = [finding.reason for findings in matches.findings for finding in findings]
        return Score(
            value=float(matches.score[0]),
            answer=state.output.completion,
            explanation=" ".join(reasons) or None,
            metadata={"status": str(matches.status[0]), "signature": str(matches.signature)},
        )

    return _register(scorer(metrics=[interval()], name="semscale_match"), score)


def semscale_groundedness(
    context: str = "context",
    *,
    embedder: "str | Path | Embedder" = DEFAULT_MODEL,
    nli: str | Path | EntailmentModel | None = None,
) -> Any:
    """Build a scorer of the share of an output's sentences that passages of its sample support.

    Args:
        context: key of the sample's metadata with a passage, or a list of passages.
        embedder: see ``groundedness``.
        nli: see ``groundedness``.

    Raises:
        MissingExtraError: inspect_ai is not installed.
    """
    require("inspect")
    from inspect_ai.scorer import Score, scorer

    async def score(state: Any, target: Any) -> Any:
        cell = (state.metadata or {}).get(context) or []
        passages = [cell] if isinstance(cell, str) else list(cell)
        grounded = groundedness([state.output.completion], [passages], embedder=embedder, nli=nli)
        return Score(
            value=float(grounded.score[0]),
            answer=state.output.completion,
            explanation=explain_claims(grounded.claims[0]),
            metadata={"status": str(grounded.status[0]), "signature": str(grounded.signature)},
        )

    return _register(scorer(metrics=[interval()], name="semscale_groundedness"), score)


def semscale_judge(
    chat_model: object,
    *,
    base_url: str | None = None,
    running: Running | None = None,
    with_target: bool = True,
    **settings: Any,
) -> Any:
    """Build a scorer by a chat model: its expected score of an output, 0 to 1.

    Args:
        chat_model: a name or a model, see ``load_chat_model``.
        base_url: address of an OpenAI-compatible endpoint.
        running: how calls are made; a budget applies to each sample.
        with_target: whether to show the target to the judge as a right answer.
        settings: fields of ``JudgeSettings``, such as ``method="decision"`` for typed decisions.

    Raises:
        MissingExtraError: inspect_ai is not installed.
        InputError: as ``Judge``.
    """
    require("inspect")
    from inspect_ai.scorer import Score, scorer

    judge = Judge(load_chat_model(chat_model, base_url=base_url), **settings)
    forms: list[RequestForm] = []

    async def score(state: Any, target: Any) -> Any:
        known = [text for text in target if text] if with_target else []
        answer = state.output.completion
        rows = read_items([state.input_text], [answer], [known] if known else None, judge.preparation)
        before = JudgeState(running or Running(), forms[0] if forms else None)
        panel, (after,) = await judge.judge_part(rows, [before], None)
        if after.form is not None:
            forms[:] = [after.form]
        (verdict,) = panel.verdicts
        metadata = {"status": str(verdict.status), "signature": str(panel.signature)}
        return Score(
            value=float(panel.expected[0]),
            answer=answer,
            explanation=verdict.explanation or verdict.reason or None,
            metadata=metadata,
        )

    return _register(scorer(metrics=[interval()], name="semscale_judge"), score)


def semscale_consistency(measure: str = "consistency", *, floor: float = 0.0, **settings: Any) -> Any:
    """Build a reducer of epochs: the agreement of a sample's first answer with its other answers.

    It reads the answers that a scorer stored (``Score.answer``), not their scores: ``Epochs(5, ["mean",
    semscale_consistency()])``.

    Args:
        measure: see ``Consistency``; such as ``exact_match`` for short answers.
        floor: cosine of unrelated answers, which cannot be estimated from the answers to one question.
        settings: see ``Consistency``.

    Raises:
        MissingExtraError: inspect_ai is not installed.
        InputError: as ``Consistency``.
    """
    require("inspect")
    from inspect_ai.scorer import Score, score_reducer

    instrument = Consistency(measures=(measure,), floor=floor, **settings)

    def reduce(scores: list[Any]) -> Any:
        first, *rest = [score.answer for score in scores]
        measured = instrument.measure([first], [rest])
        metadata = {"status": str(measured.status[0]), "signature": str(measured.signature)}
        return Score(value=float(measured.measures[measure][0]), answer=first, metadata=metadata)

    return _register(score_reducer(name="semscale_consistency"), reduce)


def interval(coverage: float = 0.95) -> Any:
    """Build a metric: the mean with its interval, in which epochs of one sample count together.

    Args:
        coverage: nominal coverage of the interval, between 0 and 1.

    Raises:
        MissingExtraError: inspect_ai is not installed.
    """
    require("inspect")
    from inspect_ai.scorer import metric

    return _register(
        metric(name="semscale_interval"),
        _metric(lambda scores: mean_figures(*_columns(scores), coverage=coverage)),
    )


def corrected(labels: Mapping[str, float], *, coverage: float = 0.95) -> Any:
    """Build a metric: the mean corrected by human labels of some samples, with its interval.

    Args:
        labels: human labels, 0 to 1, by the sample's ID, for a random sample of the samples.
        coverage: nominal coverage of the interval, between 0 and 1.

    Raises:
        MissingExtraError: inspect_ai is not installed.
    """
    require("inspect")
    from inspect_ai.scorer import metric

    return _register(
        metric(name="semscale_corrected"),
        _metric(lambda scores: corrected_figures(*_columns(scores), labels, coverage=coverage)),
    )


def mean_figures(values: Floats, samples: Sequence[str], *, coverage: float = 0.95) -> dict[str, float]:
    """Estimate the mean of scores with its interval.

    Args:
        values: shape (n,), 0 to 1, NaN where a sample has no score.
        samples: n IDs; scores with the same ID are resampled together.
        coverage: nominal coverage of the interval, between 0 and 1.

    Returns:
        ``mean``, ``low``, ``high``, ``scored`` and ``unscored``.

    Examples:
        >>> figures = mean_figures(np.array([1.0, 0.0, np.nan]), ["a", "b", "c"])
        >>> figures["mean"], figures["scored"], figures["unscored"]
        (0.5, 2.0, 1.0)
    """
    estimate = estimate_mean(
        values, bounds=(0.0, 1.0), clusters=_numbers(samples), plan=IntervalPlan(interval=coverage)
    )
    return {
        "mean": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "scored": float(estimate.n),
        "unscored": float(estimate.n_left_out),
    }


def corrected_figures(
    values: Floats, samples: Sequence[str], labels: Mapping[str, float], *, coverage: float = 0.95
) -> dict[str, float]:
    """Estimate the mean of scores corrected by labels; scores of the same sample are averaged first.

    Args:
        values: shape (n,), NaN where a sample has no score.
        samples: n ids.
        labels: human labels, 0 to 1, by ID.
        coverage: nominal coverage of the interval, between 0 and 1.

    Returns:
        ``mean``, ``low``, ``high``, ``uncorrected``, ``bias`` and ``labels``.
    """
    ids = list(dict.fromkeys(samples))
    means = item_means(values, _numbers(samples), len(ids))
    labelled = np.array([labels.get(name, np.nan) for name in ids], np.float64)
    estimate = prediction_powered_mean(means, labelled, bounds=(0.0, 1.0), interval=coverage)
    return {
        "mean": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "uncorrected": estimate.naive.value,
        "bias": estimate.bias,
        "labels": float(estimate.n_labelled),
    }


def explain_claims(claims: Sequence[ClaimVerdict]) -> str | None:
    """List the claims that are not supported, with the reasons; ``None`` if all are supported."""
    lines = [
        f'{claim.verdict}: "{claim.claim}"' + (f" ({claim.reason})" if claim.reason else "")
        for claim in claims
        if claim.verdict is not Support.SUPPORTED
    ]
    return "\n".join(lines) or None


def _register(decorator: Any, function: Any) -> Any:
    """Register a builder without arguments; type checks do not need inspect_ai."""
    return decorator(lambda: function)()


def _metric(figures: Metric) -> Metric:
    """Annotate a metric, as inspect_ai otherwise passes scores without their sample."""
    from inspect_ai.scorer import SampleScore

    def measured(scores: Sequence[Any]) -> dict[str, float]:
        return figures(scores)

    measured.__annotations__["scores"] = list[SampleScore]
    return measured


def _columns(scores: Sequence[Any]) -> tuple[Floats, list[str]]:
    values = np.array([score.score.as_float() for score in scores], np.float64)
    return values, [
        str(row if score.sample_id is None else score.sample_id) for row, score in enumerate(scores)
    ]


def _numbers(samples: Sequence[str]) -> Integers:
    known: dict[str, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in samples], np.int64)
