"""The classes ``LLMJudge`` and ``LLMPanel`` of ``uqlm``.

Intended differences from ``uqlm`` 0.6.7: judges have Semscale's prompts and parser of replies, and the judges
of a panel are asked concurrently. ``device`` and progress bars are ignored.
"""

from collections.abc import Sequence
from os import PathLike
from typing import Any

from semscale.chat.chat_model import ChatModel, keep_open
from semscale.chat.langchain import is_langchain
from semscale.chat.loading import load_chat_model
from semscale.chat.runner import Running
from semscale.compat.uqlm.base import ANSWERS, UncertaintyScorer, UQResult, synchronous, with_rate_limit
from semscale.errors import InputError
from semscale.judging.judge import Judge, Panel
from semscale.judging.prompts import JudgedItem, read_items
from semscale.judging.requests import JudgeState
from semscale.judging.settings import TEMPLATES
from semscale.judging.verdicts import PanelVerdicts
from semscale.messages import unknown_name

__all__ = ["LLMJudge", "LLMPanel"]

_DEFAULT_TEMPLATE = "true_false_uncertain"


class LLMJudge:
    """One judge, with Semscale's prompts and parser of replies.

    Args:
        llm: a LangChain chat model, or a model for ``semscale.load_chat_model``; its own settings apply.
            Without it the judge can be created, but not asked.
        max_calls_per_min: the most calls per minute.
        scoring_template: ``true_false_uncertain``, ``true_false``, ``continuous`` or ``likert``.
        additional_context: additional instructions for the judge.
        keywords_to_scores_dict: refused, as replies are not searched for keywords.
        running: how calls are made and stored; an addition of Semscale's.

    Raises:
        InputError: the template is unknown, ``llm`` is not a chat model, or there is a
            ``keywords_to_scores_dict``.
    """

    def __init__(
        self,
        llm: object = None,
        max_calls_per_min: int | None = None,
        scoring_template: str = _DEFAULT_TEMPLATE,
        additional_context: str | None = None,
        keywords_to_scores_dict: dict[float, list[str]] | None = None,
        *,
        running: Running | None = None,
    ) -> None:
        if keywords_to_scores_dict is not None:
            raise InputError(
                "keywords_to_scores_dict",
                "is not taken: a reply must state a level; give semscale.Judge a "
                "template with levels of your own",
            )
        if scoring_template not in TEMPLATES:
            raise unknown_name("scoring_template", str(scoring_template), TEMPLATES)
        self.llm, self.scoring_template, self.system_prompt = llm, scoring_template, additional_context
        self.running = with_rate_limit(running or Running(), max_calls_per_min)
        self._model = None if llm is None else load_chat_model(llm)

    async def judge_responses(
        self,
        prompts: Sequence[str],
        responses: Sequence[str],
        retries: int = 5,
        progress_bar: object = None,
        explanations: bool = False,
    ) -> dict[str, Any]:
        """Judge responses to prompts.

        Args:
            prompts: shape (n,).
            responses: shape (n,).
            retries: maximum number of repeated questions after a reply that cannot be parsed.
            progress_bar: ignored.
            explanations: whether the judge explains its score.

        Returns:
            ``judge_prompts``, ``judge_responses`` (the reply whose score counts, or the last one), ``scores``
            (NaN if missing), and with ``explanations=True`` ``explanations``.

        Raises:
            InputError: there is no ``llm``, or the lists have unequal lengths.
        """
        judge = self.as_judge(retries=retries, explanations=explanations)
        rows = read_items(list(prompts), list(responses), preparation=ANSWERS)
        async with keep_open(self._chat_model()):
            verdicts = await judge.judge_items(rows, self.running)
        columns: dict[str, Any] = {
            "judge_prompts": [judge.prompt(row) if isinstance(row, JudgedItem) else None for row in rows],
            "judge_responses": [verdict.replies[-1] if verdict.replies else None for verdict in verdicts],
            "scores": verdicts.score.tolist(),
        }
        if explanations:
            columns["explanations"] = [verdict.explanation for verdict in verdicts]
        return columns

    judge_responses_sync = synchronous(judge_responses)

    def as_judge(self, *, retries: int = 5, explanations: bool = False) -> Judge:
        """Return the underlying judge: replies in words, at the model's own temperature.

        Raises:
            InputError: there is no ``llm``.
        """
        return Judge(
            self._chat_model(),
            template=self.scoring_template,
            context=self.system_prompt,
            order="score-first" if explanations else "score-only",
            temperature=None,
            max_tokens=None,
            structured=False,
            logprobs=False,
            corrections=retries,
        )

    def _chat_model(self) -> ChatModel:
        if self._model is None:
            raise InputError("llm must be a chat model that judges responses, got None: LLMJudge(llm=...)")
        return self._model


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
        templates = list(scoring_templates or [_DEFAULT_TEMPLATE] * len(judges))
        if len(templates) != len(judges) or not judges:
            raise InputError(
                "scoring_templates",
                f"must have one template for each judge, got {len(templates)} templates "
                f"and {len(judges)} judges",
            )
        super().__init__(llm, system_prompt, with_rate_limit(running or Running(), max_calls_per_min))
        self.explanations, self.scoring_templates = explanations, templates
        for number, judge in enumerate(judges):
            _check_judge(judge, f"judges[{number}]")
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
            raise InputError("prompts", "must be a list of texts")
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


def _check_judge(judge: object, parameter: str) -> None:
    """Check that an object can judge.

    Raises:
        InputError: it is neither an ``LLMJudge`` nor a chat model.
    """
    if isinstance(judge, LLMJudge | ChatModel | str | PathLike) or is_langchain(judge):
        return
    raise InputError(parameter, f"must be an LLMJudge or a chat model, got {judge!r:.40}")
