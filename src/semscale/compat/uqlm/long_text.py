"""The class ``LongTextUQ`` of ``uqlm`` on Semscale's claims.

Intended differences from ``uqlm`` 0.6.7:

- Claims are the sentences of a response unless ``claim_decomposition_llm`` is given, which is then asked for
  them; ``llm`` is not. ``claim_decomposition_prompt`` may be a function; uqlm's named prompts are not taken.
- A response for which that model gives no claims has no score (``None``); ``metadata["without_claims"]``
  counts them.
- ``nli_llm`` is refused: an entailment model compares.
- A refined response consists of the claims that are not removed, word for word; none is written anew.
- In ``matched_unit`` a sample without a unit does not count, where uqlm takes 0 for it.
- A response without samples has no score (``None``).
- A model's reasoning before a response, such as ``<think>...</think>``, has no claims.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from semscale.answer_consistency.claims import (
    AGGREGATIONS,
    ENTAILMENT_VALUES,
    aggregate_claims,
    claim_values,
    entailment_values,
    sentence_claims,
    split_claims,
)
from semscale.answer_consistency.consistency import Consistency
from semscale.chat.chat_model import load_chat_model
from semscale.chat.runner import Running
from semscale.compat.uqlm.base import (
    ANSWERS,
    UncertaintyScorer,
    UQResult,
    checked_scorers,
    entailment_model,
    limited,
    synchronous,
)
from semscale.embedding.texts import text_status
from semscale.errors import InputError
from semscale.types import Floats, Status
from semscale.weights.known import DEFAULT_MODEL

SCORERS_BY_MODE = {
    "unit_response": ENTAILMENT_VALUES,
    "matched_unit": (*ENTAILMENT_VALUES, "bert_score", "cosine_sim"),
}
THRESHOLD = 1 / 3
"""Claims with a lower value are removed from a refined response, as in uqlm."""
_GRANULARITIES = ("claim", "sentence")


class LongTextUQ(UncertaintyScorer):
    """Scorer of long responses, by the entailment of each claim by samples, or its similarity to them.

    Args:
        llm: a LangChain chat model, or the name of a model.
        granularity: ``claim`` or ``sentence``; they differ only with ``claim_decomposition_llm``.
        mode: ``unit_response`` compares a claim with whole samples, ``matched_unit`` with the best sentence
            or claim of each sample.
        scorers: names from ``SCORERS_BY_MODE[mode]``; by default ``entailment``.
        aggregation: aggregation over the claims of a response: ``mean`` or ``min``.
        response_refinement: whether claims with low values are removed.
        claim_filtering_scorer: scorer for this removal; by default the first one.
        claim_decomposition_llm: a chat model that splits responses into claims; by default the claims are
            sentences.
        claim_decomposition_prompt: function from a response to the prompt for this model; by default
            Semscale's prompt.
        nli_llm: refused.
        device: ignored.
        nli_model_name: an entailment model: its name on the hub, its folder, or the model.
        system_prompt: precedes every prompt that is a text.
        max_calls_per_min: the most calls per minute.
        sampling_temperature: temperature of the samples, above 0.
        use_n_param: ignored.
        max_length: ignored.
        sentence_transformer: the model of ``cosine_sim``.
        bert_model: the model of ``bert_score``.
        ledger: whether and where to store replies.

    Raises:
        InputError: a scorer, mode, granularity, aggregation or prompt is unknown, or ``nli_llm`` is given.
        ModelError: the entailment model cannot be loaded; the message names the scorers that need it.
    """

    reads_tokens = False

    def __init__(
        self,
        llm: Any = None,
        granularity: str = "claim",
        mode: str = "unit_response",
        scorers: Sequence[str] | None = None,
        aggregation: str = "mean",
        response_refinement: bool = False,
        claim_filtering_scorer: str | None = None,
        claim_decomposition_llm: Any = None,
        claim_decomposition_prompt: Callable[[str], str] | None = None,
        nli_llm: Any = None,
        device: Any = None,
        nli_model_name: Any = "",
        system_prompt: str | None = None,
        max_calls_per_min: int | None = None,
        sampling_temperature: float = 1.0,
        use_n_param: bool = False,
        max_length: int = 2000,
        *,
        sentence_transformer: str = DEFAULT_MODEL,
        bert_model: str = DEFAULT_MODEL,
        ledger: bool | str | Path = True,
    ) -> None:
        for name, chosen, choices in (
            ("granularity", granularity, _GRANULARITIES),
            ("mode", mode, tuple(SCORERS_BY_MODE)),
            ("aggregation", aggregation, AGGREGATIONS),
        ):
            if chosen not in choices:
                raise InputError(f"{name} must be {' or '.join(choices)}, got {chosen!r}")
        self.scorers = checked_scorers(scorers or ENTAILMENT_VALUES[:1], SCORERS_BY_MODE[mode])
        if nli_llm is not None:
            raise InputError("nli_llm is not offered: name an entailment model with nli_model_name")
        if claim_decomposition_prompt is not None and not callable(claim_decomposition_prompt):
            raise InputError(
                "claim_decomposition_prompt must be a function that makes a prompt of a response, got "
                f"{claim_decomposition_prompt!r:.40}"
            )
        running = limited(Running(ledger=ledger), max_calls_per_min)
        super().__init__(llm, system_prompt, running, sampling_temperature)
        self._granularity, self._mode, self._aggregation = granularity, mode, aggregation
        self._filter = (claim_filtering_scorer or self.scorers[0]) if response_refinement else None
        if self._filter not in (None, *self.scorers):
            raise InputError(f"claim_filtering_scorer must be among the scorers, got {self._filter!r}")
        asks = claim_decomposition_llm is not None and granularity == "claim"
        self._splitting = running.runner(load_chat_model(claim_decomposition_llm)) if asks else None
        self._prompt = claim_decomposition_prompt
        entailed = [name for name in self.scorers if name in ENTAILMENT_VALUES]
        self._nli = entailment_model(nli_model_name, entailed) if entailed else None
        alike = [name for name in self.scorers if name not in ENTAILMENT_VALUES]
        self._alike = (
            Consistency(measures=alike, embedder=sentence_transformer, bert_embedder=bert_model, guards=())
            if alike
            else None
        )

    async def generate_and_score(  # type: ignore[override]  # the order of uqlm
        self,
        prompts: Sequence[Any],
        num_responses: int = 5,
        response_refinement_threshold: float = THRESHOLD,
        show_progress_bars: bool | None = True,
    ) -> UQResult:
        """Request a response and samples for each prompt, and score its claims.

        Args:
            prompts: texts, or lists of LangChain's messages.
            num_responses: number of samples for each prompt.
            response_refinement_threshold: claims with a lower value are removed from refined responses.
            show_progress_bars: ignored.

        Raises:
            InputError: there is no ``llm``, ``num_responses`` is below 1, or a prompt has another type.
            ReplyError: no call can succeed.
        """
        settings = {"response_refinement_threshold": response_refinement_threshold}
        return await self._score_replies(prompts, num_responses, **settings)

    generate_and_score_sync = synchronous(generate_and_score)  # type: ignore[arg-type]

    async def score(
        self,
        responses: Sequence[Any],
        sampled_responses: Sequence[Sequence[Any]],
        response_refinement_threshold: float = THRESHOLD,
        show_progress_bars: bool | None = True,
    ) -> UQResult:
        """Score the claims of existing responses.

        Args:
            responses: n texts.
            sampled_responses: n lists of texts.
            response_refinement_threshold: claims with a lower value are removed from refined responses.
            show_progress_bars: ignored.

        Returns:
            ``responses``, ``sampled_responses``, each scorer, ``claims_data`` (for each claim its text,
            whether it was removed, and each scorer), and with refinement ``refined_responses`` and
            ``refined_SCORER``.

        Raises:
            InputError: lists of unequal length.
        """
        if len(responses) != len(sampled_responses):
            raise InputError("responses and sampled_responses must have equal lengths")
        split = await self._split(ANSWERS.prepare(list(responses)))
        claims = [listed or [] for listed in split]
        samples = ANSWERS.prepare([list(row) for row in sampled_responses])
        values = claim_values(claims, await self._units(samples), self._pair_values)
        data: dict[str, Any] = {
            "responses": list(responses),
            "sampled_responses": [list(row) for row in sampled_responses],
        }
        for name in self.scorers:
            data[name] = aggregate_claims([value[name] for value in values], self._aggregation)
        removed = [np.zeros(len(listed), bool) for listed in claims]
        if self._filter is not None:
            filtered = [value[self._filter] for value in values]
            removed = [column < response_refinement_threshold for column in filtered]
            data["refined_responses"] = [
                " ".join(claim for claim, is_removed in zip(listed, mask, strict=True) if not is_removed)
                for listed, mask in zip(claims, removed, strict=True)
            ]
            refined = [column[~mask] for column, mask in zip(filtered, removed, strict=True)]
            data[f"refined_{self._filter}"] = aggregate_claims(refined, self._aggregation)
        data["claims_data"] = [
            [
                {
                    self._granularity: claim,
                    "removed": mask[number],
                    **{name: value[name][number] for name in self.scorers},
                }
                for number, claim in enumerate(listed)
            ]
            for listed, mask, value in zip(claims, removed, values, strict=True)
        ]
        metadata = {
            "mode": self._mode,
            "granularity": self._granularity,
            "aggregation": self._aggregation,
            **self._sampling_metadata(sampled_responses),
            "response_refinement_threshold": response_refinement_threshold,
            "without_claims": sum(listed is None for listed in split),
        }
        return UQResult({"data": data, "metadata": metadata})

    async def _split(self, texts: Sequence[Any]) -> list[list[str] | None]:
        if self._splitting is None:
            return [sentence_claims(text) for text in texts]
        return await split_claims(texts, self._splitting, template=self._prompt)

    async def _units(self, samples: Sequence[Sequence[Any]]) -> list[list[list[str]]]:
        """Return the units of the samples of each response, in their order."""
        usable = [[text for text in row if text_status(text) is Status.SCORED] for row in samples]
        if self._mode == "unit_response":
            return [[[text] for text in row] for row in usable]
        split = await self._split([text for row in usable for text in row])
        units = iter([listed or [] for listed in split])
        return [[next(units) for _ in row] for row in usable]

    def _pair_values(self, premises: list[str], hypotheses: list[str]) -> dict[str, Floats]:
        values: dict[str, Floats] = {}
        if self._nli is not None:
            values |= entailment_values(self._nli, premises, hypotheses)
        if self._alike is not None:
            alike = self._alike.measure_part(hypotheses, [[text] for text in premises], keep_unread=True)
            values |= alike.measures
        return {name: values[name] for name in self.scorers}
