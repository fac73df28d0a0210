"""The instrument: measures the agreement of sampled answers to a prompt with the answer."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, cast

import numpy as np

from semscale.answer_consistency.asking import AskedModel, Prompt, Sampling, Score
from semscale.answer_consistency.consistencies import Asked, Consistencies, asking_reasons, measuring_reasons
from semscale.answer_consistency.meanings import ItemPairs, Relations, relate_texts
from semscale.answer_consistency.measures import (
    DENSITY,
    FIRST_TOKEN,
    MEASURES,
    Evidence,
    check_sample_tokens,
    check_stopping,
    check_tokens,
    list_needed_parts,
    measure_tokens,
)
from semscale.answer_consistency.pairs import (
    CONTRADICTS_ABOVE,
    EXACT_MATCH,
    NO_FLOOR,
    ComparedPairs,
    Contradiction,
    Floor,
    compare_pairs,
    estimate_floor,
    leave_out_unread,
    null_values,
)
from semscale.answer_consistency.samples import (
    MemoizedEmbedder,
    MemoizedEntailment,
    PairReaders,
    SampledAnswers,
    pair_samples,
    read_texts,
)
from semscale.answer_consistency.settings import ConsistencyKeywords, ConsistencySettings
from semscale.answer_consistency.tokens import AnswerTokens
from semscale.chat.runner import Runner, run_to_end, warn_if_stopped
from semscale.embedding.loading import as_embedder, validate_embedder
from semscale.errors import InputError
from semscale.matching.bertscore import BertScorer
from semscale.matching.cosines import Cosines
from semscale.matching.entailment import EntailmentModel, SentenceEntailment, load_entailment_model
from semscale.matching.pairs import with_identifier, with_read_languages
from semscale.settings import takes
from semscale.signature import Signature
from semscale.store.columns import as_list
from semscale.text_preparation import TextPreparation
from semscale.types import Floats, Progress, Status

if TYPE_CHECKING:
    from semscale.chat.chat_model import ChatModel
    from semscale.embedding import Embedder


class Consistency:
    """Measures how far several answers to one prompt agree with the first.

    Args:
        chat_model: chat model for ``ask``: a name, a LangChain chat model, or a model from
            ``load_chat_model``.
        settings: fields of ``ConsistencySettings``.

    Raises:
        InputError: an unknown measure or guard, a setting out of range, a measure without its model, or an
            entailment model that no measure uses.
    """

    @takes(ConsistencySettings)
    def __init__(self, chat_model: object = None, **settings: Unpack[ConsistencyKeywords]) -> None:
        self.settings = ConsistencySettings(**settings)
        validate_embedder(self.settings.embedder)
        self._chat_model = chat_model

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures; the first one is the score."""
        return self.settings.measures

    @property
    def guards(self) -> tuple[str, ...]:
        """Names of the guards that check for contradictions."""
        return self.settings.guards

    @property
    def needs(self) -> frozenset[str]:
        """The parts that the measures are computed from, as in ``list_needed_parts``."""
        return self.settings.needs

    @cached_property
    def embedder(self) -> "Embedder":
        """The model that embeds texts; loaded on first use."""
        return as_embedder(self.settings.embedder)

    @cached_property
    def bert_scorer(self) -> BertScorer:
        """The scorer of BERTScores; loaded on first use."""
        model = self.settings.bert_embedder
        if isinstance(model, str | Path) or callable(getattr(model, "embed", None)):
            return BertScorer(cast("str | Path | Embedder", model))
        return cast(BertScorer, model)

    @cached_property
    def entailment(self) -> EntailmentModel | None:
        """The entailment model, loaded on first use; ``None`` if none was chosen."""
        nli, labels = self.settings.nli, self.settings.nli_labels
        return None if nli is None else load_entailment_model(nli, labels)

    @cached_property
    def chat_model(self) -> "ChatModel":
        """The chat model for ``ask``.

        Raises:
            InputError: there is no chat model.
        """
        from semscale.chat import load_chat_model

        if self._chat_model is None:
            raise InputError("chat_model", "must be given to ask, got None: Consistency(chat_model=...)")
        return load_chat_model(self._chat_model)

    @property
    def signature(self) -> Signature:
        """The settings; a result's signature also has the estimated floor and its number of answers."""
        chosen = self.settings.floor
        floor = Floor(0.0, "auto") if isinstance(chosen, str) else Floor(chosen, "given")
        signature = self._signature_with_floor(floor)
        return signature if self._chat_model is None else signature.plus(self._chat_signature)

    def readers(self) -> PairReaders:
        """Return the models that the measures need; they embed each text, and judge each pair, once."""
        cosines = Cosines(MemoizedEmbedder(self.embedder)) if "cosine" in self.needs else None
        if "entailment" not in self.needs or self.entailment is None:
            return PairReaders(cosines)
        whole = MemoizedEntailment(self.entailment)
        return PairReaders(cosines, SentenceEntailment(whole) if self.settings.by_sentence else whole, whole)

    def measure(
        self,
        answers: object,
        samples: object = None,
        *,
        logprobs: object = None,
        sample_logprobs: object = None,
        prompts: object = None,
        progress: Progress | None = None,
    ) -> Consistencies:
        """Measure how far answers agree with their samples.

        Args:
            answers: shape (n,), texts; without ``samples`` each a list whose first text is the answer.
            samples: n lists of texts, of any lengths. Samples that are missing, empty or not text are left
                out and counted.
            logprobs: n lists of the log-probabilities of the answers' tokens, as ``read_tokens`` accepts
                them, for measures of tokens, and for the first token's probability as a baseline; missing if
                unknown.
            sample_logprobs: n lists with such a list for each sample, for Monte Carlo probability and
                semantic density; an error without one of these measures.
            prompts: n questions, placed before answers and samples in semantic density; left out by default.
            progress: called while texts are embedded and scored.

        Raises:
            InputError: lists of unequal length, samples that are not a list, a measure of tokens without
                ``logprobs`` or ``sample_logprobs``, or these without a measure that needs them.
            ModelError: the model cannot be run.
        """
        originals, lists = read_texts(answers, samples)
        preparation = TextPreparation.from_settings(self.settings)
        texts = preparation.prepare(originals), preparation.prepare(lists)
        if sample_logprobs is not None:
            check_sample_tokens(self.measures)
        tokens = AnswerTokens.read(logprobs, sample_logprobs, prompts, texts[1])
        tokens = tokens.without_reasoning() if self.settings.reasoning == "remove" else tokens
        return self.measure_part(*texts, progress=progress, tokens=tokens)

    def ask(
        self,
        prompts: Sequence[Prompt],
        n_samples: int | None = None,
        *,
        sampling: Sampling | None = None,
        runner: Runner | None = None,
        progress: Progress | None = None,
    ) -> Asked:
        """Request an answer and samples for each prompt from the chat model, and measure their agreement.

        Replies are stored in the runner's ledger, so a restarted run sends again only the calls that were in
        flight when the earlier one was killed. If a cap is reached, finished prompts are measured, the others
        are ``unfinished``, and ``replies.counts.stopped`` has the reason.

        Args:
            prompts: n questions or conversations; missing and empty ones are not sent.
            n_samples: number of samples of each prompt; 5 by default.
            sampling: temperature, parameters and early stopping.
            runner: runner of the requests; by default one without a cap and with the ledger in Semscale's
                folder.
            progress: called while replies come and texts are scored.

        Warns:
            UnfinishedWarning: the run ended early.

        Raises:
            InputError: no chat model, or a prompt that is neither a text nor a conversation.
            ReplyError: no call can succeed.
        """
        asked = run_to_end(self._ask(prompts, n_samples, sampling, runner, progress))
        warn_if_stopped(asked.replies.counts.stopped, asked.replies.status)
        return asked

    async def ask_async(
        self,
        prompts: Sequence[Prompt],
        n_samples: int | None = None,
        *,
        sampling: Sampling | None = None,
        runner: Runner | None = None,
        progress: Progress | None = None,
    ) -> Asked:
        """Do the same as ``ask`` in a program with an event loop."""
        asked = await self._ask(prompts, n_samples, sampling, runner, progress)
        warn_if_stopped(asked.replies.counts.stopped, asked.replies.status)
        return asked

    async def _ask(
        self,
        prompts: Sequence[Prompt],
        n_samples: int | None,
        sampling: Sampling | None,
        runner: Runner | None,
        progress: Progress | None,
    ) -> Asked:
        plan = sampling or Sampling()
        plan = plan if n_samples is None else replace(plan, n_samples=n_samples)
        if plan.stopping is not None:
            check_stopping(self.measures[0])
        model = AskedModel(plan, runner or Runner(self.chat_model))
        return await self.ask_part(as_list(prompts, "prompts"), model, progress=progress)

    async def ask_part(
        self,
        prompts: Sequence[Prompt],
        model: AskedModel,
        *,
        floor: Floor | None = None,
        stopped: str | None = None,
        progress: Progress | None = None,
    ) -> Asked:
        """Send the prompts of one part, and measure the agreement of the replies.

        Args:
            prompts: n questions or conversations.
            model: settings and runner of the requests; the same for all parts of a run.
            floor: floor for all prompts; by default estimated from the received answers.
            stopped: reason to send no requests, or ``None``.
            progress: called while replies come and texts are scored.
        """
        sampling = model.sampling.for_parts(self.needs)
        readers: PairReaders | None = None

        def scorer(answers: list[str]) -> Score:
            nonlocal floor, readers
            readers = self.readers()
            floor = floor or self.choose_floor(answers, cosines=readers.cosines)
            return lambda texts, samples: self._score_single(texts, samples, floor, readers)

        replies = await replace(model, sampling=sampling).ask(prompts, stopped, progress, scorer=scorer)
        finished = replies.status == Status.SCORED
        answers = [text if whole else None for text, whole in zip(replies.answers, finished, strict=True)]
        # Known by what was asked for, so that all parts of a table have the same columns.
        tokens = AnswerTokens(p_true=replies.p_true)
        if sampling.answer.top_logprobs is not None:
            questions = [prompt if isinstance(prompt, str) else "" for prompt in prompts]
            tokens = AnswerTokens(replies.tokens, replies.sample_tokens, replies.p_true, questions)
        measured = self.measure_part(
            answers, replies.samples, floor, progress, tokens=tokens, readers=readers
        )
        status = np.where(finished, measured.status, replies.status)
        asked = replies.counts.update_signature(sampling.signature)
        signature = measured.signature.plus(asked).plus(self._chat_signature)
        reasons = asking_reasons(replies, measured.reasons)
        return Asked(replies, replace(measured, status=status, reasons=reasons, signature=signature))

    def _score_single(
        self, answers: list[str], samples: list[str], floor: Floor | None, readers: PairReaders | None
    ) -> Floats:
        """Return the first measure of k answers with one sample each, shape (k,); NaN where missing."""
        sampled = pair_samples(answers, [[sample] for sample in samples])
        compared, _ = self._compare(sampled, floor, readers or self.readers())
        _, compared = leave_out_unread(sampled, compared)
        return MEASURES[self.measures[0]].function(Evidence(compared))

    def measure_part(
        self,
        answers: Sequence[object],
        samples: Sequence[Sequence[object]],
        floor: Floor | None = None,
        progress: Progress | None = None,
        *,
        keep_unread: bool = False,
        tokens: AnswerTokens | None = None,
        readers: PairReaders | None = None,
    ) -> Consistencies:
        """Measure the answers of one part.

        Args:
            answers: n answers.
            samples: n lists of texts.
            floor: floor for all answers; by default estimated from these.
            progress: called while texts are embedded and scored.
            keep_unread: whether to measure texts that the model cannot read, or in a language that it does
                not read.
            tokens: tokens of the n answers, for measures of tokens and their baseline.
            readers: models from ``readers``, with results of earlier calls; new ones by default.
        """
        tokens, readers = tokens or AnswerTokens(), readers or self.readers()
        check_tokens(self.measures, tokens)
        sampled = pair_samples(answers, samples, fewest=self.settings.fewest_samples)
        compared, floor = self._compare(sampled, floor, readers, progress)
        if not keep_unread:
            sampled, compared = leave_out_unread(sampled, compared)
        related = self.relate(sampled, floor, readers, progress) if "meanings" in self.needs else {}
        return self._collect(sampled, floor, Evidence(compared, related, tokens, readers.whole))

    def relate(
        self,
        sampled: SampledAnswers,
        floor: Floor,
        readers: PairReaders,
        progress: Progress | None = None,
    ) -> dict[int, Relations]:
        """Relate the meanings of all texts of each item, by the item's number.

        Args:
            sampled: n answers with their samples.
            floor: cosine of unrelated answers.
            readers: models that store their results.
            progress: called while texts are embedded.
        """
        return relate_texts(
            sampled.pairs, self.settings.same_by, floor, readers, guards=self.guards, progress=progress
        )

    def choose_floor(
        self, answers: Sequence[str], progress: Progress | None = None, *, cosines: Cosines | None = None
    ) -> Floor:
        """Return the floor of the settings, or an estimate from answers; ``NO_FLOOR`` if none is needed.

        Args:
            answers: texts; equal ones count once.
            progress: called while texts are embedded.
            cosines: cosines between texts; new ones by default.
        """
        if "floor" not in self.needs:
            return NO_FLOOR
        floor = self.settings.floor
        if not isinstance(floor, str):
            return Floor(floor, "given")
        cosines = cosines or Cosines(MemoizedEmbedder(self.embedder))
        texts = list(dict.fromkeys(answers))
        return estimate_floor(texts, cosines, seed=self.settings.seed, progress=progress)

    def _compare(
        self,
        sampled: SampledAnswers,
        floor: Floor | None,
        readers: PairReaders,
        progress: Progress | None = None,
    ) -> tuple[ComparedPairs, Floor]:
        """Compare answers with their samples, and return the applied floor."""
        pairs, needs = sampled.pairs, self.needs
        if floor is None:
            answers = [pairs.texts[number] for number in np.unique(pairs.prediction).tolist()]
            floor = self.choose_floor(answers, progress, cosines=readers.cosines)
        if readers.entailment is not None and needs >= {"meanings", "contradicted"}:
            # Measures of meanings compare samples with each other, too: all pairs are asked for at once.
            readers.entailment.entailments(*ItemPairs.from_pairs(pairs).both_directions)
        compared = compare_pairs(
            pairs,
            floor.value,
            readers,
            guards=self.guards if "contradicted" in needs else None,
            bert_scorer=self.bert_scorer if "f1" in needs else None,
            progress=progress,
        )
        return compared, floor

    def _collect(self, sampled: SampledAnswers, floor: Floor, evidence: Evidence) -> Consistencies:
        """Compute the measures of each item, and collect contradictions, baselines and counts."""
        pairs, compared, tokens = evidence.pairs, evidence.compared, evidence.tokens
        n, is_scored = pairs.n_items, np.asarray(sampled.status == Status.SCORED, bool)
        measures = {
            name: np.where(is_scored, MEASURES[name].function(evidence), np.nan) for name in self.measures
        }
        nulls = null_values(pairs)
        if tokens.answers is not None:
            nulls |= measure_tokens(tokens.answers, [FIRST_TOKEN])
        for name in (EXACT_MATCH, FIRST_TOKEN):
            if name in measures:  # no baseline of itself
                nulls.pop(name, None)
        windows = np.zeros(n, np.int64)
        np.maximum.at(windows, pairs.item, compared.windows)
        contradictions: list[list[Contradiction]] = [[] for _ in range(n)]
        rows = zip(pairs.item.tolist(), pairs.place.tolist(), compared.findings, strict=True)
        for item, sample, findings in rows:
            contradictions[item] += [Contradiction(sample, finding) for finding in findings]
        n_meanings, grounds = np.zeros(n, np.int64), np.full(n, None, dtype=object)
        for item, relations in evidence.related.items():
            if relations.is_read:
                n_meanings[item], grounds[item] = len(relations.counts), relations.ground
        signature = self._signature_with_floor(floor)
        if DENSITY in measures:
            texts = "answers" if tokens.prompts is None else "prompts+answers"
            signature = signature.plus(Signature.of("density", density_texts=texts))
        return Consistencies(
            measures=measures,
            status=sampled.status,
            reasons=measuring_reasons(sampled, measures[self.measures[0]], self.measures[0]),
            n_samples=sampled.n_samples,
            samples_left_out=sampled.n_left_out,
            windows=windows,
            nulls=nulls,
            contradictions=tuple(map(tuple, contradictions)),
            floor=floor.applied,
            floor_from=floor.origin,
            signature=signature,
            n_meanings=n_meanings,
            same_by=grounds,
        )

    @property
    def _chat_signature(self) -> Signature:
        return _prefix_fields("chat", self.chat_model.signature)

    def _signature_with_floor(self, floor: Floor) -> Signature:
        """Return the applied settings, with a floor."""
        needs = self.needs
        settings: dict[str, object] = {"measures": "+".join(self.measures)}
        if "floor" in needs:
            settings["floor"] = "auto" if floor.origin == "auto" else floor.value
            settings["floor_from"] = floor.origin
            settings |= {} if floor.origin == "given" else {"seed": self.settings.seed}
        if "contradicted" in needs:
            settings["guards"] = "+".join(self.guards) or "none"
        if needs >= {"contradicted", "entailment"}:
            settings["contradiction_above"] = CONTRADICTS_ABOVE
        settings |= {"same_by": self.settings.same_by} if "meanings" in needs else {}
        settings |= self.settings.signature_fields()
        signature = Signature.of("consistency", **settings, fewest_samples=self.settings.fewest_samples)
        if "cosine" in needs:
            signature = signature.plus(self.embedder.signature)
        if "f1" in needs:
            signature = signature.plus(_prefix_fields("bert", self.bert_scorer.signature))
        if "entailment" in needs and self.entailment is not None:
            signature = signature.plus(_prefix_fields("entailment", self.entailment.signature))
            # Semantic density always reads texts whole.
            rest = [name for name in self.measures if "sample_logprobs" not in MEASURES[name].needs]
            if "entailment" in list_needed_parts(rest, self.settings.same_by, has_entailment=True):
                reads = "max/mean" if self.settings.by_sentence else "whole"
                signature = signature.plus(Signature.of("entailment", entailment_sentences=reads))
        # Guards skip pairs in other languages than English.
        has_guards = "contradicted" in needs and self.guards
        return with_identifier(signature) if has_guards else with_read_languages(signature)


def _prefix_fields(prefix: str, signature: Signature) -> Signature:
    return Signature(prefix, tuple((f"{prefix}_{name}", value) for name, value in signature.fields))


@takes(ConsistencySettings)
def consistency(
    answers: object, samples: object = None, **settings: Unpack[ConsistencyKeywords]
) -> Consistencies:
    """Measure how far answers agree with their samples, in one call.

    Args:
        answers: shape (n,), texts; without ``samples`` each a list whose first text is the answer.
        samples: n lists of texts, of any lengths.
        settings: fields of ``ConsistencySettings``.

    Raises:
        InputError: as ``Consistency`` and ``Consistency.measure``.

    Examples:
        >>> import semscale
        >>> result = semscale.consistency(["Yes", "12"], [["yes", "Yes."], ["12", "13"]])
        >>> result.measures["uncontradicted"].tolist()
        [1.0, 0.5]
        >>> result.contradictions[1][0].finding.reason
        'The answer says "12", the sample "13".'
    """
    return Consistency(**settings).measure(answers, samples)
