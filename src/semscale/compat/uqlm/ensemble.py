"""The classes ``LLMPanel`` and ``UQEnsemble`` of ``uqlm``.

Intended differences from ``uqlm`` 0.6.7:

- The judges of a panel are asked concurrently.
- Tuned weights come from a logistic regression with weights of at least 0, and need at least 40 graded
  responses, 5 or more of them right and 5 or more wrong. The result of ``tune`` has their area under the ROC
  curve by nested cross-validation, so that no response is scored by weights that were fitted to it, and that
  of the plain mean. The settings of uqlm's search, such as ``weights_objective``, are ignored.
- Without ``grader_function`` a response is right if it has the words of the answer: no model grades it, and
  ``grader_llm`` warns that it is not applied.
- A component without a score counts as its mean over the responses that have a score; a response without any
  has no score (``None``).
- ``save_config`` also saves an ``LLMJudge``. ``load_config`` creates only chat models of installed LangChain
  packages, so that a file cannot name other code to be imported.
- Nothing is printed, except by ``print_ensemble_weights``. ``device``, ``use_n_param``, ``max_length`` and
  ``verbose`` are ignored.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any, Self

import numpy as np
from pydantic import BaseModel

from semscale.answer_consistency.short_answers import is_same_short_answer
from semscale.chat.langchain import is_langchain
from semscale.chat.runner import Running
from semscale.compat.uqlm.base import (
    ANSWERS,
    BLACK_BOX,
    WHITE_BOX,
    UncertaintyScorer,
    UQResult,
    checked_scorers,
    entailment_model_for,
    limited,
    synchronous,
    warn_of_ignored,
)
from semscale.compat.uqlm.judges import DEFAULT_TEMPLATE, LLMJudge, check_judge
from semscale.compat.uqlm.short_form import BlackBoxUQ, WhiteBoxUQ, with_best_first
from semscale.errors import InputError
from semscale.input_files import read_input_text
from semscale.json_reading import parse_json
from semscale.judging.judge import JudgeState, Panel
from semscale.judging.prompts import read_items
from semscale.judging.verdicts import PanelVerdicts
from semscale.stats.calibration import best_f1_threshold, nested_scores, tune_weights, weighted_mean
from semscale.stats.correlations import roc_area
from semscale.store.atomic import replacing
from semscale.types import Floats

_OFF_THE_SHELF = (("noncontradiction", 0.56), ("exact_match", 0.14))
_SELF_REFLECTION = 0.3  # Chen and Mueller (2023), arXiv 2308.16175
_JUDGE = "judge_"
# Addresses and secrets stay out of saved files, and a file cannot send a key to an address of its own.
_ADDRESSES = frozenset((
    "base_url", "endpoint", "azure_endpoint", "openai_api_base", "api_base", "api_url", "url", "openai_proxy",
))  # fmt: skip
_SECRETS = ("_key", "_secret", "_token", "_headers", "_query")
_SET_BY_LANGCHAIN = ("metadata", "profile")


class LLMPanel(UncertaintyScorer):
    """Several judges of the same responses, asked concurrently.

    Args:
        judges: ``LLMJudge`` objects or chat models.
        llm: answers prompts in ``generate_and_score``.
        system_prompt: system prompt of ``llm``.
        max_calls_per_min: the most calls per minute of ``llm``, and of judges given as chat models.
        scoring_templates: one for each judge; by default ``true_false_uncertain``.
        explanations: whether judges explain their scores.
        additional_context: additional instructions for judges given as chat models.
        running: how calls are made and stored; an addition of Semscale's.

    Raises:
        InputError: the numbers of templates and judges differ, there is no judge, or one is not a chat model.
    """

    reads_tokens = False
    needs_samples = False

    def __init__(
        self,
        judges: Sequence[object],
        llm: object = None,
        system_prompt: str | None = None,
        max_calls_per_min: int | None = None,
        scoring_templates: Sequence[str] | None = None,
        explanations: bool = False,
        additional_context: str | None = None,
        *,
        running: Running | None = None,
    ) -> None:
        templates = list(scoring_templates or [DEFAULT_TEMPLATE] * len(judges))
        if len(templates) != len(judges) or not judges:
            raise InputError(
                f"scoring_templates must have one template for each judge, got {len(templates)} templates "
                f"and {len(judges)} judges"
            )
        super().__init__(llm, system_prompt, limited(running or Running(), max_calls_per_min))
        self.explanations, self.scoring_templates = explanations, templates
        for number, judge in enumerate(judges):
            check_judge(judge, f"judges[{number}]")
        self.judges = [
            judge
            if isinstance(judge, LLMJudge)
            else LLMJudge(judge, max_calls_per_min, template, additional_context, running=running)
            for judge, template in zip(judges, templates, strict=True)
        ]

    async def generate_and_score(  # type: ignore[override]  # the arguments of uqlm
        self, prompts: Sequence[str], show_progress_bars: bool = True
    ) -> UQResult:
        """Answer prompts with ``llm`` and judge the answers; a prompt without an answer has no score.

        Raises:
            InputError: there is no ``llm``, or a prompt is not text.
        """
        if not all(isinstance(prompt, str) for prompt in prompts):
            raise InputError("prompts must be a list of texts")
        return await self._score_replies(prompts, 1)

    generate_and_score_sync = synchronous(generate_and_score)  # type: ignore[arg-type]

    async def score(
        self, prompts: Sequence[str], responses: Sequence[str | None], show_progress_bars: bool = True
    ) -> UQResult:
        """Judge existing responses.

        Returns:
            A result with ``prompts``, ``responses``, ``judge_1`` ... , ``avg``, ``max``, ``min`` and
            ``median``, and ``judge_1_explanation`` ... if judges explain.

        Raises:
            InputError: the lists have unequal lengths.
        """
        rows = read_items(list(prompts), list(responses), preparation=ANSWERS)
        panel = [judge.as_judge(explanations=self.explanations) for judge in self.judges]
        if len(panel) > 1:
            states = [JudgeState(judge.running) for judge in self.judges]
            verdicts, _ = await Panel(panel).judge_part(rows, states, None)
        else:
            alone = await panel[0].judge_items(rows, self.judges[0].running)
            verdicts = PanelVerdicts((alone.model,), (alone,), alone.status, alone.signature)
        data: dict[str, Any] = {"prompts": list(prompts), "responses": list(responses)}
        for number, column in enumerate(verdicts.judges, start=1):
            data[f"judge_{number}"] = column.score
            if self.explanations:
                data[f"judge_{number}_explanation"] = [verdict.explanation for verdict in column]
        data |= {"avg": verdicts.mean, "max": verdicts.max, "min": verdicts.min, "median": verdicts.median}
        temperature = getattr(self.llm, "temperature", None)
        return UQResult({"data": data, "metadata": {"num_judges": len(panel), "temperature": temperature}})

    score_sync = synchronous(score)


class UQEnsemble(UncertaintyScorer):
    """A weighted mean of scorers: names of black-box and white-box ones, chat models as judges, ``LLMJudge``.

    Args:
        llm: a LangChain chat model, or the name of a model.
        scorers: the components; by default those of Chen and Mueller (2023): ``noncontradiction``,
            ``exact_match`` and the ``llm`` as a judge, with weights of .56, .14 and .3.
        device: ignored.
        postprocessor: applied to every response before the comparison.
        system_prompt: precedes every prompt.
        max_calls_per_min: the most calls per minute of ``llm``, and of each chat model as a judge.
        use_n_param: ignored.
        thresh: lowest score at which a response counts as right.
        weights: one for each component; equal by default, until tuned.
        nli_model_name: an entailment model, for the components that need one.
        use_best: whether the response of the most probable meaning takes the response's place for all
            components; only with a component of meanings.
        sampling_temperature: temperature of the samples, above 0.
        scoring_templates: one for each judge.
        max_length: ignored.
        verbose: ignored.
        grader_llm: not applied, with a warning.
        return_responses: with a postprocessor: ``all``, ``raw`` or ``postprocessed`` responses are returned.
        ledger: whether and where to store replies, those of chat models as judges included; an ``LLMJudge``
            keeps its own settings.

    Raises:
        InputError: a component is unknown, or the numbers of weights and components differ.
        ModelError: the entailment model cannot be loaded; the message names the scorers that need it.
    """

    def __init__(
        self,
        llm: Any = None,
        scorers: Sequence[Any] | None = None,
        device: Any = None,
        postprocessor: Callable[[str], str] | None = None,
        system_prompt: str | None = None,
        max_calls_per_min: int | None = None,
        use_n_param: bool = False,
        thresh: float = 0.5,
        weights: Sequence[float] | None = None,
        nli_model_name: Any = "",
        use_best: bool = True,
        sampling_temperature: float = 1.0,
        scoring_templates: Sequence[str] | None = None,
        max_length: int = 2000,
        verbose: bool = False,
        grader_llm: Any = None,
        return_responses: str = "all",
        *,
        ledger: bool | str | Path = True,
    ) -> None:
        warn_of_ignored(grader_llm=grader_llm)
        if scorers is None:
            scorers = [*(name for name, _ in _OFF_THE_SHELF), llm]
            weights = weights or [*(weight for _, weight in _OFF_THE_SHELF), _SELF_REFLECTION]
        super().__init__(
            llm,
            system_prompt,
            limited(Running(ledger=ledger), max_calls_per_min),
            sampling_temperature,
            postprocessor=postprocessor,
            return_responses=return_responses,
        )
        self.components = _checked_components(scorers)
        judges = [scorer for scorer in scorers if not isinstance(scorer, str)]
        judge_names = iter([f"{_JUDGE}{number}" for number in range(1, len(judges) + 1)])
        self.component_names = [name if isinstance(name, str) else next(judge_names) for name in scorers]
        self.weights, self.thresh = _checked_weights(weights, len(scorers)), thresh
        black = [name for name in self.component_names if name in BLACK_BOX]
        white = [name for name in self.component_names if name in WHITE_BOX and name not in BLACK_BOX]
        self.reads_tokens = bool(white)
        self._black_box = self._white_box = self._panel = None
        nli = entailment_model_for([*black, *white], nli_model_name)
        if black:
            self._black_box = BlackBoxUQ(
                scorers=black,
                use_best=use_best,
                nli_model_name=nli,
                postprocessor=postprocessor,
                return_responses=return_responses,
            )
        if white:
            self._white_box = WhiteBoxUQ(
                llm, system_prompt, max_calls_per_min, white, nli_model_name=nli, ledger=ledger
            )
        if judges:
            self._panel = LLMPanel(
                judges,
                max_calls_per_min=max_calls_per_min,
                scoring_templates=scoring_templates,
                running=Running(ledger=ledger),
            )
        self._components: Floats = np.zeros((len(scorers), 0))
        self._data: dict[str, Any] = {}
        self._metadata: dict[str, Any] = {}

    @property
    def needs_samples(self) -> bool:
        """True if a component compares responses with samples."""
        return self._black_box is not None or (self._white_box is not None and self._white_box.needs_samples)

    async def score(
        self,
        prompts: Sequence[str],
        responses: Sequence[Any],
        sampled_responses: Sequence[Sequence[Any]] | None = None,
        logprobs_results: Sequence[Any] | None = None,
        sampled_logprobs_results: Sequence[Sequence[Any]] | None = None,
        num_responses: int = 5,
        show_progress_bars: bool | None = True,
    ) -> UQResult:
        """Score existing responses.

        Args:
            prompts: n prompts.
            responses: n texts.
            sampled_responses: n lists of texts; black-box components need them.
            logprobs_results: for each response a list of objects with ``logprob``; white-box components need
                them.
            sampled_logprobs_results: the same for each sample.
            num_responses: number of samples, for the metadata if there are none.
            show_progress_bars: ignored.

        Returns:
            ``ensemble_scores`` and a column for each component; judges are ``judge_1`` and so on.

        Raises:
            InputError: something that a component needs is missing, or lengths differ.
        """
        columns: dict[str, Any] = {}
        texts: dict[str, Any] = {"responses": list(responses)}
        if sampled_responses is not None:
            texts["sampled_responses"] = [list(row) for row in sampled_responses]
        sampling = self._sampling_metadata(sampled_responses or [[None] * num_responses])
        if self._black_box is not None:
            if sampled_responses is None:
                raise InputError("sampled_responses must be given for black-box scorers")
            result, best = self._black_box.score_with_best(responses, sampled_responses)
            columns |= result.data
            texts = {name: column for name, column in columns.items() if name not in self.component_names}
            logprobs_results, sampled_logprobs_results = _tokens_with_best_first(
                logprobs_results, sampled_logprobs_results, best
            )
            responses, sampled_responses = with_best_first(responses, sampled_responses, best)
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
        self._data = {"prompts": list(prompts), **texts}
        self._metadata = {**sampling, "logprobs": logprobs_results}
        return self._result()

    async def tune(
        self,
        prompts: Sequence[str],
        ground_truth_answers: Sequence[str],
        grader_function: Callable[[str, str], bool] | None = None,
        num_responses: int = 5,
        weights_objective: str = "roc_auc",
        thresh_bounds: tuple[float, float] = (0, 1),
        thresh_objective: str = "fbeta_score",
        n_trials: int = 100,
        step_size: float = 0.01,
        fscore_beta: float = 1,
        show_progress_bars: bool | None = True,
    ) -> UQResult:
        """Request and score responses, grade them, and tune the weights and the threshold.

        Args:
            prompts: n prompts.
            ground_truth_answers: n right answers.
            grader_function: function of ``response`` and ``answer`` that returns whether the response is
                right.
            num_responses: number of samples for each prompt.
            weights_objective: ignored.
            thresh_bounds: ignored.
            thresh_objective: ignored.
            n_trials: ignored.
            step_size: ignored.
            fscore_beta: ignored.
            show_progress_bars: ignored.

        Raises:
            InputError: lists of unequal length, or fewer than 40 graded responses of both kinds.
        """
        if len(prompts) != len(ground_truth_answers):
            raise InputError("prompts and ground_truth_answers must have equal lengths")
        await self.generate_and_score(prompts, num_responses)
        grade = grader_function or is_same_short_answer
        graded = zip(self._data["responses"], ground_truth_answers, strict=True)
        return self.tune_from_graded(
            [None if response is None else bool(grade(response, truth)) for response, truth in graded]
        )

    def tune_from_graded(
        self,
        correct_indicators: Sequence[bool | None],
        weights_objective: str = "roc_auc",
        thresh_bounds: tuple[float, float] = (0, 1),
        thresh_objective: str = "fbeta_score",
        n_trials: int = 100,
        step_size: float = 0.01,
        fscore_beta: float = 1,
        show_progress_bars: bool | None = True,
    ) -> UQResult:
        """Tune the weights and the threshold on the responses that were scored last.

        Args:
            correct_indicators: whether each response is right; ``None`` if unknown.
            weights_objective: ignored.
            thresh_bounds: ignored.
            thresh_objective: ignored.
            n_trials: ignored.
            step_size: ignored.
            fscore_beta: ignored.
            show_progress_bars: ignored.

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
        self.weights, self.thresh = tuned.weights.tolist(), best_f1_threshold(scores, correct)
        return self._result({"tuning": tuning})

    def print_ensemble_weights(self) -> None:
        """Print a table of the components, the greatest weight first."""
        weighted = sorted(zip(self.component_names, self.weights, strict=True), key=lambda row: -row[1])
        rows = [("Scorer", "Weight"), *((name, f"{weight:.4f}") for name, weight in weighted)]
        print("\n".join(f"{name:<25}{weight:>15}" for name, weight in rows))  # noqa: T201

    def save_config(self, path: str | Path) -> None:
        """Save weights, threshold, components and settings of models, in uqlm's format.

        Keys and addresses of endpoints are not saved; models take them from the environment.

        Args:
            path: path of a JSON file.

        Raises:
            InputError: a model is not LangChain's.
        """
        judges = {
            name: _model_config(component, name)
            for name, component in zip(self.component_names, self.components, strict=True)
            if not isinstance(component, str)
        }
        config = {
            "weights": self.weights,
            "thresh": self.thresh,
            "components": self.component_names,
            "llm_config": None if self.llm is None else _model_config(self.llm, "llm"),
            "llm_scorers": judges,
        }
        with replacing(Path(path)) as temporary:
            temporary.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load_config(cls, path: str | Path, llm: Any = None, **settings: Any) -> Self:
        """Create an ensemble from a file of ``save_config``, by Semscale or uqlm.

        Args:
            path: path of the file.
            llm: replaces the saved model.
            settings: further arguments of the ensemble, such as ``nli_model_name``. The judges of the file
                use its ``ledger``, too.

        Raises:
            InputError: the file cannot be read, or a model cannot be created from it.
        """
        try:
            config = _Config.model_validate(parse_json(read_input_text(path, "utf-8-sig")))
        except (OSError, ValueError) as error:
            raise InputError(f"path: {path} is no configuration of an ensemble ({error})") from error
        if llm is None:
            llm = _model_from_config(config.llm_config, "llm")
        judges = config.llm_scorers or {}
        unsaved = [name for name in config.components if name.startswith(_JUDGE) and name not in judges]
        if unsaved:
            raise InputError(f"path: {path} has no settings of {unsaved[0]}")
        scorers = [
            _model_from_config(judges[name], name, settings.get("ledger", True)) if name in judges else name
            for name in config.components
        ]
        return cls(llm, scorers, weights=config.weights, thresh=config.thresh, **settings)

    def _result(self, more: Mapping[str, Any] | None = None) -> UQResult:
        scores = weighted_mean(self._components, np.array(self.weights))
        named = dict(zip(self.component_names, self._components, strict=True))
        metadata = {**self._metadata, "thresh": self.thresh, "weights": self.weights, **(more or {})}
        return UQResult({"data": {**self._data, "ensemble_scores": scores, **named}, "metadata": metadata})


