"""The class ``LongTextUQ`` of ``uqlm`` on Semscale's claims.

Intended differences from ``uqlm`` 0.6.7:

- Claims are the sentences of a response unless ``claim_decomposition_llm`` is given, which is then asked for
  them; ``llm`` is not. ``claim_decomposition_prompt`` may be a function; uqlm's named prompts are not taken.
- A response whose claims could not be had from that model has no score (``None``);
  ``metadata["without_claims"]`` counts them.
- ``nli_llm`` is refused: a model of entailment compares.
- A refined response is the claims that are kept, in their own words; none is written anew.
- In ``matched_unit`` a sample without a unit does not count, where uqlm takes 0 for it.
- A response without samples has no score (``None``).
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from semscale.answer_consistency.claims import (
    ENTAILMENT_VALUES,
    claim_values,
    entailment_values,
    sentence_claims,
    split_claims,
)
from semscale.answer_consistency.consistency import Consistency
from semscale.compat.uqlm.generation import ResponseGenerator, entailment_model
from semscale.compat.uqlm.result import UQResult
from semscale.compat.uqlm.synchronous import synchronous
from semscale.embedding.texts import text_status
from semscale.errors import InputError
from semscale.types import Floats, Status
from semscale.weights.known import DEFAULT_MODEL

UNIT_RESPONSE_SCORERS = ENTAILMENT_VALUES
MATCHED_UNIT_SCORERS = (*ENTAILMENT_VALUES, "bert_score", "cosine_sim")
SCORERS_BY_MODE = {"unit_response": UNIT_RESPONSE_SCORERS, "matched_unit": MATCHED_UNIT_SCORERS}
THRESHOLD = 1 / 3
"""Claims with a lower value are removed from a refined response, as in uqlm."""
_AGGREGATIONS = ("mean", "min")
_GRANULARITIES = ("claim", "sentence")


class LongTextUQ:
    """Scores long responses claim by claim, by how far samples entail each claim or resemble it.

    Args:
        llm: a LangChain chat model, or the name of a model.
        granularity: ``claim`` or ``sentence``; they differ only with ``claim_decomposition_llm``.
        mode: ``unit_response`` compares a claim with whole samples, ``matched_unit`` with the sentences or
            claims of each sample, of which the best counts.
        scorers: among ``SCORERS_BY_MODE[mode]``; by default ``entailment``.
        aggregation: of the claims of a response: ``mean`` or ``min``.
        response_refinement: whether claims with low values are removed.
        claim_filtering_scorer: by which scorer; the first one unless given.
        claim_decomposition_llm: a chat model that splits responses into claims; sentences unless given.
        claim_decomposition_prompt: makes the prompt for it of a response; Semscale's own unless given.
        nli_model_name: a model of entailment: its name on the hub, its folder, or the model.
        system_prompt: precedes every prompt that is a text.
        max_calls_per_min: the most calls per minute.
        sampling_temperature: temperature of the samples, above 0.
        sentence_transformer: the model of ``cosine_sim``.
        bert_model: the model of ``bert_score``.
        ledger: whether and where to store replies.
        others: ``device``, ``use_n_param`` and ``max_length`` of uqlm are ignored; ``nli_llm`` is refused.

    Raises:
        InputError: a scorer, mode, granularity, aggregation or prompt is unknown, or ``nli_llm`` is given.
        ModelError: the model of entailment cannot be had; the message says which command gets it.
    """

    def __init__(  # noqa: PLR0913 - the arguments of uqlm
        self,
        llm: Any = None,  # noqa: ANN401 - LangChain's model
        granularity: str = "claim",
        mode: str = "unit_response",
        scorers: Sequence[str] | None = None,
        *,
        aggregation: str = "mean",
        response_refinement: bool = False,
        claim_filtering_scorer: str | None = None,
        claim_decomposition_llm: Any = None,  # noqa: ANN401 - LangChain's model
        claim_decomposition_prompt: Callable[[str], str] | None = None,
        nli_model_name: Any = "",  # noqa: ANN401
        system_prompt: str | None = None,
        max_calls_per_min: int | None = None,
        sampling_temperature: float = 1.0,
        sentence_transformer: str = DEFAULT_MODEL,
        bert_model: str = DEFAULT_MODEL,
        ledger: bool | str | Path = True,
        **others: Any,  # noqa: ANN401
    ) -> None:
        self.scorers = tuple(scorers or ENTAILMENT_VALUES[:1])
        _check_choices(granularity, mode, self.scorers, aggregation)
        if others.get("nli_llm") is not None:
            raise InputError("nli_llm is not offered: name a model of entailment with nli_model_name")
        if claim_decomposition_prompt is not None and not callable(claim_decomposition_prompt):
            raise InputError(
                "claim_decomposition_prompt must be a function that makes a prompt of a response, got "
                f"{claim_decomposition_prompt!r:.40}"
            )
        self._generator = ResponseGenerator(
            llm, system_prompt, max_calls_per_min, sampling_temperature, ledger
        )
        self._granularity, self._mode, self._aggregation = granularity, mode, aggregation
        self._filter = (claim_filtering_scorer or self.scorers[0]) if response_refinement else None
        if self._filter is not None and self._filter not in self.scorers:
            raise InputError(f"claim_filtering_scorer must be among the scorers, got {self._filter!r}")
        asks = claim_decomposition_llm is not None and granularity == "claim"
        self._splitting = self._generator.runner_of(claim_decomposition_llm) if asks else None
        self._prompt = claim_decomposition_prompt
        entailed = [name for name in self.scorers if name in ENTAILMENT_VALUES]
        self._nli = entailment_model(nli_model_name, entailed[0]) if entailed else None
        alike = [name for name in self.scorers if name not in ENTAILMENT_VALUES]
        self._alike = (
            Consistency(measures=alike, embedder=sentence_transformer, bert_embedder=bert_model, guards=())
            if alike
            else None
        )

    async def generate_and_score(
        self,
        prompts: Sequence[Any],
        num_responses: int = 5,
        response_refinement_threshold: float = THRESHOLD,
        show_progress_bars: bool | None = True,  # noqa: FBT001, FBT002, ARG002
    ) -> UQResult:
        """Request a response and samples for each prompt, and score its claims.

        Raises:
            InputError: there is no ``llm``, or a prompt has another type.
            ReplyError: no call can succeed.
        """
        found = await self._generator.generate(prompts, num_responses, logprobs=False)
        result = await self.score(found.responses, found.samples, response_refinement_threshold)
        return UQResult({"data": {"prompts": list(prompts), **result.data}, "metadata": result.metadata})

    generate_and_score_sync = synchronous(generate_and_score)

    async def score(
        self,
        responses: Sequence[Any],
        sampled_responses: Sequence[Sequence[Any]],
        response_refinement_threshold: float = THRESHOLD,
        show_progress_bars: bool | None = True,  # noqa: FBT001, FBT002, ARG002
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
        split = await self._split(responses)
        claims = [each or [] for each in split]
        values = claim_values(claims, await self._units(sampled_responses), self._pair_values)
        data: dict[str, Any] = {
            "responses": list(responses),
            "sampled_responses": [list(each) for each in sampled_responses],
        }
        columns = {name: [each[name] for each in values] for name in self.scorers}
        kept = [
            np.ones(len(each), bool)
            if self._filter is None
            else ~(value[self._filter] < response_refinement_threshold)
            for each, value in zip(claims, values, strict=True)
        ]
        data |= {name: self._aggregated(column) for name, column in columns.items()}
        if self._filter is not None:
            shown = [
                " ".join(one for one, is_kept in zip(each, mask, strict=True) if is_kept)
                for each, mask in zip(claims, kept, strict=True)
            ]
            left = [column[mask] for column, mask in zip(columns[self._filter], kept, strict=True)]
            data |= {"refined_responses": shown, f"refined_{self._filter}": self._aggregated(left)}
        data["claims_data"] = [
            [
                {
                    self._granularity: claim,
                    "removed": not mask[at],
                    **{name: float(value[name][at]) for name in self.scorers},
                }
                for at, claim in enumerate(each)
            ]
            for each, mask, value in zip(claims, kept, values, strict=True)
        ]
        metadata = {
            "mode": self._mode,
            "granularity": self._granularity,
            "aggregation": self._aggregation,
            "temperature": self._generator.temperature,
            "without_claims": sum(each is None for each in split),
        }
        return UQResult({"data": data, "metadata": metadata})

    async def _split(self, texts: Sequence[Any]) -> list[list[str] | None]:
        if self._splitting is None:
            return [sentence_claims(text) for text in texts]
        return await split_claims(texts, self._splitting, template=self._prompt)

    async def _units(self, samples: Sequence[Sequence[Any]]) -> list[list[list[str]]]:
        """Give for each response the units of its samples, one after the other."""
        usable = [_usable(each) for each in samples]
        if self._mode == "unit_response":
            return [[[text] for text in each] for each in usable]
        split = await self._split([text for each in usable for text in each])
        units = iter([each or [] for each in split])
        return [[next(units) for _ in each] for each in usable]

    def _pair_values(self, premises: list[str], hypotheses: list[str]) -> dict[str, Floats]:
        found: Mapping[str, Floats] = {}
        if self._nli is not None:
            found = entailment_values(self._nli, premises, hypotheses)
        if self._alike is not None:
            alike = self._alike.measure_part(hypotheses, [[text] for text in premises], keep_unread=True)
            found = {**found, **alike.measures}
        return {name: found[name] for name in self.scorers}

    def _aggregated(self, columns: Sequence[Floats]) -> list[float]:
        function = np.mean if self._aggregation == "mean" else np.min
        known = [each[~np.isnan(each)] for each in columns]
        return [float(function(each)) if len(each) else np.nan for each in known]


def _check_choices(granularity: str, mode: str, scorers: Sequence[str], aggregation: str) -> None:
    if granularity not in _GRANULARITIES:
        raise InputError(f"granularity must be claim or sentence, got {granularity!r}")
    if mode not in SCORERS_BY_MODE:
        raise InputError(f"mode must be unit_response or matched_unit, got {mode!r}")
    for name in scorers:
        if name not in SCORERS_BY_MODE[mode]:
            raise InputError(
                f"scorers of mode {mode} must be among {', '.join(SCORERS_BY_MODE[mode])}, got {name!r}"
            )
    if aggregation not in _AGGREGATIONS:
        raise InputError(f"aggregation must be mean or min, got {aggregation!r}")


def _usable(texts: Sequence[Any]) -> list[str]:
    return [text for text in texts if text_status(text) is Status.SCORED]
