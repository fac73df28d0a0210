"""The instrument: measures how far sampled answers to a prompt agree with the answer."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np

from semscale.answer_consistency.asked import Asked
from semscale.answer_consistency.asking.asked_model import AskedModel
from semscale.answer_consistency.asking.asking import Asking, Score
from semscale.answer_consistency.asking.p_true_forms import with_p_true_forms
from semscale.answer_consistency.consistencies import Consistencies
from semscale.answer_consistency.reasons import asking_reasons
from semscale.answer_consistency.sampling import Prompt, Sampling, without_parameters
from semscale.answer_consistency.scoring.contradictions import GUARD_NAMES, check_guards
from semscale.answer_consistency.scoring.floor import Floor
from semscale.answer_consistency.scoring.item_values import ItemMeasures, collect
from semscale.answer_consistency.scoring.measures import (
    DEFAULT_MEASURES,
    check_measures,
    check_nli,
    check_same_by,
    check_sample_tokens,
    check_stopping,
)
from semscale.answer_consistency.scoring.pair_readers import PairReaders
from semscale.answer_consistency.scoring.sample_scorer import SampleScorer
from semscale.answer_consistency.scoring.samples import given_texts, take_samples
from semscale.answer_consistency.scoring.unread_samples import leave_out_unread
from semscale.answer_consistency.settings import ConsistencySettings, checked_fewest, checked_floor
from semscale.answer_consistency.white_box.answer_tokens import (
    AnswerTokens,
    check_tokens,
    token_values,
    with_density_texts,
)
from semscale.embedding.loading import checked_embedder
from semscale.errors import InputError
from semscale.known_settings import known_settings
from semscale.matching.bertscore.scorer import BertScorer
from semscale.signature import Signature
from semscale.stats.intervals.resampling import check_seed
from semscale.store.columns import as_list
from semscale.types import Progress, Status
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.chat.chat_model import ChatModel
    from semscale.chat.runner import Runner
    from semscale.embedding import Embedder
    from semscale.matching.entailment.probabilities import EntailmentModel


class Consistency:
    """Measures how far several answers to one prompt agree with the first.

    Args:
        chat_model: the model that ``ask`` asks: a name, a LangChain chat model, or what ``load_chat_model``
            gives; only ``ask`` needs it.
        measures: names among ``semscale.answer_consistency.scoring.measures.MEASURES``; the first one is the
            ``score``.
        embedder: a known model, a folder, ``organisation/model`` on the Hugging Face hub, or what
            ``load_embedder`` gives.
        bert_embedder: the model of ``bert_score``, by name, as an embedder that shows the states of tokens,
            or as a ``BertScorer``; the default model unless given, where uqlm has ``roberta-large``.
        floor: cosine of answers to different prompts. ``auto`` estimates it from random pairs of the answers
            at hand, and corrects nothing where there are fewer than 10 different ones.
        guards: names among ``semscale.answer_consistency.scoring.contradictions.GUARD_NAMES``: what looks for
            contradictions.
        fewest_samples: usable samples below which an item has no values.
        seed: of the draw of unrelated pairs.
        same_by: how measures of meanings find texts that mean the same, as
            ``semscale.answer_consistency.scoring.measures.SAME_BY`` has it.
        nli: a model of entailment: a folder, ``organisation/model`` on the hub, or what ``load_nli`` gives.
            It relates meanings, and finds contradictions beside the guards, in languages that these do not
            read, too: a sample contradicts the answer if its probability of that is above .5 either way.
        by_sentence: whether that model reads texts of several sentences sentence by sentence, as the method
            ``entailment`` of ``match`` does, instead of whole.

    Raises:
        InputError: an unknown measure or guard, a setting out of range, a measure without its model, or a
            model of entailment that no measure uses.
    """

    @known_settings
    def __init__(  # noqa: PLR0913 - each is a setting that the signature records
        self,
        chat_model: object = None,
        *,
        measures: Iterable[str] = DEFAULT_MEASURES,
        embedder: "str | Path | Embedder" = DEFAULT_MODEL,
        bert_embedder: "str | Path | Embedder | BertScorer" = DEFAULT_MODEL,
        floor: float | str = "auto",
        guards: Iterable[str] = GUARD_NAMES,
        fewest_samples: int = 1,
        seed: int = 0,
        same_by: str = "auto",
        nli: "str | Path | EntailmentModel | None" = None,
        by_sentence: bool = True,
    ) -> None:
        self.measures = check_measures(measures)
        check_same_by(same_by, self.measures, has_entailment=nli is not None)
        if nli is not None:
            check_nli(self.measures, same_by)
        self.guards = check_guards(guards)
        self.floor = checked_floor(floor)
        self.fewest_samples = checked_fewest(fewest_samples)
        check_seed(seed)
        self.seed = seed
        self._scorer = SampleScorer(
            self.measures,
            self.guards,
            self.floor,
            self.fewest_samples,
            seed,
            checked_embedder(embedder),
            bert_embedder,
            same_by,
            nli,
            by_sentence,
        )
        self._chat_model = chat_model

    @property
    def embedder(self) -> "Embedder":
        """What turns texts into vectors; loaded when it is first needed."""
        return self._scorer.embedder

    @property
    def bert_scorer(self) -> BertScorer:
        """What gives BERTScores; loaded when it is first needed."""
        return self._scorer.bert_scorer

    @cached_property
    def chat_model(self) -> "ChatModel":
        """The model that ``ask`` asks.

        Raises:
            InputError: no chat model was given.
        """
        from semscale.chat import load_chat_model

        if self._chat_model is None:
            raise InputError("chat_model must be given to ask, got None: Consistency(chat_model=...)")
        return load_chat_model(self._chat_model)

    @property
    def needs(self) -> frozenset[str]:
        """What the measures are made from, as ``needed_parts`` gives it."""
        return self._scorer.needs

    @property
    def signature(self) -> Signature:
        """What is applied; a result's has the floor that was estimated, and from how many answers."""
        signature = self._scorer.signature()
        return signature if self._chat_model is None else signature.extended(self._chat_signature)

    def readers(self) -> PairReaders:
        """Give the models that the measures need; they embed each text, and judge each pair, once."""
        return self._scorer.readers()

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
            samples: n lists of texts, of any lengths. Samples that are missing, empty or no text are left
                out and counted.
            logprobs: n lists of the log-probabilities of the answers' tokens, as ``read_tokens`` takes them,
                for measures of tokens, and for the first token's probability as a null; missing where they
                are not known.
            sample_logprobs: n lists with such a list for each sample, for Monte Carlo probability and
                semantic density; refused without one of these.
            prompts: n questions, which precede answers and samples in semantic density; left out unless
                given.
            progress: called while texts are embedded and scored.

        Raises:
            InputError: lists of unequal length, something other than a list where samples should be, a
                measure of tokens without ``logprobs`` or ``sample_logprobs``, or these for no measure.
            ModelError: the model cannot be run.
        """
        texts = given_texts(answers, samples)
        if sample_logprobs is not None:
            check_sample_tokens(self.measures)
        tokens = AnswerTokens.read(logprobs, sample_logprobs, prompts, texts[1])
        return self.measure_part(*texts, progress=progress, tokens=tokens)

    async def ask_async(
        self,
        prompts: Sequence[Prompt],
        n_samples: int | None = None,
        *,
        sampling: Sampling | None = None,
        runner: "Runner | None" = None,
        progress: Progress | None = None,
    ) -> Asked:
        """Do as ``ask``, in a program that has an event loop."""
        from semscale.chat.decisions.loading import load_deciding_model
        from semscale.chat.runner import Runner

        plan = sampling or Sampling()
        plan = plan if n_samples is None else replace(plan, n_samples=n_samples)
        if plan.stopping is not None:
            check_stopping(self.measures[0])
        asks_p_true = plan.for_parts(self.needs).asks_p_true
        used = runner or Runner(load_deciding_model(self.chat_model) if asks_p_true else self.chat_model)
        return await self.ask_part(as_list(prompts, "prompts"), AskedModel(plan, used), progress=progress)

    async def ask_part(
        self,
        prompts: Sequence[Prompt],
        model: AskedModel,
        *,
        floor: Floor | None = None,
        stopped: str | None = None,
        progress: Progress | None = None,
    ) -> Asked:
        """Ask about the prompts of one part, and measure how far the replies agree.

        Args:
            prompts: n questions or conversations.
            model: how replies are asked for, and what sends the requests; one for all parts of a run.
            floor: of all prompts; estimated from the answers that come unless given.
            stopped: why the model is not asked, if there is a reason.
            progress: called while replies come and texts are scored.
        """
        known, sampling = floor, model.sampling.for_parts(self.needs)
        readers: PairReaders | None = None

        def score_samples(answers: list[str]) -> Score:
            nonlocal known, readers
            readers = self.readers()
            score, known = self._scorer.single_samples(answers, known, readers=readers)
            return score

        asking = Asking(prompts, sampling, score_samples, model.trials)
        replies = asking.unasked(stopped) if stopped else await asking.run(model.runner, progress)
        finished = replies.status == Status.SCORED
        answers = [text if whole else None for text, whole in zip(replies.answers, finished, strict=True)]
        # Known by what was asked for, so that all parts of a table have the same columns.
        tokens = AnswerTokens(p_true=replies.p_true)
        if sampling.answer.top_logprobs is not None:
            asked_about = [prompt if isinstance(prompt, str) else "" for prompt in prompts]
            tokens = AnswerTokens(replies.tokens, replies.sample_tokens, replies.p_true, asked_about)
        measured = self.measure_part(
            answers, replies.samples, known, progress, tokens=tokens, readers=readers
        )
        status = np.where(finished, measured.status, replies.status)
        asked = without_parameters(sampling.signature, replies.counts.left_out)
        asked = with_p_true_forms(asked, replies.counts.p_true_forms)
        signature = measured.signature.extended(asked).extended(self._chat_signature)
        reasons = asking_reasons(replies, measured.reasons)
        return Asked(replies, replace(measured, status=status, reasons=reasons, signature=signature))

    def measure_part(  # noqa: PLR0913 - texts, what models say of them, and how to measure
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
            floor: of all answers; estimated from these unless given.
            progress: called while texts are embedded and scored.
            keep_unread: whether texts that the model cannot read, or whose language it does not read, are
                measured all the same.
            tokens: of the n answers; needed for measures of tokens, and for the null that they give.
            readers: as ``readers`` gives them, which keep what they read in earlier calls; new ones unless
                given.
        """
        tokens = tokens or AnswerTokens()
        check_tokens(self.measures, tokens)
        taken = take_samples(answers, samples, fewest=self.fewest_samples)
        scorer, readers = self._scorer, readers or self.readers()
        values, applied = scorer.values(taken, floor, progress, readers=readers)
        if not keep_unread:
            taken, values = leave_out_unread(taken, values, fewest=self.fewest_samples)
        meanings = scorer.meanings(taken, applied, progress, readers=readers)
        signature = with_density_texts(scorer.signature(applied), self.measures, tokens)
        of_tokens = token_values(self.measures, tokens, taken.pairs, readers.whole)
        asked = ItemMeasures(self.measures, meanings, of_tokens)
        return collect(taken, applied, values, signature, asked)

    def estimated_floor(self, answers: list[str], progress: Progress | None = None) -> Floor:
        """Give the floor that was set, or estimate it from answers; ``NO_FLOOR`` if no measure needs one."""
        return self._scorer.floor_of(answers, progress)

    def ask(
        self,
        prompts: Sequence[Prompt],
        n_samples: int | None = None,
        *,
        sampling: Sampling | None = None,
        runner: "Runner | None" = None,
        progress: Progress | None = None,
    ) -> Asked:
        """Ask the chat model for an answer and samples to each prompt, and measure how far they agree.

        What came is kept in the runner's ledger: stopped and started again, nothing is paid for twice. Where
        a cap is reached, finished prompts are measured, the others are ``unfinished``, and
        ``replies.counts.stopped`` says why.

        Args:
            prompts: n questions, or conversations; those that are missing or empty are not asked.
            n_samples: samples of each prompt; 5 unless given.
            sampling: temperature, parameters, and when to stop early.
            runner: sends the requests; by default one without a cap and with the ledger in Semscale's folder.
            progress: called while replies come and texts are scored.

        Raises:
            InputError: no chat model, or a prompt that is neither a text nor a conversation.
            ReplyError: no call can succeed.
        """
        from semscale.chat.runner import run_apart

        return run_apart(
            self.ask_async(prompts, n_samples, sampling=sampling, runner=runner, progress=progress)
        )

    @property
    def _chat_signature(self) -> Signature:
        fields = self.chat_model.signature.fields
        return Signature("chat", tuple((f"chat_{name}", value) for name, value in fields))


def consistency(
    answers: object, samples: object = None, **settings: Unpack[ConsistencySettings]
) -> Consistencies:
    """Measure how far answers agree with their samples, in one call.

    Args:
        answers: shape (n,), texts; without ``samples`` each a list whose first text is the answer.
        samples: n lists of texts, of any lengths.
        settings: as ``Consistency`` takes them.

    Raises:
        InputError: as ``Consistency`` and ``Consistency.measure``.

    Example:
        >>> import semscale
        >>> found = semscale.consistency(["Yes", "12"], [["yes", "Yes."], ["12", "13"]])
        >>> found.measures["uncontradicted"].tolist()
        [1.0, 0.5]
        >>> found.contradictions[1][0].finding.reason
        'The answer says "12", the sample "13".'
    """
    return Consistency(**settings).measure(answers, samples)