class _Config(BaseModel):
    """A saved ensemble, with the names of uqlm's file."""

    weights: list[float]
    thresh: float
    components: list[str]
    llm_config: Any = None
    llm_scorers: dict[str, Any] | None = None


def _checked_components(scorers: Sequence[Any]) -> list[Any]:
    if not scorers or any(scorer is None for scorer in scorers):
        known = ", ".join(dict.fromkeys((*BLACK_BOX, *WHITE_BOX)))
        raise InputError(f"scorers must be chat models or among {known}, got none, or no llm")
    for number, scorer in enumerate(scorers):
        if isinstance(scorer, str):
            checked_scorers([scorer], dict.fromkeys((*BLACK_BOX, *WHITE_BOX)))
        else:
            check_judge(scorer, f"scorers[{number}]")
    return list(scorers)


def _checked_weights(weights: Sequence[float] | None, n: int) -> list[float]:
    listed = [1.0] * n if weights is None else [float(weight) for weight in weights]
    if len(listed) != n or not min(listed) >= 0 or not 0 < sum(listed) < np.inf:
        raise InputError(
            f"weights must be {n} numbers of at least 0, one for each scorer, got {weights!r:.60}"
        )
    return [weight / sum(listed) for weight in listed]


def _tokens_with_best_first(
    tokens: Sequence[Any] | None, sample_tokens: Sequence[Sequence[Any]] | None, best: Sequence[int]
) -> tuple[Sequence[Any] | None, Sequence[Sequence[Any]] | None]:
    """Exchange tokens like their texts; if the chosen sample has none, the response's tokens are unknown."""
    if tokens is None:
        return None, sample_tokens
    if sample_tokens is None:
        return [None if position else row for row, position in zip(tokens, best, strict=True)], None
    return with_best_first(tokens, sample_tokens, best)


