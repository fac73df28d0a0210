"""The class ``UQEnsemble`` of ``uqlm`` on Semscale's measures, judges and tuned weights.

Intended differences from ``uqlm`` 0.6.7:

- Tuned weights come from a logistic regression with weights of at least 0, and need at least 40 graded
  responses, 5 or more of them right and 5 or more wrong. The result of ``tune`` has their area under the ROC
  curve by nested cross-validation, so that no response is judged by weights that saw it, and that of the
  plain mean.
- Without ``grader_function`` a response is right if it has the words of the answer: no model grades it.
- A component without a score counts as its mean over the responses that have one; a response without any has
  no score (``None``).
- ``save_config`` and ``load_config`` are not offered: ``weights`` and ``thresh`` say it all.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from semscale.answer_consistency.short_answers import is_same_short_answer
from semscale.chat.runner import Running
from semscale.compat.uqlm.best_response import Order, reordered
from semscale.compat.uqlm.black_box import SCORERS as BLACK_BOX
from semscale.compat.uqlm.black_box import BlackBoxUQ
from semscale.compat.uqlm.generation import ResponseGenerator
from semscale.compat.uqlm.judges import LLMPanel
from semscale.compat.uqlm.not_applied import warn_of_ignored
from semscale.compat.uqlm.result import UQResult
from semscale.compat.uqlm.synchronous import synchronous
from semscale.compat.uqlm.white_box import SCORERS as WHITE_BOX
from semscale.compat.uqlm.white_box import WhiteBoxUQ
from semscale.errors import InputError
from semscale.stats.calibration import nested_scores, tune_weights, weighted_mean
from semscale.stats.correlations import roc_area
from semscale.types import Floats

_OFF_THE_SHELF = (("noncontradiction", 0.56), ("exact_match", 0.14))
_SELF_REFLECTION = 0.3  # Chen and Mueller (2023), arXiv 2308.16175


class UQEnsemble:
    """A weighted mean of scorers: names of black-box and white-box ones, chat models as judges, ``LLMJudge``.

    Args:
        llm: a LangChain chat model, or the name of a model.
        scorers: the components; by default those of Chen and Mueller (2023): ``noncontradiction``,
            ``exact_match`` and the ``llm`` as a judge, with weights of .56, .14 and .3.
        weights: one for each component; equal unless given or tuned.
        thresh: from which score on a response counts as right.
        postprocessor: applied to every response before the comparison.
        system_prompt: precedes every prompt.
        max_calls_per_min: the most calls per minute of ``llm``, and of each chat model as a judge.
        nli_model_name: a model of entailment, for the components that need one.
        sampling_temperature: temperature of the samples, above 0.
        scoring_templates: one for each judge.
        ledger: whether and where to store replies, those of chat models as judges included; an ``LLMJudge``
            keeps its own settings.
        use_best: whether the response of the most probable meaning takes the response's place for all
            components; only with a component of meanings.
        ignored: further arguments of uqlm, such as ``device``; ``grader_llm`` warns that it is not applied.

    Raises:
        InputError: a component is unknown, or there are not as many weights as components.
        ModelError: the model of entailment cannot be had; the message says which command gets it.
    """

    def __init__(  # noqa: PLR0913 - the arguments of uqlm
        self,
        llm: Any = None,  # noqa: ANN401 - LangChain's model
        scorers: Sequence[Any] | None = None,
        *,
        weights: Sequence[float] | None = None,
        thresh: float = 0.5,
        postprocessor: Callable[[str], str] | None = None,
        system_prompt: str | None = None,
        max_calls_per_min: int | None = None,
        nli_model_name: Any = "",  # noqa: ANN401
        sampling_temperature: float = 1.0,
        scoring_templates: Sequence[str] | None = None,
        use_best: bool = True,
        ledger: bool | str | Path = True,
        **ignored: Any,  # noqa: ANN401
    ) -> None:
        warn_of_ignored(ignored)
        if scorers is None:
            scorers = [*(name for name, _ in _OFF_THE_SHELF), llm]
            weights = weights or [*(weight for _, weight in _OFF_THE_SHELF), _SELF_REFLECTION]
        names = [one for one in scorers if isinstance(one, str)]
        unknown = [name for name in names if name not in {*BLACK_BOX, *WHITE_BOX}]
        if unknown or not scorers or any(one is None for one in scorers):
            known = ", ".join(dict.fromkeys((*BLACK_BOX, *WHITE_BOX)))
            got = repr(unknown[0]) if unknown else "none, or no llm"
            raise InputError(f"scorers must be chat models or among {known}, got {got}")
        self._black = [name for name in names if name in BLACK_BOX]
        self._white = [name for name in names if name not in BLACK_BOX]
        judges = [one for one in scorers if not isinstance(one, str)]
        self.component_names = _component_names(scorers)
        self.weights = _checked_weights(weights, len(scorers))
        self.thresh = thresh
        self._generator = ResponseGenerator(
            llm, system_prompt, max_calls_per_min, sampling_temperature, ledger
        )
        self._black_box = BlackBoxUQ(
            None, self._black, None, use_best, nli_model_name, postprocessor=postprocessor
        ) if self._black else None  # fmt: skip
        self._white_box = WhiteBoxUQ(
            llm, system_prompt, max_calls_per_min, self._white, nli_model_name=nli_model_name, ledger=ledger
        ) if self._white else None  # fmt: skip
        self._panel = LLMPanel(
            judges, None, None, max_calls_per_min, scoring_templates, running=Running(ledger=ledger)
        ) if judges else None  # fmt: skip
        self._components: Floats = np.zeros((len(scorers), 0))
        self._data: dict[str, Any] = {}

    async def generate_and_score(
        self,
        prompts: Sequence[str],
        num_responses: int = 5,
        show_progress_bars: bool | None = True,  # noqa: FBT001, FBT002, ARG002
    ) -> UQResult:
        """Request a response and samples for each prompt, and score them.

        Raises:
            InputError: there is no ``llm``, or a prompt has another type.
            ReplyError: no call can succeed.
        """
        found = await self._generator.generate(prompts, num_responses, logprobs=bool(self._white))
        return await self.score(prompts, found.responses, found.samples, found.tokens, found.sample_tokens)

    generate_and_score_sync = synchronous(generate_and_score)

    async def score(  # noqa: PLR0913, PLR0917 - the arguments of uqlm
        self,
        prompts: Sequence[str],
        responses: Sequence[Any],
        sampled_responses: Sequence[Sequence[Any]] | None = None,
        logprobs_results: Sequence[Any] | None = None,
        sampled_logprobs_results: Sequence[Sequence[Any]] | None = None,
        show_progress_bars: bool | None = True,  # noqa: FBT001, FBT002, ARG002
    ) -> UQResult:
        """Score existing responses.

        Returns:
            ``ensemble_scores`` and a column for each component; judges are ``judge_1`` and so on.

        Raises:
            InputError: something that a component needs is missing, or lengths differ.
        """
        columns: dict[str, Any] = {}
        if self._black_box is not None:
            if sampled_responses is None:
                raise InputError("sampled_responses must be given for black-box scorers")
            scored_in_order, orders = self._black_box.score_in_order(responses, sampled_responses)
            columns |= scored_in_order.data
            logprobs_results, sampled_logprobs_results = _reordered_tokens(
                logprobs_results, sampled_logprobs_results, orders
            )
            responses, sampled_responses = reordered(responses, sampled_responses, orders)
        if self._white_box is not None:
            if logprobs_results is None:
                raise InputError("logprobs_results must be given for white-box scorers")
            scored = await self._white_box.score(
                logprobs_results, prompts, responses, sampled_responses, sampled_logprobs_results
            )
            columns |= scored.data
        if self._panel is not None:
            columns |= (await self._panel.score(list(prompts), list(responses))).data
        self._components = np.array([_as_floats(columns[name]) for name in self.component_names])
        self._data = {"prompts": list(prompts), "responses": list(responses)}
        if sampled_responses is not None:
            self._data["sampled_responses"] = [list(each) for each in sampled_responses]
        return self._result()

    async def tune(
        self,
        prompts: Sequence[str],
        ground_truth_answers: Sequence[str],
        grader_function: Callable[[str, str], bool] | None = None,
        num_responses: int = 5,
        **ignored: Any,  # noqa: ANN401
    ) -> UQResult:
        """Request and score responses, grade them, and tune the weights and the threshold.

        Args:
            prompts: n prompts.
            ground_truth_answers: n right answers.
            grader_function: takes ``response`` and ``answer``, and says whether the response is right.
            num_responses: number of samples for each prompt.
            ignored: ``weights_objective`` and other settings of uqlm's search; ``grader_llm`` warns that it
                is not applied.

        Raises:
            InputError: lists of unequal length, or fewer than 40 graded responses of both kinds.
        """
        warn_of_ignored(ignored)
        if len(prompts) != len(ground_truth_answers):
            raise InputError("prompts and ground_truth_answers must have equal lengths")
        await self.generate_and_score(prompts, num_responses)
        grade = grader_function or is_same_short_answer
        graded = zip(self._data["responses"], ground_truth_answers, strict=True)
        return self.tune_from_graded(
            [None if one is None else bool(grade(one, truth)) for one, truth in graded]
        )

    def tune_from_graded(self, correct_indicators: Sequence[bool | None], **ignored: Any) -> UQResult:  # noqa: ANN401, ARG002
        """Tune the weights and the threshold on the responses that were scored last.

        Args:
            correct_indicators: whether each response is right; ``None`` where that is not known.
            ignored: ``weights_objective`` and other settings of uqlm's search.

        Returns:
            The scores with tuned weights; ``metadata["tuning"]`` has the areas under the ROC curve.

        Raises:
            InputError: another length, fewer than 40 graded responses, or fewer than 5 of a kind.
        """
        correct = _as_floats(correct_indicators)
        if len(correct) != self._components.shape[1]:
            raise InputError(
                f"correct_indicators must have {self._components.shape[1]} entries, one for each response "
                f"that was scored, got {len(correct)}"
            )
        tuned = tune_weights(self._components, correct)
        scores = weighted_mean(self._components, tuned.weights)
        tuning = {
            "roc_auc_nested": _area(nested_scores(self._components, correct), correct),
            "roc_auc_plain_mean": _area(weighted_mean(self._components), correct),
            "n": tuned.n,
        }
        self.weights, self.thresh = tuned.weights.tolist(), _best_threshold(scores, correct)
        return self._result({"tuning": tuning})

    def _result(self, more: dict[str, Any] | None = None) -> UQResult:
        scores = weighted_mean(self._components, np.array(self.weights))
        named = dict(zip(self.component_names, self._components, strict=True))
        metadata = {
            "temperature": self._generator.temperature,
            "weights": dict(zip(self.component_names, self.weights, strict=True)),
            "thresh": self.thresh,
            **(more or {}),
        }
        return UQResult({"data": {**self._data, "ensemble_scores": scores, **named}, "metadata": metadata})


def _reordered_tokens(
    own: Sequence[Any] | None, sampled: Sequence[Sequence[Any]] | None, orders: Sequence[Order]
) -> tuple[Sequence[Any] | None, Sequence[Sequence[Any]] | None]:
    """Order tokens as their texts; those of responses alone have none to change places with."""
    if own is None:
        return None, sampled
    if sampled is None:
        return [None if order[0] else one for one, order in zip(own, orders, strict=True)], None
    return reordered(own, sampled, orders)


def _component_names(scorers: Sequence[Any]) -> list[str]:
    judge, names = 0, []
    for one in scorers:
        judge += not isinstance(one, str)
        names.append(one if isinstance(one, str) else f"judge_{judge}")
    return names


def _checked_weights(weights: Sequence[float] | None, n: int) -> list[float]:
    given = [1.0] * n if weights is None else [float(weight) for weight in weights]
    if len(given) != n or min(given) < 0 or not sum(given):
        raise InputError(
            f"weights must be {n} numbers of at least 0, one for each scorer, got {weights!r:.60}"
        )
    return [weight / sum(given) for weight in given]


def _as_floats(column: Sequence[Any]) -> Floats:
    return np.array([np.nan if value is None else float(value) for value in column], np.float64)


def _area(scores: Floats, correct: Floats) -> float:
    right, wrong = (scores[(correct == side) & ~np.isnan(scores)] for side in (1, 0))
    return roc_area(right, wrong).value


def _best_threshold(scores: Floats, correct: Floats) -> float:
    """Give the threshold with the highest F1 score of "right", in steps of .01, as uqlm does."""
    known = ~np.isnan(scores) & ~np.isnan(correct)
    x, y = scores[known], correct[known]

    def f1(bound: float) -> float:
        accepted = x > bound
        hits = float((accepted & (y == 1)).sum())
        return 2 * hits / float(accepted.sum() + (y == 1).sum())

    return float(max(np.arange(0, 1, 0.01), key=f1))