def _as_floats(column: Sequence[Any]) -> Floats:
    return np.array([np.nan if value is None else float(value) for value in column], np.float64)


def _area(scores: Floats, correct: Floats) -> float:
    right, wrong = (scores[(correct == side) & ~np.isnan(scores)] for side in (1, 0))
    return roc_area(right, wrong).value


def _model_config(model: Any, name: str) -> Any:
    """Return a model's settings as JSON values; a name is returned unchanged."""
    if isinstance(model, str):
        return model
    if isinstance(model, LLMJudge):
        settings = {"scoring_template": model.scoring_template, "additional_context": model.system_prompt}
        return {"class_name": "LLMJudge", "llm": _model_config(model.llm, name), **settings}
    if not is_langchain(model) or not hasattr(model, "model_fields_set"):
        raise InputError(f"{name} must be a LangChain chat model to be saved, got {type(model).__name__}")
    public = [
        field
        for field in sorted(model.model_fields_set)
        if field not in (*_ADDRESSES, *_SET_BY_LANGCHAIN) and not field.endswith(_SECRETS)
    ]
    values = {field: getattr(model, field) for field in public}
    saved = {field: value for field, value in values.items() if value is not None and _is_json(value)}
    return {"class_name": type(model).__name__, "module": type(model).__module__, **saved}


def _model_from_config(config: Any, name: str, ledger: bool | str | Path = True) -> Any:
    """Create a model from its saved settings; a judge gets the ledger, which is not saved.

    Raises:
        InputError: the settings are incomplete, or fit no chat model of an installed LangChain package.
    """
    if config is None or isinstance(config, str):
        return config
    try:
        settings = {field: value for field, value in config.items() if field not in {"class_name", "module"}}
        if config["class_name"] == "LLMJudge":
            llm = _model_from_config(settings["llm"], name)
            return LLMJudge(**{**settings, "llm": llm, "running": Running(ledger=ledger)})
        for field in settings.keys() & _ADDRESSES:
            raise InputError(f"{name}: {field} must be set in the environment, not in a file")
        return _langchain_class(config["module"], config["class_name"], name)(**settings)
    except (ImportError, AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} cannot be created from the file: {error}") from error


def _langchain_class(module: str, class_name: str, name: str) -> Any:
    """Import a chat model's class, only from a package that a distribution of LangChain installed.

    Raises:
        InputError: the module belongs to another distribution or to none, or the class is not a chat model.
    """
    distributions = packages_distributions().get(module.partition(".")[0], ())
    if not any("langchain" in re.split(r"[-_.]", known.lower()) for known in distributions):
        raise InputError(
            f"{name} must be a chat model of an installed LangChain package, such as langchain-openai, got "
            f"module {module!r}: install its package, or create the ensemble in Python"
        )
    kind = getattr(import_module(module), class_name)
    if not is_langchain(kind):
        raise InputError(f"{name} must be a LangChain chat model, got {class_name}")
    return kind


def _is_json(value: object) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True
